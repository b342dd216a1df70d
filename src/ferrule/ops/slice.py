"""Slice: a regular part of a tensor, any step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.reshape import emit_reshape
from ferrule.program.access import Access, StridedOp, access_of
from ferrule.program.build import Builder
from ferrule.program.geometry import Box, geometry
from ferrule.program.op import Array, Move, Op, OpError, Site, Type, normal_axis
from ferrule.program.source import OnnxNode, TfliteNode
from ferrule.program.tensor import Quant, Tensor


@dataclass(frozen=True, kw_only=True)
class Slice(StridedOp):
    """Per axis: `sizes` elements from `starts` on, `steps` apart (negative steps walk backwards). Any dtype."""

    kind = "slice"
    keeps_codes = True

    starts: tuple[int, ...]
    sizes: tuple[int, ...]
    steps: tuple[int, ...]

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or len(self.starts) != x.rank:
            raise OpError("starts, sizes and steps are needed for every axis")
        for start, size, step, length in zip(self.starts, self.sizes, self.steps, x.shape, strict=True):
            last = start + (size - 1) * step
            if size < 0 or step == 0 or (size and not (0 <= start < length and 0 <= last < length)):
                raise OpError(f"start {start}, size {size}, step {step} leave an axis of {length}")
        return (Type(self.sizes, x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        assert values[0] is not None
        index = [
            start + np.arange(size) * step
            for start, size, step in zip(self.starts, self.sizes, self.steps, strict=True)
        ]
        return (np.ascontiguousarray(values[0][np.ix_(*index)]) if index else values[0].copy(),)

    def moves(self, site: Site) -> tuple[Move, ...] | None:
        if any(s != 1 and n > 1 for s, n in zip(self.steps, self.sizes, strict=True)):
            return None
        x, y = site.input(0), site.output
        cut = [i for i in range(x.rank) if self.sizes[i] != x.shape[i]]
        own = geometry(y)
        row_axes = x.rank - (2 if x.rank >= 4 else 1)
        if [i for i in cut if i < row_axes and any(x.shape[k] != 1 for k in range(i))]:
            return None  # rows of several images: no single box
        pixel = self.starts[x.rank - 2] if x.rank >= 4 else 0
        row = 0
        for axis in range(row_axes):
            row = row * x.shape[axis] + self.starts[axis]
        source = Box(row, pixel, self.starts[-1] if x.rank else 0, own.rows, own.width, own.channels)
        return (Move(0, 0, source, Box(0, 0, 0, own.rows, own.width, own.channels)),)

    def access(self, site: Site) -> Access:
        factors = [[(size, k, step)] for k, (size, step) in enumerate(zip(self.sizes, self.steps, strict=True))]
        return access_of(site.input(0), site.output, factors, self.starts)

    def transposed(self, site: Site, perm: tuple[int, ...]) -> Op | None:
        return self.but(
            starts=tuple(self.starts[p] for p in perm),
            sizes=tuple(self.sizes[p] for p in perm),
            steps=tuple(self.steps[p] for p in perm),
        )

    def quantized(self, site: Site) -> Op:
        return self


def kept_quant(tensor: Tensor) -> Quant | None:
    """The scale that a part of a tensor keeps: the tensor's own where it is one for all."""
    return tensor.quant if tensor.quant is not None and tensor.quant.axis is None else None


def emit_slice(
    build: Builder,
    x: str,
    starts: Sequence[int],
    sizes: Sequence[int],
    steps: Sequence[int],
    name: str,
    output: str | None = None,
    origin: str | None = None,
) -> str:
    """Add a slice and return the result's name."""
    (out,) = build.emit(
        Slice,
        (x,),
        name=name,
        outputs=(output,),
        quant=kept_quant(build.tensor(x)),
        origin=(origin or name,),
        starts=tuple(map(int, starts)),
        sizes=tuple(map(int, sizes)),
        steps=tuple(map(int, steps)),
    )
    return out


def _constants(node: OnnxNode, build: Builder, index: int, what: str) -> list[int] | None:
    if node.input(index) is None:
        return None
    value = build.value(node.input(index))
    if value is None:
        raise OpError(f"its {what} are computed at run time")
    return [int(v) for v in value.reshape(-1)]


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read Slice: python's slicing rules per axis; bounds as attributes before opset 10."""
    x = build.tensor(node.need(0))
    if node.opset < 10:
        starts, ends, axes = node.ints("starts"), node.ints("ends"), node.ints("axes")
        steps = None
    else:
        starts, ends = _constants(node, build, 1, "starts"), _constants(node, build, 2, "ends")
        axes, steps = _constants(node, build, 3, "axes"), _constants(node, build, 4, "steps")
    if starts is None or ends is None or len(starts) != len(ends):
        raise OpError("starts and ends are missing or differ in number")
    axes = list(range(len(starts))) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    first, size, step = [0] * x.rank, list(x.shape), [1] * x.rank
    for axis, start, end, stride in zip(axes, starts, ends, steps, strict=True):
        if stride == 0:
            raise OpError("a step is 0")
        at = normal_axis(axis, x.rank)
        span = _span(start, end, stride, x.shape[at])
        first[at], size[at], step[at] = (span.start if len(span) else 0), len(span), stride
    emit_slice(build, x.name, first, size, step, node.name, node.outputs[0])


def _span(start: int, end: int, step: int, length: int) -> range:
    """The positions of ONNX Slice: negative bounds count from the back, then both are clamped.

    Walking backwards, a start before the first element is clamped to it (python's slices would take nothing).
    """
    start, end = (bound + length if bound < 0 else bound for bound in (start, end))
    if step > 0:
        return range(min(max(start, 0), length), min(max(end, 0), length), step)
    return range(min(max(start, 0), length - 1), min(max(end, -1), length - 1), step)


def from_onnx_split(node: OnnxNode, build: Builder) -> None:
    """Read Split: slices along one axis, sizes given or equal (the last one smaller)."""
    x = build.tensor(node.need(0))
    axis = normal_axis(int(node.attribute("axis", 0)), x.rank)
    sizes = node.ints("split") if node.opset < 13 else _constants(node, build, 1, "sizes")
    count = len(node.outputs)
    if sizes is None:
        each = -(-x.shape[axis] // count)
        sizes = [max(min(each, x.shape[axis] - i * each), 0) for i in range(count)]
    if sum(sizes) != x.shape[axis] or len(sizes) != count:
        raise OpError(f"sizes {sizes} do not split an axis of {x.shape[axis]} into {count}")
    emit_parts(build, x.name, axis, sizes, node.outputs, node.name)


def emit_parts(
    build: Builder, x: str, axis: int, sizes: Sequence[int], outputs: Sequence[str | None], name: str
) -> None:
    """Add one slice for each wanted part along an axis."""
    shape, start = build.tensor(x).shape, 0
    for index, (size, output) in enumerate(zip(sizes, outputs, strict=True)):
        if output is not None:
            first, length = [0] * len(shape), list(shape)
            first[axis], length[axis] = start, size
            emit_slice(build, x, first, length, [1] * len(shape), f"{name}:{index}", output, name)
        start += size


def from_tflite_split(node: TfliteNode, build: Builder) -> None:
    """Read SPLIT (axis first) and SPLIT_V (sizes, then axis); the outputs' shapes give the sizes."""
    which, where = (1, 0) if node.kind == "SPLIT" else (0, 2)
    x, axis = build.tensor(node.need(which)), build.value(node.input(where))
    if axis is None:
        raise OpError("the axis is computed at run time")
    at = normal_axis(int(axis.reshape(-1)[0]), x.rank)
    emit_parts(build, x.name, at, [build.tensor(o).shape[at] for o in node.outputs], node.outputs, node.name)


def from_tflite_slice(node: TfliteNode, build: Builder) -> None:
    """Read SLICE: begin and size, -1 for all that remains."""
    x = build.tensor(node.need(0))
    begin, size = build.value(node.input(1)), build.value(node.input(2))
    if begin is None or size is None:
        raise OpError("its bounds are computed at run time")
    starts = [int(b) for b in begin.reshape(-1)]
    sizes = [x.shape[i] - starts[i] if int(s) == -1 else int(s) for i, s in enumerate(size.reshape(-1))]
    emit_slice(build, x.name, starts, sizes, [1] * x.rank, node.name, node.outputs[0])


@dataclass
class _Dense:
    """STRIDED_SLICE with one entry for each axis of the input, and the shape that its masks ask for."""

    first: list[int]
    size: list[int]
    step: list[int]
    shape: list[int]


def from_tflite_strided(node: TfliteNode, build: Builder) -> None:
    """Read STRIDED_SLICE with all its masks: a slice, then a reshape where axes come or go."""
    x = build.tensor(node.need(0))
    bounds = [build.value(node.input(i)) for i in (1, 2, 3)]
    if any(b is None for b in bounds):
        raise OpError("its bounds are computed at run time")
    dense = _dense(node, x.shape, [[int(v) for v in b.reshape(-1)] for b in bounds if b is not None])
    output = node.outputs[0]
    if dense.shape == dense.size:
        emit_slice(build, x.name, dense.first, dense.size, dense.step, node.name, output)
        return
    cut = emit_slice(build, x.name, dense.first, dense.size, dense.step, f"{node.name}:cut", None, node.name)
    emit_reshape(build, cut, dense.shape, node.name, output)


def _dense(node: TfliteNode, shape: Sequence[int], bounds: Sequence[Sequence[int]]) -> _Dense:
    """Walk the given entries along the input's axes: an ellipsis takes what the others leave."""
    begin, end, steps = bounds
    masks = {
        name: int(node.option(f"{name}_mask", 0)) for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
    }
    made = _Dense([], [], [], [])

    def take(start: int, count: int, step: int, shown: bool) -> None:
        made.first.append(start)
        made.size.append(count)
        made.step.append(step)
        made.shape.extend([count] if shown else [])

    for entry in range(len(begin)):
        bit, axis = 1 << entry, len(made.size)
        if masks["ellipsis"] & bit:
            later = sum(1 for k in range(entry + 1, len(begin)) if not masks["new_axis"] >> k & 1)
            for length in shape[axis : len(shape) - later]:
                take(0, length, 1, True)
            continue
        if masks["new_axis"] & bit:
            made.shape.append(1)
            continue
        if axis >= len(shape):
            raise OpError(f"{len(begin)} bounds are given for {len(shape)} axes")
        length, step = shape[axis], steps[entry]
        if masks["shrink_axis"] & bit:
            at = begin[entry] + (length if begin[entry] < 0 else 0)
            take(at, 1, 1, False)
            continue
        if step == 0:
            raise OpError("a step is 0")
        start = None if masks["begin"] & bit else begin[entry]
        stop = None if masks["end"] & bit else end[entry]
        if node.option("offset", False) and stop is not None:
            stop += begin[entry]
        span = range(*slice(start, stop, step).indices(length))
        take(span.start if len(span) else 0, len(span), step, True)
    for length in shape[len(made.size) :]:
        take(0, length, 1, True)
    return made


def from_tflite_unpack(node: TfliteNode, build: Builder) -> None:
    """Read UNPACK: one slice for each output, its axis dropped."""
    x = build.tensor(node.need(0))
    axis = normal_axis(int(node.option("axis", 0)), x.rank)
    if len(node.outputs) != x.shape[axis]:
        raise OpError(f"{len(node.outputs)} outputs of an axis of {x.shape[axis]}")
    size, step = [1 if i == axis else d for i, d in enumerate(x.shape)], [1] * x.rank
    rest = [d for i, d in enumerate(x.shape) if i != axis]
    for index, output in enumerate(node.outputs):
        first = [index if i == axis else 0 for i in range(x.rank)]
        cut = emit_slice(build, x.name, first, size, step, f"{node.name}:cut{index}", None, node.name)
        emit_reshape(build, cut, rest, f"{node.name}:{index}", output, node.name)


def from_tflite_reverse(node: TfliteNode, build: Builder) -> None:
    """Read REVERSE_V2: a slice that walks backwards."""
    x, axes = build.tensor(node.need(0)), build.value(node.input(1))
    if axes is None:
        raise OpError("its axes are computed at run time")
    turned = {normal_axis(int(a), x.rank) for a in axes.reshape(-1)}
    first = [d - 1 if i in turned and d else 0 for i, d in enumerate(x.shape)]
    step = [-1 if i in turned else 1 for i in range(x.rank)]
    emit_slice(build, x.name, first, x.shape, step, node.name, node.outputs[0])
