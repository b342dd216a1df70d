"""The kernel that normalizes groups of channels."""

from __future__ import annotations

from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.group_norm import GroupNorm
from ferrule.program.geometry import geometry
from ferrule.program.op import Site


def accepts(site: Site) -> str | None:
    """float32, constant scale and bias."""
    if any(site.has(i) and site.constant(i) is None for i in (1, 2)):
        return "scale and bias must be constants"
    return None


def fields(site: Site) -> list[Field]:
    """The members of `fr_group_norm_f32_op`."""
    op, x = cast(GroupNorm, site.op), site.input(0)
    shape = geometry(x)
    return [
        Field("images", "int32_t", x.shape[0]),
        Field("height", "int32_t", shape.rows // max(x.shape[0], 1)),
        Field("width", "int32_t", shape.width),
        Field("channels", "int32_t", shape.channels),
        Field("groups", "int32_t", op.groups),
        Field("epsilon", "float", op.epsilon),
        Field("scale", "const float *", site.constant(1)),
        Field("bias", "const float *", site.constant(2)),
    ]


KERNEL = Kernel("fr_group_norm_f32", "group_norm_f32", "fr_group_norm_f32_op", GroupNorm, "whole", accepts, fields)
