"""Arrays of any kind are taken or refused by name; bad input never gets further."""
import numpy as np
import pytest
from conftest import DT, beam, rubber

import supple

MESH = supple.box_mesh((1, 0.2, 0.2), (2, 1, 1))
X, T = MESH.vertices, MESH.tets


def add(vertices=X, tets=T, **options):
    scene = supple.Scene()
    options = {"material": rubber(), "density": 1000.0, **options}
    return scene, scene.add_solid(vertices, tets, **options)


@pytest.mark.parametrize("vertices", [
    X.astype(np.float32).astype(float), X.tolist(), np.asfortranarray(X), X[::-1][::-1], X.astype(">f8"),
    np.repeat(X, 2, axis=0)[::2], (lambda a: (a.setflags(write=False), a)[1])(X.copy()),
])
def test_vertices_of_any_kind(vertices):
    scene, body = add(vertices)
    assert np.allclose(scene.build().positions, X)


@pytest.mark.parametrize("tets", [
    T.astype(np.int32), T.astype(np.uint64), T.astype(np.uint8), T.astype(">i2"), np.asfortranarray(T), T.tolist(),
    np.repeat(T, 2, axis=1)[:, ::2],
])
def test_tets_of_any_kind(tets):
    add(X, tets)[0].build().step()


def changed(a, at, value):
    a = a.copy()
    a[at] = value
    return a


@pytest.mark.parametrize("arguments, error, message", [
    (dict(vertices=X[:, :2]), ValueError, r"vertices must have shape \(n, 3\), not \(12, 2\)"),
    (dict(vertices=X.ravel()), ValueError, r"vertices must have shape"),
    (dict(vertices=X.astype(complex)), TypeError, "vertices must hold real numbers"),
    (dict(vertices=X.astype(str)), TypeError, "vertices"),
    (dict(vertices=X.astype(object)), TypeError, "vertices"),
    (dict(vertices=None), TypeError, "vertices"),
    (dict(vertices=[[1, 2], [3]]), TypeError, "vertices"),
    (dict(vertices=changed(X, (3, 1), np.nan)), ValueError, "node 3"),
    (dict(vertices=changed(X, (3, 1), np.inf)), ValueError, "node 3"),
    (dict(vertices=np.empty((0, 3))), ValueError, "0 nodes"),
    (dict(tets=T[:, :3]), ValueError, r"tets must have shape \(m, 4\)"),
    (dict(tets=T.astype(float)), TypeError, "tets must hold integers"),
    (dict(tets=changed(T, (1, 2), -1)), ValueError, r"tets\[1\]: node -1 is negative"),
    (dict(tets=changed(T, (1, 2), len(X))), ValueError, rf"tets\[1\]: node {len(X)} is not below"),
    (dict(tets=changed(T.astype(np.uint64), (1, 2), 2**64 - 1)), ValueError, r"tets\[1\]: node 18446744073709551615"),
    (dict(tets=changed(T, 1, T[1][[0, 0, 1, 2]])), ValueError, "element 1"),
    (dict(tets=changed(T, 1, T[1][[1, 0, 2, 3]])), ValueError, "element 1"),
    (dict(tets=np.empty((0, 4), int)), ValueError, "empty"),
    (dict(tets=T[:1]), ValueError, "no mass"),
    (dict(density=0), ValueError, "density"),
    (dict(density=np.nan), ValueError, "density"),
    (dict(density="heavy"), TypeError, "density"),
    (dict(density=[1.0, 2.0]), ValueError, r"density must be a number or have shape \(10,\), not \(2,\)"),
    (dict(density=None), ValueError, "density or masses"),
    (dict(masses=1.0), ValueError, "density or masses"),
    (dict(density=None, masses=-1.0), ValueError, "mass"),
    (dict(material=[rubber()]), ValueError, "one per tetrahedron"),
    (dict(material=None), TypeError, "material"),
    (dict(name=""), ValueError, "name"),
])
def test_what_is_refused(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        add(**arguments)
    assert not isinstance(caught.value, ValueError) or isinstance(caught.value, supple.BuildError)


@pytest.mark.parametrize("ids, error", [
    ([-1], ValueError), ([len(X)], ValueError), ([2**40], ValueError), ([0.5], TypeError), (["a"], TypeError),
    ([[0, 1]], ValueError), (np.ones(3, bool), ValueError), (None, TypeError),
])
def test_bad_ids(ids, error):
    scene, body = add()
    with pytest.raises(error, match="ids"):
        scene.pin(body, ids)
    sim = scene.build()
    with pytest.raises(error, match="ids"):
        sim.move_pins(body, ids, np.zeros((1, 3)))


def test_ids_of_many_kinds():
    wanted = np.flatnonzero(X[:, 0] == 0)
    for ids in (wanted, wanted.tolist(), wanted.astype(np.uint16), X[:, 0] == 0, tuple(wanted), np.repeat(wanted, 2)[::2]):
        scene, body = add()
        scene.pin(body, ids)
        scene.pin(body, [])
        assert np.array_equal(np.flatnonzero(scene.build().pinned), wanted)
    scene, body = add()
    scene.pin(body.name, 3)
    scene.pin(0, np.int64(4))
    assert np.array_equal(np.flatnonzero(scene.build().pinned), [3, 4])


def test_bodies_are_those_of_the_scene():
    scene, body = add()
    other, stranger = add(np.concatenate([X, X + 5]), np.concatenate([T, T + len(X)]))
    for bad in (stranger, 1, -1, "nobody"):
        with pytest.raises(supple.BuildError):
            scene.pin(bad, [0])
    for bad in (1.5, None, [0]):
        with pytest.raises(TypeError, match="body"):
            scene.pin(bad, [0])
    with pytest.raises(supple.BuildError, match="not pinned"):
        scene.build().move_pins(body, [0], [[0, 0, 0]])
    with pytest.raises(supple.BuildError, match="already"):
        scene.add_solid(X, T, material=rubber(), density=1.0, name=body.name)


@pytest.mark.parametrize("state, error", [
    ((X[:-1], X), ValueError), ((X, X[:-1]), ValueError), ((changed(X, (2, 0), np.nan), X), ValueError),
    ((X, changed(X, (2, 0), np.inf)), ValueError), ((X.astype(str), X), TypeError), ((X.T, X), ValueError),
])
def test_bad_states(state, error):
    sim = add()[0].build()
    sim.step()
    x, v = sim.positions, sim.velocities
    with pytest.raises(error, match="positions|velocities|node 2"):
        sim.set_state(*state)
    assert np.array_equal(sim.positions, x) and np.array_equal(sim.velocities, v)


@pytest.mark.parametrize("options, error, message", [
    (dict(method="magic"), ValueError, "method.*magic"),
    (dict(method=3), TypeError, "method must be a string"),
    (dict(iterations=0), ValueError, "iterations"),
    (dict(iterations=-1), ValueError, "iterations"),
    (dict(iterations=2.5), TypeError, "iterations must be an integer"),
    (dict(iterations=2**80), ValueError, "iterations"),
    (dict(tolerance=-1), ValueError, "tolerance"),
    (dict(tolerance=np.nan), ValueError, "tolerance"),
    (dict(tolerance="small"), TypeError, "tolerance must be a number"),
    (dict(time_budget=0), ValueError, "time_budget"),
    (dict(weight_rule="heavy"), ValueError, "weight_rule"),
    (dict(weight_scale=0), ValueError, "weight_scale"),
    (dict(acceleration="nitro"), ValueError, "acceleration"),
    (dict(start="last"), ValueError, "start"),
    (dict(dual_start=None), TypeError, "dual_start"),
    (dict(threads=-2), ValueError, "threads"),
    (dict(threads=10**6), ValueError, "threads"),
    (dict(methods="admm"), TypeError, "methods"),
])
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        add()[0].build(**options)


@pytest.mark.parametrize("options", [
    dict(dt=0), dict(dt=-1), dict(dt=np.nan), dict(dt=np.inf), dict(gravity=(0, 1)), dict(gravity=(0, np.nan, 0)),
])
def test_bad_worlds(options):
    with pytest.raises(supple.BuildError, match="dt|gravity"):
        supple.Scene(**options)


def test_an_empty_scene():
    with pytest.raises(supple.BuildError, match="no body"):
        supple.Scene().build()


def test_a_scene_can_be_built_again_and_again():
    scene, _, _ = beam()
    a = scene.build(iterations=3)
    b = scene.build()
    assert (a.settings["iterations"], b.settings["iterations"]) == (3, 200) and b.settings["dt"] == DT
