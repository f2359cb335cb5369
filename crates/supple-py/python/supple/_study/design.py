"""Which runs a study has: grids, lists, random numbers and Sobol's sequence."""
from __future__ import annotations

import itertools
import math
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

DESIGNS = ("grid", "list", "random", "sobol")

# Primitive polynomials and first direction numbers of dimensions 2 to 10 (Joe & Kuo 2008): degree, coefficients, m.
_DIRECTIONS = [
    (1, 0, (1,)),
    (2, 1, (1, 3)),
    (3, 1, (1, 3, 1)),
    (3, 2, (1, 1, 1)),
    (4, 1, (1, 1, 3, 3)),
    (4, 4, (1, 3, 5, 13)),
    (5, 2, (1, 1, 5, 5, 17)),
    (5, 4, (1, 1, 5, 5, 5)),
    (5, 7, (1, 1, 7, 11, 19)),
]
_BITS = 32


def _columns(dimension: int) -> list[int]:
    """Direction numbers v_1 … v_32 of a dimension."""
    if dimension == 0:
        return [1 << (_BITS - 1 - k) for k in range(_BITS)]
    degree, coefficients, m = _DIRECTIONS[dimension - 1]
    v = [m[k] << (_BITS - 1 - k) for k in range(degree)]
    for k in range(degree, _BITS):
        new = v[k - degree] ^ (v[k - degree] >> degree)
        for q in range(1, degree):
            if coefficients >> (degree - 1 - q) & 1:
                new ^= v[k - q]
        v.append(new)
    return v


def sobol(count: int, dimensions: int, seed: int) -> npt.NDArray[np.float64]:
    """Points of Sobol's sequence in [0, 1), (count, dimensions), shifted digit by digit by the seed; the same everywhere."""
    if not 1 <= dimensions <= len(_DIRECTIONS) + 1:
        raise ValueError(f"Sobol's sequence is here for up to {len(_DIRECTIONS) + 1} parameters, not {dimensions}: use design='random'")
    shift = np.random.Generator(np.random.PCG64(seed)).integers(0, 1 << _BITS, size=dimensions, dtype=np.uint64)
    points = np.empty((count, dimensions))
    for d in range(dimensions):
        columns, x = _columns(d), 0
        for i in range(count):
            points[i, d] = (x ^ int(shift[d])) / 2.0**_BITS
            # Gray code: the lowest zero bit of i tells which number to add.
            x ^= columns[(~i & (i + 1)).bit_length() - 1]
    return points


def _range(name: str, given: Any) -> tuple[float, float, bool]:
    """(low, high), (low, high, "log") or a dict of these."""
    if isinstance(given, Mapping):
        low, high, log = given.get("low"), given.get("high"), bool(given.get("log", False))
        if set(given) - {"low", "high", "log"}:
            raise ValueError(f"{name}: a range has low, high and log, not {sorted(set(given) - {'low', 'high', 'log'})[0]!r}")
    else:
        items = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else []
        if len(items) not in (2, 3) or (len(items) == 3 and items[2] not in ("log", "linear")):
            raise ValueError(f"{name}: random and sobol designs need (low, high) or (low, high, 'log'), not {given!r}")
        low, high, log = items[0], items[1], len(items) == 3 and items[2] == "log"
    try:
        a, b = float(low), float(high)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ValueError(f"{name}: {given!r} is not a range of numbers") from None
    if not (math.isfinite(a) and math.isfinite(b) and a < b and (a > 0 or not log)):
        raise ValueError(f"{name}: {given!r} is not a range" + (" above zero" if log else ""))
    return a, b, log


def plain(value: Any) -> Any:
    """A number, word or list as JSON has it."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return [plain(v) for v in value.tolist()]
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"a parameter is a number, a word or a list of these, not {value!r}")


def runs(parameters: Mapping[str, Any], design: str, samples: int | None, seed: int) -> list[dict[str, Any]]:
    """The parameters of every run, in order."""
    if design not in DESIGNS:
        raise ValueError(f"design must be one of {', '.join(DESIGNS)}, not {design!r}")
    names = list(parameters)
    if not names:
        raise ValueError("there is no parameter to study")
    if design in ("random", "sobol"):
        if samples is None or samples < 1:
            raise ValueError(f"design={design!r} needs samples, how many runs there are")
        ranges = [_range(n, parameters[n]) for n in names]
        if design == "sobol":
            points = sobol(samples, len(names), seed)
        else:
            points = np.random.Generator(np.random.PCG64(seed)).random((samples, len(names)))
        out = []
        for p in points:
            values = [a * (b / a) ** u if log else a + u * (b - a) for (a, b, log), u in zip(ranges, p)]
            out.append(dict(zip(names, map(float, values))))
        return out
    if samples is not None:
        raise ValueError(f"samples are for random and sobol designs, not for {design!r}")
    lists = []
    for n in names:
        given = parameters[n]
        if isinstance(given, (str, Mapping)) or not hasattr(given, "__iter__"):
            raise ValueError(f"{n}: give the list of its values, not {given!r}")
        values = [plain(v) for v in given]
        if not values:
            raise ValueError(f"{n}: the list of its values is empty")
        lists.append(values)
    if design == "list":
        if len({len(values) for values in lists}) != 1:
            raise ValueError("design='list' needs as many values of each parameter: " + ", ".join(f"{n} {len(v)}" for n, v in zip(names, lists)))
        return [dict(zip(names, values)) for values in zip(*lists)]
    return [dict(zip(names, values)) for values in itertools.product(*lists)]
