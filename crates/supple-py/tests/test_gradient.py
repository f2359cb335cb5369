"""Gradients as users ask for them, against central differences of whole simulations. The library's own tests cover every material."""
import numpy as np
import pytest

import supple

OPTIONS = dict(method="newton", tolerance=1e-13, iterations=100, threads=1)


def make(young=1e4, poisson=0.35, density=1000.0, gravity=(0, -9.8, 0)):
    mesh = supple.box_mesh((0.4, 0.2, 0.2), (2, 1, 1))
    scene = supple.Scene(dt=0.02, gravity=gravity)
    rubber = supple.NeoHookean(young=young, poisson=poisson)
    body = scene.add_solid(mesh.vertices, mesh.tets, material=rubber, density=density, name="beam")
    scene.pin(body, mesh.vertices[:, 0] == 0)
    scene.damp(body, mass=0.5, stiffness=0.002)
    return scene.build(**OPTIONS)


def run(sim, weights, steps=5):
    for _ in range(steps):
        sim.step()
    return float((weights * sim.positions).sum())


def five(f, h):
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


def recorded(sim, weights, steps=5, **options):
    with sim.record(**options) as tape:
        run(sim, weights, steps)
    return tape


@pytest.fixture
def weights():
    return np.random.default_rng(1).normal(size=(make().node_count, 3))


def test_constants_by_name(weights):
    sim = make()
    g = recorded(sim, weights).backward(dx=weights)
    found = g.material("beam")
    assert set(found) == {"young", "poisson", "density", "damping_mass", "damping_stiffness"}
    assert set(sim.constants("beam")) == set(found)
    for name, value in dict(young=1e4, poisson=0.35, density=1000.0).items():
        wanted = five(lambda s: run(make(**{name: value * (1 + s)}), weights), 2e-3)
        assert found[name] * value == pytest.approx(wanted, rel=1e-5), name
    by = g.elements("beam")["young"]
    assert by.shape == (10,) and by.sum() == pytest.approx(found["young"], rel=1e-12)
    assert g.flagged == [] and len(g.report) == 5


def test_states_forces_pins(weights):
    sim = make()
    n = sim.node_count
    x0 = sim.positions
    g = recorded(sim, weights).backward(dx=weights)
    d = np.random.default_rng(2).normal(size=(n, 3))

    def moved(dx=0.0, dv=0.0, df=0.0):
        other = make()
        other.set_state(x0 + dx * d, dv * d)
        other.set_forces(df * d)
        return run(other, weights)

    assert (g.positions * d).sum() == pytest.approx(five(lambda s: moved(dx=s), 1e-5), rel=1e-5)
    assert (g.velocities * d).sum() == pytest.approx(five(lambda s: moved(dv=s), 1e-3), rel=1e-5)
    assert (g.forces * d).sum() == pytest.approx(five(lambda s: moved(df=s), 1e-2), rel=1e-5)
    assert g.forces_by_step.shape == (5, n, 3) and g.pins.shape == (n, 3)
    ids = np.flatnonzero(sim.pinned)

    def pulled(s):
        other = make()
        other.move_pins("beam", ids, x0[ids] + s * d[ids])
        return run(other, weights)

    assert (g.pins[ids] * d[ids]).sum() == pytest.approx(five(pulled, 1e-5), rel=1e-5)
    assert not g.pins[~sim.pinned].any()
    wanted = five(lambda s: run(make(gravity=(0.2 * s, -9.8 + s, 0)), weights), 1e-2)
    assert g.gravity @ [0.2, 1, 0] == pytest.approx(wanted, rel=1e-5)


def test_every_state_counts(weights):
    """dx of all steps is the sum over the steps; dv counts velocities."""
    sim = make()
    tape = recorded(sim, weights)
    n = sim.node_count
    one = np.zeros((5, n, 3))
    one[4] = weights
    assert np.array_equal(tape.backward(dx=one).positions, tape.backward(dx=weights).positions)
    both = tape.backward(dx=weights, dv=2 * weights).velocities
    apart = tape.backward(dx=weights).velocities + tape.backward(dv=2 * weights).velocities
    assert np.allclose(both, apart, rtol=1e-9, atol=1e-12 * np.abs(both).max())


def test_checkpoints(weights):
    whole = recorded(make(), weights, 40)
    part = recorded(make(), weights, 40, memory=10_000)
    assert part.bytes < whole.bytes
    a, b = whole.backward(dx=weights), part.backward(dx=weights)
    assert np.array_equal(a.positions, b.positions) and a.material("beam") == b.material("beam")


def test_the_state_stays_and_recording_changes_nothing(weights):
    a, b = make(), make()
    tape = recorded(a, weights)
    run(b, weights)
    assert np.array_equal(a.positions, b.positions)
    tape.backward(dx=weights)
    a.step(), b.step()
    assert np.array_equal(a.positions, b.positions)


def test_what_is_refused_says_what(weights):
    mesh = supple.box_mesh((0.4, 0.2, 0.2), (2, 1, 1))
    scene = supple.Scene()
    scene.add_solid(mesh.vertices, mesh.tets, material=supple.NeoHookean(young=1e4, poisson=0.3), density=1e3)
    scene.add_obstacle(supple.Sphere((0, -2, 0), 1.0), name="ball")
    with pytest.raises(ValueError, match="ball"):
        with scene.build().record():
            pass
    sim = make()
    tape = recorded(sim, weights)
    with pytest.raises(ValueError, match="shape"):
        tape.backward(dx=np.zeros((3, 3)))
    with pytest.raises(TypeError, match="dx"):
        tape.backward()
    with pytest.raises(ValueError, match="there is no body"):
        tape.backward(dx=weights).material("arm")
    with sim.record() as tape:
        sim.step()
        sim.reset()
        sim.step()
    with pytest.raises(ValueError, match="between its steps"):
        tape.backward(dx=weights)
