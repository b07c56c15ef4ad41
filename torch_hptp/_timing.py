"""How fast a permute is, next to PyTorch's and to a plain copy of the same bytes.

The demo, `python -m torch_hptp bench` and the board in `benchmarks` use this. The plain copy is
libc's memcpy, called on as many threads as torch uses, each with an equal share.
"""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import torch
from torch import Tensor

from torch_hptp.ops import permute

_LINE_BYTES = 64
# How often a call is repeated in its turn: until it has written so many bytes, or most often. It
# makes what memcpy needs to hand out its shares small beside the copying.
_TURN_BYTES = 32 * 2**20
_MOST_REPEATS = 50


@functools.cache
def _libc_memcpy() -> Callable[[int, int, int], int]:
    memcpy = ctypes.CDLL(None).memcpy  # CDLL lets go of the interpreter's lock during the call
    memcpy.restype = ctypes.c_void_p
    memcpy.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    return memcpy


@functools.cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers)


def _copy_share(passes: int, dst: int, src: int, nbytes: int) -> None:
    memcpy = _libc_memcpy()
    for _ in range(passes):
        memcpy(dst, src, nbytes)


def copy_bytes(src: Tensor, dst: Tensor, threads: int, passes: int = 1) -> None:
    """Copies the bytes of `src` with memcpy, an equal share for each thread.

    Handing the shares out costs some 30 microseconds, which a caller's timing includes. Where that
    is much, let every thread copy its share several times.

    Args:
        src: A contiguous CPU tensor.
        dst: A contiguous CPU tensor of as many bytes, sharing none with `src`.
        threads: How many threads copy, 1 or more; the calling one is among them.
        passes: How many times each copies its share.

    Raises:
        ValueError: A tensor is not contiguous, or they differ in bytes.
    """
    if not (src.is_contiguous() and dst.is_contiguous() and src.nbytes == dst.nbytes):
        raise ValueError("copy_bytes(): src and dst must be contiguous and of as many bytes")
    share = -(-src.nbytes // (threads * _LINE_BYTES)) * _LINE_BYTES
    shares = [
        (dst.data_ptr() + begin, src.data_ptr() + begin, min(share, src.nbytes - begin))
        for begin in range(0, src.nbytes, max(share, 1))
    ]
    others = [_pool(threads - 1).submit(_copy_share, passes, *other) for other in shares[1:]]
    for first in shares[:1]:
        _copy_share(passes, *first)
    for other in others:
        other.result()


def same_bits(left: Tensor, right: Tensor) -> bool:
    """Tells whether two contiguous tensors agree in shape, dtype and every byte."""
    if left.shape != right.shape or left.dtype != right.dtype:
        return False
    return torch.equal(left.view(-1).view(torch.uint8), right.view(-1).view(torch.uint8))


@dataclass(frozen=True)
class Comparison:
    """Seconds a call of each into an existing output, for `nbytes` read and as many written."""

    name: str
    nbytes: int
    torch_seconds: float
    ours_seconds: float
    memcpy_seconds: float
    has_equal_bits: bool

    def gigabytes_per_second(self, seconds: float) -> float:
        """Bytes read plus bytes written, in 10^9 a second."""
        return 2 * self.nbytes / seconds / 1e9


def best_seconds(calls: Sequence[Callable[[], object]], budget_seconds: float) -> list[float]:
    """The shortest time of each call, called in turn until all together have used the budget.

    Taking turns shares out what else happens on the machine. Each is called three times at least.
    """
    best = [float("inf")] * len(calls)
    spent, rounds = 0.0, 0
    while rounds < 3 or spent < budget_seconds:
        for index, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            took = time.perf_counter() - begin
            best[index] = min(best[index], took)
            spent += took
        rounds += 1
    return best


def compare(name: str, x: Tensor, dims: tuple[int, ...], budget_seconds: float) -> Comparison:
    """Times and compares a permute of the contiguous tensor `x` into an existing output.

    Args:
        name: What to call it in a table.
        x: A contiguous CPU tensor, whose memory has been written.
        dims: As for `torch_hptp.permute`.
        budget_seconds: How long to go on calling, all three together.
    """
    out = torch.empty_like(x.permute(dims), memory_format=torch.contiguous_format)
    threads = torch.get_num_threads()
    repeats = min(_MOST_REPEATS, -(-_TURN_BYTES // max(x.nbytes, 1)))
    theirs, ours, copied = best_seconds(
        [
            lambda: [out.copy_(x.permute(dims)) for _ in range(repeats)],
            lambda: [permute(x, dims, out=out) for _ in range(repeats)],
            lambda: copy_bytes(x, out, threads, repeats),
        ],
        budget_seconds,
    )
    is_equal = same_bits(permute(x, dims), x.permute(dims).contiguous())
    return Comparison(name, x.nbytes, theirs / repeats, ours / repeats, copied / repeats, is_equal)


def table_lines(comparisons: Iterable[Comparison]) -> list[str]:
    """A table of comparisons in 10^9 bytes read plus written a second, a line each."""
    lines = [
        f"{'GB/s, read + written':38}{'torch':>8}{'ours':>8}{'memcpy':>8}"
        f"{'ours/torch':>12}{'ours/memcpy':>13}  bits"
    ]
    for one in comparisons:
        speeds = (one.torch_seconds, one.ours_seconds, one.memcpy_seconds)
        cells = "".join(f"{one.gigabytes_per_second(seconds):8.2f}" for seconds in speeds)
        lines.append(
            f"{one.name:38}{cells}{one.torch_seconds / one.ours_seconds:12.2f}"
            f"{one.memcpy_seconds / one.ours_seconds:13.2f}"
            f"  {'equal' if one.has_equal_bits else 'DIFFER'}"
        )
    return lines
