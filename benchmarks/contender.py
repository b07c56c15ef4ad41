"""What a contender is: one that answers a row's question in two ways.

The question is `x.permute(dims)`, made contiguous. Into an existing output, a contender returns a
call that writes `out`; as people write it, a call that returns a fresh tensor. A *roof* answers
another question, a plain copy of the same bytes, and says what the machine allows.

A contender from another package is used where that package is installed. One that lives in a
program of its own (`own_copies` tensors of the row's size with it) gives a `SelfTimed` for an
answer: the seconds that it took there, and a way to fetch what it wrote.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

Dims = tuple[int, ...]


class CannotError(Exception):
    """A contender has no way to answer this row; the text says why, in a few words."""


@dataclass(frozen=True)
class SelfTimed:
    """An answer whose call took its own time: the seconds, and how to fetch what was written."""

    seconds: float
    read_into: Callable[[torch.Tensor], None]


WriteCall = Callable[[], object]
FreshCall = Callable[[], "torch.Tensor | SelfTimed"]


@dataclass(frozen=True)
class Contender:
    """Makes the calls to be timed; making one may take long, as compiling does.

    A call that has a `close` is closed when its row is done.
    """

    name: str
    into_existing: Callable[[torch.Tensor, Dims, torch.Tensor, int], WriteCall]
    as_written: Callable[[torch.Tensor, Dims, int], FreshCall]
    is_roof: bool = False
    description: str = ""
    distributions: tuple[str, ...] = ()  # as pip knows them; empty: part of the system
    module: str = ""  # what has to be there to import, for a contender that may be missing
    own_copies: int = 0

    def is_installed(self) -> bool:
        """Whether it can be asked here."""
        return not self.module or importlib.util.find_spec(self.module) is not None

    def version(self) -> str:
        """The version that is asked, such as "2.4.6"; empty where none is known."""
        if not self.distributions:
            return " ".join(platform.libc_ver()) if self.name == "memcpy" else ""
        for name in self.distributions:
            try:
                return importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                continue
        return ""


def as_array(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    """The same memory for those who have no bfloat16: two bytes are two bytes."""
    return (tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor).numpy()
