"""The rows of the board: the only place in the benchmarks where shapes are written.

A case is a question that users ask: this shape, permuted like this, of this dtype. Its reason says
what would go unnoticed without it. `small_shape` asks the same question in a size that suits a
laptop: 2-D extents a quarter of the full ones, the two outermost extents of the 8-D rows 3 and 8,
other batches a quarter, images as they are.

`least_speedup` is how many times as fast as `out.copy_(x.permute(dims))` torch_hptp has to be on
one thread. The numbers are the speed-ups which the library that this project set out from has
published for the same rows: below one of them, its users would lose by changing over. A row that
asks for less than 1.0 still has to be as fast as PyTorch, which is a goal of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

Extents = tuple[int, ...]

_LINE_BYTES = 64


@dataclass(frozen=True)
class Case:
    """One row: permute a contiguous tensor of `shape` and `dtype` by `dims`."""

    name: str
    shape: Extents
    small_shape: Extents
    dims: tuple[int, ...]
    dtype: torch.dtype
    least_speedup: float
    reason: str

    def extents(self, size: str) -> Extents:
        """The shape in the size "full" or "small"."""
        return {"full": self.shape, "small": self.small_shape}[size]

    def nbytes(self, size: str) -> int:
        """Bytes of the input, which are also the bytes of the output."""
        return math.prod(self.extents(size)) * self.dtype.itemsize

    @property
    def is_image(self) -> bool:
        """Whether planes of three channels of bytes become pixels, or the other way around."""
        return self.dtype == torch.uint8 and 3 in (self.shape[1], self.shape[-1])

    @property
    def keeps_rows(self) -> bool:
        """Whether a line of the cache or more stays together: trailing axes that stay in place.

        An innermost extent of three elements that stays is no row to copy.
        """
        rank = len(self.dims)
        moved = next(axis for axis in reversed(range(rank)) if self.dims[axis] != axis)
        return math.prod(self.shape[moved + 1 :]) * self.dtype.itemsize >= _LINE_BYTES


_EIGHT = (12, 32, 8, 16, 24, 16, 20, 3)
_EIGHT_SMALL = (3, 8, 8, 16, 24, 16, 20, 3)
_FRONT_SWAPPED = (3, 4, 0, 1, 2, 5, 6, 7)
_ENDS_SWAPPED = (6, 7, 3, 4, 5, 0, 1, 2)
_ROTATED = (4, 5, 6, 7, 1, 2, 3, 0)
_BACK_REVERSED = (6, 5, 4, 3, 2, 1, 0, 7)

_FRONT_REASON = "the innermost 960 elements stay together: a copy of short rows in another order"
_ENDS_REASON = "both ends change places and three small extents are innermost on each side"
_ROTATED_REASON = "the outermost extent of 12 becomes innermost: destination lines from far apart"
_REVERSED_REASON = "all but the innermost extent of 3 reversed: groups of three move, never a line"


def _eight(letter: str, dims: tuple[int, ...], dtype: torch.dtype, least: float, why: str) -> Case:
    kind = {torch.uint16: "u16", torch.float32: "f32"}[dtype]
    return Case(f"8-D {letter} {kind}", _EIGHT, _EIGHT_SMALL, dims, dtype, least, why)


CASES: tuple[Case, ...] = (
    Case(
        "2-D f32",
        (16384, 16384),
        (4096, 4096),
        (1, 0),
        torch.float32,
        1.5,
        "the plain matrix transpose; its stride, a power of two, collides in the cache sets",
    ),
    Case(
        "2-D u8",
        (32768, 32768),
        (8192, 8192),
        (1, 0),
        torch.uint8,
        1.6,
        "the smallest element: the most shuffling for a byte",
    ),
    Case(
        "batched f32",
        (64, 1024, 2048),
        (16, 1024, 2048),
        (0, 2, 1),
        torch.float32,
        5.8,
        "a batch of transposes, which torch's 2-D path does not take",
    ),
    Case(
        "NCHW>NHWC f32",
        (64, 256, 56, 56),
        (16, 256, 56, 56),
        (0, 2, 3, 1),
        torch.float32,
        1.0,
        "feature maps to channels last; 3136 positions are no power of two",
    ),
    Case(
        "NHWC>NCHW f32",
        (64, 56, 56, 256),
        (16, 56, 56, 256),
        (0, 3, 1, 2),
        torch.float32,
        2.5,
        "feature maps back from channels last: long destination rows out of 1 KiB source rows",
    ),
    Case(
        "CHW>HWC u8",
        (64, 3, 224, 224),
        (64, 3, 224, 224),
        (0, 2, 3, 1),
        torch.uint8,
        4.7,
        "images to be shown or written: three planes are interleaved",
    ),
    Case(
        "HWC>CHW u8",
        (64, 224, 224, 3),
        (64, 224, 224, 3),
        (0, 3, 1, 2),
        torch.uint8,
        2.0,
        "images as decoders give them, made ready for a network: three planes are taken apart",
    ),
    Case(
        "heads bf16",
        (32, 2048, 32, 128),
        (8, 2048, 32, 128),
        (0, 2, 1, 3),
        torch.bfloat16,
        0.85,
        "attention heads change places with the sequence: rows of 256 bytes move whole",
    ),
    _eight("a", _FRONT_SWAPPED, torch.uint16, 1.7, _FRONT_REASON),
    _eight("b", _ENDS_SWAPPED, torch.uint16, 12.0, _ENDS_REASON),
    _eight("c", _ROTATED, torch.uint16, 5.0, _ROTATED_REASON),
    _eight("d", _BACK_REVERSED, torch.uint16, 11.0, _REVERSED_REASON),
    _eight("a", _FRONT_SWAPPED, torch.float32, 1.2, _FRONT_REASON),
    _eight("b", _ENDS_SWAPPED, torch.float32, 6.1, _ENDS_REASON),
    _eight("c", _ROTATED, torch.float32, 3.8, _ROTATED_REASON),
    _eight("d", _BACK_REVERSED, torch.float32, 8.1, _REVERSED_REASON),
)
