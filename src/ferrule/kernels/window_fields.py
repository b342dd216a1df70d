"""The window members that convolution and pool structs share."""

from __future__ import annotations

from collections.abc import Sequence

from ferrule.kernels.kernel import Field
from ferrule.program.tensor import Tensor
from ferrule.program.window import Pads


def window_fields(
    x: Tensor, y: Tensor, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int], pads: Pads
) -> list[Field]:
    """Sizes, kernel, strides, dilations and leading pads; a 1-D op is rows of one pixel (width 1)."""
    one = len(kernel) == 1

    def pair(values: Sequence[int]) -> tuple[int, int]:
        return (int(values[0]), 1) if one else (int(values[0]), int(values[1]))

    in_size, out_size = pair(x.shape[1:-1]), pair(y.shape[1:-1])
    kernel_size, stride, dilation = pair(kernel), pair(strides), pair(dilations)
    members = {
        "in_height": in_size[0],
        "in_width": in_size[1],
        "in_channels": x.shape[-1],
        "out_height": out_size[0],
        "out_width": out_size[1],
        "out_channels": y.shape[-1],
        "kernel_h": kernel_size[0],
        "kernel_w": kernel_size[1],
        "stride_h": stride[0],
        "stride_w": stride[1],
        "dilation_h": dilation[0],
        "dilation_w": dilation[1],
        "pad_top": pads[0][0],
        "pad_left": 0 if one else pads[1][0],
    }
    return [Field(name, "int32_t", value) for name, value in members.items()]
