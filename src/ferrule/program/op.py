"""The form that every operator has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Self

import numpy as np

from ferrule.program.geometry import Box, geometry
from ferrule.program.tensor import DType, Quant, Tensor

Array = np.ndarray
RowRange = tuple[int, int]


class OpError(ValueError):
    """An op cannot be as it is described; the message is a sentence without the op's name."""


@dataclass(frozen=True)
class Type:
    """Shape and dtype of a tensor that is to be."""

    shape: tuple[int, ...]
    dtype: DType


@dataclass(frozen=True)
class Move:
    """An op, or a part of it, that only carries bytes: a box of an input becomes a box of an output, unchanged."""

    input: int
    output: int
    source: Box
    target: Box


@dataclass(frozen=True)
class Site:
    """An op in its place: its tensors, and the values of those inputs that are constants (None elsewhere)."""

    op: Op
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]
    constants: tuple[Array | None, ...]

    def input(self, index: int) -> Tensor:
        """The input tensor at `index`, which must be present."""
        tensor = self.inputs[index] if index < len(self.inputs) else None
        if tensor is None:
            raise OpError(f"input {index} is missing")
        return tensor

    def constant(self, index: int) -> Array | None:
        """The value of input `index` where it is a constant, else None."""
        return self.constants[index] if index < len(self.constants) else None

    def has(self, index: int) -> bool:
        """Whether input `index` is present."""
        return index < len(self.inputs) and self.inputs[index] is not None

    @property
    def output(self) -> Tensor:
        """The first output."""
        return self.outputs[0]

    @property
    def is_integer(self) -> bool:
        """Whether the op computes on quantized codes: first input and first output are not float."""
        first = self.inputs[0] if self.inputs else None
        return (first is None or not first.dtype.is_float) and not self.output.dtype.is_float


@dataclass(frozen=True, kw_only=True)
class Op:
    """One operation. A subclass per operator, in `ops/`, adds attributes as dataclass fields and answers below.

    Attributes are ints, floats, strings, bools, None, nested tuples of these, or `Requant`; nothing else, so that
    the text form can carry them. Inputs may be constant or computed alike; an absent optional input is None.
    """

    kind: ClassVar[str]
    """The operator's name in the text form, lower case."""

    name: str
    inputs: tuple[str | None, ...]
    outputs: tuple[str, ...]
    origin: tuple[str, ...] = ()

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        """Return the outputs' shapes and dtypes; OpError where inputs and attributes do not fit together.

        An integer op whose output dtype is free (requantizing) returns the dtype of its first input.
        """
        raise NotImplementedError(self.kind)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        """Return the outputs for these input arrays: the definition of the operator.

        For integer ops the codes are exact by definition; for float ops the sum is accumulated in float64.
        """
        raise NotImplementedError(self.kind)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        """Return, per input, the existing rows `[lo, hi)` (of its geometry) that output rows `[low, high)` read.

        None: the input has no rows to wait for (constant or absent). The default is the whole of each input.
        """
        return tuple(
            None if t is None or c is not None else (0, geometry(t).rows)
            for t, c in zip(site.inputs, site.constants, strict=True)
        )

    def macs(self, site: Site) -> int:
        """Return the multiply-accumulates of one run (0 where the operator has none)."""
        return 0

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        """Return the (input, output) pairs where the output may overwrite the same pixel of that input."""
        return ()

    def moves(self, site: Site) -> tuple[Move, ...] | None:
        """Return the boxes that make up the outputs if the op only carries bytes, else None (also for a reshape)."""
        return None

    def fill(self, site: Site) -> float | None:
        """Return the code that a movement puts everywhere outside its one box (Pad), or None where boxes cover all."""
        return None

    def is_reshape(self, site: Site) -> bool:
        """Whether output 0 is input 0 with another shape: the same bytes in the same order."""
        return False

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        """Return the op that takes every run-time input permuted by `perm` and gives every output so, or None.

        `perm` is as in numpy.transpose: axis k of the new tensor is axis perm[k] of the old one. Constants of full
        rank are permuted by the caller.
        """
        return None

    bias_input: ClassVar[int | None] = None
    """The input that is a bias: in the integer form int32 at the product of the scales of inputs 0 and 1."""

    keeps_codes: ClassVar[bool] = False
    """Whether the integer form only carries the codes of input 0 to other places, so that its scale is the output's."""

    def as_clamp(self) -> tuple[float, float] | None:
        """Return the bounds if the op only limits real values to a range."""
        return None

    def quantized(self, site: Site) -> Op:
        """Return the integer form of this float op at a site whose tensors carry codes and `quant`.

        Scheme `single` (DESIGN, section 4). OpError with the reason where there is no integer form.
        """
        raise OpError(f"{self.kind} has no integer form")

    def laws(self, site: Site) -> tuple[str, ...]:
        """Return the operator's own laws that the op breaks, beyond what `infer` checks; the verifier asks."""
        return ()

    def but(self, **changes: object) -> Self:
        """Return the op with some fields replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]

    @classmethod
    def attribute_names(cls) -> tuple[str, ...]:
        """The names of the operator's own fields, in order."""
        base = {f.name for f in fields(Op)}
        return tuple(f.name for f in fields(cls) if f.name not in base)


def normal_axis(axis: int, rank: int) -> int:
    """Return `axis` as 0..rank-1; OpError outside the legal range."""
    if not -rank <= axis < max(rank, 1):
        raise OpError(f"axis {axis} is outside the rank {rank} (legal: {-rank}..{rank - 1})")
    return axis % rank if rank else 0


__all__ = ["Array", "Move", "Op", "OpError", "Quant", "RowRange", "Site", "Type", "normal_axis"]
