"""Scenes, materials, obstacles and settings pickle; simulations do as scene and state."""
import pickle

import numpy as np
import pytest
from conftest import KINDS, beam

import supple


class Law:
    """½ k Σ(σ − 1)², written in Python."""

    domain = "signed"

    def density(self, s):
        return 0.5e4 * ((s - 1) ** 2).sum(axis=1)

    def gradient(self, s):
        return 1e4 * (s - 1)

    def hessian(self, s):
        return np.tile(1e4 * np.eye(3), (len(s), 1, 1))


def again(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("kind", KINDS)
def test_materials(kind):
    material = getattr(supple, kind)(young=1e5, poisson=0.4)
    F = np.eye(3) + 0.1 * np.random.default_rng(0).normal(size=(4, 3, 3))
    assert np.array_equal(again(material).stress(F), material.stress(F))


def test_presets_and_materials_in_python():
    preset = supple.Material.preset(next(iter(supple.presets())))[0]
    law = supple.PythonMaterial(Law())
    F = np.eye(3) + 0.05
    for material in (preset, law):
        assert np.array_equal(again(material).stress(F), material.stress(F))


def test_obstacles():
    mesh = supple.box_mesh((1, 1, 1), (1, 1, 1))
    points = np.random.default_rng(0).normal(size=(20, 3))
    for obstacle in [
        supple.HalfSpace((0, 0.1, 0), (0, 1, 0), friction=0.3), supple.Sphere((0, 0, 0), 1.0, thickness=0.1),
        supple.Box((0, 0, 0), (1, 2, 3)), supple.ClosedMesh(mesh.vertices, supple.surface(mesh.tets)),
    ]:
        assert np.array_equal(again(obstacle).distance(points), obstacle.distance(points))
        assert again(obstacle).friction == obstacle.friction


def everything():
    mesh = supple.box_mesh((0.4, 0.2, 0.2), (2, 1, 1))
    scene = supple.Scene(dt=0.02, gravity=(0, -3, 0), integrator="bdf2")
    materials = [supple.NeoHookean(young=1e5 + k, poisson=0.3) for k in range(len(mesh.tets))]
    block = scene.add_solid(mesh.vertices + [0, 1, 0], mesh.tets, material=materials, density=1000.0, name="block")
    scene.damp(block, stiffness=0.001)
    x = np.array([[0.0, 1, 0.5], [0.3, 1, 0.5], [0.6, 1, 0.5]])
    net = scene.add_springs(x, [[0, 1], [1, 2]], stiffness=100.0, masses=0.1)
    x[:] = 0  # the scene has its own
    scene.pin(net, [0])
    scene.anchor(block, [3], stiffness=50.0)
    sheet = supple.cloth_mesh((0.5, 0.5), (2, 2))
    cloth = scene.add_cloth(sheet.vertices + [2, 1, 0], sheet.triangles, material=supple.StVenantKirchhoff(young=1e5, poisson=0.3), bending="flat",
                            bending_stiffness=1e-3)
    scene.pin(cloth, [0, 2])
    scene.stitch(net, block, pairs=[[2, 0]])
    scene.add_obstacle(supple.HalfSpace((0, 0.9, 0), (0, 1, 0), friction=0.3), name="floor")
    scene.set_wind((1, 0, 0))
    return scene


def test_a_scene_with_everything():
    scene = everything()
    other = again(again(scene))
    assert [b.name for b in other.bodies] == [b.name for b in scene.bodies] and other.dt == 0.02
    sims = [s.build(threads=1) for s in (scene, other)]
    for s in sims:
        s.step(5)
    assert np.array_equal(sims[0].positions, sims[1].positions)
    # It goes on being a scene.
    other.pin("block", [0])
    assert again(other).build().pinned.sum() == scene.build().pinned.sum() + 1


def test_what_was_refused_is_not_remembered():
    scene, body, _ = beam()
    with pytest.raises(ValueError):
        scene.pin(body, [10**6])
    assert again(scene).build().node_count == scene.build().node_count


def test_a_simulation_is_scene_and_state(tmp_path):
    sim = everything().build(threads=1, tolerance=1e-8)
    sim.step(3)
    other = again(sim)
    assert other.settings == sim.settings and other.frame == 3
    for s in (sim, other):
        s.step(3)
    assert np.array_equal(other.positions, sim.positions) and np.array_equal(other.velocities, sim.velocities)
    # Also one that was restored, and one whose scene went on without it.
    scene, body, _ = beam()
    first = scene.build()
    first.step()
    scene.pin(body, [5])
    assert np.array_equal(again(first).positions, first.positions)
    first.save(tmp_path / "state")
    restored = supple.Simulation.restore(beam()[0], tmp_path / "state")
    assert np.array_equal(again(restored).positions, first.positions)


def test_scene_files_are_read_again_and_must_be_the_same(tmp_path):
    path = tmp_path / "scene.toml"
    text = """
version = 1
[[body]]
name = "bar"
shape = { kind = "box", size = [1.0, 0.2, 0.2], cells = [3, 1, 1] }
material = { kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
"""
    path.write_text(text)
    scene = supple.load(path, overrides={"body.bar.material.young": 2e5})
    sim = scene.build()
    sim.step(2)
    stored = pickle.dumps(sim)
    assert np.array_equal(pickle.loads(stored).positions, sim.positions)
    path.write_text(text + "# changed\n")
    with pytest.raises(ValueError, match="has changed"):
        pickle.loads(stored)


def test_it_goes_to_another_process():
    import concurrent.futures
    import multiprocessing

    scene, _, _ = beam()
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        there = pool.submit(run, scene).result()
    assert np.array_equal(there, run(scene))


def run(scene):
    sim = scene.build(threads=1)
    sim.step(2)
    return sim.positions
