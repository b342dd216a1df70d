"""In which order the ops run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ferrule.program.op import Op
from ferrule.program.program import Program

Order = tuple[Op, ...]


def orders(program: Program) -> list[Order]:
    """Return orders worth planning, the source's own first; all keep every value made before it is read."""
    found = [program.ops]
    for pick in (_by_growth, _depth_first, _beam):
        order = pick(program)
        if order not in found:
            found.append(order)
    return found


def _by_growth(program: Program) -> Order:
    """Always run the ready op that leaves least alive; ties go to the source's order."""
    return _list_schedule(program, lambda growth, depth, index: (growth, index))


def _depth_first(program: Program) -> Order:
    """Follow the branch just begun; among its ready ops the one that leaves least alive."""
    return _list_schedule(program, lambda growth, depth, index: (-depth, growth, index))


def _list_schedule(program: Program, key: Callable[[int, int, int], tuple[int, ...]]) -> Order:
    size = {name: t.size_bytes for name, t in program.tensors.items()}
    held = set(program.outputs) | {s.after for s in program.states} | {s.before for s in program.states}
    readers = {name: len(ops) for name, ops in program.consumers().items()}
    producers = program.producers()
    waiting = [
        {n for n in op.inputs if n is not None and n in producers} for op in program.ops
    ]  # values not made yet, per op
    made_at: dict[str, int] = {}
    ready = [i for i, needs in enumerate(waiting) if not needs]
    by_need: dict[str, list[int]] = {}
    for index, needs in enumerate(waiting):
        for name in needs:
            by_need.setdefault(name, []).append(index)
    order: list[Op] = []

    def growth(op: Op) -> int:
        freed = sum(
            size[n]
            for n in dict.fromkeys(n for n in op.inputs if n is not None)
            if n not in program.constants and n not in held and readers.get(n) == 1
        )
        return sum(size[n] for n in op.outputs) - freed

    while ready:
        best = min(
            ready,
            key=lambda i: key(
                growth(program.ops[i]), max((made_at.get(n, -1) for n in program.ops[i].inputs if n), default=-1), i
            ),
        )
        ready.remove(best)
        op = program.ops[best]
        order.append(op)
        for name in dict.fromkeys(n for n in op.inputs if n is not None):
            if name in readers:
                readers[name] -= 1
        for name in op.outputs:
            made_at[name] = len(order)
            for index in by_need.get(name, ()):
                waiting[index].discard(name)
                if not waiting[index]:
                    ready.append(index)
    return tuple(order)


def hoisted(program: Program, order: Order, name: str) -> Order:
    """The order in which an op, all that it needs, and the chain that follows it alone come before everything else."""
    producers, consumers = program.producers(), program.consumers()
    by_name = {op.name: op for op in order}
    wanted: set[str] = set()
    waiting = [by_name[name]]
    while waiting:
        op = waiting.pop()
        if op.name in wanted:
            continue
        wanted.add(op.name)
        waiting.extend(producers[n] for n in op.inputs if n is not None and n in producers)
    op = by_name[name]
    while len(op.outputs) == 1 and len(readers := consumers.get(op.outputs[0], [])) == 1:
        op = readers[0]
        if any(n in producers and producers[n].name not in wanted for n in op.inputs if n is not None):
            break
        wanted.add(op.name)
    return (*(o for o in order if o.name in wanted), *(o for o in order if o.name not in wanted))


BEAM_WIDTH = 12
BEAM_MOST_OPS = 1200


@dataclass(frozen=True)
class _Prefix:
    """The beginning of an order: which ops have run (as bits), the highest load so far and the load now."""

    done: int
    peak: int
    live: int
    order: tuple[int, ...]


def _beam(program: Program) -> Order:
    """Grow several orders side by side, keeping those with the lowest peak; branches are tried before and after others.

    An output that may overwrite a dying input of its size costs nothing.
    """
    ops = program.ops
    if len(ops) > BEAM_MOST_OPS:
        return ops
    size = {n: t.size_bytes for n, t in program.tensors.items()}
    held = set(program.outputs) | {s.after for s in program.states} | {s.before for s in program.states}
    index_of = {n: i for i, op in enumerate(ops) for n in op.outputs}
    reads = [tuple(dict.fromkeys(n for n in op.inputs if n is not None and n not in program.constants)) for op in ops]
    needs = [sum(1 << index_of[n] for n in r if n in index_of) for r in reads]
    readers: dict[str, int] = {}
    for i, names in enumerate(reads):
        for name in names:
            readers[name] = readers.get(name, 0) | (1 << i)
    over = [{op.inputs[a] for a, _ in op.in_place(program.site(op))} for op in ops]
    start = sum(size[n] for n in program.inputs)
    beam = [_Prefix(0, start, start, ())]
    for _ in ops:
        grown: dict[int, _Prefix] = {}
        for prefix in beam:
            for i in _ready(prefix.done, needs, len(ops)):
                after = _run(prefix, i, ops[i], reads[i], size, held, readers, over[i])
                best = grown.get(after.done)
                if best is None or (after.peak, after.order) < (best.peak, best.order):
                    grown[after.done] = after
        beam = sorted(grown.values(), key=lambda p: (p.peak, p.live, p.order))[:BEAM_WIDTH]
    return tuple(ops[i] for i in beam[0].order)


def _ready(done: int, needs: Sequence[int], count: int) -> list[int]:
    return [i for i in range(count) if not done >> i & 1 and needs[i] & done == needs[i]]


def _run(
    prefix: _Prefix,
    index: int,
    op: Op,
    reads: Sequence[str],
    size: Mapping[str, int],
    held: Collection[str],
    readers: Mapping[str, int],
    over: Collection[str | None],
) -> _Prefix:
    done = prefix.done | (1 << index)
    dying = [n for n in reads if n not in held and readers[n] & done == readers[n]]
    made = sum(size[n] for n in op.outputs)
    reused = max((size[n] for n in dying if n in over and size[n] == made), default=0)
    peak = max(prefix.peak, prefix.live + made - reused)
    return _Prefix(done, peak, prefix.live + made - sum(size[n] for n in dying), (*prefix.order, index))
