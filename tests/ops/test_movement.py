"""Operators that carry elements, against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.program.op import OpError
from tests.oracles.onnx_node import compare, reference_node

quick = settings(max_examples=20, deadline=None, derandomize=True)


def ints(*values: int) -> np.ndarray:
    """A shape-like constant."""
    return np.asarray(values, np.int64)


def ramp(*shape: int, dtype: type = np.float32) -> np.ndarray:
    """Distinct values."""
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


@quick
@given(st.data())
def test_transpose(data: st.DataObject) -> None:
    """Any order of axes, int8 and float."""
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))
    perm = data.draw(st.permutations(range(len(shape))))
    compare("Transpose", [ramp(*shape)], {"perm": list(perm)})
    compare("Transpose", [ramp(*shape)])


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_depth_to_space(mode: str) -> None:
    """Both orders of the depth."""
    compare("DepthToSpace", [ramp(2, 12, 3, 2)], {"blocksize": 2, "mode": mode}, opset=13)


def test_space_to_depth() -> None:
    """Blocks become depth."""
    compare("SpaceToDepth", [ramp(2, 3, 4, 6)], {"blocksize": 2}, opset=13)
    with pytest.raises(OpError, match="does not divide"):
        reference_node("SpaceToDepth", [ramp(1, 1, 3, 4)], {"blocksize": 2}, 13)


@quick
@given(st.data())
def test_expand(data: st.DataObject) -> None:
    """Both x and the wanted shape may hold ones."""
    full = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    x = [d if data.draw(st.booleans()) else 1 for d in full[data.draw(st.integers(0, len(full) - 1)) :]]
    shape = [d if data.draw(st.booleans()) else 1 for d in full[data.draw(st.integers(0, len(full) - 1)) :]]
    compare("Expand", [ramp(*x), ints(*shape)], constant=[1])


@quick
@given(st.data())
def test_tile(data: st.DataObject) -> None:
    """Any repeats."""
    shape = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    repeats = [data.draw(st.integers(0, 3)) for _ in shape]
    compare("Tile", [ramp(*shape), ints(*repeats)], constant=[1])


@quick
@given(st.data())
def test_slice(data: st.DataObject) -> None:
    """Any starts, ends and steps, beyond the ends and backwards."""
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    axes = data.draw(st.lists(st.integers(-len(shape), len(shape) - 1), unique_by=lambda a: a % len(shape), min_size=1))
    bound = st.one_of(st.integers(-7, 7), st.sampled_from([-(2**31), 2**31, 2**62]))
    starts = [data.draw(bound) for _ in axes]
    ends = [data.draw(bound) for _ in axes]
    steps = [data.draw(st.sampled_from([-3, -2, -1, 1, 2, 3])) for _ in axes]
    inputs = [ramp(*shape), ints(*starts), ints(*ends), ints(*axes), ints(*steps)]
    compare("Slice", inputs, constant=[1, 2, 3, 4])


def test_slice_before_opset_10() -> None:
    """Bounds as attributes."""
    compare("Slice", [ramp(4, 5)], {"starts": [1, -2], "ends": [3, 100], "axes": [0, 1]}, opset=9)


def test_split() -> None:
    """Equal parts, given sizes, a smaller last part."""
    compare("Split", [ramp(6, 2)], {"axis": 0}, opset=11, outputs=3)
    compare("Split", [ramp(6, 5)], {"axis": -1, "split": [2, 3]}, opset=11, outputs=2)
    compare("Split", [ramp(6, 5), ints(1, 4)], {"axis": 1}, opset=13, outputs=2, constant=[1])
    compare("Split", [ramp(6, 5)], {"axis": 1, "num_outputs": 3}, opset=18, outputs=3)


def test_reshapes() -> None:
    """Reshape, Flatten, Squeeze, Unsqueeze in the forms of their opsets."""
    x = ramp(2, 1, 3, 1)
    compare("Reshape", [x, ints(0, -1)], constant=[1])
    compare("Reshape", [x, ints(3, 2, -1)], constant=[1])
    compare("Reshape", [ramp(0, 3), ints(3, 0)], {"allowzero": 1}, opset=14, constant=[1])
    compare("Flatten", [x], {"axis": 2})
    compare("Flatten", [x], {"axis": 0})
    compare("Flatten", [x], {"axis": -1}, opset=13)
    compare("Squeeze", [x], {"axes": [1, -1]}, opset=11)
    compare("Squeeze", [x])
    compare("Squeeze", [x, ints(1)], constant=[1])
    compare("Unsqueeze", [x], {"axes": [0, 3]}, opset=11)
    compare("Unsqueeze", [x, ints(-1, 1)], constant=[1])
    compare("Identity", [x])
    compare("Dropout", [x], opset=13, outputs=2)
    compare("Dropout", [x], {"ratio": 0.3}, opset=7)


@quick
@given(st.data())
def test_concat(data: st.DataObject) -> None:
    """Any axis, several inputs."""
    shape = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    parts = []
    for _ in range(data.draw(st.integers(1, 4))):
        parts.append(
            ramp(*[data.draw(st.integers(1, 3)) if k == axis % len(shape) else d for k, d in enumerate(shape)])
        )
    compare("Concat", parts, {"axis": axis}, constant=[0] if data.draw(st.booleans()) else [])


@quick
@given(st.data())
def test_pad(data: st.DataObject) -> None:
    """Every mode; negative pads cut; the axes of opset 18."""
    shape = data.draw(st.lists(st.integers(2, 4), min_size=1, max_size=4))
    mode = data.draw(st.sampled_from(["constant", "reflect", "edge", "wrap"]))
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), unique=True, min_size=1))
    pads = [data.draw(st.integers(-1 if mode == "constant" else 0, 1)) for _ in range(2 * len(axes))]
    inputs = [ramp(*shape), ints(*pads), np.asarray(7, np.float32), ints(*axes)]
    if mode != "wrap":
        compare("Pad", inputs, {"mode": mode}, opset=18, constant=[1, 2, 3])
    else:
        compare("Pad", inputs, {"mode": mode}, opset=19, constant=[1, 2, 3])


def test_pad_before_opset_11() -> None:
    """Pads and value as attributes."""
    compare("Pad", [ramp(2, 3)], {"pads": [1, 0, 0, 2], "value": 4.0}, opset=10)
