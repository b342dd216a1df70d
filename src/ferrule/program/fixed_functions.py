"""exp, reciprocal, logistic, tanh in fixed point."""

from __future__ import annotations

import math

import numpy as np

from ferrule.program.fixed_point import INT32_MAX, INT32_MIN, Array, divide_by_power_of_two, doubling_high_multiply

# All values are int32 codes held as int64. Qk has k integer bits and 31 - k fractional bits. The functions and their
# roundings are those of the gemmlowp fixed-point library, which TFLite's reference kernels use.

_EXP_STEPS = (
    (-2, 1672461947),
    (-1, 1302514674),
    (0, 790015084),
    (1, 290630308),
    (2, 39332535),
    (3, 720401),
    (4, 242),
)
"""exp(-2**exponent) in Q0."""


def _mul(a: Array | int, b: Array | int) -> Array:
    return doubling_high_multiply(np.asarray(a, np.int64), np.asarray(b, np.int64))


def _shift_left(values: Array, bits: int) -> Array:
    """Saturating multiplication by 2**bits."""
    return np.asarray(np.clip(values << bits, INT32_MIN, INT32_MAX))


def exp_on_negative(a: Array, integer_bits: int) -> Array:
    """exp(a) in Q0 for a <= 0 in Q`integer_bits`."""
    fraction = 31 - integer_bits
    quarter = np.int64(1) << (fraction - 2)
    rest = (a & (quarter - 1)) - quarter
    result = _exp_small(_shift_left(rest, integer_bits))
    remainder = rest - a
    for exponent, multiplier in _EXP_STEPS:
        if integer_bits > exponent:
            bit = np.int64(1) << (fraction + exponent)
            result = np.where(remainder & bit, _mul(result, multiplier), result)
    return np.where(a == 0, INT32_MAX, result)


def _exp_small(a: Array) -> Array:
    """exp on [-1/4, 0) in Q0: a Taylor polynomial of degree 4 around -1/8."""
    constant, third = 1895147668, 715827883
    x = a + (1 << 28)
    x2 = _mul(x, x)
    x3 = _mul(x2, x)
    x4_over_4 = divide_by_power_of_two(_mul(x2, x2), 2)
    tail = divide_by_power_of_two(_mul(x4_over_4 + x3, third) + x2, 1)
    return constant + _mul(constant, x + tail)


def _newton(a: Array) -> tuple[Array, Array]:
    """Half the denominator (1 + a) / 2 in Q0, and its reciprocal in Q2 after three Newton-Raphson steps."""
    total = a + INT32_MAX
    half = np.where(total >= 0, (total + 1) >> 1, -((-total + 1) >> 1))
    x = 1515870810 + _mul(half, -1010580540)
    for _ in range(3):
        rest = (1 << 29) - _mul(half, x)
        x = x + _shift_left(_mul(x, rest), 2)
    return half, x


def one_over_one_plus(a: Array) -> Array:
    """1 / (1 + a) in Q0 for a in [0, 1) in Q0."""
    return _shift_left(_newton(a)[1], 1)


def logistic(a: Array, integer_bits: int) -> Array:
    """1 / (1 + exp(-a)) in Q0 for a in Q`integer_bits`."""
    positive = one_over_one_plus(exp_on_negative(-np.abs(a), integer_bits))
    result = np.where(a > 0, positive, INT32_MAX - positive)
    return np.where(a == 0, 1 << 30, result)


def tanh(a: Array, integer_bits: int) -> Array:
    """tanh(a) in Q0 for a in Q`integer_bits`; the doubled argument has one integer bit more."""
    t = exp_on_negative(-np.abs(a), integer_bits + 1)
    value = _shift_left(_newton(t)[1] - (1 << 29), 2)
    return np.where(a == 0, 0, np.where(a > 0, value, -value))


def reciprocal(x: int, integer_digits: int) -> tuple[int, int]:
    """1 / x as (Q0 code, bits over unit) for a positive code with that many integer digits."""
    headroom = 32 - int(x).bit_length()
    shifted = ((x << headroom) & 0xFFFFFFFF) - (1 << 31)
    return int(one_over_one_plus(np.asarray(shifted, np.int64))), integer_digits - headroom


def input_radius(integer_bits: int, left_shift: int, total_bits: int = 31) -> int:
    """Largest centred code whose rescaled value still fits Q`integer_bits`."""
    return math.floor(((1 << integer_bits) - 1) * 2.0 ** (total_bits - integer_bits) / 2.0**left_shift)


def scale_to(integer_bits: int, real: float) -> tuple[int, int]:
    """Multiplier and left shift that turn centred codes of scale `real` into Q`integer_bits` (QuantizeMultiplier)."""
    mantissa, shift = math.frexp(real * 2.0 ** (31 - integer_bits))
    multiplier = math.floor(mantissa * 2**31 + 0.5)
    if multiplier == 2**31:
        return multiplier // 2, shift + 1
    return multiplier, shift
