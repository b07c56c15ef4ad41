"""ONNX Runtime: a model of one Transpose node, bound to memory that exists.

The model is written here byte by byte, as protocol buffers are: a number is (field, value), and
text or a nested message is (field, length, bytes). So the package `onnx` is not needed.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

import torch

from benchmarks.contender import CannotError, Contender, Dims, FreshCall, WriteCall, as_array

_NUMBER, _BYTES = 0, 2  # kinds of fields
_IR_VERSION, _OPERATOR_SET, _INTEGERS = 8, 13, 7
_ELEMENT_TYPES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "float16": 10,
    "float64": 11,
}


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; the top bit says that more follow."""
    parts = []
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3 | _NUMBER) + _varint(value)


def _message(field: int, *parts: bytes | str) -> bytes:
    payload = b"".join(part.encode() if isinstance(part, str) else part for part in parts)
    return _varint(field << 3 | _BYTES) + _varint(len(payload)) + payload


def _value(field: int, name: str, element_type: int, shape: Iterable[int]) -> bytes:
    extents = _message(2, *(_message(1, _number(1, extent)) for extent in shape))
    return _message(
        field, _message(1, name), _message(2, _message(1, _number(1, element_type), extents))
    )


def transpose_model(shape: tuple[int, ...], dims: Dims, element_type: int) -> bytes:
    """An ONNX model "x" -> "y" that transposes a tensor of `shape` by `dims`."""
    axes = (_number(8, axis) for axis in dims)
    perm = _message(5, _message(1, "perm"), *axes, _number(20, _INTEGERS))
    node = _message(1, _message(1, "x"), _message(2, "y"), _message(4, "Transpose"), perm)
    source = _value(11, "x", element_type, shape)
    result = _value(12, "y", element_type, (shape[axis] for axis in dims))
    graph = _message(7, node, _message(2, "permute"), source, result)
    return _number(1, _IR_VERSION) + graph + _message(8, _number(2, _OPERATOR_SET))


def _session(x: torch.Tensor, dims: Dims, threads: int) -> Any:
    """A session for this row alone, whose idle threads sleep, so that they disturb no other."""
    runtime = importlib.import_module("onnxruntime")
    name = as_array(x).dtype.name
    if name not in _ELEMENT_TYPES:
        raise CannotError(f"no ONNX type for {name}")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors only
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    model = transpose_model(tuple(x.shape), dims, _ELEMENT_TYPES[name])
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _into(x: torch.Tensor, dims: Dims, out: torch.Tensor, threads: int) -> WriteCall:
    session = _session(x, dims, threads)
    src, dst = as_array(x), as_array(out)
    binding = session.io_binding()
    binding.bind_input("x", "cpu", 0, src.dtype, src.shape, src.ctypes.data)
    binding.bind_output("y", "cpu", 0, dst.dtype, dst.shape, dst.ctypes.data)
    return lambda: session.run_with_iobinding(binding)


def _fresh(x: torch.Tensor, dims: Dims, threads: int) -> FreshCall:
    session, src = _session(x, dims, threads), as_array(x)
    return lambda: torch.from_numpy(session.run(None, {"x": src})[0])


ONNXRUNTIME = Contender(
    "onnxruntime",
    _into,
    _fresh,
    description="a Transpose node, its input and output bound to memory that exists; "
    "fresh: run(), whose outputs lie in an arena that keeps its pages",
    distributions=("onnxruntime",),
    module="onnxruntime",
)
