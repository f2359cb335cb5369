"""What the tests of both frameworks share: scenes, and L of the states after some steps by NumPy alone."""
import numpy as np

import supple

MESH = supple.box_mesh((0.4, 0.2, 0.2), (2, 1, 1))
OPTIONS = dict(method="newton", tolerance=1e-12, iterations=100, threads=1)
WEIGHTS = np.random.default_rng(1).normal(size=(2, *MESH.vertices.shape)) * [[[1.0]], [[0.01]]]
PINS = MESH.vertices[:, 0] == 0


def arm(young=1e4, density=1000.0):
    scene = supple.Scene(dt=0.02)
    muscle = supple.Fibre(young=young, poisson=0.3, direction=(1, 0.3, 0), stiffness=2e4)
    body = scene.add_solid(MESH.vertices, MESH.tets, material=muscle, density=density, name="arm")
    scene.pin(body, PINS)
    scene.damp(body, stiffness=0.002)
    return scene.build(**OPTIONS)


def inputs(seed=0):
    rng = np.random.default_rng(seed)
    n = MESH.vertices.shape
    return {
        "positions": MESH.vertices + 0.005 * rng.normal(size=n),
        "velocities": 0.3 * rng.normal(size=n),
        "forces": 0.5 * rng.normal(size=n),
        "pins": MESH.vertices + 0.01 * rng.normal(size=n),
        "contraction": 0.1 * rng.random(len(MESH.tets)) + 0.05,
        "young": 1e4,
    }


def loss(positions, velocities, forces, pins, contraction, young, calls=2, steps=2):
    """Calls of so many steps each, all with the same inputs; the simulation is only told what to do."""
    x, v = positions, velocities
    for _ in range(calls):
        sim = arm(young=float(young))
        sim.set_state(x, v)
        sim.set_forces(forces)
        sim.move_pins("arm", np.flatnonzero(PINS), pins[PINS])
        for e, c in enumerate(contraction):
            sim.contract("arm", float(c), elements=[e])
        sim.step(steps)
        x, v = sim.positions, sim.velocities
    return float((WEIGHTS[0] * x).sum() + (WEIGHTS[1] * v).sum())


def slope(name, seed=3):
    """dL along a random direction of an input, by differences of five points; and the direction."""
    given = inputs()
    size = {"positions": 1e-3, "velocities": 1e-2, "forces": 1e-1, "pins": 1e-3, "contraction": 1e-2, "young": 20.0}[name]
    d = np.random.default_rng(seed).normal(size=np.shape(given[name])) if name != "young" else 1.0
    f = lambda s: loss(**{**given, name: given[name] + s * size * d})
    return (8 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12 * size), d
