"""Who is measured, in the order of the columns; what a contender is stands in `contender.py`.

torch, Inductor and NumPy are there with torch itself. ONNX Runtime, OpenCV and JAX are asked where
they are installed: `pip install --no-build-isolation '.[benchmarks]'` brings them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import torch
import torch._dynamo
import torch._inductor.config

import torch_hptp
from benchmarks.contender import CannotError, Contender, Dims, FreshCall, WriteCall, as_array
from benchmarks.contender_jax import JAX
from benchmarks.contender_onnxruntime import ONNXRUNTIME
from benchmarks.contender_opencv import OPENCV
from torch_hptp._timing import copy_bytes


def _torch_into(x: torch.Tensor, dims: Dims, out: torch.Tensor, _threads: int) -> WriteCall:
    return lambda: out.copy_(x.permute(dims))


def _torch_fresh(x: torch.Tensor, dims: Dims, _threads: int) -> FreshCall:
    return lambda: x.permute(dims).contiguous()


def _compiled(
    function: Callable[..., torch.Tensor], *inputs: torch.Tensor
) -> Callable[[], torch.Tensor]:
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


def _numpy_into(x: torch.Tensor, dims: Dims, out: torch.Tensor, _threads: int) -> WriteCall:
    src, dst = as_array(x).transpose(dims), as_array(out)
    return lambda: np.copyto(dst, src)


def _numpy_fresh(x: torch.Tensor, dims: Dims, _threads: int) -> FreshCall:
    src = as_array(x).transpose(dims)
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


def _flat(x: torch.Tensor) -> torch.Tensor:
    return x.view(-1).view(torch.uint8)


def _streamed_into(x: torch.Tensor, _dims: Dims, out: torch.Tensor, _threads: int) -> WriteCall:
    src, dst = _flat(x), _flat(out)
    if "stores: streaming" not in torch_hptp.explain(src, (0,)):
        raise CannotError("the engine does not stream an output as small as this")
    return lambda: torch_hptp.permute(src, (0,), out=dst)


def _streamed_fresh(x: torch.Tensor, dims: Dims, threads: int) -> FreshCall:
    _streamed_into(x, dims, torch.empty_like(x), threads)

    def call() -> torch.Tensor:
        out = torch.empty_like(x)
        torch_hptp.permute(_flat(x), (0,), out=_flat(out))
        return out

    return call


CONTENDERS: tuple[Contender, ...] = (
    Contender(
        "torch",
        _torch_into,
        _torch_fresh,
        description="out.copy_(x.permute(dims)); fresh: x.permute(dims).contiguous()",
        distributions=("torch",),
    ),
    Contender(
        "inductor",
        _inductor_into,
        _inductor_fresh,
        description="the same, by torch.compile, for this row's shape alone",
        distributions=("torch",),
    ),
    Contender(
        "numpy",
        _numpy_into,
        _numpy_fresh,
        description="np.copyto(out, x.transpose(dims)); fresh: np.ascontiguousarray; one thread",
        distributions=("numpy",),
    ),
    ONNXRUNTIME,
    OPENCV,
    JAX,
    Contender(
        "ours",
        _ours_into,
        _ours_fresh,
        description="torch_hptp.permute(x, dims, out=out); fresh: without out",
        distributions=("torch_hptp",),
    ),
    Contender(
        "memcpy",
        _memcpy_into,
        _memcpy_fresh,
        is_roof=True,
        description="libc's memcpy of the same bytes, an equal share for each thread",
    ),
    Contender(
        "streamed",
        _streamed_into,
        _streamed_fresh,
        is_roof=True,
        description="a plain copy of the same bytes past the caches, in full-line non-temporal "
        "stores: torch_hptp.permute of the flat bytes, which streams from a size on",
        distributions=("torch_hptp",),
    ),
)
