"""The board: its rows, what it compares and how, and what it says about goals and losses."""

from __future__ import annotations

import dataclasses
import json
import math
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks import board, contenders, machine, measure, report
from benchmarks.cases import CASES, Case
from benchmarks.contenders import CONTENDERS, Contender
from benchmarks.measure import Limits, RowResult, Timing

BY_NAME = {contender.name: contender for contender in CONTENDERS}
QUICK = Limits(calls=1, seconds=0.5)
SHRUNK = tuple(
    dataclasses.replace(case, small_shape=tuple(min(extent, 6) for extent in case.shape))
    for case in CASES
)


def _row(
    torch_seconds: float,
    ours: float,
    memcpy: float,
    case: Case = CASES[0],
    mode: str = "existing",
    threads: int = 1,
) -> RowResult:
    timings = {
        "torch": Timing([torch_seconds]),
        "ours": Timing([ours]),
        "memcpy": Timing([memcpy]),
    }
    return RowResult(case, "full", mode, threads, timings)


# Rows -------------------------------------------------------------------------------------------


def test_the_rows_are_the_sixteen_in_their_order() -> None:
    assert [case.least_speedup for case in CASES] == [
        *(1.5, 1.6, 5.8, 1.0, 2.5, 4.7, 2.0, 0.85),
        *(1.7, 12, 5.0, 11),
        *(1.2, 6.1, 3.8, 8.1),
    ]
    assert len({case.name for case in CASES}) == 16
    assert all(len(case.reason) > 20 for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_row_permutes_its_shape(case: Case) -> None:
    assert sorted(case.dims) == list(range(len(case.shape)))
    assert len(case.small_shape) == len(case.shape)
    assert case.nbytes("full") == math.prod(case.shape) * case.dtype.itemsize


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_small_row_is_the_full_one_cut_down_by_the_rule(case: Case) -> None:
    if len(case.shape) == 2:
        expected = tuple(extent // 4 for extent in case.shape)
    elif len(case.shape) == 8:
        expected = (3, 8, *case.shape[2:])
    elif case.dtype == torch.uint8:
        expected = case.shape
    else:
        expected = (case.shape[0] // 4, *case.shape[1:])
    assert case.small_shape == expected


# Measuring --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.uint8, torch.uint16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("shape", [(5, 7), (0, 3), (4099, 4099)])
def test_an_input_has_no_zero_byte_and_only_normal_floats(
    shape: tuple[int, ...], dtype: torch.dtype
) -> None:
    # PRF-03: a page that was never written is the kernel's zero page, and reads far too fast.
    x = measure.filled(shape, dtype)
    as_bytes = x.view(-1).view(torch.uint8)
    assert x.shape == shape
    assert bool(((as_bytes >= 1) & (as_bytes <= 123)).all())
    if dtype.is_floating_point:
        assert bool((x.isfinite() & (x.abs() >= torch.finfo(dtype).tiny)).all())


def test_an_input_repeats_with_no_period_of_a_shape() -> None:
    x = measure.filled((2**25,), torch.uint8)
    for period in (2**20, 2**24, 224 * 224, 3 * 224 * 224, 3 * 20 * 16 * 24):
        assert not torch.equal(x[:period], x[period : 2 * period])


@pytest.mark.parametrize("chunk", [1, 64, 2**26])
def test_same_bits_sees_every_byte(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_CHUNK_BYTES", chunk)
    x = measure.filled((6, 5, 7), torch.float32)
    expected = x.permute(1, 2, 0)
    assert measure.same_bits(expected.contiguous(), expected)
    for position in (0, 100, 6 * 5 * 7 * 4 - 1):
        changed = expected.contiguous()
        changed.view(-1).view(torch.uint8)[position] ^= 1
        assert not measure.same_bits(changed, expected)


def test_same_bits_tells_apart_what_torch_calls_equal() -> None:
    assert not measure.same_bits(torch.tensor([0.0]), torch.tensor([-0.0]))
    nan = torch.tensor([float("nan")])
    assert measure.same_bits(nan, nan.clone())
    assert not measure.same_bits(torch.zeros(2, 3), torch.zeros(3, 2))
    assert measure.same_bits(torch.zeros(0, 3), torch.zeros(0, 3))


@pytest.mark.parametrize("mode", measure.MODES)
@pytest.mark.parametrize("case", SHRUNK, ids=lambda case: case.name)
def test_every_contender_but_inductor_is_right_on_every_row(case: Case, mode: str) -> None:
    asked = [contender for contender in CONTENDERS if contender.name != "inductor"]
    row = measure.measure(case, "small", mode, 1, asked, QUICK)
    assert {name: timing.failure for name, timing in row.timings.items()} == {
        "torch": "",
        "numpy": "",
        "ours": "",
        "memcpy": "",
    }
    assert all(len(timing.seconds) == 1 for timing in row.timings.values())


@pytest.mark.parametrize("mode", measure.MODES)
def test_inductor_is_right_on_one_row(mode: str) -> None:
    row = measure.measure(
        SHRUNK[2], "small", mode, 1, [BY_NAME["torch"], BY_NAME["inductor"]], QUICK
    )
    assert row.timings["inductor"].failure == ""
    assert len(row.timings["inductor"].seconds) == 1


def _contender(name: str, answer: object) -> Contender:
    """One that writes, or returns, a wrong, late or missing answer."""

    def into_existing(x, dims, out, threads):  # type: ignore[no-untyped-def]
        return lambda: answer(x, dims, out)  # type: ignore[operator]

    def as_written(x, dims, threads):  # type: ignore[no-untyped-def]
        def call() -> torch.Tensor:
            out = torch.empty(x.permute(dims).shape, dtype=x.dtype)
            answer(x, dims, out)  # type: ignore[operator]
            return out

        return call

    return Contender(name, into_existing, as_written)


def _one_byte_wrong(x: torch.Tensor, dims: tuple[int, ...], out: torch.Tensor) -> None:
    out.copy_(x.permute(dims))
    out.view(-1).view(torch.uint8)[-1] ^= 1


def _nothing(x: torch.Tensor, dims: tuple[int, ...], out: torch.Tensor) -> None:
    pass


def _error(x: torch.Tensor, dims: tuple[int, ...], out: torch.Tensor) -> None:
    raise RuntimeError("cannot do it\nin two lines")


@pytest.mark.parametrize("mode", measure.MODES)
@pytest.mark.parametrize("wrong", [_one_byte_wrong, _nothing])
def test_wrong_bits_are_found_and_not_timed(wrong: object, mode: str) -> None:
    # `_nothing` would pass for right in the memory of the answer before, were it not poisoned.
    asked = [BY_NAME["torch"], BY_NAME["ours"], _contender("wrong", wrong)]
    row = measure.measure(SHRUNK[7], "small", mode, 1, asked, QUICK)
    assert row.timings["wrong"] == Timing([], "WRONG BITS")
    assert row.timings["ours"].failure == ""
    assert report.wrong_answers([row]) == [
        f"{SHRUNK[7].name}: wrong gives wrong bits ({mode}, 1 threads)"
    ]


def test_without_memory_for_a_reference_answers_are_compared_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measure.Row, "keep", lambda self, answer: None)
    asked = [BY_NAME["torch"], BY_NAME["ours"], _contender("wrong", _one_byte_wrong)]
    row = measure.measure(SHRUNK[9], "small", "existing", 1, asked, QUICK)
    assert [timing.failure for timing in row.timings.values()] == ["", "", "WRONG BITS"]


def test_an_error_of_a_contender_is_a_result() -> None:
    row = measure.measure(
        SHRUNK[0], "small", "fresh", 1, [_contender("lost", _error), BY_NAME["ours"]], QUICK
    )
    assert row.timings["lost"].failure == "RuntimeError: cannot do it"
    assert row.timings["ours"].seconds
    assert "failed" in report.table_line(row, ["lost", "ours"])
    assert report.closing_lines([row], ["lost", "ours"])[-1].endswith("RuntimeError: cannot do it")


def test_contenders_are_called_in_turn_until_their_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def named(name: str) -> Contender:
        def answer(x: torch.Tensor, dims: tuple[int, ...], out: torch.Tensor) -> None:
            order.append(name)
            out.copy_(x.permute(dims))

        return _contender(name, answer)

    monkeypatch.setattr(measure, "_timed", lambda call: (call(), 1.0)[1])
    limits = Limits(calls=5, seconds=2.0)
    row = measure.measure(SHRUNK[0], "small", "existing", 1, [named("a"), named("b")], limits)
    assert order == ["a", "b"] + ["a", "b"] * 2  # compared calls, then two seconds of each
    assert row.timings["a"].seconds == [1.0, 1.0]
    order.clear()
    limits = Limits(calls=3, seconds=100.0)
    measure.measure(SHRUNK[0], "small", "existing", 1, [named("a"), named("b")], limits)
    assert order == ["a", "b"] * 4


def test_a_first_call_that_uses_up_the_seconds_is_the_only_one() -> None:
    calls: list[int] = []

    def slow(x: torch.Tensor, dims: tuple[int, ...], out: torch.Tensor) -> None:
        calls.append(1)
        time.sleep(0.02)
        out.copy_(x.permute(dims))

    row = measure.measure(
        SHRUNK[0], "small", "existing", 1, [_contender("slow", slow)], Limits(3, 0.01)
    )
    assert len(calls) == len(row.timings["slow"].seconds) == 1
    assert row.timings["slow"].best >= 0.02


def test_a_contender_that_is_not_ready_in_time_fails_alone() -> None:
    def late(x, dims, threads):  # type: ignore[no-untyped-def]
        time.sleep(5)

    limits = Limits(calls=1, seconds=1, compile_seconds=0.05)
    row = measure.measure(
        SHRUNK[0], "small", "fresh", 1, [Contender("late", late, late), BY_NAME["ours"]], limits
    )
    assert row.timings["late"].failure == "TimeoutError: not ready after 0.05 s"
    assert row.timings["ours"].seconds


def test_a_row_that_does_not_fit_is_skipped_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "available_bytes", lambda: 2**28)
    row = measure.measure(CASES[0], "full", "existing", 1, list(CONTENDERS), QUICK)
    assert row.timings == {}
    assert report.table_line(row, ["ours"]).startswith("2-D f32          skipped: needs 2.1 GiB")
    assert report.missed_goals([row])[0].startswith("2-D f32, 1 thread(s): needs 2.1 GiB")


def test_the_threads_are_given_back() -> None:
    before = torch.get_num_threads()
    seen: list[int] = []

    def count(x: torch.Tensor, dims: tuple[int, ...], out: torch.Tensor) -> None:
        seen.append(torch.get_num_threads())

    measure.measure(SHRUNK[0], "small", "existing", 3, [_contender("count", count)], QUICK)
    assert set(seen) == {3}
    assert torch.get_num_threads() == before


def test_numpy_sees_the_bytes_of_bfloat16() -> None:
    x = measure.filled((4, 6), torch.bfloat16)
    array = contenders._as_array(x)
    assert array.dtype == np.uint16
    assert array.ctypes.data == x.data_ptr()


# Reporting --------------------------------------------------------------------------------------


def test_gigabytes_count_what_is_read_and_what_is_written() -> None:
    row = _row(2.0, 1.0, 0.5)
    assert row.gigabytes_per_second("ours") == pytest.approx(2 * 16384 * 16384 * 4 / 1e9)
    assert row.ratio("ours", "torch") == 2.0
    assert row.ratio("ours", "memcpy") == 0.5
    assert row.ratio("ours", "numpy") is None
    assert row.gigabytes_per_second("numpy") == 0


def test_the_best_call_counts() -> None:
    assert Timing([3.0, 1.0, 2.0]).best == 1.0
    assert Timing([3.0, 1.0, 2.5]).median == 2.5
    assert Timing().best == math.inf


def test_a_table_holds_numbers_ratios_means_and_losses() -> None:
    names = ["torch", "ours", "memcpy"]
    rows = [_row(2.0, 1.0, 0.5), _row(0.5, 1.0, 0.5, CASES[1])]
    heading = report.heading(names)
    line = report.table_line(rows[0], names)
    assert heading.split() == ["row", *names, "ours/memcpy", "ours/torch"]
    assert line.split() == ["2-D", "f32", "1.07", "2.15", "4.29", "0.50", "2.00"]
    assert len(line) == len(heading)
    assert report.closing_lines(rows, names) == [
        "geometric means: ours/torch 1.00, ours/memcpy 0.50",
        "loss: 2-D u8: 0.50 of the speed of torch",
    ]


def test_goals_met_are_no_complaint() -> None:
    assert report.missed_goals([_row(1.5, 1.0, 0.45)]) == []
    assert report.missed_goals([_row(1.0, 1.0, 0.45, threads=2)]) == []


def test_each_goal_is_checked() -> None:
    slower_than_published = report.missed_goals([_row(1.49, 1.0, 1.0)])
    assert slower_than_published == ["2-D f32, 1 thread(s): 1.49 times torch, goal 1.5"]
    slower_than_torch = report.missed_goals([_row(0.99, 1.0, 1.0, threads=2)])
    assert slower_than_torch == ["2-D f32, 2 thread(s): 0.99 times torch, goal 1"]
    far_from_memcpy = report.missed_goals([_row(2.0, 1.0, 0.44)])
    assert far_from_memcpy == ["1 thread(s): geometric mean of ours/memcpy 0.44, goal 0.45"]
    assert report.missed_goals([_row(0.1, 1.0, 0.1, mode="fresh")]) == []


def test_a_row_with_a_low_goal_has_to_be_as_fast_as_torch_all_the_same() -> None:
    heads = next(case for case in CASES if case.least_speedup == 0.85)
    assert report.missed_goals([_row(0.9, 1.0, 1.0, heads)]) == [
        "heads bf16, 1 thread(s): 0.90 times torch, goal 1"
    ]


def test_a_row_that_failed_misses_its_goals() -> None:
    row = _row(2.0, 1.0, 0.5)
    row.timings["ours"] = Timing([], "WRONG BITS")
    assert report.missed_goals([row])[0] == "2-D f32, 1 thread(s): not measured, goal 1.5"


# The command ------------------------------------------------------------------------------------


def test_the_board_runs_rows_of_choice_and_writes_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(board, "CASES", SHRUNK)
    path = tmp_path / "board.json"
    arguments = ["--small", "--rows", "8-D . f32", "--only", "memcpy,torch,ours", "--calls", "2"]
    assert board.main([*arguments, "--threads", "1,2", "--json", str(path)]) == 0
    printed = capsys.readouterr().out
    assert sum(line.startswith("8-D a f32 ") for line in printed.splitlines()) == 4
    # PRF-15: into an existing output, and as people write it.
    assert "Into an existing output, 2 threads, small rows" in printed
    assert "As people write it, 1 thread, small rows" in printed
    record = json.loads(path.read_text())
    assert record["machine"]["torch"] == torch.__version__
    assert record["limits"] == {"calls": 2, "seconds": 3.0}
    assert len(record["rows"]) == 4 * 2 * 2
    first = record["rows"][0]
    assert first["row"] == "8-D a f32"
    assert first["bytes_moved"] == 2 * 4 * math.prod(first["shape"])
    assert list(first["contenders"]) == ["torch", "ours", "memcpy"]
    ours = first["contenders"]["ours"]
    assert len(ours["seconds"]) == 2
    assert ours["best"] == min(ours["seconds"])
    assert ours["gigabytes_per_second"] == pytest.approx(first["bytes_moved"] / ours["best"] / 1e9)


def test_check_ends_with_1_and_names_what_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for ours, code in ((0.1, 0), (10.0, 1)):
        monkeypatch.setattr(
            board, "measure", lambda case, *rest, ours=ours: _row(2.0, ours, 0.1, case)
        )
        assert board.main(["--check", "--existing", "--threads", "1", "--rows", "u8"]) == code
        printed = capsys.readouterr().out
        assert ("every goal is met" in printed) == (code == 0)
        assert ("goal missed: HWC>CHW u8, 1 thread(s): 0.20 times torch, goal 2" in printed) == code


@pytest.mark.parametrize(
    "arguments",
    [
        ["--rows", "no such row"],
        ["--rows", "("],
        ["--only", "nobody"],
        ["--threads", "0"],
        ["--threads", "x"],
        ["--check", "--only", "ours,torch"],
        ["--check", "--fresh"],
        ["--fresh", "--existing"],
    ],
)
def test_a_board_that_makes_no_sense_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        board.main(arguments)
    assert ended.value.code == 2
    assert "usage: python -m benchmarks.board" in capsys.readouterr().err


def test_the_machine_is_described() -> None:
    described = machine.describe()
    assert described["torch"] == torch.__version__
    assert described["cpu"]
    assert all(isinstance(text, str) and text for text in described.values())
    assert machine.description_lines()[0] == f"cpu: {described['cpu']}"
