"""Fibres: the material by its formula, and muscles that contract."""
import numpy as np
import pytest

import supple
from conftest import beam


def test_energy_is_the_sum_of_base_and_fibres():
    rng = np.random.default_rng(3)
    a = np.array([1.0, -2.0, 0.5])
    a /= np.linalg.norm(a)
    F = np.eye(3) + 0.2 * rng.uniform(-1, 1, (20, 3, 3))
    for base, name in ((supple.NeoHookean, "neo_hookean"), (supple.Corotated, "corotated")):
        plain = base(young=1e5, poisson=0.4).energy(F)
        length = np.linalg.norm(F @ a, axis=1)
        for slack in (True, False):
            m = supple.Fibre(
                young=1e5, poisson=0.4, direction=2 * a, stiffness=3e5, contraction=0.1, slack=slack, base=name
            )
            off = length - 0.9
            fibres = 1.5e5 * (np.maximum(off, 0) if slack else off) ** 2
            assert np.allclose(m.energy(F), plain + fibres, rtol=1e-12)
            assert m.name == "fibre"


def test_a_muscle_contracts_and_lets_go():
    material = supple.Fibre(young=3e4, poisson=0.4, stiffness=3e5)
    mesh = supple.box_mesh((1.0, 0.3, 0.3), (4, 1, 1))
    scene = supple.Scene(dt=0.04, gravity=(0, 0, 0))
    body = scene.add_solid(mesh.vertices, mesh.tets, material=material, density=1000.0)
    scene.pin(body, np.flatnonzero(mesh.vertices[:, 0] == 0))
    sim = scene.build(tolerance=1e-6)
    length = lambda: np.ptp(sim.positions[:, 0])
    sim.contract(body, 0.3)
    assert all([sim.step().converged for _ in range(80)])
    assert length() < 0.85
    sim.contract(body, 0.0, elements=np.arange(len(mesh.tets)))
    assert all([sim.step().converged for _ in range(80)])
    assert abs(length() - 1) < 0.03


def test_what_is_wrong_is_named():
    for options, word in [
        (dict(direction=(0, 0, 0)), "direction"),
        (dict(stiffness=-1.0), "stiffness"),
        (dict(contraction=1.0), "contraction"),
        (dict(base="fibre"), "base"),
        (dict(base="jelly"), "jelly"),
    ]:
        with pytest.raises(ValueError, match=word):
            supple.Fibre(young=1e5, poisson=0.3, **options)
    scene, body, _ = beam()
    with pytest.raises(ValueError, match="no fibres"):
        scene.build().contract(body, 0.2)
    scene, body, _ = beam(material=supple.Fibre(young=1e5, poisson=0.3))
    sim = scene.build()
    for wrong in (-0.1, 0.96, float("nan")):
        with pytest.raises(ValueError, match="contraction"):
            sim.contract(body, wrong)
    with pytest.raises(ValueError, match="9999"):
        sim.contract(body, 0.2, elements=[9999])
