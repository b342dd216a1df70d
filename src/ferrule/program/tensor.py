"""What a tensor is: shape, type, quantization, role."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, replace

import numpy as np


class DType(enum.Enum):
    """Element types of a program. INT4 exists for packed constants only; in numpy it is held as int8, -8..7."""

    FLOAT32 = "float32"
    INT8 = "int8"
    UINT8 = "uint8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    BOOL = "bool"
    INT4 = "int4"

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The numpy dtype that holds it."""
        return np.dtype("int8" if self is DType.INT4 else self.value)

    @property
    def size_bytes(self) -> int:
        """Bytes of one element in C (INT4 is unpacked to one byte by the portable kernels)."""
        return self.numpy.itemsize

    @property
    def is_float(self) -> bool:
        """Whether values are real numbers as they stand."""
        return self is DType.FLOAT32

    @property
    def bounds(self) -> tuple[int, int]:
        """Smallest and largest code of an integer type."""
        if self is DType.INT4:
            return -8, 7
        if self is DType.BOOL:
            return 0, 1
        info = np.iinfo(self.numpy)  # type: ignore[type-var]
        return int(info.min), int(info.max)

    @classmethod
    def of(cls, array: np.ndarray) -> DType:
        """The DType of a numpy array; ValueError where a program has none."""
        return cls(array.dtype.name)


class Role(enum.Enum):
    """What a tensor is in its program."""

    INPUT = "input"
    OUTPUT = "output"
    CONST = "const"
    TEMP = "temp"
    STATE = "state"


@dataclass(frozen=True)
class Quant:
    """Affine quantization: real = scale * (code - zero_point), per tensor or along `axis`.

    `scale` values are float32 exactly as in the source file, kept as Python floats.
    """

    scale: tuple[float, ...]
    zero_point: tuple[int, ...]
    axis: int | None = None

    def __post_init__(self) -> None:
        if len(self.scale) != len(self.zero_point):
            raise ValueError("as many zero points as scales are needed")
        if self.axis is None and len(self.scale) != 1:
            raise ValueError("several scales need an axis")

    @classmethod
    def per_tensor(cls, scale: float, zero_point: int) -> Quant:
        """One scale and zero point for the whole tensor; the scale is rounded to float32."""
        return cls((float(np.float32(scale)),), (int(zero_point),))

    @property
    def is_per_tensor(self) -> bool:
        """Whether one scale holds for all elements."""
        return len(self.scale) == 1


@dataclass(frozen=True)
class Tensor:
    """A value of the program. `origin` lists the source's names for it (for messages and reports)."""

    name: str
    shape: tuple[int, ...]
    dtype: DType
    quant: Quant | None = None
    role: Role = Role.TEMP
    origin: tuple[str, ...] = ()

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def elements(self) -> int:
        """Number of elements (1 for a scalar)."""
        return math.prod(self.shape)

    @property
    def size_bytes(self) -> int:
        """Bytes when stored densely."""
        return self.elements * self.dtype.size_bytes

    @property
    def scale(self) -> float:
        """The scale of a per-tensor quantized tensor."""
        if self.quant is None or not self.quant.is_per_tensor:
            raise ValueError(f"tensor {self.name} has no single scale")
        return self.quant.scale[0]

    @property
    def zero_point(self) -> int:
        """The zero point of a per-tensor quantized tensor; 0 where there is no quantization."""
        if self.quant is None:
            return 0
        if len(set(self.quant.zero_point)) != 1:
            raise ValueError(f"tensor {self.name} has several zero points")
        return self.quant.zero_point[0]

    def but(self, **changes: object) -> Tensor:
        """Return the tensor with some fields replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]
