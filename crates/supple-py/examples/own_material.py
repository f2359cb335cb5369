"""A material of your own in Python: Hencky's, quadratic in the logarithms of the stretches."""
import numpy as np

import supple


class Hencky:
    """Stretches come as (k, 3); density, gradient and hessian go back as (k,), (k, 3) and (k, 3, 3)."""

    def __init__(self, mu, lam):
        self.mu, self.lam = mu, lam

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


material = supple.PythonMaterial(Hencky(4e4, 6e4))
print(f"E = {material.young:.0f} Pa, Poisson's ratio {material.poisson:.3f}")
mesh = supple.box_mesh((1.0, 0.2, 0.2), (4, 1, 1))
scene = supple.Scene(dt=1 / 24)
body = scene.add_solid(mesh.vertices, mesh.tets, material=material, density=1000.0)
scene.pin(body, mesh.vertices[:, 0] == 0)
sim = scene.build()
for _ in range(5):
    print(sim.step())
