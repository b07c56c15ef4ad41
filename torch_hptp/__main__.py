"""The command line: `python -m torch_hptp demo | info | explain | bench`."""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import torch

import torch_hptp
from torch_hptp._demo import DemoError, run_demo
from torch_hptp._entry import find_entry, module_name, serve_nothing
from torch_hptp._library import library_path
from torch_hptp._timing import compare, table_lines

_BENCH_SECONDS = 0.5
_BENCH_ROWS = (
    ("4096x4096 (1,0) float32", (4096, 4096), (1, 0), torch.float32),
    ("16x1024x1024 (0,2,1) float32", (16, 1024, 1024), (0, 2, 1), torch.float32),
    ("8x256x56x56 (0,2,3,1) float32", (8, 256, 56, 56), (0, 2, 3, 1), torch.float32),
    ("8x56x56x256 (0,3,1,2) float32", (8, 56, 56, 256), (0, 3, 1, 2), torch.float32),
    ("64x3x224x224 (0,2,3,1) uint8", (64, 3, 224, 224), (0, 2, 3, 1), torch.uint8),
    ("64x224x224x3 (0,3,1,2) uint8", (64, 224, 224, 3), (0, 3, 1, 2), torch.uint8),
    ("4x2048x32x128 (0,2,1,3) bfloat16", (4, 2048, 32, 128), (0, 2, 1, 3), torch.bfloat16),
)


def _whole_numbers(text: str) -> tuple[int, ...]:
    parts = re.split(r"[x,\s]+", text.strip().strip("()[]").strip(" ,"))
    try:
        return tuple(int(part) for part in parts if part)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no list of whole numbers such as 64x3x224 or 0,2,1"
        ) from None


def _thread_count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of threads, which is 1 or more")
    return int(text)


def _dtype(text: str) -> torch.dtype:
    found = getattr(torch, text.removeprefix("torch."), None)
    if not isinstance(found, torch.dtype):
        raise argparse.ArgumentTypeError(f"torch has no dtype {text!r}; one is float32")
    return found


def make_parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    parser = argparse.ArgumentParser(prog="python -m torch_hptp", description=torch_hptp.__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    demo = commands.add_parser("demo", help="permute a photo and attention heads, and check both")
    demo.add_argument("--image", type=Path, metavar="PATH", help="a photo (default: matplotlib's)")
    text = "where the PNG goes (default: %(default)s)"
    demo.add_argument("--output", type=Path, default="demo_out.png", metavar="PATH", help=text)

    commands.add_parser("info", help="versions, instruction set and threads in use")

    explain = commands.add_parser("explain", help="how a permute would be carried out, in words")
    explain.add_argument("shape", type=_whole_numbers, help="such as 64x3x224x224")
    explain.add_argument("dims", type=_whole_numbers, help="such as 0,2,3,1, or `-- -1,0,1`")
    explain.add_argument("--dtype", type=_dtype, default=torch.float32, help="default: float32")

    bench = commands.add_parser("bench", help="the speed of a few permutes next to torch's")
    for command in (demo, explain, bench):
        text = "threads to use (default: as many as torch uses)"
        command.add_argument("--threads", type=_thread_count, metavar="N", help=text)
    return parser


def _way_of_small_tensors() -> str:
    missing = find_entry() is serve_nothing
    return f"through torch.ops, without {module_name()}" if missing else "the short way"


def version_lines() -> list[str]:
    """What a report of a problem should hold, a line each."""
    forced = os.environ.get("HPTP_ISA")
    return [
        f"torch_hptp: {torch_hptp.__version__}",
        f"library: {library_path()}",
        f"built for torch: {library_path().stem.removeprefix('_ops.torch')}",
        f"small tensors: {_way_of_small_tensors()}",
        f"torch: {torch.__version__}",
        f"python: {platform.python_version()} on {platform.platform()}",
        f"kernels: {cast(str, torch.ops.hptp.isa_name())}"
        + (f" (HPTP_ISA={forced})" if forced else ""),
        f"threads: {torch_hptp.auto_threads(2**40)} for a large tensor",
    ]


def _explain(shape: tuple[int, ...], dims: tuple[int, ...], dtype: torch.dtype) -> int:
    try:
        plan = torch_hptp.explain(torch.empty(shape, dtype=dtype, device="meta"), dims)
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        print(f"No such permute: {str(error).splitlines()[0]}", file=sys.stderr)
        return 1
    print(plan.rstrip())
    return 0


def _bench() -> int:
    print(
        f"{torch.get_num_threads()} thread(s), into an existing output, the best of several turns\n"
    )
    comparisons = [
        compare(name, torch.randint(1, 100, shape, dtype=dtype), dims, _BENCH_SECONDS)
        for name, shape, dims, dtype in _BENCH_ROWS
    ]
    print("\n".join(table_lines(comparisons)))
    return 0 if all(one.has_equal_bits for one in comparisons) else 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        arguments: The words of the command line after `python -m torch_hptp`.

    Returns:
        0, or 1 when the command could not end well; what is wrong is printed.
    """
    asked = make_parser().parse_args(arguments)
    if getattr(asked, "threads", None):
        torch.set_num_threads(asked.threads)
    if asked.command == "explain":
        return _explain(asked.shape, asked.dims, asked.dtype)
    if asked.command == "bench":
        return _bench()
    if asked.command == "info":
        print("\n".join(version_lines()))
        return 0
    try:
        return 0 if run_demo(asked.image, asked.output) else 1
    except DemoError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
