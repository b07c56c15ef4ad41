"""330 shapes that others have reported, benchmarked or complained about, next to PyTorch.

    python -m benchmarks.workloads --threads 1 --json workloads.json
    python -m benchmarks.workloads --max-bytes 128MiB --only "ttc|vis" --check

Every shape of `workloads.csv`, whose last column names where it comes from: `torch_hptp.permute(x,
dims, out=out)` against `out.copy_(x.permute(dims))`. The worst row is printed first. With --check,
each row has to be at least 0.95 times as fast, and 3 times in the geometric mean.

Among them are rows of reported slowness: strides of a power of two (PRF-01: rten-512, rten-1023,
np-4096, np-sq*), one-byte elements (PRF-06: moe-*, pt-11), images (PRF-07: vis-*, seed-06, seed-07,
arr-01), very wide or tall matrices (PRF-09: whi-*, pt-06, gnn-02, tf-l09), many tiny ones (PRF-10:
pt-12, pt-14) and both directions between two layouts (PRF-12: pt-01, pt-02).
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks import paired_command
from benchmarks.paired import Question
from benchmarks.paired_table import Goals

_FILE = Path(__file__).with_suffix(".csv")


def read_workloads(path: Path = _FILE) -> list[Question]:
    """The rows of a file with the columns id, name, shape, perm, dtype and source."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [_question(row) for row in csv.DictReader(lines)]


def _question(row: dict[str, str]) -> Question:
    shape, dims = (tuple(int(part) for part in row[name].split()) for name in ("shape", "perm"))
    dtype = getattr(torch, row["dtype"])
    assert isinstance(dtype, torch.dtype), row["dtype"]
    return Question(row["id"], row["name"], shape, dims, dtype)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the shapes; see `paired_command.run`."""
    return paired_command.run(
        "workloads", __doc__ or "", read_workloads(), Goals(each=0.95, mean=3.0), arguments
    )


if __name__ == "__main__":
    sys.exit(main())
