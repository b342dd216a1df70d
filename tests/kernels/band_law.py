"""The band law: any bands, slots, gaps give the reference."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from ferrule.kernels.kernel import Kernel
from ferrule.program.geometry import Geometry, geometry
from ferrule.program.op import Site
from ferrule.program.program import Program
from ferrule.program.tensor import Tensor
from tests.kernels import native

POISON = 0xA5


@dataclass(frozen=True)
class Case:
    """One op in a program of its own, with its run-time inputs. `tolerance` is for float only: absolute, relative."""

    program: Program
    values: dict[str, np.ndarray]
    tolerance: tuple[float, float] = (1e-5, 1e-5)

    @property
    def site(self) -> Site:
        """The op in its place."""
        return self.program.site(self.program.ops[0])


class Strip:
    """A tensor's rows in poisoned memory with gaps between pixels and rows and a ring of slots."""

    def __init__(self, tensor: Tensor, slots: int, pixel_gap: int, pitch_gap: int, shift: int) -> None:
        self.shape: Geometry = geometry(tensor)
        self.element = tensor.dtype.size_bytes
        self.slots = slots
        self.pixel = self.shape.pixel_bytes + pixel_gap * self.element
        self.pitch = max(self.shape.width, 1) * self.pixel + pitch_gap * self.element
        self.shift = shift * self.element
        # the last pixel of the last row ends the allocation, so that a sanitizer sees the first byte beyond
        last_gap = (pixel_gap + pitch_gap) * self.element
        self.memory = np.full(self.shift + max(slots, 1) * self.pitch - last_gap, POISON, np.uint8)

    @classmethod
    def draw(cls, draw: st.DrawFn, tensor: Tensor, need: int, *, dense: bool) -> Strip:
        """Any slots >= need, any gaps and alignment; dense: as a plain array."""
        rows = geometry(tensor).rows
        if dense:
            return cls(tensor, rows, 0, 0, 0)
        slots = draw(st.sampled_from([rows, max(need, 1), min(max(need + 1, 1), max(rows, 1))]))
        return cls(tensor, slots, draw(st.integers(0, 3)), draw(st.integers(0, 5)), draw(st.integers(0, 3)))

    def view(self) -> native.View:
        """The view that the C gets."""
        return native.View(self.memory.ctypes.data + self.shift, self.pitch, self.pixel, self.slots, self.shape.rows)

    def window(self, row: int) -> np.ndarray:
        """The existing bytes of a row as [width, pixel bytes], writable."""
        start = self.shift + (row % self.slots) * self.pitch
        line = np.lib.stride_tricks.as_strided(
            self.memory[start:], (self.shape.width, self.shape.pixel_bytes), (self.pixel, 1)
        )
        return line

    def put(self, array: np.ndarray, low: int, high: int) -> None:
        """Poison everything, then place rows [low, high)."""
        self.memory[:] = POISON
        lines = raw(array).reshape(self.shape.rows, self.shape.width, self.shape.pixel_bytes)
        for row in range(low, high):
            self.window(row)[:] = lines[row]

    def untouched(self, rows: range) -> np.ndarray:
        """A mask of the bytes that a call writing these rows must leave alone."""
        mask = np.ones(self.memory.shape, bool)
        for row in rows:
            start = self.shift + (row % self.slots) * self.pitch
            view = np.lib.stride_tricks.as_strided(
                mask[start:], (self.shape.width, self.shape.pixel_bytes), (self.pixel, 1)
            )
            view[:] = False
        return mask


def raw(array: np.ndarray) -> np.ndarray:
    """The bytes of an array."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def check_equal(case: Case, tensor: Tensor, got: np.ndarray, want: np.ndarray, note: str) -> None:
    """Integer codes must be the same; float values within the case's tolerance."""
    if tensor.dtype.is_float:
        absolute, relative = case.tolerance
        np.testing.assert_allclose(got, want, atol=absolute, rtol=relative, err_msg=note)
    else:
        np.testing.assert_array_equal(got, want, err_msg=note)


def bands(draw: st.DrawFn, rows: int) -> list[tuple[int, int]]:
    """Any partition of [0, rows) into bands, in order."""
    cuts = draw(st.sets(st.integers(1, max(rows - 1, 1)), max_size=4)) if rows > 1 else set()
    edges = [0, *sorted(cuts), rows]
    return [(a, b) for a, b in itertools.pairwise(edges) if b > a]


def prove(case: Case, kernel: Kernel, draw: st.DrawFn) -> None:
    """Run the kernel as its kind allows and compare every byte it makes, and every byte it must not touch."""
    site = case.site
    assert kernel.accepts(site) is None, kernel.accepts(site)
    names = [n for n in site.op.inputs]
    values = [None if n is None else case.values.get(n, case.program.constants.get(n)) for n in names]
    want = site.op.reference(site, values)
    struct, keep = native.struct_of(kernel.fields(site))
    size = kernel.workspace(site)
    work = np.full(size, POISON, np.uint8) if size else None
    runner = {"rows": _rows, "reduce": _reduce, "whole": _whole}[kernel.kind]
    runner(case, kernel, site, struct, values, want, work, draw)
    if kernel.kind == "rows" and kernel.strided:
        _in_place(case, kernel, site, struct, values, want, work)
    del keep


def _dense(kernel: Kernel, index: int) -> bool:
    """Whether the kernel wants this input as a plain array."""
    return not kernel.strided or index in kernel.dense


def _rows(case, kernel, site, struct, values, want, work, draw) -> None:  # type: ignore[no-untyped-def]
    out_rows = geometry(site.output).rows
    plan = bands(draw, out_rows)
    needs = {i: [_need(site, i, a, b) for a, b in plan] for i in kernel.operands(site)}
    inputs = {
        i: Strip.draw(draw, site.input(i), max((b - a for a, b in n), default=1), dense=_dense(kernel, i))
        for i, n in needs.items()
    }
    tallest = max((b - a for a, b in plan), default=1)
    outs = [Strip.draw(draw, t, tallest, dense=not kernel.strided) for t in site.outputs]
    for index, (low, high) in enumerate(plan):
        for i, strip in inputs.items():
            strip.put(values[i], *needs[i][index])
        for strip in outs:
            strip.memory[:] = POISON
        before = {i: s.memory.copy() for i, s in inputs.items()}
        native.call(kernel, struct, [o.view() for o in outs], [s.view() for s in inputs.values()], (low, high), work)
        for i, strip in inputs.items():
            np.testing.assert_array_equal(strip.memory, before[i], err_msg=f"input {i} was written")
        for strip, tensor, result in zip(outs, site.outputs, want, strict=True):
            _compare_rows(case, strip, tensor, result, range(low, high))


def _compare_rows(case: Case, strip: Strip, tensor: Tensor, result: np.ndarray, rows: range) -> None:
    shape = strip.shape
    lines = result.reshape(shape.rows, shape.width, shape.channels)
    for row in rows:
        got = np.ascontiguousarray(strip.window(row)).view(tensor.dtype.numpy).reshape(shape.width, shape.channels)
        check_equal(case, tensor, got, lines[row], f"{tensor.name} row {row}")
    assert (strip.memory[strip.untouched(rows)] == POISON).all(), f"{tensor.name}: bytes outside the rows were written"


def _need(site: Site, index: int, low: int, high: int) -> tuple[int, int]:
    if site.constants[index] is not None:
        return 0, geometry(site.input(index)).rows
    need = site.op.rows(site, low, high)[index]
    return (0, geometry(site.input(index)).rows) if need is None else need


def _reduce(case, kernel, site, struct, values, want, work, draw) -> None:  # type: ignore[no-untyped-def]
    first = kernel.operands(site)[0]
    inputs = {}
    plan = bands(draw, geometry(site.input(first)).rows)
    for i in kernel.operands(site):
        need = max((b - a for a, b in plan), default=1) if i == first else geometry(site.input(i)).rows
        inputs[i] = Strip.draw(draw, site.input(i), need, dense=_dense(kernel, i))
    outs = [Strip.draw(draw, t, geometry(t).rows, dense=not kernel.strided) for t in site.outputs]
    for strip in outs:
        strip.memory[:] = POISON
    for low, high in plan:
        for i, strip in inputs.items():
            strip.put(values[i], *((low, high) if i == first else (0, strip.shape.rows)))
        native.call(kernel, struct, [o.view() for o in outs], [s.view() for s in inputs.values()], (low, high), work)
    for strip, tensor, result in zip(outs, site.outputs, want, strict=True):
        _compare_rows(case, strip, tensor, result, range(strip.shape.rows))


def _whole(case, kernel, site, struct, values, want, work, draw) -> None:  # type: ignore[no-untyped-def]
    inputs = {}
    for i in kernel.operands(site):
        inputs[i] = Strip.draw(draw, site.input(i), geometry(site.input(i)).rows, dense=_dense(kernel, i))
        inputs[i].put(values[i], 0, inputs[i].shape.rows)
    outs = [Strip.draw(draw, t, geometry(t).rows, dense=not kernel.strided) for t in site.outputs]
    rows = geometry(site.output).rows
    native.call(kernel, struct, [o.view() for o in outs], [s.view() for s in inputs.values()], (0, rows), work)
    for strip, tensor, result in zip(outs, site.outputs, want, strict=True):
        _compare_rows(case, strip, tensor, result, range(strip.shape.rows))


def _in_place(case, kernel, site, struct, values, want, work) -> None:  # type: ignore[no-untyped-def]
    """Where the operator allows it, the output overwrites the input's pixels."""
    for index, output in site.op.in_place(site):
        if index not in kernel.operands(site):
            continue
        strips = {}
        for i in kernel.operands(site):
            gaps = (0, 0, 0) if _dense(kernel, i) else (1, 2, 1)
            strips[i] = Strip(site.input(i), geometry(site.input(i)).rows, *gaps)
            strips[i].put(values[i], 0, strips[i].shape.rows)
        outs = []
        for number, tensor in enumerate(site.outputs):
            shared = strips[index] if number == output else Strip(tensor, geometry(tensor).rows, 0, 0, 0)
            outs.append(shared)
        rows = geometry(site.output).rows
        native.call(kernel, struct, [o.view() for o in outs], [s.view() for s in strips.values()], (0, rows), work)
        tensor, strip = site.outputs[output], outs[output]
        _compare_rows_overlaid(case, strip, tensor, want[output])


def _compare_rows_overlaid(case: Case, strip: Strip, tensor: Tensor, result: np.ndarray) -> None:
    shape = geometry(tensor)
    lines = result.reshape(shape.rows, shape.width, shape.channels)
    for row in range(shape.rows):
        got = np.ascontiguousarray(strip.window(row)[:, : shape.pixel_bytes])
        got = got.view(tensor.dtype.numpy).reshape(shape.width, shape.channels)
        check_equal(case, tensor, got, lines[row], f"{tensor.name} row {row}, in place")
