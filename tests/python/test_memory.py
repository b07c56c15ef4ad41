"""Memory: no leak, no hidden temporary, no abort when there is none left."""

import resource
import sys
from pathlib import Path

import pytest
import torch
from oracle import run_python

import torch_hptp

P = torch.ops.hptp.permute
PAGE_BYTES = resource.getpagesize()


def resident_bytes() -> int:
    """The resident set of this process now (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@on_linux
def test_many_calls_with_many_shapes_need_no_more_memory() -> None:
    """MEM-02."""

    def calls(count: int) -> None:
        for k in range(count):
            x = torch.ones(1 + k % 50, 2 + k // 50 % 100, 3)
            P(x, (2, 0, 1))
            torch.ops.hptp.permute.out(x, (0, 1, 2), out=torch.empty_like(x))

    calls(10_000)  # every one of the 5000 shapes, twice
    before = resident_bytes()
    calls(40_000)
    assert resident_bytes() - before < 8 * 2**20


@on_linux
def test_many_large_calls_need_no_more_memory() -> None:
    """MEM-02: large ones use threads and scratch."""
    x = torch.ones(600, 1000, 3)
    for _ in range(5):
        P(x, (1, 2, 0))
    before = resident_bytes()
    for _ in range(60):
        P(x, (1, 2, 0))
    assert resident_bytes() - before < 16 * 2**20


def test_running_out_of_memory_is_an_exception() -> None:
    """MEM-03: a petabyte, whatever the machine over-commits."""
    x = torch.ones(1, dtype=torch.uint8).expand(2**25, 2**25)
    with pytest.raises(RuntimeError, match="allocate"):
        P(x, (1, 0))
    with pytest.raises(RuntimeError, match="allocate"):
        torch_hptp.permute(x, (1, 0))
    assert P(torch.ones(2, 3), (1, 0)).shape == (3, 2)


PEAK = """
import resource, sys, torch, torch_hptp
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
torch.set_num_threads(2)
small = torch.ones(64, 64)
torch.ops.hptp.permute.out(small, (1, 0), out=torch.empty(64, 64))
x, base = torch.ones(4096, 8192), torch.ones(8192, 8200)
out = {"dense": lambda: base.view(-1)[:4096 * 8192].view(8192, 4096),
       "strided": lambda: base[:, :8192:2]}[sys.argv[1]]()
before = peak()
torch.ops.hptp.permute.out(x, (1, 0), out=out)
growth = peak() - before
if sys.argv[1] == "dense":
    torch_hptp.contiguous(x.t(), out=out)
    growth = peak() - before
print(growth)
"""


@on_linux
@pytest.mark.parametrize("kind", ["dense", "strided"])
def test_the_out_form_allocates_no_hidden_temporary(kind: str) -> None:
    """OUT-10: a 128 MiB result; the peak may rise by scratch only."""
    run = run_python(PEAK, kind)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 16 * 2**20, run.stdout
