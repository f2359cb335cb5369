"""Parameters from measurements: bounded least squares over simulations."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._gradient import Tape
from ._made import Maker, simulation
from ._sensitivity import through
from ._supple import Simulation

Array = npt.NDArray[np.float64]
Bounds = Mapping[str, "tuple[float, float]"]


@dataclass
class Fit:
    """What `supple.fit` found."""

    #: The parameters at the smallest sum of squares.
    parameters: dict[str, float]
    #: The residuals there.
    residual: Array
    #: Half their sum of squares.
    cost: float
    #: Standard error of each parameter, from the Gauss-Newton matrix and the residuals left; infinite where they do not tell.
    errors: dict[str, float]
    #: (low, high) of each parameter at the level of confidence asked for.
    confidence: dict[str, tuple[float, float]]
    #: Covariance of the parameters in the order of `parameters`.
    covariance: Array
    #: Simulations that were run, those of all starts.
    simulations: int
    #: True if it ended because nothing could be gained, not because of `most`.
    converged: bool
    #: Why it ended.
    message: str
    #: How the Jacobian was found: "tangent", or "differences" and why.
    jacobian: str = "differences"
    #: Parameters that ended at a bound.
    at_bound: list[str] = field(default_factory=list)
    #: Parameters and cost of every simulation, in order.
    history: list[tuple[dict[str, float], float]] = field(default_factory=list)
    #: The fits from all starts, the best first; this one among them.
    starts: list[Fit] = field(default_factory=list, repr=False)


class _Scale:
    """Parameters as numbers of order one: by their logarithm where a range is positive, else by the size of start or range."""

    def __init__(self, start: Mapping[str, float], bounds: Bounds) -> None:
        self.names = list(start)
        low = [float(bounds.get(n, (-math.inf, math.inf))[0]) for n in self.names]
        high = [float(bounds.get(n, (-math.inf, math.inf))[1]) for n in self.names]
        self.low, self.high = np.array(low), np.array(high)
        x = np.array([float(start[n]) for n in self.names])
        if not np.all(np.isfinite(x)):
            raise ValueError("the parameters to start from must be finite numbers")
        for n, a, b, v in zip(self.names, low, high, x):
            if not a < b:
                raise ValueError(f"bounds of {n!r}: {a} is not below {b}")
            if not a <= v <= b:
                raise ValueError(f"{n!r} starts at {v}, outside of its bounds ({a}, {b})")
        self.log = (self.low > 0) & (x > 0)
        span = np.where(np.isfinite(self.high - self.low), self.high - self.low, 0.0)
        size = np.where(x != 0, np.abs(x), np.where(span > 0, span, 1.0))
        self.size = np.where(self.log, 1.0, size)

    def inner(self, x: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.log, np.log(np.where(self.log, x, 1.0)), x / self.size)

    def outer(self, y: Array) -> Array:
        x = np.where(self.log, np.exp(np.where(self.log, y, 0.0)), y * self.size)
        return np.asarray(np.clip(x, self.low, self.high))

    def slope(self, x: Array) -> Array:
        """dx/dy."""
        return np.where(self.log, x, self.size)

    def named(self, x: Array) -> dict[str, float]:
        return dict(zip(self.names, map(float, x)))


class _Enough(Exception):
    pass


class _Problem:
    def __init__(
        self, scene: Any, scale: _Scale, residual: Callable[..., Any], most: int, options: dict[str, Any], jacobian: str
    ) -> None:
        self.scene, self.scale, self.residual, self.most, self.options = Maker(scene), scale, residual, most, options
        self.history: list[tuple[dict[str, float], float]] = []
        self.size: int | None = None
        #: Forward mode is used as long as nothing speaks against it.
        self.exact, self.strict = jacobian != "differences", jacobian == "tangent"
        self.how = "differences"
        self._last: tuple[Array, Simulation, Tape] | None = None
        self._kept: tuple[Array, Array] | None = None

    def give_up(self, why: Exception | str) -> None:
        """No forward mode from here on."""
        if self.strict:
            raise ValueError(f"no Jacobian by tangents: {why}")
        self.exact, self.how, self._last = False, f"differences: {why}", None

    def run(self, made: Any, y: Array) -> Any:
        """The residual, under record where that serves."""
        self._last = None
        if not self.exact:
            return self.residual(made)
        if not isinstance(made, Simulation):
            self.give_up("the function gives no simulation")
            return self.residual(made)
        tape = Tape(made, 2**28)
        try:
            tape.__enter__()
        except ValueError as e:
            self.give_up(e)
            return self.residual(made)
        try:
            given = self.residual(made)
        finally:
            tape.__exit__()
        self._last = (y.copy(), made, tape)
        return given

    def __call__(self, y: Array) -> Array:
        if len(self.history) >= self.most:
            raise _Enough
        named = self.scale.named(self.scale.outer(y))
        made = simulation(self.scene(named), self.options)
        r = np.asarray(self.run(made, y), dtype=float).ravel()
        if self.size is None:
            self.size = r.size
            if r.size < len(self.scale.names):
                raise ValueError(f"{r.size} residuals cannot tell {len(self.scale.names)} parameters")
        if r.size != self.size:
            raise ValueError(f"the residual has {r.size} numbers, before it had {self.size}")
        if not np.all(np.isfinite(r)):
            if not self.history:
                raise ValueError(f"the residual is not finite at the start, {named}")
            r = np.full(r.size, math.inf)
        self.history.append((named, 0.5 * float(r @ r)))
        return r

    def tangents(self, y: Array, r: Array) -> Array | None:
        """The Jacobian by forward mode, without a simulation; None if there is none."""
        if self._kept is not None and np.array_equal(self._kept[0], y):
            return self._kept[1]
        if self._last is None or not np.array_equal(self._last[0], y):
            return None
        _, sim, tape = self._last
        x = self.scale.outer(y)
        slope = self.scale.slope(x)
        # A step like that of differences of forces; at a bound the scene may be there on one side only.
        wide = {n: 2e-4 * abs(s) for n, s in zip(self.scale.names, slope)}
        try:
            found = through(self.scene, self.scale.named(x), (sim, tape, None), wide, self.options)
            same = np.asarray(found.replayed(self.residual), dtype=float).ravel()
            if same.shape != r.shape or not np.allclose(same, r, rtol=1e-9, atol=1e-12 * float(np.max(np.abs(r), initial=0.0))):
                raise ValueError("the residual is another when it is shown the same states")
            by = found.of(self.residual)
            jacobian = np.stack([by[n].ravel() * s for n, s in zip(self.scale.names, slope)], axis=1)
            if not np.all(np.isfinite(jacobian)):
                raise ValueError("they are not finite")
        except (ValueError, RuntimeError, TypeError) as e:
            self.give_up(e)
            return None
        self.how, self._kept = "tangent", (y.copy(), jacobian)
        return jacobian

    def jacobian(self, y: Array, r: Array, step: float) -> Array:
        exact = self.tangents(y, r) if self.exact else None
        if exact is not None:
            return exact
        columns = []
        low, high = self.scale.inner(self.scale.low), self.scale.inner(self.scale.high)
        for k in range(y.size):
            h = step if y[k] + step <= high[k] or not np.isfinite(high[k]) else -step
            if h < 0 and np.isfinite(low[k]) and y[k] + h < low[k]:
                h = 0.5 * (high[k] - low[k])
            there = y.copy()
            there[k] += h
            columns.append((self(there) - r) / h)
        return np.stack(columns, axis=1)


def _descend(problem: _Problem, y: Array, tolerance: float, step: float) -> tuple[Array, Array, Array, bool, str]:
    """Levenberg and Marquardt's method with projected steps; the Jacobian by tangents, or by differences, kept up by Broyden's formula while that
    serves."""
    scale = problem.scale
    low, high = scale.inner(scale.low), scale.inner(scale.high)
    r = problem(y)
    jacobian = problem.jacobian(y, r, step)
    fresh, damping = True, 1e-3
    while True:
        try:
            gradient = jacobian.T @ r
            # What a bound stops does not move.
            free = ~((y <= low) & (gradient > 0) | (y >= high) & (gradient < 0))
            if not np.any(free) or float(r @ r) == 0.0:
                return y, r, jacobian, True, "nothing is left" if float(r @ r) == 0.0 else "all parameters are at their bounds"
            j = jacobian[:, free]
            hess = j.T @ j
            d = np.zeros_like(y)
            d[free] = -np.linalg.lstsq(hess + damping * np.diag(np.maximum(np.diag(hess), 1e-300)), gradient[free], rcond=None)[0]
            d = np.clip(np.clip(d, -1.5, 1.5) + y, low, high) - y
            if np.max(np.abs(d)) <= tolerance:
                if fresh or damping > 1e3:
                    return y, r, jacobian, True, "steps became shorter than the tolerance"
                jacobian, fresh, damping = problem.jacobian(y, r, step), True, 1e-6
                continue
            new = problem(y + d)
            promised = float(r @ r) - float((r + jacobian @ d) @ (r + jacobian @ d))
            gained = float(r @ r) - float(new @ new)
            if np.all(np.isfinite(new)) and gained > 0:
                guess = jacobian + np.outer(new - r - jacobian @ d, d) / float(d @ d)
                small = gained <= tolerance * float(r @ r) and np.max(np.abs(d)) <= math.sqrt(tolerance)
                y, r = y + d, new
                damping = max(damping * (0.1 if gained > 0.5 * promised else 2.0), 1e-12)
                exact = problem.tangents(y, r) if problem.exact else None
                jacobian = guess if exact is None else exact
                if small and fresh:
                    return y, r, jacobian, True, "the sum of squares fell no more"
                fresh = exact is not None
                continue
            if not fresh:
                jacobian, fresh = problem.jacobian(y, r, step), True
            else:
                damping = max(10.0 * damping, 1e-6)
            if damping > 1e12:
                return y, r, jacobian, True, "no direction leads further down"
        except _Enough:
            return y, r, jacobian, False, f"{problem.most} simulations were not enough"


def _quantile(level: float, freedom: int) -> float:
    """Student's: of SciPy if it is there, else by Hill's expansion about the normal one."""
    try:
        from scipy.stats import t  # type: ignore[import-not-found,import-untyped,unused-ignore]

        return float(t.ppf(0.5 + 0.5 * level, freedom))
    except ImportError:
        from statistics import NormalDist

        z, n = NormalDist().inv_cdf(0.5 + 0.5 * level), freedom
        return z + (z**3 + z) / (4 * n) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)


def _one(
    scene: Any,
    start: dict[str, float],
    residual: Callable[..., Any],
    bounds: Bounds,
    most: int,
    tolerance: float,
    step: float,
    level: float,
    jacobian_by: str,
    options: dict[str, Any],
) -> Fit:
    scale = _Scale(start, bounds)
    problem = _Problem(scene, scale, residual, most, options, jacobian_by)
    y0 = scale.inner(np.array([start[n] for n in scale.names], dtype=float))
    y, r, jacobian, converged, message = _descend(problem, y0, tolerance, step)
    x = scale.outer(y)
    try:
        jacobian = problem.jacobian(y, r, step)
    except _Enough:
        pass
    outer = jacobian / scale.slope(x)
    freedom = max(r.size - x.size, 0)
    variance = float(r @ r) / freedom if freedom else math.inf
    u, s, vt = np.linalg.svd(outer / np.maximum(np.linalg.norm(outer, axis=0), 1e-300), full_matrices=False)
    norms = np.maximum(np.linalg.norm(outer, axis=0), 1e-300)
    told = s > 1e-10 * max(s.max(), 1e-300)
    inverse = (vt[told].T / s[told] ** 2) @ vt[told]
    covariance = variance * inverse / np.outer(norms, norms) if math.isfinite(variance) else np.full((x.size, x.size), math.inf)
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    # What a direction that nothing tells is part of is not known at all.
    unknown = np.any(np.abs(vt[~told]) > 1e-6, axis=0) if np.any(~told) else np.zeros(x.size, bool)
    error[unknown] = math.inf
    wide = _quantile(level, freedom) if freedom else math.inf
    spread = [wide * e if e > 0 else 0.0 for e in error]
    return Fit(
        parameters=scale.named(x),
        residual=r,
        cost=0.5 * float(r @ r),
        errors=scale.named(error),
        confidence={n: (float(v - d), float(v + d)) for n, v, d in zip(scale.names, x, spread)},
        covariance=covariance,
        simulations=len(problem.history),
        converged=converged,
        message=message,
        jacobian=problem.how,
        at_bound=[n for n, v, a, b in zip(scale.names, x, scale.low, scale.high) if v <= a or v >= b],
        history=problem.history,
    )


def fit(
    scene: Any,
    parameters: Mapping[str, float],
    residual: Callable[..., Any],
    bounds: Bounds | None = None,
    *,
    starts: int = 1,
    seed: int = 0,
    workers: int = 1,
    most: int = 200,
    tolerance: float = 1e-6,
    step: float = 1e-3,
    confidence: float = 0.95,
    jacobian: str = "auto",
    **options: Any,
) -> Fit:
    """Finds the parameters for which the sum of squares of a residual is smallest.

    scene: a scene file, whose keys the parameters are ("body.beam.material.young"), or a function of the parameters that gives a
    Scene or a Simulation. parameters: where to start. residual(sim): takes the steps that it needs and gives an array. bounds:
    (low, high) of parameters; with low > 0 a parameter is sought by its logarithm.

    starts > 1 starts again from points of a Sobol sequence within the bounds, in `workers` processes, and gives the best. most: simulations
    of each start. tolerance: on the relative change of parameters. confidence: level of the intervals. options are those of Scene.build().

    jacobian: "tangent" finds it by forward mode through the steps of the same simulation, where the scene has derivatives and the residual
    looks at positions, velocities and time alone; "differences" of simulations, a relative `step` apart, at the start and at the end, and
    Broyden's formula between; "auto" takes the first where it can, and Fit.jacobian says why not.
    """
    limits = dict(bounds or {})
    unknown = set(limits) - set(parameters)
    if unknown:
        raise ValueError(f"bounds of {sorted(unknown)[0]!r}, which is no parameter")
    if not parameters:
        raise ValueError("there is no parameter to fit")
    first = {k: float(v) for k, v in parameters.items()}
    points = [first]
    if starts > 1:
        from ._study.design import sobol

        if set(limits) != set(first) or not all(map(math.isfinite, np.ravel(list(limits.values())))):
            raise ValueError("several starts need finite bounds of every parameter")
        for u in sobol(starts - 1, len(first), seed):
            point = {}
            for name, s in zip(first, u):
                a, b = limits[name]
                point[name] = float(a * (b / a) ** s) if a > 0 else float(a + s * (b - a))
            points.append(point)
    if jacobian not in ("auto", "tangent", "differences"):
        raise ValueError(f'jacobian must be "auto", "tangent" or "differences", not {jacobian!r}')
    rest = (residual, limits, most, tolerance, step, confidence, jacobian, options)
    if workers > 1 and len(points) > 1:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            jobs = [pool.submit(_one, scene, p, *rest) for p in points]
            found = [j.result() for j in jobs]
    else:
        found = [_one(scene, p, *rest) for p in points]
    found.sort(key=lambda f: f.cost)
    best = found[0]
    best.simulations = sum(f.simulations for f in found)
    best.starts = found
    return best


__all__: Sequence[str] = ["Fit", "fit"]
