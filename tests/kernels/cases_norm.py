"""Drawn normalizations for the band law."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ferrule.ops.group_norm import GroupNorm
from ferrule.ops.layer_norm import LayerNorm
from ferrule.program.build import Builder
from ferrule.program.op import Op
from ferrule.program.tensor import DType
from tests.kernels.band_law import Case
from tests.kernels.cases_movement import shapes


def norm(draw: st.DrawFn, op: type[Op], shape: tuple[int, ...], **attributes: object) -> Case:
    """One op with or without scale and bias, values away from zero mean."""
    rng, build = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), Builder("case")

    def some(*size: int) -> np.ndarray:
        return rng.standard_normal(size).astype(np.float32)

    x = build.input("x", shape, DType.FLOAT32)
    scale = build.constant(some(shape[-1]), "scale") if draw(st.booleans()) else None
    bias = build.constant(some(shape[-1]), "bias") if draw(st.booleans()) else None
    outputs = build.emit(op, (x, scale, bias), name="op", epsilon=1e-3, **attributes)  # type: ignore[arg-type]
    return Case(build.finish(outputs), {"x": some(*shape) * 3 + 5}, (1e-4, 1e-4))


@st.composite
def layer(draw: st.DrawFn) -> Case:
    """Any rank, more channels than a block."""
    shape = (*draw(shapes(1, 4, 40)), draw(st.integers(1, 150)))
    return norm(draw, LayerNorm, shape, centre=draw(st.booleans()))


@st.composite
def group(draw: st.DrawFn) -> Case:
    """Any rank, any number of groups."""
    groups = draw(st.integers(1, 3))
    shape = (*draw(shapes(1, 4, 60)), groups * draw(st.integers(1, 4)))
    return norm(draw, GroupNorm, shape, groups=groups)


CASES = {"fr_layer_norm_f32": layer(), "fr_group_norm_f32": group()}
