"""Many simulations of one scene, stepped together: for learning and control."""
from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable

import numpy as np
import numpy.typing as npt

from ._supple import Body, Scene, Simulation, StepError, StepReport

Array = npt.NDArray[np.float64]


class Batch:
    """n simulations of a scene, each with its own state; one call steps them all, over the cores.

    Each has one thread unless options, those of Scene.build(), say otherwise, and gives the same bits as it would alone. positions and
    velocities are (n, nodes, 3) and belong to the batch: every step writes into them anew.
    """

    def __init__(
        self, scene: Scene, n: int, *, workers: int | None = None, observe: Callable[[Simulation], Any] | None = None, **options: Any
    ) -> None:
        if n < 1:
            raise ValueError(f"a batch has at least one simulation, not {n}")
        if workers is not None and workers < 1:
            raise ValueError(f"workers must be at least 1, not {workers}")
        self.simulations = [scene.build(**{"threads": 1, **options}) for _ in range(n)]
        nodes = self.simulations[0].node_count
        self.positions: Array = np.empty((n, nodes, 3))
        self.velocities: Array = np.empty((n, nodes, 3))
        self.reports: list[StepReport | None] = [None] * n
        self._observe = observe
        if workers is None:
            try:
                workers = len(os.sched_getaffinity(0))
            except AttributeError:
                workers = os.cpu_count() or 1
        self._workers = min(n, workers)
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="supple batch")
        self._all(self._look, range(n))

    def __len__(self) -> int:
        return len(self.simulations)

    def __getitem__(self, i: int) -> Simulation:
        """One of the simulations; after changing its state call look()."""
        return self.simulations[i]

    def _look(self, i: int) -> None:
        self.simulations[i].get_positions(self.positions[i])
        self.simulations[i].get_velocities(self.velocities[i])

    def _all(self, do: Callable[[int], None], which: Iterable[int]) -> None:
        """All of them, each worker every so many; the first failure is raised when all are done."""
        numbers = list(which)

        def some(first: int) -> list[tuple[int, Exception]]:
            failed: list[tuple[int, Exception]] = []
            for i in numbers[first :: self._workers]:
                try:
                    do(i)
                except Exception as e:  # noqa: BLE001 - it is raised below
                    failed.append((i, e))
            return failed

        if self._workers == 1:
            failures = some(0)
        else:
            failures = [f for part in self._pool.map(some, range(self._workers)) for f in part]
        if failures:
            i, error = min(failures, key=lambda f: f[0])
            kind = type(error) if isinstance(error, (StepError, ValueError)) else RuntimeError
            raise kind(f"simulation {i} of the batch: {error}") from error

    def step(self, steps: int = 1) -> Any:
        """Takes so many time steps in every simulation and gives observe() of all, (n, …), or else positions."""

        def one(i: int) -> None:
            self.reports[i] = self.simulations[i].step(steps)
            self._look(i)

        self._all(one, range(len(self)))
        return self.observations()

    def observations(self) -> Any:
        """observe(simulation) of all, (n, …), or else positions."""
        if self._observe is None:
            return self.positions
        return np.stack([np.asarray(self._observe(s)) for s in self.simulations])

    def look(self) -> None:
        """Takes positions and velocities anew."""
        self._all(self._look, range(len(self)))

    def reset(self, which: int | Iterable[int] | None = None) -> None:
        """Puts all, or some, to the state after building."""
        chosen = range(len(self)) if which is None else [which] if isinstance(which, (int, np.integer)) else list(which)

        def one(i: int) -> None:
            self.simulations[i].reset()
            self.reports[i] = None
            self._look(i)

        self._all(one, chosen)

    def set_state(self, positions: npt.ArrayLike, velocities: npt.ArrayLike | None = None) -> None:
        """Positions and velocities of all, (n, nodes, 3)."""
        x = self._each(positions, "positions")
        v = np.zeros_like(x) if velocities is None else self._each(velocities, "velocities")

        def one(i: int) -> None:
            self.simulations[i].set_state(x[i], v[i])
            self._look(i)

        self._all(one, range(len(self)))

    def set_forces(self, forces: npt.ArrayLike) -> None:
        """Forces on the nodes of all in N, (n, nodes, 3)."""
        f = self._each(forces, "forces")
        self._all(lambda i: self.simulations[i].set_forces(f[i]), range(len(self)))

    def _each(self, given: npt.ArrayLike, name: str) -> Array:
        array = np.asarray(given, dtype=float)
        if array.shape != self.positions.shape:
            raise ValueError(f"{name} must have shape {self.positions.shape}, not {array.shape}")
        return array

    def contract(self, body: Body | str | int, contractions: npt.ArrayLike, *, elements: npt.ArrayLike | None = None) -> None:
        """Contracts the fibres of a body in each simulation: (n,) from 0 to 0.95."""
        values = np.asarray(contractions, dtype=float)
        if values.shape != (len(self),):
            raise ValueError(f"contractions must have shape ({len(self)},), not {values.shape}")
        for s, c in zip(self.simulations, values):
            s.contract(body, float(c), elements=elements)

    def move_pins(self, body: Body | str | int, ids: npt.ArrayLike, positions: npt.ArrayLike) -> None:
        """Moves pinned nodes of a body in each simulation: (n, k, 3)."""
        x = np.asarray(positions, dtype=float)
        if x.ndim != 3 or len(x) != len(self):
            raise ValueError(f"positions must have shape ({len(self)}, k, 3), not {x.shape}")
        for s, p in zip(self.simulations, x):
            s.move_pins(body, ids, p)

    def __repr__(self) -> str:
        return f"<supple.Batch of {len(self)} simulations of {self.positions.shape[1]} nodes>"
