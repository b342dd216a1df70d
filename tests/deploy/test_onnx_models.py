"""ONNX models: C against reference, reference against runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ferrule.deploy import (
    Journal,
    build_c,
    compare_codes,
    compare_outputs,
    compile_program,
    load,
    run_c,
    run_model,
    run_reference,
)
from ferrule.request import Request
from tests.conftest import shared_folder
from tests.deploy.models import SIZES, drawn_inputs, onnx_files


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    folder = shared_folder() or Path("absent")
    files = [str(f.relative_to(folder)) for f in onnx_files(folder)] if folder.is_dir() else ["absent"]
    slow = ("agpl", "ssd", "0.35", "op13", "sized")
    metafunc.parametrize(
        "file", [pytest.param(f, marks=[pytest.mark.slow] if any(w in f for w in slow) else []) for f in files]
    )


def test_model(file: str, shared: Path, tmp_path: Path) -> None:
    """Integer tensors are the reference's bytes; float outputs are within 1e-4 of the range of onnxruntime's."""
    path = shared / file
    loaded = load(Request(path, shapes=SIZES.get(path.name, {})), Journal())
    compiled = compile_program(loaded, Journal())
    samples = drawn_inputs(loaded.program, 2, 3)
    samples = {n: a * (100 if "unet" in file or "yolo" in file else 1) for n, a in samples.items()}
    samples = {n: a.astype(loaded.program.tensors[n].dtype.numpy) for n, a in samples.items()}
    got = run_c(build_c(compiled, tmp_path, trace=True), compiled, samples)
    want = run_reference(compiled, samples)
    for item in compare_codes(compiled, got, want):
        if compiled.program.tensors[item.tensor].dtype.is_float:
            assert item.relative <= 1e-4 or item.max_difference <= 1e-6, item
        else:
            assert item.is_equal, item
    outputs = compiled.interface.to_model(got, compiled.program.tensors)
    for item in compare_outputs(compiled, outputs, run_model(loaded, samples)):
        limit = 0.25 if loaded.is_integer else 1e-4
        assert item.relative <= limit or item.max_difference <= 1e-6, item
    assert all(np.isfinite(a).all() for a in outputs.values() if a.dtype.kind == "f")
