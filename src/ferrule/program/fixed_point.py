"""Integer arithmetic: requantization, exactly as defined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Array = np.ndarray
Scheme = Literal["double", "single"]

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


@dataclass(frozen=True)
class Requant:
    """Multiplication by a real factor as `multiplier * 2**(shift - 31)`, one for all or one per output channel.

    `multiplier` lies in [2**30, 2**31) or is 0; `shift` > 0 is a left shift. Scheme `double` rounds twice, as TFLite's
    reference kernels do (saturating doubling high multiply of the left-shifted value, then a division by a power of
    two that rounds half away from zero). Scheme `single` rounds the 64-bit product once, half up.
    """

    multiplier: tuple[int, ...]
    shift: tuple[int, ...]
    scheme: Scheme = "single"

    def __post_init__(self) -> None:
        if len(self.multiplier) != len(self.shift):
            raise ValueError("as many shifts as multipliers are needed")

    @classmethod
    def of(cls, factors: float | Sequence[float] | Array, scheme: Scheme) -> Requant:
        """Return the requantization by these real factors (float64)."""
        pairs = [quantize_multiplier(float(f)) for f in np.atleast_1d(np.asarray(factors, np.float64))]
        return cls(tuple(m for m, _ in pairs), tuple(s for _, s in pairs), scheme)

    def apply(self, accumulator: Array) -> Array:
        """Return the scaled int64 values of an int32-valued (int64 held) array; channels on the last axis."""
        multiplier = np.asarray(self.multiplier, np.int64)
        shift = np.asarray(self.shift, np.int64)
        rule = multiply_double if self.scheme == "double" else multiply_single
        return rule(accumulator.astype(np.int64), multiplier, shift)


def quantize_multiplier(factor: float) -> tuple[int, int]:
    """Split a real factor into a 31-bit multiplier and a shift (TFLite's QuantizeMultiplier).

    The mantissa is rounded half away from zero; factors below 2**-32 become 0. A negative factor gives a negative
    multiplier. ValueError for NaN and infinity.
    """
    if not math.isfinite(factor):
        raise ValueError(f"a requantization factor must be finite, not {factor}")
    if factor == 0.0:
        return 0, 0
    mantissa, shift = math.frexp(factor)
    scaled = math.floor(abs(mantissa) * 2**31 + 0.5)
    multiplier = int(math.copysign(scaled, mantissa))
    if abs(multiplier) == 2**31:
        multiplier //= 2
        shift += 1
    if shift < -31:
        return 0, 0
    if shift > 30:
        return int(math.copysign(INT32_MAX, mantissa)), 30
    return multiplier, shift


def saturate32(values: Array) -> Array:
    """Clip int64 values to the int32 range."""
    return np.asarray(np.clip(values, INT32_MIN, INT32_MAX))


def doubling_high_multiply(a: Array, b: Array) -> Array:
    """Saturating rounding doubling high multiply of int32 values held as int64 (gemmlowp's SRDHM)."""
    product = a * b
    nudge = np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    # C++ division truncates toward zero, a shift does not
    total = product + nudge
    high = np.where(total >= 0, total >> 31, -((-total) >> 31))
    return np.asarray(np.where((a == b) & (a == INT32_MIN), INT32_MAX, high))


def divide_by_power_of_two(values: Array, exponent: Array | int) -> Array:
    """Rounding division by 2**exponent, half away from zero (gemmlowp's RoundingDivideByPOT)."""
    exponent = np.asarray(exponent, np.int64)
    mask = (np.int64(1) << exponent) - 1
    remainder = values & mask
    threshold = (mask >> 1) + (values < 0)
    return np.asarray((values >> exponent) + (remainder > threshold))


def multiply_double(values: Array, multiplier: Array, shift: Array) -> Array:
    """TFLite's MultiplyByQuantizedMultiplier: two roundings; the left shift wraps to int32 as the C does."""
    left, right = np.maximum(shift, 0), np.maximum(-shift, 0)
    shifted = wrap32(values << left)
    return divide_by_power_of_two(doubling_high_multiply(shifted, multiplier), right)


def multiply_single(values: Array, multiplier: Array, shift: Array) -> Array:
    """64-bit product, rounded once, half up, saturated to int32: (x * m + 2**(30 - s)) >> (31 - s)."""
    total = 31 - shift
    return saturate32((values * multiplier + (np.int64(1) << (total - 1))) >> total)


def wrap32(values: Array) -> Array:
    """Keep the low 32 bits, as int32 arithmetic in two's complement does."""
    return ((values + 2**31) & 0xFFFFFFFF) - 2**31
