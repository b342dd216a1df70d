"""Accuracy of trained networks, against plain onnxruntime's int8 in the same metric."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime as ort
import pytest

from ferrule.quantize.quantize import quantize
from tests.quantize.small import to_bytes

QUICK = ("unet_convt_op13", "tcn_chomp_op17", "gru_op13", "tcn_dynconv_op17", "yolo_dfl_op17")
SLOW = (
    "fashion_mbv2_op17", "fashion_mbv2_op13", "unet_bilinear_op17", "unet_bilinear_op13", "unet_convt_op17",
    "tcn_chomp_op13", "tcn_dynconv_op13", "yolo_dfl_op13", "crepe_tiny_op17", "mbv2_keras_raw_op13", "gru_op17",
)  # fmt: skip
NAMES = {"mIoU": "miou", "acc_50_cents": "acc"}


def evaluate(folder: Path) -> Any:
    spec = importlib.util.spec_from_file_location("fixtures_evaluate", folder / "evaluate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(n, marks=pytest.mark.slow) for n in SLOW)])
def test_no_worse_than_plain_onnxruntime(shared: Path, name: str) -> None:
    folder = shared / "fixtures"
    tool = evaluate(folder)
    inputs, truth, calibration = tool.load(name, str(folder))
    model = ir.load(folder / f"{name}.onnx")
    result = quantize(model, {str(model.graph.inputs[0].name): calibration})
    assert not [f for f in result.findings if f.level.value == "error"]
    session = ort.InferenceSession(to_bytes(result.model), providers=["CPUExecutionProvider"])
    feed = session.get_inputs()[0].name
    got = tool.metric(
        name, np.concatenate([session.run(None, {feed: inputs[i : i + 1]})[0] for i in range(len(inputs))]), truth
    )
    known = json.loads((folder / "metrics.json").read_text())[f"{name}.onnx"]
    checked = 0
    for key, value in got.items():
        baseline = known.get(f"ort_int8_{NAMES.get(key, key)}")
        if baseline is not None:
            checked += 1
            assert value >= baseline - 0.0001, (key, value, baseline)
    assert checked


@pytest.mark.parametrize("name", ["mtcnn_rnet_op13", "mtcnn_onet_op13"])
def test_real_detectors_stay_close(shared: Path, name: str) -> None:
    """No labels here: every output keeps 20 dB of signal to noise on samples that calibration did not see."""
    model = ir.load(shared / "fixtures" / f"{name}.onnx")
    source = model.graph.inputs[0]
    shape = [d if isinstance(d, int) else 1 for d in source.shape or ()]
    x = np.random.default_rng(3).normal(0, 0.5, (40, *shape)).astype(np.float32)
    result = quantize(model, {str(source.name): x[:32]})
    before, after = (
        ort.InferenceSession(data, providers=["CPUExecutionProvider"])
        for data in (to_bytes(model), to_bytes(result.model))
    )
    for sample in x[32:]:
        for wanted, got in zip(
            before.run(None, {source.name: sample}), after.run(None, {source.name: sample}), strict=True
        ):
            noise = float(np.mean((wanted - got) ** 2))
            assert noise <= float(np.mean(wanted**2)) / 100
