"""Large memory over a connection, some of it at a time."""

from __future__ import annotations

from typing import Any

_CHUNK_BYTES = 16 * 2**20


def send_bytes(connection: Any, memory: memoryview) -> None:
    """Sends the bytes of `memory`, which the other side has to receive at the same length."""
    for begin in range(0, len(memory), _CHUNK_BYTES):
        connection.send_bytes(memory[begin : begin + _CHUNK_BYTES])


def receive_bytes(connection: Any, memory: memoryview) -> None:
    """Fills `memory` with what the other side sends."""
    for begin in range(0, len(memory), _CHUNK_BYTES):
        connection.recv_bytes_into(memory[begin : begin + _CHUNK_BYTES])
