"""A parameter study over processes: how far beams of several stiffnesses fall in half a second."""
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import supple


def fall(young):
    mesh = supple.box_mesh((1.0, 0.2, 0.2), (8, 2, 2))
    scene = supple.Scene(dt=1 / 48)
    rubber = supple.Corotated(young=young, poisson=0.3)
    body = scene.add_solid(mesh.vertices, mesh.tets, material=rubber, density=1000.0)
    scene.pin(body, mesh.vertices[:, 0] == 0)
    # One thread each: the processes share the machine.
    positions, stats = supple.run(scene, 24, progress=False, threads=1)
    return young, mesh.vertices[-1, 1] - positions[:, -1, 1].min(), int(stats["iterations"].sum())


if __name__ == "__main__":
    # Not fork: threads do not survive it.
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for young, deepest, iterations in pool.map(fall, [5e4, 1e5, 2e5, 4e5]):
            print(f"E = {young:8.0f} Pa: falls by {deepest:.3f} m, {iterations} iterations")
