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
