"""The tables of torch_hptp next to PyTorch, and the curve: on tiny rows and made-up numbers."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path

import pytest
import torch

import torch_hptp
from benchmarks import concerns, curve, paired, paired_command, paired_table, strided, workloads
from benchmarks.curve import Point
from benchmarks.paired import PairResult, Question
from benchmarks.paired_table import Goals

GOALS = Goals(each=0.95, mean=3.0)
TINY = (
    Question("a-1", "a transpose", (5, 7), (1, 0), torch.float32),
    Question("a-2", "a crop", (9, 8, 3), (0, 1, 2), torch.uint8, (slice(1, 7), slice(2, None, 3))),
    Question("b-1", "into every second", (6, 4), (1, 0), torch.float64, out_step=2),
    Question(
        "b-2", "into a transposed out", (6, 4, 2), (0, 2, 1), torch.int16, out_order=(2, 0, 1)
    ),
)


def _result(name: str, ours: float, theirs: float) -> PairResult:
    return PairResult(Question(name, "made up", (10, 10), (1, 0), torch.int8), 1, ours, theirs)


# What is measured -------------------------------------------------------------------------------


def test_every_workload_is_a_permutation_with_a_source() -> None:
    questions = workloads.read_workloads()
    assert len(questions) == 330
    assert len({one.name for one in questions}) == 330
    for one in questions:
        assert sorted(one.dims) == list(range(len(one.shape))), one.name
        assert one.nbytes() == math.prod(one.shape) * one.dtype.itemsize
    lines = (Path(workloads.__file__).with_suffix(".csv")).read_text().splitlines()
    assert lines[0] == "id,name,shape,perm,dtype,source"
    assert all(line.rsplit(",", 1)[1] for line in lines)


def test_the_slow_rows_of_reports_are_among_the_workloads() -> None:
    """PRF-01, PRF-06, PRF-07, PRF-09, PRF-10, PRF-12."""
    names = {one.name for one in workloads.read_workloads()}
    assert names >= {"rten-512", "rten-1023", "np-4096", "np-sq8000", "np-sq12000", "np-sq16000"}
    assert names >= {
        "moe-01",
        "moe-02",
        "pt-11",
        "vis-02",
        "vis-03",
        "seed-06",
        "seed-07",
        "arr-01",
    }
    assert names >= {"whi-01", "whi-02", "pt-06", "gnn-02", "tf-l09", "pt-12", "pt-14"}
    assert names >= {"pt-01", "pt-02"}


def test_every_strided_view_but_the_reversed_one_is_there() -> None:
    """strd-01 to strd-15 without strd-06; PRF-13 is strd-12."""
    numbers = {one.name[:7] for one in strided.QUESTIONS}
    assert numbers == {f"strd-{number:02}" for number in range(1, 16)} - {"strd-06"}
    by_name = {one.name: one for one in strided.QUESTIONS}
    assert by_name["strd-01"].view_shape() == (999, 999, 3)
    assert by_name["strd-03"].view_shape() == (999, 999, 2, 2)
    assert by_name["strd-07-1024"].view_shape() == (1024, 1024)
    assert by_name["strd-11"].view_shape() == (12, 12, 12, 12, 12, 6)
    assert by_name["strd-12"].view_shape() == (1, 201, 3000)
    assert by_name["strd-13"].view_shape() == (1, 30, 542080)
    assert by_name["strd-14"].view_shape() == (16, 5120, 8192)
    assert by_name["strd-15"].view_shape() == (8, 2048, 8, 128)


def test_the_other_concerns_are_rows() -> None:
    """PRF-12 and PRF-16."""
    by_name = {one.name: one for one in concerns.QUESTIONS}
    out = by_name["prf-12-out"].make_output()[1]
    assert out.stride() == (1, 4096)
    sizes = [by_name[f"prf-16-{size}"].nbytes() for size in ("256K", "4M", "256M")]
    assert sizes == [2**18, 2**22, 2**28]


@pytest.mark.parametrize("question", TINY, ids=lambda one: one.name)
def test_both_calls_answer_the_question(question: Question) -> None:
    view = question.view(torch.arange(math.prod(question.shape)).view(question.shape))
    view = view.to(question.dtype)
    (ours_base, ours), (torch_base, theirs) = question.make_output(), question.make_output()
    assert ours_base.data_ptr() != torch_base.data_ptr()
    for call in question.calls(view, ours, theirs):
        call()
    assert torch.equal(ours, view.permute(question.dims))
    assert torch.equal(ours_base, torch_base)
    assert math.prod(ours_base.shape) == question.out_step * view.numel()


def test_views_made_contiguous_go_through_contiguous(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    monkeypatch.setattr(torch_hptp, "contiguous", lambda *_, **__: called.append("contiguous"))
    monkeypatch.setattr(torch_hptp, "permute", lambda *_, **__: called.append("permute"))
    for question in TINY:
        view = question.view(torch.zeros(question.shape, dtype=question.dtype))
        question.calls(view, question.make_output()[1], question.make_output()[1])[0]()
    assert called == ["permute", "contiguous", "permute", "permute"]


def test_what_follows_is_called_on_both_outputs() -> None:
    seen: list[torch.Tensor] = []
    question = Question("c", "then", (3, 4), (1, 0), torch.int8, then=seen.append)
    ours, theirs = (question.make_output()[1] for _ in range(2))
    for call in question.calls(torch.ones(3, 4, dtype=torch.int8), ours, theirs):
        call()
    assert [one.data_ptr() for one in seen] == [ours.data_ptr(), theirs.data_ptr()]


# How it is measured -----------------------------------------------------------------------------


@pytest.mark.parametrize("question", TINY, ids=lambda one: one.name)
def test_a_row_is_measured(question: Question) -> None:
    result = paired.measure(question, 1, 0.01, 2**30)
    assert not result.skipped
    assert result.has_equal_bits
    assert result.speedup > 0
    assert paired_table.wrong_answers([result]) == []


def test_a_wrong_byte_is_found_also_between_the_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    true = torch_hptp.permute

    def spill(x: torch.Tensor, dims: tuple[int, ...], *, out: torch.Tensor) -> torch.Tensor:
        true(x, dims, out=out)
        wide = out.as_strided((1,), (1,), out.storage_offset() + 1)
        wide.view(torch.uint8)[0] ^= 1
        return out

    monkeypatch.setattr(torch_hptp, "permute", spill)
    for question in (TINY[0], TINY[2]):
        result = paired.measure(question, 1, 0.01, 2**30)
        assert not result.has_equal_bits
        assert paired_table.wrong_answers([result]) == [f"{question.name}: WRONG BITS"]
        assert "WRONG BITS" in paired_table.table_line(result)


def test_a_row_that_does_not_fit_is_skipped_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    result = paired.measure(TINY[0], 1, 0.01, 279)
    assert result.skipped == "0.0 GiB in and out"
    assert paired.measure(TINY[0], 1, 0.01, 280).skipped == ""
    monkeypatch.setattr(paired, "available_bytes", lambda: 2**20)
    poor = paired.measure(TINY[0], 1, 0.01, 2**30)
    assert poor.skipped == "needs 0.3 GiB, 0.0 GiB are free"
    lines = paired_table.closing_lines([result, poor, _result("x", 1, 4)], GOALS)
    assert lines == [
        "1 rows, geometric mean of ours/torch 4.00, 0 below 0.95",
        "2 rows do not fit: a-1, a-1",
    ]


def _clock(monkeypatch: pytest.MonkeyPatch, durations: dict[str, float]) -> list[str]:
    """Calls that take as long as they are told to, by a clock that only they move."""
    now, called = [0.0], []
    monkeypatch.setattr(paired.time, "perf_counter", lambda: now[0])

    def call(name: str) -> None:
        now[0] += durations[name]
        called.append(name)

    monkeypatch.setattr(paired, "call_made_up", call, raising=False)
    return called


def _both(monkeypatch: pytest.MonkeyPatch, ours: float, theirs: float, seconds: float) -> list[str]:
    called = _clock(monkeypatch, {"ours": ours, "torch": theirs})
    call = paired.call_made_up  # type: ignore[attr-defined]
    best = paired.best_of_both((lambda: call("ours"), lambda: call("torch")), seconds)
    assert best == pytest.approx((ours, theirs))
    return called


def test_calls_take_turns_and_short_ones_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    called = _both(monkeypatch, 0.0005, 0.001, 100)
    assert called[:6] == ["ours", "torch", "ours", "ours", "torch", "torch"]
    assert called.count("ours") == called.count("torch") == 1 + 9 * 2
    called = _both(monkeypatch, 0.25, 0.25, 1.0)
    assert called == ["ours", "torch"] * 2


def test_a_seeming_loss_is_looked_at_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    ahead, behind = _both(monkeypatch, 0.1, 0.2, 1.0), _both(monkeypatch, 0.2, 0.1, 1.0)
    assert len(behind) > 3 * len(ahead)


# What is said about it --------------------------------------------------------------------------


def test_goals_met_and_missed() -> None:
    fine = [_result("a", 1.0, 0.95), _result("b", 1.0, 10.0)]
    assert paired_table.missed_goals(fine, GOALS) == []
    slow_row = [_result("a", 1.0, 0.94), _result("b", 1.0, 100.0)]
    assert paired_table.missed_goals(slow_row, GOALS) == ["a: 0.94 times torch, goal 0.95"]
    slow_mean = [_result("a", 1.0, 2.0), _result("b", 1.0, 4.0)]
    assert paired_table.missed_goals(slow_mean, GOALS) == ["geometric mean 2.83, goal 3.0"]
    assert paired_table.missed_goals([], GOALS) == ["geometric mean nan, goal 3.0"]


def test_the_worst_row_comes_first_and_the_skipped_last() -> None:
    skipped = PairResult(TINY[0], 1, skipped="9 GiB in and out")
    wrong = PairResult(TINY[1], 1, 1.0, 50.0, has_equal_bits=False)
    rows = [_result("fast", 1, 9), skipped, _result("slow", 1, 0.5), wrong]
    names = [one.question.name for one in paired_table.worst_first(rows)]
    assert names == ["a-2", "slow", "fast", "a-1"]


def test_a_line_holds_speeds_bytes_and_the_question() -> None:
    line = paired_table.table_line(PairResult(TINY[1], 1, 54e-9, 108e-9))
    assert line.split()[:4] == ["2.00", "1.33", "0.67", "0.000"]
    assert line.endswith("a-2: uint8 9x8x3 [1:7, 2::3] (0,1,2) a crop")
    assert TINY[1].nbytes() == 6 * 2 * 3


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [("8GiB", 2**33), ("64M", 2**26), ("1.5KiB", 1536), ("100", 100), ("2 gb", 2**31)],
)
def test_sizes_are_read(text: str, nbytes: int) -> None:
    assert paired_command.byte_count(text) == nbytes


@pytest.mark.parametrize("arguments", [["--only", "("], ["--only", "nobody"], ["--threads", "0"]])
def test_a_table_that_makes_no_sense_is_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        strided.main(arguments)
    assert ended.value.code == 2


def test_the_command_prints_worst_first_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tiny.json"
    arguments = ["--threads", "1", "--seconds", "0.001", "--json", str(path)]
    assert paired_command.run("strided", "", TINY, GOALS, [*arguments, "--only", "^a"]) == 0
    printed = capsys.readouterr().out
    assert "2 rows, geometric mean of ours/torch" in printed
    assert "b-1" not in printed
    record = json.loads(path.read_text())
    assert record["benchmark"] == "strided"
    assert record["machine"]["torch"] == torch.__version__
    assert [row["row"] for row in record["rows"]] == ["a-1", "a-2"]
    assert record["rows"][0]["bytes_moved"] == 2 * 5 * 7 * 4


def test_check_ends_with_1_and_names_what_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for ours, code in ((1.0, 0), (5.0, 1)):
        made_up = lambda question, *_, ours=ours: PairResult(question, 1, ours, 4.0)  # noqa: E731
        monkeypatch.setattr(paired, "measure", made_up)
        assert paired_command.run("strided", "", TINY, GOALS, ["--check"]) == code
        printed = capsys.readouterr().out
        assert ("every goal is met" in printed) == (code == 0)
        assert ("goal missed: a-1: 0.80 times torch, goal 0.95" in printed) == (code == 1)


def test_wrong_bits_end_the_command_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = lambda question, *_: PairResult(question, 1, 1.0, 4.0, False)  # noqa: E731
    monkeypatch.setattr(paired, "measure", wrong)
    assert paired_command.run("strided", "", TINY, GOALS, []) == 1


# The curve --------------------------------------------------------------------------------------


def _curve(speeds: dict[int, float], memcpy: float = 10.0) -> list[Point]:
    """Points of given speeds, in 10^9 bytes a second."""
    return [
        Point("square", 4, n, 4 * n * n, 8 * n * n / speed / 1e9, 8 * n * n / memcpy / 1e9, "avx2")
        for n, speed in speeds.items()
    ]


def test_a_smooth_curve_has_no_cliff() -> None:
    assert curve.cliffs(_curve({63: 8, 64: 4.1, 65: 8, 96: 6, 127: 8, 128: 8, 129: 9})) == []


def test_a_fall_beside_the_neighbours_is_a_cliff() -> None:
    found = curve.cliffs(_curve({63: 8, 64: 3.9, 65: 9}))
    assert found == ["square, 4 bytes, n = 64 (16 KiB): 3.90 GB/s, 8.00 at 63, 9.00 at 65"]
    assert curve.cliffs(_curve({63: 8, 64: 3.9, 65: 7})) == []
    assert curve.cliffs(_curve({63: 1, 64: 3.9, 65: 1})) == []


def test_a_fall_from_half_or_twice_the_extent_is_a_cliff() -> None:
    found = curve.cliffs(_curve({48: 6, 96: 2.9, 192: 6}))
    assert [text.split(": ")[1] for text in found] == [
        "0.29 of memcpy, 0.60 at 48",
        "0.29 of memcpy, 0.60 at 192",
    ]
    assert curve.cliffs(_curve({64: 6, 96: 1, 128: 6})) == []


def test_round_extents_are_told_from_their_neighbours() -> None:
    points = _curve(dict.fromkeys((47, 48, 49, 63, 64, 65, 96, 3072, 160), 1.0))
    assert [one.n for one in points if one.is_round] == [48, 64, 96, 3072]


@pytest.fixture(scope="module")
def curve_program() -> Path:
    if shutil.which("cmake") is None:
        pytest.skip("the curve is built with cmake, which is not here")
    return curve.build()


@pytest.mark.slow
def test_the_program_of_the_curve_prints_points(curve_program: Path) -> None:
    command = [str(curve_program), "8", "3", str(40_000), "0.0001"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    points = curve.read_points("batched", 3, text)
    assert [one.n for one in points] == [31, 32, 33]
    assert [one.nbytes for one in points] == [24 * n * n for n in (31, 32, 33)]
    assert all(one.ours_seconds > 0 < one.memcpy_seconds for one in points)
    refused = subprocess.run([str(curve_program)], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
