"""The public functions: arguments checked as torch checks them, and one call of an op each."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NoReturn, cast

import torch
from torch import Tensor
from torch.compiler import is_dynamo_compiling
from torch.overrides import has_torch_function

from torch_hptp._entry import find_entry
from torch_hptp._library import load_ops
from torch_hptp._registrations import register_transforms

load_ops()
register_transforms()

_serve = find_entry()
_permute = torch.ops.hptp.permute.default
_permute_out = torch.ops.hptp.permute.out

# For a channels_last format of `rank` dims: the order in which its memory lies, and the way back.
_CHANNELS_LAST = {
    torch.channels_last: ((0, 2, 3, 1), (0, 3, 1, 2)),
    torch.channels_last_3d: ((0, 2, 3, 4, 1), (0, 4, 1, 2, 3)),
}


def _refuse(function: str, argument: str, expected: str, value: object) -> NoReturn:
    got = type(value).__name__
    raise TypeError(f"{function}(): argument '{argument}' must be {expected}, not {got}")


def _short_way(x: Any, dims: Any, out: Any) -> Tensor | None:
    """The result of a plain call, and None for a call that has to go through torch.ops."""
    if is_dynamo_compiling():  # Dynamo knows the op, and not the compiled function
        return None
    return _serve(x, dims, out)


def _long_way(x: Tensor, dims: Sequence[int], out: Tensor | None) -> Tensor:
    if out is None:
        return cast(Tensor, _permute(x, dims))
    return cast(Tensor, _permute_out(x, dims, out=out))


def _permuted(x: Tensor, dims: Sequence[int], out: Tensor | None) -> Tensor:
    result = _short_way(x, dims, out)
    return _long_way(x, dims, out) if result is None else result


def _is_tensor(value: object) -> bool:
    """Whether torch's own functions take it: a tensor, or what stands for one, as in torch.fx."""
    return isinstance(value, Tensor) or has_torch_function((value,))


def _check_tensors(function: str, x: object, out: object) -> None:
    if not _is_tensor(x):
        _refuse(function, "x", "Tensor", x)
    if out is not None and not _is_tensor(out):
        _refuse(function, "out", "Tensor", out)


def _as_ints(dims: object) -> Sequence[int]:
    """The dims as ints, where Tensor.permute takes them: a tuple or list of ints, not of bools."""
    if not isinstance(dims, (tuple, list)):
        _refuse("permute", "dims", "tuple of ints", dims)
    if all(type(dim) is int for dim in dims):
        return dims
    return [_as_int(dim, position) for position, dim in enumerate(dims)]


def _as_int(dim: Any, position: int) -> int:
    if not isinstance(dim, bool):
        try:
            return operator.index(dim)
        except TypeError:
            pass
    raise TypeError(
        "permute(): argument 'dims' must be tuple of ints, but found element of type "
        f"{type(dim).__name__} at pos {position}"
    )


def permute(x: Tensor, dims: Sequence[int], *, out: Tensor | None = None) -> Tensor:
    """Moves the dimensions of `x` and lays the result out in memory.

    The values are those of ``x.permute(dims).contiguous()``, bit for bit: result dimension ``k``
    is dimension ``dims[k]`` of `x`.

    What differs from torch: the result is always memory of its own with the strides of
    ``torch.empty(shape)``, also where torch would hand out `x` itself or keep odd strides of
    dimensions of size 1. `out` is never resized. The bytes of a bool tensor are moved as they are.

    Under ``torch.jit.script`` call ``torch.ops.hptp.permute``, which is the same.

    Args:
        x: A tensor of any shape ``(s[0], ..., s[n-1])``, dtype and strides. On the CPU this
            library moves it; other devices and quantized tensors go to torch's own kernels.
        dims: Each of the ``n`` dimensions once; negative ones count from the end.
        out: Where to write, in place of a new tensor: of shape ``(s[dims[0]], ...)``, of the dtype
            and device of `x`, sharing no memory with it, with any strides that do not overlap.

    Returns:
        A tensor of shape ``(s[dims[0]], ..., s[dims[n-1]])``; `out`, where given. Differentiable,
        forward and backward, without `out`.

    Raises:
        TypeError: `x` or `out` is no tensor, or `dims` no tuple or list of ints.
        IndexError: A dim is out of range.
        RuntimeError: A dim is missing or there twice; `out` does not fit, overlaps `x` or itself;
            `out` is given while gradients are recorded for it or for `x`.
        NotImplementedError: `x` or `out` is sparse, nested or of another layout without strides.

    Example:
        >>> image = torch.arange(24, dtype=torch.uint8).reshape(2, 4, 3)
        >>> permute(image, (2, 0, 1)).shape
        torch.Size([3, 2, 4])
        >>> planes = torch.empty(3, 2, 4, dtype=torch.uint8)
        >>> permute(image, (2, 0, 1), out=planes) is planes
        True
    """
    result = _short_way(x, dims, out)
    if result is not None:
        return result
    _check_tensors("permute", x, out)
    return _long_way(x, _as_ints(dims), out)


def contiguous(
    x: Tensor,
    *,
    memory_format: torch.memory_format = torch.contiguous_format,
    out: Tensor | None = None,
) -> Tensor:
    """Returns `x` contiguous in memory: `x` itself where it is so already.

    The same as ``x.contiguous(memory_format=memory_format)``, except that dimensions of size 1 of
    a new result get the strides of ``torch.empty(shape)``.

    Args:
        x: A tensor of any shape, dtype and strides.
        memory_format: ``torch.contiguous_format``; ``torch.channels_last`` for 4 dimensions, or
            ``torch.channels_last_3d`` for 5, which put dimension 1 innermost in memory.
        out: Where to write, of the shape, dtype and device of `x`, contiguous in `memory_format`
            and sharing no memory with `x`. With it a copy is made always.

    Returns:
        A tensor of the shape of `x`: `x`, a new tensor, or `out`. Differentiable without `out`.

    Raises:
        TypeError: `x` or `out` is no tensor, or `memory_format` no memory format.
        RuntimeError: `memory_format` is ``torch.preserve_format`` or wants another number of
            dimensions; `out` does not fit, see `permute`, or is not contiguous in `memory_format`.
        RuntimeError, NotImplementedError: `x` has a layout without strides, and torch cannot tell
            whether it is contiguous or it is not.

    Example:
        >>> x = torch.arange(6).reshape(2, 3)
        >>> contiguous(x) is x
        True
        >>> contiguous(x.t()).stride()
        (2, 1)
        >>> images = torch.zeros(2, 3, 4, 5)
        >>> contiguous(images, memory_format=torch.channels_last).stride()
        (60, 1, 15, 3)
    """
    _check_tensors("contiguous", x, out)
    if not isinstance(memory_format, torch.memory_format):
        _refuse("contiguous", "memory_format", "torch.memory_format", memory_format)
    if memory_format == torch.preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    layout, back = _CHANNELS_LAST.get(memory_format, ((), ()))
    if layout and x.dim() != len(layout):
        name = str(memory_format).removeprefix("torch.")
        raise RuntimeError(f"required rank {len(layout)} tensor to use {name} format")
    if out is not None:
        if not out.is_contiguous(memory_format=memory_format):
            raise RuntimeError(f"contiguous(): expected out to be contiguous in {memory_format}")
        return _permuted(x, tuple(range(x.dim())), out)
    if x.is_contiguous(memory_format=memory_format):
        return x
    if layout and x.numel() == 0:
        # Nothing to move, and torch gives dimensions of size 0 strides that a view would not have.
        return x.contiguous(memory_format=memory_format)
    if layout:
        return _permuted(x, layout, None).permute(back)
    return _permuted(x, tuple(range(x.dim())), None)


def auto_threads(nbytes: int) -> int:
    """Tells on how many threads a call that writes `nbytes` bytes runs now.

    Args:
        nbytes: Bytes of the result, 0 or more.

    Returns:
        Between 1 and ``torch.get_num_threads()``. Small results get one thread; so does a call
        inside a parallel region of torch, and one in a forked child whose parent had threads.

    Raises:
        TypeError: `nbytes` is no int.
        ValueError: `nbytes` is negative.

    Example:
        >>> auto_threads(16)
        1
    """
    count = operator.index(nbytes)
    if count < 0:
        raise ValueError(f"auto_threads(): nbytes must not be negative, got {count}")
    return cast(int, torch.ops.hptp.auto_threads(count))


def explain(x: Tensor, dims: Sequence[int]) -> str:
    """Tells in words how ``permute(x, dims)`` would be carried out, one decision a line.

    Args:
        x: A tensor; only its shape, strides and dtype count, so one on the meta device serves too.
        dims: As for `permute`.

    Returns:
        The plan. It is written to be read, and its wording changes between versions.

    Raises:
        TypeError, IndexError, RuntimeError, NotImplementedError: As `permute` does.

    Example:
        >>> len(explain(torch.zeros(8, 16), (1, 0))) > 0
        True
    """
    _check_tensors("explain", x, None)
    return cast(str, torch.ops.hptp.explain(x, _as_ints(dims)))
