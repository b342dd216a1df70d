"""Which tensors share bytes: views, in-place, reshapes."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from ferrule.program.geometry import Box, geometry
from ferrule.program.op import Move, Op
from ferrule.program.program import Program
from ferrule.program.tensor import Tensor


class Kind(enum.Enum):
    """How a child tensor lies in its parent: in a box of it, as the same bytes in order, or overwriting it."""

    INSIDE = "inside"
    FLAT = "flat"
    OVER = "over"


@dataclass(frozen=True)
class Relation:
    """`child` may live in `parent`; `op` is the operation that allows it."""

    child: str
    parent: str
    kind: Kind
    op: str
    box: Box | None = None


@dataclass(frozen=True)
class Place:
    """Where a tensor lies in its root's bytes: a box in a frame that begins at `base` with a pitch and a pixel."""

    root: str
    base: int
    pitch: int
    pixel: int
    row: int
    column: int
    byte: int
    rows: int
    width: int
    bytes: int

    @property
    def offset(self) -> int:
        """Byte offset of row 0, pixel 0, channel 0 in the root."""
        return self.base + self.row * self.pitch + self.column * self.pixel + self.byte

    @property
    def end(self) -> int:
        """One past the last byte."""
        if not (self.rows and self.width and self.bytes):
            return self.offset
        return self.offset + (self.rows - 1) * self.pitch + (self.width - 1) * self.pixel + self.bytes

    @property
    def is_dense(self) -> bool:
        """Whether the bytes lie without gaps."""
        pixels = self.width <= 1 or self.pixel == self.bytes
        return pixels and (self.rows <= 1 or self.pitch == self.width * self.bytes)

    def overlaps(self, other: Place) -> bool:
        """Whether the two share a byte (exact in one frame, by their ranges otherwise)."""
        if self.root != other.root or self.offset >= other.end or other.offset >= self.end:
            return False
        if (self.base, self.pitch, self.pixel) != (other.base, other.pitch, other.pixel):
            return True
        return (
            _cross(self.row, self.rows, other.row, other.rows)
            and _cross(self.column, self.width, other.column, other.width)
            and _cross(self.byte, self.bytes, other.byte, other.bytes)
        )


def _cross(a: int, a_length: int, b: int, b_length: int) -> bool:
    return a < b + b_length and b < a + a_length


@dataclass(frozen=True)
class Life:
    """Steps in which a tensor holds its value: from the step that makes it to the last that reads it."""

    first: int
    last: int


def lifetimes(program: Program, order: tuple[Op, ...], keep_inputs: bool) -> dict[str, Life]:
    """First and last step of each computed tensor or input; inputs begin at -1, outputs and states last to the end."""
    end = len(order)
    first = {name: -1 for name in program.inputs} | {s.before: -1 for s in program.states}
    last = dict(first)
    for step, op in enumerate(order):
        for name in op.outputs:
            first[name] = last[name] = step
        for read in op.inputs:
            if read is not None and read in first:
                last[read] = step
    held = [*program.outputs, *(n for s in program.states for n in (s.before, s.after))]
    for name in [*held, *(program.inputs if keep_inputs else ())]:
        if name in first:
            last[name] = end
    return {name: Life(first[name], last[name]) for name in first}


class Storage:
    """Relations in force, and where each tensor lies because of them. `lives` and `dense` never change."""

    def __init__(self, program: Program, lives: Mapping[str, Life], dense: Iterable[str]) -> None:
        self.program = program
        self.lives = lives
        self.dense = frozenset(dense)
        self.parents: dict[str, Relation] = {}
        self.children: dict[str, list[str]] = {}

    def root(self, name: str) -> str:
        """The tensor whose bytes hold this one."""
        while name in self.parents:
            name = self.parents[name].parent
        return name

    def members(self, root: str) -> list[str]:
        """The root and everything that lives in it."""
        found = [root]
        for name in found:
            found.extend(self.children.get(name, ()))
        return found

    def place(self, name: str) -> Place | None:
        """Where the tensor lies; None where a flat relation meets a parent with gaps."""
        relation = self.parents.get(name)
        shape = geometry(self.program.tensors[name])
        if relation is None:
            return Place(
                name, 0, shape.row_bytes, shape.pixel_bytes, 0, 0, 0, shape.rows, shape.width, shape.pixel_bytes
            )
        parent = self.place(relation.parent)
        if parent is None:
            return None
        if relation.kind is Kind.OVER:
            return parent
        if relation.kind is Kind.INSIDE:
            box = relation.box
            assert box is not None
            return replace(
                parent,
                row=parent.row + box.row,
                column=parent.column + box.pixel,
                byte=parent.byte + box.channel * shape.element_bytes,
                rows=box.rows,
                width=box.width,
                bytes=box.channels * shape.element_bytes,
            )
        same = geometry(self.program.tensors[relation.parent])
        if (same.rows, same.width, same.pixel_bytes) == (shape.rows, shape.width, shape.pixel_bytes):
            return parent
        if not parent.is_dense:
            return None
        return Place(
            parent.root, parent.offset, shape.row_bytes, shape.pixel_bytes, 0, 0, 0,
            shape.rows, shape.width, shape.pixel_bytes,
        )  # fmt: skip

    def adopt(self, relation: Relation) -> bool:
        """Put a relation in force if nothing alive is overwritten by it; return whether it holds."""
        child, parent = relation.child, relation.parent
        if child in self.parents or child == parent or self.root(parent) == child:
            return False
        if child not in self.lives or parent not in self.lives:
            return False
        self.parents[child] = relation
        self.children.setdefault(parent, []).append(child)
        if self._sound(self.root(parent), child):
            return True
        del self.parents[child]
        self.children[parent].remove(child)
        return False

    def _sound(self, root: str, changed: str) -> bool:
        """Whether all members lie as they must, checking those that moved against all."""
        members = self.members(root)
        places = {name: self.place(name) for name in members}
        if any(p is None for p in places.values()):
            return False
        if any(name in self.dense and not _dense(places[name]) for name in members):
            return False
        if any(_misaligned(self.program.tensors[name], places[name]) for name in members):
            return False
        moved = self.members(changed)
        for name in moved:
            for other in members:
                if other != name and self._clash(name, other, places):
                    return False
        return True

    def _clash(self, a: str, b: str, places: Mapping[str, Place | None]) -> bool:
        first, second = places[a], places[b]
        assert first is not None and second is not None
        if not first.overlaps(second) or self._value(a) == self._value(b):
            return False
        early, late = (a, b) if self.lives[a].first <= self.lives[b].first else (b, a)
        if self.lives[early].last < self.lives[late].first:
            return False
        hand_over = self.lives[early].last == self.lives[late].first and first == second
        return not (hand_over and self._is_over(early, late))

    def _is_over(self, early: str, late: str) -> bool:
        """Whether `late` overwrites `early` by an in-place relation, in either direction of parenthood."""
        down, up = self.parents.get(late), self.parents.get(early)
        return any(r is not None and r.kind is Kind.OVER and {r.child, r.parent} == {early, late} for r in (down, up))

    def _value(self, name: str) -> str:
        """A name for the value class: tensors that are boxes or reshapes of one another hold the same values."""
        while name in self.parents and self.parents[name].kind is not Kind.OVER:
            name = self.parents[name].parent
        return name


def _dense(place: Place | None) -> bool:
    return place is not None and place.is_dense


def _misaligned(tensor: Tensor, place: Place | None) -> bool:
    """Whether an element would not lie at a multiple of its own size."""
    size = tensor.dtype.size_bytes
    return place is not None and bool(place.offset % size or place.pitch % size or place.pixel % size)


def candidates(program: Program, order: tuple[Op, ...], in_place: Callable[[Op], bool]) -> list[Relation]:
    """All relations worth trying, in the order in which they are tried.

    First, backwards: values made straight into a larger one (concat, pad), so that chains of them nest. Then,
    forwards: parts of a value (slice, split), reshapes, and outputs that overwrite a dying input.
    """
    into: list[Relation] = []
    onward: list[Relation] = []
    for op in reversed(order):
        into.extend(_into(program, op))
        into.extend(replace(r, child=r.parent, parent=r.child) for r in _flat_or_over(program, op, in_place))
    for op in order:
        onward.extend(_out_of(program, op))
        onward.extend(_flat_or_over(program, op, in_place))
    # going backwards, a reshape or an in-place op only helps when it leads to a value that lies inside another
    reachable = {r.child for r in into if r.kind is Kind.INSIDE}
    kept = []
    for relation in into:
        if relation.kind is Kind.INSIDE:
            kept.append(relation)
        elif relation.parent in reachable:
            reachable.add(relation.child)
            kept.append(relation)
    return kept + onward


def _moves(program: Program, op: Op) -> tuple[Move, ...]:
    return op.moves(program.site(op)) or ()


def _into(program: Program, op: Op) -> Iterable[Relation]:
    for move in _moves(program, op):
        source = op.inputs[move.input]
        if source is None or source in program.constants:
            continue
        if _covers(program.tensors[source], move.source):
            yield Relation(source, op.outputs[move.output], Kind.INSIDE, op.name, move.target)


def _out_of(program: Program, op: Op) -> Iterable[Relation]:
    for move in _moves(program, op):
        source, target = op.inputs[move.input], op.outputs[move.output]
        if source is None or source in program.constants:
            continue
        if _covers(program.tensors[target], move.target):
            yield Relation(target, source, Kind.INSIDE, op.name, move.source)


def _flat_or_over(program: Program, op: Op, in_place: Callable[[Op], bool]) -> Iterable[Relation]:
    site = program.site(op)
    if op.is_reshape(site):
        source = op.inputs[0]
        if source is not None and source not in program.constants:
            yield Relation(op.outputs[0], source, Kind.FLAT, op.name)
        return
    if not in_place(op):
        return
    for index, number in op.in_place(site):
        source, target = op.inputs[index], op.outputs[number]
        if source is None or source in program.constants:
            continue
        a, b = geometry(program.tensors[source]), geometry(program.tensors[target])
        if (a.rows, a.width, a.pixel_bytes) == (b.rows, b.width, b.pixel_bytes):
            yield Relation(target, source, Kind.OVER, op.name)


def _covers(tensor: Tensor, box: Box) -> bool:
    shape = geometry(tensor)
    return (box.row, box.pixel, box.channel) == (0, 0, 0) and (box.rows, box.width, box.channels) == (
        shape.rows,
        shape.width,
        shape.channels,
    )
