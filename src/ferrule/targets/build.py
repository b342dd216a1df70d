"""Makes a target of its file's checked values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ferrule.targets.schema import Problems, Sheet, Table
from ferrule.targets.sizes import size_text
from ferrule.targets.target import Core, Engine, Memory, Target, Use, plain

_SPEED = {"low": 0, "mid": 1, "unknown": 2, "high": 3}


def cores_of(sheet: Sheet) -> Iterator[Core]:
    """The core that a file of kind `core` or `host` defines; nothing for other files."""
    if sheet.isa is None:
        return
    isa = sheet.isa
    yield Core(
        name=str(sheet.top["name"]),
        isa=frozenset(_texts(isa, "features")),
        gcc=_texts(isa, "gcc"),
        zig=_texts(isa, "zig"),
        align_bytes=cast(int, isa["align_bytes"]),
        source=sheet.source(isa),
        cache_line_bytes=cast("int | None", isa.get("cache_line_bytes")),
    )


def build_target(
    sheet: Sheet, variant: str | None, asked: str, known: Mapping[str, Core], problems: Problems
) -> Target | None:
    """Return the target of a sheet, or that of one of its variants; None with `problems` where its parts do not fit.

    `known` are the cores of Ferrule by compared name.
    """
    face = sheet.top
    if variant is not None:
        face = next(v for v in sheet.tables["variant"] if v["name"] == variant)
    name = str(face["name"])
    cores = list(cores_of(sheet)) or list(_chip_cores(sheet, known, problems))
    if not cores:
        problems.add("[[core]]", "at least one core is needed")
        return None
    main = cores[0]
    if "core" in face:
        chosen = [c for c in cores if plain(c.name) == plain(str(face["core"]))]
        if not chosen:
            problems.add(name, f"core {face['core']!r} is none of its cores")
            return None
        main = chosen[0]
    memories = [_memory(t, sheet, problems) for t in sheet.tables["memory"] if name in _texts(t, "on", (name,))]
    _check_memories(memories, problems)
    engines = (Engine("cpu", "cpu", main.clock_hz, (), main.source), *_engines(sheet))
    return Target(
        name=name,
        asked=asked,
        title=str(face["title"]),
        kind=face["kind"],  # type: ignore[arg-type]
        chip=str(sheet.top["name"]),
        core=main,
        cores=(main, *(c for c in cores if c is not main)),
        memories=tuple(memories),
        engines=engines,
        weights_in=used(memories, "weights"),
        activations_in=used(memories, "activations"),
        aliases=_texts(face, "aliases"),
        note=str(face.get("note", sheet.top.get("note", ""))),
    )


def used(memories: Sequence[Memory], use: Use) -> tuple[Memory, ...]:
    """The memories that a use takes by itself, the fastest first, then in the order of the file."""
    return tuple(sorted((m for m in memories if use in m.use), key=lambda m: _SPEED[m.latency]))


def _chip_cores(sheet: Sheet, known: Mapping[str, Core], problems: Problems) -> Iterator[Core]:
    for table in sheet.tables["core"]:
        core = known.get(plain(str(table["name"])))
        if core is None:
            names = ", ".join(sorted(c.name for c in known.values() if c.name != "host"))
            problems.add("[[core]]", f"core {table['name']!r} is not known; known are {names}")
            continue
        clock, count = cast("int | None", table.get("clock_hz")), cast(int, table.get("count", 1))
        yield replace(core, clock_hz=clock, count=count, source=sheet.source(table))


def _engines(sheet: Sheet) -> tuple[Engine, ...]:
    return tuple(
        Engine(
            name=str(table["name"]),
            kind=table["kind"],  # type: ignore[arg-type]
            clock_hz=cast("int | None", table.get("clock_hz")),
            figures=cast("tuple[tuple[str, float], ...]", table.get("figures", ())),
            source=sheet.source(table),
        )
        for table in sheet.tables["engine"]
    )


def _memory(table: Table, sheet: Sheet, problems: Problems) -> Memory:
    size = cast(int, table["size"])
    usable = cast(int, table.get("usable", size))
    place = f"[[memory]] {table['name']}"
    if usable > size:
        problems.add(place, f"usable is {size_text(usable)}, more than its size of {size_text(size)}")
    use = cast("tuple[Use, ...]", table.get("use", ()))
    if table["kind"] == "flash" and "activations" in use:
        problems.add(place, "a flash cannot hold activations")
    return Memory(
        name=str(table["name"]),
        kind=table["kind"],  # type: ignore[arg-type]
        base=cast(int, table["base"]),
        size_bytes=size,
        usable_bytes=usable,
        source=sheet.source(table),
        use=use,
        external=bool(table.get("external", False)),
        latency=table.get("latency", "unknown"),  # type: ignore[arg-type]
        throughput=table.get("throughput", "unknown"),  # type: ignore[arg-type]
        width_bytes=cast("int | None", table.get("width_bytes")),
        clock_ratio=cast("float | None", table.get("clock_ratio")),
        cacheable=bool(table.get("cacheable", False)),
        aliases=_texts(table, "aliases"),
        note=str(table.get("note", "")),
    )


def _check_memories(memories: Sequence[Memory], problems: Problems) -> None:
    """No name twice, no byte in two memories."""
    taken: dict[str, str] = {}
    for memory in memories:
        for name in dict.fromkeys(plain(n) for n in (memory.name, *memory.aliases)):
            if name in taken:
                problems.add(f"[[memory]] {memory.name}", f"the name {name!r} belongs to {taken[name]} already")
            taken[name] = memory.name
    ordered = sorted(memories, key=lambda m: (m.base, m.end))
    for before, after in itertools.pairwise(ordered):
        if after.base < before.end:
            problems.add(f"[[memory]] {after.name}", f"begins inside {before.name}, at 0x{after.base:08x}")


def _texts(table: Table, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
    return cast("tuple[str, ...]", table.get(key, default))
