"""Gradients through recorded steps: records and results as users have them."""
from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ._supple import Body, Simulation, _Gradient, _Record

Array = npt.NDArray[np.float64]


class Tape:
    """Steps under record: `with sim.record() as tape: …steps…`, then `tape.backward(dx=…)`."""

    def __init__(self, sim: Simulation, memory: int) -> None:
        self._sim, self._memory = sim, memory
        self._record: _Record | None = None
        self._open = False

    def __enter__(self) -> Tape:
        if self._open or self._record is not None:
            raise RuntimeError("a record is made once: call sim.record() again")
        self._sim._begin_record(self._memory)
        self._open = True
        return self

    def __exit__(self, *_: Any) -> None:
        self._close()

    def _close(self) -> _Record:
        if self._open:
            self._record, self._open = self._sim._end_record(), False
        if self._record is None:
            raise RuntimeError("nothing was recorded: use `with sim.record() as tape:`")
        return self._record

    def __len__(self) -> int:
        """Steps that were recorded."""
        return len(self._record) if self._record is not None else 0

    @property
    def bytes(self) -> int:
        """Bytes of states and checkpoints, about."""
        return self._close().bytes

    def backward(self, dx: npt.ArrayLike | None = None, dv: npt.ArrayLike | None = None) -> Gradients:
        """Derivatives of a number L with respect to everything that led to the recorded states.

        dx and dv are dL/dx and dL/dv: (n, 3) of the last state, or (steps, n, 3) of the states after every step.
        """
        record = self._close()
        n, steps = self._sim.node_count, len(record)
        if dx is None and dv is None:
            raise TypeError("backward() needs dx, dv or both")
        seeds: dict[int, list[Array | None]] = {}
        for which, given in enumerate((dx, dv)):
            if given is None:
                continue
            rows = np.asarray(given, dtype=float)
            if rows.shape == (n, 3):
                seeds.setdefault(steps, [None, None])[which] = rows
            elif rows.shape == (steps, n, 3):
                for k in range(steps):
                    seeds.setdefault(k + 1, [None, None])[which] = rows[k]
            else:
                name = ("dx", "dv")[which]
                raise ValueError(f"{name} must have shape {(n, 3)} or {(steps, n, 3)}, not {rows.shape}")
        found = self._sim._backward(record, [(k, s[0], s[1]) for k, s in sorted(seeds.items())])
        return Gradients(self._sim, found)


class Gradients:
    """Derivatives of L. Arrays of nodes hold all bodies in order of adding."""

    def __init__(self, sim: Simulation, found: _Gradient) -> None:
        self._sim, self._found = sim, found
        self._constants: dict[int, list[tuple[str, float, Array]]] = {}

    def _body(self, body: Body | str | int) -> int:
        for b in self._sim.bodies:
            if body == b.index or body == b.name or (isinstance(body, Body) and body.index == b.index):
                return b.index
        raise ValueError(f"there is no body {body!r}")

    def _of(self, body: Body | str | int) -> list[tuple[str, float, Array]]:
        index = self._body(body)
        if index not in self._constants:
            self._constants[index] = self._found.by_constant(self._sim, index)
        return self._constants[index]

    def material(self, body: Body | str | int) -> dict[str, float]:
        """dL/dθ of each constant of a body, in all of its elements alike: "young", "poisson", "density" and so on."""
        return {name: total for name, total, _ in self._of(body)}

    def elements(self, body: Body | str | int) -> dict[str, Array]:
        """dL/dθ of each constant in each element (m,); the sum over a region is the derivative for a change of that region."""
        return {name: by for name, _, by in self._of(body) if by.size}

    @property
    def positions(self) -> Array:
        """(n, 3), of the positions before the first step as set_state() sets them: pins that were not moved since go along."""
        return self._found.positions

    @property
    def velocities(self) -> Array:
        """(n, 3), of the velocities before the first step."""
        return self._found.velocities

    @property
    def forces_by_step(self) -> Array:
        """(steps, n, 3), of the force on each node in each step."""
        return self._found.forces

    @property
    def forces(self) -> Array:
        """(n, 3), of forces that stay over all steps, as set_forces() sets them."""
        return cast(Array, self.forces_by_step.sum(axis=0))

    @property
    def pins_by_step(self) -> Array:
        """(steps, n, 3), of where each pin is at the end of each step; zero for what is not pinned."""
        return self._found.pins

    @property
    def pins(self) -> Array:
        """(n, 3), of where each pin is, moved alike in every step."""
        return cast(Array, self.pins_by_step.sum(axis=0))

    @property
    def gravity(self) -> Array:
        """(3,)."""
        return self._found.gravity

    @property
    def masses(self) -> Array:
        """(n,), of the mass of each node."""
        return self._found.masses

    def rest(self, body: Body | str | int) -> Array:
        """(nodes, 3), of the rest positions of a solid of order 1, masses and where it is being what they are."""
        b = self._sim.bodies[self._body(body)]
        if b.name in self._found.no_rest:
            raise ValueError(
                f"no gradient with respect to the rest shape of body `{b.name}`: only solids of tetrahedra of four nodes are covered, "
                "without fibres, limits, damping by stiffness or averaged strain"
            )
        return self._found.rest[self._sim.body_slice(b)]

    def contractions(self, body: Body | str | int) -> Array:
        """(steps, fibres), of the contraction of each element with fibres in each step, in order of elements."""
        elements, values = self._found.contractions(self._body(body))
        if not elements:
            raise ValueError(f"body {body!r} has no fibres")
        return np.ascontiguousarray(values.T)

    @property
    def obstacles(self) -> dict[str, Array]:
        """(steps, 3) for each obstacle, of where it is at the end of each step."""
        return {name: self._found.obstacles[:, k] for k, name in enumerate(self._sim.obstacles)}

    @property
    def frictions(self) -> dict[str, float]:
        """Of the coefficient of friction of each obstacle."""
        return dict(zip(self._sim.obstacles, self._found.frictions))

    @property
    def report(self) -> list[dict[str, Any]]:
        """For each step: "unconverged" (it ended before it had converged), "force_residual", "indefinite" (its Hessian has directions of
        negative curvature), "linear_residual" of its linear system, "switching" (a contact is about to begin, to end or to slip)."""
        return self._found.notes()

    @property
    def flagged(self) -> list[dict[str, Any]]:
        """The steps of the report that are not to be trusted blindly."""
        return [
            n
            for n in self.report
            if n["unconverged"] or n["indefinite"] or n["switching"] or n["linear_residual"] > 1e-8
        ]
