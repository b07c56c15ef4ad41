"""JAX, which is XLA: jitted, in a program of its own, pinned to as many cores as threads.

The program (`jax_child.py`) holds its own copy of the input and is asked for one call at a time.
It times the call itself, while this one waits for the answer on the connection, without turning:
so its turn in the rounds is like any other's.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import torch

from benchmarks.chunks import receive_bytes, send_bytes
from benchmarks.contender import CannotError, Contender, Dims, SelfTimed, as_array

_PROJECT = Path(__file__).resolve().parent.parent


def _bytes_of(tensor: torch.Tensor) -> memoryview:
    return tensor.view(-1).view(torch.uint8).numpy().data


class JaxCall:
    """A call that is carried out in a program of its own, which ends when this is closed."""

    def __init__(self, x: torch.Tensor, dims: Dims, threads: int, mode: str) -> None:
        """Starts the program, sends it the input and waits until it has compiled."""
        if threads > len(os.sched_getaffinity(0)):
            raise CannotError("more threads than cores: its pool has a thread for each core")
        self._connection, theirs = multiprocessing.Pipe()
        descriptor = str(theirs.fileno())
        self._program = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.jax_child", descriptor, str(threads)],
            pass_fds=[theirs.fileno()],
            cwd=_PROJECT,
        )
        theirs.close()
        try:
            dtype = as_array(x[:0]).dtype.name
            self._connection.send((list(x.shape), dtype, list(dims), mode == "existing"))
            self._send(x)
            self._answer()
        except BaseException:
            self.close()
            raise

    def __call__(self) -> SelfTimed:
        """Seconds of one call, taken in the other program."""
        self._connection.send("call")
        return SelfTimed(float(self._answer() or 0), self._read_into)

    def close(self) -> None:
        """Ends the program."""
        self._connection.close()
        self._program.kill()
        self._program.wait()

    def _send(self, x: torch.Tensor) -> None:
        try:
            send_bytes(self._connection, _bytes_of(x))
        except ConnectionError:
            self._answer()  # says why it hung up, if it could

    def _answer(self) -> float | None:
        try:
            answer: object = self._connection.recv()
        except (EOFError, ConnectionError):
            raise RuntimeError(f"its program ended with {self._program.wait()}") from None
        if isinstance(answer, str):
            raise RuntimeError(answer)
        return answer if isinstance(answer, float) else None

    def _read_into(self, out: torch.Tensor) -> None:
        self._connection.send("read")
        receive_bytes(self._connection, _bytes_of(out))


def _into(x: torch.Tensor, dims: Dims, _out: torch.Tensor, threads: int) -> JaxCall:
    return JaxCall(x, dims, threads, "existing")


def _fresh(x: torch.Tensor, dims: Dims, threads: int) -> JaxCall:
    return JaxCall(x, dims, threads, "fresh")


JAX = Contender(
    "jax",
    _into,
    _fresh,
    description="jitted, so by XLA, in a program of its own pinned to as many cores as threads, "
    "which times its own calls; existing: into an output that is donated",
    distributions=("jax",),
    module="jax",
    own_copies=2,
)
