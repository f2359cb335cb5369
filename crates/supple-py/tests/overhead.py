"""Measures what Python adds to steps, and what studies add to runs; on demand: `python crates/supple-py/tests/overhead.py [RUNS]`.

Prints numbers beside their targets. Times are those of this machine: run it when nothing else runs.
"""
import os
import resource
import sys
import tempfile
import time
import tracemalloc

import numpy as np

import supple


def small(tets):
    cells = max(1, round(tets / 5 / 4))
    mesh = supple.box_mesh((0.25 * cells, 0.2, 0.2), (cells, 2, 2))
    scene = supple.Scene(dt=0.02)
    body = scene.add_solid(mesh.vertices, mesh.tets, material=supple.NeoHookean(young=1e5, poisson=0.3), density=1000.0)
    scene.pin(body, mesh.vertices[:, 0] == 0)
    return scene, mesh


def stiff(young):
    mesh = supple.box_mesh((2.5, 0.2, 0.2), (25, 2, 2))
    scene = supple.Scene(dt=0.02)
    body = scene.add_solid(mesh.vertices, mesh.tets, material=supple.NeoHookean(young=young, poisson=0.3), density=1000.0)
    scene.pin(body, mesh.vertices[:, 0] == 0)
    return scene


def steps(count=2000):
    scene, mesh = small(300)
    sim = scene.build(threads=1)
    sim.step(20)
    more = np.empty(count)
    for k in range(count):
        begin = time.perf_counter()
        report = sim.step()
        more[k] = time.perf_counter() - begin - report.timings["total"]
    more *= 1e6
    print(f"step() of {len(mesh.tets)} tetrahedra: {np.median(more):.1f} us more than the step itself (90 %: {np.quantile(more, 0.9):.1f}); target 20")
    out = np.empty((2, sim.node_count, 3))
    tracemalloc.start()
    for _ in range(10):
        sim.step(), sim.get_positions(out=out[0]), sim.get_velocities(out=out[1])
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(100):
        sim.step(), sim.get_positions(out=out[0]), sim.get_velocities(out=out[1])
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    print(f"100 steps with out= keep {kept} bytes; target 0")


def gradient(tets=2000, count=20):
    scene, mesh = small(tets)
    sim = scene.build(threads=1, method="newton", tolerance=1e-8)
    hessians, begin = 0, time.perf_counter()
    for _ in range(count):
        hessians += sim.step().hessians
    bare = time.perf_counter() - begin
    sim.reset()
    begin = time.perf_counter()
    with sim.record() as tape:
        sim.step(count)
    forward = time.perf_counter() - begin
    dx = np.ones_like(sim.positions)
    begin = time.perf_counter()
    tape.backward(dx=dx)
    back = time.perf_counter() - begin
    print(f"{count} steps of {len(mesh.tets)} tetrahedra: {bare * 1e3:.0f} ms, under record {forward * 1e3:.0f} ms, {hessians} Hessians factored")
    print(f"backward: {back * 1e3:.0f} ms = {back / bare:.2f} of the forward run, {count} factored; target 1.5")


def study(count):
    from supple._study.task import Task, run

    task = Task(stiff, ("last", "tip"), 20, {"threads": 1})
    values = list(np.geomspace(5e4, 5e5, count))
    run(task, {"young": 1e5})
    begin, cpu = time.perf_counter(), time.process_time()
    for v in values[:: max(1, count // 20)]:
        run(task, {"young": v})
    taken = len(values[:: max(1, count // 20)])
    alone, busy = (time.perf_counter() - begin) / taken, (time.process_time() - cpu) / taken
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begin = time.perf_counter()
        supple.study(stiff, {"young": values}, keep=["last", "tip"], frames=20, store=folder, workers=cores, progress=False)
        wall = time.perf_counter() - begin
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
    print(f"one run alone: {alone * 1e3:.1f} ms, {busy * 1e3:.1f} ms of processor time")
    print(f"{count} runs by {cores} processes: {wall:.2f} s, {count * alone / cores / wall:.0%} of {cores} ideal cores; target 90 %")
    print(f"the parent's memory grew by {grown / 1024:.1f} MB")


if __name__ == "__main__":
    steps()
    gradient()
    study(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
