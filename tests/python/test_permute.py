"""A permute is what x.permute(dims).contiguous() is: a first look, in a few seconds."""

import itertools

import pytest
import torch

import torch_hptp


@pytest.mark.parametrize("shape", [(), (7,), (3, 5), (2, 3, 4), (1, 8, 1, 5), (2, 0, 3)])
def test_every_order_of_a_small_shape_gives_what_torch_gives(shape: tuple[int, ...]) -> None:
    x = torch.randn(shape)
    for dims in itertools.permutations(range(len(shape))):
        expected = x.permute(dims).contiguous()
        result = torch_hptp.permute(x, dims)
        assert torch.equal(result, expected)
        assert result.stride() == torch.empty(expected.shape).stride()
        assert result.numel() == 0 or result.data_ptr() != x.data_ptr()


def test_out_with_strides_of_its_own_is_written_in_place() -> None:
    x = torch.randn(3, 4)
    base = torch.full((4, 6), -1.0)
    out = base[:, ::2]
    assert torch_hptp.permute(x, (1, 0), out=out) is out
    assert torch.equal(out, x.t())
    assert (base[:, 1::2] == -1).all()


def test_a_large_tensor_is_the_same_on_any_number_of_threads() -> None:
    x = torch.arange(1100 * 1300, dtype=torch.int32).view(1100, 1300)
    for threads in (1, 2, 7):
        torch.set_num_threads(threads)
        assert torch.equal(torch_hptp.permute(x, (1, 0)), x.t().contiguous())
