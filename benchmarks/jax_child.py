"""The program in which JAX answers: one row, asked over a connection, one request at a time.

    python -m benchmarks.jax_child DESCRIPTOR THREADS

It is pinned to as many cores as threads before JAX is loaded, because JAX's pool takes as many
threads as there are cores and listens to nobody. Its input lies on pages of the usual size, as
torch's does: NumPy would ask for huge ones. An existing output is one that is donated to the call,
which then writes into its memory; whether it does is checked after every call.
"""

from __future__ import annotations

import importlib
import mmap
import os
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from benchmarks.chunks import receive_bytes, send_bytes

_POISON = 0xA5


def _received_array(connection: Any, shape: list[int], dtype: str) -> Any:
    """An array in private memory of usual pages, filled with what comes over the connection."""
    nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = mmap.mmap(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    receive_bytes(connection, memoryview(memory))
    return np.frombuffer(memory, dtype=dtype).reshape(shape)


def _existing_call(jax: Any, x: Any, dims: list[int], shape: list[int]) -> Callable[[], Any]:
    """Writes into the output before, which is donated."""
    compiled = (
        jax.jit(lambda src, dst: src.transpose(dims), donate_argnums=1, keep_unused=True)
        .lower(x, jax.ShapeDtypeStruct(shape, x.dtype))
        .compile()
    )
    poison = np.full(x.dtype.itemsize, _POISON, np.uint8).view(x.dtype)[0]
    held = [jax.numpy.full(shape, poison, x.dtype).block_until_ready()]

    def call() -> Any:
        held.append(compiled(x, held.pop()).block_until_ready())
        return held[0]

    return call


def _fresh_call(jax: Any, x: Any, dims: list[int]) -> Callable[[], Any]:
    compiled = jax.jit(lambda src: src.transpose(dims)).lower(x).compile()
    return lambda: compiled(x).block_until_ready()


def _serve(connection: Any, jax: Any) -> None:
    """Answers "call" with seconds and "read" with bytes, until the other side hangs up."""
    shape, dtype, dims, is_existing = connection.recv()
    x = jax.device_put(_received_array(connection, shape, dtype), may_alias=True)
    x.block_until_ready()
    after = [shape[axis] for axis in dims]
    call = _existing_call(jax, x, dims, after) if is_existing else _fresh_call(jax, x, dims)
    connection.send(None)
    answer, place = None, 0
    while True:
        if connection.recv() == "read":
            send_bytes(connection, np.asarray(answer).reshape(-1).view(np.uint8).data)
            continue
        answer = None
        begin = time.perf_counter()
        answer = call()
        took = time.perf_counter() - begin
        before, place = place, answer.unsafe_buffer_pointer()
        if is_existing and before not in (0, place):
            raise RuntimeError("JAX did not write into the output that was donated")
        connection.send(took)


def main(descriptor: int, threads: int) -> None:
    """Serves one row; an error is sent to the other side as its text."""
    connection: Any = Connection(descriptor)
    try:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])
        os.environ.update(JAX_PLATFORMS="cpu", JAX_ENABLE_X64="1")
        _serve(connection, importlib.import_module("jax"))
    except EOFError:
        return  # the other side hung up: the row is done
    except Exception as error:
        connection.send(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
