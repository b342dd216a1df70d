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


def both(site: Site) -> tuple[int, ...]:
    """Both operands are views, constants too."""
    return (0, 1)


def broadcast_reason(site: Site) -> str | None:
    """Each operand has as many rows, pixels and channels as the output, or one."""
    y = geometry(site.output)
    for tensor in (site.input(0), site.input(1)):
        x = geometry(tensor)
        if x.rows not in (1, y.rows) or x.width not in (1, y.width) or x.channels not in (1, y.channels):
            return "broadcasts along rows in a way that needs expanding first"
        if x.rows == y.rows and tensor.shape != site.output.shape and not _same_rows(tensor, site.output):
            return "broadcasts along rows in a way that needs expanding first"
    return None


def _same_rows(x: Tensor, y: Tensor) -> bool:
    """Whether the row axes are the same, so that equal row numbers mean equal positions."""
    axes = 2 if y.rank >= 4 else 1
    ours = x.shape[: max(x.rank - (2 if x.rank >= 4 else 1), 0)]
    wanted = y.shape[: max(y.rank - axes, 0)]
    strip = [d for d in ours if d != 1]
    return strip == [d for d in wanted if d != 1]


def _place(site: Site) -> list[Field]:
    y, op = geometry(site.output), cast(Binary, site.op)
    members = [Field("width", "int32_t", y.width), Field("channels", "int32_t", y.channels)]
    for letter, tensor in (("a", site.input(0)), ("b", site.input(1))):
        x = geometry(tensor)
        members.append(Field(f"{letter}_rows", "int32_t", x.rows))
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
