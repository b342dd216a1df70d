"""TFLite operators that carry, sample and convolve, against LiteRT."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracles.tflite_node import T, compare, constant

quick = settings(max_examples=15, deadline=None, derandomize=True)
Q = {"scale": 0.05, "zero": -7}


def q(*shape: int) -> T:
    """An int8 tensor of one scale."""
    return T(shape, "int8", **Q)


def f(*shape: int) -> T:
    """A float tensor."""
    return T(shape, "float32")


@pytest.mark.parametrize("half_pixel", [False, True])
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("kind", ["RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"])
def test_resize(kind: str, align: bool, half_pixel: bool) -> None:
    """Many pairs of sizes, int8 and float."""
    if align and half_pixel:
        pytest.skip("LiteRT refuses both at once")
    options = {"alignCorners": align, "halfPixelCenters": half_pixel}
    for a, b in ((3, 7), (7, 3), (4, 8), (5, 5), (1, 4), (6, 1), (13, 9), (9, 27), (16, 10)):
        size = constant([b, a])
        compare(kind, [q(1, a, b, 2), size], [q(1, b, a, 2)], options)
        compare(kind, [f(1, a, b, 2), size], [f(1, b, a, 2)], options, tolerance=1e-5)


@quick
@given(st.data())
def test_transpose_conv(data: st.DataObject) -> None:
    """SAME and VALID, strides, bias, int8 per channel and float."""
    stride, k = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    h, w, channels, filters = (data.draw(st.integers(1, 4)) for _ in range(4))
    same, bias = data.draw(st.booleans()), data.draw(st.booleans())
    sizes = [d * stride if same else (d - 1) * stride + max(k, 1) for d in (h, w)]
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    options = {"padding": 0 if same else 1, "strideH": stride, "strideW": stride}
    shape = constant([1, *sizes, filters])
    scales = rng.uniform(0.01, 0.05, filters)
    weights = constant(rng.integers(-127, 128, (filters, k, k, channels)), "int8", scale=scales, zero=0, axis=0)
    inputs = [shape, weights, q(1, h, w, channels)]
    if bias:
        inputs.append(constant(rng.integers(-3000, 3000, filters), "int32", scale=scales * 0.05, zero=0, axis=0))
    compare("TRANSPOSE_CONV", inputs, [T((1, *sizes, filters), "int8", 0.11, 5)], options)
    floats = [shape, constant(rng.standard_normal((filters, k, k, channels)), "float32"), f(1, h, w, channels)]
    if bias:
        floats.append(constant(rng.standard_normal(filters), "float32"))
    compare("TRANSPOSE_CONV", floats, [f(1, *sizes, filters)], options, tolerance=1e-5)


def test_pads() -> None:
    """Zero, a given code, and mirrors."""
    pads = constant([[0, 0], [1, 2], [0, 1], [2, 0]])
    compare("PAD", [q(1, 3, 4, 3), pads], [q(1, 6, 5, 5)], {})
    compare("PADV2", [q(1, 3, 4, 3), pads, constant(9, "int8", **Q)], [q(1, 6, 5, 5)], {})
    for mode in (0, 1):
        compare("MIRROR_PAD", [q(1, 3, 4, 3), pads], [q(1, 6, 5, 5)], {"mode": mode})


def test_joins_and_parts() -> None:
    """CONCATENATION, PACK, SPLIT, SPLIT_V, UNPACK."""
    compare("CONCATENATION", [q(2, 3), q(2, 1)], [q(2, 4)], {"axis": 1})
    compare("CONCATENATION", [q(1, 2, 3, 2), q(1, 1, 3, 2)], [q(1, 3, 3, 2)], {"axis": -3})
    parts = [T((2, 3), "int16", 0.1), T((2, 1), "int16", 0.3)]
    compare("CONCATENATION", parts, [T((2, 4), "int16", 0.2)], {"axis": 1})
    compare("PACK", [q(2, 3), q(2, 3)], [q(2, 2, 3)], {"axis": 1, "valuesCount": 2})
    compare("UNPACK", [q(2, 2, 3)], [q(2, 3), q(2, 3)], {"axis": 1, "num": 2})
    compare("SPLIT", [constant(1), q(2, 6)], [q(2, 3), q(2, 3)], {"numSplits": 2})
    compare("SPLIT_V", [q(2, 6), constant([1, 5]), constant(1)], [q(2, 1), q(2, 5)], {"numSplits": 2})


@quick
@given(st.data())
def test_strided_slice(data: st.DataObject) -> None:
    """Any bounds, steps and masks."""
    shape = [data.draw(st.integers(1, 5)) for _ in range(data.draw(st.integers(1, 4)))]
    count = data.draw(st.integers(1, len(shape)))
    begin, end, step = [], [], []
    for length in shape[:count]:
        step.append(data.draw(st.sampled_from([-2, -1, 1, 1, 2])))
        begin.append(data.draw(st.integers(-length, length - 1)))
        end.append(data.draw(st.integers(-length - 2, length + 2)))
    bits = (1 << count) - 1
    shrink = data.draw(st.integers(0, bits))
    masks = {"beginMask": data.draw(st.integers(0, bits)), "endMask": data.draw(st.integers(0, bits))}
    sizes = []
    for k, length in enumerate(shape):
        if k >= count:
            sizes.append(length)
            continue
        if shrink >> k & 1:
            step[k] = 1
            continue
        a = None if masks["beginMask"] >> k & 1 else begin[k]
        b = None if masks["endMask"] >> k & 1 else end[k]
        sizes.append(len(range(*slice(a, b, step[k]).indices(length))))
    if 0 in sizes:
        return
    masks = {name: mask & ~shrink for name, mask in masks.items()}
    options = {**masks, "shrinkAxisMask": shrink, "ellipsisMask": 0, "newAxisMask": 0}
    inputs = [q(*shape), constant(begin), constant(end), constant(step)]
    compare("STRIDED_SLICE", inputs, [q(*sizes)], options)


def test_strided_slice_with_new_axes_and_ellipsis() -> None:
    """As numpy's x[None, ..., 1:3]."""
    options = {"beginMask": 0, "endMask": 0, "shrinkAxisMask": 0, "ellipsisMask": 2, "newAxisMask": 1}
    inputs = [q(2, 3, 4), constant([0, 0, 1]), constant([0, 0, 3]), constant([1, 1, 1])]
    compare("STRIDED_SLICE", inputs, [q(1, 2, 3, 2)], options)


def test_rearrangements() -> None:
    """Blocks between depth, batch and space; transposes, reverses, tiles."""
    compare("DEPTH_TO_SPACE", [q(1, 2, 3, 8)], [q(1, 4, 6, 2)], {"blockSize": 2})
    compare("SPACE_TO_DEPTH", [q(1, 4, 6, 2)], [q(1, 2, 3, 8)], {"blockSize": 2})
    compare("SPACE_TO_BATCH_ND", [q(1, 3, 4, 2), constant([2, 3]), constant([[1, 0], [0, 2]])], [q(6, 2, 2, 2)])
    compare("BATCH_TO_SPACE_ND", [q(6, 2, 2, 2), constant([2, 3]), constant([[1, 0], [0, 2]])], [q(1, 3, 4, 2)])
    compare("TRANSPOSE", [q(2, 3, 4), constant([2, 0, 1])], [q(4, 2, 3)])
    compare("REVERSE_V2", [f(2, 3, 4), constant([1])], [f(2, 3, 4)])
    compare("TILE", [f(2, 3), constant([2, 3])], [f(4, 9)])
    compare("BROADCAST_TO", [q(2, 1, 3), constant([4, 2, 5, 3])], [q(4, 2, 5, 3)], version=2)
    compare("REVERSE_SEQUENCE", [f(4, 3, 2), constant([1, 4, 2])], [f(4, 3, 2)], {"seqDim": 0, "batchDim": 1})


def test_picks() -> None:
    """GATHER, GATHER_ND, SELECT, ONE_HOT, SCATTER_ND."""
    compare("GATHER", [q(4, 5), constant([3, 0, 2])], [q(3, 5)], {"axis": 0})
    compare("GATHER", [q(4, 5), constant([[3, 0], [2, 2]])], [q(4, 2, 2)], {"axis": 1})
    index = constant([[3, 0], [1, 1]])
    compare("GATHER", [q(2, 4, 3), index], [q(2, 2, 3)], {"axis": 1, "batchDims": 1})
    compare("GATHER_ND", [q(2, 3, 4), constant([[1, 2], [0, 0]])], [q(2, 4)])
    compare("SELECT_V2", [T((2, 1), "bool"), q(2, 3), q(1, 3)], [q(2, 3)])
    compare("SELECT", [T((2,), "bool"), q(2, 3), q(2, 3)], [q(2, 3)])
    inputs = [T((3,), "int32"), constant(4), constant(2, "float32"), constant(-1, "float32")]
    compare("ONE_HOT", inputs, [f(3, 4)], {"axis": -1}, values=[np.asarray([3, -1, 1], np.int32)])
    compare("SCATTER_ND", [constant([[1], [3], [1]]), f(3, 2), constant([4, 2])], [f(4, 2)], tolerance=1e-6)


def test_orders_and_sums() -> None:
    """ARG_MAX, ARG_MIN, TOPK_V2, CUMSUM."""
    for kind, options in (("ARG_MAX", {"outputType": 2}), ("ARG_MIN", {"outputType": 2})):
        compare(kind, [q(3, 40), constant(1)], [T((3,), "int32")], options)
        compare(kind, [f(2, 3, 4), constant(1)], [T((2, 4), "int32")], options)
    compare("TOPK_V2", [f(2, 9), constant(4)], [f(2, 4), T((2, 4), "int32")])
    compare("CUMSUM", [f(2, 5), constant(1)], [f(2, 5)], {"exclusive": True, "reverse": True}, tolerance=1e-5)


@pytest.mark.parametrize("target", ["int32", "int8", "float32", "bool", "uint8", "int16", "int64"])
@pytest.mark.parametrize("source", ["int32", "int8", "float32", "bool", "uint8", "int16", "int64"])
def test_cast(source: str, target: str) -> None:
    """Every pair that LiteRT has; floats within the range of all types."""
    values = np.asarray([[0, 1, 2, 77, 100]]).astype(source)
    codes = {"float32": 0, "int32": 2, "uint8": 3, "int64": 4, "bool": 6, "int16": 7, "int8": 9}
    options = {"inDataType": codes[source], "outDataType": codes[target]}
    compare("CAST", [T((1, 5), source)], [T((1, 5), target)], options, values=[values], runs=1)
