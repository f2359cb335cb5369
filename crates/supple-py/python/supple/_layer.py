"""Time steps as a function with derivatives, for frameworks that differentiate: arrays in, arrays out, and back."""
from __future__ import annotations

from typing import Any, Mapping

import numpy as np
import numpy.typing as npt

from ._gradient import Tape
from ._made import Maker
from ._sensitivity import built, through, widths
from ._supple import Simulation

Array = npt.NDArray[np.float64]


class Call:
    """Steps that were taken, to go back through."""

    def __init__(self, layer: Layer, sim: Simulation, tape: Tape, given: Mapping[str, Any], parameters: Mapping[str, float]) -> None:
        self._layer, self._sim, self._tape, self._given, self._parameters = layer, sim, tape, given, parameters
        #: What the steps of this call say about their derivatives.
        self.report: list[dict[str, Any]] = []

    def backward(self, dx: Array, dv: Array, wanted: tuple[str, ...] = ()) -> dict[str, Any]:
        """dL/d of each input, given dL/dx and dL/dv of the state at the end; of parameters those that are wanted."""
        sim, given = self._sim, self._given
        found = self._tape.backward(dx=dx, dv=dv)
        self.report = found.report
        out: dict[str, Any] = {"positions": np.array(found.positions), "velocities": found.velocities}
        if given["forces"] is not None:
            out["forces"] = found.forces
        if given["pins"] is not None:
            out["pins"] = found.pins
            # Pins that are told where to be do not go along with positions, also where both are the same.
            held = sim.held
            along = held.any(axis=1) & np.all(~held | (given["pins"] == given["positions"]), axis=1)
            out["positions"][along] -= found.pins[along]
        out["contractions"] = {}
        for body, value in given["contractions"].items():
            by = found.contractions(body).sum(axis=0)
            out["contractions"][body] = by.sum() if np.ndim(value) == 0 else by
        out["parameters"] = {}
        if wanted:
            wide = {n: w for n, w in self._layer.widths.items() if n in wanted}
            # What differs between parameters is put on top of these.
            values = dict(self._parameters)
            there = through(self._layer.maker, values, (sim, self._tape, None), wide, self._layer.options)
            for name in wide:
                out["parameters"][name] = float(np.sum(dx * there.positions[name][-1]) + np.sum(dv * there.velocities[name][-1]))
        return out


class Layer:
    """So many steps of a simulation, or of the scene that a function of parameters or a file gives."""

    def __init__(self, scene: Any, parameters: Mapping[str, float] | None, steps: int, memory: int, options: Mapping[str, Any]) -> None:
        if steps < 1:
            raise ValueError(f"steps must be at least 1, not {steps}")
        self.steps, self.memory, self.options = steps, memory, dict(options)
        self.parameters = {n: float(v) for n, v in (parameters or {}).items()}
        self._made: tuple[dict[str, float], Simulation] | None = None
        if isinstance(scene, Simulation):
            if self.parameters or options:
                raise TypeError("a Simulation has been built: parameters and options are for scene files and functions")
            self._made = ({}, scene)
        else:
            self.maker = Maker(scene)
        self.sim = self.simulation({})
        with Tape(self.sim, 0):
            # What has no derivative is refused here, not in the middle of a training.
            pass

    def simulation(self, changed: Mapping[str, float]) -> Simulation:
        """With some parameters other than at first; the last one is kept."""
        unknown = set(changed) - set(self.parameters)
        if unknown:
            raise TypeError(f"{sorted(unknown)[0]!r} is no parameter: name it with its first value when the step is made")
        values = {**self.parameters, **changed}
        if self._made is None or self._made[0] != values:
            self._made = (values, built(self.maker, values, self.options))
        self.widths = widths(values, 1e-4)
        return self._made[1]

    def forward(self, given: Mapping[str, Any]) -> tuple[Array, Array, Call]:
        """Positions and velocities after the steps. `given`: "positions", "velocities", "forces", "pins", "contractions", "parameters"."""
        parameters = {n: float(v) for n, v in given["parameters"].items()}
        sim = self.simulation(parameters)
        x, v = np.asarray(given["positions"], dtype=float), np.asarray(given["velocities"], dtype=float)
        tape = Tape(sim, self.memory)
        with tape:
            sim.set_state(x, v)
            forces = given["forces"]
            sim.set_forces(np.zeros_like(x) if forces is None else forces)
            if given["pins"] is not None:
                pins = np.asarray(given["pins"], dtype=float)
                if pins.shape != x.shape:
                    raise ValueError(f"pins must have shape {x.shape}, those of nodes that are not pinned mean nothing, not {pins.shape}")
                for b in sim.bodies:
                    held = np.flatnonzero(sim.held[sim.body_slice(b)].any(axis=1))
                    if held.size:
                        sim.move_pins(b, held, pins[sim.body_slice(b)][held])
            for body, value in given["contractions"].items():
                if np.ndim(value) == 0:
                    sim.contract(body, float(value))
                else:
                    for element, c in enumerate(np.asarray(value, dtype=float)):
                        sim.contract(body, float(c), elements=[element])
            sim.step(self.steps)
        kept = {**given, "positions": x}
        return sim.positions, sim.velocities, Call(self, sim, tape, kept, {**self.parameters, **parameters})
