"""All kernels, the better ones of an operator first."""

from __future__ import annotations

from ferrule.kernels import conv_s8
from ferrule.kernels.kernel import Kernel

KERNELS: tuple[Kernel, ...] = (conv_s8.KERNEL,)
