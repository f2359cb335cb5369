"""Obstacles and contact, as users write them."""
import numpy as np
import pytest

import supple


def particle(obstacle, position=(0, 0.005, 0), dt=0.01, **options):
    scene = supple.Scene(dt=dt)
    scene.add_springs([position], np.zeros((0, 2), int), stiffness=1.0, masses=2.0)
    number = scene.add_obstacle(obstacle)
    assert number == 0
    return scene.build(**options)


@pytest.mark.parametrize("method", ["auto", "admm", "newton", "quasi_newton", "projective"])
def test_a_particle_stops_at_the_floor(method):
    sim = particle(supple.HalfSpace((0, 0, 0), (0, 1, 0)), method=method)
    y, v, h = 0.005, 0.0, 0.01
    for _ in range(10):
        free = y + h * v - h * h * 9.8
        v, y = (max(free, 0) - y) / h, max(free, 0)
        report = sim.step()
        assert report.converged and abs(sim.positions[0, 1] - y) < 1e-9
        assert report.max_penetration < 1e-12 and report.contact_residual < 1e-12
    assert report.contacts == 1 and abs(sim.reactions[0, 1] - 2 * 9.8) < 1e-6


def test_a_cube_on_an_incline_slides_or_sticks():
    mesh = supple.box_mesh((0.4, 0.2, 0.4), (2, 1, 2))
    angle = np.arctan(0.5)
    for mu, slides in ((0.49, True), (0.51, False)):
        scene = supple.Scene(dt=0.01, gravity=(9.8 * np.sin(angle), -9.8 * np.cos(angle), 0))
        material = supple.Corotated(young=1e8, poisson=0.3)
        scene.add_solid(mesh.vertices, mesh.tets, material=material, density=1000.0)
        scene.add_obstacle(supple.HalfSpace((0, 0, 0), (0, 1, 0), friction=mu))
        sim = scene.build()
        for _ in range(100):
            assert sim.step().status == "converged"
        speed = np.average(sim.velocities[:, 0], weights=sim.masses)
        if slides:
            assert abs(speed - 0.087644) < 0.05 * 0.087644
        else:
            assert abs(speed) < 1e-4 and np.abs(sim.positions - mesh.vertices).max() < 1e-3


def test_obstacles_move():
    sim = particle(supple.Box((0, -0.1, 0), (2, 0.2, 2), friction=1.0), position=(0, 0, 0))
    for frame in range(1, 11):
        # 8 m/s², less than μg: it sticks.
        sim.move_obstacle(0, translation=(0.0004 * frame**2, 0, 0))
        sim.step()
    assert np.allclose(sim.positions[0], [0.04, 0, 0], atol=1e-9)
    assert sim.obstacles == ["obstacle0"]
    with pytest.raises(ValueError):
        sim.move_obstacle("wall", translation=(0, 0, 0))
    with pytest.raises(ValueError):
        sim.move_obstacle(0, rotation=(np.nan, 0, 0))


def test_shapes_and_their_errors():
    points = [[0, 2, 0], [0, 0, 0]]
    assert np.allclose(supple.Sphere((0, 0, 0), 0.5).distance(points), [1.5, -0.5])
    assert np.allclose(supple.Capsule((-1, 0, 0), (1, 0, 0), 0.5).distance(points), [1.5, -0.5])
    assert np.allclose(supple.Cylinder((-1, 0, 0), (1, 0, 0), 0.5).distance(points), [1.5, -0.5])
    assert np.allclose(supple.Box((0, 0, 0), (1, 1, 1)).distance(points), [1.5, -0.5])
    assert supple.HalfSpace((0, 0, 0), (0, 1, 0)).friction == 0
    for wrong in (
        lambda: supple.Sphere((0, 0, 0), -1),
        lambda: supple.Sphere((0, np.nan, 0), 1),
        lambda: supple.HalfSpace((0, 0, 0), (0, 0, 0)),
        lambda: supple.HalfSpace((0, 0, 0), (0, 1, 0), friction=-1),
        lambda: supple.Box((0, 0, 0), (1, 0, 1)),
        lambda: supple.Capsule((0, 0, 0), (0, 0, 0), 1),
    ):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        supple.Scene().add_obstacle("floor")
    with pytest.raises(ValueError, match="obstacle0"):
        particle(supple.HalfSpace((0, 0, 0), (0, 1, 0)), method="position")


def test_bodies_touch_each_other(tmp_path):
    mesh = supple.box_mesh((0.2, 0.2, 0.2), (2, 2, 2))
    scene = supple.Scene(dt=0.01)
    bodies = []
    for i in range(2):
        bodies.append(
            scene.add_solid(
                mesh.vertices + [0, 0.21 * i, 0], mesh.tets, material=supple.NeoHookean(young=1e6, poisson=0.3),
                density=1000.0, name=f"cube{i}",
            )
        )
    scene.collide(friction=0.2, pairs={("cube0", bodies[1]): 0.5})
    scene.add_obstacle(supple.HalfSpace((0, 0, 0), (0, 1, 0), friction=0.5))
    sim = scene.build()
    for _ in range(60):
        report = sim.step()
        assert report.max_penetration < 1e-6
    low, high = (sim.positions[b.slice] for b in bodies)
    assert high[:, 1].min() > 0.19 and low[:, 1].max() < 0.21
    assert abs(sim.reactions[0, 1] - 9.8 * sim.masses.sum()) < 0.2 * 9.8 * sim.masses.sum()
    sim.save(tmp_path / "state")
    again = supple.Simulation.restore(scene, tmp_path / "state")
    sim.step()
    again.step()
    assert np.array_equal(sim.positions, again.positions)


@pytest.mark.parametrize("contact", ["delassus", "local", "uzawa", "nodal"])
def test_ways_to_contact(contact):
    sim = particle(supple.HalfSpace((0, 0, 0), (0, 1, 0)), method="admm", contact=contact)
    for _ in range(10):
        assert sim.step().converged
    assert abs(sim.positions[0, 1]) < 1e-9 and abs(sim.reactions[0, 1] - 19.6) < 1e-4
    assert sim.settings["contact"] == contact
    if contact != "delassus":
        with pytest.raises(ValueError, match=f"{contact}.*admm"):
            particle(supple.HalfSpace((0, 0, 0), (0, 1, 0)), contact=contact)
    if contact in ("uzawa", "nodal"):
        with pytest.raises(ValueError, match="friction of obstacle `obstacle0`"):
            particle(supple.HalfSpace((0, 0, 0), (0, 1, 0), friction=0.1), method="admm", contact=contact)
