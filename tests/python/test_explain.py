"""torch_hptp.explain tells what permute would do, and refuses what permute refuses."""

import oracle
import pytest
import torch

import torch_hptp


@pytest.mark.parametrize("layout", oracle.LAYOUTS)
def test_every_problem_has_an_explanation_of_whole_lines(layout: str) -> None:
    for shape in ((), (5,), (64, 65), (3, 4, 5), (2, 0, 3), (1, 1), (2, 3, 4, 5)):
        x = oracle.LAYOUTS[layout](shape, torch.float32)
        text = torch_hptp.explain(x, tuple(reversed(range(len(shape)))))
        assert text.strip()
        assert all(line.strip() for line in text.strip().splitlines())


def test_different_problems_have_different_explanations() -> None:
    x = torch.zeros(256, 256)
    copied, transposed = torch_hptp.explain(x, (0, 1)), torch_hptp.explain(x, (1, 0))
    assert copied != transposed
    assert "transpose" in transposed


def test_nothing_is_computed() -> None:
    """A result of 2^60 bytes is explained at once."""
    x = torch.ones(1, dtype=torch.uint8).expand(2**30, 2**30)
    assert torch_hptp.explain(x, (1, 0))


@pytest.mark.parametrize("dims", [(0, 0), (0,), (0, 5)])
def test_wrong_dims_raise_what_permute_raises(dims: tuple[int, ...]) -> None:
    x = torch.zeros(3, 4)
    with pytest.raises((RuntimeError, IndexError)) as wanted:
        torch_hptp.permute(x, dims)
    with pytest.raises(wanted.type) as raised:
        torch_hptp.explain(x, dims)
    assert str(raised.value) == str(wanted.value)


def test_what_is_no_tensor_or_no_strided_one_is_refused() -> None:
    with pytest.raises(TypeError, match="Tensor"):
        torch_hptp.explain([[1.0]], (1, 0))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="dims"):
        torch_hptp.explain(torch.zeros(3, 4), "ab")  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match="strided"):
        torch_hptp.explain(torch.zeros(3, 4).to_sparse(), (1, 0))
