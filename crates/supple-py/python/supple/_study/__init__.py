"""Studies: many runs of a scene, kept in a folder.

| file | holds |
|---|---|
| `__init__.py` | `study`, and what it gives |
| `design.py` | which runs there are |
| `task.py` | one run |
| `store.py` | the folder |
| `local.py` `on_ray.py` | who runs them |
| `report.py` | plots, and the page |
| `command.py` | the command line |
"""
from __future__ import annotations

import os
import pathlib
import sys
import time
from typing import Any, Mapping

from . import design as _design
from .store import Store, columns, table
from .task import Task, canonical, kept

ENGINES = ("local", "ray")


class Study:
    """Runs of a study, done and to be done."""

    def __init__(
        self,
        task: Task,
        runs: list[dict[str, Any]],
        store: Store,
        engine: str,
        workers: int | None,
        address: str | None,
        shard: tuple[int, int] | None,
        progress: bool,
    ) -> None:
        self._task, self._store, self._engine, self._workers = task, store, engine, workers
        self._address, self._shard, self._progress = address, shard, progress
        text = canonical(task.describe())
        self._runs = {task.key(p, text): p for p in runs}

    @property
    def store(self) -> pathlib.Path:
        """The folder."""
        return self._store.folder

    @property
    def keys(self) -> list[str]:
        """The names of the runs, in order: hashes of scene, parameters and version."""
        return list(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def _mine(self) -> list[tuple[str, dict[str, Any]]]:
        all_runs = list(self._runs.items())
        if self._shard is None:
            return all_runs
        i, n = self._shard
        return all_runs[i - 1 :: n]

    @property
    def missing(self) -> int:
        """Runs that are not in the store."""
        return sum(not self._store.has(k) for k in self._runs)

    def resume(self, *, failed: bool = False) -> Study:
        """Runs what is missing, and what has failed if that is asked for."""
        if failed:
            for key, _ in self._mine():
                if (self._store.read(key) or {}).get("error") is not None:
                    self._store.forget(key)
        jobs = [(k, p) for k, p in self._mine() if not self._store.has(k)]
        self._store.create(
            {
                "runs": len(self._runs),
                "engine": self._engine,
                "description": self._task.describe(),
                "parameters": columns(self._runs.values()),
            }
        )
        if jobs:
            bar = _Bar(len(jobs), self._progress)
            try:
                if self._engine == "ray":
                    from . import on_ray

                    on_ray.run_all(self._task, jobs, self._store, self._workers, bar, self._address)
                else:
                    from . import local

                    local.run_all(self._task, jobs, self._store, self._workers, bar)
            finally:
                bar.close()
                self._write()
        else:
            self._write()
        return self

    def _write(self) -> None:
        if self._shard is None or self.missing == 0:
            table(self.store, self.table())

    def table(self) -> list[dict[str, Any]]:
        """One row for each run that is done, in order: "run", its parameters, what was kept, "error" and "seconds"."""
        rows = []
        for key, parameters in self._runs.items():
            found = self._store.read(key)
            if found is not None:
                row = {"run": key, **parameters}
                # A result of the name of a parameter does not hide it.
                row |= {(f"result.{n}" if n in row else n): v for n, v in found["row"].items()}
                rows.append({**row, "error": found["error"], "seconds": found["seconds"]})
        return rows

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame."""
        try:
            import pandas  # type: ignore[import-not-found,import-untyped,unused-ignore]
        except ImportError:
            raise ImportError("to_pandas() needs pandas: pip install pandas; table() gives the rows as dicts") from None
        rows = self.table()
        return pandas.DataFrame(rows, columns=columns(rows))

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The runs that failed: "run", "parameters", "error" and "trace"."""
        out = []
        for key, parameters in self._runs.items():
            found = self._store.read(key)
            if found is not None and found["error"] is not None:
                out.append({"run": key, "parameters": parameters, "error": found["error"], "trace": found["trace"]})
        return out

    def arrays(self, run: str | int) -> dict[str, Any]:
        """The arrays of a run, by its name or its number."""
        key = self.keys[run] if isinstance(run, int) else run
        if key not in self._runs:
            raise KeyError(f"there is no run {key!r}")
        return self._store.arrays(key)

    def merge(self, *others: str | os.PathLike[str]) -> Study:
        """Takes the runs of other stores, of shards say."""
        for other in others:
            self._store.merge(Store(other))
        self._write()
        return self

    def report(self, path: str | os.PathLike[str] | None = None) -> pathlib.Path:
        """Writes a page with plots and the table; by default `report.html` in the store."""
        from . import report

        return report.write_page(self, pathlib.Path(path) if path is not None else self.store / "report.html")

    def __repr__(self) -> str:
        return f"<supple study of {len(self)} runs in {self.store}, {self.missing} missing, {len(self.failed)} failed>"


class _Bar:
    """Done of all, failures, and how long it will take."""

    def __init__(self, count: int, shown: bool) -> None:
        self.count, self.shown = count, shown
        self.done, self.failed, self.begin, self.last = 0, 0, time.monotonic(), 0.0

    def __call__(self, good: bool) -> None:
        self.done += 1
        self.failed += not good
        now = time.monotonic()
        if self.shown and (now - self.last > 0.2 or self.done == self.count):
            self.last = now
            left = (now - self.begin) / self.done * (self.count - self.done)
            failed = f", {self.failed} failed" if self.failed else ""
            print(f"\r{self.done}/{self.count} runs{failed}, {left:.0f} s left   ", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.shown and self.done:
            print(file=sys.stderr)


def study(
    scene: Any,
    parameters: Mapping[str, Any],
    keep: Any = None,
    store: str | os.PathLike[str] = "study",
    engine: str = "local",
    workers: int | None = None,
    *,
    design: str = "grid",
    samples: int | None = None,
    seed: int = 0,
    frames: int | None = None,
    address: str | None = None,
    shard: tuple[int, int] | None = None,
    progress: bool = True,
    start: bool = True,
    **options: Any,
) -> Study:
    """Runs a scene for many parameters and keeps the results in a folder; started again, it runs only what is missing.

    scene: a scene file, whose keys the parameters are ("body.beam.material.young"), or a function of the parameters that gives a Scene, a
    Simulation or a dict of results. Processes import it: a function of the top level of a module, or of a script whose own work stands
    under `if __name__ == "__main__":`.

    parameters: by name a list of values; design: "grid" (all of all), "list" (the first of each, the second …), "random" or "sobol" with
    (low, high) or (low, high, "log") for each name, `samples` runs and a seed. keep: words among "last", "tip", "force", "stress", "energy",
    "every:k", and functions of the simulation, which may have names in a dict; by default last, tip and stress. frames: how many; None
    takes those of a scene file.

    engine: "local" processes, `workers` of them (by default one for each core; 0 runs here), or "ray" with the address of a cluster. Each
    run has one thread unless options, those of Scene.build(), say otherwise; results do not depend on either. shard=(i, n) runs every n-th
    run from the i-th on. start=False runs nothing yet: resume() does.
    """
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}, not {engine!r}")
    if workers is not None and (not isinstance(workers, int) or workers < 0):
        raise ValueError(f"workers must be a number from 0 on, not {workers!r}")
    if shard is not None and not (len(shard) == 2 and 1 <= shard[0] <= shard[1]):
        raise ValueError(f"shard must be (i, n) with 1 <= i <= n, not {shard!r}")
    if frames is not None and frames < 0:
        raise ValueError(f"frames must be zero or positive, not {frames}")
    if isinstance(scene, (str, os.PathLike)):
        scene = os.path.abspath(scene)
        if not os.path.isfile(scene):
            raise FileNotFoundError(f"there is no scene file {scene}")
    runs = _design.runs(parameters, design, samples, seed)
    task = Task(scene, kept(keep), frames, {"threads": 1, **options})
    folder = Store(store)
    folder.sweep()
    made = Study(task, runs, folder, engine, workers, address, shard, progress)
    return made.resume() if start else made


__all__ = ["Study", "study"]
