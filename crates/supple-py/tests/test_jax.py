"""Time steps under JAX's grad and jit, against differences of simulations."""
import numpy as np
import pytest
from layers import MESH, WEIGHTS, arm, inputs, loss, slope

jax = pytest.importorskip("jax", reason="JAX is not installed")
jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

import supple.jax  # noqa: E402

NAMES = ["positions", "velocities", "forces", "pins", "contraction", "young"]


def value(step, given):
    x, v = given["positions"], given["velocities"]
    for _ in range(2):
        x, v = step(x, v, forces=given["forces"], pins=given["pins"], contractions={"arm": given["contraction"]}, young=given["young"])
    return jnp.sum(WEIGHTS[0] * x) + jnp.sum(WEIGHTS[1] * v)


def test_every_input():
    step = supple.jax.Step(arm, {"young": 1e4}, steps=2)
    given = {k: jnp.asarray(a) for k, a in inputs().items()}
    there, by = jax.jit(jax.value_and_grad(lambda g: value(step, g)))(given)
    assert float(there) == pytest.approx(loss(**inputs()), rel=1e-12)
    for name in NAMES:
        wanted, d = slope(name)
        assert float(jnp.sum(by[name] * d)) == pytest.approx(wanted, rel=1e-5), name


def test_records_that_are_gone_are_made_again():
    kept, none = (supple.jax.Step(arm, {"young": 1e4}, steps=2, keep=k) for k in (64, 1))
    given = {k: jnp.asarray(a) for k, a in inputs().items()}
    a, b = (jax.grad(lambda g, s=s: value(s, g))(given) for s in (kept, none))
    for name in NAMES:
        assert np.array_equal(a[name], b[name]), name


def test_vmap_takes_one_after_the_other():
    step = supple.jax.Step(arm())
    x = jnp.asarray(np.stack([MESH.vertices, MESH.vertices + 0.001]))
    xs, vs = jax.vmap(step)(x, jnp.zeros_like(x))
    for i in range(2):
        one = step(x[i], jnp.zeros_like(x[i]))
        assert np.array_equal(xs[i], one[0]) and np.array_equal(vs[i], one[1])
