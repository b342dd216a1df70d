"""Makes the plan: order, shared bytes, offsets, steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ferrule.program.geometry import Box, geometry, whole
from ferrule.program.op import Op
from ferrule.program.plan import Action, Buffer, Copy, Fill, Plan, Step, View
from ferrule.program.program import Program
from ferrule.schedule.allocation import Block, Problem
from ferrule.schedule.order import Order, hoisted, orders
from ferrule.schedule.place import Effort, place
from ferrule.schedule.storage import Kind, Life, Place, Storage, candidates, lifetimes

ARENA = "arena"


@dataclass(frozen=True)
class KernelNeeds:
    """What the schedule must know of the kernel that runs an op."""

    function: str
    workspace_bytes: int
    strided: bool
    dense_inputs: tuple[int, ...] = ()


@dataclass(frozen=True)
class Options:
    """How to plan. `align` is the alignment of every buffer in bytes, a power of two."""

    effort: Effort = "default"
    keep_inputs: bool = False
    align: int = 16
    engine: str = "cpu"


@dataclass(frozen=True)
class Draft:
    """A plan before offsets: an order, the relations in force, and the peak of what is alive."""

    order: Order
    lives: Mapping[str, Life]
    storage: Storage
    peak: int
    copied: int
    without: frozenset[tuple[str, str]] = frozenset()

    def cost(self) -> tuple[int, int]:
        """Peak first, then bytes copied."""
        return self.peak, self.copied


def make_plan(program: Program, needs: Callable[[Op], KernelNeeds | None], options: Options) -> Plan:
    """Return the plan with the least arena found for this effort.

    `needs` tells what the kernel of an op needs; None for an op that only carries bytes (it becomes views, copies
    and fills).
    """
    planner = _Planner(program, needs, options)
    tries = [program.ops] if options.effort == "none" else orders(program)
    drafts = sorted((planner.draft(order, frozenset()) for order in tries), key=Draft.cost)
    if options.effort == "none":
        return planner.finish(drafts[0])
    bettered = [planner.improve(planner.reorder(planner.improve(draft))) for draft in drafts]
    best = min(bettered, key=Draft.cost)
    return planner.finish(best)


class _Planner:
    """Holds what stays the same over all drafts of one program."""

    def __init__(self, program: Program, needs: Callable[[Op], KernelNeeds | None], options: Options) -> None:
        self.program = program
        self.options = options
        self.needs = {op.name: needs(op) for op in program.ops}
        self.dense = self._dense()

    def _dense(self) -> set[str]:
        """Tensors that may not have gaps: the interface, states, and what kernels without strides see."""
        program = self.program
        names = {*program.inputs, *program.outputs}
        names |= {n for s in program.states for n in (s.before, s.after)}
        for op in program.ops:
            need = self.needs[op.name]
            if need is not None and not need.strided:
                names.update(op.outputs)
                names.update(n for n in op.inputs if n is not None)
            for index in need.dense_inputs if need is not None else ():
                if index < len(op.inputs) and (wanted := op.inputs[index]) is not None:
                    names.add(wanted)
        return names

    def _may_overwrite(self, op: Op) -> bool:
        return self.needs[op.name] is not None

    def draft(self, order: Order, without: frozenset[tuple[str, str]]) -> Draft:
        """Apply all relations that hold, except those named (child, parent)."""
        lives = lifetimes(self.program, order, self.options.keep_inputs)
        storage = Storage(self.program, lives, self.dense)
        for relation in candidates(self.program, order, self._may_overwrite):
            if (relation.child, relation.parent) not in without:
                storage.adopt(relation)
        draft = Draft(order, lives, storage, 0, 0)
        peak = max(self._alive(draft), default=0)
        return Draft(order, lives, storage, peak, self._copied(draft), without)

    def _alive(self, draft: Draft) -> list[int]:
        """Bytes alive at each step, from -1 to one after the last."""
        change = [0] * (len(draft.order) + 3)
        for block in self._blocks(draft):
            size = -(-block.size // self.options.align) * self.options.align
            change[block.first + 1] += size
            change[block.last + 2] -= size
        total, alive = 0, []
        for delta in change[:-1]:
            total += delta
            alive.append(total)
        return alive

    def _copied(self, draft: Draft) -> int:
        return sum(
            self.program.tensors[action.source].size_bytes
            for op in draft.order
            for action in self._carry(op, draft)
            if isinstance(action, Copy)
        )

    def _blocks(self, draft: Draft) -> list[Block]:
        """One block per root tensor and per workspace."""
        spans: dict[str, tuple[int, int]] = {}
        for name, life in draft.lives.items():
            root = draft.storage.root(name)
            first, last = spans.get(root, (life.first, life.last))
            spans[root] = min(first, life.first), max(last, life.last)
        align = self.options.align
        blocks = [
            Block(root, self.program.tensors[root].size_bytes, first, last, align)
            for root, (first, last) in spans.items()
        ]
        for step, op in enumerate(draft.order):
            need = self.needs[op.name]
            if need is not None and need.workspace_bytes:
                blocks.append(Block(f"work:{op.name}", need.workspace_bytes, step, step, align))
        return [b for b in blocks if b.size]

    def reorder(self, draft: Draft) -> Draft:
        """Run what stands at the peak earlier, with all it needs, as long as that lowers the peak."""
        for _ in range(8):
            alive = self._alive(draft)
            step = alive.index(max(alive)) - 1
            tries = [draft.order[i] for i in range(max(step - 1, 0), min(step + 2, len(draft.order)))]
            others = [
                self.improve(self.draft(hoisted(self.program, draft.order, op.name), draft.without)) for op in tries
            ]
            best = min(others, key=lambda d: (d.peak, d.copied), default=draft)
            if best.peak >= draft.peak:
                return draft
            draft = best
        return draft

    def improve(self, draft: Draft) -> Draft:
        """Drop relations, all of a buffer or one by one, where the larger buffer costs more than a copy."""
        budget = {"fast": 10, "default": 60, "max": 1000}.get(self.options.effort, 0)
        improved = True
        while improved and budget > 0:
            improved = False
            for group in self._at_peak(draft):
                budget -= 1
                other = self.draft(draft.order, draft.without | group)
                if other.peak < draft.peak:
                    draft, improved = other, True
                    break
                if budget <= 0:
                    break
        return draft

    def _at_peak(self, draft: Draft) -> list[frozenset[tuple[str, str]]]:
        """Relations that make buffers larger at the peak, by buffer and singly, as (child, parent) to leave out."""
        alive = self._alive(draft)
        peak_step = alive.index(max(alive)) - 1
        roots = {b.name for b in self._blocks(draft) if b.first <= peak_step <= b.last}
        by_root: dict[str, list[tuple[str, str]]] = {}
        for relation in draft.storage.parents.values():
            root = draft.storage.root(relation.child)
            if relation.kind is Kind.INSIDE and root in roots:
                by_root.setdefault(root, []).append((relation.child, relation.parent))
        groups = [frozenset(pairs) for pairs in by_root.values() if len(pairs) > 1]
        return groups + [frozenset({pair}) for pairs in by_root.values() for pair in pairs]

    def finish(self, draft: Draft) -> Plan:
        """Place the blocks and write out views and steps."""
        blocks = self._blocks(draft)
        placed = place(Problem(tuple(blocks)), effort=self.options.effort)
        buffers = {
            b.name: Buffer(b.name, ARENA, placed.offsets[b.name], b.size, b.align, b.first, b.last) for b in blocks
        }
        views = {name: self._view(name, draft, buffers) for name in draft.lives}
        body: list[Action] = []
        for op in draft.order:
            need = self.needs[op.name]
            if need is None:
                body.extend(self._carry(op, draft))
                continue
            work = f"work:{op.name}" if need.workspace_bytes else None
            rows = geometry(self.program.tensors[op.outputs[0]]).rows
            body.append(Step(op.name, self.options.engine, need.function, (0, rows), work))
        body.extend(self._keep_states(draft))
        return Plan(buffers, views, tuple(body), {ARENA: placed.peak}, placed.lower_bound, placed.proved)

    def _view(self, name: str, draft: Draft, buffers: Mapping[str, Buffer]) -> View:
        at = self._place_of(name, draft)
        height = max(at.rows, 0)
        return View(name, at.root if at.root in buffers else "", at.offset, at.pitch, at.pixel, max(height, 1), height)

    def _place_of(self, name: str, draft: Draft) -> Place:
        at = draft.storage.place(name)
        assert at is not None
        return at

    def _carry(self, op: Op, draft: Draft) -> list[Action]:
        """Copies and fills for those parts of a data-moving op whose bytes are not in place already."""
        if self.needs[op.name] is not None:
            return []
        site = self.program.site(op)
        if op.is_reshape(site):
            return self._carry_reshape(op, draft)
        moves = op.moves(site)
        assert moves is not None, f"{op.kind} has no kernel and is no movement"
        actions: list[Action] = []
        fill = op.fill(site)
        if fill is not None:
            actions.append(Fill(op.name, op.outputs[0], moves[0].target, fill))
        for move in moves:
            source, target = op.inputs[move.input], op.outputs[move.output]
            assert source is not None
            if not self._same_bytes(source, move.source, target, move.target, draft):
                actions.append(Copy(op.name, source, target, move.source, move.target))
        return actions

    def _carry_reshape(self, op: Op, draft: Draft) -> list[Action]:
        source, target = op.inputs[0], op.outputs[0]
        assert source is not None
        if source in draft.lives and draft.storage.root(source) == draft.storage.root(target):
            a, b = self._place_of(source, draft), self._place_of(target, draft)
            if a.offset == b.offset and ((a.is_dense and b.is_dense) or a == b):
                return []
        shape = self.program.tensors[source], self.program.tensors[target]
        return [Copy(op.name, source, target, whole(geometry(shape[0])), whole(geometry(shape[1])))]

    def _same_bytes(self, source: str, source_box: Box, target: str, target_box: Box, draft: Draft) -> bool:
        if source not in draft.lives or draft.storage.root(source) != draft.storage.root(target):
            return False
        a, b = self._place_of(source, draft), self._place_of(target, draft)
        element = self.program.tensors[source].dtype.size_bytes

        def first(at: Place, box: Box) -> int:
            return at.offset + box.row * at.pitch + box.pixel * at.pixel + box.channel * element

        same_pitch = a.pitch == b.pitch or source_box.rows <= 1
        same_pixel = a.pixel == b.pixel or source_box.width <= 1
        return first(a, source_box) == first(b, target_box) and same_pitch and same_pixel

    def _keep_states(self, draft: Draft) -> list[Action]:
        """At the end of a run each state takes its new value."""
        actions: list[Action] = []
        for state in self.program.states:
            shape = whole(geometry(self.program.tensors[state.before]))
            actions.append(Copy("", state.after, state.before, shape, shape))
        return actions
