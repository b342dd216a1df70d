"""Elementwise functions of two tensors, broadcast."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ferrule.ops.requantize import Requantize
from ferrule.ops.reshape import emit_reshape
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant, saturate32
from ferrule.program.geometry import geometry
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.output_stage import Clamp, integer_clamp, tflite_activation, tflite_integer_clamp
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Quant, Tensor

COMPARISONS = ("equal", "less", "greater", "less_equal", "greater_equal")
LOGICAL = ("and", "or", "xor")
FUNCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": np.minimum,
    "max": np.maximum,
    "pow": np.power,
    "squared_difference": lambda a, b: (a - b) * (a - b),
    "mod": np.mod,
    "fmod": np.fmod,
    "equal": np.equal,
    "less": np.less,
    "greater": np.greater,
    "less_equal": np.less_equal,
    "greater_equal": np.greater_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "xor": np.logical_xor,
}
ADD_SHIFT = 20
"""TFLite's left shift of both operands of an 8-bit ADD or SUB, in bits."""


@dataclass(frozen=True, kw_only=True)
class Binary(Op):
    """y = function(a, b), numpy broadcasting, rank up to 6. Comparisons and logic make bool.

    Integer codes, scheme `double` (TFLite), with r_i the requant of operand i and r the one of the output:
    add, sub: y = r(r_0((a - za) << 20) +- r_1((b - zb) << 20)) + zy; mul: y = r((a - za) * (b - zb)) + zy;
    min, max: y = min(a, b), the scales being one.
    Scheme `single` (QDQ): t_i = (code - zero) * factor_i in 64 bits, y = (function(t_0, t_1) rounded once, half up,
    at 2**-frac) + zy; for mul the product of the centred codes is multiplied by factor_0.
    """

    kind = "binary"

    function: str
    clamp: Clamp | None = None
    requants: tuple[Requant, ...] = ()
    factors: tuple[int, ...] = ()
    frac: int = 0

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        a, b = inputs[0], inputs[1]
        if a is None or b is None:
            raise OpError("needs two inputs")
        if self.function not in FUNCTIONS:
            raise OpError(f"unknown function {self.function}")
        if a.dtype is not b.dtype:
            raise OpError(f"types {a.dtype.value} and {b.dtype.value} do not go together")
        try:
            shape = np.broadcast_shapes(a.shape, b.shape)
        except ValueError:
            raise OpError(f"shapes {list(a.shape)} and {list(b.shape)} do not broadcast") from None
        dtype = DType.BOOL if self.function in COMPARISONS + LOGICAL else a.dtype
        return (Type(tuple(int(d) for d in shape), dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        a, b = values[0], values[1]
        assert a is not None and b is not None
        if self.requants or self.factors or (site.is_integer and site.output.quant is not None):
            return (self._integer(site, a.astype(np.int64), b.astype(np.int64)),)
        with np.errstate(all="ignore"):
            if self.function == "div" and site.output.dtype is not DType.FLOAT32:
                result = _truncating_division(a, b)
            elif self.function == "pow" and a.dtype.kind in "iu":
                result = _integer_power(a, b)
            else:
                wide = np.float64 if site.input(0).dtype.is_float else a.dtype
                result = FUNCTIONS[self.function](a.astype(wide), b.astype(wide))
        if self.clamp is not None:
            result = np.clip(result, *self.clamp)
        return (np.asarray(result).astype(site.output.dtype.numpy),)

    def _integer(self, site: Site, a: Array, b: Array) -> Array:
        za, zb, zy = site.input(0).zero_point, site.input(1).zero_point, site.output.zero_point
        low, high = self.clamp if self.clamp is not None else site.output.dtype.bounds
        if self.factors:
            total = self._single(a - za, b - zb)
        elif self.function in ("min", "max"):
            total, zy = FUNCTIONS[self.function](a, b), 0
        elif self.function == "mul":
            total = self.requants[0].apply((a - za) * (b - zb))
        elif self.function in ("add", "sub"):
            first = self.requants[0].apply((a - za) << ADD_SHIFT)
            second = self.requants[1].apply((b - zb) << ADD_SHIFT)
            total = self.requants[2].apply(saturate32(FUNCTIONS[self.function](first, second)))
        else:
            raise OpError(f"{self.function} has no integer form")
        return np.asarray(np.clip(total + zy, low, high)).astype(site.output.dtype.numpy)

    def _single(self, a: Array, b: Array) -> Array:
        if self.function == "mul":
            total = a * b * self.factors[0]
        else:
            total = FUNCTIONS[self.function](a * self.factors[0], b * self.factors[1])
        return np.asarray((total + (1 << (self.frac - 1))) >> self.frac)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        return tuple(broadcast_rows(site, i, low, high) for i in range(2))

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        size = site.output.dtype.size_bytes
        pairs = [(i, 0) for i in range(2) if site.constant(i) is None]
        return tuple(
            p
            for p in pairs
            if site.input(p[0]).shape == site.output.shape and site.input(p[0]).dtype.size_bytes == size
        )

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self

    def quantized(self, site: Site) -> Op:
        a, b, y = site.input(0), site.input(1), site.output
        scaled = self._by_one_factor(site)
        if scaled is not None:
            return scaled
        if self.function not in ("add", "sub", "mul", "min", "max"):
            raise OpError(f"{self.function} has no integer form")
        clamp = integer_clamp(self.clamp, y)
        if self.function == "mul":
            factors = [np.float64(a.scale) * np.float64(b.scale) / np.float64(y.scale)]
        else:
            factors = [np.float64(a.scale) / np.float64(y.scale), np.float64(b.scale) / np.float64(y.scale)]
        # each factor must stay below 2**31; products of 8-bit codes with it then fit 64 bits with room to spare
        frac = min(30, 30 - math.ceil(math.log2(max(float(max(factors)), 2.0**-30))))
        if frac < 8:
            raise OpError("the operands' scales are too far above the output's")
        whole = tuple(int(np.rint(f * 2.0**frac)) for f in factors)
        return self.but(factors=whole, frac=frac, clamp=clamp)

    def _by_one_factor(self, site: Site) -> Op | None:
        """A product with, or a quotient by, one constant number is only another scale."""
        a, b, y = site.input(0), site.input(1), site.output
        codes = site.constant(1)
        if self.function not in ("mul", "div") or codes is None or a.shape != y.shape or codes.size == 0:
            return None
        if (codes != codes.reshape(-1)[0]).any():
            return None
        real = (int(codes.reshape(-1)[0]) - b.zero_point) * np.float64(b.scale)
        if real == 0:
            return None
        factor = np.float64(a.scale) / np.float64(y.scale) * (real if self.function == "mul" else 1.0 / real)
        return Requantize(
            name=self.name,
            inputs=self.inputs[:1],
            outputs=self.outputs,
            origin=self.origin,
            dtype=y.dtype.value,
            requant=Requant.of(float(factor), "single"),
            clamp=integer_clamp(self.clamp, y),
        )


def _truncating_division(a: Array, b: Array) -> Array:
    """Integer division as C does it: toward zero (0 where the divisor is 0)."""
    safe = np.where(b == 0, 1, b)
    quotient = np.abs(a.astype(np.int64)) // np.abs(safe.astype(np.int64))
    return np.asarray(np.where(b == 0, 0, quotient * np.sign(a) * np.sign(safe)))


def _integer_power(a: Array, b: Array) -> Array:
    """Integer power, wrapping; a negative exponent truncates 1 / a**-b toward zero (0 where a is 0)."""
    if a.dtype.kind == "u":
        return np.asarray(np.power(a, b))
    inverse = np.where(a == 1, 1, np.where(a == -1, np.where(b % 2 == 0, 1, -1), 0))
    return np.asarray(np.where(b >= 0, np.power(a, np.maximum(b, 0)), inverse))


def broadcast_rows(site: Site, index: int, low: int, high: int) -> RowRange | None:
    """Rows of a broadcast input that output rows [low, high) read: the same ones, the only one, or all."""
    if site.constant(index) is not None:
        return None
    rows = geometry(site.input(index)).rows
    return (low, high) if rows == geometry(site.output).rows else (0, rows)


def tflite_add_stage(a: Tensor, b: Tensor, y: Tensor) -> tuple[Requant, ...]:
    """The three requantizations of TFLite's 8-bit ADD and SUB, scales combined in float64."""
    twice = 2.0 * max(np.float64(a.scale), np.float64(b.scale))
    factors = (a.scale / twice, b.scale / twice, twice / (float(1 << ADD_SHIFT) * np.float64(y.scale)))
    return tuple(Requant.of(float(f), "double") for f in factors)


def same_rank(build: Builder, a: str, b: str, name: str) -> tuple[str, str]:
    """Give the operand of lower rank axes of length 1 in front, so that axes, rows and pixels of both correspond."""

    def raised(operand: str) -> str:
        tensor, value = build.tensor(operand), build.value(operand)
        ahead = rank - tensor.rank
        if ahead <= 0:
            return operand
        shape = (*[1] * ahead, *tensor.shape)
        if value is None:
            return emit_reshape(build, operand, shape, f"{name}:rank", origin=name)
        quant = tensor.quant
        if quant is not None and quant.axis is not None:
            quant = Quant(quant.scale, quant.zero_point, quant.axis + ahead)
        return build.constant(value.reshape(shape), operand, quant, tensor.dtype)

    rank = max(build.tensor(a).rank, build.tensor(b).rank)
    return raised(a), raised(b)


def emit_binary(build: Builder, function: str, a: str, b: str, node: OnnxNode, output: str | None, **more: Any) -> str:
    """Add a float or plain-integer binary op."""
    a, b = same_rank(build, a, b, node.name)
    (out,) = build.emit(Binary, (a, b), name=node.name, outputs=(output,), function=function, **more)
    return out


ONNX_FUNCTIONS = {
    "Add": "add",
    "Sub": "sub",
    "Mul": "mul",
    "Div": "div",
    "Pow": "pow",
    "Equal": "equal",
    "Less": "less",
    "Greater": "greater",
    "LessOrEqual": "less_equal",
    "GreaterOrEqual": "greater_equal",
    "And": "and",
    "Or": "or",
    "Xor": "xor",
}


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read the two-operand functions; before opset 7 broadcasting was an attribute, which is refused."""
    a, b = node.need(0), node.need(1)
    if build.tensor(a).dtype is not build.tensor(b).dtype and node.kind == "Pow":
        b = _cast_constant(build, b, build.tensor(a).dtype)
    emit_binary(build, ONNX_FUNCTIONS[node.kind], a, b, node, node.outputs[0])


def from_onnx_mod(node: OnnxNode, build: Builder) -> None:
    """Read Mod: the sign of the divisor, or of the dividend with `fmod`."""
    function = "fmod" if node.attribute("fmod", 0) else "mod"
    emit_binary(build, function, node.need(0), node.need(1), node, node.outputs[0])


def _cast_constant(build: Builder, name: str, dtype: DType) -> str:
    value = build.value(name)
    if value is None:
        raise OpError("operands of different types must be constant")
    return build.constant(value.astype(dtype.numpy), f"{name}:cast")


VARIADIC = {"Sum": "add", "Mean": "add", "Min": "min", "Max": "max"}


def from_onnx_variadic(node: OnnxNode, build: Builder) -> None:
    """Read Sum, Mean, Min and Max of any number of tensors as a chain."""
    names = [n for n in node.inputs if n is not None]
    if not names:
        raise OpError("has no inputs")
    total = names[0]
    last = node.outputs[0] if node.kind != "Mean" else None
    for index, name in enumerate(names[1:]):
        final = last if index + 2 == len(names) else None
        total = emit_binary(build, VARIADIC[node.kind], total, name, node, final)
    if node.kind == "Mean":
        share = build.constant(np.asarray(1.0 / len(names), np.float32), f"{node.name}:share")
        emit_binary(build, "mul", total, share, node, node.outputs[0])
    elif len(names) == 1:
        emit_reshape(build, total, build.tensor(total).shape, node.name, node.outputs[0])


TFLITE_FUNCTIONS = {
    "ADD": "add",
    "SUB": "sub",
    "MUL": "mul",
    "DIV": "div",
    "MINIMUM": "min",
    "MAXIMUM": "max",
    "POW": "pow",
    "SQUARED_DIFFERENCE": "squared_difference",
    "FLOOR_MOD": "mod",
    "EQUAL": "equal",
    "LESS": "less",
    "GREATER": "greater",
    "LESS_EQUAL": "less_equal",
    "GREATER_EQUAL": "greater_equal",
    "LOGICAL_AND": "and",
    "LOGICAL_OR": "or",
}


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read the elementwise operators; 8-bit ADD, SUB, MUL, MINIMUM, MAXIMUM as the reference kernels do."""
    a, b, y = build.tensor(node.need(0)), build.tensor(node.need(1)), build.tensor(node.outputs[0])
    function = TFLITE_FUNCTIONS[node.kind]
    activation = node.option("fused_activation_function", "NONE")
    clamp: Clamp | None = tflite_activation(activation)
    requants: tuple[Requant, ...] = ()
    if a.quant is not None and not a.dtype.is_float:
        if a.dtype is not DType.INT8 or y.dtype is not DType.INT8:
            raise OpError(f"of {a.dtype.value} tensors is not supported")
        clamp = tflite_integer_clamp(activation, y)
        if function in ("add", "sub"):
            requants = tflite_add_stage(a, b, y)
        elif function == "mul":
            factor = np.float32(np.float32(a.scale) * np.float32(b.scale)) / np.float32(y.scale)
            requants = (Requant.of(float(factor), "double"),)
        elif function not in ("min", "max"):
            raise OpError("of quantized tensors is not supported")
    build.emit(
        Binary,
        same_rank(build, a.name, b.name, node.name),
        name=node.name,
        outputs=node.outputs,
        function=function,
        clamp=clamp,
        requants=requants,
    )
