"""Stiff and soft regions of a beam from the shape in which it hangs."""
import numpy as np

import supple

mesh = supple.box_mesh((0.8, 0.2, 0.2), (8, 2, 2))
middles = mesh.vertices[mesh.tets].mean(axis=1)
region = np.minimum((4 * middles[:, 0] / 0.8).astype(int), 3)
wanted = {"a": 2e5, "b": 6e5, "c": 1e5, "d": 3e5}


def beam(**young):
    materials = [supple.NeoHookean(young=young["abcd"[r]], poisson=0.3) for r in region]
    scene = supple.Scene(dt=0.02)
    body = scene.add_solid(mesh.vertices, mesh.tets, material=materials, density=1000.0)
    scene.pin(body, mesh.vertices[:, 0] == 0)
    return scene.build(threads=1)


def shape(sim):
    sim.equilibrium()
    return sim.positions


measured = shape(beam(**wanted))
found = supple.fit(
    beam, dict.fromkeys("abcd", 3e5), lambda sim: shape(sim) - measured, bounds=dict.fromkeys("abcd", (1e4, 1e7)), tolerance=1e-5
)
for name, value in wanted.items():
    print(f"region {name}: {found.parameters[name]:.0f} Pa, was {value:.0f} Pa")
    assert abs(found.parameters[name] / value - 1) < 1e-2
