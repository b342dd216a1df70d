"""Normalizations, against onnxruntime and ONNX's own reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracles.onnx_node import compare, onnx_model, reference_node


def some(*shape: int) -> np.ndarray:
    """Random values."""
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def compare_reference(kind: str, inputs: list[np.ndarray], attributes: dict[str, Any], opset: int) -> None:
    """Against onnx.reference, where onnxruntime has no kernel."""
    from onnx.reference import ReferenceEvaluator

    session = ReferenceEvaluator(onnx_model(kind, inputs, attributes, opset))
    (want,) = session.run(None, {f"x{i}": v for i, v in enumerate(inputs)})
    (got,) = reference_node(kind, inputs, attributes, opset, constant=[1, 2])
    np.testing.assert_allclose(got, want, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("axis", [-1, 1, 2, 0])
def test_layer(axis: int) -> None:
    """Any first axis, with and without bias."""
    x = some(2, 3, 4)
    tail = x.shape[axis:]
    attributes = {"axis": axis, "epsilon": 1e-3}
    compare("LayerNormalization", [x, some(*tail), some(*tail)], attributes, constant=[1, 2], tolerance=1e-5)
    compare("LayerNormalization", [x, some(*tail)], attributes, constant=[1], tolerance=1e-5)


def test_layer_statistics() -> None:
    """Mean and reciprocal deviation as outputs."""
    x = some(2, 3, 4)
    compare("LayerNormalization", [x, some(3, 4)], {"axis": 1}, outputs=3, constant=[1], tolerance=1e-5)


def test_rms() -> None:
    """No mean."""
    compare_reference("RMSNormalization", [some(2, 3, 4), some(4)], {"axis": -1}, 23)


def test_instance() -> None:
    """1-D and 2-D images."""
    for shape in ((2, 3, 5), (2, 3, 4, 5)):
        compare("InstanceNormalization", [some(*shape) + 2, some(3), some(3)], constant=[1, 2], tolerance=1e-5)


def test_group() -> None:
    """A scale for each channel (opset 21) or for each group (opset 18)."""
    x = some(2, 6, 3, 4)
    compare("GroupNormalization", [x, some(6), some(6)], {"num_groups": 2}, opset=21, constant=[1, 2], tolerance=1e-5)
    compare("GroupNormalization", [x, some(2), some(2)], {"num_groups": 2}, opset=18, constant=[1, 2], tolerance=1e-5)
