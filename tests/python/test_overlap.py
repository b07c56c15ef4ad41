"""An out that shares memory with x or with itself is refused; one that only looks so is not."""

import random

import oracle
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import expected
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

import torch_hptp

P_out = torch.ops.hptp.permute.out
OVERLAP = "refers? to a single memory location"  # torch's words


def overlapping() -> dict[str, tuple[Tensor, tuple[int, ...], Tensor]]:
    b = torch.arange(5120.0).view(512, 10)
    flat = torch.arange(100.0)
    square = torch.arange(16.0).view(4, 4)
    return {
        "itself": (square, (1, 0), square),
        "its own transpose": (square, (1, 0), square.t()),
        "another view of all": (square, (1, 0), square.view(16).view(4, 4)),
        "shifted by one": (flat[:50], (0,), flat[1:51]),
        "shifted columns": (b[:, :-1], (0, 1), b[:, 1:]),  # OUT-04
        "shifted rows": (b[:-1], (0, 1), b[1:]),
        "last element": (flat[:50], (0,), flat[49:99]),
        "steps that meet": (flat[:60:2], (0,), flat[30:60]),
        "expanded": (flat[5:6].expand(10), (0,), flat[:10]),
    }


@pytest.mark.parametrize("kind", overlapping())
def test_an_out_that_overlaps_the_input_is_refused(kind: str) -> None:
    """OUT-04: torch's words, and the name of the in-place op."""
    x, dims, out = overlapping()[kind]
    before = oracle.storage_bytes(out)
    for call in (P_out, torch_hptp.permute):
        with pytest.raises(RuntimeError, match=OVERLAP) as raised:
            call(x, dims, out=out)
        assert "permute_" in str(raised.value)
    assert torch.equal(oracle.storage_bytes(out), before)
    assert out._version == 0


@pytest.mark.parametrize("offset", [1, 3, 61, 63])
def test_an_overlap_of_single_bytes_between_two_storages_is_refused(offset: int) -> None:
    """Two tensors of one buffer, neither of which knows of the other."""
    buffer = bytearray(range(256))
    low = torch.frombuffer(buffer, dtype=torch.float32, offset=0, count=16)
    high = torch.frombuffer(buffer, dtype=torch.float32, offset=offset, count=16)
    for x, out in ((low, high), (high, low)):
        with pytest.raises(RuntimeError, match=OVERLAP):
            P_out(x, (0,), out=out)
    assert buffer == bytes(range(256))
    beside = torch.frombuffer(buffer, dtype=torch.float32, offset=64 + offset, count=16)
    P_out(low, (0,), out=beside)
    assert buffer[64 + offset : 128 + offset] == bytes(range(64))


def test_an_out_beside_the_input_in_one_storage_is_no_overlap() -> None:
    flat = torch.arange(24.0)
    torch_hptp.permute(flat[:12].view(3, 4), (1, 0), out=flat[12:].view(4, 3))
    assert torch.equal(flat[12:].view(4, 3), torch.arange(12.0).view(3, 4).t())
    torch_hptp.permute(flat[12:].view(3, 4), (1, 0), out=flat[:12].view(4, 3))


def test_an_out_between_the_columns_of_the_input_is_no_overlap() -> None:
    """The ranges meet, the elements do not; copy_ takes it, so does the op."""
    base = torch.arange(32.0).view(4, 8)
    wanted = base[:, ::2].t().contiguous()
    torch_hptp.permute(base[:, ::2], (1, 0), out=base[:, 1::2])
    assert torch.equal(base[:, 1::2], wanted)


@pytest.mark.parametrize("place", ["eager", "fake"])
def test_an_out_that_overlaps_itself_is_refused(place: str) -> None:
    """OUT-05."""
    if place == "fake":
        with FakeTensorMode():
            x, out = torch.randn(3, 4), torch.empty(1, 3).expand(4, 3)
            with pytest.raises(RuntimeError, match=OVERLAP):
                P_out(x, (1, 0), out=out)
        return
    base = torch.full((64,), -1.0)
    x = torch.randn(3, 4)
    for out in (base[:3].view(1, 3).expand(4, 3), base.as_strided((4, 3), (2, 1))):
        for call in (P_out, torch_hptp.permute):
            with pytest.raises(RuntimeError, match=OVERLAP):
                call(x, (1, 0), out=out)
    assert torch.all(base == -1)
    assert base._version == 0


def test_an_overlap_is_refused_under_fake_too_where_sizes_are_concrete() -> None:
    with FakeTensorMode():
        square = torch.empty(4, 4)
        with pytest.raises(RuntimeError, match=OVERLAP):
            P_out(square, (1, 0), out=square)


def test_large_interleaved_views_of_one_storage_are_no_overlap() -> None:
    """What a training loop does with a fused buffer: many elements, a search must not give up."""
    base = torch.arange(2 * 1000 * 1001 * 3, dtype=torch.int32).view(1000, 1001, 2, 3)
    wanted = base[:, :, 0].permute(2, 1, 0).contiguous()
    torch_hptp.permute(base[:, :, 0], (0, 1, 2), out=base[:, :, 1])
    assert torch.equal(base[:, :, 1].permute(2, 1, 0), wanted)
    heads = torch.arange(3 * 8 * 64 * 4 * 16).view(8, 64, 3, 4, 16)  # a fused q, k, v
    wanted = heads[:, :, 0].clone()
    torch_hptp.permute(heads[:, :, 0], (0, 1, 2, 3), out=heads[:, :, 2])
    assert torch.equal(heads[:, :, 2], wanted)


def random_view(storage: Tensor, shape: list[int], rng: random.Random) -> Tensor:
    """A view with small strides in any order, so that about half of all pairs meet."""
    order = rng.sample(range(len(shape)), len(shape))
    strides = [0] * len(shape)
    step = rng.choice([1, 1, 2, 3])
    for axis in order:
        strides[axis] = step if rng.random() < 0.9 else rng.randint(0, 5)
        step = step * max(shape[axis], 1) + rng.choice([0, 0, 0, 1, 2])
    reach = sum(max(e - 1, 0) * s for e, s in zip(shape, strides, strict=True))
    return storage.as_strided(shape, strides, rng.randint(0, min(60, storage.numel() - 1 - reach)))


@settings(max_examples=800, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**40),
    shape=st.lists(st.integers(0, 4), max_size=4),
    dtype=st.sampled_from([torch.uint8, torch.float32]),
)
def test_overlap_is_found_exactly_where_there_is_one(
    seed: int, shape: list[int], dtype: torch.dtype
) -> None:
    """OUT-04, OUT-05: the oracle is the two sets of places."""
    rng = random.Random(seed)
    storage = oracle.random_elements(1000, dtype, seed)
    dims = tuple(rng.sample(range(len(shape)), len(shape)))
    x = random_view(storage, shape, rng)
    out = random_view(storage, [shape[d] for d in dims], rng)
    places = torch.arange(1000)
    src_places, dst_places = (
        places.as_strided(t.shape, t.stride(), t.storage_offset()).flatten().tolist()
        for t in (x, out)
    )
    within = len(set(dst_places)) < len(dst_places)
    between = bool(set(src_places) & set(dst_places))
    before, wanted = storage.clone(), expected(x, dims)
    if within or between:
        with pytest.raises(RuntimeError, match=OVERLAP):
            P_out(x, dims, out=out)
        assert torch.equal(oracle.bits(storage), oracle.bits(before))
        return
    P_out(x, dims, out=out)
    oracle.assert_same_bits(out, wanted)
    changed = (storage.view(torch.uint8) != before.view(torch.uint8)).nonzero().flatten()
    elem_size = storage.element_size()
    assert set((changed // elem_size).tolist()) <= set(dst_places)
