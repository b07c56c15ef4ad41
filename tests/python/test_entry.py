"""The short way from Python to the ops: the same as torch.ops, or not taken."""

import collections
import contextlib
import gc
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import oracle
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import run_python
from torch import Tensor
from torch._dynamo.testing import CompileCounter
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import torch_hptp
from torch_hptp import _entry, ops

P = torch.ops.hptp.permute
serve = ops._serve


@pytest.fixture
def by_op(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`torch_hptp.permute` as it is without the compiled module."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        with monkeypatch.context() as patched:
            patched.setattr(ops, "_serve", _entry.serve_nothing)
            return torch_hptp.permute(*arguments, **keywords)

    return call


def assert_same(actual: Tensor, wanted: Tensor) -> None:
    assert type(actual) is type(wanted)
    oracle.assert_same_bits(actual, wanted)
    for ask in (
        Tensor.stride,
        Tensor.storage_offset,
        Tensor.is_conj,
        Tensor.is_neg,
        Tensor.is_inference,
        lambda y: y.requires_grad,
        lambda y: y.is_leaf,
        lambda y: type(y.grad_fn),
        lambda y: y._version if not y.is_inference() else 0,
    ):
        assert ask(actual) == ask(wanted)


def test_the_module_is_built_and_found() -> None:
    """The tests below would say little if nothing were served."""
    assert serve is not _entry.serve_nothing
    assert type(serve).__name__ == "builtin_function_or_method"
    assert serve(torch.ones(2, 3), (1, 0), None) is not None
    shown = subprocess.run(
        [sys.executable, "-m", "torch_hptp", "info"], capture_output=True, text=True, check=True
    )
    assert "small tensors: the short way" in shown.stdout


# What is served -----------------------------------------------------------------------------------

SERVED: dict[str, Callable[[], tuple[Tensor, Any]]] = {
    "tuple": lambda: (torch.randn(2, 3), (1, 0)),
    "list": lambda: (torch.randn(2, 3), [1, 0]),
    "size": lambda: (torch.randn(2, 3, 4), torch.Size((2, 0, 1))),
    "negative dims": lambda: (torch.randn(2, 3, 4), (-1, 0, -2)),
    "scalar": lambda: (torch.tensor(3.0), ()),
    "empty": lambda: (torch.randn(2, 0, 3), (2, 1, 0)),
    "strided": lambda: (torch.randn(6, 8)[::2, 1::3], (1, 0)),
    "expanded": lambda: (torch.randn(3, 1).expand(3, 4), (1, 0)),
    "conjugate": lambda: (torch.randn(3, 4, dtype=torch.cfloat).conj(), (1, 0)),
    "negative": lambda: (torch.randn(3, 4, dtype=torch.cfloat).conj().imag, (1, 0)),
    "bool": lambda: (torch.randint(0, 2, (3, 4)).bool(), (1, 0)),
    "parameter": lambda: (torch.nn.Parameter(torch.randn(3, 4)), (1, 0)),
    "gradient": lambda: (torch.randn(3, 4, requires_grad=True), (1, 0)),
    "twelve dims": lambda: (torch.randn([2] * 12), tuple(range(11, -1, -1))),
    "large": lambda: (torch.randn(600, 700), (1, 0)),
}
STATES: dict[str, Callable[[], Any]] = {
    "plain": contextlib.nullcontext,
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu"),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", SERVED)
def test_what_is_served_is_what_the_op_gives(
    name: str, state: str, by_op: Callable[..., Tensor]
) -> None:
    x, dims = SERVED[name]()
    with STATES[state]():
        served = serve(x, dims, None)
        assert served is not None
        assert_same(served, by_op(x, dims))
        outs = [torch.empty(served.shape, dtype=x.dtype) for _ in range(2)]
        if x.requires_grad and torch.is_grad_enabled():
            return
        assert serve(x, dims, outs[0]) is outs[0]
        assert by_op(x, dims, out=outs[1]) is outs[1]
        assert_same(*outs)


@settings(max_examples=150, deadline=None)
@given(
    extents=st.lists(st.integers(0, 5), max_size=5),
    dtype=st.sampled_from([torch.uint8, torch.bfloat16, torch.float32, torch.complex128]),
    layout=st.sampled_from(sorted(oracle.LAYOUTS)),
    as_list=st.booleans(),
    choice=st.randoms(use_true_random=False),
)
def test_any_shape_and_strides_are_served_right(
    extents: list[int], dtype: torch.dtype, layout: str, as_list: bool, choice: Any
) -> None:
    x = oracle.LAYOUTS[layout](extents, dtype)
    dims = oracle.random_dims(len(extents), choice)
    served = serve(x, list(dims) if as_list else dims, None)
    assert served is not None
    oracle.assert_permuted(served, x, dims)
    out = torch.empty_like(served)
    assert serve(x, dims, out) is out
    oracle.assert_same_bits(out, served)


def test_a_gradient_flows_through_a_served_call_backward_and_forward() -> None:
    x = torch.randn(3, 4, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda a: torch_hptp.permute(a, (1, 0)), x, check_forward_ad=True
    )
    weights = torch.arange(12.0).view(4, 3)
    (torch_hptp.permute(x, (1, 0)) * weights).sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, weights.t().double())
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x.detach(), x.detach() + 1)
        y = serve(dual, (1, 0), None)
        assert y is not None
        tangent = torch.autograd.forward_ad.unpack_dual(y).tangent
        assert tangent is not None
        assert torch.equal(tangent, x.detach().t() + 1)


def test_a_served_out_counts_as_written() -> None:
    x, out = torch.randn(3, 4), torch.zeros(4, 3)
    view = out.view(12)
    assert torch_hptp.permute(x, (1, 0), out=out) is out
    assert (out._version, view._version) == (1, 1)
    factor = torch.ones(4, 3, requires_grad=True)
    product = factor * out
    torch_hptp.permute(x, (1, 0), out=out)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_a_profiler_sees_the_op() -> None:
    with torch.profiler.profile() as profile:
        torch_hptp.permute(torch.randn(3, 4), (1, 0))
    assert "hptp::permute" in {event.name for event in profile.events()}


def test_served_calls_keep_and_lose_no_reference() -> None:
    x, out, dims = torch.randn(3, 4), torch.empty(4, 3), (1, 0)
    gc.collect()
    before = [sys.getrefcount(one) for one in (x, out, dims, None)]
    for _ in range(1000):
        torch_hptp.permute(x, dims)
        torch_hptp.permute(x, dims, out=out)
        serve(x, dims, x)  # refused
    gc.collect()
    after = [sys.getrefcount(one) for one in (x, out, dims, None)]
    assert after[:3] == before[:3]
    assert abs(after[3] - before[3]) < 500


def test_the_gil_is_free_while_a_served_call_runs() -> None:
    """With a long switch interval, another thread gets on only where the GIL is let go."""
    x = torch.ones(4096, 4096)
    ticks, is_over = [0], threading.Event()

    def tick() -> None:
        while not is_over.is_set():
            ticks[0] += 1
            time.sleep(0.0001)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    thread = threading.Thread(target=tick)
    thread.start()
    try:
        for _ in range(200):
            before = ticks[0]
            result = serve(x, (1, 0), None)
            progress = ticks[0] - before
            assert result is not None
            del result  # outside of what is watched: torch lets the GIL go to free memory
            if progress:
                break
        assert progress > 0
    finally:
        is_over.set()
        thread.join()
        sys.setswitchinterval(interval)


# What is not served -------------------------------------------------------------------------------


class Named(Tensor):
    pass


class Steps(list[int]):
    pass


Pair = collections.namedtuple("Pair", "first second")

X = torch.arange(6.0).view(2, 3)

UNSERVED: dict[str, Callable[[], tuple[Any, Any, Any]]] = {
    "subclass": lambda: (X.as_subclass(Named), (1, 0), None),
    "subclass out": lambda: (X, (1, 0), torch.empty(3, 2).as_subclass(Named)),
    "fake": lambda: (FakeTensorMode().from_tensor(X), (1, 0), None),
    "meta": lambda: (X.to("meta"), (1, 0), None),
    "sparse": lambda: (X.to_sparse(), (1, 0), None),
    "mkldnn": lambda: (X.to_mkldnn(), (1, 0), None),
    "quantized": lambda: (torch.quantize_per_tensor(X, 0.1, 3, torch.qint8), (1, 0), None),
    "zero tensor": lambda: (torch._efficientzerotensor(2, 3), (1, 0), None),
    "no tensor": lambda: (numpy.ones((2, 3)), (1, 0), None),
    "no tensor out": lambda: (X, (1, 0), 1),
    "None": lambda: (None, (1, 0), None),
    "range": lambda: (X, range(2), None),
    "array": lambda: (X, numpy.array([1, 0]), None),
    "bools": lambda: (X, (True, False), None),
    "numpy ints": lambda: (X, (numpy.int64(1), numpy.int64(0)), None),
    "tensor dims": lambda: (X, (torch.tensor(1), torch.tensor(0)), None),
    "floats": lambda: (X, (1.0, 0.0), None),
    "a list subclass": lambda: (X, Steps([1, 0]), None),
    "a tuple subclass": lambda: (X, Pair(1, 0), None),
    "no sequence": lambda: (X, 1, None),
    "huge dim": lambda: (X, (2**70, 0), None),
    "dim out of range": lambda: (X, (2, 0), None),
    "dim too small": lambda: (X, (0, -(2**63)), None),
    "dim twice": lambda: (X, (1, 1), None),
    "dim missing": lambda: (X, (0,), None),
    "out of another shape": lambda: (X, (1, 0), torch.empty(2, 3)),
    "out of another dtype": lambda: (X, (1, 0), torch.empty(3, 2, dtype=torch.int32)),
    "out of another device": lambda: (X, (1, 0), torch.empty(3, 2, device="meta")),
    "out is x": lambda: (x := torch.ones(3, 3), (1, 0), x),
    "out overlaps itself": lambda: (X, (1, 0), torch.empty(1).expand(3, 2)),
    "out and a gradient": lambda: (X.clone().requires_grad_(), (1, 0), torch.empty(3, 2)),
    "inference out": lambda: (X, (1, 0), torch.inference_mode()(torch.empty)(3, 2)),
    "too large": lambda: (torch.ones(1).expand(2**25, 2**25), (1, 0), None),
}


def outcome(call: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """The result, or what was raised: its kind and its words."""
    try:
        return call(*arguments, **keywords)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", UNSERVED)
def test_what_is_not_served_goes_the_way_of_the_op(name: str, by_op: Callable[..., Any]) -> None:
    x, dims, out = UNSERVED[name]()
    assert serve(x, dims, out) is None
    ours = outcome(torch_hptp.permute, x, dims, out=out)
    wanted = outcome(by_op, x, dims, out=out)
    assert type(ours) is type(wanted)
    if isinstance(wanted, tuple):
        assert ours == wanted
    elif type(wanted) in (Tensor, Named) and wanted.device.type == "cpu":
        assert_same(ours.dequantize() if ours.is_quantized else ours, wanted.dequantize())
    else:
        assert (ours.shape, ours.dtype) == (wanted.shape, wanted.dtype)


def test_the_compiled_function_refuses_a_wrong_count_of_arguments() -> None:
    for arguments in ((), (X,), (X, (1, 0)), (X, (1, 0), None, None)):
        with pytest.raises(TypeError, match="takes x, dims and out"):
            serve(*arguments)


class Functions(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class Dispatches(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(
    "enter",
    [Functions, Dispatches, FakeTensorMode, lambda: torch.device("cpu")],
    ids=["function mode", "dispatch mode", "fake mode", "device"],
)
def test_no_mode_is_passed_by(enter: Callable[[], Any]) -> None:
    x = torch.randn(2, 3)
    with enter():
        assert serve(x, (1, 0), None) is None
    assert serve(x, (1, 0), None) is not None


TRANSFORMS: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    "vmap": torch.func.vmap,
    "grad": lambda f: torch.func.grad(lambda a: f(a).square().sum()),
    "jacrev": torch.func.jacrev,
    "jacfwd": torch.func.jacfwd,
    "functionalize": torch.func.functionalize,
    "vmap of grad": lambda f: torch.func.vmap(torch.func.grad(lambda a: f(a).square().sum())),
    "make_fx": lambda f: lambda x: make_fx(f)(x)(x),
    "pre-dispatch make_fx": lambda f: lambda x: make_fx(f, pre_dispatch=True)(x)(x),
    "trace": lambda f: lambda x: torch.jit.trace(f, x)(x),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TRANSFORMS)
def test_no_transform_is_passed_by(name: str) -> None:
    taken = []

    def ours(x: Tensor) -> Tensor:
        dims = tuple(range(x.dim() - 1, -1, -1))
        taken.append(serve(x, dims, None))
        return torch_hptp.permute(x, dims) * 2

    x = torch.randn(2, 3, 4)
    wanted = TRANSFORMS[name](lambda a: a.permute(tuple(range(a.dim() - 1, -1, -1))) * 2)(x)
    assert torch.equal(TRANSFORMS[name](ours)(x), wanted)
    assert taken
    if name != "make_fx":
        assert taken[0] is None


@pytest.mark.filterwarnings("ignore")
def test_a_trace_records_the_op() -> None:
    traced = torch.jit.trace(lambda x: torch_hptp.permute(x, (1, 0)), torch.ones(2, 3))
    assert "hptp::permute" in str(traced.graph)
    x = torch.randn(4, 5)
    assert torch.equal(traced(x), x.t())


# Dynamo -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dims", [(1, 0), [1, 0], torch.Size((1, 0))], ids=repr)
def test_dynamo_sees_the_op_and_never_the_compiled_function(dims: Any) -> None:
    def function(x: Tensor, out: Tensor) -> tuple[Tensor, Tensor]:
        y = torch_hptp.permute(x, dims)
        return y * 2, torch_hptp.permute(x.detach(), dims, out=out)

    torch._dynamo.reset()
    counter = CompileCounter()
    seen: list[str] = []

    def backend(graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Any:
        seen.extend(str(node.target) for node in graph.graph.nodes if node.op == "call_function")
        return counter(graph, inputs)

    x, out = torch.randn(2, 3, requires_grad=True), torch.empty(3, 2)
    doubled, written = torch.compile(function, backend=backend, fullgraph=True)(x, out)
    assert torch.equal(doubled, 2 * x.t())
    assert written is out
    assert torch.equal(out, x.t())
    assert sorted(name for name in seen if "hptp" in name) == [
        "hptp.permute.default",
        "hptp.permute.out",
    ]
    assert counter.frame_count == 1


def test_an_exported_program_holds_the_op() -> None:
    class Swap(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch_hptp.permute(x, (1, 0))

    x = torch.randn(2, 3)
    for strict in (False, True):
        program = torch.export.export(Swap(), (x,), strict=strict)
        assert "hptp.permute.default" in str(program.graph)
        assert torch.equal(program.module()(x), x.t())


# The files ----------------------------------------------------------------------------------------

WITHOUT = """
import sys, torch
sys.modules["torch_hptp._entry_torch" + "_".join(torch.__version__.split(".")[:2])] = None
import torch_hptp
from torch_hptp import _entry, ops
assert ops._serve is _entry.serve_nothing
x = torch.randn(2, 3)
out = torch.empty(3, 2)
assert torch.equal(torch_hptp.permute(x, (1, 0)), x.t())
assert torch_hptp.permute(x, [1, 0], out=out) is out and torch.equal(out, x.t())
from torch_hptp.__main__ import version_lines
print([line for line in version_lines() if line.startswith("small tensors")][0])
"""


def test_all_works_without_the_module() -> None:
    run = run_python(WITHOUT)
    assert run.returncode == 0, run.stderr
    assert "through torch.ops, without torch_hptp._entry_torch" in run.stdout


def test_a_module_for_another_torch_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    major, minor = torch.__version__.split(".")[:2]
    assert _entry.module_name() == f"torch_hptp._entry_torch{major}_{minor}"
    monkeypatch.setattr(torch, "__version__", "9.8.7")
    assert _entry.module_name() == "torch_hptp._entry_torch9_8"
    assert _entry.find_entry() is _entry.serve_nothing


def test_a_module_that_does_not_load_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "_entry_torch9_8.so").write_bytes(b"no library")
    monkeypatch.setattr(torch_hptp, "__path__", [*torch_hptp.__path__, str(tmp_path)])
    monkeypatch.setattr(torch, "__version__", "9.8.7")
    assert _entry.find_entry() is _entry.serve_nothing


def test_a_module_of_another_python_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "_entry_torch9_8.cpython-27-m68k-linux-gnu.so").write_bytes(b"no library")
    monkeypatch.setattr(torch_hptp, "__path__", [*torch_hptp.__path__, str(tmp_path)])
    monkeypatch.setattr(torch, "__version__", "9.8.7")
    assert _entry.find_entry() is _entry.serve_nothing


def test_the_ops_library_has_nothing_of_python() -> None:
    """C++ programs load it without an interpreter."""
    from torch_hptp._library import library_path

    library = library_path().read_bytes()
    for name in (b"PyErr_", b"PyObject_", b"PyGILState", b"libtorch_python", b"libpython"):
        assert name not in library


# The benchmark ------------------------------------------------------------------------------------


def test_the_benchmark_of_small_tensors_prints_a_row_a_shape(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from benchmarks import small

    assert small.main(["--rounds", "1", "--calls", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[-4:]] == ["2x3", "8x8", "32x32", "3x32x32"]
    assert all(len(line.split()) == 9 for line in lines[-4:])


def test_the_benchmark_of_small_tensors_tells_a_wrong_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks import small

    monkeypatch.setattr(small.torch_hptp, "permute", lambda x, dims, out=None: x.permute(dims) + 1)
    assert small.main(["--rounds", "1", "--calls", "2"]) == 1
    assert "WRONG: ['ours', 'ours out']" in capsys.readouterr().out
