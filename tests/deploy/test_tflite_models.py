"""Integer TFLite: the C's bytes are LiteRT's, every tensor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ferrule.deploy import Journal, build_c, compile_program, load, run_c
from ferrule.request import Request
from tests.conftest import shared_folder
from tests.deploy.models import drawn_inputs, tflite_files
from tests.oracles import litert

SMALL = 400_000
"""Files below this many bytes are tried in every run; the others are slow."""


HYBRID = {"kws_ref_model_float32.tflite": 0.02}
"""Dynamic-range files: LiteRT quantizes their activations at run time, Ferrule computes them in float."""


def names(shared_root: Path) -> list[str]:
    return [str(f.relative_to(shared_root)) for f in tflite_files(shared_root)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    folder = shared_folder() or Path("absent")
    files = names(folder) if folder.is_dir() else ["absent"]
    marks = [
        pytest.param(
            f, marks=[pytest.mark.slow] if (folder / f).is_file() and (folder / f).stat().st_size > SMALL else []
        )
        for f in files
    ]
    metafunc.parametrize("file", marks)


def test_bytes_equal_litert(file: str, shared: Path, tmp_path: Path) -> None:
    """Every tensor that LiteRT exposes equals the C's own, and no output is constant over the samples."""
    path = shared / file
    loaded = load(Request(path), Journal())
    compiled = compile_program(loaded, Journal(), literal=True)
    samples = drawn_inputs(loaded.program, 4, 7)
    got = run_c(build_c(compiled, tmp_path, trace=True), compiled, samples)
    outputs = compiled.interface.to_model(got, compiled.program.tensors)
    made = litert.interpreter(path.read_bytes())
    details = made.get_tensor_details()
    compared = 0
    for index in range(4):
        wanted = litert.run(made, [samples[n][index] for n in loaded.program.inputs])
        kept = litert.tensors(made)
        for port, want in zip(compiled.interface.outputs, wanted, strict=True):
            check(outputs[port.model.name][index], want, port.model.name, HYBRID.get(path.name, 1e-4))
        for detail in details:
            name = detail["name"]
            mine, theirs = got.get(name), kept.get(detail["index"])
            if mine is None or theirs is None or mine[index].shape != theirs.shape or mine.dtype != theirs.dtype:
                continue
            if path.name not in HYBRID:
                check(mine[index], theirs, name)
            compared += 1
    assert compared >= 4 * min(len(compiled.program.ops) // 2, 4)
    if loaded.is_integer:
        assert any(np.ptp(a.reshape(4, -1).astype(float), axis=0).max() > 0 for a in outputs.values())


def check(got: np.ndarray, want: np.ndarray, name: str, limit: float = 1e-4) -> None:
    """Equal bytes, or for float within a share of the range."""
    if want.dtype.kind == "f":
        span = max(float(np.ptp(want)), 1e-6)
        assert np.abs(got - want).max(initial=0.0) <= limit * span, name
    else:
        np.testing.assert_array_equal(got, want, err_msg=name)
