"""Real numbers to integer codes: scales, weights, biases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ferrule.quantize.ranges import Range

Array = npt.NDArray[Any]
INT32_MAX = 2**31 - 1
SMALLEST_SCALE = float(np.float32(2.0**-60))
ZERO_RANGE_SCALE = 2.0**-7
"""Scale of an activation that was always zero: a unit range, the usual size behind a normalisation."""


@dataclass(frozen=True)
class Params:
    """Scale and zero point of one int8 tensor: `real = scale * (code - zero_point)`."""

    scale: float
    zero_point: int


def asymmetric(span: Range) -> Params:
    """Int8 parameters of an activation: the codes -128..127 cover the range and zero."""
    low, high = min(span.low, 0.0), max(span.high, 0.0)
    if high == low:
        return Params(ZERO_RANGE_SCALE, 0)
    scale = float(np.float32(max((high - low) / 255.0, SMALLEST_SCALE)))
    return Params(scale, int(np.clip(np.rint(-128.0 - low / scale), -128, 127)))


def symmetric(span: Range) -> Params:
    """Int8 parameters with zero point 0, codes -127..127: computed weights."""
    largest = max(abs(span.low), abs(span.high))
    if largest == 0.0:
        return Params(ZERO_RANGE_SCALE, 0)
    return Params(float(np.float32(max(largest / 127.0, SMALLEST_SCALE))), 0)


def encode(values: Array, scale: Array | float, zero_point: int = 0) -> Array:
    """Values as int8 codes, rounded half to even and limited; `scale` broadcasts."""
    codes = np.rint(values.astype(np.float64) / np.asarray(scale, np.float64)) + zero_point
    return np.asarray(np.clip(codes, -128, 127).astype(np.int8))


def constant_params(values: Array) -> Params:
    """Symmetric parameters of a constant operand: of the scales up to twice the smallest possible, the most exact one.

    Constants in exports are mostly few round numbers (strides, grid points, means), and often one scale hits them all.
    """
    reals = np.unique(np.abs(values.astype(np.float64)))
    largest = float(reals[-1]) if reals.size else 0.0
    if largest == 0.0:
        return Params(ZERO_RANGE_SCALE, 0)
    if reals.size > 4096:
        return symmetric(Range(-largest, largest))
    best, best_error = Params(0.0, 0), np.inf
    for steps in range(127, 63, -1):
        scale = float(np.float32(max(largest / steps, SMALLEST_SCALE)))
        error = float(np.max(np.abs(np.rint(reals / scale) * scale - reals)))
        if error < best_error * (1.0 - 1e-6):
            best, best_error = Params(scale, 0), error
    return best


@dataclass(frozen=True)
class Weights:
    """Int8 codes of weights; `scale` float32, one per channel along `axis`, or a scalar where `axis` is None.

    `raised` lists the channels whose scale was raised so that the bias fits.
    """

    codes: Array
    scale: Array
    axis: int | None
    raised: tuple[int, ...] = ()


def weight_scales(values: Array, axis: int | None) -> Array:
    """Symmetric float32 scales of weights: largest magnitude / 127 per channel along `axis`, or of all.

    A channel that is all zero takes the scale of the largest one: any scale serves, and this one suits its bias.
    """
    reals = np.abs(values.astype(np.float64))
    if axis is None:
        largest = np.asarray(reals.max(initial=0.0))
    else:
        largest = reals.max(axis=tuple(a for a in range(values.ndim) if a != axis), initial=0.0)
    fallback = float(largest.max(initial=0.0)) or 127.0
    largest = np.where(largest == 0.0, fallback, largest)
    return np.asarray(np.maximum(largest / 127.0, SMALLEST_SCALE).astype(np.float32))


def encode_weights(values: Array, axis: int | None, bias: Array | None, input_scale: float) -> Weights:
    """Weights as symmetric int8 whose scales leave room for `bias` ([channels] or None) in 32 bits.

    The sum of all products is bounded by 255 * 127 * taps, and bias plus sum must not leave int32.
    """
    scale = weight_scales(values, axis)
    raised: tuple[int, ...] = ()
    if bias is not None:
        channels = bias.size
        taps = max(values.size // max(channels, 1), 1)
        limit = max(INT32_MAX - 255 * 127 * taps, 2**30)
        need = np.abs(bias.astype(np.float64)) / limit / input_scale
        if axis is None:
            need = np.asarray(need.max(initial=0.0))
        low = need > scale
        if low.any():
            raised = tuple(int(c) for c in np.flatnonzero(np.atleast_1d(low)))
            scale = np.where(low, np.nextafter(need.astype(np.float32), np.float32(np.inf)), scale).astype(np.float32)
    shape = [1] * values.ndim
    if axis is not None:
        shape[axis] = -1
    spread = scale.reshape(shape) if axis is not None else scale
    return Weights(np.maximum(encode(values, spread), np.int8(-127)), scale, axis, raised)


def encode_bias(bias: Array, input_scale: float, scale: Array) -> tuple[Array, Array]:
    """Bias as int32 codes and their float32 scale `s_x * s_w[c]`, the product taken in float32."""
    steps = np.asarray(np.float32(input_scale) * scale.astype(np.float32), np.float32)
    codes = np.rint(bias.astype(np.float64) / steps.astype(np.float64))
    return np.clip(codes, -INT32_MAX, INT32_MAX).astype(np.int32), steps
