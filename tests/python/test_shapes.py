"""Shapes that trip copy engines: empty, extent 1, many axes, strides that look mergeable."""

import itertools
import time

import oracle
import pytest
import torch
from oracle import assert_permuted, assert_same_bits, expected

import torch_hptp

P = torch.ops.hptp.permute


@pytest.mark.parametrize(
    ("shape", "dims"),
    [((1, 2, 3, 4, 5), (1, 0, 2, 3, 4)), ((16, 20, 1, 12), (0, 2, 1, 3))],
)
def test_a_moved_axis_of_extent_1_gets_a_canonical_stride(
    shape: tuple[int, ...], dims: tuple[int, ...]
) -> None:
    """SH-01: eager keeps the old stride there."""
    x = torch.randn(shape)
    assert_permuted(P(x, dims), x, dims)
    assert_permuted(torch_hptp.permute(x, dims), x, dims)


def test_a_row_becomes_a_column() -> None:
    """SH-02."""
    x = torch.arange(33.0).view(1, 33)
    y = P(x, (1, 0))
    assert y.shape == (33, 1)
    assert y.stride() == (1, 1)
    assert y.flatten().tolist() == list(range(33))
    i = torch.arange(256, dtype=torch.int32).view(1, 256)
    assert_permuted(P(i, (1, 0)), i, (1, 0))


@pytest.mark.parametrize(
    ("shape", "dims"),
    [
        ((1, 0, 2, 100, 100), (0, 1, 3, 4, 2)),
        ((0, 9, 4, 4), (0, 3, 1, 2)),
        ((0, 9, 4, 4), (3, 2, 1, 0)),
        ((1, 1, 1, 0, 1), (3, 0, 4, 1, 2)),
        ((0,), (0,)),
        ((0, 0), (1, 0)),
    ],
)
def test_an_empty_tensor_has_the_permuted_shape_and_canonical_strides(
    shape: tuple[int, ...], dims: tuple[int, ...]
) -> None:
    """SH-04."""
    x = torch.empty(shape)
    y = P(x, dims)
    assert y.shape == x.permute(dims).shape
    assert y.numel() == 0
    assert y.stride() == oracle.canonical_strides(y.shape)
    out = torch.empty(y.shape)
    assert torch.ops.hptp.permute.out(x, dims, out=out) is out


def test_huge_axes_around_an_empty_one_cost_nothing() -> None:
    """SH-05."""
    x = torch.empty(2**31, 0, 2**31, dtype=torch.uint8)
    start = time.perf_counter()
    y = P(x, (2, 1, 0))
    out = torch.ops.hptp.permute.out(x, (2, 1, 0), out=torch.empty_like(y))
    assert time.perf_counter() - start < 1.0
    assert y.shape == out.shape == (2**31, 0, 2**31)


@pytest.mark.parametrize(
    ("shape", "dims"), [((1, 1, 3), (0, 1, 2)), ((1, 32, 256), (0, 2, 1)), ((1, 1, 1), (2, 1, 0))]
)
def test_leading_axes_of_extent_1_stay(shape: tuple[int, ...], dims: tuple[int, ...]) -> None:
    """SH-07."""
    x = torch.randn(shape)
    assert_permuted(P(x, dims), x, dims)


def test_moving_only_axes_of_extent_1_keeps_every_element() -> None:
    """SH-08."""
    x = torch.tensor([1.0, 2, 3, 4]).view(2, 2, 1, 1)
    y = P(x, (0, 2, 3, 1))
    assert y.shape == (2, 1, 1, 2)
    assert y.flatten().tolist() == [1, 2, 3, 4]
    image = oracle.contiguous((480, 640, 1), torch.uint8)
    assert_permuted(P(image, (2, 0, 1)), image, (2, 0, 1))


def test_axes_that_are_neighbours_but_not_mergeable_stay_apart() -> None:
    """SH-10: strides 10 and 7 do not follow from one another."""
    x = torch.arange(2000.0).as_strided((4, 5, 3, 2, 5), (150, 30, 10, 7, 1))
    for dims in oracle.all_dims(5):
        assert_permuted(P(x, dims), x, dims)


@pytest.mark.parametrize(
    ("shape", "dims"),
    [((2, 3), (0, 1)), ((1, 5), (1, 0)), ((4,), (0,)), ((), ()), ((3, 1), (0, 1))],
)
def test_the_op_never_returns_its_input_or_a_view_of_it(
    shape: tuple[int, ...], dims: tuple[int, ...]
) -> None:
    """SH-11: a custom op must not alias its input, even where eager returns the input itself."""
    x = torch.randn(shape)
    for y in (P(x, dims), torch_hptp.permute(x, dims)):
        assert y is not x
        assert not y._is_view()
        assert y.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()
        before = x.clone()
        y.fill_(-1)
        assert torch.equal(x, before)


def test_a_tensor_that_is_contiguous_but_for_extent_1_axes_is_copied_right() -> None:
    """SH-13."""
    x = torch.randn(2, 1, 3).permute(0, 2, 1)
    y = torch.randn(32).as_strided((32, 1, 1, 1), (1, 32, 32, 32))
    for tensor in (x, y):
        same = tuple(range(tensor.dim()))
        assert_permuted(P(tensor, same), tensor, same)
        assert_same_bits(torch_hptp.contiguous(tensor), tensor.contiguous())


def test_the_storage_offset_is_honoured() -> None:
    """SH-14."""
    x = torch.arange(24.0).view(2, 3, 4)[1]
    y = torch.arange(60.0).view(3, 4, 5)[1:, 1:, 2:]
    assert_permuted(P(x, (1, 0)), x, (1, 0))
    assert_permuted(P(y, (2, 0, 1)), y, (2, 0, 1))


def test_slices_with_steps_in_any_axis_are_permuted_right() -> None:
    """SH-16, and the strided workloads strd-01 to strd-06."""
    base = oracle.contiguous((270, 480, 3), torch.uint8)
    for x in (base[1:250, 1:250, 0:2], base[..., ::2], base[::3, 1::2], base[1:250, 1:250]):
        for dims in oracle.all_dims(3):
            assert_permuted(P(x, dims), x, dims)
    deep = oracle.contiguous((90, 70, 3, 3), torch.uint8)[1:80, 1:60, 0:2, 1:3]
    for dims in oracle.all_dims(4):
        assert_permuted(P(deep, dims), deep, dims)
    for channels in (slice(1, 4), slice(3, 7)):
        x = oracle.contiguous((100, 80, 20), torch.uint8)[..., channels]
        for dims in oracle.all_dims(3):
            assert_permuted(P(x, dims), x, dims)


@pytest.mark.parametrize(
    "step", [(slice(None, None, 2), slice(None)), (slice(None), slice(None, None, 2))]
)
def test_a_matrix_with_every_second_row_or_column_is_copied_right(
    step: tuple[slice, slice],
) -> None:
    """The strided workloads strd-07, strd-08 and strd-10."""
    x = torch.randn(512, 512, dtype=torch.float64)[step]
    for dims in ((1, 0), (0, 1)):
        assert_permuted(P(x, dims), x, dims)


def test_more_strided_workloads_equal_eager() -> None:
    """strd-11 to strd-15, smaller."""
    cases = [
        (torch.randn([6] * 6)[..., ::2], tuple(range(6))),
        (torch.randn(1, 201, 301)[..., :-1], (0, 1, 2)),
        (torch.randn(1, 113, 5420)[:, 10:40, :], (0, 2, 1)),
        (torch.randn(2, 51, 164).to(torch.float8_e4m3fn)[:, :, :82], (0, 2, 1)),
        (torch.randn(2, 64, 32, 128).bfloat16().narrow(2, 0, 8), (0, 2, 1, 3)),
    ]
    for x, dims in cases:
        assert_permuted(P(x, dims), x, dims)


def test_an_expanded_source_gives_a_dense_result() -> None:
    """SH-17."""
    cases = [
        (torch.arange(3.0).view(3, 1).expand(3, 4), (1, 0)),
        (torch.randn(2, 1, 3).expand(2, 5, 3), (2, 1, 0)),
        (torch.tensor(7.0).expand(4, 5, 6), (2, 0, 1)),
        (torch.randn(70, 1).expand(70, 90), (1, 0)),
        (torch.randn(1, 90).expand(70, 90), (1, 0)),
    ]
    for x, dims in cases:
        assert_permuted(P(x, dims), x, dims)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32, torch.complex128])
def test_twenty_four_binary_axes_are_permuted_right(dtype: torch.dtype) -> None:
    """SH-20: rank far above any fixed array of 8, 16 or 20 axes."""
    rank = 24 if dtype == torch.uint8 else 20
    x = oracle.contiguous([2] * rank, dtype)
    riffled = tuple(range(0, rank, 2)) + tuple(range(1, rank, 2))
    for dims in (tuple(reversed(range(rank))), riffled):
        wanted = expected(x, dims)
        assert_same_bits(P(x, dims), wanted, dims)


@pytest.mark.parametrize(
    "shape", [[1] * 70, [2, *[1] * 68, 2], [2, *[1] * 20, 3, *[1] * 45, 2, 2, 1]]
)
def test_rank_70_is_permuted_right(shape: list[int]) -> None:
    """SH-20: beyond NumPy's 64 axes; eager accepts it."""
    x = torch.randn(shape)
    dims = tuple(reversed(range(len(shape))))
    assert_permuted(P(x, dims), x, dims)
    assert_permuted(torch_hptp.permute(x, dims), x, dims)
    out = torch.empty_like(P(x, dims))
    torch.ops.hptp.permute.out(x, dims, out=out)
    assert_same_bits(out, expected(x, dims))


def test_sixty_two_axes_longer_than_1_of_a_broadcast_source_reach_the_error_for_size() -> None:
    """SH-20: 2^62 elements cannot be stored; the refusal is an exception."""
    x = torch.ones(1, dtype=torch.uint8).expand([2] * 62)
    with pytest.raises(RuntimeError):
        P(x, tuple(reversed(range(62))))


def test_seven_binary_axes_in_every_order_of_a_sample() -> None:
    """SH-20."""
    x = oracle.contiguous([2] * 7, torch.float16)
    for dims in itertools.islice(itertools.permutations(range(7)), 0, 5040, 37):
        assert_permuted(P(x, dims), x, dims)


def test_negative_dims_mean_the_wrapped_ones() -> None:
    """BAD-02, eager; the other places are in the tests of those places."""
    x = torch.randn(2, 3)
    cube = torch.randn(2, 3, 4)
    for function in (P, torch_hptp.permute):
        assert_permuted(function(x, (-1, 0)), x, (1, 0))
        assert_permuted(function(x, (0, -1)), x, (0, 1))
        assert_permuted(function(cube, (-1, -3, -2)), cube, (2, 0, 1))
