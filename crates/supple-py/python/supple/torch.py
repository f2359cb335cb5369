"""Time steps as a function of PyTorch tensors, with derivatives; needs PyTorch (`pip install supple[torch]`)."""
from __future__ import annotations

from typing import Any, Mapping

import numpy as np

try:
    import torch  # type: ignore[import-not-found,unused-ignore]
except ImportError as e:
    raise ImportError("supple.torch needs PyTorch: pip install supple[torch]") from e

from ._layer import Layer


class _Steps(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """Inputs come flat: autograd does not look into dicts."""

    @staticmethod
    def forward(ctx: Any, step: Step, names: tuple[tuple[str, str], ...], *tensors: torch.Tensor) -> Any:
        given: dict[str, Any] = {"forces": None, "pins": None, "contractions": {}, "parameters": {}}
        for (kind, name), t in zip(names, tensors):
            value = t.detach().to("cpu", torch.float64).numpy()
            if name:
                given[kind][name] = value
            else:
                given[kind] = value
        x, v, ctx.call = step._layer.forward(given)
        ctx.names, ctx.kinds = names, [(t.dtype, t.device, t.shape) for t in tensors]
        step.last = ctx.call
        like = tensors[0]
        return tuple(torch.from_numpy(np.array(a)).to(like.device, like.dtype) for a in (x, v))

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[misc,untyped-decorator,override,no-untyped-call,unused-ignore]
    def backward(ctx: Any, *seeds: Any) -> Any:
        needs = ctx.needs_input_grad[2:]
        wanted = tuple(n for (kind, n), need in zip(ctx.names, needs) if need and kind == "parameters")
        found = ctx.call.backward(*(d.to("cpu", torch.float64).numpy() for d in seeds), wanted)
        out: list[torch.Tensor | None] = [None, None]
        for (kind, name), need, (dtype, device, shape) in zip(ctx.names, needs, ctx.kinds):
            value = (found[kind][name] if name else found[kind]) if need else None
            out.append(None if value is None else torch.as_tensor(np.asarray(value), dtype=dtype, device=device).reshape(shape))
        return tuple(out)


class Step:
    """Time steps as a differentiable function: `x, v = step(x, v)`.

    scene: a Simulation; or a scene file, or a function of parameters that gives a Scene or a Simulation, with the first values of these. steps: how
    many steps a call takes. options are those of Scene.build(); ask for tolerance=1e-8 or less.

    A call takes positions and velocities (n, 3), and gives those after the steps. forces: (n, 3) in N, zero unless given. pins: (n, 3), where
    pins are at the end; else they stay where positions have them. contractions: {body: a number, or one for each element}. Further names are
    parameters, numbers or tensors of one. Every call begins anew from the state that it is given, so that `bdf2` takes its first step by
    backward Euler. Second derivatives are refused.
    """

    def __init__(
        self, scene: Any, parameters: Mapping[str, float] | None = None, *, steps: int = 1, memory: int = 2**28, **options: Any
    ) -> None:
        self._layer = Layer(scene, parameters, steps, memory, options)
        #: The last call; after it was gone back through, its `report` says what is to be said of each step.
        self.last: Any = None

    @property
    def simulation(self) -> Any:
        """The simulation of the last parameters."""
        return self._layer.sim

    def __call__(
        self,
        positions: torch.Tensor,
        velocities: torch.Tensor,
        *,
        forces: torch.Tensor | None = None,
        pins: torch.Tensor | None = None,
        contractions: Mapping[str, torch.Tensor] | None = None,
        **parameters: Any,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        names: list[tuple[str, str]] = [("positions", ""), ("velocities", "")]
        tensors = [positions, velocities]
        for name, t in (("forces", forces), ("pins", pins)):
            if t is not None:
                names.append((name, ""))
                tensors.append(t)
        for kind, several in (("contractions", contractions or {}), ("parameters", parameters)):
            for name, t in several.items():
                names.append((kind, name))
                tensors.append(torch.as_tensor(t, dtype=torch.float64))
        return _Steps.apply(self, tuple(names), *tensors)  # type: ignore[no-any-return,no-untyped-call,unused-ignore]


__all__ = ["Step"]
