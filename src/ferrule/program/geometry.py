"""How a shape lies in memory: rows, pixels, channels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ferrule.program.tensor import Tensor


@dataclass(frozen=True)
class Geometry:
    """A dense row-major tensor seen as rows of pixels of channels, the form that kernels and views know.

    The last axis is the channels, the one before it the pixels of a row when the rank is 4 or more; all axes
    before are rows. `[N,H,W,C]`: N*H rows of W pixels; `[N,L,C]`: N*L rows of one pixel; `[N,C]`: N rows.
    This is storage, not meaning: it never changes the order of bytes.
    """

    rows: int
    width: int
    channels: int
    element_bytes: int

    @property
    def pixel_bytes(self) -> int:
        """Bytes of one dense pixel."""
        return self.channels * self.element_bytes

    @property
    def row_bytes(self) -> int:
        """Bytes of one dense row."""
        return self.width * self.pixel_bytes

    @property
    def size_bytes(self) -> int:
        """Bytes of the whole dense tensor."""
        return self.rows * self.row_bytes


def geometry(tensor: Tensor) -> Geometry:
    """Return the rows, pixels and channels of a tensor."""
    shape = tensor.shape
    channels = shape[-1] if shape else 1
    width = shape[-2] if len(shape) >= 4 else 1
    rows = math.prod(shape[: -2 if len(shape) >= 4 else -1])
    return Geometry(rows, width, channels, tensor.dtype.size_bytes)


@dataclass(frozen=True)
class Box:
    """A block of a tensor in its geometry: first row, pixel and channel, and how many of each."""

    row: int
    pixel: int
    channel: int
    rows: int
    width: int
    channels: int


def whole(shape: Geometry) -> Box:
    """Return the box that covers all of a tensor."""
    return Box(0, 0, 0, shape.rows, shape.width, shape.channels)
