"""How simulations change with a few parameters: forward mode through recorded steps."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

import numpy as np
import numpy.typing as npt

from ._gradient import Tape
from ._made import Maker, simulation
from ._replay import NotReplayed, Replay
from ._supple import Simulation

Array = npt.NDArray[np.float64]


@dataclass
class Sensitivity:
    """Derivatives of every recorded state, before the first step and after each; what `supple.sensitivity` gives."""

    #: The simulation that was run, at its end.
    sim: Simulation
    #: The parameters that it was run with.
    parameters: dict[str, float]
    #: What the run gave; None if it was a number of steps.
    value: Any
    #: The states themselves, (steps + 1, n, 3).
    states: Array
    #: Their velocities, (steps + 1, n, 3).
    state_velocities: Array
    #: dx/dθ of each parameter, (steps + 1, n, 3).
    positions: dict[str, Array]
    #: dv/dθ of each parameter, (steps + 1, n, 3).
    velocities: dict[str, Array]
    #: For each step what Gradients.report says.
    report: list[dict[str, Any]]
    _widths: dict[str, float] = field(default_factory=dict, repr=False)

    @property
    def flagged(self) -> list[dict[str, Any]]:
        """The steps of the report that are not to be trusted blindly."""
        keys = ("unconverged", "indefinite", "switching")
        return [n for n in self.report if any(n[k] for k in keys) or n["linear_residual"] > 1e-8]

    def replayed(self, run: Callable[[Any], Any]) -> Any:
        """What run(sim) gives when it is shown the recorded states."""
        try:
            return run(Replay(self.sim, self.states, self.state_velocities))
        except NotReplayed as e:
            raise ValueError(f"recorded states do not tell all that the function asks for: {e}") from e

    def of(self, run: Callable[[Any], Any]) -> dict[str, Array]:
        """The derivative of what run(sim) gives, for each parameter, if it takes the steps that were recorded and looks at positions,
        velocities and time alone.

        No simulation is run: states moved along their derivatives are shown to it. ValueError if it asks for anything else.
        """

        def shown(x: Array, v: Array) -> tuple[Array, list[Any]]:
            replay = Replay(self.sim, x, v)
            return np.asarray(run(replay), dtype=float), replay._told

        try:
            _, told = shown(self.states, self.state_velocities)
            out = {}
            for name, width in self._widths.items():
                sides = []
                for h in (0.5 * width, -0.5 * width):
                    side, same = shown(
                        self.states + h * self.positions[name], self.state_velocities + h * self.velocities[name]
                    )
                    if same != told:
                        raise NotReplayed("what it moves depends on the states")
                    sides.append(side)
                out[name] = np.asarray((sides[0] - sides[1]) / width)
            return out
        except NotReplayed as e:
            raise ValueError(f"no derivative of this function: {e}") from e


def widths(parameters: Mapping[str, float], step: float | Mapping[str, float]) -> dict[str, float]:
    """By how much both sides of each parameter differ."""
    out = {}
    for name, value in parameters.items():
        h = float(step[name]) if isinstance(step, Mapping) else float(step) * (abs(value) if value != 0 else 1.0)
        if not (np.isfinite(h) and h > 0):
            raise ValueError(f"the step of {name!r} must be positive, not {h}")
        out[name] = 2.0 * h
    return out


def built(scene: Maker, parameters: Mapping[str, float], options: Mapping[str, Any]) -> Simulation:
    """The simulation of these parameters."""
    made = simulation(scene(dict(parameters)), options)
    if not isinstance(made, Simulation):
        raise TypeError(f"the function of the scene must give a Scene or a Simulation, not {type(made).__name__}")
    return made


def through(
    scene: Maker, parameters: Mapping[str, float], recorded: tuple[Simulation, Tape, Any], wide: Mapping[str, float], options: Mapping[str, Any]
) -> Sensitivity:
    """Forward mode through a record: the scene is built twice for each parameter, and nothing is run."""
    sim, tape, value = recorded
    nearby = []
    for name, width in wide.items():
        sides = [built(scene, {**parameters, name: parameters[name] + s * width}, options) for s in (0.5, -0.5)]
        # As wide as floating-point numbers make it.
        real = (parameters[name] + 0.5 * width) - (parameters[name] - 0.5 * width)
        nearby.append((sides[0], sides[1], real))
    found, notes = sim._forward(tape._close(), nearby)
    (x, v), rest = found[0], found[1:]
    return Sensitivity(
        sim=sim,
        parameters=dict(parameters),
        value=value,
        states=x,
        state_velocities=v,
        positions={name: p[0] for name, p in zip(wide, rest)},
        velocities={name: p[1] for name, p in zip(wide, rest)},
        report=notes,
        _widths=dict(wide),
    )


def sensitivity(
    scene: Any,
    parameters: Mapping[str, float],
    run: int | Callable[[Simulation], Any],
    *,
    step: float | Mapping[str, float] = 1e-4,
    memory: int = 2**28,
    **options: Any,
) -> Sensitivity:
    """Runs a scene and finds how each of its states changes with a few parameters, whatever they change in it.

    scene: a scene file, whose keys the parameters are, or a function of the parameters that gives a Scene or a Simulation. run: so many
    steps, or a function of the simulation that takes them. What it moves by hand does not depend on the parameters.

    step: how far apart the scenes are whose forces are compared, relative (1e-4), or by name. memory: bytes for states, beyond which they are found
    again. options are those of Scene.build(); ask for tolerance=1e-8 or less. It costs one factorisation per step, one solve per step and
    parameter, and two builds per parameter.
    """
    maker = Maker(scene)
    values = {name: float(v) for name, v in parameters.items()}
    wide = widths(values, step)
    sim = built(maker, values, options)
    tape = Tape(sim, memory)
    with tape:
        value = run(sim) if callable(run) else sim.step(run) and None
    return through(maker, values, (sim, tape, value), wide, options)
