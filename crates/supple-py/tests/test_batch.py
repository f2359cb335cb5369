"""Many simulations at once, and arrays that callers own."""
import numpy as np
import pytest
from conftest import beam

import supple


def test_a_batch_gives_the_bits_of_each_alone():
    scene, body, mesh = beam()
    batch = supple.Batch(scene, 5, workers=2)
    rng = np.random.default_rng(0)
    forces = rng.normal(size=(5, len(mesh.vertices), 3))
    batch.set_forces(forces)
    for _ in range(3):
        x = batch.step()
    assert x is batch.positions and x.shape == (5, len(mesh.vertices), 3)
    for i in range(5):
        alone = scene.build(threads=1)
        alone.set_forces(forces[i])
        alone.step(3)
        assert np.array_equal(alone.positions, x[i]) and np.array_equal(alone.velocities, batch.velocities[i])
    others = x[[0, 1, 3, 4]].copy()
    batch.reset(2)
    assert np.array_equal(batch.positions[2], mesh.vertices) and np.array_equal(batch.positions[[0, 1, 3, 4]], others)
    assert batch.reports[2] is None and batch.reports[1].status == "converged"
    seen = supple.Batch(scene, 3, observe=lambda s: s.positions[-1]).step()
    assert seen.shape == (3, 3)


def test_a_failure_names_the_simulation_and_the_others_go_on():
    scene, body, mesh = beam()
    batch = supple.Batch(scene, 3, workers=2)
    # Finite in itself, but x + Δt v is not.
    x = np.array(batch[1].positions)
    x[5] = np.finfo(float).max
    batch[1].set_state(x, np.where(x == x[5], x, 0.0))
    with pytest.raises(supple.StepError, match="simulation 1 of the batch"):
        batch.step()
    assert [s.frame for s in batch.simulations] == [1, 0, 1]
    for wrong in (lambda: supple.Batch(scene, 0), lambda: batch.set_forces(np.zeros((2, 3))), lambda: batch.contract("beam", [0.1])):
        with pytest.raises(ValueError):
            wrong()


def test_out_is_filled_and_checked():
    scene, body, mesh = beam()
    sim = scene.build()
    sim.step()
    out = np.empty((sim.node_count, 3))
    assert sim.get_positions(out) is out and np.array_equal(out, sim.positions)
    assert sim.get_velocities(out) is out and np.array_equal(out, sim.velocities)
    assert np.array_equal(sim.get_positions(), sim.positions)
    for wrong in (np.empty((2, 3)), np.empty((3, sim.node_count)).T, np.empty((sim.node_count, 3), dtype=np.float32), [1.0]):
        with pytest.raises((ValueError, TypeError)):
            sim.get_positions(wrong)
    frozen = np.empty((sim.node_count, 3))
    frozen.flags.writeable = False
    with pytest.raises(ValueError):
        sim.get_positions(frozen)
    for it in sim.iterations():
        assert np.array_equal(sim.get_positions(), sim.positions)


def test_forces_balance_and_stress_is_that_of_the_material():
    scene, body, mesh = beam(cells=(4, 2, 2))
    sim = scene.build(tolerance=1e-11)
    before = sim.velocities
    sim.step()
    f = sim.forces()
    total = f["elastic"] + f["contact"] + f["constraint"] + sim.masses[:, None] * [0, -9.8, 0]
    a = (sim.velocities - before) / sim.settings["dt"]
    assert np.abs(total - sim.masses[:, None] * a).max() <= 1e-7 * np.abs(f["elastic"]).max()
    edges = lambda x: np.stack([x[mesh.tets[:, k]] - x[mesh.tets[:, 0]] for k in (1, 2, 3)], axis=2)
    F = edges(sim.positions) @ np.linalg.inv(edges(mesh.vertices))
    P = supple.NeoHookean(young=1e5, poisson=0.4).stress(F)
    cauchy = P @ F.transpose(0, 2, 1) / np.linalg.det(F)[:, None, None]
    assert np.abs(sim.stress() - cauchy).max() <= 1e-10 * np.abs(cauchy).max()
