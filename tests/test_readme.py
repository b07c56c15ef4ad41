"""The README's Python examples run as they stand, in one program, one after the other."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def test_the_examples_of_the_readme_run(tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 3
    checks = """
assert torch.equal(planes, images.permute(0, 3, 1, 2)) and planes.is_contiguous()
assert torch.equal(out, planes)
assert torch.equal(dense, every_second) and dense.is_contiguous()
assert torch.equal(to_planes(images), planes.float() / 255)
x = torch.randn(2, 5, 3, 4)
assert torch.equal(torch.jit.load("heads.pt")(x), x.transpose(1, 2))
"""
    program = tmp_path / "readme.py"
    program.write_text("\n".join([*blocks, checks]))
    run = subprocess.run(
        [sys.executable, program.name],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(README.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
