"""What the tests of studies run: functions that processes can import."""
import os
import time

import numpy as np

import supple


def beam(young, poisson=0.3):
    if young < 0:
        raise ValueError("a stiffness below zero")
    mesh = supple.box_mesh((0.6, 0.2, 0.2), (3, 1, 1))
    scene = supple.Scene(dt=0.02)
    body = scene.add_solid(mesh.vertices, mesh.tets, material=supple.NeoHookean(young=young, poisson=poisson), density=1000.0)
    scene.pin(body, mesh.vertices[:, 0] == 0)
    return scene


def slow(young):
    time.sleep(0.3)
    return beam(young)


def dies(young):
    """Ends its process the first time."""
    mark = os.environ["SUPPLE_TEST_MARK"]
    if young == 2e4 and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), 9)
    return beam(young)


def lowest(sim):
    return sim.positions[:, 1].min()


def heights(sim):
    return np.array(sim.positions[:, 1])


def told(young):
    """Says in which process it is."""
    open(os.path.join(os.environ["SUPPLE_TEST_PIDS"], str(os.getpid())), "w").close()
    time.sleep(0.1)
    return beam(young)
