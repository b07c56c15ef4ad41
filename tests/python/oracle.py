"""What eager PyTorch says a permute is, compared as bits.

Every expected value in these tests comes from `x.permute(dims).contiguous()`, never from the
code under test. Bytes are compared: a NaN with another payload or a 0.0 for a -0.0 is a failure.
"""

import contextlib
import itertools
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch
from torch import Tensor

import torch_hptp

INTEGER_OF_SIZE = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def can_eager_copy(dtype: torch.dtype) -> bool:
    """Whether eager torch can make a transposed CPU tensor of this dtype contiguous."""
    try:
        sample = torch.zeros(16 * 61 * 61, dtype=torch.uint8).view(dtype)[: 61 * 61].view(61, 61)
        sample.permute(1, 0).contiguous()
    except (RuntimeError, NotImplementedError):
        return False
    return True


ALL_DTYPES = sorted({v for v in vars(torch).values() if isinstance(v, torch.dtype)}, key=str)
COPYABLE_DTYPES = [dtype for dtype in ALL_DTYPES if can_eager_copy(dtype)]


def name_of(value: object) -> str:
    """A short test id: `float32` for torch.float32."""
    return str(value).removeprefix("torch.")


def canonical_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Row-major strides, in elements, where extents 0 and 1 count as 1."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * max(shape[axis + 1], 1)
    return tuple(strides)


def as_integers(x: Tensor) -> Tensor:
    """A view of the bits of x as integers of the same width; complex128 gains an axis of 2."""
    x = x.detach()
    if x.is_conj() or x.is_neg():
        x = x.resolve_conj().resolve_neg()
    if x.dtype == torch.complex128:
        return torch.view_as_real(x).view(torch.int64)
    return x.view(INTEGER_OF_SIZE[x.element_size()])


def bits(x: Tensor) -> Tensor:
    """The bytes of the elements of x in row-major order, whatever its strides."""
    dense = as_integers(x).clone(memory_format=torch.contiguous_format)
    return dense.view(-1).view(torch.uint8)


def storage_bytes(x: Tensor) -> Tensor:
    """A copy of every byte of the storage of x: its elements and the gaps around them."""
    return torch.empty(0, dtype=torch.uint8).set_(x.untyped_storage()).clone()


def expected(x: Tensor, dims: Sequence[int]) -> Tensor:
    """What eager torch makes of it; bool goes as uint8, since some eager paths turn 2 into 1."""
    x = x.detach()
    if x.dtype == torch.bool:
        return x.view(torch.uint8).permute(tuple(dims)).contiguous().view(torch.bool)
    return x.permute(tuple(dims)).contiguous()


def assert_same_bits(actual: Tensor, wanted: Tensor, note: object = "") -> None:
    """Same shape, dtype and bytes; nothing is said of strides."""
    assert actual.shape == wanted.shape, (actual.shape, wanted.shape, note)
    assert actual.dtype == wanted.dtype, (actual.dtype, wanted.dtype, note)
    differing = (bits(actual) != bits(wanted)).nonzero()
    assert differing.numel() == 0, f"first wrong byte at {int(differing[0])}; {note}"


def assert_permuted(y: Tensor, x: Tensor, dims: Sequence[int]) -> None:
    """y is the permuted x in fresh memory with canonical strides, bit for bit."""
    note = f"shape {tuple(x.shape)} strides {x.stride()} offset {x.storage_offset()} dims {dims}"
    assert_same_bits(y, expected(x, dims), note)
    assert y.stride() == canonical_strides(y.shape), (y.stride(), note)
    assert y.is_contiguous(), note
    assert not y.is_conj(), note
    assert not y.is_neg(), note
    if y.numel() > 0 and not x._is_zerotensor():
        assert y.untyped_storage().data_ptr() != x.untyped_storage().data_ptr(), note


def random_elements(count: int, dtype: torch.dtype, seed: int = 0) -> Tensor:
    """`count` elements of random bytes: NaNs, denormals, bool bytes of 2 to 255."""
    generator = torch.Generator().manual_seed(seed)
    elem_size = torch.empty(0, dtype=dtype).element_size()
    return torch.randint(0, 256, (count * elem_size,), dtype=torch.uint8, generator=generator).view(
        dtype
    )


def product(extents: Sequence[int]) -> int:
    """The number of elements of a shape."""
    count = 1
    for extent in extents:
        count *= extent
    return count


def contiguous(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Row-major."""
    return random_elements(product(shape), dtype).view(tuple(shape))


def permuted(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Column-major: the last axis is the slow one."""
    back = tuple(range(len(shape) - 1, -1, -1))
    return contiguous(list(reversed(shape)), dtype).permute(back)


def stepped(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Every second element along every axis, from the second on."""
    base = contiguous([2 * extent + 1 for extent in shape], dtype)
    return base[tuple(slice(1, None, 2) for _ in shape)]


def cropped(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """A window out of a larger tensor: gaps after every axis but the first."""
    base = contiguous([extent + 3 for extent in shape], dtype)
    return base[tuple(slice(2, 2 + extent) for extent in shape)]


def offset(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Row-major from the eighth element of its storage."""
    return random_elements(product(shape) + 7, dtype)[7:].view(tuple(shape))


def expanded(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Stride 0 along every other axis."""
    base = contiguous([1 if k % 2 else extent for k, extent in enumerate(shape)], dtype)
    return base.expand(tuple(shape))


def windowed(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    """Overlapping windows: neighbouring axes share elements, as after unfold."""
    strides = [2 + 3 * k for k in range(len(shape), 0, -1)]
    count = 1 + sum(max(e - 1, 0) * s for e, s in zip(shape, strides, strict=True))
    return random_elements(count, dtype).as_strided(tuple(shape), tuple(strides))


LAYOUTS: dict[str, Callable[[Sequence[int], torch.dtype], Tensor]] = {
    maker.__name__: maker
    for maker in (contiguous, permuted, stepped, cropped, offset, expanded, windowed)
}


def all_dims(rank: int) -> list[tuple[int, ...]]:
    """Every permutation of `rank` axes."""
    return list(itertools.permutations(range(rank)))


def random_dims(rank: int, rng: random.Random) -> tuple[int, ...]:
    """One permutation of `rank` axes, about half of them written as negative numbers."""
    dims = rng.sample(range(rank), rank)
    return tuple(d - rank if rng.random() < 0.5 else d for d in dims)


@contextlib.contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Torch uses `count` threads inside the block."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


HUNG_AFTER_SECONDS = 90


def run_python(
    code: str, *arguments: str, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Runs code in a fresh Python that finds the torch_hptp under test, and does not wait long."""
    folder = str(Path(torch_hptp.__file__).resolve().parent.parent)
    path = os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=HUNG_AFTER_SECONDS,
        check=False,
        env=os.environ | {"PYTHONPATH": path} | environment,
    )
