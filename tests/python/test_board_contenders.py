"""The contenders from other packages, each where it is installed, and the streamed roof."""

from __future__ import annotations

import dataclasses
import re
import subprocess

import pytest
import torch

import torch_hptp
from benchmarks import contender_jax, contenders, measure
from benchmarks.cases import CASES, Case
from benchmarks.contender import Contender
from benchmarks.contender_jax import JAX, JaxCall
from benchmarks.contender_onnxruntime import ONNXRUNTIME, transpose_model
from benchmarks.contender_opencv import OPENCV, matrix_batch
from benchmarks.measure import Limits
from benchmarks.timings import Timing

BY_NAME = {contender.name: contender for contender in contenders.CONTENDERS}
QUICK = Limits(calls=1, seconds=0.5)
# Extents of 7, so that no group of axes of the image rows but the channels is one of channels.
SHRUNK = tuple(
    dataclasses.replace(case, small_shape=tuple(min(extent, 7) for extent in case.shape))
    for case in CASES
)


def _installed(contender: Contender) -> Contender:
    if not contender.is_installed():
        pytest.skip(f"{contender.name} is not installed")
    return contender


def _measured(contender: Contender, case: Case, mode: str, threads: int = 1) -> Timing:
    asked = [BY_NAME["torch"], _installed(contender)]
    return measure.measure(case, "small", mode, threads, asked, QUICK).timings[contender.name]


@pytest.mark.parametrize("mode", measure.MODES)
@pytest.mark.parametrize("case", SHRUNK, ids=lambda case: case.name)
@pytest.mark.parametrize("name", ["onnxruntime", "opencv"])
def test_a_contender_is_right_on_every_row(name: str, case: Case, mode: str) -> None:
    timing = _measured(BY_NAME[name], case, mode)
    assert timing.failure == ""
    assert len(timing.seconds) == 1


@pytest.mark.parametrize("name", ["onnxruntime", "opencv"])
def test_a_contender_is_right_on_more_threads(name: str) -> None:
    case = dataclasses.replace(CASES[2], small_shape=(3, 300, 400))
    assert _measured(BY_NAME[name], case, "existing", threads=2).failure == ""


@pytest.mark.parametrize(
    ("index", "mode"), [(0, "existing"), (7, "existing"), (8, "fresh"), (6, "fresh")]
)
def test_jax_is_right_in_its_own_program(index: int, mode: str) -> None:
    timing = _measured(JAX, SHRUNK[index], mode)
    assert timing.failure == ""
    assert len(timing.seconds) == 1


def test_jax_is_named_where_its_pool_would_have_fewer_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(contender_jax.os, "sched_getaffinity", lambda _: {0})
    timing = _measured(JAX, SHRUNK[0], "existing", threads=2)
    assert timing.failure.startswith("cannot: more threads than cores")


def test_a_program_that_ends_is_an_error_and_no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    def ends_at_once(command: list[str], **rest: object) -> object:
        return popen([command[0], "-c", "raise SystemExit(3)"], **rest)

    popen = subprocess.Popen
    monkeypatch.setattr(contender_jax.subprocess, "Popen", ends_at_once)
    with pytest.raises(RuntimeError, match="its program ended with 3"):
        JaxCall(torch.zeros(2**20), (0,), 1, "existing")


def test_a_closed_call_leaves_no_program() -> None:
    _installed(JAX)
    call = JaxCall(torch.zeros(3, 4), (1, 0), 1, "existing")
    assert call().seconds > 0
    call.close()
    assert call._program.returncode is not None


def test_an_error_in_the_other_program_arrives_as_its_text() -> None:
    _installed(JAX)
    with pytest.raises(RuntimeError, match="permutation"):
        JaxCall(torch.zeros(3, 4), (1, 1), 1, "existing")


def test_an_onnx_model_is_what_protocol_buffers_say() -> None:
    # By hand: ir_version 8; graph of one node, a name, an input and an output; operator set 13.
    model = transpose_model((300,), (0,), 1)
    node = b"\x0a\x01x\x12\x01y\x22\x09Transpose\x2a\x0b\x0a\x04perm\x40\x00\xa0\x01\x07"
    assert model.startswith(b"\x08\x08\x3a")
    assert node in model
    assert b"\x08\xac\x02" in model  # the extent, 300, seven bits a byte
    assert model.endswith(b"\x42\x02\x10\x0d")


def test_a_dtype_without_an_onnx_type_is_named() -> None:
    case = dataclasses.replace(SHRUNK[0], dtype=torch.complex64)
    timing = _measured(ONNXRUNTIME, case, "existing")
    assert timing.failure == "cannot: no ONNX type for complex64"


@pytest.mark.parametrize(
    ("shape", "dims", "batch"),
    [
        ((5, 7), (1, 0), (1, 5, 7)),
        ((4, 5, 7), (0, 2, 1), (4, 5, 7)),
        ((4, 5, 6, 7), (0, 2, 3, 1), (4, 5, 42)),
        ((4, 5, 6, 7), (0, 3, 1, 2), (4, 30, 7)),
        ((4, 5, 6, 7), (2, 3, 0, 1), (1, 20, 42)),
        ((4, 5, 6, 7), (0, 2, 1, 3), None),
        ((4, 5, 6), (2, 1, 0), None),
        ((4, 5, 6), (0, 1, 2), None),
    ],
)
def test_opencv_gets_matrices_where_the_permute_turns_them(
    shape: tuple[int, ...], dims: tuple[int, ...], batch: tuple[int, int, int] | None
) -> None:
    assert matrix_batch(shape, dims) == batch


def test_opencv_does_not_take_a_third_axis_for_channels() -> None:
    case = Case("3-D", (3, 4, 5), (3, 4, 5), (2, 1, 0), torch.float32, 1.0, "reversed")
    assert _measured(OPENCV, case, "existing").failure == ""


@pytest.mark.parametrize("mode", measure.MODES)
def test_a_streamed_copy_has_the_bytes_of_the_input(mode: str) -> None:
    large = dataclasses.replace(CASES[0], small_shape=(4096, 4096))
    asked = [BY_NAME["streamed"]]
    timing = measure.measure(large, "small", mode, 1, asked, QUICK).timings["streamed"]
    stores = re.search(
        r"^stores: (\w+)$", torch_hptp.explain(torch.empty(2**24), (0,)), re.MULTILINE
    )
    assert stores is not None
    assert timing.failure == {"streaming": "", "ordinary": _NOT_STREAMED}[stores[1]]
    small = measure.measure(SHRUNK[0], "small", mode, 1, asked, QUICK)
    assert small.timings["streamed"].failure == _NOT_STREAMED


_NOT_STREAMED = "cannot: the engine does not stream an output as small as this"
