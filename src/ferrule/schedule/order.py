"""In which order the ops run."""

from __future__ import annotations

from collections.abc import Callable

from ferrule.program.op import Op
from ferrule.program.program import Program

Order = tuple[Op, ...]


def orders(program: Program) -> list[Order]:
    """Return orders worth planning, the source's own first; all keep every value made before it is read."""
    found = [program.ops]
    for pick in (_by_growth, _depth_first):
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
