"""Threads and processes: torch's own pool, any count, no hang, the same bytes."""

import multiprocessing
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import oracle
import pytest
import torch
from oracle import (
    HUNG_AFTER_SECONDS,
    assert_permuted,
    assert_same_bits,
    expected,
    run_python,
)
from torch import Tensor

import torch_hptp

P = torch.ops.hptp.permute

CASES = [
    ((700, 900), (1, 0), torch.float32),
    ((8, 300, 400), (0, 2, 1), torch.int16),
    ((3, 500, 600), (1, 2, 0), torch.uint8),
    ((500, 600, 3), (2, 0, 1), torch.uint8),
    ((4, 128, 16, 64), (0, 2, 1, 3), torch.bfloat16),
    ((12, 11, 10, 9, 8, 7), (5, 3, 1, 4, 2, 0), torch.float64),
    ((1, 65537), (1, 0), torch.complex128),
]


@pytest.mark.parametrize("threads", [1, 2, 3, 7, 16])
def test_every_number_of_threads_gives_the_same_bytes(threads: int) -> None:
    with oracle.torch_threads(threads):
        for shape, dims, dtype in CASES:
            x = oracle.contiguous(shape, dtype)
            assert_permuted(P(x, dims), x, dims)
            strided = oracle.permuted(shape, dtype)
            assert_permuted(P(strided, dims), strided, dims)
        assert torch.get_num_threads() == threads


def test_auto_threads_obeys_torch_and_the_size() -> None:
    """One thread for little, never more than torch was told to use."""
    for threads in (1, 2, 5):
        with oracle.torch_threads(threads):
            assert torch_hptp.auto_threads(0) == 1
            assert torch_hptp.auto_threads(64) == 1
            assert torch_hptp.auto_threads(2**34) == threads
            counts = [torch_hptp.auto_threads(2**k) for k in range(40)]
            assert counts == sorted(counts)
            assert set(counts) <= set(range(1, threads + 1))


def test_auto_threads_refuses_what_is_no_size() -> None:
    for wrong in (1.5, "1", None):
        with pytest.raises(TypeError):
            torch_hptp.auto_threads(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="negative"):
        torch_hptp.auto_threads(-1)


def test_calls_from_many_python_threads_at_once_are_all_right() -> None:
    """THR-04."""
    sources = [oracle.contiguous(shape, dtype) for shape, _, dtype in CASES]
    wanted = [expected(x, case[1]) for x, case in zip(sources, CASES, strict=True)]

    def calls(k: int) -> int:
        for turn in range(10):
            which = (k + turn) % len(CASES)
            assert_same_bits(P(sources[which], CASES[which][1]), wanted[which])
        return k

    with ThreadPoolExecutor(16) as pool:
        assert sorted(pool.map(calls, range(16), timeout=HUNG_AFTER_SECONDS)) == list(range(16))


def test_threads_that_write_into_neighbouring_outs_do_not_disturb_each_other() -> None:
    x = oracle.contiguous((301, 211, 3), torch.uint8)
    pieces = torch.zeros(8, x.numel(), dtype=torch.uint8)

    def write(k: int) -> None:
        for _ in range(5):
            torch.ops.hptp.permute.out(x, (1, 0, 2), out=pieces[k].view(211, 301, 3))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8), timeout=HUNG_AFTER_SECONDS))
    for piece in pieces:
        assert_same_bits(piece.view(211, 301, 3), expected(x, (1, 0, 2)))


def test_a_call_inside_a_parallel_backward_is_right() -> None:
    """THR-04: autograd runs nodes on threads of its own."""
    xs = [torch.randn(300, 400, requires_grad=True) for _ in range(4)]

    def train(x: Tensor) -> Tensor:
        P(P(x, (1, 0)).square(), (1, 0)).sum().backward()
        assert x.grad is not None
        return x.grad

    with ThreadPoolExecutor(4) as pool:
        for x, gradient in zip(xs, pool.map(train, xs, timeout=HUNG_AFTER_SECONDS), strict=True):
            assert torch.equal(gradient, 2 * x.detach())


BIG_CALL = """
import torch, torch_hptp
torch.set_num_threads(THREADS)
x = torch.arange(3 * 1000 * 1100, dtype=torch.int32).view(1000, 1100, 3)
y = torch.ops.hptp.permute(x, (2, 1, 0))
assert torch.equal(y, x.permute(2, 1, 0))
print("right", flush=True)
"""


@pytest.mark.parametrize(
    "environment",
    [
        {"OMP_THREAD_LIMIT": "2"},
        {"OMP_THREAD_LIMIT": "1"},
        {"OMP_DYNAMIC": "true", "OMP_NUM_THREADS": "1"},
    ],
    ids=str,
)
def test_fewer_threads_than_asked_still_do_all_of_it(environment: dict[str, str]) -> None:
    """THR-03: 16 asked."""
    run = run_python(BIG_CALL.replace("THREADS", "16"), **environment)
    assert (run.returncode, run.stdout) == (0, "right\n"), run.stderr


def test_python_exits_promptly_after_a_parallel_call() -> None:
    """THR-06."""
    run = run_python(
        "import time, atexit\n"
        + BIG_CALL.replace("THREADS", "4")
        + "\natexit.register(lambda: print(time.time(), flush=True))"
    )
    ended = time.time()
    assert run.returncode == 0, run.stderr
    assert ended - float(run.stdout.split()[-1]) < 5


def test_python_ends_without_a_hang_while_a_thread_is_calling() -> None:
    """THR-06: CPython before 3.14 kills daemon threads, which aborts inside any op of torch."""
    run = run_python(
        BIG_CALL.replace("THREADS", "2")
        + """
import threading, time, sys
def forever():
    while True:
        torch.ops.hptp.permute(x, (2, 1, 0))
threading.Thread(target=forever, daemon=True).start()
time.sleep(0.2)
sys.exit(3)
"""
    )
    assert run.stdout == "right\n"
    assert run.returncode in (3, -signal.SIGABRT), run.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_importing_creates_no_threads() -> None:
    """THR-06; and a small call needs none either."""
    run = run_python(
        """
import os, torch
before = len(os.listdir("/proc/self/task"))
import torch_hptp
x = torch.ops.hptp.permute(torch.ones(3, 4), (1, 0))
print(len(os.listdir("/proc/self/task")) - before)
"""
    )
    assert (run.returncode, run.stdout) == (0, "0\n"), run.stderr


def test_importing_in_a_thread_works() -> None:
    """THR-06."""
    run = run_python(
        """
import threading
def work():
    import torch, torch_hptp
    x = torch.arange(3e6).view(1000, 3000)
    print(torch.equal(torch.ops.hptp.permute(x, (1, 0)), x.t()))
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
    )
    assert (run.returncode, run.stdout) == (0, "True\n"), run.stderr


FORK = """
import os, signal, sys
import torch, torch_hptp
torch.set_num_threads(4)
x = torch.arange(6_000_000, dtype=torch.int32).view(2000, 3000)
y = torch.ops.hptp.permute(x, (1, 0))  # starts the pool in the parent
child = os.fork()
if child == 0:
    signal.alarm(20)  # a hang ends here, with a signal
    z = torch.ops.hptp.permute(x, (1, 0))
    out = torch.empty_like(z)
    torch.ops.hptp.permute.out(x, (1, 0), out=out)
    same = z.numpy().tobytes() == y.numpy().tobytes() == out.numpy().tobytes()
    c = torch.from_numpy(x.numpy()[:, :2000].astype("complex64")).conj()
    conj = torch.ops.hptp.permute(c, (1, 0))  # its bytes are conjugated by torch's own operator
    same = same and (conj.numpy() == c.conj().numpy().conj().T).all()
    grandchild = os.fork()
    if grandchild == 0:
        signal.alarm(20)
        z = torch.ops.hptp.permute(x, (1, 0))
        os._exit(0 if z.numpy().tobytes() == y.numpy().tobytes() else 9)
    same = same and os.waitpid(grandchild, 0)[1] == 0
    os._exit(7 if same else 8)
status = os.waitpid(child, 0)[1]
z = torch.ops.hptp.permute(x, (1, 0))  # the parent is as before
assert torch.equal(z, x.t())
print(status >> 8, status & 127)
"""


def test_a_forked_child_of_a_parallel_parent_ends_with_the_right_bytes() -> None:
    """THR-01: the child has no pool threads; it runs serially, and so does its own child."""
    run = run_python(FORK)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["7", "0"], "wrong bytes or killed by the alarm: " + run.stdout


def permute_in_worker(seed: int) -> bool:
    """Torch's own parallel ops hang in a forked child, so NumPy makes the input and compares."""
    x = numpy.arange(seed, seed + 3_000_000, dtype=numpy.int32).reshape(1000, 1000, 3)
    y = P(torch.from_numpy(x), (2, 0, 1))
    return numpy.array_equal(y.numpy(), x.transpose(2, 0, 1))


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_pool_gets_the_right_bytes() -> None:
    """THR-01."""
    P(torch.ones(1000, 1000), (1, 0))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(permute_in_worker, range(4)).get(HUNG_AFTER_SECONDS) == [True] * 4


class Images(torch.utils.data.Dataset[Tensor]):
    """Each sample is an image that the worker turns from HWC to CHW."""

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> Tensor:
        image = (torch.arange(600 * 700 * 3, dtype=torch.int32) + index).view(600, 700, 3)
        return torch_hptp.permute(image, (2, 0, 1))


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_loader_workers_finish_with_the_right_bytes(method: str) -> None:
    """THR-01: after a parallel call in the parent."""
    P(torch.ones(1000, 1000), (1, 0))
    loader = torch.utils.data.DataLoader(
        Images(), num_workers=2, multiprocessing_context=method, timeout=HUNG_AFTER_SECONDS
    )
    images = list(loader)
    assert len(images) == 6
    plain = torch.arange(600 * 700 * 3, dtype=torch.int32).view(600, 700, 3)
    for index, image in enumerate(images):
        assert torch.equal(image[0], (plain + index).permute(2, 0, 1))
