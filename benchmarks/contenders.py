"""Who is measured: each contender answers one question in two ways.

The question is `x.permute(dims)`, made contiguous. Into an existing output, a contender returns a
call that writes `out`; as people write it, a call that returns a fresh tensor. A *roof* answers
another question, a plain copy of the same bytes, and says what the machine allows: a further roof
(a streamed copy, say) is one more line in `CONTENDERS`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
import torch._dynamo
import torch._inductor.config

import torch_hptp
from torch_hptp._timing import copy_bytes

Dims = tuple[int, ...]
WriteCall = Callable[[], object]
FreshCall = Callable[[], torch.Tensor]


@dataclass(frozen=True)
class Contender:
    """Makes the calls to be timed; making one may take long, as compiling does."""

    name: str
    into_existing: Callable[[torch.Tensor, Dims, torch.Tensor, int], WriteCall]
    as_written: Callable[[torch.Tensor, Dims, int], FreshCall]
    is_roof: bool = False


def _torch_into(x: torch.Tensor, dims: Dims, out: torch.Tensor, _threads: int) -> WriteCall:
    return lambda: out.copy_(x.permute(dims))


def _torch_fresh(x: torch.Tensor, dims: Dims, _threads: int) -> FreshCall:
    return lambda: x.permute(dims).contiguous()


def _compiled(function: Callable[..., torch.Tensor], *inputs: torch.Tensor) -> FreshCall:
    """Compiles for these inputs alone, and runs once, as only a first call compiles."""
    torch._dynamo.reset()  # without it, the recompile limit of an earlier row would count here
    with torch._inductor.config.patch(compile_threads=1):  # no compiler outlives a time limit
        compiled = torch.compile(function, backend="inductor", fullgraph=True, dynamic=False)
        compiled(*inputs)
    return functools.partial(compiled, *inputs)


def _inductor_into(x: torch.Tensor, dims: Dims, out: torch.Tensor, _threads: int) -> WriteCall:
    return _compiled(lambda src, dst: dst.copy_(src.permute(dims)), x, out)


def _inductor_fresh(x: torch.Tensor, dims: Dims, _threads: int) -> FreshCall:
    return _compiled(lambda src: src.permute(dims).contiguous(), x)


def _as_array(tensor: torch.Tensor) -> np.ndarray:
    """The same memory for NumPy, which has no bfloat16: two bytes are two bytes."""
    return (tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor).numpy()


def _numpy_into(x: torch.Tensor, dims: Dims, out: torch.Tensor, _threads: int) -> WriteCall:
    src, dst = _as_array(x).transpose(dims), _as_array(out)
    return lambda: np.copyto(dst, src)


def _numpy_fresh(x: torch.Tensor, dims: Dims, _threads: int) -> FreshCall:
    src = _as_array(x).transpose(dims)
    return lambda: torch.from_numpy(np.ascontiguousarray(src))


def _ours_into(x: torch.Tensor, dims: Dims, out: torch.Tensor, _threads: int) -> WriteCall:
    return lambda: torch_hptp.permute(x, dims, out=out)


def _ours_fresh(x: torch.Tensor, dims: Dims, _threads: int) -> FreshCall:
    return lambda: torch_hptp.permute(x, dims)


def _memcpy_into(x: torch.Tensor, _dims: Dims, out: torch.Tensor, threads: int) -> WriteCall:
    return lambda: copy_bytes(x, out, threads)


def _memcpy_fresh(x: torch.Tensor, _dims: Dims, threads: int) -> FreshCall:
    def call() -> torch.Tensor:
        out = torch.empty_like(x)
        copy_bytes(x, out, threads)
        return out

    return call


CONTENDERS: tuple[Contender, ...] = (
    Contender("torch", _torch_into, _torch_fresh),
    Contender("inductor", _inductor_into, _inductor_fresh),
    Contender("numpy", _numpy_into, _numpy_fresh),
    Contender("ours", _ours_into, _ours_fresh),
    Contender("memcpy", _memcpy_into, _memcpy_fresh, is_roof=True),
)
