"""Builds the ops library and, beside it, the short way from Python to the ops.

The ops library is csrc/hptp and csrc/bindings, linked with torch and nothing of Python. It is no
Python module. It is called torch_hptp/_ops.torch<minor version>.so, so that torch_hptp can tell
which torch it was built for without loading it.

The entry is csrc/entry, a Python module of its own: torch_hptp/_entry_torch<minor version> with the
suffix of this Python. torch_hptp works without it.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import sys
import sysconfig
from glob import glob
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
SUPPORTED = ("2.13", "2.14")
OPS_NAME = "torch_hptp._ops"

try:
    import torch
    from torch.utils import cpp_extension
except ImportError:
    torch = None  # type: ignore[assignment]  # an sdist can be made without


def torch_minor() -> str:
    """The version of torch to build for, as "2.13"."""
    return ".".join(torch.__version__.split(".")[:2])


def refuse(reason: str) -> None:
    """Ends the build with one sentence in place of a traceback."""
    sys.exit(f"torch_hptp: {reason}")


def check_torch() -> None:
    """Refuses to build without torch, or for a version that this source does not know."""
    if torch is None:
        refuse(
            "building needs PyTorch in this environment: run "
            "`pip install 'torch>=2.13,<2.15'`, then `pip install --no-build-isolation .`"
        )
    if torch_minor() not in SUPPORTED:
        refuse(f"PyTorch {torch.__version__} was found, but {' or '.join(SUPPORTED)} is needed")


def check_compiler() -> None:
    """Refuses to build where no C++ compiler is found."""
    compiler = shlex.split(os.environ.get("CXX") or "c++")[0]
    if shutil.which(compiler) is None:
        refuse(
            f"the C++ compiler `{compiler}` was not found: install GCC 12 or Clang 14, or newer, "
            "or name one in CXX"
        )


OPS_FOLDERS = ("csrc/hptp", "csrc/hptp/kernels", "csrc/bindings")
ENTRY_FOLDERS = ("csrc/entry",)


def sources(folders: tuple[str, ...]) -> list[str]:
    """Every .cpp in these folders, relative to this file."""
    return sorted(path for folder in folders for path in glob(f"{folder}/*.cpp", root_dir=ROOT))


def headers() -> list[str]:
    """Every header, for rebuilding when one changes."""
    return sorted(glob("csrc/**/*.h", root_dir=ROOT, recursive=True))


def compile_flags() -> list[str]:
    """Warnings are ours alone: torch's headers are system headers."""
    flags = ["-std=c++20", "-O3", "-g0", "-fvisibility=hidden"]
    flags += ["-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Wshadow"]
    # Messages of failed checks name the source file; they name it as it is in the repository.
    flags += [f"-ffile-prefix-map={ROOT}/="]
    for folder in cpp_extension.include_paths():
        flags += ["-isystem", folder, f"-ffile-prefix-map={folder}/="]
    return flags


def make_extension(name: str, folders: tuple[str, ...], **kwargs: Any) -> Extension:
    """A library or a module. Without torch, only what an sdist needs to know of it."""
    shared = {"include_dirs": [str(ROOT / "csrc")], "depends": headers()}
    if torch is None:
        return Extension(name, sources(folders), language="c++", **shared)
    return cpp_extension.CppExtension(
        name, sources(folders), extra_compile_args=compile_flags(), **shared, **kwargs
    )


def extensions() -> list[Extension]:
    """The ops library, and the entry, which relies on the GIL and is left out without one."""
    # "Limited API" is torch's way to say: link nothing of Python.
    built = [make_extension(OPS_NAME, OPS_FOLDERS, py_limited_api=True)]
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        version = torch_minor().replace(".", "_") if torch else ""
        built.append(make_extension(f"torch_hptp._entry_torch{version}", ENTRY_FOLDERS))
    return built


class BuildOps(build_ext if torch is None else cpp_extension.BuildExtension):  # type: ignore[misc]
    """Builds the ops library, or says in one sentence what is missing for it."""

    def run(self) -> None:
        """Checks what the build needs first."""
        check_torch()
        check_compiler()
        super().run()

    def get_ext_filename(self, ext_name: str) -> str:
        """Names the torch version in place of the Python version in the ops library's name."""
        if torch is None or ext_name.split(".")[-1] != OPS_NAME.split(".")[-1]:
            return str(super().get_ext_filename(ext_name))
        return os.path.join(*ext_name.split(".")) + f".torch{torch_minor()}.so"

    def get_libraries(self, ext: Extension) -> list[str]:
        """Leaves out the Python library, which some builds of Python add.

        The entry needs none either: the interpreter that imports it has those symbols.
        """
        return list(ext.libraries)


if platform.system() == "Windows":
    refuse("Windows is not supported")

setup(ext_modules=extensions(), cmdclass={"build_ext": BuildOps})
