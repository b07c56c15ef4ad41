"""Small tensors: the time of one call next to PyTorch's, interleaved.

    python -m benchmarks.small
    python -m benchmarks.small --rounds 200 --calls 500

Columns: `x.permute(dims).contiguous()`, `torch_hptp.permute(x, dims)`, the same through
`torch.ops.hptp.permute`; then `out.copy_(x.permute(dims))` and `torch_hptp.permute` with `out=`.
Each is the best of the rounds, in nanoseconds a call, the call of a lambda included. Every answer
is compared with PyTorch's bit for bit.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

import torch_hptp
from benchmarks.machine import description_lines
from benchmarks.measure import filled, same_bits, torch_threads

Call = Callable[[], torch.Tensor]

ROWS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((2, 3), (1, 0)),
    ((8, 8), (1, 0)),
    ((32, 32), (1, 0)),
    ((3, 32, 32), (1, 2, 0)),
)
NAMES = ("torch", "ours", "op", "torch out", "ours out")


@dataclass(frozen=True)
class SmallRow:
    """One shape: the best nanoseconds of a call by name, and whose answer was wrong."""

    name: str
    nanoseconds: dict[str, float]
    wrong: list[str]


def _calls(x: torch.Tensor, dims: tuple[int, ...], out: torch.Tensor) -> dict[str, Call]:
    op = torch.ops.hptp.permute
    calls: tuple[Call, ...] = (
        lambda: x.permute(dims).contiguous(),
        lambda: torch_hptp.permute(x, dims),
        lambda: op(x, dims),
        lambda: out.copy_(x.permute(dims)),
        lambda: torch_hptp.permute(x, dims, out=out),
    )
    return dict(zip(NAMES, calls, strict=True))


def _nanoseconds(call: Call, calls: int) -> float:
    begin = time.perf_counter_ns()
    for _ in range(calls):
        call()
    return (time.perf_counter_ns() - begin) / calls


def measure_small(
    shape: tuple[int, ...], dims: tuple[int, ...], rounds: int, calls: int
) -> SmallRow:
    """Times `calls` calls of each in turn, `rounds` times over."""
    x = filled(shape, torch.float32)
    expected = x.permute(dims).contiguous()
    by_name = _calls(x, dims, torch.empty_like(expected))
    wrong = [name for name, call in by_name.items() if not same_bits(call(), expected)]
    best = dict.fromkeys(NAMES, float("inf"))
    for _ in range(rounds):
        for name, call in by_name.items():
            best[name] = min(best[name], _nanoseconds(call, calls))
    order = ",".join(map(str, dims))
    return SmallRow(f"{'x'.join(map(str, shape))} ({order})", best, wrong)


def table_line(row: SmallRow) -> str:
    """Times, and how many times as fast as PyTorch's call ours is, fresh and with `out=`."""
    best = row.nanoseconds
    cells = "".join(f"{best[name]:11.0f}" for name in NAMES)
    ratios = f"{best['torch'] / best['ours']:12.2f}{best['torch out'] / best['ours out']:12.2f}"
    return f"{row.name:18}{cells}{ratios}" + (f"  WRONG: {row.wrong}" if row.wrong else "")


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.small",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for option, count, text in (
        ("--rounds", 30, "how often each is measured (default: %(default)s)"),
        ("--calls", 1000, "calls that are timed as one (default: %(default)s)"),
        ("--threads", 1, "threads torch may use (default: %(default)s)"),
    ):
        parser.add_argument(option, type=int, default=count, metavar="N", help=text)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; returns 1 when an answer was wrong."""
    asked = make_parser().parse_args(arguments)
    print("\n".join(description_lines()))
    heading = "".join(f"{name:>11}" for name in NAMES)
    print(f"\nfloat32, {asked.threads} thread(s): nanoseconds a call (best round)")
    print(f"{'row':18}{heading}{'ours/torch':>12}{'with out':>12}")
    with torch_threads(asked.threads):
        rows = []
        for shape, dims in ROWS:
            rows.append(measure_small(shape, dims, asked.rounds, asked.calls))
            print(table_line(rows[-1]), flush=True)
    return 1 if any(row.wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
