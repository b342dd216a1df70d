"""All kernels, the better ones of an operator first."""

from __future__ import annotations

from ferrule.kernels import (
    binary,
    conv_f32,
    conv_s8,
    fully_connected,
    lookup,
    pool,
    quantize,
    requantize,
    softmax,
    strided,
    unary,
)
from ferrule.kernels.kernel import Kernel

KERNELS: tuple[Kernel, ...] = (
    *binary.KERNELS,
    conv_s8.KERNEL,
    *conv_f32.KERNELS,
    *fully_connected.KERNELS,
    lookup.KERNEL,
    *pool.KERNELS,
    *quantize.KERNELS,
    *requantize.KERNELS,
    *softmax.KERNELS,
    strided.EXPAND,
    strided.REARRANGE,
    strided.SLICE,
    strided.TILE,
    strided.TRANSPOSE,
    *unary.KERNELS,
)
