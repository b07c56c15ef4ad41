"""Views that are not dense, next to PyTorch: slices, steps, narrowed heads, outputs with steps.

    python -m benchmarks.strided --threads 1 --json strided.json
    python -m benchmarks.strided --only "strd-1[0-5]" --check

`torch_hptp.contiguous(view, out=out)`, or `torch_hptp.permute(view, dims, out=out)` where
dimensions move, against `out.copy_(view.permute(dims))`. The worst row is printed first. With
--check, each row has to be at least 0.95 times as fast, and 3 times in the geometric mean.

strd-06, a reversed axis, is missing, as torch has no such view. strd-12 is also PRF-13, and strd-14
also PRF-06.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import torch

from benchmarks import paired_command
from benchmarks.paired import Extents, Question
from benchmarks.paired_table import Goals

_ALL = slice(None)
_SECOND = slice(None, None, 2)
_CROP = (slice(1, 1000), slice(1, 1000))


def _kept(name: str, title: str, shape: Extents, dtype: torch.dtype, *index: slice) -> Question:
    """A view to be made contiguous."""
    return Question(name, title, shape, tuple(range(len(shape))), dtype, index)


def _image(number: int, title: str, channels: Extents, *index: slice) -> Question:
    shape = (1920, 1080, *channels)
    return _kept(f"strd-{number:02}", title, shape, torch.uint8, *_CROP, *index)


def _stepped(extent: int) -> list[Question]:
    """Transposes with every second row or column left out, on one side or the other."""
    n, double, swap = extent, torch.float64, (1, 0)
    rows, columns = (_SECOND, _ALL), (_ALL, _SECOND)
    return [
        Question(f"strd-07-{n}", "every second row", (2 * n, n), swap, double, rows),
        Question(f"strd-08-{n}", "every second column", (n, 2 * n), swap, double, columns),
        Question(f"strd-09-{n}", "into every second column", (n, n), swap, double, out_step=2),
    ]


def _thinned(rows: int, columns: int) -> list[Question]:
    """Every second row or column in place."""
    size, shape, double = f"{rows}x{columns}", (rows, columns), torch.float64
    return [
        _kept(f"strd-10-rows-{size}", "every second row", shape, double, _SECOND, _ALL),
        _kept(f"strd-10-columns-{size}", "every second column", shape, double, _ALL, _SECOND),
    ]


_EIGHT = slice(0, 8)
_GATE = slice(None, 8192)

QUESTIONS: tuple[Question, ...] = (
    _image(1, "crop of an image", (3,)),
    _image(2, "crop and two of three channels", (3,), slice(0, 2)),
    _image(3, "crop of pixels of 3x3", (3, 3), slice(0, 2), slice(1, 3)),
    _image(4, "crop and three of five channels", (5,), slice(1, 4)),
    _image(5, "crop and four of twenty channels", (20,), slice(3, 7)),
    *_stepped(1024),
    *_stepped(8192),
    *_thinned(64, 64),
    *_thinned(512, 512),
    *_thinned(4096, 8192),
    _kept("strd-11", "every second of six axes", (12,) * 6, torch.float32, *[_ALL] * 5, _SECOND),
    _kept(
        "strd-12",
        "spectrogram without its last frame",
        (1, 201, 3001),
        torch.float32,
        *[_ALL] * 2,
        slice(None, -1),
    ),
    Question(
        "strd-13",
        "30 of 113 channels, moved last",
        (1, 113, 542080),
        (0, 2, 1),
        torch.float32,
        (_ALL, slice(10, 40), _ALL),
    ),
    Question(
        "strd-14",
        "gate half of fused expert weights",
        (16, 5120, 16384),
        (0, 2, 1),
        torch.float8_e4m3fn,
        (_ALL, _ALL, _GATE),
    ),
    Question(
        "strd-15",
        "8 of 32 heads, moved ahead of the sequence",
        (8, 2048, 32, 128),
        (0, 2, 1, 3),
        torch.bfloat16,
        (_ALL, _ALL, _EIGHT),
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the views; see `paired_command.run`."""
    return paired_command.run(
        "strided", __doc__ or "", QUESTIONS, Goals(each=0.95, mean=3.0), arguments
    )


if __name__ == "__main__":
    sys.exit(main())
