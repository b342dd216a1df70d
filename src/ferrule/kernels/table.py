"""All kernels, the better ones of an operator first."""

from __future__ import annotations

from ferrule.kernels import conv_s8, strided
from ferrule.kernels.kernel import Kernel

KERNELS: tuple[Kernel, ...] = (
    conv_s8.KERNEL,
    strided.EXPAND,
    strided.REARRANGE,
    strided.SLICE,
    strided.TILE,
    strided.TRANSPOSE,
)
