"""What the tests share. `reference` is backward Euler in dense NumPy; it shares nothing with the library."""
import numpy as np
import pytest

import supple

DT, GRAVITY = 1 / 24, np.array([0.0, -9.8, 0.0])
MU, LAM = supple.NeoHookean(young=1e5, poisson=0.4).lame
KINDS = [
    "Linear", "Arap", "Corotated", "NeoHookean", "StVenantKirchhoff", "StableNeoHookean", "FixedCorotated", "MooneyRivlin",
    "Ogden", "Fung", "Spline", "Fibre",
]
BARRIERS = ["NeoHookean", "MooneyRivlin", "Ogden", "Fung", "Fibre"]
METHODS = ["admm", "position", "quasi_newton", "newton", "auto"]
PUBLISHED = dict(
    method="admm", weight_rule="bulk", weight_scale=1.0, acceleration=None, start="inertia", dual_start="zero", threads=2
)


def rubber():
    return supple.NeoHookean(young=1e5, poisson=0.4)


def beam(cells=(3, 1, 1), size=(1.0, 0.3, 0.3), material=None, pinned=True):
    """Scene, body and mesh of a bar that is held at its left end."""
    mesh = supple.box_mesh(size, cells)
    scene = supple.Scene(dt=DT, gravity=GRAVITY)
    body = scene.add_solid(mesh.vertices, mesh.tets, material=material or rubber(), density=1000.0)
    if pinned:
        scene.pin(body, np.flatnonzero(mesh.vertices[:, 0] == 0))
    return scene, body, mesh


class Reference:
    """min 1/(2h²) |x − x̃|²_M + Σ V Ψ(F) for neo-Hookean tetrahedra, by Newton's method with dense matrices."""

    def __init__(self, vertices, tets, density=1000.0, pinned=None):
        self.tets = np.asarray(tets)
        edges = (vertices[self.tets[:, 1:]] - vertices[self.tets[:, :1]]).transpose(0, 2, 1)
        self.volume = np.linalg.det(edges) / 6
        inverse = np.linalg.inv(edges)
        # F = Σ_v x_v g_vᵀ
        self.g = np.concatenate([-inverse.sum(1, keepdims=True), inverse], axis=1)
        self.mass = np.zeros(len(vertices))
        np.add.at(self.mass, self.tets, density * self.volume[:, None] / 4)
        self.free = np.flatnonzero(~pinned) if pinned is not None else np.arange(len(vertices))

    def gradients(self, x):
        return np.einsum("mvi,mvj->mij", x[self.tets], self.g)

    def objective(self, x, x_tilde):
        F = self.gradients(x)
        det = np.linalg.det(F)
        if (det <= 0).any():
            return np.inf
        psi = MU / 2 * ((F**2).sum((1, 2)) - 3) - MU * np.log(det) + LAM / 2 * np.log(det) ** 2
        d = (x - x_tilde)[self.free]
        return (self.mass[self.free, None] * d**2).sum() / (2 * DT**2) + (self.volume * psi).sum()

    def derivatives(self, x, x_tilde):
        F = self.gradients(x)
        log = np.log(np.linalg.det(F))
        inv = np.linalg.inv(F).transpose(0, 2, 1)
        P = MU * F + (LAM * log - MU)[:, None, None] * inv
        force = np.zeros_like(x)
        np.add.at(force, self.tets, np.einsum("m,mij,mvj->mvi", self.volume, P, self.g))
        eye = np.eye(3)
        C = MU * np.einsum("ik,jl->ijkl", eye, eye)[None] + LAM * np.einsum("mij,mkl->mijkl", inv, inv)
        C = C + np.einsum("m,mil,mkj->mijkl", MU - LAM * log, inv, inv)
        K = np.einsum("m,mvj,mijkl,mwl->mviwk", self.volume, self.g, C, self.g)
        n = len(x)
        H = np.zeros((n, 3, n, 3))
        for t, k in zip(self.tets, K):
            H[t[:, None], :, t[None, :], :] += k.transpose(0, 2, 1, 3)
        H[np.arange(n), :, np.arange(n), :] += (self.mass / DT**2)[:, None, None] * eye
        gradient = force + (self.mass / DT**2)[:, None] * (x - x_tilde)
        f = (3 * self.free[:, None] + np.arange(3)).ravel()
        return gradient.ravel()[f], H.reshape(3 * n, 3 * n)[np.ix_(f, f)]

    def prediction(self, x, v):
        x_tilde = x.copy()
        x_tilde[self.free] += (DT * v + DT**2 * GRAVITY)[self.free]
        return x_tilde

    def step(self, x, v):
        x_tilde = self.prediction(x, v)
        y = x.copy()
        for _ in range(50):
            g, H = self.derivatives(y, x_tilde)
            w, Q = np.linalg.eigh(H)
            d = np.zeros_like(y)
            d[self.free] = -(Q @ ((Q.T @ g) / np.maximum(w, 1e-3 * w[-1] if w[0] < 0 else w))).reshape(-1, 3)
            t, here = 1.0, self.objective(y, x_tilde)
            while self.objective(y + t * d, x_tilde) > here and t > 1e-10:
                t /= 2
            y = y + t * d
            if np.abs(d).max() < 1e-13:
                break
        return y, (y - x) / DT


@pytest.fixture
def bar():
    return beam()
