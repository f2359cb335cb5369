"""The velocity with which a soft block must be thrown so that its middle is at a target after it has bounced."""
import numpy as np

import supple

mesh = supple.box_mesh((0.2, 0.2, 0.2), (2, 2, 2))
start = mesh.vertices + [0.0, 0.5, 0.0]
scene = supple.Scene(dt=0.01)
scene.add_solid(start, mesh.tets, material=supple.StableNeoHookean(young=5e4, poisson=0.3), density=200.0, name="block")
scene.add_obstacle(supple.HalfSpace((0, 0, 0), (0, 1, 0), friction=0.2), name="floor")
sim = scene.build(method="newton", tolerance=1e-10, threads=1)
share = sim.masses / sim.masses.sum()


def throw(velocity):
    """Where the middle ends, and how that changes with the velocity."""
    sim.reset()
    sim.set_state(start, np.tile(velocity, (len(start), 1)))
    with sim.record() as tape:
        touched = 0
        for _ in range(60):
            touched += sim.step().contacts > 0
    slopes = []
    for axis in range(3):
        dx = np.zeros_like(start)
        dx[:, axis] = share
        slopes.append(tape.backward(dx=dx).velocities.sum(axis=0))
    return share @ sim.positions, np.array(slopes), touched


# Where a throw at the floor ends after its bounce; that throw is not told, and others reach it too.
target = throw(np.array([2.0, -3.0, 0.4]))[0]
velocity = np.array([1.6, -2.5, 0.0])
for attempt in range(25):
    end, slopes, touched = throw(velocity)
    miss = end - target
    print(f"thrown with {velocity.round(4)} m/s it misses by {np.linalg.norm(miss):.1e} m")
    if np.linalg.norm(miss) < 1e-4:
        break
    change = np.linalg.lstsq(slopes, -miss, rcond=1e-3)[0]
    velocity = velocity + change * min(1.0, 0.5 / np.linalg.norm(change))
assert np.linalg.norm(miss) < 1e-4 and touched > 0
