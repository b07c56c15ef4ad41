"""The out form writes into the memory it is given, as it lies, and nowhere else."""

import random

import oracle
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import assert_same_bits, expected
from torch import Tensor

import torch_hptp

P = torch.ops.hptp.permute
P_out = torch.ops.hptp.permute.out
POISON = 0xA5


def poisoned(count: int, dtype: torch.dtype) -> Tensor:
    elem_size = torch.empty(0, dtype=dtype).element_size()
    return torch.full((count * elem_size,), POISON, dtype=torch.uint8).view(dtype)


def inside_box(shape: list[int], order: list[int], gaps: list[int], dtype: torch.dtype) -> Tensor:
    """A poisoned tensor whose axes lie in memory in `order`, each with its own step and gap."""
    strides = [0] * len(shape)
    step = 1
    for axis in order:
        step *= 1 + gaps[axis] % 3
        strides[axis] = step
        step = step * max(shape[axis], 1) + gaps[axis]
    return poisoned(step + 16, dtype).as_strided(shape, strides, 8)


def written_mask(out: Tensor) -> Tensor:
    """Which bytes of the storage of out belong to its elements."""
    elem_size = out.element_size()
    mask = torch.zeros(out.untyped_storage().nbytes(), dtype=torch.bool)
    places = torch.arange(mask.numel() // elem_size)
    inside = places.as_strided(out.shape, out.stride(), out.storage_offset()).reshape(-1)
    for byte in range(elem_size):
        mask[inside * elem_size + byte] = True
    return mask


def check_out(x: Tensor, dims: tuple[int, ...], out: Tensor) -> None:
    strides, address, version = out.stride(), out.data_ptr(), out._version
    mask = written_mask(out)
    source = oracle.storage_bytes(x)
    assert P_out(x, dims, out=out) is out
    assert (out.stride(), out.data_ptr()) == (strides, address)
    assert out._version == version + 1
    assert_same_bits(out, expected(x, dims), f"{x.shape} {dims} into strides {strides}")
    outside = oracle.storage_bytes(out)[~mask]
    assert torch.all(outside == POISON), "bytes between the elements of out were written"
    assert torch.equal(oracle.storage_bytes(x), source), "the source was written"


def test_a_sliced_out_keeps_the_columns_between() -> None:
    """OUT-01."""
    x = torch.randn(3, 4)
    base = torch.full((4, 6), -1.0)
    out = base[:, ::2]
    assert P_out(x, (1, 0), out=out) is out
    assert torch.equal(base[:, ::2], x.t())
    assert torch.all(base[:, 1::2] == -1)
    assert out.stride() == (6, 2)
    assert out.data_ptr() == base.data_ptr()


def test_a_transposed_out_is_written_as_it_lies() -> None:
    """OUT-01: source and destination are both row-major in memory; the copy is straight."""
    x = torch.randn(3, 4)
    base = torch.full((3, 4), -1.0)
    assert torch_hptp.permute(x, (1, 0), out=base.t()).shape == (4, 3)
    assert torch.equal(base, x)


@pytest.mark.parametrize(
    "dtype", [torch.uint8, torch.bool, torch.int16, torch.float32, torch.float64, torch.complex128]
)
@pytest.mark.parametrize("layout", oracle.LAYOUTS)
def test_every_source_layout_goes_into_every_destination_layout(
    layout: str, dtype: torch.dtype
) -> None:
    rng = random.Random(5)
    for shape in ((33, 65), (4, 17, 9), (3, 5, 2, 7), (64, 64), (1, 40, 1), ()):
        for _ in range(4):
            x = oracle.LAYOUTS[layout](shape, dtype)
            dims = tuple(rng.sample(range(len(shape)), len(shape)))
            order = rng.sample(range(len(shape)), len(shape))
            gaps = [rng.choice([0, 0, 1, 2, 5]) for _ in shape]
            check_out(x, dims, inside_box([shape[d] for d in dims], order, gaps, dtype))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32),
    dtype=st.sampled_from([torch.uint8, torch.int16, torch.float32, torch.int64]),
    shape=st.lists(st.integers(0, 9), max_size=5),
)
def test_random_problems_write_their_elements_and_nothing_else(
    seed: int, dtype: torch.dtype, shape: list[int]
) -> None:
    rng = random.Random(seed)
    x = oracle.LAYOUTS[rng.choice(sorted(oracle.LAYOUTS))](shape, dtype)
    dims = oracle.random_dims(len(shape), rng)
    order = rng.sample(range(len(shape)), len(shape))
    gaps = [rng.choice([0, 0, 1, 4]) for _ in shape]
    check_out(x, dims, inside_box([shape[d] for d in dims], order, gaps, dtype))


def test_large_strided_outs_are_right_on_several_threads() -> None:
    for threads in (1, 2, 5):
        with oracle.torch_threads(threads):
            for dims, order in (((1, 0, 2), [0, 1, 2]), ((2, 1, 0), [2, 0, 1])):
                x = oracle.contiguous((130, 140, 70), torch.float32)
                shape = [x.shape[d] for d in dims]
                check_out(x, dims, inside_box(shape, order, [1, 0, 3], torch.float32))


def test_a_channels_last_out_is_filled_in_its_own_layout() -> None:
    x = torch.randn(2, 8, 9, 5)
    out = torch.empty(2, 5, 8, 9).to(memory_format=torch.channels_last)
    torch_hptp.permute(x, (0, 3, 1, 2), out=out)
    assert torch.equal(out, x.permute(0, 3, 1, 2))
    assert out.is_contiguous(memory_format=torch.channels_last)


def test_stale_strides_on_extent_1_and_empty_outs_are_taken() -> None:
    x = torch.randn(1, 5)
    out = poisoned(64, torch.float32).as_strided((5, 1), (1, 999))
    assert_same_bits(P_out(x, (1, 0), out=out), expected(x, (1, 0)))
    empty = torch.empty(1).as_strided((0, 3), (0, 0))
    assert P_out(torch.randn(3, 0), (1, 0), out=empty) is empty


def test_the_dims_of_the_out_form_default_to_none_for_a_scalar_only() -> None:
    out = torch.zeros(())
    assert P_out(torch.tensor(3.0), out=out) is out
    assert out.item() == 3.0
    with pytest.raises(RuntimeError, match="number of dimensions"):
        P_out(torch.zeros(2, 3), out=torch.zeros(2, 3))


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128], ids=oracle.name_of)
def test_a_conjugate_out_holds_the_values_that_it_shows(dtype: torch.dtype) -> None:
    """VAL-03: what is stored is the conjugate."""
    for x in (torch.randn(3, 4, dtype=dtype), torch.randn(3, 4, dtype=dtype).conj()):
        base = torch.zeros(4, 3, dtype=dtype)
        out = base.conj()
        assert P_out(x, (1, 0), out=out) is out
        assert torch.equal(out, x.t())
        assert torch.equal(base, x.t().conj())


def test_a_negative_out_holds_the_values_that_it_shows() -> None:
    """VAL-03."""
    base = torch.zeros(4, 3, dtype=torch.cfloat)
    out = base.conj().imag
    assert out.is_neg()
    x = torch.randn(3, 4)
    P_out(x, (1, 0), out=out)
    assert torch.equal(out, x.t())
    assert torch.equal(base.imag, -x.t())


def test_a_zero_tensor_out_is_refused() -> None:
    """VAL-10: it has no memory."""
    with pytest.raises(RuntimeError):
        P_out(torch.randn(3, 4), (1, 0), out=torch._efficientzerotensor((4, 3)))


def test_the_version_counter_of_out_and_its_base_rises_by_one() -> None:
    base = torch.zeros(4, 6)
    out = base[:, ::2]
    torch_hptp.permute(torch.randn(3, 4), (1, 0), out=out)
    assert base._version == out._version == 1


def test_the_function_returns_the_very_out_it_was_given() -> None:
    out = torch.empty(4, 3)
    assert torch_hptp.permute(torch.randn(3, 4), (1, 0), out=out) is out


def test_a_lazily_cloned_source_or_out_keeps_its_other_owner_unchanged() -> None:
    """Copy on write: both share memory until one is written, and only `out` is written."""
    x = torch.randn(4, 4)
    before = x.clone()
    out = torch._lazy_clone(x)
    P_out(x, (1, 0), out=out)
    assert torch.equal(out, before.t())
    assert torch.equal(x, before)
    lazy = torch._lazy_clone(x)
    assert torch.equal(P(lazy, (1, 0)), before.t())
    assert torch._C._is_cow_tensor(lazy)
