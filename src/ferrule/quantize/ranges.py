"""How the range of a tensor is found from samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Range:
    """The interval `[low, high]` of real values that codes must cover; `low <= 0 <= high` is not required here."""

    low: float
    high: float

    def union(self, other: Range) -> Range:
        """The smallest interval that holds both."""
        return Range(min(self.low, other.low), max(self.high, other.high))

    @property
    def span(self) -> float:
        """Width of the interval after zero was taken in, as codes must represent zero."""
        return max(self.high, 0.0) - min(self.low, 0.0)

    @property
    def is_finite(self) -> bool:
        """Whether both ends are numbers."""
        return bool(np.isfinite(self.low) and np.isfinite(self.high))


class RangeProvider(Protocol):
    """Sees every float tensor of every sample once, in the order of the samples, and then tells the ranges.

    An implementation keeps what it needs (minima, histograms) and never the arrays themselves.
    """

    def observe(self, name: str, values: Array) -> None:
        """Take in one sample's values (float32, any shape) of the tensor `name`."""

    def ranges(self) -> Mapping[str, Range]:
        """The range of every tensor observed."""


@dataclass
class MinMax:
    """The smallest and the largest value seen; NaN makes both ends NaN."""

    seen: dict[str, Range] = field(default_factory=dict)

    def observe(self, name: str, values: Array) -> None:
        """Widen the range of `name` by these values; an empty array tells nothing."""
        if values.size == 0:
            return
        now = Range(float(values.min()), float(values.max()))  # min and max of numpy hand NaN on
        before = self.seen.get(name, now)
        self.seen[name] = Range(float(np.minimum(before.low, now.low)), float(np.maximum(before.high, now.high)))

    def ranges(self) -> Mapping[str, Range]:
        """The range of every tensor observed."""
        return dict(self.seen)
