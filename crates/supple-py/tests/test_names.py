"""Every stable name, as users write it; and that the stubs say what is there."""
import inspect
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import KINDS, PUBLISHED, beam

import supple

CRATE = pathlib.Path(__file__).resolve().parent.parent


def test_the_whole_example(tmp_path):
    mesh = supple.box_mesh((1, 0.2, 0.2), (5, 1, 1))
    vertices, tets = mesh.vertices, mesh.tets
    ids = np.flatnonzero(vertices[:, 0] == 0)
    scene = supple.Scene(dt=1 / 24, gravity=(0, -9.8, 0))
    material = supple.NeoHookean(young=1e5, poisson=0.4)
    body = scene.add_solid(vertices, tets, material=material, density=1000.0)
    scene.pin(body, ids)
    sim = scene.build(
        method="admm", iterations=20, tolerance=1e-10, weight_rule="bulk", weight_scale=1.0,
        acceleration=None, start="inertia", dual_start="zero", threads=2,
    )
    sim.set_state(vertices, np.zeros_like(vertices))
    report = sim.step()
    assert report.status in ("converged", "iteration_limit") and 1 <= report.iterations <= 20
    assert report.primal >= 0 and report.dual >= 0 and 0 <= report.force_residual < 1 and report.inverted == 0
    assert set(report.timings) == {"local", "global", "solve", "detection", "rest", "total"}
    x, v, e = sim.positions, sim.velocities, sim.energy()
    assert x.shape == v.shape == vertices.shape and x.dtype == v.dtype == np.float64
    assert set(e) == {"elastic", "kinetic", "potential"} and e == report.energy
    for it in sim.iterations():
        assert it.index >= 1 and it.positions.shape == x.shape
        assert it.primal >= 0 and it.dual >= 0 and it.objective > 0 and it.start_objective > 0
        assert it.z.shape == it.u.shape == (len(tets), 3, 3)
    sim.move_pins(body, ids, vertices[ids] + [0, 0.01, 0])
    sim.step()
    assert np.array_equal(sim.positions[ids], vertices[ids] + [0, 0.01, 0])
    sim.save(tmp_path / "state")
    again = supple.Simulation.restore(scene, tmp_path / "state")
    assert np.array_equal(again.positions, sim.positions) and again.frame == 3
    F = np.eye(3) + 0.1 * np.ones((4, 2, 3, 3))
    m = supple.NeoHookean(young=1e5, poisson=0.4)
    assert m.energy(F).shape == (4, 2) and m.stress(F).shape == (4, 2, 3, 3)
    assert m.hessian(F).shape == (4, 2, 9, 9) and m.prox(F, 1e5).shape == (4, 2, 3, 3)


def test_defaults_are_the_librarys():
    settings = beam()[0].build().settings
    wanted = dict(method="auto", iterations=200, tolerance=1e-6, time_budget=None, weight_rule="robust", weight_scale=1.0)
    wanted |= dict(start="best", dual_start="stress", acceleration="anderson", memory=6, relaxation=1.6)
    wanted |= dict(spectral_radius=0.9, history=8, first_hessian="matrix", sweep="gauss_seidel", contact="delassus", threads=0)
    wanted |= dict(projections=20)
    assert settings == wanted | dict(dt=1 / 24, integrator="backward_euler", gravity=[0, -9.8, 0])
    assert supple.Scene().dt == 0.04 and supple.Scene().gravity == [0, -9.8, 0]
    # The docstring says the same.
    for name in set(wanted) - {"time_budget"}:
        assert name in supple.Scene.build.__doc__


@pytest.mark.parametrize("option", [
    dict(method=m) for m in ["admm", "position", "quasi_newton", "newton", "auto"]
] + [dict(weight_rule=r) for r in ["bulk", "auto"]] + [
    dict(acceleration=None), dict(acceleration="anderson"), dict(start="inertia"), dict(start="best"),
    dict(dual_start="zero"), dict(dual_start="stress"), dict(time_budget=1.0), dict(threads=1),
])
def test_every_option(option):
    sim = beam()[0].build(**option)
    (name, value), = option.items()
    assert sim.settings[name] == value
    sim.step()


def test_update_changes_settings_while_it_runs():
    sim = beam()[0].build(**PUBLISHED)
    sim.update(iterations=3, dt=0.01, gravity=(0, 0, 0), tolerance=0)
    assert sim.step().iterations == 3 and sim.time == 0.01
    with pytest.raises(ValueError, match="weight_scale"):
        sim.update(weight_scale=-1)
    assert sim.settings["weight_scale"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_materials_by_constants(kind):
    cls = getattr(supple, kind)
    a, b = cls(young=1e5, poisson=0.4), cls(lame=(1e5 / 2.8, 1e5 * 0.4 / (1.4 * 0.2)))
    F = np.diag([1.1, 0.95, 1.05])
    assert np.isclose(a.energy(F), b.energy(F), rtol=1e-12)
    assert np.isclose(a.young, 1e5) and np.isclose(a.poisson, 0.4)
    assert isinstance(a, supple.Material) and kind in repr(a)
    with pytest.raises(supple.BuildError, match="young and poisson"):
        cls(young=1e5)


def test_exceptions_are_pythons_own():
    assert issubclass(supple.BuildError, ValueError) and issubclass(supple.StepError, RuntimeError)


def test_everything_is_documented():
    for name in supple.__all__:
        value = getattr(supple, name)
        assert name == "__version__" or value.__doc__, name
        if inspect.isclass(value):
            for member in vars(value):
                if not member.startswith("_") and not issubclass(value, tuple):
                    assert getattr(value, member).__doc__, f"{name}.{member}"


def test_stubs_are_what_is_there(tmp_path):
    allow = tmp_path / "allow"
    allow.write_text("supple\\._supple\\.__all__\n")
    for command in (["mypy.stubtest", "supple._supple", "--allowlist", str(allow)], ["mypy", "--strict", "-p", "supple"]):
        done = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_both_project_files_are_the_same_package():
    def lines(path):
        text = re.sub(r"(?m)^(#|readme|python-source|manifest-path).*\n", "", path.read_text())
        return text
    assert lines(CRATE / "pyproject.toml") == lines(CRATE.parent.parent / "pyproject.toml")


@pytest.mark.parametrize("file", ["crates/supple-py/README.md", "README.md", "docs/python.md", "docs/gradients.md", "docs/studies.md"])
def test_examples_in_the_documents_run(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (CRATE.parent.parent / file).read_text(), re.S)
    assert blocks
    space = {}
    for block in blocks:
        exec(compile(block, file, "exec"), space)
