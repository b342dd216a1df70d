"""Faults planted on purpose turn a comparison red."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ferrule.codegen.kernel_files import kernel_files
from ferrule.deploy import Compiled, Journal, compile_program, load, run_reference
from ferrule.diagnostics import Refusal
from ferrule.request import Request
from ferrule.run.host import build_host, run_host
from tests.deploy.models import drawn_inputs

MODEL = "bench/mlperf-tiny/kws_ref_model.tflite"


@pytest.fixture
def compiled(shared: Path) -> Compiled:
    return compile_program(load(Request(shared / MODEL), Journal()), Journal())


def differs(compiled: Compiled, texts: dict[str, str], folder: Path) -> bool:
    """Whether C from these texts gives other bytes than the reference."""
    samples = drawn_inputs(compiled.loaded.program, 3, 2)
    build = build_host(compiled.program, compiled.plan, texts, folder, trace=True)
    got = run_host(build, compiled.interface.to_program(samples, compiled.program.tensors), 3)
    want = run_reference(compiled, samples)
    return any((got[n] != want[n]).any() for n in got if n in want)


def texts_of(compiled: Compiled) -> dict[str, str]:
    return {**compiled.sources.files, **kernel_files(compiled.sources.stems)}


def test_nothing_planted(compiled: Compiled, tmp_path: Path) -> None:
    """The comparison is green without a fault."""
    assert not differs(compiled, texts_of(compiled), tmp_path)


def test_flipped_weight_byte(compiled: Compiled, tmp_path: Path) -> None:
    """The check at init refuses the weights."""
    texts = texts_of(compiled)
    lines = texts["network_data.c"].splitlines()
    index = next(i for i, line in enumerate(lines) if line.startswith("0x") and i > len(lines) // 2)
    word = lines[index].split(",")[0]
    lines[index] = lines[index].replace(word, f"0x{int(word.rstrip('u'), 16) ^ 1:08x}u", 1)
    texts["network_data.c"] = "\n".join(lines)
    with pytest.raises(Refusal, match="exit code 5"):
        differs(compiled, texts, tmp_path)


def test_wrong_plan_offset(compiled: Compiled, tmp_path: Path) -> None:
    """A buffer moved over another one that is alive changes bytes."""
    from ferrule.codegen.emit import emit
    from ferrule.codegen.options import Options

    plan = compiled.plan
    first, second = sorted(plan.buffers.values(), key=lambda b: -b.size)[:2]
    assert first.first <= second.last and second.first <= first.last
    moved = replace(second, offset=first.offset)
    broken = replace(plan, buffers={**plan.buffers, second.name: moved})
    sources = emit(compiled.program, broken, compiled.choice.kernel, Options(model_hash=compiled.loaded.sha256))
    texts = {**sources.files, **kernel_files(sources.stems)}
    assert differs(replace(compiled, plan=broken), texts, tmp_path)


def test_kernel_off_by_one_at_a_border(compiled: Compiled, tmp_path: Path) -> None:
    """A window that begins one column late at the left border."""
    texts = texts_of(compiled)
    assert "column * op->stride_w - op->pad_left" in texts["conv_s8.c"]
    texts["conv_s8.c"] = texts["conv_s8.c"].replace(
        "int32_t s0 = fr_first_tap(left, op->dilation_w);",
        "int32_t s0 = fr_first_tap(left, op->dilation_w) + (left < 0);",
    )
    assert differs(compiled, texts, tmp_path)


def test_requantization_half_up(shared: Path, tmp_path: Path) -> None:
    """TFLite's second rounding is half away from zero; half up differs at negative halves that no Relu clips."""
    path = shared / "bench/mlperf-tiny/pretrainedResnet_quant.tflite"
    compiled = compile_program(load(Request(path), Journal()), Journal())
    texts = texts_of(compiled)
    wanted = "int32_t threshold = (mask >> 1) + (v < 0 ? 1 : 0);"
    assert wanted in texts["fr_arith.h"]
    texts["fr_arith.h"] = texts["fr_arith.h"].replace(wanted, "int32_t threshold = mask >> 1;")
    assert differs(compiled, texts, tmp_path)
