"""What can go wrong when a plan is made."""

from __future__ import annotations

from ferrule.diagnostics import Rule

RAM_EXCEEDED = Rule(
    "FER501",
    "ram-exceeded",
    """The network needs more RAM than the target has.

The arena holds activations, scratch, inputs and outputs. The finding names the op at the peak and what is alive there.

Example: 699 KiB of activations on a chip with 512 KiB in one block.

Cure: int8 instead of float, a smaller input, another memory with `--memory activations=NAME`, or another chip.
""",
)
FLASH_EXCEEDED = Rule(
    "FER502",
    "flash-exceeded",
    """The weights need more flash than the target has.

Example: 3.1 MB of weights on a chip with 2 MB of flash.

Cure: int8 instead of float weights, external flash with `--memory weights=NAME`, or a narrower network.
""",
)
RULES = (RAM_EXCEEDED, FLASH_EXCEEDED)
