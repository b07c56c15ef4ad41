"""What the ops do under torch's transforms, where only Python can register it: torch.vmap.

``permute.out`` has no rule, as torch's own ``out=`` overloads have none: vmap refuses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor


def _batched_dims(dims: Sequence[int], rank: int) -> list[int]:
    """`dims` of a tensor of `rank` dimensions, for a batch of such in front of them.

    Count and range are checked here, so that errors speak of the dimensions which the function
    under vmap sees.
    """
    if len(dims) != rank:
        raise RuntimeError(
            "permute(): number of dimensions in the tensor input does not match the length of the "
            f"desired ordering of dimensions i.e. input.dim() = {rank} is not equal to "
            f"len(dims) = {len(dims)}"
        )
    for dim in dims:
        if not -rank <= dim < rank:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], "
                f"but got {dim})"
            )
    return [0, *(dim % rank + 1 for dim in dims)]


def _permute_batch(
    _vmap: Any, in_dims: tuple[int, None], x: Tensor, dims: Sequence[int]
) -> tuple[Tensor, int]:
    """Permutes a batch along dimension `in_dims[0]` of `x` in one call. It comes out in front."""
    batched = _batched_dims(dims, x.dim() - 1)
    return torch.ops.hptp.permute.default(x.movedim(in_dims[0], 0), batched), 0


def register_transforms() -> None:
    """Registers the batching rule. Called once, when the package is imported."""
    torch.library.register_vmap("hptp::permute", _permute_batch)
