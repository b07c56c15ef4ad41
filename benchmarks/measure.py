"""How a row is measured: interleaved rounds of calls whose results are compared as bits.

Every contender first answers once into poisoned memory, and that answer is compared, byte for
byte, with PyTorch's. Then come rounds in which each contender is called once, in turn, so that a
machine that slows down slows all of them down. Between two calls on several threads is a pause, in
which the threads of the contender before fall asleep: a pool spins for some milliseconds after its
work, on cores that the next contender needs. A contender leaves the rounds after `calls` timed
calls or `seconds` of them. The compared call warms the caches and is not counted, unless it alone
has used up the seconds: then it is the one timing.

The input holds bytes from 1 to 123: no page of it is the kernel's zero page, and as a float of any
width it is finite and normal, so that a contender which computes with floats is not set back.
"""

from __future__ import annotations

import contextlib
import hashlib
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FrameType

import torch

from benchmarks.cases import Case
from benchmarks.contender import CannotError, Contender, FreshCall, SelfTimed
from benchmarks.machine import available_bytes
from benchmarks.timings import RowResult, Timing

MODES = ("existing", "fresh")

_FILL_PERIOD = 16_777_213  # bytes; a prime, so that no extent of a shape lines up with it
_POISON = 0xA5
_CHUNK_BYTES = 64 * 2**20
_SETTLE_SECONDS = 0.01  # libgomp's threads, which are torch's, spin for about 4 ms on a Zen 3
_MAPPED_BYTES = 64 * 2**20  # above the largest threshold that glibc's malloc gives itself, 32 MiB


@dataclass(frozen=True)
class Limits:
    """When a contender has been measured enough."""

    calls: int = 3
    seconds: float = 3.0
    compile_seconds: float = 120.0


def filled(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    """A contiguous tensor of `shape` and `dtype` whose every byte is from 1 to 123."""
    x = torch.empty(shape, dtype=dtype)
    into = x.view(-1).view(torch.uint8)
    generator = torch.Generator().manual_seed(20)
    period = max(1, min(_FILL_PERIOD, into.numel()))
    into[:period].random_(1, 124, generator=generator)
    for begin in range(period, into.numel(), period):
        end = min(begin + period, into.numel())
        into[begin:end] = into[: end - begin]
    return x


def same_bits(actual: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether two tensors of one shape and dtype hold the same bytes.

    Compares about 64 MiB at a time along the first axis, so that a view that is not contiguous
    costs that much memory and not a copy of the whole.
    """
    if actual.shape != expected.shape:
        return False
    step = max(1, _CHUNK_BYTES * len(actual) // max(actual.nbytes, 1)) if len(actual) else 1
    return all(
        torch.equal(
            actual[begin : begin + step].contiguous().view(-1).view(torch.uint8),
            expected[begin : begin + step].contiguous().view(-1).view(torch.uint8),
        )
        for begin in range(0, len(actual), step)
    )


def _digest(contiguous: torch.Tensor) -> bytes:
    return hashlib.sha256(contiguous.view(-1).view(torch.uint8).numpy().data).digest()


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in the main thread once `seconds` have passed inside the block.

    Code that does not come back to the interpreter, as a running kernel, is not interrupted.
    """

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"not ready after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def torch_threads(threads: int) -> Iterator[None]:
    """Lets torch use `threads` threads inside the block, and as many as before after it."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Row:
    """One case with its input, and its output where that exists beforehand."""

    def __init__(self, case: Case, mode: str, threads: int, x: torch.Tensor) -> None:
        """Allocates the output; `x` is the input, which has been written."""
        self.case, self.mode, self.threads = case, mode, threads
        self.own_copies = 0  # how many tensors of this size contenders are going to need besides
        self.closing = contextlib.ExitStack()
        self.x = x
        self.view = self.x.permute(case.dims)
        self.out = torch.empty(self.view.shape if mode == "existing" else 0, dtype=case.dtype)
        self.expected = self.view  # or PyTorch's result, once there is one and memory to keep it
        self.digest = b""  # of PyTorch's result, where there is no memory to keep it

    def call_of(self, contender: Contender) -> FreshCall:
        """The call to be timed: it returns the tensor that holds the answer."""
        if self.mode == "fresh":
            fresh = contender.as_written(self.x, self.case.dims, self.threads)
            self._close_later(fresh)
            return fresh
        write = contender.into_existing(self.x, self.case.dims, self.out, self.threads)
        self._close_later(write)

        def call() -> torch.Tensor | SelfTimed:
            answer = write()
            return answer if isinstance(answer, SelfTimed) else self.out

        return call

    def _close_later(self, call: object) -> None:
        close = getattr(call, "close", None)
        if close is not None:
            self.closing.callback(close)

    def fetched(self, answer: torch.Tensor | SelfTimed) -> torch.Tensor:
        """The tensor that holds the answer, wherever it was written."""
        if not isinstance(answer, SelfTimed):
            return answer
        out = (
            self.out
            if self.mode == "existing"
            else torch.empty(self.view.shape, dtype=self.x.dtype)
        )
        answer.read_into(out)
        return out

    def poison(self) -> None:
        """Makes sure that no contender is credited with what an earlier one has written.

        As people write it, the allocator may hand out the memory of the answer before: what is
        filled here and let go at once is what it hands out next. Memory that it maps for one
        answer alone comes as zeros, and no byte of a right answer is zero.
        """
        if self.mode == "fresh" and self.x.nbytes > _MAPPED_BYTES:
            return
        into = self.out if self.mode == "existing" else torch.empty_like(self.x)
        into.view(-1).view(torch.uint8).fill_(_POISON)

    def keep(self, answer: torch.Tensor) -> None:
        """Keeps PyTorch's answer to compare with, or its digest where memory is short.

        Without either, each answer is compared with the view, which takes as long as PyTorch does.
        """
        available = available_bytes()
        if available is not None and available > (2.5 + self.own_copies) * self.x.nbytes:
            self.expected = answer.clone()
        else:
            self.digest = _digest(answer)

    def is_right(self, contender: Contender, answer: torch.Tensor) -> bool:
        """Whether the answer is PyTorch's, or the input's own bytes in the case of a roof."""
        if answer.dtype != self.case.dtype:
            answer = answer.view(self.case.dtype)  # NumPy knows bfloat16 as uint16
        if contender.is_roof:
            return same_bits(answer.view(-1), self.x.view(-1))
        if self.digest and answer.is_contiguous():
            return answer.shape == self.view.shape and _digest(answer) == self.digest
        return same_bits(answer, self.expected)


def _first_call(row: Row, contender: Contender, limits: Limits) -> tuple[FreshCall | None, Timing]:
    """Makes the call, compares what it gives, and says why it cannot go on, if so."""
    try:
        with time_limit(limits.compile_seconds):
            _require_memory(contender, row.x.nbytes)
            call = row.call_of(contender)
        row.poison()
        took, answer = _timed(call)
        answer = row.fetched(answer)
    except CannotError as error:
        return None, Timing(failure=f"cannot: {error}")
    except Exception as error:  # a contender that cannot is a result, not an end
        return None, Timing(failure=_in_one_line(error))
    if contender.name == "torch":
        row.keep(answer)
    elif not row.is_right(contender, answer):
        return None, Timing(failure="WRONG BITS")
    return (None, Timing([took])) if took >= limits.seconds else (call, Timing())


def _require_memory(contender: Contender, nbytes: int) -> None:
    available, needed = available_bytes(), contender.own_copies * nbytes
    if needed and available is not None and available < needed + 2 * _CHUNK_BYTES:
        raise CannotError(
            f"needs {needed / 2**30:.1f} GiB of memory more, {available / 2**30:.1f} are available"
        )


def _in_one_line(error: Exception) -> str:
    first = next(iter(str(error).strip().splitlines()), "")
    return f"{type(error).__name__}: {first}"[:160]


def _timed(call: FreshCall) -> tuple[float, torch.Tensor | SelfTimed]:
    """Seconds of one call and what it returned, to be let go after the clock has stopped."""
    begin = time.perf_counter()
    answer = call()
    took = time.perf_counter() - begin
    return (answer.seconds if isinstance(answer, SelfTimed) else took), answer


def _settle(threads: int) -> None:
    if threads > 1:
        time.sleep(_SETTLE_SECONDS)


def measure(
    case: Case, size: str, mode: str, threads: int, contenders: Sequence[Contender], limits: Limits
) -> RowResult:
    """Measures one row: the first, compared calls, then the rounds."""
    available, needed = available_bytes(), 2 * case.nbytes(size) + 2 * _CHUNK_BYTES
    if available is not None and available < needed:
        why = f"needs {needed / 2**30:.1f} GiB of memory, {available / 2**30:.1f} are available"
        return RowResult(case, size, mode, threads, {}, why)
    with torch_threads(threads):
        row = Row(case, mode, threads, filled(case.extents(size), case.dtype))
        row.own_copies = max((contender.own_copies for contender in contenders), default=0)
        with row.closing:
            timings = _timings(row, contenders, limits)
    return RowResult(case, size, mode, threads, timings)


def _timings(row: Row, contenders: Sequence[Contender], limits: Limits) -> dict[str, Timing]:
    timings: dict[str, Timing] = {}
    in_rounds: dict[str, FreshCall] = {}
    for contender in contenders:
        call, timings[contender.name] = _first_call(row, contender, limits)
        if call is not None:
            in_rounds[contender.name] = call
    while in_rounds:
        for name, call in list(in_rounds.items()):
            spent = timings[name].seconds
            _settle(row.threads)
            spent.append(_timed(call)[0])
            if len(spent) >= limits.calls or sum(spent) >= limits.seconds:
                del in_rounds[name]
    return timings
