"""torch.compile, dynamic shapes and what else hangs on Dynamo and Inductor."""

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor
from torch._dynamo.testing import CompileCounter, CompileCounterWithBackend

import torch_hptp

P = torch.ops.hptp.permute
P_out = torch.ops.hptp.permute.out


@pytest.fixture(autouse=True)
def fresh_compiler() -> Iterator[None]:
    """No graph of an earlier run stands in for what the compiler makes of the op now."""
    torch._dynamo.reset()
    with (
        torch._inductor.config.patch(fx_graph_cache=False),
        torch._functorch.config.patch(enable_autograd_cache=False),
    ):
        yield


def swap(x: Tensor) -> Tensor:
    return P(x * 2, (1, 0)) + 1


def eager_swap(x: Tensor) -> Tensor:
    return (x * 2).permute(1, 0).contiguous() + 1


def swap_by_function(x: Tensor) -> Tensor:
    return torch_hptp.permute(x, (-1, 0))


def swap_into(x: Tensor, out: Tensor) -> Tensor:
    P_out(x, (1, 0), out=out)
    return out * 2


def swap_into_by_function(x: Tensor, out: Tensor) -> Tensor:
    return torch_hptp.permute(x, (1, 0), out=out) * 2


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_the_functional_form_compiles_into_one_graph(dynamic: bool) -> None:
    """BAD-02 under compile too; sizes 0 and 1 among the others."""
    compiled = torch.compile(swap, fullgraph=True, dynamic=dynamic)
    for shape in ((5, 7), (1, 7), (0, 3)) + ((6, 8), (5, 1), (1, 1), (64, 65)) * dynamic:
        x = torch.randn(shape)
        y = compiled(x)
        assert torch.equal(y, eager_swap(x))
        assert y.is_contiguous()
    by_function = torch.compile(swap_by_function, fullgraph=True, dynamic=dynamic)
    for shape in ((5, 7), (6, 8), (1, 7), (0, 3)):
        x = torch.randn(shape)
        assert torch.equal(by_function(x), x.t())


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("function", [swap_into, swap_into_by_function])
def test_the_out_form_compiles_into_one_graph(
    function: Callable[[Tensor, Tensor], Tensor], dynamic: bool
) -> None:
    """AGD-12: what follows reads the written value, and the caller's tensor holds it."""
    compiled = torch.compile(function, fullgraph=True, dynamic=dynamic)
    for rows, columns in ((5, 7), (0, 3)) + ((6, 8), (1, 7)) * dynamic:
        x, out = torch.randn(rows, columns), torch.zeros(columns, rows)
        assert torch.equal(compiled(x, out), 2 * x.t())
        assert torch.equal(out, x.t())


def test_an_out_made_inside_the_graph_is_read_after_it_was_written() -> None:
    """AGD-12."""

    def function(x: Tensor) -> Tensor:
        out = torch.empty(4, 3)
        P_out(x, (1, 0), out=out)
        return out * 2

    x = torch.randn(3, 4)
    assert torch.equal(torch.compile(function, fullgraph=True)(x), 2 * x.t())


def test_an_out_that_is_a_view_of_an_input_updates_the_input() -> None:
    """AGD-12."""

    def function(x: Tensor, base: Tensor) -> Tensor:
        P_out(x, (1, 0), out=base[4:])
        return base.sum()

    x, base = torch.randn(3, 4), torch.zeros(8, 3)
    total = torch.compile(function)(x, base)
    assert torch.equal(base[4:], x.t())
    assert torch.all(base[:4] == 0)
    assert torch.allclose(total, x.sum())


def test_a_strided_out_may_break_the_graph_and_is_right() -> None:
    base = torch.full((4, 6), -1.0)
    x = torch.randn(3, 4)
    y = torch.compile(swap_into)(x, base[:, ::2])
    assert torch.equal(y, 2 * x.t())
    assert torch.equal(base[:, ::2], x.t())
    assert torch.all(base[:, 1::2] == -1)


def test_a_backward_through_the_compiled_graph_equals_eager() -> None:
    compiled = torch.compile(lambda x: P(x.sin(), (1, 0)).square(), fullgraph=True, dynamic=True)
    for size in (5, 6):
        x = torch.randn(size, 7, requires_grad=True)
        compiled(x).sum().backward()
        ours, x.grad = x.grad, None
        x.sin().permute(1, 0).contiguous().square().sum().backward()
        assert ours is not None
        assert torch.allclose(ours, x.grad)


def test_the_input_may_reach_the_op_with_other_strides_than_traced() -> None:
    """AGD-09: Inductor lays intermediates out as it likes."""
    compiled = torch.compile(lambda x: P((x + 1).transpose(1, 2), (2, 1, 0)), fullgraph=True)
    for x in (
        torch.randn(3, 4, 5),
        torch.randn(5, 4, 3).permute(2, 1, 0),
        torch.randn(3, 4, 10)[..., ::2],
    ):
        assert torch.equal(compiled(x), (x + 1).transpose(1, 2).permute(2, 1, 0))


def test_a_channels_last_convolution_before_the_op_is_right() -> None:
    """AGD-09."""
    convolution = torch.nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
    x = torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last)
    with torch.no_grad():
        y = torch.compile(lambda x: P(convolution(x), (0, 2, 3, 1)), fullgraph=True)(x)
        torch.testing.assert_close(y, convolution(x).permute(0, 2, 3, 1))
    assert y.is_contiguous()


def test_a_conjugate_is_resolved_in_the_compiled_graph() -> None:
    """AGD-18."""
    z = torch.randn(3, 4, dtype=torch.cfloat)
    assert torch.equal(torch.compile(lambda z: P(z.conj(), (1, 0)))(z), z.conj().t().resolve_conj())


def test_a_byte_view_of_the_compiled_result_is_right() -> None:
    """AGD-20: view(dtype) trusts the strides of the fake kernel."""
    x = torch.randn(3, 4)
    y = torch.compile(lambda x: P(x.t(), (0, 1)).view(torch.uint8), fullgraph=True)(x)
    assert torch.equal(y, x.t().contiguous().view(torch.uint8))


def test_dynamic_sizes_compile_once() -> None:
    """AGD-11."""
    counter = CompileCounterWithBackend("inductor")
    compiled = torch.compile(swap, backend=counter, dynamic=True, fullgraph=True)
    for size in range(5, 13):
        x = torch.randn(size, size + 3)
        assert torch.equal(compiled(x), eager_swap(x))
    assert counter.frame_count == 1


def test_a_marked_size_compiles_once() -> None:
    """AGD-11."""
    counter = CompileCounter()
    compiled = torch.compile(swap, backend=counter, fullgraph=True)
    for size in range(5, 13):
        x = torch.randn(size, 4)
        torch._dynamo.mark_dynamic(x, 0)
        assert torch.equal(compiled(x), eager_swap(x))
    assert counter.frame_count == 1


def test_a_marked_unbacked_size_compiles_once_and_takes_0_and_1() -> None:
    """AGD-11: no guard on a size that is not known."""
    counter = CompileCounterWithBackend("inductor")
    compiled = torch.compile(lambda x: P(x, (1, 0)), backend=counter, fullgraph=True)
    for size in (5, 9, 1, 0):
        x = torch.randn(size, 4)
        torch._dynamo.decorators.mark_unbacked(x, 0)
        assert torch.equal(compiled(x), x.t())
    assert counter.frame_count == 1


@torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True)
def test_an_unbacked_size_from_nonzero_is_taken_by_both_forms() -> None:
    """AGD-11."""

    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        places = x.nonzero()
        y = P(places, (1, 0))
        out = torch.empty_like(y)
        P_out(places, (1, 0), out=out)
        return y, out

    compiled = torch.compile(function, fullgraph=True)
    for x in (torch.tensor([[0, 1], [1, 1]]), torch.eye(3), torch.zeros(2, 2)):
        for y in compiled(x):
            assert torch.equal(y, x.nonzero().t())


def test_vmap_and_grad_inside_a_compiled_function_equal_eager() -> None:
    def function(x: Tensor) -> Tensor:
        return torch.func.vmap(torch.func.grad(lambda a: P(a, (1, 0)).square().sum()))(x)

    x = torch.randn(2, 3, 4)
    compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
    assert torch.allclose(compiled(x), 2 * x)


def test_wrong_dims_inside_a_compiled_function_are_an_error() -> None:
    """BAD-01: the message reaches the user through Dynamo."""
    for dims, words in (
        ((0, 0), "duplicate|repeated"),
        ((0,), "number of dim"),
        ((0, 5), "out of range"),
    ):
        compiled = torch.compile(lambda x, d=dims: P(x, d), backend="aot_eager")
        with pytest.raises(Exception, match=words):
            compiled(torch.randn(2, 3))


def test_contiguous_compiles_into_one_graph() -> None:
    compiled = torch.compile(lambda x: torch_hptp.contiguous(x.t()) + 1, fullgraph=True)
    x = torch.randn(3, 4)
    assert torch.equal(compiled(x), x.t() + 1)
    images = torch.randn(2, 3, 4, 5)
    last = torch.compile(
        lambda x: torch_hptp.contiguous(x, memory_format=torch.channels_last), fullgraph=True
    )(images)
    assert torch.equal(last, images)
    assert last.is_contiguous(memory_format=torch.channels_last)
