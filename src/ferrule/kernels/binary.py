"""Portable functions of two tensors: what they take."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.binary import COMPARISONS, FUNCTIONS, LOGICAL, Binary
from ferrule.program.geometry import geometry
from ferrule.program.op import Site
from ferrule.program.tensor import DType, Tensor

BOOLEAN = COMPARISONS + LOGICAL
ROW_AXES = 4
"""Row axes of a tensor of rank 6."""


def both(site: Site) -> tuple[int, ...]:
    """Both operands are views, constants too."""
    return (0, 1)


def broadcast_reason(site: Site) -> str | None:
    """Axes correspond from the last one on; an operand of lower rank must not turn its rows into pixels."""
    y = site.output
    if y.rank > ROW_AXES + 2:
        return f"has rank {y.rank}; up to {ROW_AXES + 2} is possible"
    for tensor in (site.input(0), site.input(1)):
        if y.rank >= 4 > tensor.rank >= 2 and tensor.shape[-2] != 1:
            return "broadcasts an operand of lower rank along pixels, which needs axes of length 1 in front of it"
    return None


def row_fields(y: Tensor, operands: dict[str, Tensor]) -> list[Field]:
    """The axes that the rows of y count through, merged where possible, and each operand's rows per step."""
    count = max(y.rank - (2 if y.rank >= 4 else 1), 0)
    shapes = [((1,) * (y.rank - x.rank) + x.shape)[:count] for x in operands.values()]
    axes: list[tuple[int, list[int]]] = []
    for k in reversed(range(count)):
        steps = [0 if s[k] == 1 else math.prod(s[k + 1 :]) for s in shapes]
        if y.shape[k] == 1:
            continue
        if axes and all(a == b * axes[0][0] for a, b in zip(steps, axes[0][1], strict=True)):
            axes[0] = (y.shape[k] * axes[0][0], axes[0][1])
        else:
            axes.insert(0, (y.shape[k], steps))
    axes = axes or [(1, [0] * len(shapes))]
    rest = (0,) * (ROW_AXES - len(axes))
    members = [
        Field("row_axes", "int32_t", len(axes)),
        Field("row_size", f"int32_t[{ROW_AXES}]", (*(a[0] for a in axes), *rest)),
    ]
    for index, name in enumerate(operands):
        members.append(Field(f"{name}_step", f"int32_t[{ROW_AXES}]", (*(a[1][index] for a in axes), *rest)))
    return members


def _place(site: Site) -> list[Field]:
    y, op = geometry(site.output), cast(Binary, site.op)
    operands = {"a": site.input(0), "b": site.input(1)}
    members = [Field("width", "int32_t", y.width), Field("channels", "int32_t", y.channels)]
    members += row_fields(site.output, operands)
    for letter, tensor in operands.items():
        x = geometry(tensor)
        members.append(Field(f"{letter}_pixel", "int32_t", int(x.width != 1)))
        members.append(Field(f"{letter}_channel", "int32_t", int(x.channels != 1)))
    number = list(FUNCTIONS).index(op.function)
    return [*members, Field("function", "int32_t", number, op.function)]


def accepts_s8(site: Site) -> str | None:
    """int8 in and out, with the arithmetic of one of the two schemes."""
    op = cast(Binary, site.op)
    if {site.input(0).dtype, site.input(1).dtype, site.output.dtype} != {DType.INT8} or op.function in BOOLEAN:
        return "takes and makes int8"
    if not op.factors and not op.requants and op.function not in ("min", "max"):
        return "needs requantized codes, not plain int8 numbers"
    return broadcast_reason(site)


def fields_s8(site: Site) -> list[Field]:
    """The members of `fr_binary_s8_op`."""
    op = cast(Binary, site.op)
    low, high = op.clamp if op.clamp is not None else site.output.dtype.bounds
    plain = not op.factors and op.function in ("min", "max")
    zeros = (0, 0, 0) if plain else (site.input(0).zero_point, site.input(1).zero_point, site.output.zero_point)
    factors = (*op.factors, 0, 0)[:2]
    multipliers = (*(r.multiplier[0] for r in op.requants), 0, 0, 0)[:3]
    shifts = (*(r.shift[0] for r in op.requants), 0, 0, 0)[:3]
    return [
        *_place(site),
        Field("a_zero", "int32_t", zeros[0]),
        Field("b_zero", "int32_t", zeros[1]),
        Field("out_zero", "int32_t", zeros[2]),
        Field("clamp_low", "int32_t", int(low)),
        Field("clamp_high", "int32_t", int(high)),
        Field("frac", "int32_t", op.frac),
        Field("factor", "int32_t[2]", factors),
        Field("multiplier", "int32_t[3]", multipliers),
        Field("shift", "int32_t[3]", shifts),
    ]


def accepts_f32(site: Site) -> str | None:
    """float32 in and out."""
    if {site.input(0).dtype, site.output.dtype} != {DType.FLOAT32}:
        return "takes and makes float32"
    return broadcast_reason(site)


def fields_f32(site: Site) -> list[Field]:
    """The members of `fr_binary_f32_op`."""
    op = cast(Binary, site.op)
    low, high = op.clamp if op.clamp is not None else (-math.inf, math.inf)
    return [*_place(site), Field("clamp_low", "float", low), Field("clamp_high", "float", high)]


def accepts_plain(dtype: DType) -> Callable[[Site], str | None]:
    """Plain integers of one type in and out."""

    def rule(site: Site) -> str | None:
        if {site.input(0).dtype, site.output.dtype} != {dtype}:
            return f"takes and makes {dtype.value}"
        return broadcast_reason(site)

    return rule


def accepts_compare(*dtypes: DType) -> Callable[[Site], str | None]:
    """Two tensors of one type in, bool out."""

    def rule(site: Site) -> str | None:
        if site.input(0).dtype not in dtypes or cast(Binary, site.op).function not in BOOLEAN:
            return f"compares {dtypes[0].value}"
        a, b = site.input(0), site.input(1)
        if a.quant is not None and a.quant != b.quant:
            return "compares codes of one scale only"
        return broadcast_reason(site)

    return rule


def _compare(suffix: str, *dtypes: DType) -> Kernel:
    rule = accepts_compare(*dtypes)
    return Kernel(f"fr_compare_{suffix}", "compare", "fr_compare_op", Binary, "rows", rule, _place, operands=both)


KERNELS = (
    Kernel("fr_binary_s8", "binary_s8", "fr_binary_s8_op", Binary, "rows", accepts_s8, fields_s8, operands=both),
    Kernel("fr_binary_f32", "binary_f32", "fr_binary_f32_op", Binary, "rows", accepts_f32, fields_f32, operands=both),
    Kernel(
        "fr_binary_i32",
        "binary_i32",
        "fr_binary_i32_op",
        Binary,
        "rows",
        accepts_plain(DType.INT32),
        _place,
        operands=both,
    ),
    Kernel(
        "fr_binary_i64",
        "binary_i64",
        "fr_binary_i64_op",
        Binary,
        "rows",
        accepts_plain(DType.INT64),
        _place,
        operands=both,
    ),
    _compare("f32", DType.FLOAT32),
    _compare("i32", DType.INT32),
    _compare("i64", DType.INT64),
    _compare("u8", DType.BOOL, DType.UINT8),
    _compare("s8", DType.INT8),
)
