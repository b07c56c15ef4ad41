"""TorchScript: deprecated in torch, still served."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from oracle import run_python
from torch import Tensor

import torch_hptp  # noqa: F401  registers the op

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def swap(x: Tensor) -> Tensor:
    return torch.ops.hptp.permute(x, [1, -2]) * 2


def swap_into(x: Tensor, out: Tensor) -> Tensor:
    return torch.ops.hptp.permute(x, [1, 0], out=out)


class Swap(torch.nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.ops.hptp.permute(x, [2, 0, 1]).contiguous()


def test_a_scripted_function_equals_eager() -> None:
    scripted = torch.jit.script(swap)
    assert "hptp::permute" in str(scripted.graph)
    for x in (torch.randn(3, 4), torch.randn(8, 3)[::2].t(), torch.empty(0, 3)):
        for _ in range(3):  # the profiling executor takes another way from the third call on
            assert torch.equal(scripted(x), 2 * x.t())


def test_a_scripted_out_form_writes_its_out() -> None:
    scripted = torch.jit.script(swap_into)
    x, base = torch.randn(3, 4), torch.full((4, 6), -1.0)
    for _ in range(3):
        y = scripted(x, base[:, ::2])
        assert torch.equal(y, x.t())
    assert torch.equal(base[:, ::2], x.t())
    assert torch.all(base[:, 1::2] == -1)


def test_a_scripted_function_has_the_gradient() -> None:
    scripted = torch.jit.script(swap)
    for _ in range(3):
        x = torch.randn(3, 4, requires_grad=True)
        (scripted(x) * torch.arange(12.0).view(4, 3)).sum().backward()
        assert x.grad is not None
        assert torch.equal(x.grad, 2 * torch.arange(12.0).view(4, 3).t())


def test_a_traced_module_takes_other_shapes() -> None:
    traced = torch.jit.trace(Swap(), torch.randn(2, 3, 4))
    for shape in ((2, 3, 4), (5, 6, 7), (1, 1, 1)):
        x = torch.randn(shape)
        assert torch.equal(traced(x), x.permute(2, 0, 1))


def test_wrong_dims_in_a_scripted_function_are_an_error() -> None:
    scripted = torch.jit.script(swap)
    with pytest.raises(RuntimeError, match="number of dimensions"):
        scripted(torch.randn(2, 3, 4))


@pytest.mark.parametrize(
    "make", [torch.jit.script, lambda m: torch.jit.trace(m, torch.ones(2, 3, 4))]
)
def test_a_saved_module_is_loaded_and_run(make: Callable[..., Callable], tmp_path: Path) -> None:  # type: ignore[type-arg]
    torch.jit.save(make(Swap()), tmp_path / "swap.pt")
    x = torch.randn(2, 3, 4)
    assert torch.equal(torch.jit.load(tmp_path / "swap.pt")(x), x.permute(2, 0, 1))
    frozen = torch.jit.freeze(torch.jit.script(Swap().eval()))
    assert torch.equal(torch.jit.optimize_for_inference(frozen)(x), x.permute(2, 0, 1))


LOAD = """
import sys, torch
if sys.argv[2] == "with":
    import torch_hptp
module = torch.jit.load(sys.argv[1])
x = torch.arange(24.).view(2, 3, 4)
assert torch.equal(module(x), x.permute(2, 0, 1))
print("right")
"""


@pytest.mark.parametrize("library", ["with", "without"])
def test_a_fresh_python_needs_the_library_to_load_a_saved_module(
    library: str, tmp_path: Path
) -> None:
    """AGD-15: with it the module runs; without it torch's message names the op."""
    path = tmp_path / "swap.pt"
    torch.jit.save(torch.jit.script(Swap()), path)
    run = run_python(LOAD, str(path), library)
    if library == "with":
        assert (run.returncode, run.stdout) == (0, "right\n"), run.stderr
    else:
        assert run.returncode == 1
        assert "hptp::permute" in run.stderr
