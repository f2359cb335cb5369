"""Young's modulus and damping of a beam from the track of its tip, as a video would give it: one per cent of noise."""
import numpy as np

import supple

mesh = supple.box_mesh((0.6, 0.1, 0.1), (6, 1, 1))
tip = int(np.argmax(mesh.vertices.sum(axis=1)))


def beam(young, damping):
    # Four short steps of second order per picture: backward Euler would damp more than the material does.
    scene = supple.Scene(dt=1 / 240, integrator="bdf2")
    body = scene.add_solid(mesh.vertices, mesh.tets, material=supple.Corotated(young=young, poisson=0.3), density=1000.0, average=True)
    scene.pin(body, mesh.vertices[:, 0] == 0)
    scene.damp(body, stiffness=damping)
    # Derivatives are those of the solution.
    return scene.build(threads=1, tolerance=1e-9)


def track(sim):
    rows = np.empty((60, 2))
    for row in rows:
        sim.step(4)
        row[:] = sim.positions[tip, :2]
    return rows


measured = track(beam(4e6, 0.01))
noise = 0.01 * np.ptp(measured, axis=0) * np.random.default_rng(7).normal(size=measured.shape)
scale = 0.01 * np.ptp(measured, axis=0)
found = supple.fit(
    beam,
    {"young": 2.5e6, "damping": 0.005},
    lambda sim: (track(sim) - measured - noise) / scale,
    bounds={"young": (1e6, 2e7), "damping": (1e-3, 0.1)},
    tolerance=1e-4,
    most=15,
)
for name, value in found.parameters.items():
    low, high = found.confidence[name]
    print(f"{name}: {value:.4g}, 95 % between {low:.4g} and {high:.4g}")
print(f"{found.simulations} simulations, Jacobian by {found.jacobian}: {found.message}")
assert found.simulations <= 15 and found.jacobian == "tangent"
assert abs(found.parameters["young"] / 4e6 - 1) < 0.01 and abs(found.parameters["damping"] / 0.01 - 1) < 0.01
