"""Recorded states in place of a simulation: what looks at states alone does not see the difference."""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._supple import Body, Simulation

Array = npt.NDArray[np.float64]


class NotReplayed(Exception):
    """Something was asked for that recorded states do not tell."""


class _NoReport:
    """In place of the report of a step that is not taken."""

    def __getattr__(self, name: str) -> Any:
        raise NotReplayed(f"it asks for `{name}` of a step's report")


class Replay:
    """Takes steps through given states. What is moved by hand is only noted."""

    def __init__(self, sim: Simulation, positions: Array, velocities: Array) -> None:
        self._sim, self._x, self._v = sim, positions, velocities
        self._at, self._told = 0, list[Any]()
        self._start = (sim.frame - (len(positions) - 1), sim.time - (len(positions) - 1) * float(sim.settings["dt"]))

    def step(self, n: int = 1) -> Any:
        if self._at + n >= len(self._x):
            raise NotReplayed("it takes more steps than were recorded")
        self._at += n
        return _NoReport()

    def _shown(self, rows: Array, out: Array | None) -> Array:
        if out is None:
            return rows[self._at].copy()
        out[...] = rows[self._at]
        return out

    @property
    def positions(self) -> Array:
        return self._x[self._at].copy()

    @property
    def velocities(self) -> Array:
        return self._v[self._at].copy()

    def get_positions(self, out: Array | None = None) -> Array:
        return self._shown(self._x, out)

    def get_velocities(self, out: Array | None = None) -> Array:
        return self._shown(self._v, out)

    @property
    def frame(self) -> int:
        return self._start[0] + self._at

    @property
    def time(self) -> float:
        return self._start[1] + self._at * float(self._sim.settings["dt"])

    @property
    def node_count(self) -> int:
        return self._sim.node_count

    @property
    def substeps(self) -> int:
        return self._sim.substeps

    @property
    def bodies(self) -> list[Body]:
        return self._sim.bodies

    def body_slice(self, body: Any) -> slice:
        return self._sim.body_slice(body)

    def _note(self, name: str) -> Any:
        def noted(*given: Any, **named: Any) -> None:
            if name == "set_state" and self._at > 0:
                raise NotReplayed("it calls set_state() between steps")
            plain = [(k, v if isinstance(v, (str, int, float, type(None))) else v.index if isinstance(v, Body) else np.asarray(v).tolist())
                     for k, v in [*enumerate(given), *sorted(named.items())]]
            self._told.append((self._at, name, plain))

        return noted

    def __getattr__(self, name: str) -> Any:
        if name in ("set_state", "set_forces", "move_pins", "move_anchors", "move_obstacle", "contract"):
            return self._note(name)
        raise NotReplayed(f"it asks for `{name}`, which recorded states do not tell")
