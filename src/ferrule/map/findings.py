"""What can go wrong when ops are given to engines."""

from __future__ import annotations

from ferrule.diagnostics import Rule

NO_KERNEL = Rule(
    "FER510",
    "no-kernel",
    """No kernel can run this operation.

The operator is known and its shape and type are right, but there is no C for this combination of types or for a
computed operand. The finding lists each kernel's reason.

Example: a convolution of int16 activations whose weights are computed.

Cure: quantize the network to int8 or leave it float; or cut it before the node (`--outputs-at TENSOR`).
""",
)
FLOAT_ON_NPU = Rule(
    "FER511",
    "float-on-npu",
    """The network is float, and the target's NPU runs int8.

All of it then runs on the CPU.

Example: a float MobileNet for stm32n6 without calibration data.

Cure: give calibration data: `--calibration DATA`.
""",
)
RULES = (NO_KERNEL, FLOAT_ON_NPU)
