"""Finds the short way from Python to the ops, a small compiled module beside the ops library.

It serves plain calls, which are nearly all, and returns None for the others: those go through
``torch.ops``, which knows subclasses, modes, transforms and what to say of wrong arguments. The
results and the errors are the same, only some microseconds lie between them.

The module is named after the version of torch that it was built for, and has the suffix of a
version of Python. One that is missing, was built for others or does not load is done without.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import cast

import torch
from torch import Tensor

Serve = Callable[[Tensor, Sequence[int], "Tensor | None"], "Tensor | None"]


def serve_nothing(x: Tensor, dims: Sequence[int], out: Tensor | None) -> None:
    """Stands in for the compiled module where there is none."""


def module_name() -> str:
    """The name of the compiled module for the torch that is installed."""
    major, minor = torch.__version__.split(".")[:2]
    return f"torch_hptp._entry_torch{major}_{minor}"


def find_entry() -> Serve:
    """The compiled module's ``permute(x, dims, out)``. The ops have to be loaded.

    Returns:
        A function that returns the permuted tensor, or None for a call that it does not serve;
        `serve_nothing` where the module cannot be used.
    """
    try:
        return cast(Serve, importlib.import_module(module_name()).permute)
    except ImportError:
        return serve_nothing
