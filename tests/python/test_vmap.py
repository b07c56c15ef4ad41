"""vmap: the batch axis may be anywhere, the dims are those of the sample."""

import itertools
import warnings

import pytest
import torch
from torch import Tensor
from torch.func import vmap

import torch_hptp

P = torch.ops.hptp.permute


def eager(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    return x.permute(dims).contiguous()


@pytest.fixture(autouse=True)
def no_fallback_to_a_loop() -> object:
    """AGD-06: a missing batching rule warns and loops."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("in_dim", range(-4, 4))
@pytest.mark.parametrize("out_dim", range(-4, 4))
def test_every_place_of_the_batch_axis_equals_eager(in_dim: int, out_dim: int) -> None:
    """AGD-05."""
    x = torch.randn(2, 3, 4, 5)
    for dims in ((1, 0, 2), (2, 0, 1), (0, 1, 2), (-1, 0, -2), (-1, -3, -2)):
        ours = vmap(lambda a, d=dims: P(a, d), in_dims=in_dim, out_dims=out_dim)(x)
        wanted = vmap(lambda a, d=dims: eager(a, d), in_dims=in_dim, out_dims=out_dim)(x)
        assert torch.equal(ours, wanted), dims


def test_the_python_function_is_batched_too() -> None:
    x = torch.randn(5, 3, 4)
    ours = vmap(lambda a: torch_hptp.permute(a, (1, 0)))(x)
    assert torch.equal(ours, x.mT)
    assert torch.equal(vmap(lambda a: torch_hptp.contiguous(a.t()))(x), x.mT)


def test_nested_batches_equal_eager() -> None:
    """AGD-05."""
    x = torch.randn(2, 3, 4, 5)
    for outer, inner in itertools.product(range(4), range(3)):
        for dims in ((1, 0), (-1, 0), (0, 1)):
            ours = vmap(vmap(lambda a, d=dims: P(a, d), in_dims=inner), in_dims=outer)(x)
            wanted = vmap(vmap(lambda a, d=dims: eager(a, d), in_dims=inner), in_dims=outer)(x)
            assert torch.equal(ours, wanted), (outer, inner, dims)


def test_a_sample_of_rank_0_and_an_empty_batch_work() -> None:
    x = torch.randn(7)
    assert torch.equal(vmap(lambda a: P(a, ()))(x), x)
    assert vmap(lambda a: P(a, (1, 0)))(torch.empty(0, 2, 3)).shape == (0, 3, 2)
    assert vmap(lambda a: P(a, (1, 0)))(torch.empty(4, 0, 3)).shape == (4, 3, 0)


def test_only_the_batched_argument_is_batched() -> None:
    """AGD-05: an unbatched tensor inside vmap."""
    x, still = torch.randn(5, 3, 4), torch.randn(3, 4)
    ours = vmap(lambda a: P(a, (1, 0)) + P(still, (1, 0)))(x)
    assert torch.equal(ours, x.mT + still.t())


def test_a_batched_conjugate_is_resolved() -> None:
    """VAL-01 under vmap."""
    x = torch.randn(5, 3, 4, dtype=torch.cfloat)
    assert torch.equal(vmap(lambda a: P(a.conj(), (1, 0)))(x), x.conj().mT.resolve_conj())


def test_a_large_batch_is_one_call_not_a_loop() -> None:
    """AGD-06: ten thousand rows; a loop of calls would take a hundred times as long."""
    from torch.utils._python_dispatch import TorchDispatchMode

    calls: list[str] = []

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            calls.append(str(func))
            return func(*args, **(kwargs or {}))

    x = torch.randn(10_000, 3, 4)
    with Log():
        y = vmap(lambda a: P(a, (1, 0)))(x)
    assert torch.equal(y, x.mT)
    assert len([name for name in calls if "hptp" in name]) == 1, calls


def test_the_out_form_is_refused_under_vmap_and_out_is_untouched() -> None:
    """AGD-06: torch refuses out= under vmap for its own ops as well."""
    x, out = torch.randn(5, 3, 4), torch.zeros(5, 4, 3)
    for call in (torch.ops.hptp.permute.out, torch_hptp.permute):
        with pytest.raises(RuntimeError, match=r"vmap|[Bb]atching"):
            vmap(lambda a, o, call=call: call(a, (1, 0), out=o))(x, out)
    assert torch.all(out == 0)
