"""Tensor subclasses, modes and FX see the op as they see torch's own."""

from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import torch_hptp

P = torch.ops.hptp.permute


class Log(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


class LogFunctions(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


class Wrapped(Tensor):
    """A wrapper subclass that counts what is dispatched to it."""

    names: ClassVar[list[str]] = []
    inner: Tensor

    @staticmethod
    def __new__(cls, inner: Tensor) -> "Wrapped":
        made = Tensor._make_wrapper_subclass(
            cls, inner.shape, strides=inner.stride(), dtype=inner.dtype, device=inner.device
        )
        assert isinstance(made, Wrapped)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        cls.names.append(str(func))
        plain = [a.inner if isinstance(a, Wrapped) else a for a in args]
        kwargs = {k: v.inner if isinstance(v, Wrapped) else v for k, v in (kwargs or {}).items()}
        return Wrapped(func(*plain, **kwargs))


def test_a_dispatch_mode_sees_each_call_once() -> None:
    x, out = torch.randn(3, 4), torch.empty(4, 3)
    with Log() as log:
        P(x, (1, 0))
        torch_hptp.permute(x, (1, 0))
        torch_hptp.permute(x, (1, 0), out=out)
    assert log.names == ["hptp.permute.default", "hptp.permute.default", "hptp.permute.out"]


def test_a_dispatch_mode_sees_a_view_in_backward() -> None:
    x = torch.randn(3, 4, requires_grad=True)
    y = P(x, (1, 0)).sum()
    with Log() as log:
        y.backward()
    assert "aten.permute.default" in log.names


def test_a_subclass_is_asked_and_its_result_is_kept() -> None:
    x = torch.randn(3, 4)
    Wrapped.names.clear()
    for y in (P(Wrapped(x), (1, 0)), torch_hptp.permute(Wrapped(x), (1, 0))):
        assert isinstance(y, Wrapped)
        assert torch.equal(y.inner, x.t())
    assert Wrapped.names == ["hptp.permute.default"] * 2


def test_a_subclass_with_torch_function_is_asked() -> None:
    class Named(Tensor):
        pass

    y = P(torch.randn(3, 4).as_subclass(Named), (1, 0))
    assert type(y) is Named
    assert y.shape == (4, 3)
    parameter = torch.nn.Parameter(torch.randn(3, 4))
    assert torch_hptp.permute(parameter, (1, 0)).requires_grad


def test_a_function_mode_sees_the_op_without_recursion() -> None:
    with LogFunctions() as log:
        P(torch.zeros(3, 4), (1, 0))
    assert len([name for name in log.names if "hptp" in name]) == 1


def test_make_fx_records_the_op() -> None:
    x = torch.randn(3, 4)
    graph = make_fx(lambda x: P(x, (1, 0)) + 1)(x)
    assert "hptp.permute.default" in {str(node.target) for node in graph.graph.nodes}
    assert torch.equal(graph(x), x.t() + 1)


def test_a_two_tensor_subclass_of_torch_goes_through() -> None:
    from torch.testing._internal.two_tensor import TwoTensor

    a, b = torch.randn(3, 4), torch.randn(3, 4)
    y = P(TwoTensor(a, b), (1, 0))
    assert isinstance(y, TwoTensor)
    assert torch.equal(y.a, a.t())
    assert torch.equal(y.b, b.t())


def test_functionalization_leaves_the_functional_form_whole() -> None:
    x = torch.randn(3, 4)

    def function(x: Tensor) -> Tensor:
        y = P(x, (1, 0))
        y.add_(1)
        return y

    graph = make_fx(torch.func.functionalize(function))(x)
    assert "hptp.permute.default" in {str(node.target) for node in graph.graph.nodes}
    assert torch.equal(graph(x), x.t() + 1)


def test_symbolic_tracing_records_the_op_and_the_functions() -> None:
    class Swap(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return P(torch_hptp.permute(x, (1, 0)), [0, 1])

    x = torch.randn(3, 4)
    traced = torch.fx.symbolic_trace(Swap())
    targets = [str(node.target) for node in traced.graph.nodes if node.op == "call_function"]
    assert len(targets) == 2
    assert all("hptp" in target for target in targets)
    assert torch.equal(traced(x), x.t())
