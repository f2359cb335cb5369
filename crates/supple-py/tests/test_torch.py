"""Time steps as a function of PyTorch, against differences of simulations.

Where PyTorch is not installed a stand-in speaks its protocol: what the wrapper asks of it, and nothing else.
"""
import importlib.util
import os
import sys

import numpy as np
import pytest
from layers import WEIGHTS, arm, inputs, loss, slope

REAL = importlib.util.find_spec("torch") is not None and not os.environ.get("SUPPLE_TORCH_STAND_IN")
if not REAL:
    import torch_stand_in

    sys.modules["torch"] = torch_stand_in
import torch  # noqa: E402

import supple.torch  # noqa: E402

NAMES = ["positions", "velocities", "forces", "pins", "contraction", "young"]


def tensors():
    return {k: torch.as_tensor(np.array(a), dtype=torch.float64).requires_grad_() for k, a in inputs().items()}


def run(step, given):
    x, v = given["positions"], given["velocities"]
    for _ in range(2):
        x, v = step(x, v, forces=given["forces"], pins=given["pins"], contractions={"arm": given["contraction"]}, young=given["young"])
    return x, v


def test_every_input():
    step = supple.torch.Step(arm, {"young": 1e4}, steps=2)
    given = tensors()
    x, v = run(step, given)
    there = float((WEIGHTS[0] * x.detach().numpy()).sum() + (WEIGHTS[1] * v.detach().numpy()).sum())
    assert there == pytest.approx(loss(**inputs()), rel=1e-12)
    torch.autograd.backward([x, v], [torch.as_tensor(w, dtype=torch.float64) for w in WEIGHTS])
    for name in NAMES:
        wanted, d = slope(name)
        by = given[name].grad.numpy()
        assert float((by * d).sum()) == pytest.approx(wanted, rel=1e-5), name
    assert [n["step"] for n in step.last.report] == [0, 1] and not any(n["unconverged"] for n in step.last.report)


def test_what_needs_no_gradient_gets_none():
    step = supple.torch.Step(arm, {"young": 1e4})
    given = tensors()
    fixed = {k: t.detach() for k, t in given.items()}
    x, v = step(fixed["positions"], given["velocities"], forces=fixed["forces"], young=1e4)
    torch.autograd.backward([x], [torch.as_tensor(WEIGHTS[0], dtype=torch.float64)])
    assert fixed["positions"].grad is None and given["velocities"].grad is not None


def test_wrong_use_is_named():
    with pytest.raises(TypeError, match="no parameter"):
        supple.torch.Step(arm, {"young": 1e4})(*(tensors()[k] for k in ("positions", "velocities")), density=1.0)
    with pytest.raises(TypeError, match="has been built"):
        supple.torch.Step(arm(), {"young": 1e4})
    with pytest.raises(ValueError, match="at least 1"):
        supple.torch.Step(arm(), steps=0)


@pytest.mark.skipif(not REAL, reason="PyTorch is not installed: its own checks are not made")
def test_gradcheck_and_an_optimiser():
    """PyTorch's own check, and a velocity found by its L-BFGS so that the tip is somewhere."""
    step = supple.torch.Step(arm(), steps=2)
    x = torch.as_tensor(inputs()["positions"])
    v = torch.as_tensor(inputs()["velocities"]).requires_grad_()
    assert torch.autograd.gradcheck(lambda v: step(x, v), (v,), eps=1e-5, atol=1e-6, rtol=1e-4)
    target = step(x, v)[0].detach()[-1]
    guess = torch.zeros_like(v, requires_grad=True)
    optimiser = torch.optim.LBFGS([guess], max_iter=20, line_search_fn="strong_wolfe", tolerance_grad=1e-12)

    def miss():
        optimiser.zero_grad()
        far = 1e4 * ((step(x, guess)[0][-1] - target) ** 2).sum()
        far.backward()
        return far

    assert float(miss()) > 1e-3
    optimiser.step(miss)
    assert float(miss()) < 1e-6
