"""One step, iteration by iteration."""
import gc

import numpy as np
import pytest
from conftest import METHODS, PUBLISHED, Reference, beam

import supple


def strained(method="admm", **options):
    scene, body, mesh = beam()
    sim = scene.build(**{**PUBLISHED, "iterations": 25, "tolerance": 1e-9, **options, "method": method})
    x = mesh.vertices * [1.1, 0.95, 1.0]
    sim.set_state(x, np.zeros_like(x))
    return sim, mesh


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("method", METHODS)
def test_to_the_end_is_a_step(method, threads):
    a, _ = strained(method, threads=threads)
    b, _ = strained(method, threads=threads)
    for frame in (1, 2, 3):
        report = a.step()
        steps = b.iterations()
        seen = list(steps)
        assert [it.index for it in seen] == list(range(1, report.iterations + 1))
        assert np.array_equal(seen[-1].positions, b.positions)
        assert a.positions.tobytes() == b.positions.tobytes() and a.velocities.tobytes() == b.velocities.tobytes()
        assert b.frame == frame and b.last_report.status == report.status == steps.report.status
        assert (b.last_report.primal, b.last_report.dual) == (report.primal, report.dual)
        assert (seen[-1].primal, seen[-1].dual) == (report.primal, report.dual)
        assert next(steps, None) is None


@pytest.mark.parametrize("method", METHODS)
def test_breaking_out_rolls_back_to_the_bit(method):
    a, _ = strained(method)
    b, _ = strained(method)
    for _ in range(3):
        x, v = b.positions, b.velocities
        for stop in (1, 3):
            for it in b.iterations():
                if it.index == stop:
                    break
            assert np.array_equal(b.positions, x) and np.array_equal(b.velocities, v)
        assert b.frame == a.frame
        a.step(), b.step()
        assert a.positions.tobytes() == b.positions.tobytes()


def test_an_iterator_that_is_kept():
    sim, _ = strained()
    x = sim.positions
    steps = sim.iterations()
    assert next(steps).index == 1 and next(steps).index == 2
    # Reading shows the state before the step …
    assert np.array_equal(sim.positions, x) and sim.frame == 0 and sim.time == 0 and steps.report is None
    assert sim.energy()["kinetic"] == 0 and sim.inverted == 0
    assert next(steps).index == 3
    # … and anything else rolls back.
    sim.step()
    assert sim.frame == 1
    with pytest.raises(RuntimeError, match="rolled back"):
        next(steps)
    steps = sim.iterations()
    next(steps)
    steps.close()
    assert next(steps, None) is None and sim.step().frame == 2
    unused = sim.iterations()
    del unused
    gc.collect()
    assert sim.step().frame == 3


def test_the_simulation_may_go_first():
    sim, _ = strained()
    steps = sim.iterations()
    next(steps)
    del sim
    assert next(steps).index == 2


def test_an_exception_in_the_loop_rolls_back():
    sim, _ = strained()
    x = sim.positions
    with pytest.raises(KeyError):
        for _ in sim.iterations():
            raise KeyError
    gc.collect()
    assert np.array_equal(sim.positions, x) and sim.step().frame == 1


def test_what_an_iteration_says_is_so():
    """Objective, residuals, z and u recomputed with NumPy."""
    sim, mesh = strained()
    ref = Reference(mesh.vertices, mesh.tets, pinned=mesh.vertices[:, 0] == 0)
    material = supple.NeoHookean(young=1e5, poisson=0.4)
    mu, lam = material.lame
    w2 = (lam + 2 / 3 * mu) * ref.volume
    assert np.allclose(sim.weights, w2, rtol=1e-12)
    x_tilde = ref.prediction(sim.positions, sim.velocities)
    start = ref.objective(x_tilde, x_tilde)
    z_before, u, x_before = ref.gradients(x_tilde), np.zeros((len(w2), 3, 3)), x_tilde
    for it in sim.iterations():
        assert np.isclose(it.objective, ref.objective(it.positions, x_tilde), rtol=1e-10)
        assert np.isclose(it.start_objective, start, rtol=1e-10)
        F = ref.gradients(it.positions)
        primal = np.sqrt((w2[:, None, None] * (F - it.z) ** 2).sum())
        assert np.isclose(it.primal, primal, rtol=1e-9)
        load = np.zeros_like(x_tilde)
        np.add.at(load, ref.tets, np.einsum("m,mij,mvj->mvi", w2, it.z - z_before, ref.g))
        assert np.isclose(it.dual, np.linalg.norm(load[ref.free]), rtol=1e-9)
        # (24), (25) and ∇U(z) = W²u
        F_before = ref.gradients(x_before)
        assert np.allclose(it.z, material.prox(F_before + u, w2 / ref.volume), atol=1e-9)
        assert np.allclose(it.u, u + F_before - it.z, atol=1e-12)
        assert np.allclose(ref.volume[:, None, None] * material.stress(it.z), w2[:, None, None] * it.u, atol=1e-6)
        z_before, u, x_before = it.z, it.u, it.positions
    assert it.index == 25


def test_z_and_u_are_for_admm_and_can_be_left_out():
    sim, mesh = strained()
    assert all(it.z is None and it.u is None for it in sim.iterations(local=False))
    sim, _ = strained("newton")
    assert all(it.z is None and it.primal == it.dual == 0 for it in sim.iterations())


def test_a_failed_step_raises_and_leaves_the_state():
    sim, _ = strained()
    # Finite in itself, but x + Δt v is not.
    before = np.array(sim.positions)
    x = before.copy()
    x[7] = np.finfo(float).max
    sim.set_state(x, np.where(x == x[7], x, 0.0))
    with pytest.raises(supple.StepError, match="no longer finite"):
        list(sim.iterations())
    with pytest.raises(supple.StepError, match="no longer finite"):
        sim.step()
    assert sim.frame == 0
    sim.set_state(before)
    sim.step()
