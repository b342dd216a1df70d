"""Drawn transposed convolutions for the band law."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from ferrule.ops.conv_transpose import ConvTranspose
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.tensor import DType, Quant
from tests.kernels.band_law import Case


@st.composite
def transposed(draw: st.DrawFn, integer: bool, computed: bool = False) -> Case:
    """Any stride, dilation, cut, output size, groups; 1-D or 2-D."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spatial, groups = draw(st.sampled_from([1, 2])), draw(st.sampled_from([1, 1, 2]))
    in_group, out_group = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    kernel = [draw(st.integers(1, 4)) for _ in range(spatial)]
    strides = tuple(draw(st.integers(1, 4)) for _ in range(spatial))
    dilations = tuple(draw(st.integers(1, 3)) for _ in range(spatial))
    pads = tuple(draw(st.integers(0, 2)) for _ in range(spatial))
    shape = (draw(st.integers(1, 2)), *(draw(st.integers(1, 4)) for _ in range(spatial)), groups * in_group)
    sizes = tuple(draw(st.integers(1, 9)) for _ in range(spatial))
    filters = groups * out_group
    weights_shape = (filters, *kernel, in_group)
    build, quant = Builder("case"), None
    attributes: dict[str, object] = {
        "strides": strides, "dilations": dilations, "pads": pads, "sizes": sizes, "groups": groups,
    }  # fmt: skip
    if integer:
        quant = Quant.per_tensor(0.2, int(rng.integers(-128, 128)))
        value = rng.integers(-128, 128, shape).astype(np.int8)
        x = build.input("x", shape, DType.INT8, Quant.per_tensor(0.1, int(rng.integers(-128, 128))))
        zeros = rng.integers(-3, 4, filters) if draw(st.booleans()) else np.zeros(filters, int)
        weights = rng.integers(-127, 128, weights_shape).astype(np.int8)
        w = build.constant(weights, "w", Quant((0.02,) * filters, tuple(int(z) for z in zeros), 0))
        b = build.constant(rng.integers(-2000, 2000, filters).astype(np.int32), "b") if draw(st.booleans()) else None
        scheme = draw(st.sampled_from(["single", "double"]))
        attributes["requant"] = Requant.of(rng.uniform(1e-4, 2e-2, draw(st.sampled_from([1, filters]))), scheme)
        attributes["clamp"] = (draw(st.sampled_from([-128, -100, 0])), 127)
        values = {"x": value}
    else:
        values = {"x": rng.standard_normal(shape).astype(np.float32)}
        x = build.input("x", shape, DType.FLOAT32)
        weights_float = rng.standard_normal(weights_shape).astype(np.float32)
        if computed:
            w, values["w"] = build.input("w", weights_shape, DType.FLOAT32), weights_float
        else:
            w = build.constant(weights_float, "w")
        b = build.constant(rng.standard_normal(filters).astype(np.float32), "b") if draw(st.booleans()) else None
        attributes["clamp"] = draw(st.sampled_from([None, (0.0, math.inf), (-1.0, 1.0)]))
    outputs = build.emit(ConvTranspose, (x, w, b), name="op", quant=quant, **attributes)  # type: ignore[arg-type]
    return Case(build.finish(outputs), values)


CASES = {
    "fr_conv_transpose_s8": transposed(True),
    "fr_conv_transpose_f32": transposed(False),
    "fr_conv_transpose_w_f32": transposed(False, True),
}
