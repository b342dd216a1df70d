"""Sampling, against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.program.op import OpError
from tests.oracles.onnx_node import compare, reference_node

quick = settings(max_examples=60, deadline=None, derandomize=True)
COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric")
ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def some(*shape: int) -> np.ndarray:
    """Random values."""
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def floats(*values: float) -> np.ndarray:
    """Scales."""
    return np.asarray(values, np.float32)


@quick
@given(st.data())
def test_sizes(data: st.DataObject) -> None:
    """Every mode and coordinate rule, wanted sizes."""
    spatial = data.draw(st.sampled_from([1, 2]))
    shape = [1, 2, *(data.draw(st.integers(1, 6)) for _ in range(spatial))]
    sizes = [1, 2, *(data.draw(st.integers(1, 12)) for _ in range(spatial))]
    mode = data.draw(st.sampled_from(["nearest", "linear", "cubic"] if spatial == 2 else ["nearest", "linear"]))
    attributes = {
        "mode": mode,
        "coordinate_transformation_mode": data.draw(st.sampled_from(COORDINATES)),
        "nearest_mode": data.draw(st.sampled_from(ROUNDINGS)),
    }
    if mode == "cubic":
        attributes["exclude_outside"] = data.draw(st.integers(0, 1))
    inputs = [some(*shape), None, None, np.asarray(sizes)]
    compare("Resize", inputs, attributes, opset=19, constant=[3], tolerance=1e-4)


@quick
@given(st.data())
def test_scales(data: st.DataObject) -> None:
    """Scales that do not come out even."""
    shape = [1, 2, data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))]
    scales = [1.0, 1.0, *(data.draw(st.sampled_from([0.5, 0.6, 1.0, 1.3, 2.0, 2.6, 3.0])) for _ in range(2))]
    if any(int(d * s) < 1 for d, s in zip(shape, scales, strict=True)):
        return
    attributes = {
        "mode": data.draw(st.sampled_from(["nearest", "linear"])),
        "coordinate_transformation_mode": data.draw(st.sampled_from(COORDINATES)),
        "nearest_mode": data.draw(st.sampled_from(ROUNDINGS)),
    }
    compare("Resize", [some(*shape), None, floats(*scales)], attributes, opset=13, constant=[2], tolerance=1e-4)


def test_older_opsets() -> None:
    """Upsample of opset 7 and 9, Resize of opset 10 and 11."""
    x = some(1, 2, 3, 4)
    for mode in ("nearest", "linear"):
        compare("Upsample", [x], {"mode": mode, "scales": [1.0, 1.0, 2.0, 2.0]}, opset=7, tolerance=1e-5)
        compare("Upsample", [x, floats(1, 1, 2, 3)], {"mode": mode}, opset=9, constant=[1], tolerance=1e-5)
        compare("Resize", [x, floats(1, 1, 2, 3)], {"mode": mode}, opset=10, constant=[1], tolerance=1e-5)
        compare("Resize", [x, floats(), floats(1, 1, 2, 3)], {"mode": mode}, opset=11, constant=[1, 2], tolerance=1e-5)


@pytest.mark.parametrize("policy", ["stretch", "not_larger", "not_smaller"])
def test_policy(policy: str) -> None:
    """Sizes of some axes, the ratio kept or not."""
    attributes = {"mode": "linear", "axes": [2, 3], "keep_aspect_ratio_policy": policy}
    compare("Resize", [some(1, 2, 4, 6), None, None, np.asarray([7, 8])], attributes, opset=18, constant=[3],
            tolerance=1e-5)  # fmt: skip


def test_refused() -> None:
    """What would be wrong in silence."""
    x, sizes = some(1, 2, 4, 6), np.asarray([1, 2, 2, 3])
    with pytest.raises(OpError, match="antialias"):
        reference_node("Resize", [x, None, None, sizes], {"mode": "linear", "antialias": 1}, 18, constant=[3])
    with pytest.raises(OpError, match="tf_crop_and_resize"):
        attributes = {"coordinate_transformation_mode": "tf_crop_and_resize"}
        reference_node("Resize", [x, None, None, sizes], attributes, 18, constant=[3])
    with pytest.raises(OpError, match="channel"):
        reference_node("Resize", [x, None, None, np.asarray([1, 4, 4, 6])], {}, 18, constant=[3])
    with pytest.raises(OpError, match="run time"):
        reference_node("Resize", [x, None, None, sizes], {}, 18)
