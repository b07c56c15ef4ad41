"""What further threads bring: ours and memcpy on 1, 2, as many as cores, and more than cores.

All of them take turns within one row, into one existing output. Before its clock starts, a call
lets torch's pool grow or shrink to its number of threads, which is no part of a permute.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Iterable, Sequence

import torch

from benchmarks.cases import Case
from benchmarks.contender import Contender, Dims, SelfTimed, WriteCall
from benchmarks.contenders import CONTENDERS
from benchmarks.measure import Limits, measure
from benchmarks.timings import RowResult

NAMES = ("ours", "memcpy")

LEAST_GAIN = 1.7  # of two threads over one, where memcpy itself gains as much
# Of twice as many threads as cores over as many as cores: no slower, less what two measurements of
# the same call differ by on a machine that others use too.
LEAST_BEYOND_CORES = 0.95

_WAKE_ELEMENTS = 2**20  # enough for torch to share out a fill among all of its threads


def thread_counts() -> list[int]:
    """1, 2, as many as there are cores for this program, and twice as many, which is the last."""
    cores = len(os.sched_getaffinity(0))
    return sorted({1, 2, cores, 2 * cores})


def _beyond_cores(counts: Iterable[int]) -> tuple[int, int]:
    """(more threads than cores, as many as cores) of `thread_counts()`."""
    most = max(counts)
    return most, most // 2


def _leave(_out: torch.Tensor) -> None:
    """The answer is in the output already."""


def _on(contender: Contender, threads: int) -> Contender:
    """The contender on its own number of threads, whatever its row's is."""
    wake = torch.empty(_WAKE_ELEMENTS, dtype=torch.uint8)

    def into(x: torch.Tensor, dims: Dims, out: torch.Tensor, _threads: int) -> WriteCall:
        write = contender.into_existing(x, dims, out, threads)

        def call() -> SelfTimed:
            torch.set_num_threads(threads)
            wake.fill_(1)
            begin = time.perf_counter()
            write()
            return SelfTimed(time.perf_counter() - begin, _leave)

        return call

    return dataclasses.replace(contender, name=f"{contender.name}@{threads}", into_existing=into)


def measure_scaling(
    case: Case, size: str, counts: Sequence[int], limits: Limits
) -> list[RowResult]:
    """One row, measured on each number of threads: a result for each."""
    asked = [one for one in CONTENDERS if one.name in NAMES]
    on_each = [_on(contender, threads) for contender in asked for threads in counts]
    row = measure(case, size, "existing", max(counts), on_each, limits)
    return [
        dataclasses.replace(
            row,
            threads=threads,
            timings={name: row.timings[f"{name}@{threads}"] for name in NAMES if not row.skipped},
        )
        for threads in counts
    ]


def gain(rows: Sequence[RowResult], name: str, threads: int, over: int) -> float | None:
    """How many times as fast `name` is on `threads` threads as on `over`, in rows of one case."""
    speeds = {row.threads: row.gigabytes_per_second(name) for row in rows}
    fast, slow = speeds.get(threads), speeds.get(over)
    return fast / slow if fast and slow else None


def heading(counts: Sequence[int]) -> str:
    """The names of the columns: GB/s of each on its threads, then gains of 2 threads over 1."""
    columns = [f"{name}@{threads}" for name in NAMES for threads in counts]
    columns += [f"{name} 2/1" for name in NAMES]
    columns.append("ours {}/{}".format(*_beyond_cores(counts)))
    return "row".ljust(16) + "".join(text.rjust(13) for text in columns)


def table_line(rows: Sequence[RowResult]) -> str:
    """One case of the table."""
    first = rows[0]
    if first.skipped:
        return f"{first.case.name:16} skipped: {first.skipped}"
    cells = [row.gigabytes_per_second(name) or None for name in NAMES for row in rows]
    cells += [gain(rows, name, 2, 1) for name in NAMES]
    cells.append(gain(rows, "ours", *_beyond_cores(row.threads for row in rows)))
    return first.case.name.ljust(16) + "".join(
        f"{cell:13.2f}" if cell else f"{'-':>13}" for cell in cells
    )


def by_case(rows: Sequence[RowResult]) -> list[list[RowResult]]:
    """The results of each case in each size."""
    grouped: dict[tuple[str, str], list[RowResult]] = {}
    for row in rows:
        grouped.setdefault((row.case.name, row.size), []).append(row)
    return list(grouped.values())


def missed_goals(rows: Sequence[RowResult]) -> list[str]:
    """The cases that gain too little from two threads, or lose by more threads than cores."""
    return [text for group in by_case(rows) for text in _missed_by(group)]


def _missed_by(rows: Sequence[RowResult]) -> list[str]:
    name, missed = rows[0].case.name, []
    if rows[0].skipped or not all(row.gigabytes_per_second("ours") for row in rows):
        return [f"{name}: scaling not measured: {rows[0].skipped or 'a call failed'}"]
    ours, roof = gain(rows, "ours", 2, 1), gain(rows, "memcpy", 2, 1)
    if ours is not None and ours < LEAST_GAIN and roof is not None and roof >= LEAST_GAIN:
        missed.append(
            f"{name}: 2 threads {ours:.2f} times 1 thread (memcpy {roof:.2f}), mark {LEAST_GAIN:g}"
        )
    more, cores = _beyond_cores(row.threads for row in rows)
    beyond = gain(rows, "ours", more, cores)
    if beyond is not None and beyond < LEAST_BEYOND_CORES:
        missed.append(
            f"{name}: {more} threads {beyond:.2f} times {cores}, mark {LEAST_BEYOND_CORES:g}"
        )
    return missed
