"""torch_hptp and PyTorch on one question after another: what workloads and strided views share.

A question is a view of a filled tensor, to be permuted into an output that exists. PyTorch's
answer is `out.copy_(view.permute(dims))`. Both write outputs of their own, poisoned alike; after
the first, warming calls all bytes of the two are compared, those between the elements of a strided
output too. Then they are called in turn, several calls a turn where one takes less than two
milliseconds, and the best turn of each counts. A pair that PyTorch seems to win is looked at for
longer, so that a loss is no hiccup of the machine; a call of many seconds is made once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch

import torch_hptp
from benchmarks.machine import available_bytes
from benchmarks.measure import filled, torch_threads

Call = Callable[[], object]
Extents = tuple[int, ...]

_POISON = 0xA5
_TURN_SECONDS = 0.002
_MOST_REPEATS = 5000
_ROUNDS = 9
_LONGER_LOOK = 4  # so many times the rounds and the seconds where PyTorch seems to be ahead
_SPARE_BYTES = 256 * 2**20


@dataclass(frozen=True)
class Question:
    """Permute `base[index]` by `dims`, where `base` is contiguous, of `shape` and `dtype`.

    The output is `base[..., ::out_step]` of a base of its own; its dimensions lie in memory in the
    order `out_order`, where that is given. `then` is called on the output after every copy.
    """

    name: str
    title: str
    shape: Extents
    dims: Extents
    dtype: torch.dtype
    index: tuple[slice, ...] = ()
    out_step: int = 1
    out_order: Extents = ()
    then: Callable[[torch.Tensor], object] | None = None

    def view(self, base: torch.Tensor) -> torch.Tensor:
        """What is to be permuted."""
        return base[self.index] if self.index else base

    def view_shape(self) -> Extents:
        """The shape of the view, found out without memory."""
        return tuple(self.view(torch.empty(self.shape, dtype=self.dtype, device="meta")).shape)

    def nbytes(self) -> int:
        """Bytes that have to be read, which are as many as have to be written."""
        return math.prod(self.view_shape()) * self.dtype.itemsize

    def in_and_out_bytes(self) -> int:
        """Bytes of the base and of one output with what lies between its elements."""
        return math.prod(self.shape) * self.dtype.itemsize + self.out_step * self.nbytes()

    def make_output(self) -> tuple[torch.Tensor, torch.Tensor]:
        """A poisoned base and the output in it."""
        extents = [self.view_shape()[dim] for dim in self.dims]
        order = self.out_order or tuple(range(len(extents)))
        lying = [extents[dim] for dim in order]
        lying[-1:] = [extent * self.out_step for extent in lying[-1:]]
        base = torch.empty(lying, dtype=self.dtype)
        base.view(-1).view(torch.uint8).fill_(_POISON)
        stepped = base[..., :: self.out_step]
        return base, stepped.permute([order.index(dim) for dim in range(len(order))])

    def calls(
        self, view: torch.Tensor, ours_out: torch.Tensor, torch_out: torch.Tensor
    ) -> tuple[Call, Call]:
        """The two calls to be timed: ours and PyTorch's."""
        dims, then = self.dims, self.then

        def theirs() -> object:
            return torch_out.copy_(view.permute(dims))

        def ours() -> object:
            return torch_hptp.permute(view, dims, out=ours_out)

        def made_contiguous() -> object:
            return torch_hptp.contiguous(view, out=ours_out)

        is_identity = dims == tuple(range(len(dims))) and ours_out.is_contiguous()
        mine = made_contiguous if is_identity and self.index else ours
        if then is None:
            return mine, theirs
        use = then
        return lambda: (mine(), use(ours_out)), lambda: (theirs(), use(torch_out))


@dataclass(frozen=True)
class PairResult:
    """The best seconds a call of both, or why there are none."""

    question: Question
    threads: int
    ours: float = math.nan
    torch: float = math.nan
    has_equal_bits: bool = True
    skipped: str = ""

    @property
    def speedup(self) -> float:
        """How many times as fast as PyTorch we are."""
        return self.torch / self.ours

    def gigabytes_per_second(self, seconds: float) -> float:
        """Bytes read plus bytes written, in 10^9 a second."""
        return 2 * self.question.nbytes() / seconds / 1e9


@dataclass
class _Best:
    """The best seconds a call so far."""

    calls: Sequence[Call]
    repeats: int = 1
    seconds: list[float] = field(default_factory=lambda: [math.inf, math.inf])

    def take_turns(self) -> float:
        """Calls each for one turn and returns how long all of it took."""
        spent = 0.0
        for position, call in enumerate(self.calls):
            begin = time.perf_counter()
            for _ in range(self.repeats):
                call()
            took = time.perf_counter() - begin
            self.seconds[position] = min(self.seconds[position], took / self.repeats)
            spent += took
        return spent


def best_of_both(calls: tuple[Call, Call], seconds: float) -> tuple[float, float]:
    """The best seconds a call of two calls that have been warmed, taking turns."""
    best = _Best(calls)
    spent = best.take_turns()
    best.repeats = max(1, min(_MOST_REPEATS, int(_TURN_SECONDS / max(*best.seconds, 1e-7))))
    if best.repeats > 1:
        best.seconds = [math.inf, math.inf]  # a turn of one call tells more of the clock
    rounds = 0 if best.repeats > 1 else 1
    while rounds == 0 or not _is_enough(best.seconds, rounds, spent, seconds):
        spent += best.take_turns()
        rounds += 1
    return best.seconds[0], best.seconds[1]


def _is_enough(best: Sequence[float], rounds: int, spent: float, seconds: float) -> bool:
    factor = _LONGER_LOOK if best[0] > best[1] else 1
    return rounds >= _ROUNDS * factor or spent >= seconds * factor


def _timed_once(call: Call) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def measure(question: Question, threads: int, seconds: float, most_bytes: int) -> PairResult:
    """Measures one question on `threads` threads for about `seconds` of calls.

    A question whose input and output together are larger than `most_bytes`, or which would not
    fit into the memory that is free, is skipped; the result says why.
    """
    size = question.in_and_out_bytes()
    if size > most_bytes:
        return PairResult(question, threads, skipped=f"{_gib(size)} in and out")
    needed, free = size + question.out_step * question.nbytes() + _SPARE_BYTES, available_bytes()
    if free is not None and needed > free:
        return PairResult(question, threads, skipped=f"needs {_gib(needed)}, {_gib(free)} are free")
    view = question.view(filled(question.shape, question.dtype))  # PRF-03: written before read
    (ours_base, ours_out), (torch_base, torch_out) = question.make_output(), question.make_output()
    calls = question.calls(view, ours_out, torch_out)
    with torch_threads(threads):
        ours, theirs = (_timed_once(call) for call in calls)
        is_equal = _have_equal_bytes(ours_base, torch_base)
        if is_equal and (ours + theirs < seconds or ours > theirs):
            ours, theirs = best_of_both(calls, seconds)
    return PairResult(question, threads, ours, theirs, is_equal)


def _have_equal_bytes(left: torch.Tensor, right: torch.Tensor) -> bool:
    return torch.equal(left.view(-1).view(torch.uint8), right.view(-1).view(torch.uint8))


def _gib(nbytes: int) -> str:
    return f"{nbytes / 2**30:.1f} GiB"
