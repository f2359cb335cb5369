"""What one measures with, called as a stranger would from the documentation alone."""
import inspect

import numpy as np
import pytest

import supple

RUBBER = supple.NeoHookean(young=1e5, poisson=0.3)


def box(cells=(4, 2, 2), size=(0.4, 0.2, 0.2), order=1, pins=None, **options):
    mesh = supple.box_mesh(size, cells)
    scene = supple.Scene(**options)
    body = scene.add_solid(mesh.vertices, mesh.tets, material=RUBBER, density=1000.0, order=order)
    if pins:
        pins(scene, body, mesh.vertices)
    return mesh, scene, body


def test_bdf2_of_order_two_with_pins_by_mask():
    mesh, scene, body = box(
        order=2, dt=0.01, integrator="bdf2", pins=lambda s, b, x: s.pin(b, x[:, 0] == 0)
    )
    sim = scene.build()
    n = len(mesh.vertices)
    assert np.array_equal(sim.positions[:n], mesh.vertices) and len(sim.positions) > n
    assert np.array_equal(sim.pinned, sim.positions[:, 0] == 0)
    assert sim.step(5).status == "converged" and sim.settings["integrator"] == "bdf2"


@pytest.mark.parametrize("by_mask", [True, False])
def test_an_edge_with_both_ends_pinned_pins_its_mid_node(by_mask):
    mesh, scene, body = box(order=2, gravity=(0, -9.8, 3.0))
    x = mesh.vertices
    at = lambda c: x[:, c] == 0 if by_mask else np.flatnonzero(x[:, c] == 0)  # noqa: E731
    scene.pin(body, at(0), axes="x")
    scene.pin(body, at(1), axes="y")
    scene.pin(body, at(2), axes=("z",))
    sim = scene.build()
    rest = sim.positions
    # Nodes in the middle of edges that lie in a plane are held as its corners are: each coordinate by itself.
    assert np.array_equal(sim.held, rest == 0)
    assert sim.held[len(x) :].any()
    assert sim.step(3).converged
    assert np.array_equal(sim.positions[rest == 0], rest[rest == 0])
    assert np.abs(sim.positions - rest).max() > 1e-4
    # They move with their ends.
    face = np.flatnonzero(x[:, 0] == 0)
    sim.move_pins(body, face, x[face] + [0.01, 0, 0])
    sim.step()
    assert np.allclose(sim.positions[rest[:, 0] == 0, 0], 0.01, atol=1e-15)


@pytest.mark.parametrize("method", ["auto", "newton", "quasi_newton", "admm"])
def test_pins_along_axes_with_every_method(method):
    def planes(s, b, x):
        for c, axis in enumerate("xyz"):
            s.pin(b, x[:, c] == 0, axes=axis)

    _, scene, _ = box(dt=0.02, pins=planes)
    sim = scene.build(method=method, iterations=3000, tolerance=1e-9)
    reference = scene.build(method="newton", tolerance=1e-11)
    assert sim.step(5).converged
    reference.step(5)
    assert np.abs(sim.positions - reference.positions).max() < 1e-7
    assert sim.pin_forces.shape == sim.positions.shape
    assert not sim.pin_forces[~sim.held].any() and sim.pin_forces[sim.held].any()


def test_equilibrium_on_planes_of_symmetry_bears_the_weight():
    def planes(s, b, x):
        for c, axis in enumerate("xyz"):
            s.pin(b, x[:, c] == 0, axes=axis)

    _, scene, _ = box(pins=planes)
    sim = scene.build()
    report = sim.equilibrium()
    assert report.status == "converged" and report.force_residual <= 1e-9
    weight = 9.8 * 0.4 * 0.2 * 0.2 * 1000
    assert np.allclose(sim.pin_forces.sum(axis=0), [0, weight, 0], atol=1e-6 * weight)


def test_contacts_and_rewinding():
    _, scene, _ = box(dt=0.02)
    scene.add_obstacle(supple.HalfSpace((0, 0, 0), (0, 1, 0), friction=0.5))
    sim = scene.build()
    assert sim.equilibrium().status == "converged"
    contacts = sim.contacts()
    for name, shape in {"point": (3,), "normal": (3,), "force": (3,), "bodies": (2,)}.items():
        assert isinstance(contacts[name], np.ndarray) and contacts[name].shape[1:] == shape
    assert len({len(a) for a in contacts.values()}) == 1 and len(contacts["point"]) > 0
    assert np.isclose(contacts["force"][:, 1].sum(), 9.8 * 16, rtol=1e-5)
    snapshot = sim.snapshot()
    sim.step(4)
    x, v = sim.positions, sim.velocities
    sim.rewind(snapshot)
    assert np.array_equal(sim.contacts()["force"], contacts["force"])
    sim.step(4)
    assert np.array_equal(sim.positions, x) and np.array_equal(sim.velocities, v)


def test_the_hessian_is_that_of_the_state_and_projected_by_choice():
    pytest.importorskip("scipy")
    mesh, scene, _ = box(cells=(2, 1, 1), gravity=(0, 0, 0))
    sim = scene.build()
    pressed = mesh.vertices * [0.6, 1, 1] + mesh.vertices[:, [0]] ** 2 * [0, 0.5, 0]
    sim.set_state(pressed)
    h, projected = sim.hessian().toarray(), sim.hessian(projected=True).toarray()
    assert np.abs(h - h.T).max() < 1e-9 * np.abs(h).max()
    assert np.linalg.eigvalsh(h)[0] < -1e-6 * np.abs(h).max() < -1e-9 * np.abs(h).max() < np.linalg.eigvalsh(projected)[0]
    e, u = 1e-6, np.sin(np.arange(pressed.size)).reshape(pressed.shape)
    sim.set_state(pressed + e * u)
    plus = sim.gradient()
    sim.set_state(pressed - e * u)
    wanted = (plus - sim.gradient()) / (2 * e)
    assert np.abs(h @ u.ravel() - wanted.ravel()).max() < 1e-7 * np.abs(wanted).max()


def test_a_bar_under_load_sounds_higher_or_lower_until_it_buckles():
    """Between rollers a bar's lowest frequency is f0 sqrt(1 + N/N_cr) (Euler and Bernoulli): tension raises it, pressure lowers it, and beyond
    Euler's load it is no frequency but a rate, which is negative here."""
    pytest.importorskip("scipy")
    length, width = 1.0, 0.05
    mesh = supple.box_mesh((length, width, width), (20, 2, 2))
    x = mesh.vertices
    euler = np.pi**2 * width**2 / 12 / length**2  # strain at which it buckles
    found = []
    for share in (0.0, 0.5, -0.5, -1.5):
        scene = supple.Scene(gravity=(0, 0, 0))
        material = supple.StVenantKirchhoff(young=1e6, poisson=0.0)
        body = scene.add_solid(x, mesh.tets, material=material, density=1000.0, order=2)
        middle = np.isclose(x[:, 1], width / 2)
        axis = middle & np.isclose(x[:, 2], width / 2)
        ends = np.isclose(x[:, 0], 0) | np.isclose(x[:, 0], length)
        scene.pin(body, ends & axis, axes="yz")
        scene.pin(body, middle & (x[:, 0] == 0), axes="y")  # it does not spin
        scene.pin(body, axis & np.isclose(x[:, 0], length / 2), axes="x")
        sim = scene.build()
        p = sim.positions.copy()
        p[:, 0] = length / 2 + (p[:, 0] - length / 2) * (1 + share * euler)
        sim.set_state(p)
        found.append(sim.modes(1)[0][0])
    still = np.pi / 2 * np.sqrt(1e6 / 1000) * width / np.sqrt(12) / length**2
    assert found[0] == pytest.approx(still, rel=0.01)
    for share, f in zip((0.5, -0.5, -1.5), found[1:], strict=True):
        assert np.sign(f) == np.sign(1 + share)
        assert np.sign(f) * f * f / found[0] ** 2 == pytest.approx(1 + share, abs=0.03)


def test_small_things_work_as_documented():
    _, scene, _ = box(pins=lambda s, b, x: s.pin(b, x[:, 0] == 0))
    sim = scene.build()
    rest = sim.positions
    with pytest.raises(ValueError, match="read-only"):
        sim.positions[0] = 0
    assert sim.step(3).frame == 3
    sim.reset()
    assert sim.frame == 0 and np.array_equal(sim.positions, rest)
    with pytest.raises(ValueError):
        sim.step(0)
    cloth = supple.cloth_mesh((1.0, 2.0), (3, 4))
    assert cloth.vertices.shape == (20, 3) and cloth.triangles.shape == (24, 3)
    assert "rubber" in supple.presets()
    for function, word in [(supple.Scene, "dt=0.04"), (sim.modes, "k=6"), (sim.step, "n=1"), (scene.add_solid, "order=1")]:
        assert word in str(inspect.signature(function)), inspect.signature(function)


def test_help_shows_the_defaults_that_hold():
    _, scene, _ = box()
    settings = scene.build().settings
    shown = {n: p.default for n, p in inspect.signature(supple.Scene.build).parameters.items() if n != "self"}
    assert shown == {n: settings[n] for n in shown} and len(shown) == 18
    # Nothing hides its default behind dots but what leaves a setting as it is.
    for kind in (supple.Scene, supple.Simulation):
        for name, function in vars(kind).items():
            if not name.startswith("_") and callable(function) and name != "update":
                parameters = inspect.signature(function).parameters.values()
                assert all(p.default is not ... for p in parameters), name


@pytest.mark.parametrize("call", ["step(-1)", "step(0)", "modes(-1)", "modes(0)", "equilibrium(load_steps=-1)", "equilibrium(load_steps=0)"])
def test_counts_are_positive(call):
    pytest.importorskip("scipy")
    _, scene, _ = box(pins=lambda s, b, x: s.pin(b, x[:, 0] == 0))
    sim = scene.build()
    with pytest.raises(ValueError):
        eval(f"sim.{call}")
    assert sim.frame == 0


def test_averaging_for_thin_bodies():
    x = supple.box_mesh((1, 0.1, 0.1), (10, 1, 1))
    tips = {}
    for average in (False, True, "thin"):
        scene = supple.Scene()
        body = scene.add_solid(x.vertices, x.tets, material=supple.NeoHookean(young=1e6, poisson=0.49), density=10.0, average=average)
        scene.pin(body, x.vertices[:, 0] == 0)
        if average == "thin":
            sim = scene.build()
        else:
            with pytest.warns(UserWarning, match="bend too"):
                sim = scene.build()
        assert sim.equilibrium().converged
        tips[average] = -sim.positions[x.vertices[:, 0] == 1, 1].mean() + 0.05
    assert tips[False] < tips["thin"] < tips[True]
    for wrong in ("thick", 1.5):
        with pytest.raises(ValueError, match="average"):
            scene.add_solid(x.vertices, x.tets, material=RUBBER, density=10.0, average=wrong)


@pytest.mark.parametrize("method", ["newton", "auto", "quasi_newton", "admm"])
@pytest.mark.parametrize("order", [1, 2])
def test_planes_of_symmetry_on_a_floor(method, order):
    mesh = supple.box_mesh((0.2, 0.2, 0.2), (2, 2, 2))
    x = mesh.vertices
    scene = supple.Scene(dt=0.01)
    body = scene.add_solid(x + [0, 0.001, 0], mesh.tets, material=RUBBER, density=1000.0, order=order)
    for c, axis in ((0, "x"), (2, "z")):
        scene.pin(body, x[:, c] == 0, axes=axis)
    scene.add_obstacle(supple.HalfSpace((0, 0, 0), (0, 1, 0), friction=0.3))
    sim = scene.build(method=method, iterations=5000)
    reference = scene.build(method="newton", tolerance=1e-10)
    for _ in range(20):
        assert sim.step().converged and reference.step().converged
    assert np.abs(sim.positions - reference.positions).max() < 1e-5 * 0.35
    assert sim.contacts()["force"][:, 1].sum() > 0
    assert np.array_equal(sim.positions[sim.held], (sim.positions * 0)[sim.held])


@pytest.mark.parametrize("suffix", ["msh", "vtk", "vtu"])
def test_files_of_second_order(tmp_path, suffix):
    meshio = pytest.importorskip("meshio")
    mesh = supple.box_mesh((0.4, 0.2, 0.2), (3, 2, 2))
    ends = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]
    points, on, tets = [*map(tuple, mesh.vertices)], {}, []
    for t in mesh.tets:
        row = [*t]
        for i, j in ends:
            edge = tuple(sorted((t[i], t[j])))
            if edge not in on:
                on[edge] = len(points)
                points.append(tuple((mesh.vertices[t[i]] + mesh.vertices[t[j]]) / 2))
            row.append(on[edge])
        tets.append(row)
    whole = meshio.Mesh(np.array(points), [("tetra10", np.array(tets))])
    meshio.write(tmp_path / f"body.{suffix}", whole, file_format={"msh": "gmsh"}.get(suffix))
    (tmp_path / "scene.toml").write_text(
        f'version = 1\n[[body]]\nname = "b"\nmesh = "body.{suffix}"\norder = 2\n'
        'material = { kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000 }\n'
        '[[pin]]\nbody = "b"\nselect = { box = { min = [-0.1, -1.0, -1.0], max = [0.001, 1.0, 1.0] } }\n'
    )
    sim = supple.load(tmp_path / "scene.toml").build()
    assert sim.node_count == len(points)
    scene = supple.Scene()
    body = scene.add_solid(mesh.vertices, mesh.tets, material=RUBBER, density=1000.0, order=2)
    scene.pin(body, mesh.vertices[:, 0] == 0)
    reference = scene.build()
    assert sim.equilibrium().converged and reference.equilibrium().converged
    order = [np.lexsort(np.round(s.positions, 5).T) for s in (sim, reference)]
    assert np.allclose(sim.positions[order[0]], reference.positions[order[1]], atol=1e-6)
