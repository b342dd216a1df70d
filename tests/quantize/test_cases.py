"""Models rebuilt from field reports of quantization: close to float, and told at the right node."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest

from ferrule.quantize.quantize import quantize
from tests.quantize.small import run

TOLD = {
    "bias-overflow-conv": "FER301",
    "concat-scale-dets-last-axis": "FER302",
    "concat-scale-yolo-head": "FER302",
    "zero-activation-range": "FER303",
    "opset12-conv1d-per-channel": "FER308",
    "fuse-matmul-add": "FER307",
    "bn-after-relu": "FER307",
    "convtranspose-grouped-axis": "FER307",
}
CASES = (
    *TOLD,
    "bias-overflow-conv-healthy", "calib-image-size-healthy", "calib-wrong-range-healthy", "concat-same-tensor-twice",
    "concat-scale-yolo-head-healthy", "conv-depthwise-multiplier-2", "conv-depthwise-odd-channels",
    "conv-dilated-depthwise", "convtranspose-per-channel-axis", "fusion-conv-relu-tapped", "memory-arena-order",
    "memory-arena-peak", "name-collision-bias-suffix", "preprocess-mean-index-healthy", "relu6-concat-zp",
    "shared-bias-two-convs", "tail-softmax-classifier", "tail-softmax-classifier-healthy", "target-depthwise-k75",
    "zero-activation-range-healthy",
)  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(shared: Path, case: str) -> None:
    folder = shared / "cases" / case
    about = json.loads((folder / "case.json").read_text())
    held = np.load(folder / "inputs.npz")
    model = ir.load(folder / "model.onnx")
    result = quantize(model, {k.removeprefix("calib/"): held[k] for k in held.files if k.startswith("calib/")})
    told = {(f.code, f.node) for f in result.findings}
    if case in TOLD:
        places = {about["expected"]["diagnosis_node"], "model"}
        assert any(code == TOLD[case] and node in places for code, node in told), told
    if "twin_of" in about:
        assert not [f for f in result.findings if f.level.value != "note"]
    inputs = {k.removeprefix("test/"): held[k] for k in held.files if k.startswith("test/")}
    wanted = np.load(folder / "expected.npz")
    expected = about["expected"]
    count = len(next(iter(inputs.values())))
    seen = [run(result.model, **{k: v[i] for k, v in inputs.items()}) for i in range(count)]
    for index, output in enumerate(result.model.graph.outputs):
        got, want = np.stack([s[index] for s in seen]), wanted[f"out/{output.name}"]
        parts = [(part, tol) for name, part, tol in expected.get("tol_scope", []) if name == output.name]
        for part, tolerance in parts or [("[...]", expected["must_match_float_tol"])]:
            error = np.abs(_part(got, part) - _part(want, part)).max()
            assert error <= tolerance, (output.name, part, error)


def _part(array: np.ndarray, text: str) -> np.ndarray:
    """The slice written as in `[:,:,4:]`, without evaluating text."""
    index: list[slice | type(...)] = []  # type: ignore[valid-type]
    for piece in text.strip("[]").split(","):
        ends = [int(p) if p else None for p in piece.split(":")] if ":" in piece else []
        index.append(slice(*ends) if ends else ...)
    return np.asarray(array[tuple(index)])
