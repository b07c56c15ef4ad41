"""Reported worries about speed that need more than a shape, next to PyTorch.

    python -m benchmarks.concerns --threads 1

- PRF-12: a permute written into an output that lies transposed in memory reads rows and writes
  columns, the other way round than a transpose into a dense output.
- PRF-16: stores past the caches would hurt a result that is used at once: both sides sum up the
  output after every copy, at sizes in the second cache, in the last one and in no cache.

With --check, each row has to be at least 0.95 times as fast as PyTorch.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import torch

from benchmarks import paired_command
from benchmarks.paired import Question
from benchmarks.paired_table import Goals


def _summed(name: str, extent: int) -> Question:
    """A square transpose of 4-byte elements whose result is read at once."""
    return Question(
        f"prf-16-{name}",
        "transpose, then sum",
        (extent, extent),
        (1, 0),
        torch.float32,
        then=torch.Tensor.sum,
    )


_SQUARE = (4096, 4096)

QUESTIONS: tuple[Question, ...] = (
    Question(
        "prf-12-out", "into a transposed out", _SQUARE, (0, 1), torch.float32, out_order=(1, 0)
    ),
    Question("prf-12-dense", "into a dense out", _SQUARE, (1, 0), torch.float32),
    _summed("256K", 256),
    _summed("4M", 1024),
    _summed("256M", 8192),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the rows; see `paired_command.run`."""
    return paired_command.run(
        "concerns", __doc__ or "", QUESTIONS, Goals(each=0.95, mean=0.95), arguments
    )


if __name__ == "__main__":
    sys.exit(main())
