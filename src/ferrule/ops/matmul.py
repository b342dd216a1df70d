"""Matrix product of two tensors, batched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.binary import Binary
from ferrule.ops.dequantize import Dequantize
from ferrule.ops.fully_connected import FullyConnected
from ferrule.ops.reshape import emit_reshape
from ferrule.ops.transpose import permute
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.op import Array, Op, OpError, Site, Type
from ferrule.program.output_stage import Clamp, finish_integer, integer_clamp
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import Tensor


@dataclass(frozen=True, kw_only=True)
class MatMul(Op):
    """y[..., m, n] = sum over k of a[..., m, k] * b[..., k, n]; leading axes broadcast, rank 2 to 6.

    Integer: acc = sum (a - za) * (b - zb); y = clamp(requant(acc) + zy), per tensor.
    """

    kind = "matmul"

    clamp: Clamp | None = None
    requant: Requant | None = None

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        a, b = inputs[0], inputs[1]
        if a is None or b is None or min(a.rank, b.rank) < 2 or a.shape[-1] != b.shape[-2] or a.dtype is not b.dtype:
            shapes = [None if t is None else list(t.shape) for t in (a, b)]
            raise OpError(f"operands of shapes {shapes} do not multiply")
        try:
            batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        except ValueError:
            raise OpError(f"batches {list(a.shape[:-2])} and {list(b.shape[:-2])} do not broadcast") from None
        return (Type((*(int(d) for d in batch), a.shape[-2], b.shape[-1]), a.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        a, b = values[0], values[1]
        assert a is not None and b is not None
        if site.input(0).dtype.is_float:
            total = a.astype(np.float64) @ b.astype(np.float64)
            total = total if self.clamp is None else np.clip(total, *self.clamp)
            return (total.astype(np.float32),)
        if self.requant is None:
            return ((a.astype(np.int64) @ b.astype(np.int64)).astype(site.output.dtype.numpy),)
        za, zb = site.input(0).zero_point, site.input(1).zero_point
        acc = np.rint((a.astype(np.float64) - za) @ (b.astype(np.float64) - zb)).astype(np.int64)
        return (finish_integer(acc, self.requant, self.clamp, site.output),)

    def macs(self, site: Site) -> int:
        return site.output.elements * site.input(0).shape[-1]

    def quantized(self, site: Site) -> Op:
        a, b, y = site.input(0), site.input(1), site.output
        factor = np.float64(a.scale) * np.float64(b.scale) / np.float64(y.scale)
        return self.but(requant=Requant.of(factor, "single"), clamp=integer_clamp(self.clamp, y))


def is_parameter(build: Builder, name: str) -> bool:
    """Whether a tensor is a constant, or the dequantized form of one."""
    producer = build.producer(name)
    if isinstance(producer, Dequantize) and producer.inputs[0] is not None:
        return producer.inputs[0] in build.constants
    return name in build.constants


def emit_dense(
    build: Builder, x: str, weights: str, bias: str | None, node: OnnxNode, output: str | None, shape: Sequence[int]
) -> None:
    """Add a dense layer over the last axis of x with weights [O, I]; the result takes `shape`."""
    tensor, out_size = build.tensor(x), build.tensor(weights).shape[0]
    rows = tensor.elements // max(tensor.shape[-1], 1)
    flat = x
    if tensor.rank != 2:
        flat = emit_reshape(build, x, (rows, tensor.shape[-1]), f"{node.name}:rows", None, node.name)
    direct = tuple(shape) == (rows, out_size)
    (out,) = build.emit(FullyConnected, (flat, weights, bias), name=node.name, outputs=(output if direct else None,))
    if not direct:
        emit_reshape(build, out, shape, f"{node.name}:shape", output, node.name)


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read MatMul: by a constant matrix it is a dense layer; vectors get an axis of length 1."""
    a, b = node.need(0), node.need(1)
    left, right = build.tensor(a), build.tensor(b)
    if min(left.rank, right.rank) < 1:
        raise OpError("a scalar cannot be multiplied as a matrix")
    if right.rank == 2 and left.rank >= 1 and is_parameter(build, b) and left.dtype.is_float:
        if left.shape[-1] != right.shape[0]:
            raise OpError(f"shapes {list(left.shape)} and {list(right.shape)} do not multiply")
        weights = permute(build, b, (1, 0), node.name)
        emit_dense(build, a, weights, None, node, node.outputs[0], (*left.shape[:-1], right.shape[1]))
        return
    if left.rank == 1:
        a = emit_reshape(build, a, (1, *left.shape), f"{node.name}:a", None, node.name)
    if right.rank == 1:
        b = emit_reshape(build, b, (*right.shape, 1), f"{node.name}:b", None, node.name)
    if left.rank > 1 and right.rank > 1:
        build.emit(MatMul, (a, b), name=node.name, outputs=node.outputs)
        return
    (out,) = build.emit(MatMul, (a, b), name=node.name)
    sizes = list(build.tensor(out).shape)
    if right.rank == 1:
        del sizes[-1]
    if left.rank == 1:
        del sizes[-1 if right.rank == 1 else -2]
    emit_reshape(build, out, sizes, f"{node.name}:shape", node.outputs[0], node.name)


def from_onnx_gemm(node: OnnxNode, build: Builder) -> None:
    """Read Gemm: alpha * A' * B' + beta * C. A dense layer, with scaled weights where they are constant."""
    a, b = node.need(0), node.need(1)
    alpha, beta = float(node.attribute("alpha", 1.0)), float(node.attribute("beta", 1.0))
    if build.tensor(a).rank != 2 or build.tensor(b).rank != 2 or not build.tensor(a).dtype.is_float:
        raise OpError("needs two float matrices")
    x = permute(build, a, (1, 0), node.name) if node.attribute("transA", 0) else a
    weights = b if node.attribute("transB", 0) else permute(build, b, (1, 0), node.name)
    outputs = build.tensor(weights).shape[0]
    if build.tensor(x).shape[1] != build.tensor(weights).shape[1]:
        raise OpError("the inner sizes of the matrices differ")
    if alpha != 1.0:
        weights = _scaled(build, weights, alpha, node)
    bias = node.input(2)
    shape = (build.tensor(x).shape[0], outputs)
    fused = bias if bias is not None and beta == 1.0 and _as_bias(build, bias, outputs) else None
    if bias is not None and fused is None and build.value(bias) is not None and _size_fits(build, bias, outputs):
        value = build.constants[bias].astype(np.float32) * np.float32(beta)
        fused = build.constant(np.broadcast_to(value.reshape(-1), (outputs,)).copy(), f"{bias}:bias")
    if bias is None or fused is not None:
        emit_dense(build, x, weights, fused, node, node.outputs[0], shape)
        return
    emit_dense(build, x, weights, None, node, None, shape)
    made = build.ops[-1].outputs[0]
    scaled = _scaled(build, bias, beta, node) if beta != 1.0 else bias
    build.emit(
        Binary, (made, scaled), name=f"{node.name}:add", outputs=node.outputs, function="add", origin=(node.name,)
    )


def _as_bias(build: Builder, name: str, outputs: int) -> bool:
    return build.tensor(name).shape == (outputs,)


def _size_fits(build: Builder, name: str, outputs: int) -> bool:
    shape = build.tensor(name).shape
    return build.tensor(name).elements in (1, outputs) and all(d == 1 for d in shape[:-1])


def _scaled(build: Builder, name: str, factor: float, node: OnnxNode) -> str:
    value = build.value(name)
    if value is not None:
        return build.constant(value * np.float32(factor), f"{name}:scaled")
    share = build.constant(
        np.asarray(factor, np.float32).reshape((1,) * build.tensor(name).rank), f"{node.name}:factor"
    )
    (out,) = build.emit(Binary, (name, share), name=f"{node.name}:scale", function="mul", origin=(node.name,))
    return out


def from_tflite(node: TfliteNode, build: Builder) -> None:
    """Read BATCH_MATMUL, float, or int8 with the reference kernel's double rounding; adjoints are transposed."""
    a, b = node.need(0), node.need(1)
    for index, flag in ((0, "adj_x"), (1, "adj_y")):
        if node.option(flag, False):
            name = (a, b)[index]
            rank = build.tensor(name).rank
            turned = permute(build, name, (*range(rank - 2), rank - 1, rank - 2), f"{node.name}:{flag}")
            a, b = (turned, b) if index == 0 else (a, turned)
    x, w, y = build.tensor(a), build.tensor(b), build.tensor(node.outputs[0])
    requant = clamp = None
    if not x.dtype.is_float:
        factor = np.float64(np.float32(x.scale) * np.float32(w.scale)) / np.float64(y.scale)
        requant, clamp = Requant.of(factor, "double"), y.dtype.bounds
    build.emit(MatMul, (a, b), name=node.name, outputs=node.outputs, requant=requant, clamp=clamp)
