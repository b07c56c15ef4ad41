"""What is asked of torch_hptp, as numbers with reasons, and which rows miss it.

Into an existing output, on each number of threads that was measured:

- every row is ahead of the fastest contender that is installed, XLA on the images among them;
- every row has the share of memcpy's speed that `MARKS` asks of its group, and the geometric mean
  over all rows is `LEAST_MEAN`;
- on one thread, every row is `case.least_speedup` times as fast as PyTorch.

With a fresh output of `LARGE_BYTES` or more, on two threads, a row has to be `FRESH_MOVED` or
`FRESH_KEPT` times as fast as PyTorch. A row that was not measured misses its goals; what a run
does not hold at all, it is not judged on.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.board_table import mean_ratio, tables
from benchmarks.cases import CASES, Case
from benchmarks.timings import RowResult


@dataclass(frozen=True)
class Mark:
    """The least share of memcpy's speed in a group of rows, and why it is not one for all."""

    group: str
    least: float
    covers: Callable[[Case], bool]
    reason: str


MARKS = (
    Mark(
        "images",
        1.1,
        lambda case: case.is_image,
        "three long streams on one side and one on the other, stored past the caches: memcpy's "
        "ordinary stores read each line of the output before they write it",
    ),
    Mark(
        "rows are kept",
        0.95,
        lambda case: case.keeps_rows,
        "whole lines move, in another order than memcpy's",
    ),
    Mark(
        "4-byte elements, the last axis moves",
        0.60,
        lambda case: case.dtype.itemsize == 4,
        "a line that is read has one element, or a few, of each line that is written: blocks of "
        "lines have to stay in the caches while they are filled",
    ),
    Mark(
        "1- and 2-byte elements, the last axis moves",
        0.45,
        lambda case: case.dtype.itemsize < 4,
        "the same, and 64 or 32 lines have to be at hand to finish one",
    ),
)
LEAST_MEAN = 0.75  # of ours/memcpy over all rows: a permute costs about what a copy costs

# Where memcpy itself runs from a cache, it is no roof of the memory, and no mark is above this.
CACHED_LEAST = 0.85
# It does where input and output fit in the last cache and it is so many times as fast as a streamed
# copy of what does not fit: a Zen 5 did 127 GB/s on 2 x 9 MB against about 40 from memory.
CACHED_SPEEDUP = 1.5

LARGE_BYTES = 64 * 2**20  # from here on, most of a fresh output's cost is to be given its pages
FRESH_THREADS = 2
FRESH_MOVED = 2.0  # times torch where the last axis moves: huge pages take half of that cost away
FRESH_KEPT = 1.4  # times torch where rows are kept, which torch copies well by itself


@dataclass
class Judgement:
    """Goals that were missed, and goals that this run cannot decide, each in one line."""

    missed: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)


def judge(rows: Sequence[RowResult], cache_bytes: int | None) -> Judgement:
    """Holds rows to the goals; `cache_bytes` is the size of the last cache, if known."""
    judgement = Judgement()
    for table in tables(rows):
        if table[0].mode == "existing":
            _judge_existing(table, cache_bytes, judgement)
        elif table[0].threads == FRESH_THREADS:
            judgement.missed += [text for row in table for text in _missed_fresh(row)]
    if not any(row.mode == "fresh" and row.threads == FRESH_THREADS for row in rows):
        judgement.undecided.append(f"fresh outputs: not measured on {FRESH_THREADS} threads")
    return judgement


def mark_of(case: Case) -> Mark:
    """The mark of the group that a row belongs to: the first that covers it."""
    return next(mark for mark in MARKS if mark.covers(case))


def _judge_existing(
    table: Sequence[RowResult], cache_bytes: int | None, judgement: Judgement
) -> None:
    roof = _memory_speed(table, cache_bytes)
    for row in table:
        judgement.missed += _missed_by_torch(row)
        judgement.missed += _missed_by_rival(row)
        judgement.missed += _missed_mark(row, _is_cached(row, roof, cache_bytes))
        if row.case.is_image and not row.skipped and not row.gigabytes_per_second("jax"):
            judgement.undecided.append(f"{_place(row)}: ahead of XLA: jax was not measured")
    _judge_mean(table, judgement)


def _judge_mean(table: Sequence[RowResult], judgement: Judgement) -> None:
    place = f"{table[0].threads} thread(s), geometric mean of ours/memcpy"
    absent = len({case.name for case in CASES} - {row.case.name for row in table})
    if absent:
        judgement.undecided.append(f"{place}: {absent} of its rows are not in this run")
        return
    mean = mean_ratio(table, "ours", "memcpy")
    if mean is None or mean < LEAST_MEAN:
        judgement.missed.append(f"{place}: {mean or 0:.2f}, mark {LEAST_MEAN:g}")


def _place(row: RowResult) -> str:
    return f"{row.case.name}, {row.threads} thread(s)"


def _said(row: RowResult, ratio: float | None, unit: str) -> str:
    return f"{ratio:.2f} {unit}" if ratio else row.skipped or "not measured"


def _missed_by_torch(row: RowResult) -> list[str]:
    goal = max(1.0, row.case.least_speedup) if row.threads == 1 else 1.0
    speedup = row.ratio("ours", "torch")
    if speedup is not None and speedup >= goal:
        return []
    return [f"{_place(row)}: {_said(row, speedup, 'times torch')}, mark {goal:g}"]


def _missed_by_rival(row: RowResult) -> list[str]:
    return [
        f"{_place(row)}: {ratio:.2f} times {name}, mark 1"
        for name in row.rivals()
        if name != "torch" and (ratio := row.ratio("ours", name)) is not None and ratio < 1.0
    ]


def _missed_mark(row: RowResult, is_cached: bool) -> list[str]:
    mark = mark_of(row.case)
    least = min(mark.least, CACHED_LEAST) if is_cached else mark.least
    share = row.ratio("ours", "memcpy")
    if share is not None and share >= least:
        return []
    group = f"{mark.group}; memcpy runs from the cache" if is_cached else mark.group
    return [f"{_place(row)}: {_said(row, share, 'of memcpy')}, mark {least:g} ({group})"]


def _fits(row: RowResult, cache_bytes: int) -> bool:
    return 2 * row.case.nbytes(row.size) <= cache_bytes


def _memory_speed(table: Sequence[RowResult], cache_bytes: int | None) -> float | None:
    """GB/s of a streamed copy out of cache: the row in the middle, or None where there is none."""
    speeds = [
        speed
        for row in table
        if cache_bytes
        and not _fits(row, cache_bytes)
        and (speed := row.gigabytes_per_second("streamed"))
    ]
    return statistics.median(speeds) if speeds else None


def _is_cached(row: RowResult, roof: float | None, cache_bytes: int | None) -> bool:
    if not cache_bytes or not roof or not _fits(row, cache_bytes):
        return False
    return row.gigabytes_per_second("memcpy") >= CACHED_SPEEDUP * roof


def _missed_fresh(row: RowResult) -> list[str]:
    if row.case.nbytes(row.size) < LARGE_BYTES:
        return []
    goal = FRESH_KEPT if row.case.keeps_rows else FRESH_MOVED
    speedup = row.ratio("ours", "torch")
    if speedup is not None and speedup >= goal:
        return []
    said = _said(row, speedup, "times torch")
    return [f"{_place(row)}, fresh output: {said}, mark {goal:g}"]
