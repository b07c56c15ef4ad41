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

from benchmarks import board, board_table, contender, goals, machine, measure, record, scaling
from benchmarks.cases import CASES, Case
from benchmarks.contender import CannotError, Contender, SelfTimed
from benchmarks.contenders import CONTENDERS
from benchmarks.measure import Limits
from benchmarks.timings import RowResult, Timing

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
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
def test_contenders_that_are_always_there_are_right_on_every_row(case: Case, mode: str) -> None:
    asked = [BY_NAME[name] for name in ("torch", "numpy", "ours", "memcpy")]
    row = measure.measure(case, "small", mode, 1, asked, QUICK)
    assert {timing.failure for timing in row.timings.values()} == {""}
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
    assert board_table.wrong_answers([row]) == [
        f"{SHRUNK[7].name}: wrong gives wrong bits ({mode}, 1 threads)"
    ]


@pytest.mark.parametrize("mode", measure.MODES)
@pytest.mark.parametrize("kept", ["a digest", "nothing"])
def test_without_memory_for_a_reference_answers_are_compared_all_the_same(
    mode: str, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keep(row: measure.Row, answer: torch.Tensor) -> None:
        row.digest = measure._digest(answer) if kept == "a digest" else b""

    monkeypatch.setattr(measure.Row, "keep", keep)
    asked = [BY_NAME["torch"], BY_NAME["ours"], _contender("wrong", _one_byte_wrong)]
    row = measure.measure(SHRUNK[9], "small", mode, 1, asked, QUICK)
    assert [timing.failure for timing in row.timings.values()] == ["", "", "WRONG BITS"]


def test_where_memory_is_short_a_digest_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    row = measure.Row(SHRUNK[0], "existing", 1, measure.filled((6, 6), torch.float32))
    answer = row.view.contiguous()
    row.keep(answer)
    assert row.digest == b""
    assert torch.equal(row.expected, answer)
    monkeypatch.setattr(measure, "available_bytes", lambda: 0)
    row.keep(answer)
    assert row.digest == measure._digest(answer) != measure._digest(row.x)


def test_an_error_of_a_contender_is_a_result() -> None:
    row = measure.measure(
        SHRUNK[0], "small", "fresh", 1, [_contender("lost", _error), BY_NAME["ours"]], QUICK
    )
    assert row.timings["lost"].failure == "RuntimeError: cannot do it"
    assert row.timings["ours"].seconds
    assert "failed" in board_table.table_line(row, ["lost", "ours"])
    assert board_table.closing_lines([row], ["lost", "ours"])[-1].endswith(
        "RuntimeError: cannot do it"
    )


def test_contenders_are_called_in_turn_until_their_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def named(name: str) -> Contender:
        def answer(x: torch.Tensor, dims: tuple[int, ...], out: torch.Tensor) -> None:
            order.append(name)
            out.copy_(x.permute(dims))

        return _contender(name, answer)

    monkeypatch.setattr(measure, "_timed", lambda call: (1.0, call()))
    limits = Limits(calls=5, seconds=2.0)
    row = measure.measure(SHRUNK[0], "small", "existing", 1, [named("a"), named("b")], limits)
    assert order == ["a", "b"] + ["a", "b"] * 2  # compared calls, then two seconds of each
    assert row.timings["a"].seconds == [1.0, 1.0]
    order.clear()
    limits = Limits(calls=3, seconds=100.0)
    measure.measure(SHRUNK[0], "small", "existing", 1, [named("a"), named("b")], limits)
    assert order == ["a", "b"] * 4


def test_calls_on_several_threads_wait_until_other_pools_sleep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(measure.time, "sleep", pauses.append)
    for threads, expected in ((1, 0), (2, 4)):
        limits = Limits(calls=2, seconds=100.0)
        asked = [BY_NAME["torch"], BY_NAME["ours"]]
        measure.measure(SHRUNK[0], "small", "existing", threads, asked, limits)
        assert len(pauses) == expected


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
    assert board_table.table_line(row, ["ours"]).startswith(
        "2-D f32          skipped: needs 2.1 GiB"
    )
    assert _missed([row])[0].startswith("2-D f32, 1 thread(s): needs 2.1 GiB")


def test_the_threads_are_given_back() -> None:
    before = torch.get_num_threads()
    seen: list[int] = []

    def count(x: torch.Tensor, dims: tuple[int, ...], out: torch.Tensor) -> None:
        seen.append(torch.get_num_threads())

    measure.measure(SHRUNK[0], "small", "existing", 3, [_contender("count", count)], QUICK)
    assert set(seen) == {3}
    assert torch.get_num_threads() == before


def test_a_contender_that_cannot_is_named_with_its_reason() -> None:
    def cannot(x, dims, out, threads):  # type: ignore[no-untyped-def]
        raise CannotError("more axes than it knows")

    asked = [Contender("other", cannot, cannot), BY_NAME["ours"]]
    row = measure.measure(SHRUNK[0], "small", "existing", 1, asked, QUICK)
    assert row.timings["other"] == Timing([], "cannot: more axes than it knows")
    assert "cannot" in board_table.table_line(row, ["other", "ours"])
    lines = board_table.closing_lines([row], ["other", "ours"])
    assert lines[-1] == "cannot: 2-D f32: other: more axes than it knows"


def test_a_contender_whose_copies_do_not_fit_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "available_bytes", lambda: 2**28)
    wide = dataclasses.replace(CASES[0], small_shape=(4096, 1024))
    asked = [dataclasses.replace(BY_NAME["torch"], own_copies=copies) for copies in (0, 16)]
    for one, failure in zip(
        asked, ["", "cannot: needs 0.2 GiB of memory more, 0.2 are available"], strict=True
    ):
        row = measure.measure(wide, "small", "existing", 1, [one], QUICK)
        assert row.timings["torch"].failure == failure


@pytest.mark.parametrize("mode", measure.MODES)
def test_a_call_that_takes_its_own_time_is_fetched_compared_and_closed(mode: str) -> None:
    closed: list[str] = []

    class Call:
        def __init__(self, x: torch.Tensor, dims: tuple[int, ...], off: int) -> None:
            self.answer = x.permute(dims).contiguous()
            self.answer.view(-1).view(torch.uint8)[-1] += off

        def __call__(self) -> SelfTimed:
            return SelfTimed(0.125, lambda out: out.copy_(self.answer))

        def close(self) -> None:
            closed.append("closed")

    def making(off: int) -> Contender:
        return Contender(
            f"off by {off}",
            lambda x, dims, out, threads: Call(x, dims, off),
            lambda x, dims, threads: Call(x, dims, off),
        )

    asked = [BY_NAME["torch"], making(0), making(1)]
    row = measure.measure(SHRUNK[7], "small", mode, 1, asked, QUICK)
    assert row.timings["off by 0"] == Timing([0.125])
    assert row.timings["off by 1"] == Timing([], "WRONG BITS")
    assert closed == ["closed", "closed"]


def test_numpy_sees_the_bytes_of_bfloat16() -> None:
    x = measure.filled((4, 6), torch.bfloat16)
    array = contender.as_array(x)
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
    names = ["torch", "ours", "memcpy", "streamed"]
    rows = [_row(2.0, 1.0, 0.5), _row(0.5, 1.0, 0.5, CASES[1])]
    rows[0].timings["streamed"] = Timing([0.25])
    heading = board_table.heading(names)
    line = board_table.table_line(rows[0], names)
    ratios = ["ours/memcpy", "ours/streamed", "ours/torch", "ours/best"]
    assert heading.split() == ["row", *names, *ratios]
    speeds = ["1.07", "2.15", "4.29", "8.59"]
    assert line.split() == ["2-D", "f32", *speeds, "0.50", "0.25", "2.00", "2.00"]
    assert len(line) == len(heading)
    assert board_table.closing_lines(rows, names) == [
        "geometric means: ours/torch 1.00, ours/memcpy 0.50, ours/streamed 0.25",
        "loss: 2-D u8: 0.50 of the speed of torch",
    ]


def test_the_best_rival_is_the_fastest_that_answered_the_question() -> None:
    row = _row(2.0, 1.0, 0.5)
    row.timings["numpy"] = Timing([1.5])
    row.timings["opencv"] = Timing([], "cannot: too many axes")
    row.timings["streamed"] = Timing([0.1])
    assert row.rivals() == ["numpy", "torch"]
    assert row.best_ratio() == pytest.approx(1.5)
    assert RowResult(CASES[0], "full", "existing", 1, {}).best_ratio() is None


# Goals ------------------------------------------------------------------------------------------


def _missed(rows: list[RowResult], cache_bytes: int | None = None) -> list[str]:
    return goals.judge(rows, cache_bytes).missed


def _case(name: str) -> Case:
    return next(case for case in CASES if case.name == name)


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("images", ["CHW>HWC u8", "HWC>CHW u8"]),
        ("rows are kept", ["heads bf16", "8-D a u16", "8-D a f32"]),
        (
            "4-byte elements, the last axis moves",
            [
                *("2-D f32", "batched f32", "NCHW>NHWC f32", "NHWC>NCHW f32"),
                *("8-D b f32", "8-D c f32", "8-D d f32"),
            ],
        ),
        (
            "1- and 2-byte elements, the last axis moves",
            ["2-D u8", "8-D b u16", "8-D c u16", "8-D d u16"],
        ),
    ],
)
def test_every_row_has_the_mark_of_its_group(group: str, names: list[str]) -> None:
    assert [case.name for case in CASES if goals.mark_of(case).group == group] == names


def test_every_mark_gives_a_reason() -> None:
    assert [mark.least for mark in goals.MARKS] == [1.1, 0.95, 0.60, 0.45]
    assert all(len(mark.reason) > 20 for mark in goals.MARKS)


def test_goals_met_are_no_complaint() -> None:
    assert _missed([_row(1.5, 1.0, 0.6)]) == []
    assert _missed([_row(1.0, 1.0, 0.6, threads=2)]) == []


def test_each_goal_of_a_row_is_checked() -> None:
    assert _missed([_row(1.49, 1.0, 1.0)]) == ["2-D f32, 1 thread(s): 1.49 times torch, mark 1.5"]
    slower_than_torch = _missed([_row(0.99, 1.0, 1.0, threads=2)])
    assert slower_than_torch == ["2-D f32, 2 thread(s): 0.99 times torch, mark 1"]
    far_from_memcpy = _missed([_row(2.0, 1.0, 0.59)])
    assert far_from_memcpy == [
        "2-D f32, 1 thread(s): 0.59 of memcpy, mark 0.6 (4-byte elements, the last axis moves)"
    ]
    behind = _row(2.0, 1.0, 1.0)
    behind.timings["opencv"] = Timing([0.9])
    behind.timings["numpy"] = Timing([1.1])
    assert _missed([behind]) == ["2-D f32, 1 thread(s): 0.90 times opencv, mark 1"]


def test_a_row_with_a_low_goal_has_to_be_as_fast_as_torch_all_the_same() -> None:
    assert _missed([_row(0.9, 1.0, 1.0, _case("heads bf16"))]) == [
        "heads bf16, 1 thread(s): 0.90 times torch, mark 1"
    ]


def test_a_row_that_failed_misses_its_goals() -> None:
    row = _row(2.0, 1.0, 0.5)
    row.timings["ours"] = Timing([], "WRONG BITS")
    assert _missed([row]) == [
        "2-D f32, 1 thread(s): not measured, mark 1.5",
        "2-D f32, 1 thread(s): not measured, mark 0.6 (4-byte elements, the last axis moves)",
    ]


def test_the_mean_is_judged_over_all_rows_and_over_no_fewer() -> None:
    # Every row meets its mark and is far ahead of torch, yet the mean is too low.
    least = {case.name: goals.mark_of(case).least for case in CASES}
    rows = [_row(100.0, 1.0, least[case.name] + 0.01, case) for case in CASES]
    mean = math.prod(least[case.name] + 0.01 for case in CASES) ** (1 / 16)
    assert mean < goals.LEAST_MEAN
    assert _missed(rows) == [
        f"1 thread(s), geometric mean of ours/memcpy: {mean:.2f}, mark {goals.LEAST_MEAN:g}"
    ]
    assert _missed([_row(100.0, 1.0, 1.1, case) for case in CASES]) == []
    assert _missed(rows[:15]) == []
    assert any("1 of its rows" in text for text in goals.judge(rows[:15], None).undecided)


def test_where_memcpy_runs_from_the_cache_the_mark_is_lower() -> None:
    image = _row(100.0, 1.0, 0.9, _case("HWC>CHW u8"))
    large = _row(100.0, 1.0, 1.0)
    large.timings["streamed"] = Timing([1.0])
    cache_bytes = 2 * image.case.nbytes("full")
    mark_missed = "HWC>CHW u8, 1 thread(s): 0.90 of memcpy, mark 1.1 (images)"
    # The image's copy is slower than the streamed copy of the large row: it is no cached one.
    assert _missed([image, large], cache_bytes) == [mark_missed]
    large.timings["streamed"] = Timing([1e3])
    assert _missed([image, large], cache_bytes) == []
    assert _missed([image, large], cache_bytes - 1) == [mark_missed]
    assert _missed([image, large], None) == [mark_missed]
    assert _missed([image], cache_bytes) == [mark_missed]
    slower = _row(100.0, 1.0, 0.84, _case("HWC>CHW u8"))
    assert _missed([slower, large], cache_bytes) == [
        "HWC>CHW u8, 1 thread(s): 0.84 of memcpy, mark 0.85 (images; memcpy runs from the cache)"
    ]


def test_an_image_row_without_xla_is_undecided() -> None:
    row = _row(100.0, 1.0, 1.2, _case("HWC>CHW u8"))
    text = "HWC>CHW u8, 1 thread(s): ahead of XLA: jax was not measured"
    assert text in goals.judge([row], None).undecided
    row.timings["jax"] = Timing([0.9])
    judgement = goals.judge([row], None)
    assert text not in judgement.undecided
    assert judgement.missed == ["HWC>CHW u8, 1 thread(s): 0.90 times jax, mark 1"]


def test_large_fresh_outputs_have_goals_of_their_own() -> None:
    def fresh(speedup: float, name: str, threads: int = 2) -> list[str]:
        return _missed([_row(speedup, 1.0, 1.0, _case(name), "fresh", threads)])

    assert fresh(2.0, "2-D f32") == fresh(1.4, "heads bf16") == []
    assert fresh(1.9, "2-D f32") == ["2-D f32, 2 thread(s), fresh output: 1.90 times torch, mark 2"]
    assert fresh(1.3, "heads bf16") == [
        "heads bf16, 2 thread(s), fresh output: 1.30 times torch, mark 1.4"
    ]
    assert fresh(0.1, "HWC>CHW u8") == fresh(0.1, "2-D f32", threads=1) == []
    assert "fresh outputs: not measured on 2 threads" in goals.judge([], None).undecided


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [
        ("L1d 32K, L2 512K, L3 32M", 32 * 2**20),
        ("L1d 32K, L2 512K, L3 32768K", 32 * 2**20),
        ("L1d 48K", 48 * 2**10),
        ("", None),
    ],
)
def test_the_last_cache_is_read_from_the_description(text: str, nbytes: int | None) -> None:
    assert machine.last_cache_bytes(text) == nbytes


# Scaling ----------------------------------------------------------------------------------------


def _scaled(ours: dict[int, float], memcpy: dict[int, float]) -> list[RowResult]:
    """Seconds by threads."""
    return [
        RowResult(
            *(CASES[0], "full", "existing", threads),
            {"ours": Timing([ours[threads]]), "memcpy": Timing([memcpy[threads]])},
        )
        for threads in ours
    ]


def test_two_threads_have_to_gain_where_memcpy_gains() -> None:
    ours = {1: 1.0, 2: 0.625, 4: 0.625}
    assert scaling.missed_goals(_scaled(ours, {1: 1.0, 2: 0.6, 4: 0.6})) == []
    assert scaling.missed_goals(_scaled(ours, {1: 1.0, 2: 0.5, 4: 0.5})) == [
        "2-D f32: 2 threads 1.60 times 1 thread (memcpy 2.00), mark 1.7"
    ]


def test_more_threads_than_cores_may_not_be_slower() -> None:
    memcpy = {1: 1.0, 2: 0.5, 4: 0.5}
    assert scaling.missed_goals(_scaled({1: 1.0, 2: 0.5, 4: 0.5}, memcpy)) == []
    assert scaling.missed_goals(_scaled({1: 1.0, 2: 0.5, 4: 0.625}, memcpy)) == [
        "2-D f32: 4 threads 0.80 times 2, mark 0.95"
    ]
    rows = _scaled({1: 1.0, 2: 0.5, 4: 0.625}, memcpy)
    assert scaling.table_line(rows).split()[-3:] == ["2.00", "2.00", "0.80"]
    assert len(scaling.table_line(rows)) == len(scaling.heading([1, 2, 4]))


def test_scaling_calls_on_each_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int]] = []

    def into_existing(x, dims, out, threads):  # type: ignore[no-untyped-def]
        def call() -> None:
            seen.append((threads, torch.get_num_threads()))
            out.copy_(x.permute(dims))

        return call

    ours = dataclasses.replace(BY_NAME["ours"], into_existing=into_existing)
    monkeypatch.setattr(scaling, "CONTENDERS", (ours, BY_NAME["memcpy"]))
    before = torch.get_num_threads()
    rows = scaling.measure_scaling(SHRUNK[2], "small", [1, 2, 4], QUICK)
    assert seen == [(1, 1), (2, 2), (4, 4)] * 2  # the compared calls, then a round
    assert [row.threads for row in rows] == [1, 2, 4]
    for row in rows:
        assert {name: len(timing.seconds) for name, timing in row.timings.items()} == {
            "ours": 1,
            "memcpy": 1,
        }
    assert torch.get_num_threads() == before


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
    read = json.loads(path.read_text())
    assert read["machine"]["torch"] == read["versions"]["torch"] == torch.__version__
    assert read["limits"] == {"calls": 2, "seconds": 3.0}
    assert {*read["versions"], *read["not_installed"]} == {*BY_NAME} == {*read["descriptions"]}
    assert len(read["rows"]) == 4 * 2 * 2
    first = read["rows"][0]
    assert read["machine"]["date"] in first["measured"]
    assert first["rerun"] is False
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
            board, "measure", lambda case, *rest, ours=ours: _row(2.0, ours, 0.11, case)
        )
        assert board.main(["--check", "--existing", "--threads", "1", "--rows", "u8"]) == code
        printed = capsys.readouterr().out
        assert ("every goal that was measured is met" in printed) == (code == 0)
        assert ("goal missed: HWC>CHW u8, 1 thread(s): 0.20 times torch, mark 2" in printed) == code
        assert ("0.01 of memcpy, mark 1.1 (images)" in printed) == code


def test_a_rerun_takes_the_place_of_its_row_and_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "board.json"
    seconds = iter([1.0, 0.25, 0.5])
    monkeypatch.setattr(board, "measure", lambda case, *rest: _row(2.0, next(seconds), 0.5, case))
    command = ["--existing", "--threads", "1", "--only", "torch,ours,memcpy"]
    for pattern in ("2-D f32", "heads", "2-D f32"):
        assert board.main([*command, "--rows", pattern, "--merge-into", str(path)]) == 0
    rows = json.loads(path.read_text())["rows"]
    assert [(row["row"], row["rerun"], row["contenders"]["ours"]["seconds"]) for row in rows] == [
        ("2-D f32", True, [0.5]),
        ("heads bf16", False, [0.25]),
    ]
    capsys.readouterr()
    assert board.main(["--judge", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "Into an existing output, 1 thread, full rows" in printed
    assert next(line for line in printed.splitlines() if line.startswith("2-D f32")).endswith(
        "(rerun)"
    )
    assert "every goal that was measured is met" in printed


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    one = record.new_record(QUICK)
    row = _row(2.0, 1.0, 0.5)
    row.timings["jax"] = Timing([], "cannot: needs 2.0 GiB of memory more, 1.0 are available")
    one.rows = record.stamped([row], one.machine)
    one.scaling = _scaled({1: 1.0, 2: 0.5}, {1: 1.0, 2: 0.5})
    record.write_record(tmp_path / "one.json", one)
    assert record.read_record(tmp_path / "one.json") == one


def test_rows_of_another_machine_or_without_a_contender_are_not_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "board.json"
    one = record.new_record(QUICK)
    one.rows = [_row(2.0, 1.0, 0.5)]
    record.write_record(path, one)
    measured: list[Case] = []
    monkeypatch.setattr(board, "measure", lambda case, *rest: measured.append(case))
    command = ["--existing", "--threads", "1", "--rows", "2-D f32", "--merge-into", str(path)]
    with pytest.raises(SystemExit):
        board.main([*command, "--only", "torch,ours"])
    assert "2-D f32 has memcpy in it, to be measured as well" in capsys.readouterr().err
    for changed in (one.machine, one.versions):
        kept, changed["torch"] = changed["torch"], "1.0"
        record.write_record(path, one)
        with pytest.raises(SystemExit):
            board.main(command)
        assert "measured with torch '1.0', and here" in capsys.readouterr().err
        changed["torch"] = kept
    assert measured == []


def test_a_skipped_rerun_takes_no_place() -> None:
    before = [_row(2.0, 1.0, 0.5)]
    skipped = RowResult(CASES[0], "full", "existing", 1, {}, "needs 2.1 GiB of memory")
    assert record.merged(before, [skipped]) == before
    assert record.merged([], [skipped]) == [skipped]


def test_a_record_of_rows_that_are_no_longer_there_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = record.new_record(QUICK)
    one.rows = [_row(2.0, 1.0, 0.5, dataclasses.replace(CASES[0], name="gone"))]
    record.write_record(tmp_path / "one.json", one)
    with pytest.raises(SystemExit):
        board.main(["--judge", str(tmp_path / "one.json")])
    assert "the board has no row 'gone'" in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.name)
def test_published_records_can_be_read(path: Path) -> None:
    assert record.read_record(path).rows


def test_scaling_stands_in_the_record_beside_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(board, "CASES", SHRUNK)
    monkeypatch.setattr(scaling, "thread_counts", lambda: [1, 2])
    path = tmp_path / "board.json"
    command = ["--scaling", "--small", "--rows", "batched", "--calls", "1", "--json", str(path)]
    assert board.main(command) == 0
    assert "ours@2" in capsys.readouterr().out
    read = json.loads(path.read_text())
    assert read["rows"] == []
    assert [(row["row"], row["threads"]) for row in read["scaling"]] == [
        ("batched f32", 1),
        ("batched f32", 2),
    ]
    assert list(read["scaling"][1]["contenders"]) == ["ours", "memcpy"]


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
        ["--judge", "no such file"],
        ["--judge", __file__],
        ["--json", "a", "--merge-into", "b"],
    ],
)
def test_a_board_that_makes_no_sense_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        board.main(arguments)
    assert ended.value.code == 2
    assert "usage: python -m benchmarks.board" in capsys.readouterr().err


def test_who_is_not_installed_is_named_and_not_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = dataclasses.replace(BY_NAME["jax"], module="no_such_module_at_all")
    for module in (board, record):
        monkeypatch.setattr(module, "CONTENDERS", (BY_NAME["ours"], BY_NAME["memcpy"], absent))
    monkeypatch.setattr(board, "CASES", SHRUNK[:1])
    assert board.main(["--small", "--existing", "--calls", "1", "--threads", "1"]) == 0
    printed = capsys.readouterr().out
    assert "\nnot installed: jax\n" in printed
    assert "jax" not in printed.split("not installed: jax")[1]
    with pytest.raises(SystemExit):
        board.main(["--only", "jax"])
    assert "jax is not installed: see benchmarks/README.md" in capsys.readouterr().err


def test_the_head_says_who_is_asked_and_how() -> None:
    lines = board.head_lines(record.new_record(QUICK))
    assert f"cpu: {machine.cpu_name()}" in lines
    assert any(line.startswith(f"numpy {np.__version__}: np.copyto") for line in lines)
    streamed = next(line for line in lines if line.startswith("streamed"))
    assert "torch_hptp.permute of the flat bytes" in streamed


def test_the_machine_is_described() -> None:
    described = machine.describe()
    assert described["torch"] == torch.__version__
    assert described["cpu"]
    assert all(isinstance(text, str) and text for text in described.values())
    assert machine.description_lines()[0] == f"cpu: {described['cpu']}"
