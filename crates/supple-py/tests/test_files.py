"""Saved simulations, scene files, meshes."""
import os
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from conftest import METHODS, beam

import supple

SCENES = pathlib.Path(__file__).resolve().parents[3] / "scenes"


@pytest.mark.parametrize("method", METHODS)
def test_another_process_goes_on_to_the_bit(method, tmp_path):
    scene, body, mesh = beam()
    sim = scene.build(method=method, iterations=15, tolerance=1e-7, weight_rule="auto", threads=2)
    for _ in range(4):
        sim.step()
    sim.save(tmp_path / "state")
    script = textwrap.dedent(f"""
        import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        import supple; from conftest import beam
        sim = supple.Simulation.restore(beam()[0], {str(tmp_path / "state")!r})
        assert sim.frame == 4 and sim.settings["method"] == {method!r} and sim.settings["iterations"] == 15
        for _ in range(5): sim.step()
        sys.stdout.buffer.write(sim.positions.tobytes() + sim.velocities.tobytes())
    """)
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout
    for _ in range(5):
        sim.step()
    assert other == sim.positions.tobytes() + sim.velocities.tobytes()


def test_damaged_files_are_refused(tmp_path):
    scene, _, _ = beam()
    sim = scene.build()
    sim.step()
    path = tmp_path / "state"
    sim.save(path)
    assert os.listdir(tmp_path) == ["state"]
    good = path.read_bytes()
    bad = [good[:n] for n in (0, 4, 10, 25, len(good) // 2, len(good) - 1)] + [good + b"x", b"nonsense" * 9]
    for at in list(range(0, 700, 13)) + [len(good) - 5]:
        bad.append(good[:at] + bytes([good[at] ^ 4]) + good[at + 1:])
    for bytes_ in bad:
        path.write_bytes(bytes_)
        with pytest.raises(ValueError, match="state"):
            supple.Simulation.restore(scene, path)
    path.write_bytes(good)
    assert supple.Simulation.restore(scene, path).frame == 1
    other, _, _ = beam((4, 1, 1))
    with pytest.raises(ValueError, match="another scene"):
        supple.Simulation.restore(other, path)
    with pytest.raises(FileNotFoundError):
        supple.Simulation.restore(scene, tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        sim.save(tmp_path / "no folder" / "state")
    with pytest.raises(ValueError, match="not a regular file"):
        supple.Simulation.restore(scene, tmp_path)


def test_a_scene_file_runs(tmp_path):
    name = sorted(SCENES.glob("*.toml"))[0]
    scene = supple.load(name)
    assert scene.frames > 0 and str(name) in repr(scene)
    positions, stats = supple.run(scene, 2, progress=False, iterations=5)
    sim = scene.build(iterations=5)
    assert positions.shape == (2, sim.node_count, 3) and [b.name for b in sim.bodies]
    for _ in range(2 * sim.substeps):
        sim.step()
    assert np.array_equal(positions[-1], sim.positions)
    assert set(stats) >= {"status", "iterations", "force_residual", "elastic", "seconds"}
    assert all(len(a) == 2 for a in stats.values()) and stats["time"][-1] == sim.time
    with pytest.raises(supple.BuildError, match="complete"):
        scene.pin(0, [0])
    changed = supple.load(name, overrides={"solve.iterations": 7, "solve.method": "admm"}).build()
    assert changed.settings["iterations"] == 7 and changed.settings["method"] == "admm"
    sim.save(tmp_path / "s")
    assert np.array_equal(supple.Simulation.restore(supple.load(name), tmp_path / "s").positions, sim.positions)


def test_bad_scene_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        supple.load(tmp_path / "none.toml")
    path = tmp_path / "bad.toml"
    path.write_text("[time]\ndtt = 0.1\n")
    with pytest.raises(supple.BuildError, match="dtt"):
        supple.load(path)
    with pytest.raises(supple.BuildError, match="solve.iterationz"):
        supple.load(sorted(SCENES.glob("*.toml"))[0], overrides={"solve.iterationz": 7})


def test_scenes_read_nothing_from_outside_of_their_folder(tmp_path):
    """The secret is a good mesh: without the guard each of these scenes would be built."""
    scene = (
        'version = 1\n[time]\ndt = 0.01\n[[body]]\nname = "a"\nmesh = "%s"\n'
        'material = { kind = "arap", young = 1e5, poisson = 0.3 }\n'
    )
    secret = tmp_path / "m.msh"
    supple.write_mesh(secret, supple.box_mesh())
    supple.write_mesh(tmp_path / "t.node", supple.box_mesh())
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "link.msh").symlink_to(secret)
    (inner / "folder").symlink_to(tmp_path)
    (inner / "t.node").write_bytes((tmp_path / "t.node").read_bytes())
    (inner / "t.ele").symlink_to(tmp_path / "t.ele")
    path = inner / "scene.toml"
    # The system follows a link before it goes up: `folder/..` is where the folder that it leads to lies.
    around = f"folder/../{tmp_path.name}/m.msh"
    assert (inner / around).samefile(secret)
    for mesh in ["../m.msh", around, "link.msh", "folder/m.msh", str(secret), "t.node"]:
        path.write_text(scene % mesh)
        with pytest.raises(supple.BuildError, match="allow"):
            supple.load(path).build()
        sim = supple.load(path, allow_dirs=[tmp_path]).build()
        assert sim.node_count == len(supple.box_mesh().vertices)
    with pytest.raises((supple.BuildError, OSError, ValueError), match="leads out of its folder"):
        supple.read_mesh(inner / "t.node")


def test_run_a_simulation_with_a_callback():
    scene, _, _ = beam()
    sim = scene.build()
    positions, stats = supple.run(sim, 10, progress=False, callback=lambda s, r: r.frame == 4)
    assert positions.shape == (4, sim.node_count, 3) and list(stats["frame"]) == [1, 2, 3, 4]
    assert supple.run(scene, 3)[0].shape[0] == 3
    with pytest.raises(TypeError, match="frames"):
        supple.run(scene)
    with pytest.raises(TypeError, match="options"):
        supple.run(sim, 1, iterations=3)


@pytest.mark.parametrize("extension", ["msh", "mesh", "vtk", "vtu", "node"])
def test_meshes_come_back_as_they_were(extension, tmp_path):
    mesh = supple.ball_mesh(1.0, 4)
    path = tmp_path / f"ball.{extension}"
    supple.write_mesh(path, mesh.vertices, mesh.tets)
    vertices, tets, triangles, groups, notes = supple.read_mesh(path)
    assert np.array_equal(vertices, mesh.vertices) and np.array_equal(tets, mesh.tets)
    supple.write_mesh(path, mesh)
    assert not [n for n in os.listdir(tmp_path) if n.endswith(".part")]


def test_surfaces_and_bad_meshes(tmp_path):
    mesh = supple.cylinder_mesh(0.5, 2.0, 4, along=3)
    faces = supple.surface(mesh.tets)
    a, b, c = mesh.vertices[faces].transpose(1, 0, 2)
    corners = mesh.vertices[mesh.tets]
    volume = np.linalg.det(corners[:, 1:] - corners[:, :1]).sum() / 6
    assert np.isclose((a * np.cross(b, c)).sum() / 6, volume)
    supple.write_mesh(str(tmp_path / "c.stl"), mesh)
    assert len(supple.read_mesh(tmp_path / "c.stl").triangles) == len(faces)
    with pytest.raises(supple.BuildError, match="extension"):
        supple.read_mesh(tmp_path / "c.xyz")
    with pytest.raises(FileNotFoundError):
        supple.read_mesh(tmp_path / "none.msh")
    (tmp_path / "bad.msh").write_text("nonsense")
    with pytest.raises(supple.BuildError, match="bad.msh"):
        supple.read_mesh(tmp_path / "bad.msh")
    with pytest.raises(supple.BuildError):
        supple.box_mesh((1, 1, 1), (10**7, 10**7, 10**7))
    with pytest.raises(supple.BuildError, match="split"):
        supple.box_mesh(split=7)
    with pytest.raises(supple.BuildError):
        supple.ball_mesh(1.0, 3)
