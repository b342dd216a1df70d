"""Drawn convolutions for the band law."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from ferrule.ops.conv import Conv
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.tensor import DType, Quant
from tests.kernels.band_law import Case


@st.composite
def conv_s8(draw: st.DrawFn) -> Case:
    """Any int8 convolution: 1-D or 2-D, groups, strides, dilations, asymmetric pads, weight zero points."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spatial = draw(st.sampled_from([1, 2]))
    groups = draw(st.sampled_from([1, 1, 2, 3]))
    in_group, out_group = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    kernel = [draw(st.integers(1, 3)) for _ in range(spatial)]
    dilations = tuple(draw(st.integers(1, 2)) for _ in range(spatial))
    strides = tuple(draw(st.integers(1, 3)) for _ in range(spatial))
    pads = tuple((draw(st.integers(0, 2)), draw(st.integers(0, 2))) for _ in range(spatial))
    sizes = [
        max(draw(st.integers(1, 7)), d * (k - 1) + 1 - sum(p)) for k, d, p in zip(kernel, dilations, pads, strict=True)
    ]
    channels, filters = groups * in_group, groups * out_group
    build = Builder("case")
    shape = (draw(st.integers(1, 2)), *sizes, channels)
    x = build.input("x", shape, DType.INT8, Quant.per_tensor(0.1, int(rng.integers(-128, 128))))
    zeros = rng.integers(-3, 4, filters) if draw(st.booleans()) else np.zeros(filters, int)
    w = build.constant(
        rng.integers(-127, 128, (filters, *kernel, in_group)).astype(np.int8),
        "w",
        Quant((0.02,) * filters, tuple(int(z) for z in zeros), 0),
    )
    bias = build.constant(rng.integers(-2000, 2000, filters).astype(np.int32), "b") if draw(st.booleans()) else None
    count = draw(st.sampled_from([1, filters]))
    requant = Requant.of(rng.uniform(1e-4, 2e-2, count), draw(st.sampled_from(["single", "double"])))
    low = draw(st.sampled_from([-128, -100, 0]))
    (y,) = build.emit(
        Conv,
        (x, w, bias),
        name="conv",
        quant=Quant.per_tensor(0.2, int(rng.integers(-128, 128))),
        strides=strides,
        dilations=dilations,
        pads=pads,
        groups=groups,
        requant=requant,
        clamp=(low, 127),
    )
    return Case(build.finish([y]), {"x": rng.integers(-128, 128, shape).astype(np.int8)})


@st.composite
def conv_f32(draw: st.DrawFn, weights_vary: bool, bias_varies: bool) -> Case:
    """Any float convolution, its weights and bias constant or computed."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spatial, groups = draw(st.sampled_from([1, 2])), draw(st.sampled_from([1, 1, 2, 3]))
    in_group, filters = draw(st.integers(1, 4)), groups * draw(st.integers(1, 3))
    kernel = [draw(st.integers(1, 3)) for _ in range(spatial)]
    dilations = tuple(draw(st.integers(1, 2)) for _ in range(spatial))
    strides = tuple(draw(st.integers(1, 3)) for _ in range(spatial))
    pads = tuple((draw(st.integers(0, 2)), draw(st.integers(0, 2))) for _ in range(spatial))
    sizes = [
        max(draw(st.integers(1, 7)), d * (k - 1) + 1 - sum(p)) for k, d, p in zip(kernel, dilations, pads, strict=True)
    ]
    build, values = Builder("case"), {}

    def operand(name: str, shape: tuple[int, ...], varies: bool) -> str:
        array = rng.standard_normal(shape).astype(np.float32)
        if not varies:
            return build.constant(array, name)
        values[name] = array
        return build.input(name, shape, DType.FLOAT32)

    x = operand("x", (draw(st.integers(1, 2)), *sizes, groups * in_group), True)
    w = operand("w", (filters, *kernel, in_group), weights_vary)
    b = operand("b", (filters,), bias_varies) if bias_varies or draw(st.booleans()) else None
    (y,) = build.emit(
        Conv,
        (x, w, b),
        name="conv",
        strides=strides,
        dilations=dilations,
        pads=pads,
        groups=groups,
        clamp=draw(st.sampled_from([None, (0.0, math.inf), (-1.0, 1.0)])),
    )
    return Case(build.finish([y]), values)


CASES = {
    "fr_conv_s8": conv_s8(),
    "fr_conv_f32": conv_f32(False, False),
    "fr_conv_w_f32": conv_f32(True, False),
    "fr_conv_b_f32": conv_f32(False, True),
    "fr_conv_wb_f32": conv_f32(True, True),
}
