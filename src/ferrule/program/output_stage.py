"""The end of an integer op: requantize, zero point, clamp."""

from __future__ import annotations

import math

import numpy as np

from ferrule.program.fixed_point import Requant
from ferrule.program.op import Array, OpError, Site
from ferrule.program.tensor import Tensor

Clamp = tuple[float, float]
"""Smallest and largest value: real bounds in a float op, codes in an integer one."""


def product_requant(site: Site) -> Requant:
    """Scheme `single` by s_x * s_w[o] / s_y in float64: inputs 0 and 1 multiplied, one factor per output channel."""
    x, w, y = site.input(0), site.input(1), site.output
    if x.quant is None or w.quant is None or y.quant is None:
        raise OpError("an integer product needs scales for both factors and the output")
    return Requant.of(np.float64(x.scale) * np.asarray(w.quant.scale, np.float64) / np.float64(y.scale), "single")


def integer_clamp(clamp: Clamp | None, output: Tensor) -> Clamp:
    """The clamp on the output's integer grid: real bounds rounded half to even, then the dtype's own bounds."""
    low, high = output.dtype.bounds
    if clamp is None:
        return low, high
    scale, zero = output.scale, output.zero_point

    def code(bound: float, default: int) -> int:
        if not math.isfinite(bound):
            return default
        return int(np.clip(np.rint(np.float64(bound) / scale) + zero, low, high))

    return code(clamp[0], low), code(clamp[1], high)


def finish_integer(acc: Array, requant: Requant | None, clamp: Clamp | None, output: Tensor) -> Array:
    """Requantize an accumulator, add the output's zero point, clamp, and cast to the output's dtype."""
    scaled = acc if requant is None else requant.apply(acc)
    low, high = clamp if clamp is not None else output.dtype.bounds
    codes = np.asarray(np.clip(scaled + output.zero_point, low, high))
    return codes.astype(output.dtype.numpy)


def tflite_product_stage(x: Tensor, w: Tensor, y: Tensor, activation: str) -> tuple[Requant | None, Clamp | None]:
    """Requantization and clamp of a TFLite convolution or dense layer; the scales are combined in float64."""
    if x.dtype.is_float:
        return None, tflite_activation(activation)
    if x.quant is None or w.quant is None or y.quant is None:
        raise OpError("integer tensors without quantization parameters")
    factors = np.float64(x.scale) * np.asarray(w.quant.scale, np.float64) / np.float64(y.scale)
    return Requant.of(factors, "double"), tflite_integer_clamp(activation, y)


def tflite_activation(activation: str) -> Clamp | None:
    """The real bounds of a fused activation; OpError for those that are no clamp."""
    bounds = {
        "NONE": None,
        "RELU": (0.0, math.inf),
        "RELU6": (0.0, 6.0),
        "RELU_N1_TO_1": (-1.0, 1.0),
    }
    if activation not in bounds:
        raise OpError(f"fused activation {activation} is not supported")
    return bounds[activation]


def tflite_integer_clamp(activation: str, y: Tensor) -> Clamp:
    """Bounds of a fused activation on the output's grid: round half away from zero of bound / scale in float32."""
    low, high = y.dtype.bounds
    bounds = tflite_activation(activation)
    if bounds is None:
        return low, high

    def code(bound: float) -> int:
        ratio = float(np.float32(bound) / np.float32(y.scale))
        return y.zero_point + int(math.copysign(math.floor(abs(ratio) + 0.5), ratio))

    if math.isfinite(bounds[0]):
        low = max(low, code(bounds[0]))
    if math.isfinite(bounds[1]):
        high = min(high, code(bounds[1]))
    return low, high
