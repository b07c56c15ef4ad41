"""Every bit of every element arrives, for every dtype, shape and source layout."""

import random
from pathlib import Path

import numpy
import oracle
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import assert_permuted, assert_same_bits, bits, expected

import torch_hptp

P = torch.ops.hptp.permute

# One shape for each thing that a copy engine treats apart, with the dims to try.
SHAPES: list[tuple[tuple[int, ...], list[tuple[int, ...]]]] = [
    ((), [()]),
    ((1,), [(0,)]),
    ((77,), [(0,)]),
    ((61, 61), [(1, 0), (0, 1)]),
    ((1, 33), [(1, 0)]),
    ((130, 67), [(1, 0)]),
    ((5, 1, 9), oracle.all_dims(3)),
    ((16, 8, 24), oracle.all_dims(3)),
    ((33, 31, 3), [(2, 0, 1), (1, 0, 2), (0, 2, 1), (2, 1, 0)]),
    ((2, 7, 5, 12), [(0, 2, 1, 3), (3, 2, 1, 0), (0, 2, 3, 1), (0, 3, 1, 2), (1, 0, 3, 2)]),
    ((2, 3, 2, 3, 2, 3), [(5, 3, 1, 4, 2, 0), (1, 0, 3, 2, 5, 4)]),
    ((0, 4, 3), [(2, 0, 1), (1, 2, 0)]),
]


@pytest.mark.parametrize("layout", oracle.LAYOUTS)
@pytest.mark.parametrize("dtype", oracle.COPYABLE_DTYPES, ids=oracle.name_of)
def test_every_dtype_and_layout_equals_eager_bit_for_bit(dtype: torch.dtype, layout: str) -> None:
    """VAL-06, VAL-07, SH-14, SH-16, SH-17: the elements are random bytes."""
    for shape, dims_to_try in SHAPES:
        x = oracle.LAYOUTS[layout](shape, dtype)
        before = oracle.storage_bytes(x)
        for dims in dims_to_try:
            assert_permuted(P(x, dims), x, dims)
        assert torch.equal(oracle.storage_bytes(x), before), "the source was written"


def test_the_copyable_dtypes_are_not_a_short_list() -> None:
    assert {torch.bool, torch.uint64, torch.float8_e8m0fnu, torch.complex32, torch.bits16} <= set(
        oracle.COPYABLE_DTYPES
    )
    assert len(oracle.COPYABLE_DTYPES) >= 26


@pytest.mark.parametrize(
    "dtype", [torch.int4, torch.uint1, torch.float4_e2m1fn_x2], ids=oracle.name_of
)
def test_a_dtype_that_eager_cannot_copy_is_moved_byte_by_byte(dtype: torch.dtype) -> None:
    """VAL-07: bytes are bytes; the oracle is the uint8 permute."""
    raw = oracle.random_elements(61 * 67, torch.uint8).view(61, 67)
    y = P(raw.view(dtype), (1, 0))
    assert y.dtype == dtype
    assert_same_bits(y.view(torch.uint8), raw.t().contiguous())


def check_random_case(seed: int, dtype: torch.dtype, layout: str, shape: list[int]) -> None:
    dims = oracle.random_dims(len(shape), random.Random(seed))
    x = oracle.LAYOUTS[layout](shape, dtype)
    assert_permuted(P(x, dims), x, dims)


random_case = given(
    seed=st.integers(0, 2**32),
    dtype=st.sampled_from(
        [torch.uint8, torch.bfloat16, torch.float32, torch.float64, torch.complex128]
    ),
    layout=st.sampled_from(sorted(oracle.LAYOUTS)),
    shape=st.lists(st.integers(0, 9), max_size=6).filter(lambda s: oracle.product(s) < 20000),
)


@settings(max_examples=300, deadline=None, derandomize=True)
@random_case
def test_random_small_shapes_equal_eager(
    seed: int, dtype: torch.dtype, layout: str, shape: list[int]
) -> None:
    check_random_case(seed, dtype, layout, shape)


@pytest.mark.slow
@settings(max_examples=10000, deadline=None, print_blob=True)
@random_case
def test_many_more_random_small_shapes_equal_eager(
    seed: int, dtype: torch.dtype, layout: str, shape: list[int]
) -> None:
    check_random_case(seed, dtype, layout, shape)


def test_random_large_shapes_equal_eager() -> None:
    """Large enough for several blocks and threads."""
    rng = random.Random(20240607)
    for _ in range(40):
        rank = rng.randint(2, 5)
        shape = [max(1, round(2_000_000 ** (rng.uniform(0.4, 1.6) / rank))) for _ in range(rank)]
        while oracle.product(shape) > 3_000_000:
            shape[shape.index(max(shape))] //= 2
        dtype = rng.choice([torch.uint8, torch.float16, torch.float32, torch.complex64])
        layout = rng.choice(["contiguous", "permuted", "cropped", "offset", "expanded"])
        check_random_case(rng.randrange(2**32), dtype, layout, shape)


@pytest.mark.parametrize("dtype", [torch.complex32, torch.complex64, torch.complex128])
@pytest.mark.parametrize(
    "shape", [(5, 5), (61, 61), (64, 64), (97, 2), (2, 97), (1, 9), (9, 1), (3, 8, 5)]
)
def test_a_conjugate_view_is_resolved(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    """VAL-01, VAL-18."""
    x = torch.randn(shape, dtype=torch.complex128).to(dtype).conj()
    assert x.is_conj()
    for dims in oracle.all_dims(len(shape)):
        assert_permuted(P(x, dims), x, dims)
        assert_permuted(torch_hptp.permute(x, dims), x, dims)
    assert_permuted(P(x.mT, tuple(range(len(shape)))), x.mT, tuple(range(len(shape))))


def test_a_negative_view_is_resolved() -> None:
    x = torch.randn(61, 64, dtype=torch.cfloat).conj().imag
    assert x.is_neg()
    assert_permuted(P(x, (1, 0)), x, (1, 0))
    assert_permuted(P(x, (0, 1)), x, (0, 1))


def test_a_conjugate_and_negative_view_is_resolved() -> None:
    x = torch._neg_view(torch.randn(7, 9, dtype=torch.cfloat).conj())
    assert x.is_neg()
    assert x.is_conj()
    assert_permuted(P(x, (1, 0)), x, (1, 0))


def test_bool_bytes_other_than_0_and_1_are_moved_unchanged() -> None:
    """VAL-04."""
    b = torch.tensor([0, 1, 2, 255, 7, 9], dtype=torch.uint8).view(2, 3).view(torch.bool)
    assert P(b, (1, 0)).view(torch.uint8).flatten().tolist() == [0, 255, 1, 7, 2, 9]


def test_a_transposed_bool_compares_as_transposed() -> None:
    """SH-22."""
    x = torch.tensor([[True, True], [False, True]])
    assert (P(x, (1, 0)) == 0).tolist() == [[False, True], [False, False]]


def test_nan_payloads_signed_zeros_and_denormals_keep_their_bits() -> None:
    """VAL-06."""
    patterns = [0x7F800001, 0xFFC12345 - 2**32, 0x80000000 - 2**32, 0x00000001]
    x = torch.tensor(patterns, dtype=torch.int32).view(torch.float32).view(2, 2)
    moved = P(x, (1, 0)).view(torch.int32).flatten().tolist()
    assert moved == [patterns[0], patterns[2], patterns[1], patterns[3]]


def test_a_zero_tensor_becomes_zeros() -> None:
    """VAL-10: a ZeroTensor has no memory; autograd hands them out."""
    zero = torch._efficientzerotensor((3, 4))
    y = P(zero, (1, 0))
    assert y.shape == (4, 3)
    assert bits(y).sum() == 0
    assert torch_hptp.permute(zero, (1, 0)).shape == (4, 3)
    assert P(zero.conj(), (1, 0)).shape == (4, 3)
    out = torch.full((4, 3), 7.0)
    assert torch.ops.hptp.permute.out(zero, (1, 0), out=out) is out
    assert bits(out).sum() == 0
    x = torch.randn(3, 4, requires_grad=True)
    (gradient,) = torch.autograd.grad(torch.sgn(x).sum(), x)
    assert bits(P(gradient, (1, 0))).sum() == 0


@pytest.mark.parametrize(
    ("dtype", "misalignment"),
    [(torch.float32, 1), (torch.float32, 3), (torch.int16, 1), (torch.complex128, 6)],
)
def test_memory_that_is_not_aligned_to_its_elements_is_read_right(
    dtype: torch.dtype, misalignment: int
) -> None:
    """VAL-12."""
    elem_size = torch.empty(0, dtype=dtype).element_size()
    raw = bytearray(random.Random(1).randbytes(64 * 48 * elem_size + misalignment))
    x = torch.frombuffer(raw, dtype=dtype, offset=misalignment, count=64 * 48).view(64, 48)
    assert x.data_ptr() % elem_size != 0
    assert_permuted(P(x, (1, 0)), x, (1, 0))
    out = torch.frombuffer(bytearray(len(raw)), dtype=dtype, offset=misalignment, count=64 * 48)
    torch.ops.hptp.permute.out(x, (1, 0), out=out.view(48, 64))
    assert_same_bits(out.view(48, 64), expected(x, (1, 0)))


@pytest.mark.parametrize("start", range(1, 16))
def test_memory_that_is_not_aligned_to_a_vector_is_moved_right(start: int) -> None:
    """VAL-13."""
    x = oracle.random_elements(50**3 + start, torch.float64)[start:].view(50, 50, 50)
    out = torch.empty(50**3 + start, dtype=torch.float64)[start:].view(50, 50, 50)
    torch.ops.hptp.permute.out(x, (2, 1, 0), out=out)
    assert_same_bits(out, expected(x, (2, 1, 0)))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float16, torch.float32, torch.float64])
def test_every_small_square_is_transposed_right(dtype: torch.dtype) -> None:
    """VAL-15."""
    for n in range(1, 41):
        x = oracle.random_elements(n * n, dtype, seed=n).view(n, n)
        assert_permuted(P(x, (1, 0)), x, (1, 0))
        assert_permuted(P(x.t(), (1, 0)), x.t(), (1, 0))


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize(
    "shape", [(64, 65, 3), (64, 65, 5), (64, 65, 7), (33, 31, 9), (33, 31, 13), (400, 400, 3)]
)
def test_odd_groups_of_bytes_stay_inside_their_place(
    shape: tuple[int, int, int], threads: int
) -> None:
    """VAL-16: a group moved by a wider store would write over the canary at the end."""
    x = oracle.random_elements(oracle.product(shape), torch.uint8).view(shape)
    canary = torch.full((x.numel() + 64,), 0xA5, dtype=torch.uint8)
    out = canary[: x.numel()].view(shape[1], shape[0], shape[2])
    with oracle.torch_threads(threads):
        torch.ops.hptp.permute.out(x, (1, 0, 2), out=out)
    assert_same_bits(out, expected(x, (1, 0, 2)))
    assert canary[x.numel() :].unique().tolist() == [0xA5]


def test_a_quantized_tensor_keeps_its_scale_and_its_integers() -> None:
    for dtype in (torch.quint8, torch.qint8, torch.qint32):
        q = torch.quantize_per_tensor(torch.randn(7, 5, 3), 0.1, 3, dtype)
        y = P(q, (2, 0, 1))
        wanted = q.permute(2, 0, 1).contiguous()
        assert y.dtype == dtype
        assert y.is_contiguous()
        assert y.q_scale() == wanted.q_scale()
        assert y.q_zero_point() == wanted.q_zero_point()
        assert torch.equal(y.int_repr(), wanted.int_repr())
        assert torch.equal(torch_hptp.permute(q, (2, 0, 1)).int_repr(), wanted.int_repr())


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_read_only_memory_is_read_and_never_written(tmp_path: Path) -> None:
    """BAD-07: writing to it would be a segmentation fault."""
    values = numpy.arange(200 * 300, dtype=numpy.float32).reshape(200, 300)
    path = tmp_path / "values.bin"
    values.tofile(path)
    mapped = torch.from_numpy(numpy.memmap(path, mode="r", dtype=numpy.float32, shape=(200, 300)))
    for shared in (False, True):
        from_file = torch.from_file(str(path), shared=shared, size=values.size).view(200, 300)
        for x in (mapped, from_file):
            assert_permuted(P(x, (1, 0)), x, (1, 0))
            with pytest.raises(RuntimeError, match="memory location"):
                torch.ops.hptp.permute.out(x, (1, 0), out=x.view(300, 200))
    assert path.read_bytes() == values.tobytes()
