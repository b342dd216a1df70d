"""Lookup: a function of one 8-bit code, as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.tensor import DType, Tensor


@dataclass(frozen=True, kw_only=True)
class Lookup(Op):
    """y = table[x + 128] for int8 codes; `source` names the function for readers of reports."""

    kind = "lookup"

    table: tuple[int, ...]
    source: str = ""

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or x.dtype is not DType.INT8 or len(self.table) != 256:
            raise OpError("needs int8 codes and a table of 256 entries")
        return (Type(x.shape, DType.INT8),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        assert values[0] is not None
        table = np.asarray(self.table, site.output.dtype.numpy)
        return (table[values[0].astype(np.int64) + 128],)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        return ((low, high),)

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        return ((0, 0),)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self


def rounded_table(function: Callable[[Array], Array], x: Tensor, y: Tensor) -> tuple[int, ...]:
    """The 256 outputs of a real function, correctly rounded from float64, half to even, clamped to the grid of y."""
    codes = np.arange(-128, 128)
    with np.errstate(all="ignore"):
        real = function((codes - x.zero_point) * np.float64(x.scale))
        scaled = np.rint(np.nan_to_num(np.asarray(real) / np.float64(y.scale), nan=0.0, posinf=1e9, neginf=-1e9))
    low, high = y.dtype.bounds
    return tuple(int(v) for v in np.clip(scaled + y.zero_point, low, high))
