"""Materials against finite differences and known answers."""
import numpy as np
import pytest
from conftest import BARRIERS, KINDS, LAM, MU

import supple

RNG = np.random.default_rng(1)


def make(kind):
    return getattr(supple, kind)(young=1e5, poisson=0.4)


def samples(n=20, size=0.3):
    F = np.eye(3) + size * RNG.uniform(-1, 1, (n, 3, 3))
    return F[np.linalg.det(F) > 0.2]


@pytest.mark.parametrize("kind", KINDS)
def test_stress_is_the_derivative_of_the_energy(kind):
    m, F, h = make(kind), samples(), 1e-5
    P = m.stress(F)
    for i in range(3):
        for j in range(3):
            d = np.zeros((3, 3))
            d[i, j] = h
            slope = (m.energy(F + d) - m.energy(F - d)) / (2 * h)
            assert np.abs(slope - P[:, i, j]).max() < 2e-8 * 1e5 + 1e-7 * np.abs(P).max()


@pytest.mark.parametrize("kind", KINDS)
def test_hessian_is_the_derivative_of_the_stress_with_columns_stacked(kind):
    m, F, h = make(kind), samples(), 1e-6
    H = m.hessian(F)
    vec = lambda A: A.transpose(0, 2, 1).reshape(len(A), 9)
    for q in range(9):
        d = np.zeros((3, 3))
        d[q % 3, q // 3] = h
        column = vec(m.stress(F + d) - m.stress(F - d)) / (2 * h)
        assert np.abs(column - H[:, :, q]).max() < 1e-6 * np.abs(H).max()
    assert np.allclose(H, H.transpose(0, 2, 1), atol=1e-9 * np.abs(H).max())


@pytest.mark.parametrize("kind", KINDS)
def test_prox_is_a_minimum(kind):
    m = make(kind)
    for k in (1e4, 2e5, 3e6):
        for F in np.concatenate([samples(8), np.diag([1.2, 0.9, -0.4])[None], np.zeros((1, 3, 3))]):
            Z = m.prox(F, k)

            def value(Z):
                # Where the energy does not see a reflection, the proximal operator keeps to this side.
                if kind in ("StVenantKirchhoff", "Spline") and np.linalg.det(Z) < -1e-9:
                    return np.inf
                return m.energy(Z) + k / 2 * ((Z - F) ** 2).sum()

            best = value(Z)
            assert np.isfinite(best)
            for _ in range(30):
                assert best <= value(Z + 10 ** RNG.uniform(-6, -1) * RNG.uniform(-1, 1, (3, 3))) + 1e-9 * max(1, k)
            if np.linalg.det(Z) > 1e-3:
                assert np.abs(m.stress(Z) + k * (Z - F)).max() < 1e-8 * max(k, 1e5)


def test_prox_takes_a_k_for_each():
    m, F = make("NeoHookean"), samples()
    k = RNG.uniform(1e4, 1e6, len(F))
    assert np.array_equal(m.prox(F, k), np.array([m.prox(f, c) for f, c in zip(F, k)]))


@pytest.mark.parametrize("kind, lateral, stress", [
    ("NeoHookean", 0.846028, 36529.4478), ("StVenantKirchhoff", 0.707107, 93750.0), ("Corotated", 0.8, 50000.0),
])
def test_uniaxial_stretch(kind, lateral, stress):
    m = make(kind)
    low, high = 0.5, 1.0
    for _ in range(200):
        s = (low + high) / 2
        low, high = (s, high) if m.stress(np.diag([1.5, s, s]))[1, 1] < 0 else (low, s)
    P = m.stress(np.diag([1.5, s, s]))
    assert abs(s - lateral) < 1e-6 and abs(P[0, 0] - stress) < 1e-4


def test_neo_hookean_is_the_formula():
    F = samples()
    J = np.linalg.det(F)
    psi = MU / 2 * ((F**2).sum((1, 2)) - 3) - MU * np.log(J) + LAM / 2 * np.log(J) ** 2
    assert np.allclose(make("NeoHookean").energy(F), psi, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_rest_collapse_and_reflection(kind):
    m = make(kind)
    assert m.energy(np.eye(3)) == 0 and np.abs(m.stress(np.eye(3))).max() < 1e-9
    for F in (np.zeros((3, 3)), np.diag([1, 1, 1e-12]), np.diag([1, 1, 1e-300])):
        assert np.isfinite(m.stress(F)).all() and np.isfinite(m.prox(F, 1e5)).all()
    assert np.isinf(m.energy(np.diag([1, 1, -1]))) == (kind in BARRIERS)


def test_own_constants_and_what_is_wrong_with_them():
    F = np.diag([1.2, 1.1, 0.8])
    J, I1 = np.linalg.det(F), (F**2).sum()
    C = F.T @ F
    I2 = (I1**2 - (C @ C).trace()) / 2
    m = supple.MooneyRivlin(c10=3e4, c01=1e4, d1=2e5)
    psi = 3e4 * (J ** (-2 / 3) * I1 - 3) + 1e4 * (J ** (-4 / 3) * I2 - 3) + 2e5 * (J - 1) ** 2
    assert np.isclose(m.energy(F), psi, rtol=1e-12) and np.isclose(m.lame[0], 8e4)
    mu, alpha, kappa = [6e4, 1e3, -2e4], [1.3, 5, -2], 5e5
    m = supple.Ogden(mu=mu, alpha=alpha, kappa=kappa)
    s = np.diag(F) * J ** (-1 / 3)
    psi = sum(a / p * ((s**p).sum() - 3) for a, p in zip(mu, alpha)) + kappa / 2 * (J - 1) ** 2
    assert np.isclose(m.energy(F), psi, rtol=1e-12)
    m = supple.Fung(young=1e5, poisson=0.45, b=3)
    u, l = m.lame
    psi = u / 6 * (np.exp(3 * (I1 - 3)) - 1) - u * np.log(J) + (l - 6 * u) / 2 * np.log(J) ** 2
    assert np.isclose(m.energy(F), psi, rtol=1e-12)
    m = supple.Spline(f=[(0.5, -1e5), (1, 0), (2, 2e5)], h=[(0, -3e5), (1, 0)], compression=1e4)
    assert abs(m.energy(np.eye(3))) < 1e-9 and np.isclose(m.lame[1], 3e5)
    m, density = supple.Material.preset("rubber")
    assert m.name == "ogden" and density == 930
    for wrong, match in [
        (lambda: supple.Fung(young=1e5, poisson=0.3), "at least 0.4"),
        (lambda: supple.Ogden(mu=[1e4], alpha=[-2], kappa=1e5), "same sign"),
        (lambda: supple.Ogden(mu=[1e4], alpha=[2, 3], kappa=1e5), "2 alpha for 1 mu"),
        (lambda: supple.MooneyRivlin(c10=1e4), "together"),
        (lambda: supple.MooneyRivlin(c10=-1, c01=1, d1=1), "c10"),
        (lambda: supple.MooneyRivlin(c10=1, c01=1, d1=1, young=1e5), "not both"),
        (lambda: supple.Spline(f=[(0, 1), (1, 2)], h=[(0, 0), (1, 0)]), "must be 0"),
        (lambda: supple.Spline(young=1e5, poisson=0.3, curve="wool"), "wool"),
        (lambda: supple.Material.preset("wood"), "wood"),
    ]:
        with pytest.raises(supple.BuildError, match=match):
            wrong()


def test_what_f_may_be():
    m = make("NeoHookean")
    assert isinstance(m.energy(np.eye(3)), float)
    assert m.energy(np.eye(3, dtype=np.float32)) == m.energy(np.eye(3, dtype=int)) == 0
    assert m.energy(np.empty((0, 3, 3))).shape == (0,)
    F = samples()
    assert np.array_equal(m.stress(F.transpose(0, 2, 1)), m.stress(np.ascontiguousarray(F.transpose(0, 2, 1))))
    F[2, 1, 1] = np.nan
    with pytest.raises(ValueError, match=r"F\[2\] is not finite"):
        m.energy(F)
    with pytest.raises(ValueError, match=r"F\[1\] is too large"):
        m.prox([np.eye(3), 1e300 * np.eye(3)], 1.0)
    with pytest.raises(ValueError, match=r"\(\.\.\., 3, 3\), not \(3, 2\)"):
        m.energy(np.ones((3, 2)))
    with pytest.raises(TypeError, match="real numbers"):
        m.energy(np.eye(3) * 1j)
    with pytest.raises(ValueError, match="k must be positive"):
        m.prox(np.eye(3), 0)


@pytest.mark.parametrize("constants", [
    dict(young=-1, poisson=0.3), dict(young=1e5, poisson=0.5), dict(young=np.nan, poisson=0.3), dict(lame=(0, 1)),
    dict(young=1e5, poisson=0.3, lame=(1, 1)), dict(),
])
def test_bad_constants(constants):
    with pytest.raises(supple.BuildError):
        supple.NeoHookean(**constants)


def test_arap_stiffness():
    F = np.diag([1.1, 1, 1])
    assert np.isclose(supple.Arap(stiffness=300.0).energy(F), 150 * 0.01)


class Hencky:
    """μ Σ ln²σ + λ/2 (Σ ln σ)²."""

    mu, lam = MU, LAM

    def density(self, s):
        e = np.log(s)
        return self.mu * (e**2).sum(1) + self.lam / 2 * e.sum(1) ** 2

    def gradient(self, s):
        e = np.log(s)
        return (2 * self.mu * e + self.lam * e.sum(1, keepdims=True)) / s

    def hessian(self, s):
        h = self.lam / (s[:, :, None] * s[:, None, :])
        i = np.arange(3)
        h[:, i, i] += 2 * self.mu / s**2 - self.gradient(s) / s
        return h


class NeoHookeanInPython:
    def density(self, s):
        l = np.log(s).sum(1)
        return MU / 2 * ((s**2).sum(1) - 3) - MU * l + LAM / 2 * l**2

    def gradient(self, s):
        return MU * s + (LAM * np.log(s).sum(1) - MU)[:, None] / s

    def hessian(self, s):
        h = LAM / (s[:, :, None] * s[:, None, :])
        i = np.arange(3)
        h[:, i, i] += MU + (MU - LAM * np.log(s).sum(1))[:, None] / s**2
        return h


def test_a_material_in_python_is_the_same_as_the_built_in_one():
    ours, theirs = supple.PythonMaterial(NeoHookeanInPython()), make("NeoHookean")
    F = samples()
    assert np.isclose(ours.young, 1e5)
    assert np.allclose(ours.energy(F), theirs.energy(F), rtol=1e-10)
    assert np.allclose(ours.stress(F), theirs.stress(F), rtol=1e-9, atol=1e-6)
    assert np.allclose(ours.hessian(F), theirs.hessian(F), rtol=1e-8, atol=1e-4)
    assert np.allclose(ours.prox(F, 2e5), theirs.prox(F, 2e5), atol=1e-9)


@pytest.mark.parametrize("method", ["auto", "admm", "newton"])
def test_a_body_of_it_moves_the_same_way(method):
    from conftest import beam
    sims = []
    for material in (NeoHookeanInPython(), make("NeoHookean")):
        scene, _, _ = beam((2, 1, 1), material=material)
        sims.append(scene.build(method=method, iterations=30, tolerance=1e-8, threads=2))
    for _ in range(3):
        for sim in sims:
            sim.step()
    assert np.abs(sims[0].positions - sims[1].positions).max() < 1e-6


def test_its_exceptions_arrive_and_the_state_stays():
    from conftest import beam

    class Broken(Hencky):
        ok = True

        def gradient(self, s):
            if not self.ok:
                raise ZeroDivisionError("mine")
            return super().gradient(s)

    law = Broken()
    scene, _, _ = beam((2, 1, 1), material=law)
    sim = scene.build(iterations=5)
    sim.step()
    x = sim.positions
    law.ok = False
    with pytest.raises(ZeroDivisionError, match="mine"):
        sim.step()
    with pytest.raises(ZeroDivisionError, match="mine"):
        list(sim.iterations())
    assert np.array_equal(sim.positions, x) and sim.frame == 1
    law.ok = True
    assert sim.step().frame == 2


def test_what_is_no_material():
    from conftest import beam
    with pytest.raises(TypeError, match="density"):
        beam(material="rubber")

    class Wrong(Hencky):
        def density(self, s):
            return np.ones(2)

        hessian = density
    with pytest.raises(ValueError, match="shape"):
        supple.PythonMaterial(Wrong())
    with pytest.raises(supple.BuildError, match="domain"):
        supple.PythonMaterial(Hencky(), domain="all")
