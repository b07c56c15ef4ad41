"""torch.library.opcheck: schema, autograd registration, fake kernel and AOT dispatch."""

import oracle
import pytest
import torch
from torch.library import opcheck

# AGD-08 and AGD-14: contiguous, transposed, channels_last, extent 1, empty, identity, rank 0.
INPUTS = {
    "contiguous": (torch.randn(3, 4), (1, 0)),
    "negative dims": (torch.randn(2, 3, 4), (-1, 0, -2)),
    "transposed": (torch.randn(4, 3).t(), (1, 0)),
    "cube": (torch.randn(2, 3, 4), (2, 0, 1)),
    "channels_last": (torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last), (0, 2, 3, 1)),
    "stepped": (torch.randn(6, 8)[::2, 1::2], (1, 0)),
    "expanded": (torch.randn(3, 1).expand(3, 4), (1, 0)),
    "extent 1": (torch.randn(1, 2, 1, 4), (1, 0, 3, 2)),
    "only extents 1": (torch.randn(1, 1), (1, 0)),
    "empty": (torch.empty(0, 3), (1, 0)),
    "empty inside": (torch.empty(2, 0, 3), (2, 0, 1)),
    "identity": (torch.randn(2, 3), (0, 1)),
    "identity rank 1": (torch.randn(5), (0,)),
    "scalar": (torch.tensor(1.5), ()),
    "int64": (torch.arange(12).view(3, 4), (1, 0)),
    "bool": (torch.tensor([[True, False, True]]), (1, 0)),
    "bfloat16": (torch.randn(3, 4).bfloat16(), (1, 0)),
    "complex": (torch.randn(3, 4, dtype=torch.cfloat), (1, 0)),
    "conjugate": (torch.randn(3, 4, dtype=torch.cfloat).conj(), (1, 0)),
}
DIFFERENTIABLE = ["contiguous", "transposed", "cube", "stepped", "extent 1", "empty", "scalar"]


@pytest.mark.parametrize("name", INPUTS)
def test_the_functional_overload_passes(name: str) -> None:
    """AGD-08, AGD-14."""
    x, dims = INPUTS[name]
    opcheck(torch.ops.hptp.permute.default, (x, dims))


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_the_functional_overload_passes_with_gradients(name: str) -> None:
    x, dims = INPUTS[name]
    opcheck(torch.ops.hptp.permute.default, (x.detach().clone().requires_grad_(), dims))
    opcheck(torch.ops.hptp.permute.default, (x.detach().requires_grad_(), dims))


@pytest.mark.parametrize("name", [name for name in INPUTS if name != "conjugate"])
def test_the_out_overload_passes(name: str) -> None:
    """AGD-08, AGD-14."""
    x, dims = INPUTS[name]
    opcheck(
        torch.ops.hptp.permute.out, (x, dims), {"out": torch.empty_like(oracle.expected(x, dims))}
    )


def test_the_out_overload_passes_with_a_strided_out() -> None:
    opcheck(torch.ops.hptp.permute.out, (torch.randn(3, 4), (1, 0)), {"out": torch.zeros(3, 4).t()})


def test_the_schemas_and_tags_are_those_promised() -> None:
    functional, out = torch.ops.hptp.permute.default, torch.ops.hptp.permute.out
    assert str(functional._schema) == "hptp::permute(Tensor x, int[] dims) -> Tensor"
    assert str(out._schema) == (
        "hptp::permute.out(Tensor x, int[] dims=[], *, Tensor(a!) out) -> Tensor(a!)"
    )
    assert {torch.Tag.pt2_compliant_tag, torch.Tag.flexible_layout} <= set(functional.tags)
    assert {torch.Tag.pt2_compliant_tag, torch.Tag.out} <= set(out.tags)


def test_inductor_does_not_take_the_out_overload_for_the_functional_one() -> None:
    """It would fail on symbolic shapes and flatten `int[]`; the default dims=[] keeps it off."""
    from torch._library._out_variant import to_out_variant

    assert to_out_variant(torch.ops.hptp.permute.default) is None


@pytest.mark.parametrize("overload", ["hptp::permute", "hptp::permute.out"])
@pytest.mark.parametrize(
    "key", ["CPU", "CompositeExplicitAutograd", "Meta", "Autograd", "ADInplaceOrView"]
)
def test_each_dispatch_key_has_a_kernel_of_its_own(overload: str, key: str) -> None:
    if key == "ADInplaceOrView" and overload == "hptp::permute":
        key = "Autograd"  # the functional form changes no tensor and is no view
    alias = {"Autograd": "AutogradCPU", "CompositeExplicitAutograd": "CUDA"}.get(key, key)
    assert torch._C._dispatch_has_computed_kernel_for_dispatch_key(overload, alias)
