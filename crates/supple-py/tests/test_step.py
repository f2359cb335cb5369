"""Steps against an implementation of their own, and laws that hold."""
import numpy as np
import pytest
from conftest import DT, GRAVITY, PUBLISHED, Reference, beam, rubber

import supple


@pytest.mark.parametrize("method", ["admm", "quasi_newton", "newton", "auto"])
def test_steps_are_those_of_dense_backward_euler(method):
    scene, _, mesh = beam()
    sim = scene.build(method=method, iterations=20000, tolerance=1e-12)
    ref = Reference(mesh.vertices, mesh.tets, pinned=mesh.vertices[:, 0] == 0)
    assert np.allclose(sim.masses, ref.mass, rtol=1e-12)
    rng = np.random.default_rng(3)
    x = mesh.vertices + 0.01 * rng.standard_normal(mesh.vertices.shape) * ~sim.pinned[:, None]
    v = 0.5 * rng.standard_normal(x.shape) * ~sim.pinned[:, None]
    sim.set_state(x, v)
    for _ in range(3):
        sim.step()
        x, v = ref.step(x, v)
        assert np.abs(sim.positions - x).max() < 1e-8
        assert np.abs(sim.velocities - v).max() < 1e-6


@pytest.mark.parametrize("method", ["admm", "quasi_newton", "newton", "auto"])
def test_free_fall(method):
    scene, _, mesh = beam(pinned=False)
    sim = scene.build(method=method)
    for n in range(1, 6):
        sim.step()
        assert np.abs(sim.positions - mesh.vertices - GRAVITY * DT**2 * n * (n + 1) / 2).max() < 1e-12


def test_projective_takes_arap():
    scene, _, _ = beam(material=supple.Arap(young=1e5, poisson=0.4))
    assert scene.build(method="projective", iterations=2000).step().converged
    with pytest.raises(supple.BuildError, match="projective"):
        beam()[0].build(method="projective")


def test_several_bodies_springs_anchors_and_forces():
    mesh = supple.box_mesh((0.4, 0.2, 0.2), (2, 1, 1))
    scene = supple.Scene(dt=0.01, gravity=(0, 0, 0))
    a = scene.add_solid(mesh.vertices, mesh.tets, material=rubber(), density=1000.0, name="a")
    rope = np.array([[0.0, 1, 0], [0.5, 1, 0], [1, 1, 0]])
    b = scene.add_springs(rope, [[0, 1], [1, 2]], stiffness=[100, 200], masses=0.1)
    c = scene.add_solid(mesh.vertices + [0, 2, 0], mesh.tets, material=rubber(), masses=np.full(len(mesh.vertices), 0.5))
    scene.pin(b, [0])
    scene.anchor(c, [0, 1], stiffness=50.0)
    assert [x.name for x in scene.bodies] == ["a", "body1", "body2"]
    sim = scene.build()
    n = len(mesh.vertices)
    assert [(x.first_node, x.node_count) for x in sim.bodies] == [(0, n), (n, 3), (n + 3, n)]
    assert sim.bodies[1] == b and sim.body_slice("body1") == b.slice == slice(n, n + 3, 1) == sim.body_slice(1)
    assert sim.node_count == 2 * n + 3 and sim.element_count == 2 * len(mesh.tets) + 2 + 2
    assert sim.pinned.sum() == 1 and np.allclose(sim.masses[c.slice], 0.5) and len(sim.weights) == 2 * len(mesh.tets)
    forces = np.zeros((sim.node_count, 3))
    forces[a.slice, 0] = sim.masses[a.slice]
    sim.set_forces(forces)
    sim.move_anchors(c, [0, 1], mesh.vertices[:2] + [0, 2.5, 0])
    sim.step()
    x = sim.positions
    assert np.allclose(x[a.slice] - mesh.vertices, [1e-4, 0, 0], atol=1e-12)
    assert np.allclose(x[b.slice], rope, atol=1e-14)
    assert x[c.slice][:, 1].mean() > mesh.vertices[:, 1].mean() + 2
    sim.set_forces(0 * forces)
    assert sim.element_fields().shape == (2 * len(mesh.tets), 2)


def test_a_material_for_each_element_is_that_material():
    stiff = supple.NeoHookean(young=1e7, poisson=0.3)
    mesh = supple.box_mesh((1, 0.2, 0.2), (4, 1, 1))
    left = mesh.vertices[mesh.tets].mean(1)[:, 0] < 0.5
    tips = []
    for materials in (rubber(), [stiff if l else rubber() for l in left], stiff):
        scene = supple.Scene()
        body = scene.add_solid(mesh.vertices, mesh.tets, material=materials, density=np.where(left, 1000.0, 500.0))
        scene.pin(body, mesh.vertices[:, 0] == 0)
        sim = scene.build()
        for _ in range(5):
            sim.step()
        tips.append(sim.positions[:, 1].min())
    assert tips[0] < tips[1] < tips[2]


def test_pins_and_state():
    scene, body, mesh = beam()
    sim = scene.build()
    ids = np.flatnonzero(sim.pinned)
    moved = mesh.vertices + [0, 1, 0]
    sim.set_state(moved)
    assert np.array_equal(sim.positions, moved) and not sim.velocities.any()
    sim.step()
    assert np.array_equal(sim.positions[ids], moved[ids])
    sim.move_pins(body, ids[:2], mesh.vertices[ids[:2]] + [0, 1.02, 0])
    sim.step()
    assert np.array_equal(sim.positions[ids[:2]], mesh.vertices[ids[:2]] + [0, 1.02, 0])
    assert np.array_equal(sim.positions[ids[2:]], moved[ids[2:]])


def test_threads_change_nothing():
    states = []
    for threads in (1, 2, 3):
        sim = beam((12, 4, 4))[0].build(threads=threads, iterations=10)
        assert sim.threads == threads
        for _ in range(3):
            sim.step()
        states.append((sim.positions.tobytes(), sim.velocities.tobytes()))
    assert states[0] == states[1] == states[2]


def test_arrays_that_came_out_belong_to_the_caller():
    sim = beam()[0].build(**PUBLISHED)
    x = sim.positions
    before = x.copy()
    sim.step()
    assert np.array_equal(x, before)
    # Writing would change nothing but the array: refused, but for a copy.
    with pytest.raises(ValueError, match="read-only"):
        sim.positions[:] = np.nan
    y = sim.positions.copy()
    y[:] = np.nan
    assert np.isfinite(sim.positions).all()
    del sim
    assert np.array_equal(x, before) and x.flags.owndata is not None and x.flags.c_contiguous


def test_a_time_budget_is_kept():
    sim = beam((20, 6, 6))[0].build(method="admm", tolerance=0, iterations=10**9, time_budget=0.05)
    report = sim.step()
    assert report.status == "time_limit" and report.timings["total"] < 1
