"""Forward mode as users ask for it: against central differences of whole simulations and against reverse mode."""
import numpy as np
import pytest

import supple

OPTIONS = dict(method="newton", tolerance=1e-13, iterations=100, threads=1)
MESH = supple.box_mesh((0.4, 0.2, 0.2), (2, 1, 1))
STEPS = 5


def make(young=1e4, density=1000.0, length=1.0, damping=0.002):
    scene = supple.Scene(dt=0.02)
    rubber = supple.NeoHookean(young=young, poisson=0.35)
    body = scene.add_solid(MESH.vertices * [length, 1, 1], MESH.tets, material=rubber, density=density, name="beam")
    scene.pin(body, MESH.vertices[:, 0] == 0)
    scene.damp(body, mass=0.5, stiffness=damping)
    return scene


VALUES = dict(young=1e4, density=1000.0, length=1.0, damping=0.002)


def states(sim):
    return np.array([(sim.step(), sim.positions)[1] for _ in range(STEPS)])


def five(f, h):
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


def test_every_state_by_every_parameter():
    found = supple.sensitivity(make, VALUES, STEPS, **OPTIONS)
    assert found.flagged == [] and len(found.report) == STEPS and found.value is None
    for name, value in VALUES.items():
        wanted = five(lambda s: states(make(**{**VALUES, name: value * (1 + s)}).build(**OPTIONS)), 2e-3)
        by = found.positions[name] * value
        assert by.shape == (STEPS + 1, len(MESH.vertices), 3)
        assert np.abs(by[1:] - wanted).max() <= 1e-5 * np.abs(wanted).max(), name
        assert found.velocities[name].shape == by.shape
    # Where a body starts depends on its length alone.
    assert np.any(found.positions["length"][0]) and not np.any(found.positions["young"][0])


def test_it_is_what_reverse_mode_says():
    weights = np.random.default_rng(1).normal(size=MESH.vertices.shape)
    found = supple.sensitivity(make, VALUES, STEPS, **OPTIONS)
    sim = make().build(**OPTIONS)
    with sim.record() as tape:
        sim.step(STEPS)
    g = tape.backward(dx=weights).material("beam")
    for name in ("young", "density"):
        assert (weights * found.positions[name][-1]).sum() == pytest.approx(g[name], rel=1e-6)


def test_functions_of_states_without_another_run():
    def run(sim):
        rows = []
        for _ in range(STEPS):
            sim.step()
            rows.append([np.linalg.norm(sim.positions[-1]), sim.velocities[-1, 1] ** 2, sim.time])
        return np.array(rows)

    found = supple.sensitivity(make, {"young": 1e4}, run, **OPTIONS)
    wanted = five(lambda s: run(make(1e4 * (1 + s)).build(**OPTIONS)), 2e-3)
    by = found.of(run)["young"] * 1e4
    assert np.abs(by - wanted).max(axis=0) == pytest.approx(0, abs=1e-5 * np.abs(wanted).max())
    assert np.all(by[:, 2] == 0) and np.all(found.replayed(run) == found.value)


def test_a_scene_file_and_its_motions(tmp_path):
    """Keyframes of pins follow a parameter of the file, as they do when it is run."""
    path = tmp_path / "beam.toml"
    path.write_text("""
version = 1
[time]
dt = 0.02
[solve]
method = "newton"
tolerance = 1e-13
iterations = 100
threads = 1
[[body]]
name = "beam"
shape = { kind = "box", size = [0.4, 0.2, 0.2], cells = [2, 1, 1] }
material = { kind = "neo_hookean", young = 1e4, poisson = 0.35, density = 1000.0 }
[[pin]]
body = "beam"
select = { box = { min = [-1.0, -1.0, -1.0], max = [0.001, 1.0, 1.0] } }
motion = [{ time = 0.0 }, { time = 0.1, translate = [0.0, 0.1, 0.0] }]
""")
    for key, value in {"body.beam.material.young": 1e4, "pin.0.motion.1.translate.1": 0.1}.items():
        found = supple.sensitivity(path, {key: value}, STEPS)
        wanted = five(lambda s: states(supple.load(path, overrides={key: value * (1 + s)}).build()), 2e-3)
        assert np.abs(found.positions[key][1:] * value - wanted).max() <= 1e-5 * np.abs(wanted).max(), key


def test_what_a_function_asks_for_beyond_states_is_named():
    found = supple.sensitivity(make, {"young": 1e4}, 2, **OPTIONS)
    for function, what in [
        (lambda sim: sim.energy()["elastic"], "`energy`"),
        (lambda sim: sim.step().iterations, "`iterations`"),
        (lambda sim: sim.step(3), "more steps"),
        (lambda sim: (sim.set_forces(sim.positions), sim.step(), sim.set_forces(sim.positions), 0.0)[-1], "depends on the states"),
    ]:
        with pytest.raises(ValueError, match=what):
            found.of(function)


def test_what_has_no_derivative_is_refused():
    def scene(dt):
        s = supple.Scene(dt=dt)
        s.add_solid(MESH.vertices, MESH.tets, material=supple.Arap(young=1e4, poisson=0), density=1e3)
        return s

    with pytest.raises(ValueError, match="time step"):
        supple.sensitivity(scene, {"dt": 0.01}, 2)
    with pytest.raises(TypeError, match="Scene or a Simulation"):
        supple.sensitivity(lambda dt: {"a": dt}, {"dt": 0.01}, 2)
