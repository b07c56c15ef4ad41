"""save_model.py DIRECTORY: writes what the LibTorch test needs.

``model.pt`` is a scripted model that calls the op; ``library`` holds the path of the library that
serves the op.
"""

import sys
from pathlib import Path

import torch

import torch_hptp  # noqa: F401  (registers the op)
from torch_hptp._library import library_path


class SplitHeads(torch.nn.Module):
    """(B, S, H * D) -> (B, H, S, D), contiguous: what attention does with its projections."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.heads = heads

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        split = x.reshape(x.size(0), x.size(1), self.heads, -1)
        return torch.ops.hptp.permute(split, [0, 2, 1, 3])


def main() -> None:
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    torch.jit.script(SplitHeads(heads=4)).save(directory / "model.pt")
    (directory / "library").write_text(str(library_path()), encoding="utf-8")


if __name__ == "__main__":
    main()
