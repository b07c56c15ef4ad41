"""What a measurement was made on: `python -m benchmarks.machine` prints it.

Everything is read where it can be read and left out where it cannot, so that a missing tool or an
unknown system costs a line of the description and never the measurement.
"""

from __future__ import annotations

import datetime
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import torch

import torch_hptp

_PROJECT = Path(__file__).resolve().parent.parent


def _first_line(*command: str) -> str | None:
    if shutil.which(command[0]) is None:
        return None
    finished = subprocess.run(command, capture_output=True, text=True, cwd=_PROJECT, check=False)
    lines = finished.stdout.splitlines()
    return lines[0].strip() if finished.returncode == 0 and lines else None


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


def cpu_name() -> str:
    """The processor's name, or its architecture where the system gives no name."""
    cpuinfo = _read("/proc/cpuinfo")
    model = re.search(r"^model name\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    if model is None:
        return platform.processor() or platform.machine()
    numbers = [
        f"{label} {found.group(1)}"
        for label, key in (("family", "cpu family"), ("model", "model"))
        if (found := re.search(rf"^{key}\s*:\s*(\d+)$", cpuinfo, re.MULTILINE))
    ]
    return f"{model.group(1)} ({', '.join(numbers)})" if numbers else model.group(1)


def caches() -> str:
    """The caches of the first core, smallest first: "L1d 32K, L2 512K, L3 32M"."""
    found = []
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = (_read(str(index / part)).strip() for part in ("level", "type", "size"))
        if kind in ("Data", "Unified"):
            found.append(f"L{level}{'d' if kind == 'Data' else ''} {size}")
    return ", ".join(found)


def last_cache_bytes(text: str) -> int | None:
    """The bytes of the largest cache in what `caches()` gives, or None where it holds none."""
    found = re.search(r"L\dd? (\d+)([KMG])$", text)
    return (
        int(found.group(1)) * {"K": 2**10, "M": 2**20, "G": 2**30}[found.group(2)]
        if found
        else None
    )


def available_bytes() -> int | None:
    """Memory that can be taken without swapping, or None where the system does not say."""
    found = re.search(r"^MemAvailable:\s*(\d+) kB$", _read("/proc/meminfo"), re.MULTILINE)
    return int(found.group(1)) * 1024 if found else None


def _total_memory() -> str:
    found = re.search(r"^MemTotal:\s*(\d+) kB$", _read("/proc/meminfo"), re.MULTILINE)
    return f"{int(found.group(1)) / 2**20:.1f} GiB" if found else ""


def _huge_pages() -> str:
    chosen = re.search(r"\[(\w+)\]", _read("/sys/kernel/mm/transparent_hugepage/enabled"))
    return chosen.group(1) if chosen else ""


def _commit() -> str:
    commit = _first_line("git", "rev-parse", "--short=12", "HEAD") or ""
    changed = _first_line("git", "status", "--porcelain", "--untracked-files=no")
    return f"{commit} with changes" if commit and changed else commit


def describe() -> dict[str, str]:
    """What the measurement stands on, from the processor to the commit, in the order to print."""
    parts = {
        "cpu": cpu_name(),
        "cores": str(os.cpu_count() or ""),
        "caches": caches(),
        "memory": _total_memory(),
        "huge pages": _huge_pages(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "compiler": _first_line(os.environ.get("CXX", "c++"), "--version") or "",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "torch cpu capability": torch.backends.cpu.get_cpu_capability(),
        "kernels": str(torch.ops.hptp.isa_name()),
        "torch_hptp": torch_hptp.__version__,
        "commit": _commit(),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    }
    return {name: text for name, text in parts.items() if text}


def description_lines() -> list[str]:
    """`describe()` as lines to print."""
    return [f"{name}: {text}" for name, text in describe().items()]


if __name__ == "__main__":
    print("\n".join(description_lines()))
