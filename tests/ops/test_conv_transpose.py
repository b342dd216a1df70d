"""Transposed convolution, against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.onnx_node import compare

quick = settings(max_examples=40, deadline=None, derandomize=True)


def some(*shape: int) -> np.ndarray:
    """Random values."""
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@quick
@given(st.data())
def test_pads_and_padding(data: st.DataObject) -> None:
    """1-D and 2-D, groups, strides, dilations, pads, output_padding, with and without bias."""
    spatial, groups = data.draw(st.sampled_from([1, 2])), data.draw(st.sampled_from([1, 2]))
    kernel = [data.draw(st.integers(1, 3)) for _ in range(spatial)]
    strides = [data.draw(st.integers(1, 3)) for _ in range(spatial)]
    dilations = [data.draw(st.integers(1, 2)) for _ in range(spatial)]
    extra = [data.draw(st.integers(0, s - 1)) for s in strides]
    sizes = [data.draw(st.integers(2, 4)) for _ in range(spatial)]
    pads = [data.draw(st.integers(0, min(1, k - 1))) for k in kernel] * 2
    outs = data.draw(st.integers(1, 2))
    inputs = [some(2, 2 * groups, *sizes), some(2 * groups, outs, *kernel)]
    if data.draw(st.booleans()):
        inputs.append(some(outs * groups))
    given_attributes = {
        "strides": strides, "dilations": dilations, "pads": pads, "group": groups, "output_padding": extra,
    }  # fmt: skip
    constant = [1, 2] if groups == 2 or data.draw(st.booleans()) else [2]
    compare("ConvTranspose", inputs, given_attributes, opset=11, constant=constant, tolerance=1e-5)


@pytest.mark.parametrize("auto", ["SAME_UPPER", "SAME_LOWER", "VALID"])
def test_auto_pad(auto: str) -> None:
    """Odd totals, so that the two sides differ."""
    for kernel, stride in ((3, 2), (4, 3), (2, 2), (3, 1)):
        attributes = {"auto_pad": auto, "strides": [stride, stride]}
        compare("ConvTranspose", [some(1, 2, 3, 4), some(2, 3, kernel, kernel)], attributes, opset=11, tolerance=1e-5)


def test_output_shape() -> None:
    """A wanted size spreads the cut over both sides."""
    for auto in ("NOTSET", "SAME_UPPER"):
        attributes = {"output_shape": [6, 8], "strides": [2, 2], "auto_pad": auto}
        compare("ConvTranspose", [some(1, 2, 3, 4), some(2, 3, 3, 3)], attributes, opset=11, tolerance=1e-5)
