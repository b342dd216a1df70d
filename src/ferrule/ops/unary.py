"""Elementwise functions of one tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.lookup import Lookup, rounded_table
from ferrule.program.build import Builder
from ferrule.program.fixed_functions import input_radius, logistic, scale_to, tanh
from ferrule.program.fixed_point import divide_by_power_of_two, multiply_double
from ferrule.program.op import Array, Op, OpError, RowRange, Site, Type
from ferrule.program.output_stage import Clamp
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import DType, Tensor

_erf = np.frompyfunc(math.erf, 1, 1)


def erf(x: Array) -> Array:
    """The error function, float64."""
    return np.asarray(_erf(x), np.float64)


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)) without overflow."""
    small = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1 / (1 + small), small / (1 + small)))


def softplus(x: Array) -> Array:
    """log(1 + exp(x)) without overflow."""
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


Function = Callable[[Array, float, float], Array]

FUNCTIONS: dict[str, Function] = {
    "clip": lambda x, a, b: np.minimum(np.maximum(x, a), b),
    "leaky_relu": lambda x, a, b: np.where(x >= 0, x, a * x),
    "elu": lambda x, a, b: np.where(x >= 0, x, a * np.expm1(np.minimum(x, 0))),
    "selu": lambda x, a, b: b * np.where(x > 0, x, a * np.expm1(np.minimum(x, 0))),
    "celu": lambda x, a, b: np.maximum(x, 0) + np.minimum(0, a * np.expm1(np.minimum(x, 0) / a)),
    "thresholded_relu": lambda x, a, b: np.where(x > a, x, 0.0),
    "sigmoid": lambda x, a, b: sigmoid(x),
    "hard_sigmoid": lambda x, a, b: np.clip(a * x + b, 0.0, 1.0),
    "hard_swish": lambda x, a, b: x * np.clip(x / 6 + 0.5, 0.0, 1.0),
    "tanh": lambda x, a, b: np.tanh(x),
    "softplus": lambda x, a, b: softplus(x),
    "softsign": lambda x, a, b: x / (1 + np.abs(x)),
    "mish": lambda x, a, b: x * np.tanh(softplus(x)),
    "silu": lambda x, a, b: x * sigmoid(a * x),
    "gelu": lambda x, a, b: 0.5 * x * (1 + erf(x / math.sqrt(2))),
    "gelu_tanh": lambda x, a, b: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))),
    "erf": lambda x, a, b: erf(x),
    "exp": lambda x, a, b: np.exp(x),
    "log": lambda x, a, b: np.log(x),
    "sqrt": lambda x, a, b: np.sqrt(x),
    "rsqrt": lambda x, a, b: 1 / np.sqrt(x),
    "reciprocal": lambda x, a, b: 1 / x,
    "abs": lambda x, a, b: np.abs(x),
    "neg": lambda x, a, b: -x,
    "sign": lambda x, a, b: np.sign(x),
    "floor": lambda x, a, b: np.floor(x),
    "ceil": lambda x, a, b: np.ceil(x),
    "round": lambda x, a, b: np.rint(x),
    "square": lambda x, a, b: x * x,
    "sin": lambda x, a, b: np.sin(x),
    "cos": lambda x, a, b: np.cos(x),
    "tan": lambda x, a, b: np.tan(x),
    "asin": lambda x, a, b: np.arcsin(x),
    "acos": lambda x, a, b: np.arccos(x),
    "atan": lambda x, a, b: np.arctan(x),
    "sinh": lambda x, a, b: np.sinh(x),
    "cosh": lambda x, a, b: np.cosh(x),
    "asinh": lambda x, a, b: np.arcsinh(x),
    "acosh": lambda x, a, b: np.arccosh(x),
    "atanh": lambda x, a, b: np.arctanh(x),
    "not": lambda x, a, b: np.logical_not(x),
    "is_nan": lambda x, a, b: np.isnan(x),
    "is_inf": lambda x, a, b: np.isinf(x),
}
"""The functions in float64; `a` and `b` are their parameters. The order is the function's number in C."""

BOOLEAN = ("not", "is_nan", "is_inf")
INTEGER = ("clip", "abs", "neg", "sign")


@dataclass(frozen=True, kw_only=True)
class Unary(Op):
    """y = function(x) with parameters `a` and `b`, elementwise; float32, or plain integers for clip, abs, neg, sign."""

    kind = "unary"

    function: str
    a: float = 0.0
    b: float = 0.0

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or self.function not in FUNCTIONS:
            raise OpError(f"unknown function {self.function}")
        if not x.dtype.is_float and self.function not in (*INTEGER, "not"):
            raise OpError(f"{self.function} of {x.dtype.value} is not supported")
        return (Type(x.shape, DType.BOOL if self.function in BOOLEAN else x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x = values[0]
        assert x is not None
        with np.errstate(all="ignore"):
            if x.dtype.kind in "iu":
                a, b = (self.a, self.b) if self.function != "clip" else _integer_bounds(self.a, self.b, x.dtype)
                result = FUNCTIONS[self.function](x.astype(np.int64), a, b)
            else:
                result = FUNCTIONS[self.function](x.astype(np.float64) if x.dtype.kind == "f" else x, self.a, self.b)
        return (np.asarray(result).astype(site.output.dtype.numpy),)

    def rows(self, site: Site, low: int, high: int) -> tuple[RowRange | None, ...]:
        return ((low, high),)

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        return ((0, 0),) if site.input(0).dtype.size_bytes == site.output.dtype.size_bytes else ()

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self

    def as_clamp(self) -> Clamp | None:
        return (self.a, self.b) if self.function == "clip" else None

    def quantized(self, site: Site) -> Op:
        x, y = site.input(0), site.output
        if x.dtype is not DType.INT8 or y.dtype is not DType.INT8:
            raise OpError(f"has no integer form from {x.dtype.value} to {y.dtype.value}")
        table = rounded_table(lambda v: FUNCTIONS[self.function](v, self.a, self.b), x, y)
        return Lookup(
            name=self.name,
            inputs=self.inputs,
            outputs=self.outputs,
            origin=self.origin,
            table=table,
            source=self.function,
        )


def _integer_bounds(a: float, b: float, dtype: np.dtype[np.generic]) -> tuple[int, int]:
    info = np.iinfo(dtype)  # type: ignore[type-var]
    low = int(info.min) if a == -math.inf else int(a)
    high = int(info.max) if b == math.inf else int(b)
    return low, high


def emit_unary(build: Builder, function: str, x: str, node: OnnxNode, a: float = 0.0, b: float = 0.0) -> None:
    """Add the op under the node's own name and output."""
    build.emit(Unary, (x,), name=node.name, outputs=node.outputs[:1], function=function, a=float(a), b=float(b))


SIMPLE = {
    "Sigmoid": "sigmoid", "HardSwish": "hard_swish", "Tanh": "tanh", "Softplus": "softplus", "Softsign": "softsign",
    "Mish": "mish", "Erf": "erf", "Exp": "exp", "Log": "log", "Sqrt": "sqrt", "Reciprocal": "reciprocal",
    "Abs": "abs", "Neg": "neg", "Sign": "sign", "Floor": "floor", "Ceil": "ceil", "Round": "round", "Sin": "sin",
    "Cos": "cos", "Tan": "tan", "Asin": "asin", "Acos": "acos", "Atan": "atan", "Sinh": "sinh", "Cosh": "cosh",
    "Asinh": "asinh", "Acosh": "acosh", "Atanh": "atanh", "Not": "not", "IsNaN": "is_nan",
}  # fmt: skip
"""ONNX operators without parameters."""


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read the functions without parameters."""
    emit_unary(build, SIMPLE[node.kind], node.need(0), node)


DEFAULTS: dict[str, tuple[str, float, float]] = {
    "Relu": ("clip", 0.0, math.inf),
    "LeakyRelu": ("leaky_relu", 0.01, 0.0),
    "Elu": ("elu", 1.0, 0.0),
    "Selu": ("selu", 1.67326319217681884765625, 1.05070102214813232421875),
    "Celu": ("celu", 1.0, 0.0),
    "ThresholdedRelu": ("thresholded_relu", 1.0, 0.0),
    "HardSigmoid": ("hard_sigmoid", 0.2, 0.5),
    "Swish": ("silu", 1.0, 0.0),
}
"""ONNX operators with parameters: function, and the defaults of `alpha` and `beta` or `gamma`."""


def from_onnx_parameters(node: OnnxNode, build: Builder) -> None:
    """Read the functions with `alpha` and `beta` (Selu: `gamma`)."""
    function, a, b = DEFAULTS[node.kind]
    if node.kind != "Relu":
        a = float(node.attribute("alpha", a))
        b = float(node.attribute("gamma" if node.kind == "Selu" else "beta", b))
    emit_unary(build, function, node.need(0), node, a, b)


def from_onnx_gelu(node: OnnxNode, build: Builder) -> None:
    """Read Gelu, exact or by tanh."""
    emit_unary(build, "gelu_tanh" if node.attribute("approximate", "none") == "tanh" else "gelu", node.need(0), node)


def from_onnx_isinf(node: OnnxNode, build: Builder) -> None:
    """Read IsInf of either sign."""
    if not (node.attribute("detect_positive", 1) and node.attribute("detect_negative", 1)):
        raise OpError("detecting one sign only is not supported")
    emit_unary(build, "is_inf", node.need(0), node)


def from_onnx_clip(node: OnnxNode, build: Builder) -> None:
    """Read Clip: bounds as attributes before opset 11, as inputs after, either absent."""
    if node.opset < 11:
        low, high = node.attribute("min"), node.attribute("max")
    else:
        low, high = _bound(node, build, 1), _bound(node, build, 2)
    low = -math.inf if low is None else float(low)
    high = math.inf if high is None else float(high)
    emit_unary(build, "clip", node.need(0), node, low, high)


def _bound(node: OnnxNode, build: Builder, index: int) -> float | None:
    if node.input(index) is None:
        return None
    value = build.value(node.input(index))
    if value is None:
        raise OpError("its bounds are computed at run time")
    return float(value.reshape(-1)[0]) if value.size else None


TFLITE_FLOAT = {
    "RELU": ("clip", 0.0, math.inf), "RELU6": ("clip", 0.0, 6.0), "RELU_N1_TO_1": ("clip", -1.0, 1.0),
    "RELU_0_TO_1": ("clip", 0.0, 1.0), "LOGISTIC": ("sigmoid", 0.0, 0.0), "TANH": ("tanh", 0.0, 0.0),
    "ELU": ("elu", 1.0, 0.0), "HARD_SWISH": ("hard_swish", 0.0, 0.0), "EXP": ("exp", 0.0, 0.0),
    "LOG": ("log", 0.0, 0.0), "SQRT": ("sqrt", 0.0, 0.0), "RSQRT": ("rsqrt", 0.0, 0.0), "ABS": ("abs", 0.0, 0.0),
    "NEG": ("neg", 0.0, 0.0), "SIGN": ("sign", 0.0, 0.0), "FLOOR": ("floor", 0.0, 0.0), "CEIL": ("ceil", 0.0, 0.0),
    "ROUND": ("round", 0.0, 0.0), "SQUARE": ("square", 0.0, 0.0), "SIN": ("sin", 0.0, 0.0), "COS": ("cos", 0.0, 0.0),
    "LOGICAL_NOT": ("not", 0.0, 0.0),
}  # fmt: skip


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read the float functions, and LOGISTIC, TANH and the Relu family of int8 as tables of the reference kernels."""
    x, y = build.tensor(node.need(0)), build.tensor(node.outputs[0])
    if x.dtype.is_float or (x.quant is None and node.kind in ("ABS", "NEG", "SIGN", "LOGICAL_NOT")):
        function, a, b = TFLITE_FLOAT[node.kind]
        build.emit(Unary, (x.name,), name=node.name, outputs=node.outputs, function=function, a=a, b=b)
        return
    if x.dtype is not DType.INT8 or y.dtype is not DType.INT8:
        raise OpError(f"from {x.dtype.value} to {y.dtype.value} is not supported")
    tables: dict[str, Callable[[Tensor, Tensor], tuple[int, ...]]] = {"LOGISTIC": logistic_table, "TANH": tanh_table}
    if node.kind not in tables:
        raise OpError("of quantized tensors is not supported")
    build.emit(
        Lookup, (x.name,), name=node.name, outputs=node.outputs, table=tables[node.kind](x, y), source=node.kind.lower()
    )


def logistic_table(x: Tensor, y: Tensor) -> tuple[int, ...]:
    """LOGISTIC of every int8 code: 4 integer bits in, the result rounded to 8 fractional bits."""
    return _saturating_table(x, 4, lambda q: divide_by_power_of_two(logistic(q, 4), 23) - 128)


def tanh_table(x: Tensor, y: Tensor) -> tuple[int, ...]:
    """TANH of every int8 code: 4 integer bits in, the result rounded to 7 fractional bits."""
    return _saturating_table(x, 4, lambda q: divide_by_power_of_two(tanh(q, 4), 24))


def _saturating_table(x: Tensor, bits: int, function: Callable[[Array], Array]) -> tuple[int, ...]:
    multiplier, shift = scale_to(bits, float(x.scale))
    radius = input_radius(bits, shift)
    centred = np.arange(-128, 128, dtype=np.int64) - x.zero_point
    inside = np.abs(centred) < radius
    scaled = multiply_double(
        np.where(inside, centred, 0), np.asarray(multiplier, np.int64), np.asarray(shift, np.int64)
    )
    codes = np.where(inside, np.clip(function(scaled), -128, 127), np.where(centred > 0, 127, -128))
    return tuple(int(v) for v in codes)
