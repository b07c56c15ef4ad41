"""What meta and fake tensors promise is what the real op delivers."""

import oracle
import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import torch_hptp

P = torch.ops.hptp.permute

SHAPES = [
    ((3, 4), (1, 0)),
    ((2, 3, 4), (-1, -3, -2)),  # BAD-02 under fake
    ((1, 2, 3, 4, 5), (1, 0, 2, 3, 4)),
    ((1, 0, 2, 100, 100), (0, 1, 3, 4, 2)),
    ((2, 3, 4, 5), (0, 2, 3, 1)),
    ((2, 1, 4, 5), (1, 3, 0, 2)),
    ((3, 4), (0, 1)),
    ((), ()),
]


@pytest.mark.parametrize("layout", oracle.LAYOUTS)
@pytest.mark.parametrize(("shape", "dims"), SHAPES)
def test_meta_and_fake_equal_the_real_result_in_everything_but_bytes(
    shape: tuple[int, ...], dims: tuple[int, ...], layout: str
) -> None:
    """AGD-08: sizes, strides, dtype; the device is that of the input."""
    for dtype in (torch.float32, torch.bool, torch.complex64, torch.float8_e4m3fn):
        x = oracle.LAYOUTS[layout](shape, dtype)
        real = P(x, dims)
        meta_x = torch.empty_strided(x.shape, x.stride(), dtype=dtype, device="meta")
        with FakeTensorMode() as mode:
            fake = P(mode.from_tensor(x), dims)
            fake_too = torch_hptp.permute(mode.from_tensor(x), dims)
        for y in (P(meta_x, dims), fake, fake_too):
            assert (y.shape, y.stride(), y.dtype) == (real.shape, real.stride(), real.dtype)
            assert y.storage_offset() == 0
            assert not y.is_conj()
        assert fake.device == real.device
        assert P(meta_x, dims).device.type == "meta"


@pytest.mark.parametrize(("shape", "dims"), SHAPES)
def test_meta_and_fake_out_is_returned_itself(
    shape: tuple[int, ...], dims: tuple[int, ...]
) -> None:
    x = torch.empty(shape, device="meta")
    out = torch.empty(P(x, dims).shape, device="meta")
    assert torch.ops.hptp.permute.out(x, dims, out=out) is out
    with FakeTensorMode():
        fake_x = torch.empty(shape)
        fake_out = torch.empty(P(fake_x, dims).shape)
        assert torch.ops.hptp.permute.out(fake_x, dims, out=fake_out) is fake_out


def test_a_conjugate_meta_tensor_gives_a_plain_one() -> None:
    y = P(torch.empty(3, 4, dtype=torch.cfloat, device="meta").conj(), (1, 0))
    assert y.shape == (4, 3)
    assert not y.is_conj()


def test_a_meta_tensor_larger_than_memory_costs_nothing() -> None:
    x = torch.empty(2**20, 2**19, device="meta")
    assert P(x, (1, 0)).shape == (2**19, 2**20)


def test_symbolic_sizes_stay_symbolic_and_fix_nothing() -> None:
    """AGD-11: the result is in terms of the sizes of the input, and no guard is made."""
    seen: dict[str, str] = {}

    def function(x: Tensor) -> Tensor:
        out = torch.empty_like(P(x, (2, 0, 1)))
        torch.ops.hptp.permute.out(x, (2, 0, 1), out=out)
        seen["x"], seen["y"] = str(tuple(x.shape)), str(tuple(P(x, (2, 0, 1)).shape))
        return out

    graph = make_fx(function, tracing_mode="symbolic")(torch.empty(5, 7, 3))
    first, second, third = seen["x"].strip("()").split(", ")
    assert len({first, second, third}) == 3
    assert not first.isdigit()
    assert seen["y"] == f"({third}, {first}, {second})"
    assert graph.shape_env.guards == []
    assert graph(torch.empty(2, 9, 4)).shape == (4, 2, 9)


def test_the_gradient_of_a_meta_tensor_has_the_shape_of_its_input() -> None:
    x = torch.empty(3, 4, device="meta", requires_grad=True)
    P(x, (1, 0)).sum().backward()
    assert x.grad is not None
    assert x.grad.shape == (3, 4)
