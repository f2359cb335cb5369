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


def sphere_values(origin, spacing, shape, center=(0, 0, 0), radius=0.3):
    points = [o + h * np.arange(n) for o, h, n in zip(origin, spacing, shape)]
    x, y, z = np.meshgrid(*points, indexing="ij")
    return np.sqrt((x - center[0]) ** 2 + (y - center[1]) ** 2 + (z - center[2]) ** 2) - radius


def test_a_distance_grid_is_the_sphere_that_it_samples():
    center, origin, spacing, shape = (0.02, -0.01, 0.03), (-0.5, -0.4, -0.45), (0.05, 0.04, 0.06), (21, 22, 16)
    values = sphere_values(origin, spacing, shape, center)
    grid = supple.DistanceGrid(origin, spacing, values, 0.4, thickness=0.01)
    ball = supple.Sphere(center, 0.3, 0.4, thickness=0.01)
    assert isinstance(grid, supple.Obstacle) and grid.friction == 0.4 and grid.thickness == 0.01
    assert "DistanceGrid" in repr(grid) and len(repr(grid)) < 300
    rng = np.random.default_rng(4)
    way = rng.normal(size=(500, 3))
    points = center + way / np.linalg.norm(way, axis=1)[:, None] * rng.uniform(0.25, 0.38, (500, 1))
    assert np.abs(grid.distance(points) - ball.distance(points)).max() < 4e-4
    # Outside of the grid it is no more than the distance, and not less than 0.7 of it.
    far = center + 3 * way / np.linalg.norm(way, axis=1)[:, None]
    assert (grid.distance(far) <= ball.distance(far) + 4e-4).all()
    assert (grid.distance(far) >= 0.7 * ball.distance(far)).all()
    # Any order and type of numbers that NumPy knows; a number for all three spacings.
    for other in (np.asfortranarray(values), values.astype(np.float32)):
        assert np.allclose(supple.DistanceGrid(origin, spacing, other).distance(points), grid.distance(points), atol=1e-6)
    even = supple.DistanceGrid((-0.5, -0.5, -0.5), 0.05, sphere_values((-0.5,) * 3, (0.05,) * 3, (21, 21, 21)))
    assert abs(even.distance([[0.3, 0, 0]])[0]) < 1e-4

    def fall(obstacle):
        mesh = supple.box_mesh((0.2, 0.2, 0.2), (2, 2, 2))
        scene = supple.Scene(dt=0.01)
        material = supple.NeoHookean(young=1e5, poisson=0.35)
        scene.add_solid(mesh.vertices + [-0.05, 0.33, -0.05], mesh.tets, material=material, density=1000.0)
        scene.add_obstacle(obstacle, name="ball")
        sim = scene.build()
        for frame in range(40):
            sim.move_obstacle("ball", translation=(0.001 * frame, 0, 0), rotation=(0, 0, -0.01 * frame), center=center)
            report = sim.step()
            assert report.max_penetration < 1e-6
        assert report.contacts > 0
        return sim.positions

    assert np.abs(fall(grid) - fall(ball)).max() < 2e-3


def test_distance_grids_that_are_none():
    values = sphere_values((-0.5,) * 3, (0.1,) * 3, (11, 11, 11))
    make = supple.DistanceGrid
    spoilt = values.copy()
    spoilt[2, 3, 4] = np.nan
    for wrong, word in (
        (lambda: make((0, 0, 0), 0.1, spoilt), r"\[2, 3, 4\]"),
        (lambda: make((0, 0, 0), 0.1, values[0]), "values must have shape"),
        (lambda: make((0, 0, 0), 0.1, values[:1]), "at least 2 points"),
        (lambda: make((0, 0, 0), 0.1, values + 5), "all positive"),
        (lambda: make((0, 0, 0), 0.1, 0.1 * values), "per metre"),
        (lambda: make((0, 0, 0), 0.01, values), "not distances"),
        (lambda: make((0, 0, 0), 0, values), "spacing"),
        (lambda: make((0, 0, 0), (0.1, 0.1), values), "spacing"),
        (lambda: make((0, 0), 0.1, values), "origin"),
        (lambda: make((0, 0, 0), 0.1, values, -1), "friction"),
    ):
        with pytest.raises(ValueError, match=word):
            wrong()
    with pytest.raises(TypeError):
        make((0, 0, 0), 0.1, values.astype(complex))


def test_a_closed_mesh_is_the_box_that_it_encloses():
    mesh = supple.box_mesh((0.4, 0.2, 0.4), (2, 1, 2))
    vertices, triangles = mesh.vertices, supple.surface(mesh.tets)
    made = supple.ClosedMesh(vertices, triangles, 0.5, thickness=0.02)
    box = supple.Box((0.2, 0.1, 0.2), (0.4, 0.2, 0.4))
    points = np.random.default_rng(1).uniform(-0.3, 0.7, (300, 3))
    assert np.abs(made.distance(points) - box.distance(points)).max() < 1e-12
    assert made.friction == 0.5 and made.thickness == 0.02 and len(repr(made)) < 100
    sim = particle(supple.ClosedMesh(vertices, triangles), position=(0.13, 0.21, 0.17))
    for _ in range(20):
        assert sim.step().converged
    assert abs(sim.positions[0, 1] - 0.2) < 1e-9 and abs(sim.reactions[0, 1] - 19.6) < 1e-6
    # Corners of their own for each triangle, as in many files.
    loose = supple.ClosedMesh(vertices[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3))
    assert np.allclose(loose.distance(points), box.distance(points))
    turned = triangles.copy()
    turned[3] = turned[3][::-1]
    for wrong, word in (
        (lambda: supple.ClosedMesh(vertices, triangles[1:]), "not closed: 3 edges"),
        (lambda: supple.ClosedMesh(vertices, turned), "not oriented alike: 3 edges"),
        (lambda: supple.ClosedMesh(vertices, triangles[:, ::-1]), "inside out"),
        (lambda: supple.ClosedMesh(vertices, np.concatenate([triangles, triangles[:1]])), "more than two triangles"),
        (lambda: supple.ClosedMesh(vertices, [[0, 1, 999]]), "999"),
        (lambda: supple.ClosedMesh(vertices, triangles, friction=-1), "friction"),
        (lambda: supple.ClosedMesh(np.full((3, 3), np.nan), [[0, 1, 2]]), "vertex 0"),
    ):
        with pytest.raises(ValueError, match=word):
            wrong()


def test_friction_of_a_pair():
    angle = np.arctan(0.5)
    scene = supple.Scene(dt=0.01, gravity=(9.8 * np.sin(angle), -9.8 * np.cos(angle), 0))
    material = supple.NeoHookean(young=1e7, poisson=0.3)
    slab, block = supple.box_mesh((3, 0.1, 1), (6, 1, 2)), supple.box_mesh((0.2, 0.1, 0.2), (2, 1, 2))
    low = scene.add_solid(slab.vertices - [0.5, 0.1, 0], slab.tets, material=material, density=1000.0, name="slab")
    scene.pin(low, np.arange(len(slab.vertices)))
    bodies = [
        scene.add_solid(block.vertices + [0, 0, z], block.tets, material=material, density=1000.0, name=name)
        for name, z in (("slides", 0.1), ("stays", 0.6))
    ]
    scene.collide(friction=0.9, pairs={("slides", low): 0.4, ("slab", bodies[1]): 0.51})
    sim = scene.build(tolerance=1e-6)
    for _ in range(40):
        assert sim.step().max_penetration == 0
    slides, stays = (sim.velocities[b.slice][:, 0].mean() for b in bodies)
    want = 0.4 * 9.8 * (np.sin(angle) - 0.4 * np.cos(angle))
    assert abs(slides - want) < 0.05 * want and abs(stays) < 1e-3


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
