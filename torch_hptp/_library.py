"""Finds and loads the compiled ops library, after checking which torch it was built for.

The library names that version in its file name, ``_ops.torch2.13.so``: C++ libraries of one minor
version of torch do not fit another, and a wrong one fails in ways that explain nothing.
"""

from __future__ import annotations

from pathlib import Path

import torch

_FOLDER = Path(__file__).resolve().parent


def _built_versions(folder: Path) -> list[str]:
    """The minor versions of torch that `folder` has a library for."""
    names = [path.name for path in folder.glob("_ops.torch*.so")]
    return sorted(name.removeprefix("_ops.torch").removesuffix(".so") for name in names)


def library_path(folder: Path = _FOLDER) -> Path:
    """The library for the torch that is installed.

    Args:
        folder: Where to look; the package's own folder.

    Returns:
        The path of the library. C++ programs load it with ``dlopen`` or link it.

    Raises:
        ImportError: When there is none, in a sentence that says how to build it.

    Example:
        >>> library_path().suffix
        '.so'
    """
    minor = ".".join(torch.__version__.split(".")[:2])
    path = folder / f"_ops.torch{minor}.so"
    if path.exists():
        return path
    built = _built_versions(folder)
    if built:
        raise ImportError(
            f"torch_hptp was built for torch {' and '.join(built)}, but torch {torch.__version__} "
            "is installed: rebuild it with `pip install --no-build-isolation --no-deps .` in its "
            "source folder."
        )
    raise ImportError(
        "torch_hptp's compiled library is missing: build it with "
        "`pip install --no-build-isolation .` in its source folder."
    )


def load_ops() -> None:
    """Registers the ops with torch. Loading twice does nothing.

    Raises:
        ImportError: See `library_path`.
    """
    torch.ops.load_library(library_path())
