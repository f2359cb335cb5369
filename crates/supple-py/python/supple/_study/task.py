"""One run: from parameters to a row of numbers and arrays. What runs it, and where, knows nothing else."""
from __future__ import annotations

import hashlib
import inspect
import json
import pathlib
import time
import traceback
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

import numpy as np

from .._made import Maker, simulation
from .._supple import Simulation, __version__
from .design import plain

REDUCTIONS = ("last", "tip", "force", "stress", "energy")


def _tip(sim: Simulation, start: Any) -> dict[str, float]:
    """The node that was furthest from the middle of the pins, or from its body's middle: where it is and how far it went."""
    held = sim.held.any(axis=1)
    middle = start[held].mean(axis=0) if held.any() else start.mean(axis=0)
    node = int(np.argmax(((start - middle) ** 2).sum(axis=1)))
    there = sim.positions[node]
    x, y, z = map(float, there)
    return {"tip_x": x, "tip_y": y, "tip_z": z, "tip_way": float(np.linalg.norm(there - start[node]))}


def _force(sim: Simulation) -> dict[str, float]:
    """What all pins bear together, and what all obstacles do."""
    pins, obstacles = sim.pin_forces.sum(axis=0), sim.reactions.sum(axis=0)
    return {"pin_force": float(np.linalg.norm(pins)), "obstacle_force": float(np.linalg.norm(obstacles))}


@dataclass(frozen=True)
class Task:
    """What every run of a study shares. It is sent to the processes that run it, never stored."""

    scene: Any
    keep: tuple[Any, ...]
    frames: int | None
    options: Mapping[str, Any] = field(default_factory=dict)

    def describe(self) -> dict[str, Any]:
        """All that decides what a run gives, besides its parameters."""
        maker = Maker(self.scene)
        keep = [k if isinstance(k, (str, int)) else list(k) if isinstance(k, tuple) and isinstance(k[1], int) else _source(k) for k in self.keep]
        return {
            "version": __version__,
            "scene": _scene_text(maker.path) if maker.path is not None else _source(self.scene),
            "keep": plain(keep),
            "frames": self.frames,
            "options": plain(dict(self.options)),
        }

    def key(self, parameters: Mapping[str, Any], description: str | None = None) -> str:
        """The name of a run: the hash of scene, parameters and version."""
        text = description if description is not None else canonical(self.describe())
        return hashlib.sha256((text + "\n" + canonical(parameters)).encode()).hexdigest()[:24]


def canonical(value: Any) -> str:
    """JSON of one form for one value; numbers to the last bit."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), allow_nan=True)


def _source(function: Any) -> dict[str, str]:
    if isinstance(function, tuple):
        name, function = function
    else:
        name = ""
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError):
        text = ""
    where = f"{getattr(function, '__qualname__', type(function).__qualname__)}"
    return {"function": where, "name": name, "source": hashlib.sha256(text.encode()).hexdigest()}


def _scene_text(path: pathlib.Path) -> dict[str, str]:
    """The hash of the scene file, and of each file that it names."""
    text = path.read_bytes()
    hashes = {"": hashlib.sha256(text).hexdigest()}
    for word in text.decode("utf-8", "replace").replace("'", '"').split('"')[1::2]:
        asset = path.parent / word
        if 0 < len(word) < 200 and "\n" not in word and asset.is_file():
            hashes[word] = hashlib.sha256(asset.read_bytes()).hexdigest()
    return hashes


@dataclass
class Outcome:
    """A row of the table, and arrays; or a failure, with its message and where it came from."""

    row: dict[str, Any]
    arrays: dict[str, Any]
    error: str | None = None
    trace: str | None = None
    seconds: float = 0.0


def run(task: Task, parameters: Mapping[str, Any]) -> Outcome:
    """Runs it; whatever it raises is an outcome too, but for what ends the process."""
    begin = time.perf_counter()
    try:
        row, arrays = _run(task, parameters)
        outcome = Outcome(row, arrays)
    except Exception as e:  # noqa: BLE001 - a user's function may raise anything
        outcome = Outcome({}, {}, error=f"{type(e).__name__}: {e}", trace=traceback.format_exc())
    outcome.seconds = time.perf_counter() - begin
    return outcome


def _run(task: Task, parameters: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    made = Maker(task.scene)(parameters)
    if isinstance(made, Mapping):
        # A function that has run everything itself.
        return _split(made)
    frames = task.frames
    if frames is None:
        frames = getattr(made, "frames", None)
    sim = made if isinstance(made, Simulation) else simulation(made, task.options)
    if not isinstance(sim, Simulation):
        raise TypeError(f"the function gives a Scene, a Simulation or a dict of results, not {type(sim).__name__}")
    if frames is None:
        raise TypeError("frames must be given: only scene files say how many there are")
    start = sim.positions
    every = [k[1] for k in task.keep if isinstance(k, tuple) and k[0] == "every"]
    arrays: dict[str, Any] = {}
    kept: list[Any] = []
    iterations, unconverged, worst = 0, 0, 0.0
    for frame in range(frames):
        for _ in range(sim.substeps):
            report = sim.step()
            iterations += report.iterations
            unconverged += report.status != "converged"
            worst = max(worst, report.force_residual)
        if every and (frame + 1) % every[0] == 0:
            kept.append(sim.positions)
    row: dict[str, Any] = {
        "frames": frames,
        "iterations": iterations,
        "unconverged": unconverged,
        "force_residual": worst,
        "inverted": int(sim.inverted),
    }
    if every:
        arrays["frames"] = np.array(kept).reshape(len(kept), sim.node_count, 3)
    for k in task.keep:
        if k == "last":
            arrays["positions"], arrays["velocities"] = sim.positions, sim.velocities
        elif k == "tip":
            row |= _tip(sim, start)
        elif k == "force":
            row |= _force(sim)
        elif k == "stress":
            fields = sim.element_fields()
            finite = fields[np.isfinite(fields[:, 1]), 1] if len(fields) else np.zeros(0)
            row["stress_max"] = float(finite.max()) if finite.size else float("nan")
            row["stretch_max"] = float(np.nanmax(fields[:, 0])) if len(fields) else float("nan")
        elif k == "energy":
            row |= {f"energy_{name}": float(e) for name, e in sim.energy().items()}
        elif not isinstance(k, (str, int)) and not (isinstance(k, tuple) and k[0] == "every"):
            name, function = k if isinstance(k, tuple) else (k.__name__, k)
            value = function(sim)
            more = value if isinstance(value, Mapping) else {name: value}
            numbers, some = _split(more)
            row |= numbers
            arrays |= some
    return row, arrays


def _split(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Numbers and words for the table, all else as arrays."""
    row: dict[str, Any] = {}
    arrays: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, np.ndarray) and value.ndim > 0 or isinstance(value, (list, tuple)):
            array = np.asarray(value)
            if array.dtype == object:
                raise TypeError(f"result {name!r} is not an array of numbers")
            arrays[str(name)] = array
        else:
            row[str(name)] = plain(value.item() if isinstance(value, np.ndarray) else value)
    return row, arrays


def kept(keep: Any) -> tuple[Any, ...]:
    """What to keep, checked: words, ("every", k), functions, or a dict of functions by name."""
    if keep is None:
        return ("last", "tip", "stress")
    if isinstance(keep, Mapping):
        items: list[Any] = list(keep.items())
    elif isinstance(keep, str) or callable(keep):
        items = [keep]
    else:
        items = list(keep)
    out: list[Any] = []
    for k in items:
        if isinstance(k, str) and k.startswith("every:"):
            k = ("every", int(k.split(":", 1)[1]))
        if isinstance(k, (list, tuple)) and len(k) == 2 and k[0] == "every":
            if not (isinstance(k[1], int) and k[1] >= 1):
                raise ValueError(f"keep: every so many frames, not {k[1]!r}")
            k = ("every", k[1])
        elif isinstance(k, (list, tuple)) and len(k) == 2 and callable(k[1]):
            k = (str(k[0]), k[1])
        elif isinstance(k, str) and k not in REDUCTIONS:
            raise ValueError(f"keep: there is no {k!r}; there are {', '.join(REDUCTIONS)}, 'every:k' and functions of the simulation")
        elif not isinstance(k, str) and not callable(k):
            raise ValueError(f"keep: {k!r} is neither a word nor a function")
        out.append(k)
    return tuple(out)


Progress = Callable[[int, int, int], None]
