"""The command line that all tables of torch_hptp next to PyTorch share."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks import paired, paired_table
from benchmarks.machine import description_lines
from benchmarks.paired import PairResult, Question
from benchmarks.paired_table import Goals

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def byte_count(text: str) -> int:
    """Reads "8GiB", "64M" or "1000" as a number of bytes."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bytes, as 8GiB is")
    return int(float(found.group(1)) * _UNITS[found.group(2).upper()])


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error as error:
        message = f"{text!r} is no regular expression: {error}"
        raise argparse.ArgumentTypeError(message) from error


def make_parser(benchmark: str, description: str) -> argparse.ArgumentParser:
    """The command line of `python -m benchmarks.<benchmark>`."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{benchmark}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add, threads = parser.add_argument, torch.get_num_threads()
    text = "pass over rows whose input and output together are larger (default: 8GiB)"
    add("--max-bytes", type=byte_count, default=byte_count("8GiB"), metavar="BYTES", help=text)
    text = "only rows whose name holds this regular expression"
    add("--only", type=_pattern, default=_pattern(""), metavar="REGEX", help=text)
    text = "threads that torch is given (default: as many as it uses)"
    add("--threads", type=int, default=threads, metavar="N", help=text)
    text = "how long the two are called on one row (default: %(default)s)"
    add("--seconds", type=float, default=0.5, metavar="S", help=text)
    add("--json", type=Path, metavar="FILE", help="write the machine and all rows there")
    add("--check", action="store_true", help="end with 1 and name the rows that miss their goals")
    return parser


def run(
    benchmark: str,
    description: str,
    questions: Sequence[Question],
    goals: Goals,
    arguments: Sequence[str] | None = None,
) -> int:
    """Measures and prints; returns 1 for wrong bits or, with --check, for a goal that is missed."""
    parser = make_parser(benchmark, description)
    asked = parser.parse_args(arguments)
    chosen = [one for one in questions if asked.only.search(one.name)]
    if not chosen:
        parser.error(f"no row matches {asked.only.pattern!r}")
    if asked.threads < 1:
        parser.error("there is no fewer than 1 thread")
    print("\n".join([*description_lines(), f"threads: {asked.threads}", ""]), flush=True)
    results = _measure_all(chosen, asked.threads, asked.seconds, asked.max_bytes)
    lines = [paired_table.table_line(one) for one in paired_table.worst_first(results)]
    print("\n".join([paired_table.HEADING, *lines, *paired_table.closing_lines(results, goals)]))
    if asked.json:
        paired_table.write_json(asked.json, benchmark, results)
    complaints = paired_table.wrong_answers(results)
    if asked.check:
        missed = paired_table.missed_goals(results, goals)
        complaints += [f"goal missed: {text}" for text in missed]
        print("" if missed else "every goal is met")
    print("\n".join(complaints))
    return 1 if complaints else 0


def _measure_all(
    questions: Sequence[Question], threads: int, seconds: float, most_bytes: int
) -> list[PairResult]:
    results = []
    for position, question in enumerate(questions, 1):
        if sys.stderr.isatty():
            print(f"\r{position}/{len(questions)} {question.name:20}", end="", file=sys.stderr)
        results.append(paired.measure(question, threads, seconds, most_bytes))
    if sys.stderr.isatty():
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
    return results
