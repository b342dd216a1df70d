"""Sliding windows: sizes, pads, which rows are read."""

from __future__ import annotations

from collections.abc import Sequence

from ferrule.program.op import OpError

Pads = tuple[tuple[int, int], ...]
"""Per spatial axis: pixels before and after."""


def output_size(size: int, kernel: int, stride: int, dilation: int, pad: tuple[int, int], ceil: bool = False) -> int:
    """Length of one spatial axis after a window (ONNX Conv and pool shape rule).

    With `ceil`, the last window may hang over the end, but it must begin inside the input or its leading pad.
    OpError where no window fits.
    """
    reach = dilation * (kernel - 1) + 1
    room = size + pad[0] + pad[1] - reach
    if room < 0:
        raise OpError(f"a window of {reach} does not fit into {size} plus pads {pad[0]} and {pad[1]}")
    count = -(-room // stride) + 1 if ceil else room // stride + 1
    if ceil and (count - 1) * stride >= size + pad[0]:
        count -= 1
    return count


def same_pads(
    sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int], upper: bool = True
) -> Pads:
    """Pads so that the output has ceil(size / stride): the odd pixel at the end (`upper`) or at the beginning."""
    pads = []
    for size, k, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True):
        count = -(-size // stride)
        total = max((count - 1) * stride + dilation * (k - 1) + 1 - size, 0)
        small, large = total // 2, total - total // 2
        pads.append((small, large) if upper else (large, small))
    return tuple(pads)


def onnx_pads(
    auto_pad: str,
    pads: Sequence[int] | None,
    sizes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Pads:
    """Resolve ONNX `auto_pad` and `pads` (begins, then ends) to pairs per axis."""
    spatial = len(sizes)
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        return same_pads(sizes, kernel, strides, dilations, auto_pad == "SAME_UPPER")
    if auto_pad == "VALID" or pads is None:
        return ((0, 0),) * spatial
    if len(pads) != 2 * spatial:
        raise OpError(f"{len(pads)} pads are given, {2 * spatial} are needed")
    return tuple((int(pads[i]), int(pads[i + spatial])) for i in range(spatial))


def window_rows(
    low: int, high: int, out_rows: int, in_rows: int, kernel: int, stride: int, dilation: int, pad: int
) -> tuple[int, int]:
    """Input rows that output rows [low, high) read, over a batch: each image has `out_rows` and `in_rows` rows."""
    if low >= high:
        return 0, 0
    first_image, first = divmod(low, out_rows)
    last_image, last = divmod(high - 1, out_rows)
    begin = max(first * stride - pad, 0)
    end = min(last * stride - pad + dilation * (kernel - 1) + 1, in_rows)
    if last_image > first_image:  # the hull over several images; a partial last image still needs the first fully
        end = max(end, 0)
    begin = min(begin, in_rows)
    return first_image * in_rows + begin, last_image * in_rows + max(end, 0)
