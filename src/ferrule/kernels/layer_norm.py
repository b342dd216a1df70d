"""The kernel that normalizes the channels of a pixel."""

from __future__ import annotations

from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.layer_norm import LayerNorm
from ferrule.program.geometry import geometry
from ferrule.program.op import Site


def accepts(site: Site) -> str | None:
    """float32, constant scale and bias."""
    if any(site.has(i) and site.constant(i) is None for i in (1, 2)):
        return "scale and bias must be constants"
    return None


def fields(site: Site) -> list[Field]:
    """The members of `fr_layer_norm_f32_op`."""
    op, shape = cast(LayerNorm, site.op), geometry(site.output)
    return [
        Field("width", "int32_t", shape.width),
        Field("channels", "int32_t", shape.channels),
        Field("centre", "int32_t", int(op.centre)),
        Field("epsilon", "float", op.epsilon),
        Field("scale", "const float *", site.constant(1)),
        Field("bias", "const float *", site.constant(2)),
    ]


KERNEL = Kernel("fr_layer_norm_f32", "layer_norm_f32", "fr_layer_norm_f32_op", LayerNorm, "rows", accepts, fields)
