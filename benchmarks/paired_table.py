"""What is said about pairs: the table, worst row first, the goals, and the record in JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.machine import describe
from benchmarks.paired import PairResult, Question


@dataclass(frozen=True)
class Goals:
    """What a table has to reach: each row, and the geometric mean of all."""

    each: float = 0.95
    mean: float = 3.0


def geometric_mean(numbers: Iterable[float]) -> float:
    """The geometric mean of positive numbers; not a number where there is none."""
    logarithms = [math.log(number) for number in numbers]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else math.nan


HEADING = f"{'ours/torch':>10} {'ours':>8} {'torch':>8} {'MB':>9}  row"


def table_line(result: PairResult) -> str:
    """One row of the table: the speeds are 10^9 bytes read plus written a second."""
    question = result.question
    text = f"{question.name}: {described(question)}"
    if result.skipped:
        return f"{'skipped':>10} {result.skipped:27}  {text}"
    speeds = (result.gigabytes_per_second(one) for one in (result.ours, result.torch))
    wrong = "" if result.has_equal_bits else "  WRONG BITS"
    return (
        f"{result.speedup:10.2f} {' '.join(f'{speed:8.2f}' for speed in speeds)} "
        f"{question.nbytes() / 1e6:9.3f}  {text}{wrong}"
    )


def described(question: Question) -> str:
    """Dtype, base, view, dims and title in one line."""
    index = ", ".join(_slice_text(part) for part in question.index)
    extents = "x".join(str(extent) for extent in question.shape)
    dims = ",".join(str(dim) for dim in question.dims)
    dtype = str(question.dtype).removeprefix("torch.")
    return f"{dtype} {extents}{f' [{index}]' if index else ''} ({dims}) {question.title}"


def _slice_text(part: slice) -> str:
    step = "" if part.step is None else f":{part.step}"
    start, stop = ("" if end is None else end for end in (part.start, part.stop))
    return f"{start}:{stop}{step}"


def worst_first(results: Iterable[PairResult]) -> list[PairResult]:
    """Wrong bits first, then the lowest speed-up, and what was skipped last."""
    return sorted(
        results, key=lambda one: (bool(one.skipped), one.has_equal_bits, one.speedup, one.ours)
    )


def closing_lines(results: Sequence[PairResult], goals: Goals) -> list[str]:
    """What stands under the table: the mean, and how many rows miss their goal or do not fit."""
    measured = [one for one in results if not one.skipped]
    skipped = [one.question.name for one in results if one.skipped]
    below = sum(one.speedup < goals.each for one in measured)
    lines = [
        f"{len(measured)} rows, geometric mean of ours/torch "
        f"{geometric_mean(one.speedup for one in measured):.2f}, {below} below {goals.each}"
    ]
    if skipped:
        lines.append(f"{len(skipped)} rows do not fit: {', '.join(skipped)}")
    return lines


def wrong_answers(results: Iterable[PairResult]) -> list[str]:
    """Rows whose bits were not PyTorch's, which no table may pass over."""
    return [f"{one.question.name}: WRONG BITS" for one in results if not one.has_equal_bits]


def missed_goals(results: Sequence[PairResult], goals: Goals) -> list[str]:
    """The goals that the measured rows miss, a line each; no measured row at all misses them."""
    measured = [one for one in results if not one.skipped]
    missed = [
        f"{one.question.name}: {one.speedup:.2f} times torch, goal {goals.each}"
        for one in measured
        if not one.speedup >= goals.each
    ]
    mean = geometric_mean(one.speedup for one in measured)
    if not mean >= goals.mean:
        missed.append(f"geometric mean {mean:.2f}, goal {goals.mean}")
    return missed


def write_json(path: Path, benchmark: str, results: Iterable[PairResult]) -> None:
    """Writes every row, with the machine, in the order in which they were measured."""
    rows = [_record(one) for one in results]
    record = {"benchmark": benchmark, "machine": describe(), "rows": rows}
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _record(result: PairResult) -> dict[str, object]:
    question = result.question
    is_timed = not result.skipped
    return {
        "row": question.name,
        "text": described(question),
        "bytes_moved": 2 * question.nbytes(),
        "threads": result.threads,
        "ours_seconds": result.ours if is_timed else None,
        "torch_seconds": result.torch if is_timed else None,
        "has_equal_bits": result.has_equal_bits,
        "skipped": result.skipped,
    }
