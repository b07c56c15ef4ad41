"""The report: pictures and page out of made-up numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib", reason="pictures are drawn by matplotlib, which is optional")

from benchmarks import board_pictures, pictures, report

MACHINE = {"cpu": "Made Up 9000", "date": "2030-01-02 03:04 UTC", "commit": "abc"}
PNG = b"\x89PNG\r\n"


def _timing(speed: float | None, failure: str = "") -> dict[str, Any]:
    best = 2 / speed if speed else None
    rate = speed if speed else 0.0
    return {"best": best, "gigabytes_per_second": rate, "failure": failure}


def _board_row(
    name: str, threads: int = 1, mode: str = "existing", **speeds: Any
) -> dict[str, Any]:
    return {
        "row": name,
        "mode": mode,
        "threads": threads,
        "size": "small",
        "skipped": "",
        "contenders": {who: _timing(speed) for who, speed in speeds.items()},
    }


def _board() -> list[dict[str, Any]]:
    rows = [
        _board_row(f"row {number}", threads, torch=1.0, ours=4.0 * threads, jax=2.0, memcpy=8.0)
        for threads in (1, 2)
        for number in range(5)
    ]
    rows[1]["contenders"]["streamed"] = _timing(12.0)
    rows[2]["contenders"]["jax"] = _timing(None, "ImportError: none")
    rows[4]["contenders"]["jax"] = _timing(None, "cannot: bfloat16 is unknown to it")
    rows[3] |= {"skipped": "needs 9 GiB", "contenders": {}}
    return rows


def _paired(name: str, ours: float | None, theirs: float | None) -> dict[str, Any]:
    return {
        "row": name,
        "text": "uint8 3x5 (1,0) made up <here>",
        "bytes_moved": 30,
        "threads": 2,
        "ours_seconds": ours,
        "torch_seconds": theirs,
        "has_equal_bits": name != "wrong",
        "skipped": "" if ours else "9 GiB in and out",
    }


def _curve() -> list[dict[str, Any]]:
    return [
        {"shape": shape, "elem_size": size, "n": n, "nbytes": size * n * n}
        | {"ours_seconds": n * 1e-9, "memcpy_seconds": n * 5e-10, "isa": "avx2"}
        for shape in ("square", "batched")
        for size in (1, 2, 3, 4, 12)
        for n in (127, 128, 129, 191, 192, 193)
    ]


def _write(folder: Path, name: str, **record: Any) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"machine": MACHINE} | record))
    return path


def _texts(figure: Any) -> str:
    from matplotlib.text import Text

    return "\n".join(text.get_text() for text in figure.findobj(Text))


def test_a_board_has_a_panel_for_each_row_and_a_bar_for_each_contender() -> None:
    rows = _board()[:5]
    figure = board_pictures.board_figure(rows, "A title\nMade Up 9000")
    panels = [panel for panel in figure.axes if panel.get_visible()]
    assert [panel.get_title(loc="left") for panel in panels] == [row["row"] for row in rows]
    bars = panels[0].patches
    assert [bar.get_width() for bar in bars] == [4.0, 1.0, 2.0]
    assert [label.get_text() for label in panels[0].get_yticklabels()] == ["ours", "torch", "jax"]
    assert "memcpy 8.0   streamed 12.0" in _texts(panels[1]).splitlines()
    assert "memcpy 8.0" in _texts(panels[0]).splitlines()
    texts = _texts(figure)
    assert {"failed", "cannot"} <= set(texts.splitlines())
    assert "row skipped" in texts
    assert "dashed: memcpy; dotted: streamed" in texts


def test_contenders_are_those_of_the_file_ours_first_and_no_roof() -> None:
    assert board_pictures.contender_names(_board()) == ["ours", "torch", "jax"]


def test_gains_of_threads_are_those_of_rows_measured_on_one_and_more() -> None:
    rows = [*_board(), _board_row("alone", 2, ours=3.0), _board_row("row 0", 2, "fresh", ours=99.0)]
    gains = board_pictures.thread_gains(rows)
    assert gains == {f"row {n}": {"ours": {2: 2.0}, "memcpy": {2: 1.0}} for n in (0, 1, 2, 4)}
    later = [_board_row("row 0", 4, ours=6.0), rows[0] | {"size": "full"}]
    both = board_pictures.thread_gains([*rows, *later])
    assert both["row 0, small"]["ours"] == {2: 2.0, 4: 1.5}
    assert "row 0, full" not in both
    figure = board_pictures.threads_figure(gains, "title")
    assert "ours, 2 threads" in _texts(figure)


def test_a_curve_has_a_panel_for_each_element_size() -> None:
    figure = pictures.curve_figure(_curve(), "title")
    panels = [panel for panel in figure.axes if panel.get_visible()]
    assert [panel.get_title(loc="left") for panel in panels] == [
        f"{size}-byte elements" for size in (1, 2, 3, 4, 12)
    ]
    by_label = {line.get_label(): line for line in panels[0].get_lines()}
    assert list(by_label["n x n"].get_xdata()) == [128**2, 192**2]
    assert list(by_label["n x n: n - 1, n + 1"].get_xdata()) == [127**2, 129**2, 191**2, 193**2]
    assert by_label["memcpy"].get_ydata()[0] == pytest.approx(2 * 128**2 / (128 * 5e-10) / 1e9)


def test_a_scatter_has_a_dot_for_each_timed_row_and_names_the_losses() -> None:
    rows = [_paired("fast", 1e-9, 9e-9), _paired("even", 1.0e-9, 0.97e-9)]
    rows += [_paired("slow", 2e-9, 1e-9), _paired("as slow", 2e-9, 1e-9)]
    rows += [_paired("huge", None, None)]
    figure = pictures.scatter_figure(rows, "title")
    texts = _texts(figure)
    assert "ahead of PyTorch: 1" in texts
    assert "as fast, within 5 %: 1" in texts
    assert "slower than PyTorch: 2" in texts
    assert {"slow", "as slow"} <= set(texts.splitlines())
    assert "fast" not in texts.splitlines()
    dots = sum(len(dots.get_offsets()) for dots in figure.axes[0].collections)
    assert dots == 4


def test_nothing_timed_is_a_picture_all_the_same(tmp_path: Path) -> None:
    path = _write(tmp_path, "none", benchmark="workloads", rows=[_paired("huge", None, None)])
    assert report.write_report([path], tmp_path / "out")[0].read_bytes().startswith(PNG)


def test_the_page_holds_every_picture_and_names_what_is_absent(tmp_path: Path) -> None:
    rows = [_paired("fast", 1e-9, 9e-9), _paired("wrong", 1e-9, 2e-9), _paired("huge", None, None)]
    paths = [
        _write(tmp_path, "machine-board", rows=_board()),
        _write(tmp_path, "machine-workloads", benchmark="workloads", rows=rows),
    ]
    written = report.write_report(paths, tmp_path / "out")
    assert [path.name for path in written] == [
        "machine-board-existing-1-small.png",
        "machine-board-existing-2-small.png",
        "machine-board-threads.png",
        "machine-workloads.png",
        "index.html",
    ]
    assert all(path.read_bytes().startswith(PNG) for path in written[:-1])
    text = written[-1].read_text()
    assert len(re.findall(r"<img [^>]*src='data:image/png;base64,", text)) == 4
    assert "http" not in text  # self-contained
    assert "Speed over size: <code>python -m benchmarks.curve --json FILE</code>" in text
    assert "Strided views" in text
    assert "<li>The board" not in text
    assert "2 rows, geometric mean of the speed-up 4.24." in text
    assert "WRONG BITS: wrong." in text
    assert "do not fit: huge." in text
    assert "Geometric means of our speed over that of: torch 4.00 (4 rows), jax 2.00" in text
    assert "made up &lt;here&gt;" in text
    assert "Made Up 9000" in text


def test_a_curve_and_scaling_are_drawn_from_their_files(tmp_path: Path) -> None:
    scaling = [_board_row("row 0", threads, ours=1.0 * threads) for threads in (1, 2, 4)]
    paths = [
        _write(tmp_path, "c", benchmark="curve", rows=_curve()),
        _write(tmp_path, "b", rows=_board()[:1], scaling=scaling),
    ]
    written = report.write_report(paths, tmp_path / "out")
    names = ["c.png", "b-existing-1-small.png", "b-threads.png", "index.html"]
    assert [path.name for path in written] == names


def test_no_file_at_all_is_a_page_that_names_everything(tmp_path: Path) -> None:
    text = report.write_report([], tmp_path)[0].read_text()
    assert text.count("<li>") == len(report.KINDS)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"benchmark": "other", "machine": {}}'])
def test_a_file_of_another_kind_is_refused_by_name(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    assert report.main([str(path), "--out", str(tmp_path)]) == 1
    assert f"{path} is no record of a benchmark" in capsys.readouterr().err


def test_the_published_results_can_be_drawn(tmp_path: Path) -> None:
    assert report.main(["--out", str(tmp_path)]) == 0
    assert (tmp_path / "index.html").exists()
