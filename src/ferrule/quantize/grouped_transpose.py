"""Forms of grouped ConvTranspose with scales per channel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir

from ferrule.quantize.affine import Affine, fold_into, is_linear
from ferrule.quantize.prepare import constant_array

Array = npt.NDArray[Any]
Constant = Callable[[str, Array], ir.Value]
Unique = Callable[[str], str]
EVEN_RATIO = 2.0
"""Ratio of channels up to which one weight scale costs at most one bit."""
MOST_PARTS = 8
"""Groups up to which one ConvTranspose per group is made."""


def divide(node: ir.Node, graph: ir.Graph, unique: Unique, constant: Constant) -> str | None:
    """Rewrite a grouped ConvTranspose whose channels have uneven weights; return what was done, None if nothing.

    ONNX quantizes along one axis, and no axis of the weights [C_in, C_out/group, ...] counts all channels.
    """
    held = node.attributes.get("group")
    groups = int(held.value) if held is not None else 1
    weights = constant_array(node.inputs[1]) if node.op_type == "ConvTranspose" and groups > 1 else None
    rank = len(node.outputs[0].shape or ())
    if weights is None or not is_linear(node) or rank not in (3, 4):
        return None
    split = np.abs(weights).reshape(groups, -1, *weights.shape[1:])
    largest = split.max(axis=(1, *range(3, split.ndim)), initial=0.0).reshape(-1).astype(np.float64)
    largest = np.where(largest == 0.0, largest.max(initial=0.0) or 1.0, largest)
    if largest.max() <= EVEN_RATIO * largest.min():
        return None
    if groups <= MOST_PARTS:
        _one_each(node, groups, graph, unique, constant)
        return f"became {groups} of one group each, so that every channel has a weight scale"
    _even(node, largest, graph, unique, constant)
    return "its channels' factors became a 1x1 depthwise Conv behind it"


def _one_each(node: ir.Node, groups: int, graph: ir.Graph, unique: Unique, constant: Constant) -> None:
    x, out = node.inputs[0], node.outputs[0]
    weights, bias = constant_array(node.inputs[1]), constant_array(node.inputs[2] if len(node.inputs) > 2 else None)
    assert x is not None and weights is not None and x.shape is not None and out.shape is not None
    base, channels = str(node.name), weights.shape[1]
    taken = weights.shape[0] // groups
    parts = [_like(x, unique(f"{x.name}_group{g}"), taken) for g in range(groups)]
    sizes = constant(f"{base}_groups", np.full(groups, taken, np.int64))
    cut = ir.node("Split", [x, sizes], {"axis": 1}, name=unique(f"{base}_Split"), outputs=parts)
    attributes = {k: v for k, v in node.attributes.items() if k != "group"}
    made, results = [cut], []
    for g, part in enumerate(parts):
        own = constant(f"{base}_weights_group{g}", weights[g * taken : (g + 1) * taken])
        inputs: list[ir.Value | None] = [part, own]
        if bias is not None:
            inputs.append(constant(f"{base}_bias_group{g}", bias[g * channels : (g + 1) * channels]))
        results.append(_like(out, unique(f"{out.name}_group{g}"), channels))
        name = unique(f"{base}_group{g}")
        made.append(ir.node("ConvTranspose", inputs, attributes, name=name, outputs=[results[-1]]))
    whole = ir.Value(name=out.name, shape=out.shape, type=out.type)
    out.name = unique(f"{out.name}__gone")
    made.append(ir.node("Concat", results, {"axis": 1}, name=node.name, outputs=[whole]))
    node.name = unique(f"{base}__gone")
    graph.insert_before(node, made)
    out.replace_all_uses_with(whole, replace_graph_outputs=True)
    graph.remove(node, safe=True)


def _like(value: ir.Value, name: str, channels: int) -> ir.Value:
    dims = list(value.shape or ())
    dims[1] = channels
    return ir.Value(name=name, shape=ir.Shape(dims), type=value.type)


def _even(node: ir.Node, largest: Array, graph: ir.Graph, unique: Unique, constant: Constant) -> None:
    """Divide each channel's weights by their largest; a depthwise Conv behind multiplies by it and adds the bias."""
    out, channels = node.outputs[0], largest.size
    bias = constant_array(node.inputs[2] if len(node.inputs) > 2 else None)
    summand = np.zeros(channels, np.float32) if bias is None else bias.astype(np.float32)
    node.resize_inputs(2)
    fold_into(node, Affine(out, 1.0 / largest, np.zeros(1)), constant)
    node.resize_inputs(2)
    ones = [1] * (len(out.shape or ()) - 2)
    factors = constant(f"{node.name}_factors", largest.astype(np.float32).reshape(channels, 1, *ones))
    shift = constant(f"{node.name}_shift", summand)
    scaled = ir.Value(name=out.name, shape=out.shape, type=out.type)
    out.name = unique(f"{out.name}_even")
    attributes: dict[str, int | list[int]] = {"group": channels, "kernel_shape": ones}
    name = unique(f"{node.name}_factors_Conv")
    conv = ir.node("Conv", [out, factors, shift], attributes, name=name, outputs=[scaled])
    out.replace_all_uses_with(scaled, replace_graph_outputs=True)
    conv.replace_input_with(0, out)
    graph.insert_after(node, conv)
