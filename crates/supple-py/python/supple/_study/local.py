"""Runs in processes of this machine."""
from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from typing import Any, Callable, Iterable, Iterator

from .store import Store
from .task import Outcome, Task, run

#: So many times a run is tried again whose process ended.
RETRIES = 2

_state: dict[str, Any] = {}


def _begin(task: Task, folder: str) -> None:
    # Ctrl-C is for the parent, which ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()
    _state["task"], _state["store"] = task, Store(folder)


def _follow(sentinel: int) -> None:
    """Nothing runs on when the parent was killed."""
    wait_for([sentinel])
    os._exit(1)


def _work(key: str, parameters: dict[str, Any]) -> bool:
    """Runs and keeps it: what is done is in the store, whatever becomes of the parent."""
    outcome = run(_state["task"], parameters)
    _state["store"].keep(key, parameters, outcome)
    return outcome.error is None


def cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def run_all(
    task: Task,
    jobs: Iterable[tuple[str, dict[str, Any]]],
    store: Store,
    workers: int | None,
    done: Callable[[bool], None],
) -> None:
    """Runs all, as many at a time as there are workers; `done` is called after each with whether it succeeded."""
    if workers is None:
        workers = max(1, cores() // max(1, int(task.options.get("threads", 1))))
    if workers == 0:
        for key, parameters in jobs:
            outcome = run(task, parameters)
            store.keep(key, parameters, outcome)
            done(outcome.error is None)
        return
    waiting = iter(jobs)
    while True:
        suspects = _together(task, waiting, store, workers, done)
        if not suspects:
            return
        # A process ended, and nobody knows which of the runs in hand did it: these one by one, then on with the others.
        for job in suspects:
            _alone(task, job, store, done)


def _pool(task: Task, store: Store, workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin, initargs=(task, str(store.folder)))


def _together(
    task: Task, waiting: Iterator[tuple[str, dict[str, Any]]], store: Store, workers: int, done: Callable[[bool], None]
) -> list[tuple[str, dict[str, Any]]]:
    """Runs until all are done, or until a process ends: then those that were in hand."""
    pool = _pool(task, store, workers)
    running: dict[Future[bool], tuple[str, dict[str, Any]]] = {}
    suspects: list[tuple[str, dict[str, Any]]] = []
    try:
        while not suspects:
            # No more at a time than keeps all busy: the parent stays small.
            while len(running) < 2 * workers:
                job = next(waiting, None)
                if job is None:
                    break
                try:
                    running[pool.submit(_work, *job)] = job
                except BrokenProcessPool:
                    suspects.append(job)
                    break
            if not running:
                break
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                job = running.pop(future)
                try:
                    done(future.result())
                except BrokenProcessPool:
                    suspects.append(job)
    except BaseException:
        _end(pool)
        raise
    pool.shutdown(wait=not suspects, cancel_futures=True)
    return suspects + list(running.values())


def _alone(task: Task, job: tuple[str, dict[str, Any]], store: Store, done: Callable[[bool], None]) -> None:
    """One run in a process of its own, tried again where that ends."""
    key, parameters = job
    for _ in range(1 + RETRIES):
        if store.has(key):
            done((store.read(key) or {}).get("error") is None)
            return
        pool = _pool(task, store, 1)
        try:
            done(pool.submit(_work, *job).result())
            return
        except BrokenProcessPool:
            continue
        except BaseException:
            _end(pool)
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    store.keep(key, parameters, Outcome({}, {}, error=f"the process that ran it ended, {1 + RETRIES} times"))
    done(False)


def _end(pool: ProcessPoolExecutor) -> None:
    """Ctrl-C: what is under way is lost, what is done is kept."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for p in processes:
        p.terminate()
