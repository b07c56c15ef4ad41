"""What is said about the measured rows: tables, losses, goals, and the record in JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.machine import describe
from benchmarks.measure import Limits, RowResult

LEAST_SHARE_OF_MEMCPY = 0.45  # geometric mean over the rows into an existing output

_MODE_TITLES = {"existing": "Into an existing output", "fresh": "As people write it"}
_RATIOS = (("ours", "memcpy"), ("ours", "torch"))


def geometric_mean(numbers: Iterable[float]) -> float | None:
    """The geometric mean of positive numbers, or None of none."""
    logarithms = [math.log(number) for number in numbers]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else None


def _mean_ratio(rows: Sequence[RowResult], name: str, other: str) -> float | None:
    ratios = (row.ratio(name, other) for row in rows)
    return geometric_mean(ratio for ratio in ratios if ratio is not None)


def _cell(number: float | None) -> str:
    return f"{number:9.2f}" if number else f"{'-':>9}"


def _cell_of(row: RowResult, name: str) -> str:
    failed = name in row.timings and row.timings[name].failure
    return f"{'failed':>9}" if failed else _cell(row.gigabytes_per_second(name))


def title(mode: str, threads: int, size: str) -> str:
    """The line above a table."""
    noun = "thread" if threads == 1 else "threads"
    return (
        f"{_MODE_TITLES[mode]}, {threads} {noun}, {size} rows: 10^9 bytes read plus written "
        "a second (best call)"
    )


def heading(names: Sequence[str]) -> str:
    """The names of a table's columns."""
    ratios = [f"{name}/{other}" for name, other in _RATIOS]
    return "row".ljust(16) + "".join(
        f"{text:>{max(9, len(text) + 2)}}" for text in [*names, *ratios]
    )


def table_line(row: RowResult, names: Sequence[str]) -> str:
    """One row of a table."""
    if row.skipped:
        return f"{row.case.name:16} skipped: {row.skipped}"
    cells = [_cell_of(row, name) for name in names]
    ratios = [
        _cell(row.ratio(name, other)).rjust(max(9, len(f"{name}/{other}") + 2))
        for name, other in _RATIOS
    ]
    return row.case.name.ljust(16) + "".join(cells + ratios)


def closing_lines(rows: Sequence[RowResult], names: Sequence[str]) -> list[str]:
    """What stands under a table: the geometric means, the losses, what failed."""
    lines = []
    means = [
        f"{name}/{other} {mean:.2f}"
        for name, other in (("ours", other) for other in names if other != "ours")
        if (mean := _mean_ratio(rows, name, other)) is not None
    ]
    if means:
        lines.append("geometric means: " + ", ".join(means))
    lines += [f"loss: {text}" for row in rows for text in _losses(row)]
    lines += [
        f"failed: {row.case.name}: {name}: {timing.failure}"
        for row in rows
        for name, timing in row.timings.items()
        if timing.failure
    ]
    return lines


def _losses(row: RowResult) -> list[str]:
    rivals = [name for name in row.timings if name not in ("ours", "memcpy")]
    return [
        f"{row.case.name}: {ratio:.2f} of the speed of {name}"
        for name in rivals
        if (ratio := row.ratio("ours", name)) is not None and ratio < 1.0
    ]


def wrong_answers(rows: Iterable[RowResult]) -> list[str]:
    """Contenders whose bytes were not PyTorch's, which no board may pass over."""
    return [
        f"{row.case.name}: {name} gives wrong bits ({row.mode}, {row.threads} threads)"
        for row in rows
        for name, timing in row.timings.items()
        if timing.failure == "WRONG BITS"
    ]


def missed_goals(rows: Sequence[RowResult]) -> list[str]:
    """The goals that rows measured into an existing output miss, each in one line.

    Every row is to be as fast as `out.copy_(x.permute(dims))`, on one thread also
    `case.least_speedup` times as fast, and the geometric mean of the share of memcpy's speed, over
    the rows of one number of threads, is to be `LEAST_SHARE_OF_MEMCPY`. A row that was not
    measured misses its goals.
    """
    existing = [row for row in rows if row.mode == "existing"]
    missed = [text for row in existing for text in _missed_by(row)]
    for threads in sorted({row.threads for row in existing}):
        mean = _mean_ratio([row for row in existing if row.threads == threads], "ours", "memcpy")
        if mean is None or mean < LEAST_SHARE_OF_MEMCPY:
            missed.append(
                f"{threads} thread(s): geometric mean of ours/memcpy {mean or 0:.2f}, "
                f"goal {LEAST_SHARE_OF_MEMCPY}"
            )
    return missed


def _missed_by(row: RowResult) -> list[str]:
    goal = max(1.0, row.case.least_speedup) if row.threads == 1 else 1.0
    speedup = row.ratio("ours", "torch")
    if speedup is not None and speedup >= goal:
        return []
    said = f"{speedup:.2f} times torch" if speedup else row.skipped or "not measured"
    return [f"{row.case.name}, {row.threads} thread(s): {said}, goal {goal:g}"]


def write_json(path: Path, rows: Sequence[RowResult], limits: Limits) -> None:
    """Writes all timings, in seconds a call, with the machine that they were taken on."""
    record = {
        "machine": describe(),
        "limits": {"calls": limits.calls, "seconds": limits.seconds},
        "rows": [_row_record(row) for row in rows],
    }
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _row_record(row: RowResult) -> dict[str, object]:
    case = row.case
    return {
        "row": case.name,
        "shape": case.extents(row.size),
        "dims": case.dims,
        "dtype": str(case.dtype).removeprefix("torch."),
        "size": row.size,
        "mode": row.mode,
        "threads": row.threads,
        "bytes_moved": 2 * case.nbytes(row.size),
        "skipped": row.skipped,
        "contenders": {
            name: {
                "seconds": timing.seconds,
                "best": timing.best if timing.seconds else None,
                "median": timing.median if timing.seconds else None,
                "gigabytes_per_second": row.gigabytes_per_second(name),
                "failure": timing.failure,
            }
            for name, timing in row.timings.items()
        },
    }
