"""As much of PyTorch's protocol as the wrapper asks for: tensors that remember which function made them, and functions that go back."""
import numpy as np

float64 = np.float64


class Tensor:
    def __init__(self, value, requires_grad=False, made=None):
        self.value, self.requires_grad, self.grad, self.made = np.asarray(value), requires_grad, None, made

    dtype = property(lambda self: self.value.dtype.type)
    shape = property(lambda self: self.value.shape)
    device = "cpu"

    def requires_grad_(self):
        self.requires_grad = True
        return self

    def detach(self):
        return Tensor(self.value)

    def to(self, *what):
        kinds = [w for w in what if not isinstance(w, str)]
        return Tensor(self.value.astype(kinds[0])) if kinds else self

    def numpy(self):
        assert not self.requires_grad, "a tensor that is differentiated has no array: detach() it"
        return self.value

    def reshape(self, shape):
        return Tensor(self.value.reshape(shape))


def as_tensor(value, dtype=None, device=None):
    return value if isinstance(value, Tensor) else Tensor(np.asarray(value, dtype=dtype))


def from_numpy(array):
    assert isinstance(array, np.ndarray)
    return Tensor(array)


class autograd:
    class function:
        @staticmethod
        def once_differentiable(function):
            return function

    class Function:
        class _Context:
            pass

        @classmethod
        def apply(cls, *inputs):
            ctx = cls._Context()
            ctx.needs_input_grad = tuple(isinstance(t, Tensor) and t.requires_grad for t in inputs)
            out = cls.forward(ctx, *inputs)
            node = (cls, ctx, inputs, out)
            for t in out:
                t.requires_grad, t.made = any(ctx.needs_input_grad), node
            return out

    @staticmethod
    def backward(tensors, seeds):
        """Nodes are a chain here: the last is gone back through first."""
        gradients = {id(t): s.value for t, s in zip(tensors, seeds)}
        node = tensors[0].made
        while node is not None:
            function, ctx, inputs, out = node
            given = [Tensor(gradients.get(id(t), np.zeros(t.shape))) for t in out]
            found = function.backward(ctx, *given)
            assert len(found) == len(inputs)
            node = None
            for t, need, g in zip(inputs, ctx.needs_input_grad, found):
                assert (g is not None) == need
                if not need:
                    continue
                assert g.shape == t.shape and g.dtype == t.dtype
                if t.made is None:
                    t.grad = Tensor(g.value + (0 if t.grad is None else t.grad.value))
                else:
                    gradients[id(t)] = gradients.get(id(t), 0) + g.value
                    node = t.made
