"""The board: torch_hptp next to PyTorch, Inductor, NumPy and a plain copy of the same bytes.

    python -m benchmarks.board --small --threads 1,2
    python -m benchmarks.board --rows "8-D" --only torch,ours,memcpy --existing --json board.json

Rows are written in `cases.py`, contenders in `contenders.py`, and how they are timed and compared
in `measure.py`.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from benchmarks import report
from benchmarks.cases import CASES, Case
from benchmarks.contenders import CONTENDERS, Contender
from benchmarks.machine import description_lines
from benchmarks.measure import MODES, Limits, RowResult, measure

_NEEDED_BY_CHECK = {"torch", "ours", "memcpy"}


def _thread_counts(text: str) -> list[int]:
    counts = [int(part) for part in text.split(",")]
    if min(counts) < 1:
        raise argparse.ArgumentTypeError("there is no fewer than 1 thread")
    return counts


def _cases(pattern: str) -> list[Case]:
    try:
        found = [case for case in CASES if re.search(pattern, case.name, re.IGNORECASE)]
    except re.error as error:
        raise argparse.ArgumentTypeError(
            f"{pattern!r} is no regular expression: {error}"
        ) from error
    if not found:
        names = ", ".join(case.name for case in CASES)
        raise argparse.ArgumentTypeError(f"no row matches {pattern!r}; the rows are {names}")
    return found


def _contenders(text: str) -> list[Contender]:
    by_name = {contender.name: contender for contender in CONTENDERS}
    unknown = [name for name in text.split(",") if name not in by_name]
    if unknown:
        raise argparse.ArgumentTypeError(
            f"no contender {unknown[0]!r}; there are {', '.join(by_name)}"
        )
    return [by_name[name] for name in by_name if name in text.split(",")]


def make_parser() -> argparse.ArgumentParser:
    """The command line of the board."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.board",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_selection(parser.add_argument)
    which = parser.add_mutually_exclusive_group()
    for mode, text in (
        ("existing", "only into an existing output"),
        ("fresh", "only as people write it, with a fresh output"),
    ):
        which.add_argument(f"--{mode}", dest="modes", action="store_const", const=[mode], help=text)
    parser.set_defaults(modes=list(MODES))
    _add_limits(parser.add_argument)
    add = parser.add_argument
    add("--json", type=Path, metavar="FILE", help="write the machine and all timings there")
    add("--check", action="store_true", help="end with 1 and name the rows that miss their goals")
    return parser


def _add_selection(add: Callable[..., argparse.Action]) -> None:
    threads, names = torch.get_num_threads(), ", ".join(one.name for one in CONTENDERS)
    text = "numbers of threads to measure on (default: as many as torch uses)"
    add("--threads", type=_thread_counts, default=[threads], metavar="N[,N...]", help=text)
    add(
        "--small",
        dest="size",
        action="store_const",
        const="small",
        default="full",
        help="the small shape of every row",
    )
    text = "only rows whose name holds this regular expression"
    add("--rows", type=_cases, default=list(CASES), metavar="PATTERN", help=text)
    text = f"only these of {names}"
    add("--only", type=_contenders, default=list(CONTENDERS), metavar="NAME[,...]", help=text)


def _add_limits(add: Callable[..., argparse.Action]) -> None:
    text = "timed calls of a contender (default: %(default)s)"
    add("--calls", type=int, default=Limits.calls, metavar="N", help=text)
    text = "no call is begun after so many seconds of calls (default: %(default)s)"
    add("--seconds", type=float, default=Limits.seconds, metavar="S", help=text)
    text = "time that Inductor has to compile a row (default: %(default)s)"
    add("--compile-seconds", type=float, default=Limits.compile_seconds, metavar="S", help=text)


def run_board(
    cases: Sequence[Case],
    contenders: list[Contender],
    size: str,
    modes: Sequence[str],
    thread_counts: Sequence[int],
    limits: Limits,
) -> list[RowResult]:
    """Measures and prints, table after table, and returns every row."""
    names = [contender.name for contender in contenders]
    rows: list[RowResult] = []
    for threads, mode in itertools.product(thread_counts, modes):
        print(f"\n{report.title(mode, threads, size)}\n{report.heading(names)}")
        table = []
        for case in cases:
            table.append(measure(case, size, mode, threads, contenders, limits))
            print(report.table_line(table[-1], names), flush=True)
        print("\n".join(report.closing_lines(table, names)))
        rows += table
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the board; returns 1 when bits were wrong or, with --check, when a goal was missed."""
    parser = make_parser()
    asked = parser.parse_args(arguments)
    missing = _NEEDED_BY_CHECK - {contender.name for contender in asked.only}
    if asked.check and (missing or "existing" not in asked.modes):
        parser.error("--check needs torch, ours and memcpy, into an existing output")
    limits = Limits(asked.calls, asked.seconds, asked.compile_seconds)
    print("\n".join(description_lines()))
    rows = run_board(asked.rows, asked.only, asked.size, asked.modes, asked.threads, limits)
    if asked.json:
        report.write_json(asked.json, rows, limits)
    complaints = report.wrong_answers(rows)
    if asked.check:
        missed = report.missed_goals(rows)
        complaints += [f"goal missed: {text}" for text in missed]
        if not missed:
            print("\nevery goal is met")
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
