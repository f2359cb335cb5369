"""How far the muscles of an arm contract so that its tip reaches a place."""
import numpy as np

import supple

mesh = supple.box_mesh((0.6, 0.1, 0.1), (6, 2, 2))
middles = mesh.vertices[mesh.tets].mean(axis=1)
muscle = supple.Fibre(young=5e4, poisson=0.3, direction=(1, 0, 0), stiffness=2e5)
scene = supple.Scene(dt=0.05, gravity=(0, 0, 0))
arm = scene.add_solid(mesh.vertices, mesh.tets, material=muscle, density=1000.0, name="arm")
scene.pin(arm, mesh.vertices[:, 0] == 0)
scene.damp(arm, mass=20.0)
sim = scene.build(method="newton", tolerance=1e-10, threads=1)
# Four muscles along the arm: above and below, in front and behind.
group = 2 * (middles[:, 1] > middles[:, 1].mean()) + (middles[:, 2] > middles[:, 2].mean())
tip = mesh.vertices[:, 0] == mesh.vertices[:, 0].max()


def pose(contractions):
    """Where the tip ends, and how that changes with each contraction."""
    sim.reset()
    for k, c in enumerate(contractions):
        sim.contract(arm, c, elements=np.flatnonzero(group == k))
    with sim.record() as tape:
        sim.step(40)
    slopes = []
    for axis in range(3):
        dx = np.zeros_like(mesh.vertices)
        dx[tip, axis] = 1 / tip.sum()
        by = tape.backward(dx=dx).contractions(arm).sum(axis=0)
        slopes.append([by[group == k].sum() for k in range(4)])
    return sim.positions[tip].mean(axis=0), np.array(slopes)


target = pose([0.25, 0.1, 0.05, 0.15])[0]
c = np.full(4, 0.1)
for attempt in range(25):
    end, slopes = pose(c)
    miss = end - target
    print(f"contracted by {c.round(3)} the tip misses by {np.linalg.norm(miss):.1e} m")
    if np.linalg.norm(miss) < 1e-5:
        break
    c = np.clip(c + np.linalg.lstsq(slopes, -miss, rcond=None)[0], 0.01, 0.6)
assert np.linalg.norm(miss) < 1e-5
