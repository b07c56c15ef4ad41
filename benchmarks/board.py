"""The board: torch_hptp next to what else can permute, and to plain copies of the same bytes.

    python -m benchmarks.board --small --threads 1,2
    python -m benchmarks.board --rows "8-D" --only torch,ours,memcpy --existing --json board.json
    python -m benchmarks.board --rows "heads" --merge-into board.json
    python -m benchmarks.board --judge board.json
    python -m benchmarks.board --scaling

Rows are written in `cases.py`, contenders in `contenders.py`, how they are timed and compared in
`measure.py`, and what is asked of torch_hptp in `goals.py`.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from benchmarks import board_table, goals, scaling
from benchmarks.cases import CASES, Case
from benchmarks.contender import Contender
from benchmarks.contenders import CONTENDERS
from benchmarks.machine import last_cache_bytes
from benchmarks.measure import MODES, Limits, measure
from benchmarks.record import (
    MergeError,
    Record,
    merged,
    new_record,
    read_record,
    require_contenders,
    require_same_machine,
    stamped,
    write_record,
)
from benchmarks.timings import RowKey, RowResult

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
    asked = [by_name[name] for name in by_name if name in text.split(",")]
    missing = [one.name for one in asked if not one.is_installed()]
    if missing:
        raise argparse.ArgumentTypeError(f"{missing[0]} is not installed: see benchmarks/README.md")
    return asked


def _record(text: str) -> Record:
    try:
        return read_record(Path(text))
    except (OSError, ValueError, KeyError, MergeError) as error:
        raise argparse.ArgumentTypeError(f"{text} holds no record: {error}") from error


def _installed() -> list[Contender]:
    return [one for one in CONTENDERS if one.is_installed()]


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
    where = parser.add_mutually_exclusive_group()
    text = "write the machine and all timings there"
    where.add_argument("--json", type=Path, metavar="FILE", help=text)
    text = "put the rows into the record there: in the place of those that it has, marked as rerun"
    where.add_argument("--merge-into", type=Path, metavar="FILE", help=text)
    text = "print the tables of a record and hold it to the goals; measure nothing"
    where.add_argument("--judge", type=_record, metavar="FILE", help=text)
    add("--check", action="store_true", help="end with 1 and name the rows that miss their goals")
    text = "ours and memcpy on 1, 2, as many threads as cores and twice as many, instead of tables"
    add("--scaling", action="store_true", help=text)
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
    add("--only", type=_contenders, default=_installed(), metavar="NAME[,...]", help=text)


def _add_limits(add: Callable[..., argparse.Action]) -> None:
    text = "timed calls of a contender (default: %(default)s)"
    add("--calls", type=int, default=Limits.calls, metavar="N", help=text)
    text = "no call is begun after so many seconds of calls (default: %(default)s)"
    add("--seconds", type=float, default=Limits.seconds, metavar="S", help=text)
    text = (
        "time that a contender has to get ready for a row, as by compiling (default: %(default)s)"
    )
    add("--compile-seconds", type=float, default=Limits.compile_seconds, metavar="S", help=text)


def head_lines(record: Record) -> list[str]:
    """What stands above the tables: the machine, who is asked how, and who is not there."""
    lines = [f"{name}: {text}" for name, text in record.machine.items()]
    for one in CONTENDERS:
        if one.name in record.versions:
            version = record.versions[one.name]
            lines.append(f"{f'{one.name} {version}'.rstrip()}: {one.description}")
    if record.not_installed:
        lines.append(f"not installed: {', '.join(record.not_installed)}")
    return lines


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
        print(f"\n{board_table.title(mode, threads, size)}\n{board_table.heading(names)}")
        table = []
        for case in cases:
            table.append(measure(case, size, mode, threads, contenders, limits))
            print(board_table.table_line(table[-1], names), flush=True)
        print("\n".join(board_table.closing_lines(table, names)))
        rows += table
    return rows


def run_scaling(cases: Sequence[Case], size: str, limits: Limits) -> list[RowResult]:
    """Measures and prints the table of thread counts, and returns a row for each count."""
    counts = scaling.thread_counts()
    print(f"\nInto an existing output, {size} rows: 10^9 bytes read plus written a second")
    print(scaling.heading(counts))
    rows: list[RowResult] = []
    for case in cases:
        measured = scaling.measure_scaling(case, size, counts, limits)
        print(scaling.table_line(measured), flush=True)
        rows += measured
    return rows


def _planned(asked: argparse.Namespace) -> tuple[list[RowKey], Sequence[str]]:
    """The rows that are going to be measured, and by whom."""
    modes, threads, names = asked.modes, asked.threads, [one.name for one in asked.only]
    if asked.scaling:
        modes, threads, names = ["existing"], scaling.thread_counts(), list(scaling.NAMES)
    several = itertools.product(asked.rows, modes, threads)
    return [(case.name, asked.size, mode, count) for case, mode, count in several], names


def _measured(asked: argparse.Namespace) -> Record:
    """Measures what was asked for, and writes it where that was asked for."""
    limits = Limits(asked.calls, asked.seconds, asked.compile_seconds)
    record = new_record(limits)
    print("\n".join(head_lines(record)))
    before = None
    if asked.merge_into and asked.merge_into.exists():
        before = read_record(asked.merge_into)
        require_same_machine(before, record)
        require_contenders(before.scaling if asked.scaling else before.rows, *_planned(asked))
    if asked.scaling:
        record.scaling = stamped(run_scaling(asked.rows, asked.size, limits), record.machine)
    else:
        rows = run_board(asked.rows, asked.only, asked.size, asked.modes, asked.threads, limits)
        record.rows = stamped(rows, record.machine)
    if before:
        record.rows = merged(before.rows, record.rows)
        record.scaling = merged(before.scaling, record.scaling)
        record.machine = before.machine
    path = asked.json or asked.merge_into
    if path:
        write_record(path, record)
    return record


def _print_tables(record: Record) -> None:
    print("\n".join(head_lines(record)))
    for table in board_table.tables(record.rows):
        names = [one.name for one in CONTENDERS if any(one.name in row.timings for row in table)]
        print(f"\n{board_table.table_text(table, names)}")
    groups = scaling.by_case(record.scaling)
    for group in groups:
        if group is groups[0]:
            print(f"\n{scaling.heading([row.threads for row in group])}")
        print(scaling.table_line(group))


def _missed(record: Record) -> list[str]:
    """The goals that the record misses; it prints those that it cannot decide."""
    judgement = goals.judge(record.rows, last_cache_bytes(record.machine.get("caches", "")))
    if record.rows:
        print("\n".join(["", *(f"undecided: {text}" for text in judgement.undecided)]))
    missed = judgement.missed + scaling.missed_goals(record.scaling)
    if not missed:
        print("\nevery goal that was measured is met")
    return [f"goal missed: {text}" for text in missed]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the board; returns 1 when bits were wrong or a goal that was asked about was missed."""
    parser = make_parser()
    asked = parser.parse_args(arguments)
    missing = _NEEDED_BY_CHECK - {contender.name for contender in asked.only}
    if asked.check and not asked.scaling and (missing or "existing" not in asked.modes):
        parser.error("--check needs torch, ours and memcpy, into an existing output")
    if asked.judge:
        record = asked.judge
        _print_tables(record)
    else:
        try:
            record = _measured(asked)
        except MergeError as error:
            parser.error(f"the rows do not belong into {asked.merge_into}: {error}")
    complaints = board_table.wrong_answers(record.rows)
    if asked.check or asked.judge:
        complaints += _missed(record)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
