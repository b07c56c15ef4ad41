"""Gradients: first and second order, forward and reverse, and none lost in silence."""

import warnings

import oracle
import pytest
import torch
from oracle import assert_permuted
from torch import Tensor
from torch.autograd import forward_ad, gradcheck, gradgradcheck

import torch_hptp

P = torch.ops.hptp.permute
P_out = torch.ops.hptp.permute.out
OUT_WORDS = "functions with out=... arguments don't support automatic differentiation, but one of"

CASES = [
    ((3, 4), (1, 0)),
    ((3, 4), (-1, -2)),
    ((2, 3, 4), (2, 0, 1)),
    ((2, 3, 4), (-1, -3, -2)),  # BAD-02: backward uses the inverse of the wrapped dims
    ((2, 3, 1, 2), (3, 1, 0, 2)),
    ((2, 3), (0, 1)),
    ((), ()),
    ((0, 3), (1, 0)),
]


def weights(x: Tensor) -> Tensor:
    return torch.arange(1.0, 1 + x.numel(), dtype=x.dtype).view(x.shape)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128], ids=oracle.name_of)
@pytest.mark.parametrize(("shape", "dims"), CASES)
def test_first_and_second_derivatives_are_right_in_both_modes(
    shape: tuple[int, ...], dims: tuple[int, ...], dtype: torch.dtype
) -> None:
    x = torch.randn(shape, dtype=dtype, requires_grad=True)
    for call in (P, torch_hptp.permute):

        def function(x: Tensor, call: object = call) -> Tensor:
            assert callable(call)
            result = call(x, dims)
            assert isinstance(result, Tensor)
            return result

        assert gradcheck(
            function,
            (x,),
            check_forward_ad=True,
            check_batched_grad=True,
            check_batched_forward_grad=True,
        )
        assert gradgradcheck(function, (x,), check_fwd_over_rev=True, check_rev_over_rev=True)


@pytest.mark.parametrize(("shape", "dims"), CASES)
def test_the_gradient_equals_that_of_eager(shape: tuple[int, ...], dims: tuple[int, ...]) -> None:
    x = torch.randn(shape, requires_grad=True)
    y = P(x, dims)
    (ours,) = torch.autograd.grad((y * weights(y)).sum(), x)
    z = x.permute(dims).contiguous()
    (wanted,) = torch.autograd.grad((z * weights(z)).sum(), x)
    assert torch.equal(ours, wanted)


def test_an_expanded_or_strided_gradient_is_read_right() -> None:
    """AGD-02."""
    x = torch.randn(3, 4, requires_grad=True)
    (ones,) = torch.autograd.grad(P(x, (1, 0)).sum(), x)
    assert torch.equal(ones, torch.ones(3, 4))
    cube = torch.randn(2, 3, 4, requires_grad=True)
    weight = torch.randn(3, 4, 2).permute(1, 2, 0)
    (ours,) = torch.autograd.grad((P(cube, (2, 0, 1)) * weight).sum(), cube)
    assert torch.equal(ours, weight.permute(1, 2, 0))
    gap = torch.randn(4, 6)[:, ::2]
    (ours,) = torch.autograd.grad(P(x, (1, 0)), x, gap)
    assert torch.equal(ours, gap.t())


def test_the_accumulated_gradient_of_a_1x1_weight_is_contiguous() -> None:
    """AGD-17: DDP warns of a gradient that is laid out unlike its parameter."""
    w = torch.randn(16, 8, 1, 1, requires_grad=True)
    P(w, (1, 0, 2, 3)).square().sum().backward()
    assert w.grad is not None
    assert torch.equal(w.grad, 2 * w.detach())
    assert w.grad.is_contiguous()
    assert w.grad.stride() == w.stride()


def test_the_derivatives_of_torch_func_equal_those_of_eager() -> None:
    """AGD-03."""
    x, tangent = torch.randn(3, 4, dtype=torch.float64), torch.randn(3, 4, dtype=torch.float64)

    def ours(x: Tensor) -> Tensor:
        y = P(x, (1, 0))
        return (y * y * weights(y)).sum(0)

    def eager(x: Tensor) -> Tensor:
        y = x.permute(1, 0).contiguous()
        return (y * y * weights(y)).sum(0)

    def total(function: object) -> object:
        assert callable(function)
        return lambda x: function(x).sum()

    func = torch.func
    for transform in (func.jacrev, func.jacfwd, func.hessian):
        assert torch.equal(transform(ours)(x), transform(eager)(x))
    assert torch.equal(func.grad(total(ours))(x), func.grad(total(eager))(x))
    twice = func.grad(lambda x: func.grad(total(ours))(x).square().sum())(x)
    assert torch.equal(twice, func.grad(lambda x: func.grad(total(eager))(x).square().sum())(x))
    for (value, slope), wanted in (
        (func.jvp(ours, (x,), (tangent,)), func.jvp(eager, (x,), (tangent,))),
    ):
        assert torch.equal(value, wanted[0])
        assert torch.equal(slope, wanted[1])
    value, pull = func.vjp(ours, x)
    assert torch.equal(pull(weights(value))[0], func.vjp(eager, x)[1](weights(value))[0])
    batch = torch.randn(5, 3, 4, dtype=torch.float64)
    assert torch.equal(
        func.vmap(func.grad(total(ours)))(batch), func.vmap(func.grad(total(eager)))(batch)
    )
    assert torch.equal(func.vmap(func.hessian(ours))(batch), func.vmap(func.hessian(eager))(batch))


def test_forward_mode_carries_the_tangent() -> None:
    x, tangent = torch.randn(3, 4), torch.randn(3, 4)
    with forward_ad.dual_level():
        primal, moved = forward_ad.unpack_dual(P(forward_ad.make_dual(x, tangent), (1, 0)))
        assert moved is not None
        assert_permuted(primal, x, (1, 0))
        assert torch.equal(moved, tangent.t())


def test_a_zero_tangent_is_taken() -> None:
    """VAL-10: jvp makes ZeroTensors of missing tangents."""
    x = torch.randn(3, 4)
    value, slope = torch.func.jvp(lambda x: P(torch.sgn(x), (1, 0)), (x,), (torch.ones(3, 4),))
    assert torch.equal(value, torch.sgn(x).t())
    assert torch.equal(slope, torch.zeros(4, 3))


def test_both_modes_at_once_agree() -> None:
    x = torch.randn(3, 4, requires_grad=True)
    with forward_ad.dual_level():
        y = P(forward_ad.make_dual(x, torch.ones(3, 4)), (1, 0))
        y.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, torch.ones(3, 4))


def test_the_result_knows_its_node_and_whether_it_requires_grad() -> None:
    x = torch.randn(3, 4, requires_grad=True)
    y = P(x, (1, 0))
    assert y.requires_grad
    assert not y.is_leaf
    assert y.grad_fn is not None
    assert "ermute" in y.grad_fn.name()
    plain = P(x.detach(), (1, 0))
    assert not plain.requires_grad
    assert plain.grad_fn is None
    integers = P(torch.ones(3, 4, dtype=torch.int64), (1, 0))
    assert not integers.requires_grad


def test_no_grad_and_inference_mode_record_nothing() -> None:
    x = torch.randn(3, 4, requires_grad=True)
    with torch.no_grad():
        y = P(x, (1, 0))
        assert not y.requires_grad
        assert y.grad_fn is None
        assert_permuted(y, x, (1, 0))
        assert P_out(x, (1, 0), out=torch.empty(4, 3)).grad_fn is None
    with torch.inference_mode():
        y = P(x, (1, 0))
        assert y.is_inference()
        assert not y.requires_grad
        out = torch.empty(4, 3)
        assert P_out(y.t(), (1, 0), out=out) is out
        assert torch.equal(out, y)
    outside = P(y, (1, 0))  # an inference tensor is a good input outside
    assert torch.equal(outside, y.t())
    with pytest.raises(RuntimeError, match=r"[Ii]nference tensor"):
        P_out(torch.randn(3, 4), (1, 0), out=y)  # but no good output


def test_autocast_leaves_the_dtype_alone() -> None:
    x = torch.randn(3, 4, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = P(x, (1, 0))
        assert y.dtype == torch.float32
        product = P(torch.mm(x, x.t()), (1, 0))
        assert product.dtype == torch.bfloat16
    (y.sum() + product.float().sum()).backward()
    assert x.grad is not None
    assert x.grad.dtype == torch.float32


def test_the_functional_form_bumps_no_version() -> None:
    x = torch.randn(3, 4)
    y = P(x, (1, 0))
    assert x._version == 0
    assert y._version == 0


def test_a_result_changed_in_place_still_has_its_gradient() -> None:
    """Backward needs no values: permute saves no tensor."""
    x = torch.randn(3, 4, requires_grad=True)
    y = P(x, (1, 0))
    y.mul_(2)
    y.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, torch.full((3, 4), 2.0))


def test_a_saved_tensor_that_the_out_form_overwrites_makes_backward_raise() -> None:
    """Version counters: y * y saved y; writing into it afterwards is caught."""
    x = torch.randn(4, 3, requires_grad=True)
    y = x * 1
    z = y * y
    with torch.no_grad():
        P_out(torch.randn(3, 4), (1, 0), out=y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def requires(*shape: int) -> Tensor:
    return torch.randn(shape, requires_grad=True)


@pytest.mark.parametrize(
    ("x", "out"),
    [
        (requires(3, 4), torch.zeros(4, 3)),
        (torch.randn(3, 4), requires(4, 3)),
        (requires(3, 4), requires(4, 3)),
        (requires(3, 4) * 2, torch.zeros(4, 3)),
        (torch.randn(3, 4), requires(4, 3) * 2),
    ],
    ids=["x", "out", "both", "x not a leaf", "out not a leaf"],
)
def test_the_out_form_refuses_what_requires_grad(x: Tensor, out: Tensor) -> None:
    """In torch's own words; otherwise the gradient would be lost in silence."""
    before = out.detach().clone()
    for call in (P_out, torch_hptp.permute):
        with pytest.raises(RuntimeError, match=OUT_WORDS):
            call(x, (1, 0), out=out)
    assert torch.equal(out.detach(), before)
    assert out._version == 0
    with torch.no_grad():
        P_out(x, (1, 0), out=out)
    assert torch.equal(out.detach(), x.detach().t())


def test_the_out_form_refuses_a_dual_tensor() -> None:
    x = torch.randn(3, 4)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones(3, 4))
        with pytest.raises(RuntimeError, match=r"out=|forward"):
            P_out(dual, (1, 0), out=torch.empty(4, 3))


def test_gradients_reach_through_a_view_and_a_leaf_alike() -> None:
    x = torch.randn(4, 6, requires_grad=True)
    P(x[:, ::2], (1, 0)).sum().backward()
    wanted = torch.zeros(4, 6)
    wanted[:, ::2] = 1
    assert x.grad is not None
    assert torch.equal(x.grad, wanted)


def test_a_conjugate_view_passes_its_gradient() -> None:
    z = torch.randn(3, 4, dtype=torch.cdouble, requires_grad=True)
    assert gradcheck(lambda z: P(z.conj(), (1, 0)), (z,), check_forward_ad=True)


def test_hooks_checkpointing_and_retained_graphs_work() -> None:
    from torch.utils.checkpoint import checkpoint

    x = torch.randn(3, 4, requires_grad=True)
    seen: list[torch.Size] = []
    y = checkpoint(lambda x: P(x, (1, 0)).square(), x, use_reentrant=False)
    y.register_hook(lambda gradient: seen.append(gradient.shape))
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, 4 * x.detach())
    assert seen == [(4, 3), (4, 3)]


def test_no_warning_is_given_by_any_of_it() -> None:
    """A missing autograd kernel would warn once and lose the gradient."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = torch.randn(3, 4, requires_grad=True)
        P(x, (1, 0)).sum().backward()
        torch.func.grad(lambda x: P(x, (1, 0)).sum())(x.detach())
