"""Finds offsets with the least peak, and says whether proved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from ferrule.schedule.allocation import Block, Placement, Problem, load_bound, rounded

Effort = Literal["none", "fast", "default", "max"]

SEARCH_NODES = {"none": 0, "fast": 2_000, "default": 40_000, "max": 1_000_000}
SOLVER_SECONDS = {"none": 0.0, "fast": 0.0, "default": 4.0, "max": 60.0}


def place(problem: Problem, effort: Effort = "default") -> Placement:
    """Return a placement: greedy orders first, then a search, then CP-SAT, until the bound is met or effort ends.

    Deterministic: the same problem and effort give the same offsets on every machine.
    """
    bound = load_bound(problem)
    blocks = [b for b in problem.blocks if b.size]
    best: dict[str, int] | None = None
    best_peak = 0
    neighbours = overlaps(blocks)
    for order in greedy_orders(blocks):
        offsets = first_fit(order, neighbours)
        peak = height(blocks, offsets)
        if best is None or peak < best_peak:
            best, best_peak = offsets, peak
        if best_peak <= bound:
            break
    if best is None:
        return Placement({}, 0, 0)
    if best_peak > bound and SEARCH_NODES[effort]:
        found = _search(blocks, neighbours, bound, best_peak, SEARCH_NODES[effort])
        if found is not None:
            best, best_peak = found, height(blocks, found)
    if best_peak > bound and SOLVER_SECONDS[effort]:
        solved, bound = _solve(blocks, neighbours, bound, best, best_peak, SOLVER_SECONDS[effort])
        if height(blocks, solved) < best_peak:
            best, best_peak = solved, height(blocks, solved)
    return Placement(best, best_peak, bound)


def overlaps(blocks: Sequence[Block]) -> dict[str, list[Block]]:
    """For each block those alive at the same time as it."""
    ordered = sorted(blocks, key=lambda b: b.first)
    found: dict[str, list[Block]] = {b.name: [] for b in blocks}
    active: list[Block] = []
    for block in ordered:
        active = [b for b in active if b.last >= block.first]
        for other in active:
            found[block.name].append(other)
            found[other.name].append(block)
        active.append(block)
    return found


def height(blocks: Sequence[Block], offsets: dict[str, int]) -> int:
    """One past the highest byte used."""
    return max((offsets[b.name] + b.size for b in blocks), default=0)


def greedy_orders(blocks: Sequence[Block]) -> list[list[Block]]:
    """Orders in which a first fit does well: large first, long first, large area first, contended first."""
    load: dict[str, int] = {}
    found = overlaps(blocks)
    for block in blocks:
        load[block.name] = block.size + sum(b.size for b in found[block.name])
    keys: list[Callable[[Block], tuple[int, ...]]] = [
        lambda b: (-b.size, b.first),
        lambda b: (-b.size * (b.last - b.first + 1), b.first),
        lambda b: (-(b.last - b.first), -b.size),
        lambda b: (-load[b.name], -b.size),
        lambda b: (b.first, -b.size),
        lambda b: (-b.last, -b.size),
        lambda b: (-b.size, -b.last),
    ]
    return [sorted(blocks, key=lambda b, k=k: (*k(b), b.name)) for k in keys]  # type: ignore[misc]


def first_fit(order: Sequence[Block], neighbours: dict[str, list[Block]]) -> dict[str, int]:
    """Put each block at the lowest offset where it meets no placed one that is alive with it."""
    offsets: dict[str, int] = {}
    for block in order:
        taken = sorted((offsets[b.name], offsets[b.name] + b.size) for b in neighbours[block.name] if b.name in offsets)
        at = 0
        for low, high in taken:
            if at + block.size <= low:
                break
            at = max(at, rounded(high, block.align))
        offsets[block.name] = at
    return offsets


def _search(
    blocks: Sequence[Block], neighbours: dict[str, list[Block]], bound: int, best_peak: int, nodes: int
) -> dict[str, int] | None:
    """Swap pairs in the greedy order that put the topmost block there; keep what lowers the peak."""
    order = greedy_orders(blocks)[0]
    best: dict[str, int] | None = None
    spent = 0
    improved = True
    while improved and spent < nodes:
        improved = False
        offsets = first_fit(order, neighbours)
        top = max(order, key=lambda b: (offsets[b.name] + b.size, b.name))
        index = order.index(top)
        for target in range(index):
            trial = [*order[:target], top, *order[target:index], *order[index + 1 :]]
            offsets = first_fit(trial, neighbours)
            spent += len(order)
            peak = height(blocks, offsets)
            if peak < best_peak:
                best, best_peak, order, improved = offsets, peak, trial, True
                if best_peak <= bound:
                    return best
                break
            if spent >= nodes:
                break
    return best


def _solve(
    blocks: Sequence[Block],
    neighbours: dict[str, list[Block]],
    bound: int,
    hint: dict[str, int],
    peak: int,
    seconds: float,
) -> tuple[dict[str, int], int]:
    """CP-SAT on the two-dimensional packing; return offsets and the best proved bound."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    unit = min(b.align for b in blocks)
    top = model.new_int_var(bound, peak, "top")
    starts, times, spaces = {}, [], []
    for block in blocks:
        start = model.new_int_var(0, max((peak - block.size) // block.align, 0), block.name)
        starts[block.name] = start
        low = start * block.align
        size = rounded(block.size, unit)
        spaces.append(model.new_fixed_size_interval_var(low, size, f"space {block.name}"))
        times.append(model.new_fixed_size_interval_var(block.first, block.last - block.first + 1, f"time {block.name}"))
        model.add(low + block.size <= top)
        model.add_hint(start, hint[block.name] // block.align)
    model.add_no_overlap_2d(times, spaces)
    model.minimize(top)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = seconds
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return hint, bound
    by_align = {b.name: b.align for b in blocks}
    offsets = {name: int(solver.value(start)) * by_align[name] for name, start in starts.items()}
    return offsets, max(bound, int(solver.best_objective_bound))
