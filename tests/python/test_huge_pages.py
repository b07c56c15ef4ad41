"""Huge pages: large fresh outputs are backed by them on Linux, and nothing else is advised."""

import sys
from pathlib import Path

import pytest
from oracle import run_python

ENABLED = Path("/sys/kernel/mm/transparent_hugepage/enabled")

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="huge pages are asked for on Linux alone"),
    pytest.mark.skipif(
        not ENABLED.exists() or "[madvise]" not in ENABLED.read_text(),
        reason="the system gives huge pages to nobody, or to everybody without being asked",
    ),
]

# Prints the bytes of huge pages in the mappings, and the bytes of advised mappings, that hold some
# of an output of 64 MiB.
MEASURED = """
import sys, torch, torch_hptp
from pathlib import Path
def mappings(x):
    begin, end, inside = x.data_ptr(), x.data_ptr() + x.nbytes, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, *rest = line.split()
        if not name.endswith(":"):
            first, last = (int(part, 16) for part in name.split("-"))
            inside = first < end and begin < last
        elif inside:
            yield name, last - first, rest
def huge_bytes(x):
    return sum(int(rest[0]) * 1024 for name, _, rest in mappings(x) if name == "AnonHugePages:")
def advised_bytes(x):
    return sum(size for name, size, rest in mappings(x) if name == "VmFlags:" and "hg" in rest)
x = torch.arange(2**24, dtype=torch.int32).view(4096, 4096)
"""


def measured(code: str, **environment: str) -> list[int]:
    run = run_python(MEASURED + code, **environment)
    assert run.returncode == 0, run.stderr
    return [int(word) for word in run.stdout.split()]


FRESH = """
y = torch.ops.hptp.permute(x, (1, 0))
assert torch.equal(y, x.t())
print(huge_bytes(y), advised_bytes(y))
"""


def test_a_large_fresh_output_lies_in_huge_pages() -> None:
    """All of it but the ends; some may be missing where the system has none to give."""
    huge, advised = measured(FRESH)
    assert 60 * 2**20 <= advised <= 64 * 2**20
    if huge == 0:
        pytest.skip("the system had no huge page to give")
    assert huge <= advised


def test_huge_pages_are_turned_off_by_the_environment() -> None:
    assert measured(FRESH, HPTP_HUGE_PAGES="0") == [0, 0]
    assert measured(FRESH, HPTP_HUGE_PAGES="1")[1] > 0


def test_a_small_output_and_an_out_are_left_alone() -> None:
    code = """
small = torch.ops.hptp.permute(x[:512], (1, 0))  # 8 MiB
out = torch.empty(4096, 4096, dtype=torch.int32)
torch.ops.hptp.permute.out(x, (1, 0), out=out)
print(advised_bytes(small), advised_bytes(out))
"""
    assert measured(code) == [0, 0]


# glibc keeps what was freed last once a block of that size has been freed before, and cuts the
# next one out of it. A little room lets that one be aligned.
REUSED = """
x = x[:1536].clone()  # 24 MiB
for _ in range(2):
    before = torch.ones(x.numel() + 2**16, dtype=torch.int32)
    begin, end = before.data_ptr(), before.data_ptr() + before.nbytes
    del before
y = torch.ops.hptp.permute(x, (1, 0))
assert torch.equal(y, x.t())
print(int(begin <= y.data_ptr() and y.data_ptr() + y.nbytes <= end), advised_bytes(y))
"""


def test_memory_that_was_touched_before_is_not_advised() -> None:
    is_reused, advised = measured(REUSED)
    if not is_reused:
        pytest.skip("malloc handed out other memory")
    assert advised == 0
