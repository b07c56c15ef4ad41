"""torch_hptp.contiguous is x.contiguous(), byte for byte and layout for layout."""

import itertools

import oracle
import pytest
import torch
from oracle import assert_same_bits

import torch_hptp

FORMATS = [torch.contiguous_format, torch.channels_last]


@pytest.mark.parametrize("layout", oracle.LAYOUTS)
@pytest.mark.parametrize("memory_format", FORMATS, ids=oracle.name_of)
def test_values_and_strides_equal_those_of_eager(
    layout: str, memory_format: torch.memory_format
) -> None:
    for dtype in (torch.uint8, torch.bfloat16, torch.float32, torch.complex128):
        x = oracle.LAYOUTS[layout]((2, 3, 9, 10), dtype)
        y = torch_hptp.contiguous(x, memory_format=memory_format)
        wanted = x.contiguous(memory_format=memory_format)
        assert_same_bits(y, wanted)
        assert y.stride() == wanted.stride()
        assert y.is_contiguous(memory_format=memory_format)


def test_channels_last_3d_equals_eager() -> None:
    x = torch.randn(2, 3, 4, 5, 6)
    y = torch_hptp.contiguous(x, memory_format=torch.channels_last_3d)
    wanted = x.contiguous(memory_format=torch.channels_last_3d)
    assert torch.equal(y, wanted)
    assert y.stride() == wanted.stride()
    assert torch_hptp.contiguous(y, memory_format=torch.channels_last_3d) is y
    assert torch.equal(torch_hptp.contiguous(y), x)


@pytest.mark.parametrize("memory_format", FORMATS, ids=oracle.name_of)
def test_extents_of_1_and_0_give_the_strides_of_eager(memory_format: torch.memory_format) -> None:
    for shape in itertools.product((0, 1, 3), repeat=4):
        x = torch.randn(shape).permute(3, 1, 0, 2)
        y = torch_hptp.contiguous(x, memory_format=memory_format)
        wanted = x.contiguous(memory_format=memory_format)
        assert_same_bits(y, wanted)
        assert y.is_contiguous(memory_format=memory_format), (shape, y.stride())
        assert (y is x) == (wanted is x), (shape, x.stride())


def test_a_contiguous_tensor_comes_back_itself() -> None:
    cases = [torch.randn(3, 4), torch.tensor(1.0), torch.empty(0, 3), torch.randn(5, 1).t()]
    for x in cases:
        assert x.contiguous() is x
        assert torch_hptp.contiguous(x) is x
    images = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
    assert torch_hptp.contiguous(images, memory_format=torch.channels_last) is images
    assert torch_hptp.contiguous(images) is not images


def test_a_leaf_that_requires_grad_comes_back_itself_or_with_a_gradient() -> None:
    x = torch.randn(3, 4, requires_grad=True)
    assert torch_hptp.contiguous(x) is x
    y = torch_hptp.contiguous(x.t())
    y.backward(torch.arange(12.0).view(4, 3))
    assert x.grad is not None
    assert torch.equal(x.grad, torch.arange(12.0).view(4, 3).t())
    images = torch.randn(2, 3, 4, 5, requires_grad=True)
    last = torch_hptp.contiguous(images, memory_format=torch.channels_last)
    assert last.is_contiguous(memory_format=torch.channels_last)
    (last * 3).sum().backward()
    assert images.grad is not None
    assert torch.equal(images.grad, torch.full_like(images, 3))


def test_the_conjugate_of_a_contiguous_tensor_equals_eager() -> None:
    x = torch.randn(3, 4, dtype=torch.cfloat).conj()
    y = torch_hptp.contiguous(x)
    assert torch.equal(y, x.contiguous())
    assert y.is_contiguous()


def test_out_is_filled_even_when_x_is_contiguous() -> None:
    for x in (torch.randn(3, 4), torch.randn(4, 3).t()):
        out = torch.empty(3, 4)
        assert torch_hptp.contiguous(x, out=out) is out
        assert torch.equal(out, x)
    images = torch.randn(2, 3, 4, 5)
    last = torch.empty(2, 3, 4, 5).to(memory_format=torch.channels_last)
    torch_hptp.contiguous(images, memory_format=torch.channels_last, out=last)
    assert torch.equal(last, images)


def test_an_out_that_is_not_contiguous_in_the_format_is_refused() -> None:
    """The caller was promised a contiguous result; permute takes such an out."""
    images = torch.randn(2, 3, 4, 5)
    last = torch.full((2, 3, 4, 5), -1.0).to(memory_format=torch.channels_last)
    plain = torch.full((2, 3, 4, 5), -1.0)
    with pytest.raises(RuntimeError, match="contiguous"):
        torch_hptp.contiguous(images, out=last)
    with pytest.raises(RuntimeError, match="contiguous"):
        torch_hptp.contiguous(images, memory_format=torch.channels_last, out=plain)
    assert torch.all(last == -1)
    assert torch.all(plain == -1)


@pytest.mark.parametrize("shape", [(0,), (4, 3), (12,)])
def test_an_out_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    out = torch.full(shape, -1.0)
    with pytest.raises(RuntimeError, match="out"):
        torch_hptp.contiguous(torch.randn(3, 4), out=out)
    assert torch.all(out == -1)


def test_a_memory_format_that_does_not_fit_raises_what_eager_raises() -> None:
    cases = [
        (torch.randn(2, 3), torch.channels_last),
        (torch.randn(2, 3, 4, 5), torch.channels_last_3d),
        (torch.randn(3, 2).t(), torch.preserve_format),
    ]
    for x, memory_format in cases:
        with pytest.raises(RuntimeError) as wanted:
            x.contiguous(memory_format=memory_format)
        with pytest.raises(RuntimeError) as raised:
            torch_hptp.contiguous(x, memory_format=memory_format)
        assert str(raised.value).splitlines()[0] == str(wanted.value).splitlines()[0]


def test_a_memory_format_that_is_no_memory_format_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="memory_format"):
        torch_hptp.contiguous(torch.randn(3, 2).t(), memory_format=3)  # type: ignore[arg-type]


def test_rank_0_and_rank_70_are_taken() -> None:
    scalar = torch.tensor(2.0)
    assert torch_hptp.contiguous(scalar) is scalar
    deep = torch.randn(2, *[1] * 68, 3).transpose(0, 69)
    assert_same_bits(torch_hptp.contiguous(deep), deep.contiguous())
