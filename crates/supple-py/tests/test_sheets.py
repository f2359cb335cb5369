"""Sheets, rods, ropes, limits, wind and damping."""
import numpy as np
import pytest

import supple


def grid(n=6, size=1.0):
    x, z = np.meshgrid(np.linspace(0, size, n + 1), np.linspace(0, size, n + 1))
    vertices = np.stack([x.ravel(), np.zeros(x.size), z.ravel()], axis=1)
    a = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    triangles = np.concatenate([np.stack([a, a + n + 2, a + 1], 1), np.stack([a, a + n + 1, a + n + 2], 1)])
    return vertices, triangles


def test_a_limited_sheet_holds():
    vertices, triangles = grid()
    scene = supple.Scene()
    linen = supple.Corotated(young=1e4, poisson=0.3)
    sheet = scene.add_cloth(vertices, triangles, material=linen, density=5e3, limit=(0.9, 1.05), limit_along="threads")
    scene.pin(sheet, vertices[:, 0] == 0)
    sim = scene.build(iterations=2000, tolerance=1e-5)
    for _ in range(10):
        report = sim.step()
        assert report.status == "converged" and 0 <= report.violation < 1e-3
    assert sim.positions[:, 1].min() > -1.06


@pytest.mark.parametrize("kind", ["rod", "rope"])
def test_a_pendulum_keeps_its_length(kind):
    scene = supple.Scene(dt=0.01)
    body = scene.add_springs([[0, 0, 0], [1, 0, 0]], [[0, 1]], masses=1.0, kind=kind)
    scene.pin(body, [0])
    sim = scene.build(tolerance=1e-9, iterations=2000)
    for _ in range(50):
        report = sim.step()
    assert abs(np.linalg.norm(sim.positions[1]) - 1) < 1e-6 and report.violation < 1e-6


def test_a_rod_too_short_says_so():
    scene = supple.Scene()
    body = scene.add_springs([[0, 0, 0], [2, 0, 0]], [[0, 1]], masses=1.0, rest_length=1.0, kind="rod")
    scene.pin(body, [0, 1])
    report = scene.build().step()
    assert report.status != "converged" and np.isclose(report.violation, 1)


def test_wind_carries_a_sheet_and_damping_slows_it():
    vertices, triangles = grid()
    scene = supple.Scene(gravity=(0, 0, 0), dt=0.1)
    scene.set_wind((0, 5, 0))
    scene.add_cloth(vertices, triangles, material=supple.Arap(young=1e4, poisson=0.3))
    sim = scene.build()
    for _ in range(50):
        sim.step()
    assert 4.5 < sim.velocities[:, 1].mean() < 5
    scene = supple.Scene(gravity=(0, 0, 0), dt=0.1)
    body = scene.add_cloth(vertices, triangles, material=supple.Arap(young=1e4, poisson=0.3))
    scene.damp(body, mass=1.0)
    sim = scene.build(tolerance=1e-10)
    sim.set_state(vertices, np.full_like(vertices, 2.0))
    sim.step()
    assert np.allclose(sim.velocities, 2 / 1.1)


def test_a_solid_with_a_limit():
    mesh = supple.box_mesh((1, 1, 1), (2, 2, 2))
    scene = supple.Scene()
    body = scene.add_solid(mesh.vertices, mesh.tets, material=supple.NeoHookean(young=2e4, poisson=0.3), density=1e3)
    scene.pin(body, mesh.vertices[:, 1] == 1)
    scene.limit(body, (0.8, 1.05))
    sim = scene.build(iterations=4000)
    for _ in range(10):
        assert sim.step().violation < 1e-3
    assert sim.positions[:, 1].min() > -0.06


def test_errors_name_the_argument():
    vertices, triangles = grid(2)
    scene = supple.Scene()
    for options, words in [
        (dict(), "material"),
        (dict(limit=(1.1, 1.2)), "limit"),
        (dict(limit=(0.9, 1.1), limit_along="x"), "limit_along"),
        (dict(material=supple.Arap(young=1, poisson=0), thickness=0), "thickness"),
        (dict(material=supple.Linear(young=1, poisson=0)), "linear"),
        (dict(material=supple.Arap(young=1, poisson=0), bending="flat"), "bending_stiffness"),
        (dict(material=supple.Arap(young=1, poisson=0), bending="either_side"), "bending_stiffness"),
        (dict(material=supple.Arap(young=1, poisson=0), bending="twice"), "either_side"),
    ]:
        with pytest.raises(ValueError, match=words):
            scene.add_cloth(vertices, triangles, **options)
    with pytest.raises(TypeError, match="stiffness"):
        scene.add_springs(vertices, [[0, 1]], masses=1.0)
    with pytest.raises(ValueError, match="velocity"):
        scene.set_wind((0, np.nan, 0))
