"""Parameters from measurements."""
import numpy as np
import pytest

import supple


def line(parameters):
    """No simulation: a dict stays what it is."""
    return dict(parameters)


def test_a_line_has_its_textbook_intervals():
    """Slope and height of a line: estimates, standard errors and intervals are those of linear regression."""
    rng = np.random.default_rng(3)
    t = np.linspace(0, 1, 30)
    y = 2.0 + 3.0 * t + 0.1 * rng.normal(size=t.size)
    found = supple.fit(line, {"a": 1.0, "b": 1.0}, lambda p: p["a"] + p["b"] * t - y)
    design = np.stack([np.ones_like(t), t], axis=1)
    wanted, rest, *_ = np.linalg.lstsq(design, y, rcond=None)
    covariance = rest[0] / (t.size - 2) * np.linalg.inv(design.T @ design)
    assert found.converged
    assert list(found.parameters.values()) == pytest.approx(list(wanted), rel=1e-6)
    assert found.covariance == pytest.approx(covariance, rel=1e-5)
    from scipy.stats import t as student
    low, high = found.confidence["b"]
    assert (high - low) / 2 == pytest.approx(student.ppf(0.975, 28) * covariance[1, 1] ** 0.5, rel=1e-5)


def test_bounds_hold_and_are_told():
    t = np.linspace(0, 1, 10)
    seen = []

    def residual(p):
        seen.append(p["a"])
        return (p["a"] - 5.0) * (1 + t)

    found = supple.fit(line, {"a": 1.0}, residual, bounds={"a": (0.5, 2.0)})
    assert found.parameters["a"] == 2.0 and found.at_bound == ["a"]
    assert min(seen) >= 0.5 and max(seen) <= 2.0
    with pytest.raises(ValueError, match="outside"):
        supple.fit(line, {"a": 1.0}, residual, bounds={"a": (2.0, 3.0)})


def test_what_nothing_tells_is_not_known():
    t = np.linspace(0, 1, 10)
    found = supple.fit(line, {"a": 1.0, "b": 1.0}, lambda p: p["a"] + p["b"] - 3.0 + 0.01 * np.sin(9 * t))
    assert found.errors["a"] == np.inf and found.errors["b"] == np.inf


def test_several_starts_find_the_lower_of_two_valleys():
    """(x² − 1)² + tilt: from x = −1 the wrong valley."""
    def residual(p):
        x = p["x"]
        return np.array([x * x - 1.0, 0.3 * (x - 1.0)])

    alone = supple.fit(line, {"x": -1.0}, residual, bounds={"x": (-2.0, 2.0)})
    several = supple.fit(line, {"x": -1.0}, residual, bounds={"x": (-2.0, 2.0)}, starts=5)
    assert alone.parameters["x"] < 0 and several.parameters["x"] == pytest.approx(1.0, abs=1e-5)
    assert len(several.starts) == 5 and several.cost <= alone.cost


def test_most_is_the_most():
    calls = []
    found = supple.fit(line, {"x": 2.0}, lambda p: (calls.append(1), np.array([p["x"] ** 3, p["x"] - 0.5]))[1], most=4)
    assert len(calls) == 4 == found.simulations and not found.converged


MESH = supple.box_mesh((0.6, 0.1, 0.1), (4, 1, 1))
TRUTH = {"young": 2e5, "damping": 0.01}


def bar(young, damping):
    scene = supple.Scene(dt=0.02)
    body = scene.add_solid(MESH.vertices, MESH.tets, material=supple.NeoHookean(young=young, poisson=0.3), density=1000.0)
    scene.pin(body, MESH.vertices[:, 0] == 0)
    scene.damp(body, stiffness=damping)
    return scene


def track(sim):
    rows = np.empty((15, 3))
    for row in rows:
        sim.step(2)
        row[:] = sim.positions[-1]
    return rows


def fitted(residual, **options):
    return supple.fit(
        bar, {"young": 5e4, "damping": 0.03}, residual, bounds={"young": (1e4, 1e7), "damping": (1e-3, 0.1)}, tolerance=1e-5, threads=1,
        method="newton", **{"jacobian": "auto", **options},
    )


def test_tangents_need_no_simulations_of_their_own():
    """One simulation for each point that is tried; the same answer and the same intervals as by differences."""
    truth = bar(**TRUTH).build(threads=1, method="newton", tolerance=1e-10)
    noisy = track(truth)
    noisy += 1e-3 * np.ptp(noisy, axis=0) * np.random.default_rng(4).normal(size=noisy.shape)
    by = {j: fitted(lambda sim: track(sim) - noisy, jacobian=j) for j in ("auto", "differences")}
    a, b = by["auto"], by["differences"]
    assert a.jacobian == "tangent" and b.jacobian == "differences"
    assert a.converged and a.simulations <= 12 and a.simulations < b.simulations
    for name, value in TRUTH.items():
        assert a.parameters[name] == pytest.approx(value, rel=1e-2)
        assert a.parameters[name] == pytest.approx(b.parameters[name], rel=1e-3)
        assert a.errors[name] == pytest.approx(b.errors[name], rel=0.02)
        low, high = a.confidence[name]
        assert low < value < high


def test_what_tangents_do_not_tell_is_done_by_differences_and_said():
    stored = track(bar(**TRUTH).build(threads=1)), 0.0

    def residual(sim):
        there = track(sim) - stored[0]
        return np.append(there.ravel(), 1e-9 * sim.energy()["elastic"])

    found = fitted(residual)
    assert found.jacobian.startswith("differences: ") and "`energy`" in found.jacobian
    assert found.parameters["young"] == pytest.approx(TRUTH["young"], rel=1e-2)
    with pytest.raises(ValueError, match="energy"):
        fitted(residual, jacobian="tangent")
    with pytest.raises(ValueError, match="jacobian must be"):
        fitted(residual, jacobian="magic")


def test_what_has_no_gradient_is_done_by_differences_and_said():
    def ball(young):
        scene = supple.Scene(dt=0.02)
        scene.add_solid(MESH.vertices + [0, 0.3, 0], MESH.tets, material=supple.NeoHookean(young=young, poisson=0.3), density=1000.0)
        scene.add_obstacle(supple.Sphere((0.3, 0, 0.05), 0.2), name="ball")
        return scene

    measured = track(ball(5e4).build(threads=1))
    found = supple.fit(ball, {"young": 4e4}, lambda sim: track(sim) - measured, bounds={"young": (1e4, 1e6)}, most=4, threads=1)
    assert "`ball`" in found.jacobian and found.simulations == 4
