"""What a kernel is: its C, what it takes, what it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ferrule.program.op import Op, Site

Kind = Literal["rows", "reduce", "whole"]
Scalar = int | float
Value = Scalar | tuple[Scalar, ...] | np.ndarray | None


@dataclass(frozen=True)
class Field:
    """One member of a kernel's C struct, in the struct's order.

    `ctype` is the C type as the header writes it: `int32_t`, `float`, `int32_t[6]` (a member array: the value is a
    tuple of that length), or `const int8_t *`, where the value is an array that goes into the weights blob (or None
    for NULL). `comment` goes into the C.
    """

    name: str
    ctype: str
    value: Value
    comment: str = ""

    @property
    def is_pointer(self) -> bool:
        """Whether the member points to constant data."""
        return self.ctype.rstrip().endswith("*")


def runtime_inputs(site: Site) -> tuple[int, ...]:
    """The inputs that are not constants: what most kernels see as views."""
    return tuple(
        i for i, (t, c) in enumerate(zip(site.inputs, site.constants, strict=True)) if t is not None and c is None
    )


def no_workspace(site: Site) -> int:
    """A kernel without scratch."""
    return 0


@dataclass(frozen=True)
class Kernel:
    """A C function that computes rows of one operator's output.

    C signature: `void f(outputs..., inputs..., const <struct> *op, int32_t y0, int32_t y1, void *work)`, where each
    output and each input of `operands` is a `const fr_view *`; a `variadic` kernel takes one array
    `const fr_view x[]` for all of them instead (their number stands in its struct).

    Kinds: `rows` computes output rows [y0, y1) of the first output; `reduce` is given *input* rows [y0, y1) in order
    and begins at y0 == 0, ends at y1 == height of its first input view; `whole` is called once and ignores y0 and y1.
    """

    function: str
    stem: str
    struct: str
    op: type[Op]
    kind: Kind
    accepts: Callable[[Site], str | None]
    """None where the kernel can run the op, else the reason, as a sentence."""
    fields: Callable[[Site], Sequence[Field]]
    workspace: Callable[[Site], int] = no_workspace
    operands: Callable[[Site], tuple[int, ...]] = runtime_inputs
    variadic: bool = False
    needs: tuple[str, ...] = ()
    """Further stems whose C must be emitted with it."""
    dense: tuple[int, ...] = ()
    """Inputs that must lie without gaps, whole, although the others need not."""
    strided: bool = True
    """Whether any pitch and pixel will do; False: every view must be dense (for `whole` kernels only)."""


def select(table: Sequence[Kernel], site: Site) -> tuple[Kernel | None, tuple[str, ...]]:
    """Return the first kernel of the table that takes the op, and the reasons of those before it that do not."""
    reasons: list[str] = []
    for kernel in table:
        if type(site.op) is not kernel.op:
            continue
        reason = kernel.accepts(site)
        if reason is None:
            return kernel, tuple(reasons)
        reasons.append(reason)
    return None, tuple(reasons) or (f"there is no kernel for {site.op.kind}",)
