"""More than 2^31 elements, byte strides and offsets above 32 bits. Slow, and up to 9 GB."""

import pytest
import torch
from oracle import assert_same_bits

P = torch.ops.hptp.permute


def test_a_byte_stride_above_32_bits_is_followed() -> None:
    """BIG-03, cheap: only the touched pages of the storage exist."""
    storage = torch.empty(2**32 + 4096, dtype=torch.uint8)
    x = storage.as_strided((2, 3), (2**32 + 8, 1))
    x.copy_(torch.arange(6, dtype=torch.uint8).view(2, 3))
    assert P(x, (1, 0)).tolist() == [[0, 3], [1, 4], [2, 5]]
    floats = torch.empty(2**30 + 4096).as_strided((3, 2), (2**29 + 8, 1))
    floats.copy_(torch.arange(6.0).view(3, 2))
    assert P(floats, (1, 0)).tolist() == [[0, 2, 4], [1, 3, 5]]


def test_a_destination_stride_above_32_bits_is_followed() -> None:
    """BIG-03: the other side."""
    out = torch.empty(2**32 + 4096, dtype=torch.uint8).as_strided((3, 2), (1, 2**32 + 8))
    torch.ops.hptp.permute.out(torch.arange(6, dtype=torch.uint8).view(2, 3), (1, 0), out=out)
    assert out.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_a_storage_offset_above_32_bits_is_honoured() -> None:
    """BIG-04, cheap in the same way."""
    for offset in (2**31 + 988, 2**32 + 988):
        storage = torch.empty(offset + 12, dtype=torch.uint8)
        storage[-12:] = torch.arange(12, dtype=torch.uint8)
        assert P(storage[-12:].view(3, 4), (1, 0)).flatten().tolist() == [
            *(0, 4, 8), *(1, 5, 9), *(2, 6, 10), *(3, 7, 11)
        ]  # fmt: skip


def patterned(*shape: int) -> torch.Tensor:
    """Bytes that repeat every 251: a prime, so that no stride hides behind the pattern."""
    count = 1
    for extent in shape:
        count *= extent
    x = torch.arange(251, dtype=torch.uint8).repeat(count // 251 + 1)
    return x[:count].view(shape)


@pytest.mark.slow
@pytest.mark.parametrize("dims", [(2, 1, 0), (0, 2, 1), (1, 0, 2)])
def test_more_than_2_to_the_31_elements_are_permuted_right(dims: tuple[int, ...]) -> None:
    """BIG-01: every byte, compared by the formula of the pattern, row by row of the result."""
    shape = (5800, 5800, 64)
    x = patterned(*shape)
    y = P(x, dims)
    assert y.is_contiguous()
    assert y.shape == tuple(shape[d] for d in dims)
    back = [dims.index(k) for k in range(3)]
    restored = y.permute(back)  # a view: eager torch compares slice by slice
    for k in range(0, shape[0], 100):
        assert torch.equal(restored[k : k + 100], x[k : k + 100]), k


@pytest.mark.slow
def test_more_than_2_to_the_31_bytes_of_floats_are_permuted_right() -> None:
    """BIG-03: 288 x 2048 x 1536 floats, 3.4 GiB each way."""
    x = torch.arange(251, dtype=torch.float32).repeat(288 * 2048 * 1536 // 251 + 1)
    x = x[: 288 * 2048 * 1536].view(288, 2048, 1536)
    y = P(x, (2, 0, 1))
    for k in range(0, 1536, 64):
        assert_same_bits(y[k : k + 64], x[:, :, k : k + 64].permute(2, 0, 1).contiguous())


@pytest.mark.slow
def test_a_plain_copy_of_more_than_2_to_the_32_bytes_is_whole() -> None:
    x = patterned(2**32 + 77)
    assert torch.equal(P(x, (0,)), x)


@pytest.mark.slow
def test_a_long_thin_matrix_of_2_to_the_31_rows_is_transposed() -> None:
    x = patterned(2**31 + 5, 2)
    y = P(x, (1, 0))
    assert torch.equal(y[0], x[:, 0])
    assert torch.equal(y[1], x[:, 1])


@pytest.mark.slow
def test_an_expanded_source_of_few_bytes_fills_a_large_result() -> None:
    x = torch.arange(7, dtype=torch.uint8).view(7, 1).expand(7, 2**29 + 3)
    y = P(x, (1, 0))
    row = torch.arange(7, dtype=torch.uint8)
    assert y.shape == (2**29 + 3, 7)
    step = 2**24
    for k in range(0, y.shape[0], step):
        rows = y[k : k + step]
        assert torch.equal(rows, row.expand(rows.shape)), k
