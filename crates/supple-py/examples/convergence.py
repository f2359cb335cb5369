"""How fast each method gets to the minimum of one step; a plot if matplotlib is there."""
import sys

import numpy as np

import supple

mesh = supple.box_mesh((1.0, 0.3, 0.3), (9, 3, 3))
scene = supple.Scene(dt=1 / 24)
body = scene.add_solid(mesh.vertices, mesh.tets, material=supple.NeoHookean(young=1e5, poisson=0.4), density=1000.0)
scene.pin(body, mesh.vertices[:, 0] == 0)

# Twisted by a quarter turn along its length, then let go.
angle = np.pi / 2 * mesh.vertices[:, 0]
y, z = (mesh.vertices[:, 1:] - 0.15).T
twisted = np.stack(
    [mesh.vertices[:, 0], np.cos(angle) * y - np.sin(angle) * z + 0.15, np.sin(angle) * y + np.cos(angle) * z + 0.15], axis=1
)


def objectives(**options):
    sim = scene.build(iterations=60, tolerance=0.0, start="inertia", **options)
    sim.set_state(twisted)
    seen = list(sim.iterations(local=False))
    return [seen[0].start_objective] + [it.objective for it in seen]


runs = {
    "ADMM as published": objectives(method="admm", acceleration=None, weight_rule="bulk", dual_start="zero"),
    "ADMM, Anderson": objectives(method="admm", acceleration="anderson"),
    "quasi-Newton": objectives(method="quasi_newton"),
    "Newton": objectives(method="newton"),
}
lowest = min(min(r) for r in runs.values())
for name, r in runs.items():
    error = (np.array(r) - lowest) / (r[0] - lowest)
    print(f"{name:20} relative error after 5, 20 and all iterations:", *(f"{error[min(k, len(r) - 1)]:.1e}" for k in (5, 20, 60)))

try:
    import matplotlib
except ImportError:
    sys.exit(0)
matplotlib.use("Agg")
import matplotlib.pyplot as plt

for name, r in runs.items():
    plt.semilogy(np.maximum((np.array(r) - lowest) / (r[0] - lowest), 1e-16), label=name)
plt.xlabel("iteration")
plt.ylabel("relative error of the objective")
plt.legend()
plt.savefig("convergence.png", dpi=150)
print("convergence.png is written")
