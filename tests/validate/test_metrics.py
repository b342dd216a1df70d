"""Metrics against the fixtures' own evaluation, and in cases known by hand."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.validate.metrics import (
    Detections,
    MetricError,
    cosine,
    decode,
    map50,
    map50_95,
    mean_average_precision,
    miou,
    relative_rms,
    sqnr,
    top1,
)
from tests.conftest import ABSENT, shared_folder


def evaluate(folder: Path) -> Any:
    spec = importlib.util.spec_from_file_location("fixtures_evaluate", folder / "evaluate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outputs(path: Path, inputs: np.ndarray) -> np.ndarray:
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return np.stack([session.run(None, {name: x[None]})[0] for x in inputs])


def test_detector_as_evaluated(shared: Path) -> None:
    tool = evaluate(shared / "fixtures")
    inputs, boxes, _ = tool.load("yolo_dfl_op17")
    got = outputs(shared / "fixtures" / "yolo_dfl_op17.onnx", inputs)
    wanted = tool.metric("yolo_dfl_op17", got[:, 0], boxes)
    for array in (got, got[:, 0], got[:, 0].transpose(0, 2, 1)):
        assert map50(array, boxes) == pytest.approx(wanted["mAP50"], abs=1e-9)
    assert map50_95(got, boxes) == pytest.approx(wanted["mAP50_95"], abs=1e-6)


def test_segmentation_as_evaluated(shared: Path) -> None:
    tool = evaluate(shared / "fixtures")
    inputs, masks, _ = tool.load("unet_convt_op17")
    got = outputs(shared / "fixtures" / "unet_convt_op17.onnx", inputs[:20])
    wanted = tool.metric("unet_convt_op17", got[:, 0], masks[:20])["mIoU"]
    assert miou(got, masks[:20]) == pytest.approx(wanted, abs=1e-12)
    assert miou(got[:, 0].transpose(0, 2, 3, 1), masks[:20]) == pytest.approx(wanted, abs=1e-12)


def test_classifier_as_evaluated(shared: Path) -> None:
    tool = evaluate(shared / "fixtures")
    inputs, labels, _ = tool.load("tcn_chomp_op17")
    got = outputs(shared / "fixtures" / "tcn_chomp_op17.onnx", inputs)
    known = json.loads((shared / "fixtures" / "metrics.json").read_text())["tcn_chomp_op17.onnx"]["acc"]
    assert top1(got, labels) == top1(got[:, 0], labels) == pytest.approx(known, abs=1e-4)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_random_detections_as_evaluated(seed: int) -> None:
    shared = shared_folder()
    if shared is None:
        pytest.skip(ABSENT)
    tool, rng = evaluate(shared / "fixtures"), np.random.default_rng(seed)
    boxes = np.concatenate([rng.integers(-1, 3, (4, 5, 1)), rng.uniform(0, 50, (4, 5, 2)), np.zeros((4, 5, 2))], 2)
    boxes[..., 3:] = boxes[..., 1:3] + rng.uniform(5, 40, (4, 5, 2))
    size = boxes[..., 3:] - boxes[..., 1:3]
    guesses = np.concatenate([boxes[..., 1:3] + size / 2, size], 2) + rng.normal(0, 2, (4, 5, 4))
    scores = np.eye(3)[rng.integers(0, 3, (4, 5))] * rng.uniform(0, 1, (4, 5, 1))
    head = np.concatenate([np.concatenate([guesses, guesses + 1], 1), np.concatenate([scores, scores / 2], 1)], 2)
    head = head.transpose(0, 2, 1).astype(np.float32)
    wanted = tool.metric("yolo", head, boxes.astype(np.float32))
    assert map50(head, boxes) == pytest.approx(wanted["mAP50"], abs=1e-9, nan_ok=True)
    assert map50_95(head, boxes) == pytest.approx(wanted["mAP50_95"], abs=1e-6, nan_ok=True)


def test_average_precision_by_hand() -> None:
    truth = np.asarray([[[0, 0, 0, 10, 10], [-1, 0, 0, 0, 0]], [[0, 5, 5, 15, 15], [-1, 0, 0, 0, 0]]], np.float32)
    hit, miss = [0.0, 0.0, 10.0, 10.0], [40.0, 40.0, 50.0, 50.0]

    def found(*rows: tuple[float, list[float]]) -> Detections:
        return Detections(
            np.zeros(len(rows), int), np.asarray([r[0] for r in rows]), np.asarray([r[1] for r in rows]).reshape(-1, 4)
        )

    none = found()
    assert mean_average_precision([found((0.9, hit)), found((0.8, [5.0, 5, 15, 15]))], truth, (0.5,), 1) == 1.0
    # one of two found: precision 1 up to recall 0.5, which is 51 of 101 points
    assert mean_average_precision([found((0.9, hit)), none], truth, (0.5,), 1) == pytest.approx(51 / 101)
    # a better-scored miss before it halves the precision
    assert mean_average_precision([found((0.95, miss), (0.9, hit)), none], truth, (0.5,), 1) == pytest.approx(51 / 202)
    # a second detection of the same box is a miss, but comes last
    assert mean_average_precision([found((0.9, hit), (0.8, hit)), none], truth, (0.5,), 1) == pytest.approx(51 / 101)
    assert mean_average_precision([none, none], truth, (0.5,), 1) == 0.0
    assert np.isnan(mean_average_precision([none], np.full((1, 1, 5), -1.0), (0.5,), 1))


def test_decode_drops_double_and_unlikely_boxes() -> None:
    head = np.asarray(
        [[10, 10, 4, 4, 0.9], [10.2, 10, 4, 4, 0.8], [30, 30, 4, 4, 0.5], [50, 5, 4, 4, 0.005], *[[0] * 5] * 6]
    )
    (found,) = decode(head[None].astype(np.float32))
    np.testing.assert_allclose(found.boxes, [[8, 8, 12, 12], [28, 28, 32, 32]])
    np.testing.assert_allclose(found.scores, [0.9, 0.5], rtol=1e-6)


def test_miou_by_hand() -> None:
    scores = np.zeros((1, 2, 1, 4))
    scores[0, 1, 0, 2:] = 1
    assert miou(scores, np.asarray([[[0, 0, 0, 1]]])) == pytest.approx((2 / 3 + 1 / 2) / 2)


@pytest.mark.parametrize(
    ("metric", "shape", "labels"),
    [(top1, (4, 10), (3,)), (miou, (4, 2, 8, 8), (4, 9, 8)), (miou, (4, 2), (4, 8, 8)), (map50, (4, 3, 3), (4, 1, 5)),
     (map50, (4, 6, 20), (3, 1, 5)), (map50, (4, 6, 20), (4, 5))],
)  # fmt: skip
def test_what_does_not_belong_together(metric: Any, shape: tuple[int, ...], labels: tuple[int, ...]) -> None:
    with pytest.raises(MetricError):
        metric(np.zeros(shape), np.zeros(labels))


@given(st.integers(0, 2**32 - 1), st.floats(1e-4, 1.0))
def test_distances_agree(seed: int, noise: float) -> None:
    rng = np.random.default_rng(seed)
    one = rng.normal(0, 1, (3, 50)).astype(np.float32)
    two = (one + rng.normal(0, noise, one.shape)).astype(np.float32)
    assert sqnr(one, two) == pytest.approx(-20 * np.log10(relative_rms(one, two)))
    assert cosine(one, two) == pytest.approx(cosine(two * 3, one))
    assert 1 - cosine(one, two) <= relative_rms(one, two) ** 2
    assert (sqnr(one, one), relative_rms(one, one)) == (float("inf"), 0.0)
    assert cosine(one, one) == pytest.approx(1.0)


def test_distances_of_zero() -> None:
    zero, one = np.zeros(3), np.ones(3)
    assert (sqnr(zero, zero), sqnr(zero, one), sqnr(one, zero)) == (float("inf"), float("-inf"), 0.0)
    assert (cosine(zero, zero), cosine(zero, one)) == (1.0, 0.0)
    assert (relative_rms(zero, zero), relative_rms(zero, one), relative_rms(one, zero)) == (0.0, float("inf"), 1.0)
