"""OpenCV: the call that suits the question best, of those that its users have.

| question | call |
|---|---|
| planes of 2 to 4 channels to pixels, bytes | `cv2.merge`, an image at a time |
| pixels of 2 to 4 channels to planes, bytes | `cv2.split`, an image at a time |
| other matrices, or batches of them | `cv2.transpose`, a matrix at a time |
| anything else | `cv2.transposeND` |

Neighbouring axes that stay neighbours count as one: feature maps to channels last are a matrix of
channels by positions. On a Zen 3, one thread, transposeND does 0.9 GB/s on such a batch and
transpose 4.8; on images of bytes transpose does 3.8, merge 18.6 and split 14.8.
"""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable
from typing import Any

import torch

from benchmarks.contender import Contender, Dims, FreshCall, WriteCall, as_array

_MOST_CHANNELS = 4


def matrix_batch(shape: tuple[int, ...], dims: Dims) -> tuple[int, int, int] | None:
    """(matrices, rows, columns) where the permute turns a batch of matrices; else None.

    Some leading axes stay where they are, and the rest changes places as two groups.
    """
    rank = len(dims)
    first = next((axis for axis in range(rank) if dims[axis] != axis), rank)
    turn = dims[first] if first < rank else rank
    if first == rank or dims[first:] != (*range(turn, rank), *range(first, turn)):
        return None
    return math.prod(shape[:first]), math.prod(shape[first:turn]), math.prod(shape[turn:])


def _each(call: Callable[[Any, Any], object], pairs: list[tuple[Any, Any]]) -> None:
    for src, dst in pairs:
        call(src, dst)


def _whole(cv2: Any, src: Any, dst: Any, dims: Dims) -> WriteCall:
    """All at once; of three axes OpenCV would take the last for channels, of four it does not."""
    if len(dims) == 3:
        src, dst, dims = src[None], dst[None], (0, *(axis + 1 for axis in dims))
    return functools.partial(cv2.transposeND, src, list(dims), dst)


def _opencv(threads: int) -> Any:
    cv2: Any = importlib.import_module("cv2")
    cv2.setNumThreads(threads)
    return cv2


def _writing(cv2: Any, x: torch.Tensor, dims: Dims, out: torch.Tensor) -> WriteCall:
    src, dst = as_array(x), as_array(out)
    batch = matrix_batch(tuple(x.shape), dims)
    if batch is None:
        return _whole(cv2, src, dst, dims)
    count, rows, columns = batch
    src, dst = src.reshape(count, rows, columns), dst.reshape(count, columns, rows)
    if x.itemsize == 1 and 2 <= rows <= _MOST_CHANNELS:
        planes = [[plane[None] for plane in image] for image in src]
        return functools.partial(_each, cv2.merge, list(zip(planes, dst[:, None], strict=True)))
    if x.itemsize == 1 and 2 <= columns <= _MOST_CHANNELS:
        planes = [[plane[None] for plane in image] for image in dst]
        return functools.partial(_each, cv2.split, list(zip(src[:, None], planes, strict=True)))
    return functools.partial(_each, cv2.transpose, list(zip(src, dst, strict=True)))


def _into(x: torch.Tensor, dims: Dims, out: torch.Tensor, threads: int) -> WriteCall:
    return _writing(_opencv(threads), x, dims, out)


def _fresh(x: torch.Tensor, dims: Dims, threads: int) -> FreshCall:
    cv2 = _opencv(threads)

    def call() -> torch.Tensor:
        out = torch.empty([x.shape[axis] for axis in dims], dtype=x.dtype)
        _writing(cv2, x, dims, out)()
        return out

    return call


OPENCV = Contender(
    "opencv",
    _into,
    _fresh,
    description="merge, split, transpose or transposeND, whichever suits the row; "
    "fresh: into a torch.empty",
    distributions=("opencv-python-headless", "opencv-python", "opencv-contrib-python"),
    module="cv2",
)
