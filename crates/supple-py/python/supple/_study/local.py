"""Runs in processes of this machine."""
from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from typing import Any, Callable, Iterable

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
    tries: dict[str, int] = {}
    again: list[tuple[str, dict[str, Any]]] = []
    while True:
        pool = ProcessPoolExecutor(
            workers, mp_context=get_context("spawn"), initializer=_begin, initargs=(task, str(store.folder))
        )
        running: dict[Future[bool], tuple[str, dict[str, Any]]] = {}
        broken = False
        try:
            while True:
                # No more at a time than keeps all busy: the parent stays small.
                while len(running) < 2 * workers:
                    job = again.pop() if again else next(waiting, None)
                    if job is None:
                        break
                    running[pool.submit(_work, *job)] = job
                if not running:
                    pool.shutdown()
                    return
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    key, parameters = running.pop(future)
                    try:
                        done(future.result())
                    except BrokenProcessPool:
                        broken = True
                        _once_more(key, parameters, store, tries, again, done)
                if broken:
                    break
        except BrokenProcessPool:
            broken = True
        except BaseException:
            # Ctrl-C: what is under way is lost, what is done is kept.
            processes = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for p in processes:
                p.terminate()
            raise
        # A process ended: all that it and the others had in hand is run again in new ones.
        for key, parameters in running.values():
            _once_more(key, parameters, store, tries, again, done)
        pool.shutdown(wait=False, cancel_futures=True)


def _once_more(
    key: str,
    parameters: dict[str, Any],
    store: Store,
    tries: dict[str, int],
    again: list[tuple[str, dict[str, Any]]],
    done: Callable[[bool], None],
) -> None:
    if store.has(key):
        done((store.read(key) or {}).get("error") is None)
        return
    tries[key] = tries.get(key, 0) + 1
    if tries[key] <= RETRIES:
        again.append((key, parameters))
        return
    store.keep(key, parameters, Outcome({}, {}, error=f"the process that ran it ended, {tries[key]} times"))
    done(False)
