"""torch.export to a file and back, and an AOTInductor package."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

import torch_hptp

P = torch.ops.hptp.permute


class Heads(torch.nn.Module):
    """Both forms, a moved and a fused neighbour on each side."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        y = P(x + 1, (0, 2, 1, 3))
        out = torch.empty_like(y)
        torch.ops.hptp.permute.out(x, (0, 2, 1, 3), out=out)
        return y * 2, torch_hptp.permute(out, (-1, 0, 1, 2))


def wanted(x: Tensor) -> tuple[Tensor, Tensor]:
    y = x.permute(0, 2, 1, 3)
    return ((x + 1).permute(0, 2, 1, 3) * 2, y.permute(3, 0, 1, 2))


def check(module: object, x: Tensor) -> None:
    assert callable(module)
    for ours, right in zip(module(x), wanted(x), strict=True):
        assert torch.equal(ours, right)
        assert ours.is_contiguous()


@pytest.fixture(scope="module")
def program() -> torch.export.ExportedProgram:
    batch = torch.export.Dim("batch", min=1, max=64)
    return torch.export.export(
        Heads(), (torch.randn(2, 3, 4, 5),), dynamic_shapes={"x": {0: batch}}
    )


def test_an_exported_program_holds_the_op_and_survives_a_file(
    program: torch.export.ExportedProgram, tmp_path: Path
) -> None:
    names = {str(node.target) for node in program.graph.nodes}
    assert "hptp.permute.default" in names
    torch.export.save(program, tmp_path / "heads.pt2")
    loaded = torch.export.load(tmp_path / "heads.pt2")
    for batch in (2, 1, 7):
        check(loaded.module(), torch.randn(batch, 3, 4, 5))


def test_decomposition_leaves_the_op_whole(program: torch.export.ExportedProgram) -> None:
    lowered = program.run_decompositions()
    assert "hptp.permute.default" in {str(node.target) for node in lowered.graph.nodes}
    check(lowered.module(), torch.randn(3, 3, 4, 5))


def test_a_program_exported_for_training_has_the_gradient() -> None:
    class Swap(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return P(x, (1, 0)).square()

    module = torch.export.export(Swap(), (torch.randn(3, 4),)).module()
    x = torch.randn(3, 4, requires_grad=True)
    module(x).sum().backward()
    assert x.grad is not None
    assert torch.allclose(x.grad, 2 * x.detach())


def test_an_aot_inductor_package_is_compiled_loaded_and_run(
    program: torch.export.ExportedProgram, tmp_path: Path
) -> None:
    path = str(tmp_path / "heads_package.pt2")
    torch._inductor.aoti_compile_and_package(program, package_path=path)
    loaded = torch._inductor.aoti_load_package(path)
    for batch in (2, 1, 7):
        check(loaded, torch.randn(batch, 3, 4, 5))
