"""Nothing grows."""
import gc
import resource

from conftest import PUBLISHED, beam

import supple


def resident():
    gc.collect()
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()


def grows(work, rounds):
    work(rounds // 10)
    before = resident()
    work(rounds)
    return (resident() - before) / 2**20


def test_ten_thousand_simulations_come_and_go():
    mesh = supple.box_mesh((1, 1, 1), (1, 1, 1))

    def work(n):
        for i in range(n):
            scene = supple.Scene()
            body = scene.add_solid(mesh.vertices, mesh.tets, material=supple.NeoHookean(young=1e5, poisson=0.3), density=1e3)
            scene.pin(body, [0])
            sim = scene.build(threads=1)
            if i % 10 == 0:
                sim.step()

    assert grows(work, 10_000) < 8


def test_ten_thousand_steps():
    sim = beam((1, 1, 1))[0].build(threads=1, iterations=5)

    def work(n):
        for _ in range(n):
            sim.step(), sim.positions, sim.velocities, sim.energy()

    assert grows(work, 10_000) < 4


def test_a_thousand_iterations_that_are_left():
    sim = beam((1, 1, 1))[0].build(**{**PUBLISHED, "threads": 1})

    def work(n):
        for i in range(n):
            for it in sim.iterations():
                if it.index == 2 and i % 2:
                    break

    assert grows(work, 1_000) < 4
