"""ArgMax, ArgMin and TopK, against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.program.op import OpError
from tests.oracles.onnx_node import compare, reference_node

quick = settings(max_examples=20, deadline=None, derandomize=True)


@quick
@given(st.data())
def test_arg(data: st.DataObject) -> None:
    """Few distinct values, so that there are equals; every type that onnxruntime has."""
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    x = rng.integers(-3 if (dtype := data.draw(st.sampled_from([np.float32, np.int8, np.int32]))) else 0, 4, shape)
    attributes = {
        "axis": data.draw(st.integers(-len(shape), len(shape) - 1)),
        "keepdims": data.draw(st.integers(0, 1)),
        "select_last_index": data.draw(st.integers(0, 1)),
    }
    compare(data.draw(st.sampled_from(["ArgMax", "ArgMin"])), [x.astype(dtype)], attributes, opset=13)


@quick
@given(st.data())
def test_top_k(data: st.DataObject) -> None:
    """Equals in their order, either direction."""
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    count = data.draw(st.integers(1, shape[axis]))
    dtype = data.draw(st.sampled_from([np.float32, np.int64, np.int32]))
    x = np.random.default_rng(data.draw(st.integers(0, 999))).integers(-3, 4, shape).astype(dtype)
    attributes = {"axis": axis, "largest": data.draw(st.integers(0, 1))}
    compare("TopK", [x, np.asarray([count])], attributes, opset=11, outputs=2, constant=[1])


def test_computed_count_is_refused() -> None:
    """The output would have no fixed shape."""
    with pytest.raises(OpError, match="run time"):
        reference_node("TopK", [np.zeros(3, np.float32), np.asarray([1])], {}, 11, 2)
