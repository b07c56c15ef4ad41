"""Bad input raises what x.permute(dims) raises, before anything is written."""

import contextlib
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import oracle
import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

import torch_hptp

P = torch.ops.hptp.permute
Call = Callable[[Tensor, Any], Tensor]


def call_out(x: Tensor, dims: Any) -> Tensor:
    return torch.ops.hptp.permute.out(x, dims, out=torch.empty_like(x))


def call_python_out(x: Tensor, dims: Any) -> Tensor:
    return torch_hptp.permute(x, dims, out=torch.empty_like(x))


CALLS: dict[str, Call] = {
    "torch_hptp.permute": torch_hptp.permute,
    "torch_hptp.permute out=": call_python_out,
    "op": P,
    "op default": torch.ops.hptp.permute.default,
    "op out": call_out,
}
PLACES: dict[str, Callable[[], Any]] = {
    "eager": contextlib.nullcontext,
    "meta": lambda: torch.device("meta"),
    "fake": FakeTensorMode,
}
BAD_DIMS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2, 3), (0, 0)),  # BAD-01
    ((2, 3), (0, -2)),
    ((2, 3), (1, 1)),
    ((2, 3), (0,)),
    ((2, 3), (0, 1, 2)),
    ((2, 3), ()),
    ((), (0,)),
    ((), (-1,)),
    ((32, 64), (1, 3)),  # BAD-04
    ((32, 64), (0, -3)),
    ((32, 64), (0, 2**62)),
    ((32, 64), (-(2**63), 0)),
    ((0, 3), (1, 1)),
    ((0, 3), (1, 2)),
    ((2, 3, 4, 5), (0, 1, 3, 3)),
    ((2, 3, 4, 5), (0, 1, 2, -1, 3)),
]


def without_prefix(error: BaseException) -> str:
    """The first line of a message without torch's `permute(sparse_coo): ` before it."""
    return re.sub(r"^\w+\(\w*\): ", "", str(error).splitlines()[0])


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("shape", "dims"), BAD_DIMS)
def test_wrong_dims_raise_what_x_permute_raises(
    shape: tuple[int, ...], dims: tuple[int, ...], call: str, place: str
) -> None:
    """BAD-01, BAD-04: same kind, same words."""
    with PLACES[place]():
        x = torch.zeros(shape)
        with pytest.raises((RuntimeError, IndexError)) as wanted:
            x.permute(dims)
        with pytest.raises((RuntimeError, IndexError)) as raised:
            CALLS[call](x, dims)
    assert raised.type is wanted.type
    assert without_prefix(raised.value) == without_prefix(wanted.value)


@pytest.mark.parametrize(("shape", "dims"), BAD_DIMS)
def test_wrong_dims_raise_under_vmap_and_with_gradients(
    shape: tuple[int, ...], dims: tuple[int, ...]
) -> None:
    x = torch.zeros(shape, requires_grad=True)
    with pytest.raises((RuntimeError, IndexError)) as wanted:
        x.permute(dims)
    with pytest.raises(wanted.type) as raised:
        P(x, dims)
    assert without_prefix(raised.value) == without_prefix(wanted.value)
    with pytest.raises(wanted.type) as raised:
        torch.func.vmap(lambda a: P(a, dims))(torch.zeros((2, *shape)))
    assert without_prefix(raised.value) == without_prefix(wanted.value)


def generator_of_dims() -> object:
    return (d for d in (1, 0))


@pytest.mark.parametrize(
    "dims", [None, 1, 1.0, "ab", (1.0, 0.0), {0, 1}, ("1", "0"), (None, 0), [[1, 0]]], ids=repr
)
def test_dims_that_are_no_list_of_ints_are_a_type_error(dims: object) -> None:
    """BAD-08."""
    x = torch.zeros(2, 3)
    for out in (None, torch.zeros(3, 2)):
        with pytest.raises(TypeError, match="dims"):
            torch_hptp.permute(x, dims, out=out)  # type: ignore[arg-type]
    for overload in (P, P.default):
        if isinstance(dims, set):
            continue  # torch's binding of ops takes any iterable of ints
        with pytest.raises((TypeError, RuntimeError)):
            overload(x, dims)


@pytest.mark.parametrize(
    "dims", [(True, False), numpy.array([1, 0]), range(2), generator_of_dims()], ids=repr
)
def test_odd_dims_are_refused_by_the_function_as_x_permute_refuses_them(dims: object) -> None:
    """BAD-08."""
    x = torch.zeros(2, 3)
    with pytest.raises(TypeError):
        x.permute(dims)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="dims"):
        torch_hptp.permute(x, dims)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "dims", [[numpy.int64(1), 0], torch.Size([1, 0]), [1, 0], (1, 0)], ids=repr
)
def test_whatever_eager_takes_as_ints_is_taken(dims: Sequence[int]) -> None:
    """BAD-08."""
    x = torch.randn(2, 3)
    oracle.assert_permuted(torch_hptp.permute(x, dims), x, (1, 0))
    oracle.assert_permuted(P(x, dims), x, (1, 0))


@pytest.mark.parametrize("x", [None, 3, [[1.0, 2.0]], numpy.zeros((2, 3)), "x"], ids=repr)
def test_what_is_no_tensor_is_a_type_error(x: object) -> None:
    with pytest.raises(TypeError, match="Tensor"):
        torch_hptp.permute(x, (1, 0))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Tensor"):
        torch_hptp.contiguous(x)  # type: ignore[arg-type]
    with pytest.raises((TypeError, RuntimeError)):
        P(x, (1, 0))


@pytest.mark.parametrize("out", [3, [[1.0]], numpy.zeros((3, 2))], ids=repr)
def test_an_out_that_is_no_tensor_is_a_type_error(out: object) -> None:
    with pytest.raises(TypeError, match="out"):
        torch_hptp.permute(torch.zeros(2, 3), (1, 0), out=out)  # type: ignore[arg-type]


BAD_OUTS: dict[str, tuple[Callable[[], Tensor], str]] = {
    "empty": (lambda: torch.empty(0), "shape|size"),  # OUT-02: never resized
    "flat": (lambda: torch.full((12,), -1.0), "shape|size"),
    "small": (lambda: torch.full((2, 2), -1.0), "shape|size"),
    "transposed": (lambda: torch.full((3, 4), -1.0), "shape|size"),
    "rank": (lambda: torch.full((4, 3, 1), -1.0), "shape|size"),
    "double": (lambda: torch.full((4, 3), -1.0, dtype=torch.float64), "dtype|[Dd]ouble"),  # OUT-07
    "int32": (lambda: torch.full((4, 3), -1, dtype=torch.int32), "dtype|int"),
    "sparse": (lambda: torch.ones(4, 3).to_sparse(), "[Ss]parse|strided|layout"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", [kind for kind in BAD_OUTS if kind != "sparse"])
def test_an_out_that_does_not_fit_is_refused(kind: str, place: str) -> None:
    """OUT-02, OUT-07: the message names what is wrong with it."""
    make_out, words = BAD_OUTS[kind]
    with PLACES[place]():
        x = torch.ones(3, 4)
        out = make_out()
        for call in (torch.ops.hptp.permute.out, torch_hptp.permute):
            with pytest.raises(RuntimeError, match=words) as raised:
                call(x, (1, 0), out=out)
            assert "out" in str(raised.value)


@pytest.mark.parametrize("kind", BAD_OUTS)
def test_a_refused_out_is_left_untouched(kind: str) -> None:
    make_out, _ = BAD_OUTS[kind]
    out = make_out()
    before = (out.shape, out._version, out.dtype)
    dense = out.to_dense() if out.is_sparse else out.clone()
    with pytest.raises(RuntimeError):
        torch.ops.hptp.permute.out(torch.ones(3, 4), (1, 0), out=out)
    assert (out.shape, out._version, out.dtype) == before
    assert torch.equal(out.to_dense() if out.is_sparse else out, dense)


@pytest.mark.parametrize("dims", [(0, 0), (0,), (0, 5)])
def test_wrong_dims_leave_out_untouched(dims: tuple[int, ...]) -> None:
    out = torch.full((3, 3), -1.0)
    with pytest.raises((RuntimeError, IndexError)):
        torch.ops.hptp.permute.out(torch.ones(3, 3), dims, out=out)
    assert out._version == 0
    assert torch.equal(out, torch.full((3, 3), -1.0))


def test_an_inference_out_is_left_untouched_outside_inference_mode() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    with torch.inference_mode():
        out = torch.zeros(3, 2)
        torch_hptp.permute(x, (1, 0), out=out)
        assert torch.equal(out, x.t())
        out.zero_()
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside"):
        torch_hptp.permute(x, (1, 0), out=out)
    assert not out.any()


def test_an_out_on_another_device_is_refused() -> None:
    x = torch.ones(3, 4)
    for source, out in ((x, torch.empty(4, 3, device="meta")), (x.to("meta"), torch.empty(4, 3))):
        for call in (torch.ops.hptp.permute.out, torch_hptp.permute):
            with pytest.raises(RuntimeError, match=r"device|cpu|meta"):
                call(source, (1, 0), out=out)


def test_a_result_of_more_than_2_to_the_63_bytes_is_an_error() -> None:
    x = torch.empty(1, dtype=torch.float64).as_strided((2**31, 2**31), (0, 0))
    with pytest.raises(RuntimeError, match="overflow"):
        P(x, (1, 0))
    with pytest.raises(RuntimeError, match="overflow"):
        P(x.to("meta").as_strided((2**31, 2**31), (0, 0)), (1, 0))
    with FakeTensorMode(), pytest.raises(RuntimeError, match="overflow"):
        P(torch.empty(1, dtype=torch.float64).as_strided((2**31, 2**31), (0, 0)), (1, 0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.randn(3, 4).to_sparse(),
        lambda: torch.randn(3, 4).to_sparse_csr(),
        lambda: torch.randn(3, 4).to_sparse_csc(),
        lambda: torch.randn(4, 4).to_sparse_bsr((2, 2)),
        lambda: torch.randn(3, 4).to_mkldnn(),
        lambda: torch.tensor(1.0).to_sparse(),
    ],
    ids=["coo", "csr", "csc", "bsr", "mkldnn", "scalar coo"],
)
def test_a_layout_without_strides_is_a_clear_error(make: Callable[[], Tensor]) -> None:
    """BAD-05: the message says which layout it was given and that only strided ones are taken."""
    x = make()
    dims = tuple(reversed(range(x.dim())))
    for call in (P, torch_hptp.permute):
        with pytest.raises(NotImplementedError, match=r"strided tensor.*(sparse|MKL-DNN)"):
            call(x, dims)
    with pytest.raises((RuntimeError, NotImplementedError)):
        torch.ops.hptp.permute.out(x, dims, out=torch.empty(tuple(reversed(x.shape))))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("layout", [torch.strided, torch.jagged], ids=oracle.name_of)
def test_a_nested_tensor_is_a_clear_error(layout: torch.layout) -> None:
    """BAD-05."""
    nested = torch.nested.nested_tensor([torch.randn(2, 3), torch.randn(4, 3)], layout=layout)
    for call in (P, torch_hptp.permute):
        with pytest.raises((RuntimeError, NotImplementedError), match=r"(?i)nested|hptp"):
            call(nested, (0, 2, 1))


def test_a_per_channel_quantized_tensor_is_an_error_as_in_eager() -> None:
    """VAL-09: the channel axis would have to move with the permutation."""
    q = torch.quantize_per_channel(torch.randn(3, 4), torch.ones(3), torch.zeros(3), 0, torch.qint8)
    with pytest.raises(RuntimeError):
        q.permute(1, 0)
    for call in (P, torch_hptp.permute):
        with pytest.raises(RuntimeError):
            call(q, (1, 0))


def test_a_quantized_source_and_out_of_the_same_quantizer_are_right() -> None:
    """Torch's own copy moves the integers and hands the source's quantizer on."""
    q = torch.quantize_per_tensor(torch.randn(3, 4), 0.1, 3, torch.quint8)
    out = torch.quantize_per_tensor(torch.zeros(4, 3), 0.1, 3, torch.quint8)
    assert torch.ops.hptp.permute.out(q, (1, 0), out=out) is out
    assert torch.equal(out.int_repr(), q.permute(1, 0).contiguous().int_repr())
    for x, target in ((q, torch.zeros(4, 3)), (torch.zeros(3, 4), out)):
        with pytest.raises(RuntimeError, match="dtype"):
            torch.ops.hptp.permute.out(x, (1, 0), out=target)
