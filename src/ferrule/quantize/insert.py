"""Puts Q->DQ pairs and quantized constants into the graph."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import onnx_ir as ir

from ferrule.diagnostics import Finding, Level
from ferrule.quantize.choose import Choice
from ferrule.quantize.codes import Params, constant_params, encode, encode_bias, encode_weights
from ferrule.quantize.findings import BIAS_RANGE, ZERO_RANGE
from ferrule.quantize.operators import Form, Kind, data_inputs, form_of, is_float, weight_axis
from ferrule.quantize.prepare import Array, constant_array, drop_unused_constants, is_constant, make_constant
from ferrule.quantize.scales import Scales


class Inserter:
    """Writes the quantized form of one graph, in place."""

    def __init__(self, graph: ir.Graph, choice: Choice, scales: Scales, findings: list[Finding]) -> None:
        self.graph = graph
        self.choice = choice
        self.scales = scales
        self.findings = findings
        values = [v.name for n in graph.all_nodes() for v in n.outputs] + [v.name for v in graph.inputs]
        self.names = {*values, *graph.initializers, *(n.name for n in graph.all_nodes())}

    def run(self) -> None:
        """Constants first, as they need the scale of their node's input by its old name; then every edge."""
        tensors: list[ir.Value] = [v for v in self.graph.inputs if not v.is_initializer()]
        tensors += [v for node in self.graph for v in node.outputs]
        for node in list(self.graph):
            if node in self.choice.integer:
                self._constants(node)
        for value in tensors:
            if is_float(value) and value not in self.choice.swallowed:
                self._edge(value)
        drop_unused_constants(self.graph)

    # edges

    def _edge(self, value: ir.Value) -> None:
        """A pair on `value`: for every reader if an integer node makes it, else for its integer readers."""
        made = value.producer() in self.choice.integer
        uses = [u for u in value.uses() if made or self._reads_codes(u.node, u.idx)]
        is_output = made and value.is_graph_output()
        if not uses and not is_output:
            return
        params = self.scales.params(str(value.name))
        self._tell_zero(value)
        name = str(value.name)
        if is_output:
            value.name = self._unique(f"{name}_float")
        pair = self._pair(value, name, params)
        if is_output:
            index = [i for i, v in enumerate(self.graph.outputs) if v is value]
            pair.name = name
            for i in index:
                self.graph.outputs[i] = pair
        for use in uses:
            use.node.replace_input_with(use.idx, pair)

    def _reads_codes(self, node: ir.Node, index: int) -> bool:
        form = form_of(node)
        return node in self.choice.integer and form is not None and index in data_inputs(node, form)

    def _pair(self, value: ir.Value, name: str, params: Params) -> ir.Value:
        scale, point = self._params(name, params)
        quantize = ir.node("QuantizeLinear", [value, scale, point], name=self._unique(f"{name}_QuantizeLinear"))
        codes = quantize.outputs[0]
        codes.name = self._unique(f"{name}_quantized")
        codes.shape, codes.type = value.shape, ir.TensorType(ir.DataType.INT8)
        dequantize = ir.node("DequantizeLinear", [codes, scale, point], name=self._unique(f"{name}_DequantizeLinear"))
        real = dequantize.outputs[0]
        real.name = self._unique(f"{name}_dequantized")
        real.shape, real.type = value.shape, ir.TensorType(ir.DataType.FLOAT)
        producer = value.producer()
        if producer is not None:
            self.graph.insert_after(producer, [quantize, dequantize])
        elif len(self.graph):
            self.graph.insert_before(self.graph.node(0), [quantize, dequantize])
        return real

    def _params(self, name: str, params: Params) -> tuple[ir.Value, ir.Value]:
        scale = self._constant(f"{name}_scale", np.asarray(params.scale, np.float32))
        return scale, self._constant(f"{name}_zero_point", np.asarray(params.zero_point, np.int8))

    def _tell_zero(self, value: ir.Value) -> None:
        if self.scales.range(str(value.name)).span == 0.0 and value.producer() is not None:
            node = str(value.producer().name)  # type: ignore[union-attr]
            message = f"`{value.name}` was zero in every calibration sample"
            self.findings.append(ZERO_RANGE.at(node, message, level=Level.NOTE, stage="quantize"))

    # constants

    def _constants(self, node: ir.Node) -> None:
        form = form_of(node)
        assert form is not None
        if form.weights is not None and is_constant(node.inputs[form.weights]) and not is_constant(node.inputs[0]):
            self._weights(node, form)
        elif form.bias is not None:
            self._bias_of_computed(node, form)
        for index in data_inputs(node, form):
            held = constant_array(node.inputs[index])
            if held is None or (index == form.weights and not is_constant(node.inputs[0])):
                continue
            name = str(node.inputs[index].name)  # type: ignore[union-attr]
            params = constant_params(held)
            if form.kind is Kind.JOIN and self.scales.range(str(node.outputs[0].name)).span > 0.0:
                params = self.scales.params(str(node.outputs[0].name))
            node.replace_input_with(index, self._operand(name, held, params, node))

    def _weights(self, node: ir.Node, form: Form) -> None:
        assert form.weights is not None
        value = node.inputs[form.weights]
        held = constant_array(value)
        assert held is not None and value is not None
        bias_value = node.inputs[form.bias] if form.bias is not None and form.bias < len(node.inputs) else None
        bias = constant_array(bias_value)
        scale_x = self.scales.params(str(node.inputs[0].name)).scale  # type: ignore[union-attr]
        axis = weight_axis(node)
        weights = encode_weights(held, axis, bias, scale_x)
        if weights.raised:
            self._tell_raised(node, weights.raised)
        name = str(value.name)
        real = self._dequantize(name, weights.codes, weights.scale, axis, node)
        node.replace_input_with(form.weights, real)
        if bias is not None and bias_value is not None and form.bias is not None:
            codes, steps = encode_bias(bias, scale_x, weights.scale)
            bias_axis = 0 if steps.ndim else None
            node.replace_input_with(form.bias, self._dequantize(str(bias_value.name), codes, steps, bias_axis, node))

    def _bias_of_computed(self, node: ir.Node, form: Form) -> None:
        """The bias beside computed weights: one step for all channels."""
        bias_value = node.inputs[form.bias] if form.bias is not None and form.bias < len(node.inputs) else None
        bias = constant_array(bias_value)
        if bias is None or bias_value is None or form.bias is None:
            return
        scales = []
        for value in node.inputs[:2]:
            held = constant_array(value)
            found = constant_params(held) if held is not None else self.scales.params(str(value.name))  # type: ignore[union-attr]
            scales.append(found.scale)
        codes, step = encode_bias(bias, scales[0], np.asarray(scales[1], np.float32))
        node.replace_input_with(form.bias, self._dequantize(str(bias_value.name), codes, step, None, node))

    def _tell_raised(self, node: ir.Node, channels: Iterable[int]) -> None:
        said = ", ".join(str(c) for c in list(channels)[:8])
        message = f"the bias does not fit 32 bits; the weight scale was raised in channel {said}"
        self.findings.append(BIAS_RANGE.at(str(node.name), message, level=Level.NOTE, stage="quantize", fix="exact"))

    def _operand(self, name: str, held: Array, params: Params, node: ir.Node) -> ir.Value:
        codes = encode(held, params.scale, params.zero_point)
        return self._dequantize(
            name, codes, np.asarray(params.scale, np.float32), None, node, np.asarray(params.zero_point, np.int8)
        )

    def _dequantize(
        self, name: str, codes: Array, scale: Array, axis: int | None, node: ir.Node, point: Array | None = None
    ) -> ir.Value:
        """A constant of codes and the node that makes it real, in front of its one reader."""
        held = self._constant(f"{name}_quantized", codes)
        steps = self._constant(f"{name}_scale", scale)
        zero = self._constant(f"{name}_zero_point", np.zeros(scale.shape, codes.dtype) if point is None else point)
        attributes = {} if axis is None else {"axis": axis}
        made = ir.node(
            "DequantizeLinear", [held, steps, zero], attributes, name=self._unique(f"{name}_DequantizeLinear")
        )
        real = made.outputs[0]
        real.name = self._unique(f"{name}_dequantized")
        real.shape, real.type = ir.Shape(codes.shape), ir.TensorType(ir.DataType.FLOAT)
        self.graph.insert_before(node, made)
        return real

    # names

    def _constant(self, name: str, array: Array) -> ir.Value:
        return make_constant(self.graph, self._unique(name), array)

    def _unique(self, name: str) -> str:
        found, count = name, 1
        while found in self.names:
            count += 1
            found = f"{name}_{count}"
        self.names.add(found)
        return found
