"""Many frames at once."""
from __future__ import annotations

from typing import Any, Callable, Iterable

import numpy as np
import numpy.typing as npt

from ._supple import Scene, Simulation, StepReport

_NUMBERS = ("frame", "time", "iterations", "primal", "dual", "force_residual", "step", "inverted", "violation")
_WORDS = ("status", "method")


def _watched(frames: Iterable[int], progress: bool) -> Iterable[int]:
    """With a bar if tqdm is there."""
    if not progress:
        return frames
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        return frames
    bar: Iterable[int] = tqdm(frames, unit="frame")
    return bar


def run(
    scene: Scene | Simulation,
    frames: int | None = None,
    progress: bool = True,
    *,
    callback: Callable[[Simulation, StepReport], Any] | None = None,
    **options: Any,
) -> tuple[npt.NDArray[np.float64], dict[str, npt.NDArray[Any]]]:
    """Simulates frames and returns positions (frames, n, 3) after each, and the statistics of each as a dict of arrays.

    scene: a Scene, which is built with the options of Scene.build, or a Simulation, which continues from its state.
    frames: how many; None takes those of a scene file. progress: a bar, if tqdm is there. callback(sim, report) is called
    after each frame; a true answer ends the run early.

    The statistics are those of StepReport ("status", "iterations", "force_residual", ...), the energies ("elastic", "kinetic",
    "potential") and "seconds" of wall-clock time. With several steps per frame they are those of the last, with the
    iterations and seconds of all.
    """
    if isinstance(scene, Simulation):
        if options:
            raise TypeError("a Simulation has been built: options are for scenes")
        sim = scene
    else:
        sim = scene.build(**options)
        frames = scene.frames if frames is None else frames
    if frames is None:
        raise TypeError("frames must be given: only scene files say how many there are")
    if frames < 0:
        raise ValueError(f"frames must be zero or positive, not {frames}")
    positions = np.empty((frames, sim.node_count, 3))
    rows: list[dict[str, Any]] = []
    for k in _watched(range(frames), progress):
        iterations, seconds = 0, 0.0
        for _ in range(sim.substeps):
            report = sim.step()
            iterations += report.iterations
            seconds += report.timings["total"]
        positions[k] = sim.positions
        row = {name: getattr(report, name) for name in _NUMBERS + _WORDS}
        rows.append({**row, **report.energy, "iterations": iterations, "seconds": seconds})
        if callback is not None and callback(sim, report):
            break
    names = _NUMBERS + _WORDS + ("elastic", "kinetic", "potential", "seconds")
    return positions[: len(rows)], {name: np.array([row[name] for row in rows]) for name in names}
