"""The interpreter's lock, several threads, Ctrl-C."""
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import beam

import supple


def long_step(seconds=1.0, cells=(24, 8, 8)):
    return beam(cells)[0].build(method="admm", tolerance=0, iterations=10**8, time_budget=seconds, threads=1)


@pytest.mark.parametrize("from_main", [True, False])
def test_other_threads_run_during_a_step(from_main):
    sim, ticks, done = long_step(), [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.005)

    clock = threading.Thread(target=tick)
    clock.start()
    if from_main:
        sim.step()
    else:
        worker = threading.Thread(target=sim.step)
        worker.start()
        worker.join()
    done.set()
    clock.join()
    assert sim.frame == 1 and len(ticks) > 30


def test_two_threads_at_one_simulation_are_told_so():
    sim = long_step()
    worker = threading.Thread(target=sim.step)
    worker.start()
    time.sleep(0.2)
    for use in (sim.step, lambda: sim.positions, sim.energy, lambda: next(sim.iterations()), lambda: sim.save("x")):
        with pytest.raises(RuntimeError, match="in use: step"):
            use()
    worker.join()
    assert sim.frame == 1 and len(sim.positions)


def test_a_simulation_per_thread():
    results = {}

    def work(k):
        sim = beam((6, 2, 2))[0].build(threads=1 + k % 2)
        for _ in range(10):
            sim.step()
            for it in sim.iterations():
                if it.index == 2:
                    break
        results[k] = sim.positions.tobytes()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(results) == 6 and len(set(results.values())) == 1


def test_many_threads_hammer_one_simulation():
    sim, errors, steps = beam()[0].build(threads=2), [], []

    def work():
        for _ in range(60):
            try:
                steps.append(sim.step().frame)
                sim.positions, sim.energy(), sim.velocities
                for it in sim.iterations():
                    break
            except RuntimeError as e:
                if "in use" not in str(e) and "rolled back" not in str(e):
                    errors.append(e)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not errors and sim.frame == len(steps) == len(set(steps))
    assert np.isfinite(sim.positions).all()


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("use", ["sim.step()", "list(sim.iterations(local=False))"])
def test_ctrl_c_ends_a_long_step_and_keeps_the_state(use, tmp_path):
    script = textwrap.dedent(f"""
        import signal, sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        # A shell that runs this in the background may have turned it off.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from test_threads import long_step
        sim = long_step(60.0)
        x = sim.positions
        print("ready", flush=True)
        try:
            {use}
            print("not interrupted")
        except KeyboardInterrupt:
            assert (sim.positions == x).all() and sim.frame == 0
            sim.update(time_budget=0.05)
            assert sim.step().frame == 1
            print("interrupted")
    """)
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    start = time.perf_counter()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=30)
    assert out == "interrupted\n" and child.returncode == 0
    assert time.perf_counter() - start < 5


def endless_rest():
    """A bar of a material without resistance to being crushed, pressed to half of its length: a minute of steps of continuation, to no end."""
    mesh = supple.box_mesh((0.8, 0.2, 0.2), (8, 2, 2))
    scene = supple.Scene(gravity=(0, 0, 0))
    body = scene.add_solid(mesh.vertices, mesh.tets, material=supple.StVenantKirchhoff(young=1e5, poisson=0.3), density=1000.0)
    end = mesh.vertices[:, 0] > 0.79
    scene.pin(body, (mesh.vertices[:, 0] == 0) | end)
    sim = scene.build()
    sim.move_pins(body, end, mesh.vertices[end] * [0.5, 1, 1])
    return sim


def test_ctrl_c_ends_an_equilibrium_and_keeps_the_state():
    script = textwrap.dedent(f"""
        import signal, sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from test_threads import endless_rest
        sim = endless_rest()
        x, settings = sim.positions, sim.settings
        print("ready", flush=True)
        try:
            sim.equilibrium()
            print("not interrupted")
        except KeyboardInterrupt:
            assert (sim.positions == x).all() and sim.frame == 0 and sim.settings == settings
            assert sim.step().frame == 1
            print("interrupted")
    """)
    child = subprocess.Popen([sys.executable, "-W", "ignore", "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    start = time.perf_counter()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "interrupted\n" and child.returncode == 0
    assert time.perf_counter() - start < 10


def test_leaving_python_with_an_iteration_open():
    script = "import supple, sys; sys.path.insert(0, %r); from conftest import beam; s = beam()[0].build(method='admm');" \
        "i = s.iterations(); next(i); import atexit; sys.keep = (s, i)" % str(pathlib.Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", script], timeout=60, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr
