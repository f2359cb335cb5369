"""Runs on a Ray cluster. Results come back to the driver, which keeps them: no file system needs to be shared."""
from __future__ import annotations

import dataclasses
import sys
from typing import Any, Callable, Iterable

from .store import Store
from .task import Outcome, Task, run

#: So many times a run is tried again whose worker or node ended.
RETRIES = 5


def run_all(
    task: Task,
    jobs: Iterable[tuple[str, dict[str, Any]]],
    store: Store,
    workers: int | None,
    done: Callable[[bool], None],
    address: str | None,
) -> None:
    """Runs all; `workers` is how many at a time, by default as many as the cluster has cores."""
    try:
        import ray as installed  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise ImportError("engine='ray' needs Ray: pip install 'supple[ray]'") from None
    ray: Any = installed
    started = False
    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False, **({} if address else {"num_cpus": workers}))
        started = True
    threads = max(1, int(task.options.get("threads", 1)))
    try:
        _send_sources(ray, task)
        remote = ray.remote(num_cpus=threads, max_retries=RETRIES)(_work)
        shared = ray.put(task)
        waiting = iter(jobs)
        running: dict[Any, tuple[str, dict[str, Any]]] = {}
        while True:
            if workers is None:
                most = max(1, int(ray.cluster_resources().get("CPU", 1)) // threads)
            else:
                most = workers
            while len(running) < 2 * most:
                job = next(waiting, None)
                if job is None:
                    break
                running[remote.remote(shared, job[1])] = job
            if not running:
                return
            finished, _ = ray.wait(list(running), num_returns=1)
            for reference in finished:
                key, parameters = running.pop(reference)
                try:
                    outcome = Outcome(**ray.get(reference))
                except ray.exceptions.RayError as e:
                    outcome = Outcome({}, {}, error=f"{type(e).__name__}: the worker that ran it ended")
                store.keep(key, parameters, outcome)
                done(outcome.error is None)
    finally:
        if started:
            ray.shutdown()


def _send_sources(ray: Any, task: Task) -> None:
    """Functions of modules that are not installed go to the workers as they are, not by name."""
    for item in (task.scene, *task.keep):
        function = item[1] if isinstance(item, tuple) else item
        module = sys.modules.get(getattr(function, "__module__", None) or "")
        file = getattr(module, "__file__", None)
        if module is not None and file and module.__name__ != "__main__" and "site-packages" not in file:
            ray.cloudpickle.register_pickle_by_value(module)


def _work(task: Task, parameters: dict[str, Any]) -> dict[str, Any]:
    outcome = run(task, parameters)
    return {f.name: getattr(outcome, f.name) for f in dataclasses.fields(outcome)}
