"""Portable functions of one tensor: what they take."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.unary import BOOLEAN, FUNCTIONS, INTEGER, Unary
from ferrule.program.geometry import geometry
from ferrule.program.op import Site
from ferrule.program.tensor import DType


def accepts_f32(site: Site) -> str | None:
    """float32 in and out."""
    same = {site.input(0).dtype, site.output.dtype} == {DType.FLOAT32}
    return None if same else "takes and makes float32"


def fields_f32(site: Site) -> list[Field]:
    """The members of `fr_unary_f32_op`."""
    op, shape = cast(Unary, site.op), geometry(site.output)
    return [
        Field("width", "int32_t", shape.width),
        Field("channels", "int32_t", shape.channels),
        Field("function", "int32_t", list(FUNCTIONS).index(op.function), op.function),
        Field("a", "float", op.a),
        Field("b", "float", op.b),
    ]


def accepts_plain(*dtypes: DType) -> Callable[[Site], str | None]:
    """Plain integers of one width in and out."""

    def rule(site: Site) -> str | None:
        op = cast(Unary, site.op)
        fits = site.input(0).dtype in dtypes and op.function in INTEGER
        return None if fits else f"takes and makes {dtypes[0].value}"

    return rule


def accepts_not(site: Site) -> str | None:
    """bool in and out."""
    fits = cast(Unary, site.op).function == "not" and site.input(0).dtype is DType.BOOL
    return None if fits else "negates bool"


def accepts_test(site: Site) -> str | None:
    """float32 in, bool out."""
    fits = cast(Unary, site.op).function in BOOLEAN[1:] and site.input(0).dtype is DType.FLOAT32
    return None if fits else "tests float32"


def fields_plain(site: Site) -> list[Field]:
    """The members of `fr_unary_int_op`."""
    op, shape = cast(Unary, site.op), geometry(site.output)
    low, high = site.input(0).dtype.bounds if not site.input(0).dtype.is_float else (0, 0)
    if op.function == "clip":
        low = low if op.a == -math.inf else int(op.a)
        high = high if op.b == math.inf else int(op.b)
    return [
        Field("width", "int32_t", shape.width),
        Field("channels", "int32_t", shape.channels),
        Field("function", "int32_t", [*INTEGER, *BOOLEAN].index(op.function), op.function),
        Field("low", "int64_t", low),
        Field("high", "int64_t", high),
    ]


def _plain(suffix: str, rule: Callable[[Site], str | None]) -> Kernel:
    return Kernel(f"fr_unary_{suffix}", "unary_int", "fr_unary_int_op", Unary, "rows", rule, fields_plain)


KERNELS = (
    Kernel("fr_unary_f32", "unary_f32", "fr_unary_f32_op", Unary, "rows", accepts_f32, fields_f32),
    _plain("i32", accepts_plain(DType.INT32)),
    _plain("i64", accepts_plain(DType.INT64)),
    _plain("i8", accepts_plain(DType.INT8)),
    _plain("not", accepts_not),
    _plain("test_f32", accepts_test),
)
