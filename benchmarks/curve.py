"""The curve of speed over size, and whether it has cliffs.

    python -m benchmarks.curve --max-bytes 64MiB --json curve.json
    python -m benchmarks.curve --elem-sizes 1,4 --shapes square --check

Builds `curve.cpp` with CMake into `build/curve` and runs it: square matrices and batches of eight,
transposed on one thread through the C++ front desk, plan included, next to memcpy of the same
bytes. The extents n are 2^k and 3 * 2^k, with n - 1 and n + 1 (PRF-01), from 16 KiB of elements to
--max-bytes. Cliffs are printed; with --check they end the run with 1:

- the speed at n is less than half of the smaller of the speeds at n - 1 and n + 1;
- the share of memcpy's speed at n is less than half of that at n / 2 or at 2 n.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.machine import describe, description_lines
from benchmarks.paired_command import byte_count

_PROJECT = Path(__file__).resolve().parent.parent
_BUILD = _PROJECT / "build" / "curve"
_LEAST_SHARE = 0.5  # of the neighbours
_KIB = 2**10

BATCHES = {"square": 1, "batched": 8}
ELEM_SIZES = (1, 2, 3, 4, 6, 8, 12, 16)


@dataclass(frozen=True)
class Point:
    """One size: `nbytes` are read and as many are written."""

    shape: str
    elem_size: int
    n: int
    nbytes: int
    ours_seconds: float
    memcpy_seconds: float
    isa: str

    @property
    def gigabytes_per_second(self) -> float:
        """Bytes read plus bytes written, in 10^9 a second."""
        return 2 * self.nbytes / self.ours_seconds / 1e9

    @property
    def share_of_memcpy(self) -> float:
        """Our speed as a share of memcpy's."""
        return self.memcpy_seconds / self.ours_seconds

    @property
    def is_round(self) -> bool:
        """Whether n is 2^k or 3 * 2^k, and not a neighbour of such a number."""
        odd = self.n // (self.n & -self.n)
        return odd in (1, 3)


def build() -> Path:
    """Builds the program, or does nothing where it is up to date, and returns its path.

    Raises:
        RuntimeError: There is no cmake, or the build failed; the message holds its last lines.
    """
    if shutil.which("cmake") is None:
        raise RuntimeError("the curve needs cmake and a C++ compiler: pip install cmake")
    configure = ["cmake", "-S", str(_PROJECT), "-B", str(_BUILD), "-DCMAKE_BUILD_TYPE=Release"]
    _run_step([*configure, "-DHPTP_TESTS=OFF", "-DHPTP_BENCHMARKS=ON"])
    jobs = str(os.cpu_count() or 1)
    _run_step(["cmake", "--build", str(_BUILD), "--target", "hptp_curve", "--parallel", jobs])
    return _BUILD / "benchmarks" / "hptp_curve"


def _run_step(command: Sequence[str]) -> None:
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        last = "\n".join((finished.stdout + finished.stderr).splitlines()[-20:])
        raise RuntimeError(f"{' '.join(command[:2])} failed:\n{last}")


def read_points(shape: str, elem_size: int, text: str) -> list[Point]:
    """Reads what the program has printed, a point a line."""
    points = []
    for line in text.splitlines():
        isa, n, nbytes, ours, memcpy = line.split(",")
        points.append(Point(shape, elem_size, int(n), int(nbytes), float(ours), float(memcpy), isa))
    return points


def cliffs(points: Iterable[Point]) -> list[str]:
    """What breaks the two rules at the top of this file, a line each."""
    at = {(one.shape, one.elem_size, one.n): one for one in points}
    return [text for one in at.values() if one.is_round for text in _cliffs_at(one, at)]


def _cliffs_at(one: Point, at: dict[tuple[str, int, int], Point]) -> list[str]:
    def others(*extents: int) -> list[Point]:
        keys = [(one.shape, one.elem_size, n) for n in extents]
        return [at[key] for key in keys if key in at]

    name = f"{one.shape}, {one.elem_size} bytes, n = {one.n} ({one.nbytes // _KIB} KiB)"
    found = []
    beside = others(one.n - 1, one.n + 1)
    speed = one.gigabytes_per_second
    if beside and speed < _LEAST_SHARE * min(two.gigabytes_per_second for two in beside):
        said = ", ".join(f"{two.gigabytes_per_second:.2f} at {two.n}" for two in beside)
        found.append(f"{name}: {speed:.2f} GB/s, {said}")
    far = others(*([] if one.n % 2 else [one.n // 2]), 2 * one.n)
    for two in far:
        if one.share_of_memcpy < _LEAST_SHARE * two.share_of_memcpy:
            shares = f"{one.share_of_memcpy:.2f} of memcpy, {two.share_of_memcpy:.2f} at {two.n}"
            found.append(f"{name}: {shares}")
    return found


HEADING = f"{'shape':>8} {'bytes':>5} {'n':>6} {'KiB':>9} {'ours':>8} {'memcpy':>8} {'share':>6}"


def table_line(one: Point) -> str:
    """One point: element size, extent, KiB of elements, 10^9 bytes a second, share of memcpy."""
    memcpy = 2 * one.nbytes / one.memcpy_seconds / 1e9
    return (
        f"{one.shape:>8} {one.elem_size:5} {one.n:6} {one.nbytes / _KIB:9.0f} "
        f"{one.gigabytes_per_second:8.2f} {memcpy:8.2f} {one.share_of_memcpy:6.2f}"
    )


def write_json(path: Path, points: Iterable[Point]) -> None:
    """Writes every point, with the machine."""
    rows = [asdict(one) for one in points]
    record = {"benchmark": "curve", "machine": describe(), "rows": rows}
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def make_parser() -> argparse.ArgumentParser:
    """The command line of the curve."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.curve",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    text = "largest size, in bytes of elements (default: 64MiB)"
    add("--max-bytes", type=byte_count, default=byte_count("64MiB"), metavar="BYTES", help=text)
    text = f"some of {','.join(str(size) for size in ELEM_SIZES)} (default: all)"
    add("--elem-sizes", type=_sizes, default=list(ELEM_SIZES), metavar="N[,...]", help=text)
    add(
        "--shapes",
        type=_shapes,
        default=list(BATCHES),
        metavar="NAME[,...]",
        help=", ".join(BATCHES),
    )
    text = "how long both are called at a point (default: %(default)s)"
    add("--seconds", type=float, default=0.1, metavar="S", help=text)
    add("--json", type=Path, metavar="FILE", help="write the machine and all points there")
    add("--check", action="store_true", help="end with 1 if there is a cliff")
    return parser


def _sizes(text: str) -> list[int]:
    sizes = [int(part) for part in text.split(",")]
    if not set(sizes) <= set(ELEM_SIZES):
        raise argparse.ArgumentTypeError(f"the element sizes are {ELEM_SIZES}")
    return sizes


def _shapes(text: str) -> list[str]:
    shapes = text.split(",")
    if not set(shapes) <= set(BATCHES):
        raise argparse.ArgumentTypeError(f"the shapes are {', '.join(BATCHES)}")
    return shapes


def main(arguments: Sequence[str] | None = None) -> int:
    """Builds, runs, prints; returns 1 where, with --check, there is a cliff."""
    asked = make_parser().parse_args(arguments)
    try:
        program = build()
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join([*description_lines(), "", HEADING]), flush=True)
    points: list[Point] = []
    for shape in asked.shapes:
        for size in asked.elem_sizes:
            numbers = [BATCHES[shape], size, asked.max_bytes, asked.seconds]
            command = [str(program), *(str(number) for number in numbers)]
            printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
            fresh = read_points(shape, size, printed)
            print("\n".join(table_line(one) for one in fresh), flush=True)
            points += fresh
    if asked.json:
        write_json(asked.json, points)
    found = cliffs(points)
    print("\n".join(f"cliff: {text}" for text in found) or "no cliffs")
    return 1 if found and asked.check else 0


if __name__ == "__main__":
    sys.exit(main())
