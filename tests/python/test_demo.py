"""The command line: the demo on pictures of every kind, and one clear sentence where it cannot."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

import torch_hptp
from torch_hptp import __main__ as command_line
from torch_hptp import _demo, _timing


@pytest.fixture(autouse=True)
def _short_and_with_the_threads_of_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(_demo, "_BUDGET_SECONDS", 0.0)
    monkeypatch.setattr(command_line, "_BENCH_SECONDS", 0.0)
    monkeypatch.setattr(_timing, "_MOST_REPEATS", 2)
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


def _gradient(height: int, width: int, channels: int) -> np.ndarray:
    values = np.arange(height * width * channels, dtype=np.int64) * 7 % 251
    return values.astype(np.uint8).reshape(height, width, channels)


def _saved(folder: Path, image: Image.Image, name: str) -> Path:
    image.save(folder / name)
    return folder / name


def test_the_demo_ends_well_on_its_own_photo_and_writes_it_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.png"
    assert command_line.main(["demo", "--output", str(output)]) == 0
    with Image.open(_demo.sample_image()) as before, Image.open(output) as after:
        assert after.format == "PNG"
        assert np.array_equal(np.asarray(before), np.asarray(after))
    printed = capsys.readouterr().out
    assert "equal to PyTorch's, bit for bit" in printed
    assert str(output) in printed
    assert printed.count(" equal\n") == 3
    assert "DIFFER" not in printed


def test_the_demo_runs_as_a_module(tmp_path: Path) -> None:
    path = _saved(tmp_path, Image.fromarray(_gradient(9, 7, 3)), "small.png")
    finished = subprocess.run(
        [
            *(sys.executable, "-m", "torch_hptp", "demo", "--threads", "1"),
            *("--image", path, "--output", tmp_path / "out.png"),
        ],
        cwd=Path(torch_hptp.__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    assert "1 thread(s)" in finished.stdout
    assert (tmp_path / "out.png").is_file()


def _pictures() -> dict[str, tuple[Image.Image, str]]:
    colour = Image.fromarray(_gradient(12, 17, 3))
    see_through = Image.fromarray(_gradient(12, 17, 4))
    wide = np.linspace(0, 60000, 12 * 17).reshape(12, 17)
    palette = colour.convert("P")
    palette_with_a_hole = palette.copy()
    palette_with_a_hole.info["transparency"] = 3
    return {
        "rgb": (colour, "a.png"),
        "jpeg": (colour, "a.jpg"),
        "rgba": (see_through, "a.png"),
        "grey": (colour.convert("L"), "a.png"),
        "grey and alpha": (see_through.convert("LA"), "a.png"),
        "black and white": (colour.convert("1"), "a.png"),
        "palette": (palette, "a.gif"),
        "palette with a transparent colour": (palette_with_a_hole, "a.png"),
        "cmyk": (colour.convert("CMYK"), "a.jpg"),
        "16 bits": (Image.fromarray(wide.astype(np.uint16)), "a.png"),
        "32 bits": (Image.fromarray(wide.astype(np.int32)), "a.tiff"),
        "floats": (Image.fromarray(wide.astype(np.float32)), "a.tiff"),
        "one pixel": (Image.fromarray(_gradient(1, 1, 3)), "a.png"),
    }


@pytest.mark.parametrize("kind", _pictures())
def test_a_picture_of_any_kind_goes_there_and_back(kind: str, tmp_path: Path) -> None:
    image, name = _pictures()[kind]
    path = _saved(tmp_path, image, name)
    output = tmp_path / "out.png"
    assert command_line.main(["demo", "--image", str(path), "--output", str(output)]) == 0
    with Image.open(output) as after:
        assert after.size == image.size
        assert torch.equal(torch.from_numpy(np.array(after)), _demo.read_image(path))


def test_greys_of_16_bits_are_spread_and_not_cut_off(tmp_path: Path) -> None:
    wide = np.array([[0, 30000], [45000, 60000]], dtype=np.uint16)
    pixels = _demo.read_image(_saved(tmp_path, Image.fromarray(wide), "a.png"))
    assert pixels[..., 0].tolist() == [[0, 127], [191, 255]]


def test_transparency_is_kept(tmp_path: Path) -> None:
    see_through = _gradient(4, 5, 4)
    pixels = _demo.read_image(_saved(tmp_path, Image.fromarray(see_through), "a.png"))
    assert np.array_equal(pixels.numpy(), see_through)


def test_a_photo_that_says_it_lies_on_its_side_is_read_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # orientation: turn right by 90 degrees
    Image.fromarray(_gradient(8, 16, 3)).save(tmp_path / "a.jpg", exif=exif)
    assert _demo.read_image(tmp_path / "a.jpg").shape == (16, 8, 3)


def _one_sentence_on_stderr(capsys: pytest.CaptureFixture[str]) -> str:
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert "Traceback" not in printed
    return printed


@pytest.mark.parametrize("content", [b"", b"no picture", b"\x89PNG\r\n\x1a\n", b"GIF89a"])
def test_a_file_that_is_no_picture_gives_one_sentence(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.png"
    path.write_bytes(content)
    assert command_line.main(["demo", "--image", str(path)]) == 1
    assert "--image" in _one_sentence_on_stderr(capsys)


@pytest.mark.parametrize("name", ["a.png", "a.jpg"])
def test_a_picture_that_is_cut_off_gives_one_sentence(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    path = _saved(tmp_path, Image.fromarray(noise), name)
    path.write_bytes(path.read_bytes()[:1500])
    assert command_line.main(["demo", "--image", str(path)]) == 1
    assert "--image" in _one_sentence_on_stderr(capsys)


def test_a_file_that_is_not_there_gives_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (tmp_path / "none.png", tmp_path):
        assert command_line.main(["demo", "--image", str(path)]) == 1
        assert str(path) in _one_sentence_on_stderr(capsys)


def test_an_output_that_cannot_be_written_gives_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _saved(tmp_path, Image.fromarray(_gradient(3, 4, 3)), "a.png")
    output = tmp_path / "no such folder" / "out.png"
    assert command_line.main(["demo", "--image", str(path), "--output", str(output)]) == 1
    assert "--output" in _one_sentence_on_stderr(capsys)


def test_without_pillow_the_demo_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert command_line.main(["demo"]) == 1
    assert "pip install pillow" in _one_sentence_on_stderr(capsys)


def test_without_matplotlib_the_demo_asks_for_a_photo(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_demo.importlib.util, "find_spec", lambda name: None)
    assert command_line.main(["demo"]) == 1
    printed = _one_sentence_on_stderr(capsys)
    assert "--image" in printed
    assert "pip install matplotlib" in printed


def test_a_wrong_result_is_said_aloud(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(x: torch.Tensor, dims: tuple[int, ...], *, out: object = None) -> torch.Tensor:
        answer = torch_hptp.permute(x, dims)
        answer.view(-1).view(torch.uint8)[-1] ^= 1
        return answer

    monkeypatch.setattr(_timing, "permute", wrong)
    assert command_line.main(["demo", "--output", str(tmp_path / "out.png")]) == 1
    printed = capsys.readouterr().out
    assert "RESULTS DIFFER" in printed
    assert printed.count(" DIFFER\n") == 3


def test_the_heads_of_a_tiny_photo_fill_their_shape() -> None:
    heads = _demo.attention_heads(torch.tensor([[[255, 0, 51]]], dtype=torch.uint8))
    assert heads.shape == (4, 1024, 16, 64)
    assert heads.dtype == torch.bfloat16
    assert heads.view(-1)[:4].tolist() == pytest.approx([1.0, 0.0, 0.2, 1.0], rel=0.01)


def test_info_names_versions_kernels_and_threads(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["info"]) == 0
    printed = capsys.readouterr().out
    assert f"torch_hptp: {torch_hptp.__version__}" in printed
    assert f"torch: {torch.__version__}" in printed
    assert "built for torch: " + ".".join(torch.__version__.split(".")[:2]) + "\n" in printed
    assert re.search(r"^kernels: (avx512|avx2|neon|scalar)", printed, re.MULTILINE)


@pytest.mark.parametrize(
    ("shape", "dims"), [("8x16x4", "2,0,1"), ("8,16,4", "(2, 0, 1)"), ("8 16 4", "-1,0,1")]
)
def test_explain_prints_the_plan(shape: str, dims: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["explain", "--dtype", "uint8", "--", shape, dims]) == 0
    plan = torch_hptp.explain(torch.empty(8, 16, 4, dtype=torch.uint8), (2, 0, 1))
    assert capsys.readouterr().out.strip() == plan.strip()


def test_explain_of_what_is_no_permute_gives_one_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for shape, dims in (("8x16", "0"), ("8x16", "0,0"), ("8x16", "0,2"), ("-8x16", "0,1")):
        assert command_line.main(["explain", "--dtype=int8", "--", shape, dims]) == 1
        assert _one_sentence_on_stderr(capsys).startswith("No such permute: ")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no-such-command"],
        ["explain", "8xa", "0,1"],
        ["explain", "8x8", "0,1", "--dtype", "floaty"],
        ["explain", "8x8", "0,1", "--dtype", "nn"],
        ["demo", "--threads", "0"],
        ["bench", "--threads", "two"],
    ],
)
def test_a_command_line_that_makes_no_sense_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command_line.main(arguments)
    assert ended.value.code == 2
    assert "usage: python -m torch_hptp" in capsys.readouterr().err


def test_threads_are_those_that_torch_uses(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["explain", "8x8", "1,0", "--threads", "3"]) == 0
    assert torch.get_num_threads() == 3


def test_bench_prints_a_line_for_each_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = tuple(
        (name, tuple(min(extent, 8) for extent in shape), dims, dtype)
        for name, shape, dims, dtype in command_line._BENCH_ROWS
    )
    monkeypatch.setattr(command_line, "_BENCH_ROWS", small)
    assert command_line.main(["bench"]) == 0
    assert capsys.readouterr().out.count(" equal\n") == len(small)


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("nbytes", [0, 1, 63, 64, 65, 1000])
def test_copy_bytes_copies_every_byte_and_nothing_else(
    nbytes: int, threads: int, passes: int
) -> None:
    src = (torch.arange(nbytes) % 251 + 1).to(torch.uint8)
    fenced = torch.zeros(nbytes + 2, dtype=torch.uint8)
    _timing.copy_bytes(src, fenced[1 : nbytes + 1], threads, passes)
    assert torch.equal(fenced[1 : nbytes + 1], src)
    assert fenced[0] == fenced[-1] == 0


def test_copy_bytes_is_libc_memcpy_and_refuses_what_does_not_fit() -> None:
    assert isinstance(_timing._libc_memcpy(), ctypes._CFuncPtr)
    x = torch.zeros(4, 4)
    for src, dst in ((x.t(), x.clone()), (x, x.clone().t()), (x, torch.zeros(15))):
        with pytest.raises(ValueError, match="contiguous and of as many bytes"):
            _timing.copy_bytes(src, dst, 1)


def test_a_comparison_counts_one_call_of_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_timing, "_MOST_REPEATS", 4)
    monkeypatch.setattr(_timing, "best_seconds", lambda calls, budget: [4.0, 8.0, 2.0])
    one = _timing.compare("a", torch.ones(5, 3), (1, 0), 0.0)
    assert (one.torch_seconds, one.ours_seconds, one.memcpy_seconds) == (1.0, 2.0, 0.5)
    assert one.gigabytes_per_second(2.0) == 60 / 1e9
    assert one.has_equal_bits


def test_best_seconds_takes_turns_and_keeps_the_shortest(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0, 5, 5, 6, 6, 8, 8, 12, 12, 15, 15, 17])
    monkeypatch.setattr(_timing.time, "perf_counter", lambda: next(clock))
    order: list[str] = []
    best = _timing.best_seconds([lambda: order.append("a"), lambda: order.append("b")], 1.0)
    assert best == [2, 1]
    assert order == ["a", "b"] * 3
