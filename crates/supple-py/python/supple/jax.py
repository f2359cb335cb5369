"""Time steps as a function of JAX arrays, with derivatives; needs JAX (`pip install supple[jax]`)."""
from __future__ import annotations

from collections import OrderedDict
from typing import Any, Mapping

import numpy as np

try:
    import jax  # type: ignore[import-not-found,unused-ignore]
    import jax.numpy as jnp  # type: ignore[import-not-found,unused-ignore]
except ImportError as e:
    raise ImportError("supple.jax needs JAX: pip install supple[jax]") from e

from ._layer import Call, Layer


def _plain(tree: Any) -> Any:
    """Arrays of NumPy, as precise as they come."""
    return jax.tree_util.tree_map(lambda a: np.asarray(a, dtype=np.float64), tree)


class Step:
    """Time steps as a differentiable function: `x, v = step(x, v)`, also under jit and grad; vmap takes one after the other.

    scene: a Simulation; or a scene file, or a function of parameters that gives a Scene or a Simulation, with the first values of these. steps: how
    many steps a call takes. options are those of Scene.build(); ask for tolerance=1e-8 or less.

    A call takes positions and velocities (n, 3), and gives those after the steps. forces: (n, 3) in N, zero unless given. pins: (n, 3), where
    pins are at the end; else they stay where positions have them. contractions: {body: a number, or one for each element}. Further names are
    parameters. Every call begins anew from the state that it is given. Numbers are those of JAX: 32 bits unless `jax_enable_x64` is set.

    Calls are pure for JAX, which may run them again: the last `keep` records are kept, others are made again from their inputs.
    """

    def __init__(
        self, scene: Any, parameters: Mapping[str, float] | None = None, *, steps: int = 1, memory: int = 2**28, keep: int = 64, **options: Any
    ) -> None:
        self._layer = Layer(scene, parameters, steps, memory, options)
        self._keep, self._calls = keep, OrderedDict[bytes, Call]()
        run: Any = jax.custom_vjp(self._ahead)
        run.defvjp(lambda given: (self._ahead(given), given), self._back)
        self._run = run

    @staticmethod
    def _key(given: Any) -> bytes:
        leaves, tree = jax.tree_util.tree_flatten(given)
        return str(tree).encode() + b"".join(a.tobytes() for a in leaves)

    def _take(self, given: Any) -> tuple[Any, Any]:
        given = _plain(given)
        x, v, call = self._layer.forward({"forces": None, "pins": None, **given})
        self._calls[self._key(given)] = call
        while len(self._calls) > self._keep:
            self._calls.popitem(last=False)
        return x, v

    def _ahead(self, given: Any) -> tuple[Any, Any]:
        x, v = given["positions"], given["velocities"]
        shape = (jax.ShapeDtypeStruct(x.shape, x.dtype), jax.ShapeDtypeStruct(v.shape, v.dtype))

        def take(given: Any) -> tuple[Any, Any]:
            a, b = self._take(given)
            return np.asarray(a, dtype=x.dtype), np.asarray(b, dtype=v.dtype)

        return jax.pure_callback(take, shape, given, vmap_method="sequential")  # type: ignore[no-any-return,unused-ignore]

    def _back(self, given: Any, seeds: tuple[Any, Any]) -> tuple[Any]:
        shape = jax.tree_util.tree_map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), given)

        def back(given: Any, dx: Any, dv: Any) -> Any:
            exact = _plain(given)
            key = self._key(exact)
            if key not in self._calls:
                self._take(exact)
            found = self._calls[key].backward(_plain(dx), _plain(dv), tuple(given["parameters"]))
            found = {k: found[k] for k in given}
            return jax.tree_util.tree_map(lambda f, a: np.asarray(f, dtype=a.dtype).reshape(a.shape), found, given)

        return (jax.pure_callback(back, shape, given, *seeds, vmap_method="sequential"),)

    def __call__(
        self,
        positions: Any,
        velocities: Any,
        *,
        forces: Any = None,
        pins: Any = None,
        contractions: Mapping[str, Any] | None = None,
        **parameters: Any,
    ) -> tuple[Any, Any]:
        given: dict[str, Any] = {"positions": positions, "velocities": velocities, "contractions": dict(contractions or {}), "parameters": parameters}
        given |= {k: a for k, a in (("forces", forces), ("pins", pins)) if a is not None}
        out: tuple[Any, Any] = self._run(jax.tree_util.tree_map(lambda a: jnp.asarray(a, dtype=jnp.result_type(float)), given))
        return out


__all__ = ["Step"]
