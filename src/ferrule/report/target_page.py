"""Tells what targets there are and what each has."""

from __future__ import annotations

from collections.abc import Iterator

from ferrule.targets.example import EXAMPLE
from ferrule.targets.load import load_target, prefixes, target_names
from ferrule.targets.sizes import size_text
from ferrule.targets.target import Core, Memory, Source, Target

UNCHECKED = "?"
"""The mark beside a figure that nobody looked up."""
UNCHECKED_MEANS = "? general knowledge of data sheets, not looked up: check against the reference manual before use"


def all_targets() -> tuple[Target, ...]:
    """Every target that comes with Ferrule."""
    return tuple(load_target(name) for name in target_names())


def overview_rows(targets: tuple[Target, ...]) -> list[tuple[str, str, str, str, str]]:
    """Rows of name, core, RAM, flash, title; a bare core has neither RAM nor flash of its own."""
    return [(t.name, t.core.name, _amount(t.ram_bytes), _amount(t.flash_bytes), t.title) for t in targets]


def overview_lines(targets: tuple[Target, ...]) -> list[str]:
    """The overview as aligned text."""
    rows = [("target", "core", "RAM", "weights", ""), *overview_rows(targets)]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def target_lines(target: Target) -> list[str]:
    """All that is known of one target, as text."""
    return list(_told(target))


def target_record(target: Target) -> dict[str, object]:
    """All that is known of one target, as data: sizes in bytes, clocks in hertz."""
    return {
        "name": target.name,
        "title": target.title,
        "kind": target.kind,
        "chip": target.chip,
        "aliases": list(target.aliases),
        "note": target.note,
        "ram_bytes": target.ram_bytes,
        "arena_bytes": target.arena_bytes,
        "flash_bytes": target.flash_bytes,
        "weights_in": [m.name for m in target.weights_in],
        "activations_in": [m.name for m in target.activations_in],
        "cores": [_core_record(core) for core in target.cores],
        "engines": [
            {"name": e.name, "kind": e.kind, "clock_hz": e.clock_hz, "figures": dict(e.figures), **_origin(e.source)}
            for e in target.engines
        ],
        "memories": [_memory_record(memory) for memory in target.memories],
    }


def targets_page() -> str:
    """The page `docs/targets.md`, without its first line."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    targets = all_targets()
    yield "# Targets\n"
    yield "`--target NAME` takes these names in any case, with or without dashes, part numbers that begin like one of"
    yield "them, or the path of a TOML file. *Weights* is the room for constants where nothing else is asked.\n"
    yield "| target | core | RAM | weights | what it is |\n|---|---|---|---|---|"
    for row in overview_rows(targets):
        yield f"| `{row[0]}` | {row[1]} | {row[2]} | {row[3]} | {row[4]} |"
    yield "\nSeries and parts that are known by their beginning:\n"
    beginnings: dict[str, list[str]] = {}
    for prefix, entry in prefixes().items():
        beginnings.setdefault(entry.shown, []).append(f"`{prefix}`")
    yield from (f"- `{name}`: {', '.join(found)}" for name, found in beginnings.items())
    for target in targets:
        if target.memories:
            yield f"\n## {target.name}\n"
            yield "```"
            yield from _told(target)
            yield "```"
    yield f"\n`{UNCHECKED}` {UNCHECKED_MEANS[2:]}."
    yield "\n## A target of your own\n"
    yield "A TOML file, given as `--target board.toml`. A complete example:\n"
    yield f"```toml\n{EXAMPLE}```"


def _told(target: Target) -> Iterator[str]:
    yield f"{target.name}: {target.title}"
    if target.aliases:
        yield f"  also called    {', '.join(target.aliases)}"
    for core in target.cores:
        clock = f"{core.clock_hz / 1e6:g} MHz" if core.clock_hz else "no clock of its own"
        count = f"{core.count} x " if core.count > 1 else ""
        isa = f", {', '.join(sorted(core.isa))}" if core.isa else ""
        yield f"  core           {count}{core.name}, {clock}{isa}{_mark(core.source)}"
    for engine in target.engines:
        if engine.kind != "cpu":
            clock = f", {engine.clock_hz / 1e6:g} MHz" if engine.clock_hz else ""
            figures = "".join(f", {name} {value:g}" for name, value in engine.figures)
            yield f"  accelerator    {engine.name}{clock}{figures}{_mark(engine.source)}"
    yield from (f"  {line}" for line in _memory_lines(target))
    if target.ram_bytes is not None:
        block = f", largest block {size_text(target.arena_bytes)}" if target.arena_bytes else ""
        yield f"  for activations  {size_text(target.ram_bytes)}{block}"
    if target.flash_bytes is not None:
        yield f"  for weights      {size_text(target.flash_bytes)}"
    if target.note:
        yield f"  note           {target.note}"
    if target.unchecked:
        yield f"  {UNCHECKED_MEANS}"


def _memory_lines(target: Target) -> Iterator[str]:
    amounts = [_room(memory) for memory in target.memories]
    name_width = max((len(m.name) for m in target.memories), default=0)
    room_width = max((len(amount) for amount in amounts), default=0)
    uses = (("activations", target.activations_in), ("weights", target.weights_in))
    for memory, amount in zip(target.memories, amounts, strict=True):
        taken = [use for use, where in uses if memory in where]
        parts = [memory.kind, "external" if memory.external else "", _speed(memory)]
        parts.append("for " + " and ".join(taken) if taken else "on request")
        told = ", ".join(p for p in parts if p) + (f"; {memory.note}" if memory.note else "")
        yield f"{memory.name:{name_width}}  0x{memory.base:08x}  {amount:{room_width}}  {told}{_mark(memory.source)}"


def _room(memory: Memory) -> str:
    usable = f" ({size_text(memory.usable_bytes)} usable)" if memory.usable_bytes != memory.size_bytes else ""
    return size_text(memory.size_bytes) + usable


def _speed(memory: Memory) -> str:
    known = [("latency", memory.latency), ("throughput", memory.throughput)]
    told = [f"{what} {value}" for what, value in known if value != "unknown"]
    rate = memory.npu_bytes_per_cycle
    return ", ".join([*told, *([f"{rate:.3g} bytes per NPU cycle"] if rate else [])])


def _core_record(core: Core) -> dict[str, object]:
    return {
        "name": core.name,
        "isa": sorted(core.isa),
        "clock_hz": core.clock_hz,
        "count": core.count,
        "gcc": list(core.gcc),
        "align_bytes": core.align_bytes,
        "cache_line_bytes": core.cache_line_bytes,
        **_origin(core.source),
    }


def _memory_record(memory: Memory) -> dict[str, object]:
    return {
        "name": memory.name,
        "aliases": list(memory.aliases),
        "kind": memory.kind,
        "base": memory.base,
        "size_bytes": memory.size_bytes,
        "usable_bytes": memory.usable_bytes,
        "use": list(memory.use),
        "external": memory.external,
        "cacheable": memory.cacheable,
        "latency": memory.latency,
        "throughput": memory.throughput,
        "npu_bytes_per_cycle": memory.npu_bytes_per_cycle,
        "note": memory.note,
        **_origin(memory.source),
    }


def _origin(source: Source) -> dict[str, object]:
    return {"source": source.text, "trust": source.trust}


def _mark(source: Source) -> str:
    return "" if source.is_checked else f"  {UNCHECKED}"


def _amount(size_bytes: int | None) -> str:
    return "" if size_bytes is None else size_text(size_bytes)
