"""What is said about the measured rows: tables, means, losses, and who could not answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from benchmarks.timings import ROOFS, RowResult

_MODE_TITLES = {"existing": "Into an existing output", "fresh": "As people write it"}
_RATIOS = ("ours/memcpy", "ours/streamed", "ours/torch", "ours/best")


def geometric_mean(numbers: Iterable[float]) -> float | None:
    """The geometric mean of positive numbers, or None of none."""
    logarithms = [math.log(number) for number in numbers]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else None


def mean_ratio(rows: Sequence[RowResult], name: str, other: str) -> float | None:
    """The geometric mean of how many times as fast as `other` the contender `name` is."""
    ratios = (row.ratio(name, other) for row in rows)
    return geometric_mean(ratio for ratio in ratios if ratio is not None)


def _cell(number: float | None) -> str:
    return f"{number:9.2f}" if number else f"{'-':>9}"


def _cell_of(row: RowResult, name: str) -> str:
    failure = row.timings[name].failure if name in row.timings else ""
    if failure:
        return _verdict(failure).rjust(_width(name))
    return _cell(row.gigabytes_per_second(name)).rjust(_width(name))


def _verdict(failure: str) -> str:
    return "cannot" if failure.startswith("cannot: ") else "failed"


def _width(name: str) -> int:
    return max(9, len(name) + 2)


def _ratio(row: RowResult, text: str) -> float | None:
    name, other = text.split("/")
    return row.best_ratio() if other == "best" else row.ratio(name, other)


def title(mode: str, threads: int, size: str) -> str:
    """The line above a table."""
    noun = "thread" if threads == 1 else "threads"
    return (
        f"{_MODE_TITLES[mode]}, {threads} {noun}, {size} rows: 10^9 bytes read plus written "
        "a second (best call)"
    )


def heading(names: Sequence[str]) -> str:
    """The names of a table's columns; "best" is the fastest contender of the row, roofs aside."""
    return "row".ljust(16) + "".join(text.rjust(_width(text)) for text in [*names, *_RATIOS])


def table_line(row: RowResult, names: Sequence[str]) -> str:
    """One row of a table."""
    if row.skipped:
        return f"{row.case.name:16} skipped: {row.skipped}"
    cells = [_cell_of(row, name) for name in names]
    ratios = [_cell(_ratio(row, text)).rjust(_width(text)) for text in _RATIOS]
    mark = "  (rerun)" if row.is_rerun else ""
    return row.case.name.ljust(16) + "".join(cells + ratios) + mark


def closing_lines(rows: Sequence[RowResult], names: Sequence[str]) -> list[str]:
    """What stands under a table: the geometric means, the losses, what failed."""
    lines = []
    means = [
        f"{name}/{other} {mean:.2f}"
        for name, other in (("ours", other) for other in names if other != "ours")
        if (mean := mean_ratio(rows, name, other)) is not None
    ]
    if means:
        lines.append("geometric means: " + ", ".join(means))
    lines += [f"loss: {text}" for row in rows for text in _losses(row)]
    lines += [
        f"{_verdict(timing.failure)}: {row.case.name}: {name}: "
        f"{timing.failure.removeprefix('cannot: ')}"
        for row in rows
        for name, timing in row.timings.items()
        if timing.failure
    ]
    return lines


def _losses(row: RowResult) -> list[str]:
    return [
        f"{row.case.name}: {ratio:.2f} of the speed of {name}"
        for name in row.timings
        if name not in ("ours", *ROOFS)
        and (ratio := row.ratio("ours", name)) is not None
        and ratio < 1.0
    ]


def table_text(rows: Sequence[RowResult], names: Sequence[str]) -> str:
    """A whole table of rows that share mode, threads and size."""
    first = rows[0]
    lines = [title(first.mode, first.threads, first.size), heading(names)]
    lines += [table_line(row, names) for row in rows]
    return "\n".join(lines + closing_lines(rows, names))


def tables(rows: Iterable[RowResult]) -> list[list[RowResult]]:
    """The rows by table, in the order in which each table first appears."""
    grouped: dict[tuple[str, str, int], list[RowResult]] = {}
    for row in rows:
        grouped.setdefault((row.size, row.mode, row.threads), []).append(row)
    return list(grouped.values())


def wrong_answers(rows: Iterable[RowResult]) -> list[str]:
    """Contenders whose bytes were not PyTorch's, which no board may pass over."""
    return [
        f"{row.case.name}: {name} gives wrong bits ({row.mode}, {row.threads} threads)"
        for row in rows
        for name, timing in row.timings.items()
        if timing.failure == "WRONG BITS"
    ]
