"""The form of a target's TOML file, checked by hand."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ferrule.targets.sizes import parse_size
from ferrule.targets.target import Source, plain

_LARGEST_LIST = 256
_LARGEST_ADDRESS = 1 << 48


@dataclass(frozen=True)
class Key:
    """One key of a table: how its value is read (ValueError with a sentence), and whether it must be there."""

    read: Callable[[object], object]
    needed: bool = False


@dataclass
class Problems:
    """What is wrong with a file: one sentence each, with the place."""

    lines: list[str] = field(default_factory=list)

    def add(self, place: str, sentence: str) -> None:
        """Note a sentence about a place."""
        self.lines.append(f"{place}: {sentence}")


def text(value: object) -> str:
    """A short string on one line."""
    if not isinstance(value, str) or not 0 < len(value) <= 500 or not value.isprintable():
        raise ValueError("a line of text is wanted")
    return value


def note(value: object) -> str:
    """A string on one line that may be empty."""
    return "" if value == "" else text(value)


def texts(value: object) -> tuple[str, ...]:
    """A list of strings."""
    if not isinstance(value, list) or len(value) > _LARGEST_LIST:
        raise ValueError("a list of texts is wanted")
    return tuple(text(item) for item in value)


def truth(value: object) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise ValueError("true or false is wanted")
    return value


def size(value: object) -> int:
    """Bytes, as a number or as text with a unit."""
    if isinstance(value, str):
        return parse_size(value)
    return parse_size(str(whole(value)))


def whole(value: object) -> int:
    """A whole number from 0 up."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST_ADDRESS:
        raise ValueError("a whole number, not negative, is wanted")
    return value


def positive(value: object) -> int:
    """A whole number from 1 up."""
    if whole(value) == 0:
        raise ValueError("a number above 0 is wanted")
    return whole(value)


def number(value: object) -> float:
    """A positive finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e15:
        raise ValueError("a number above 0 is wanted")
    return float(value)


def figures(value: object) -> tuple[tuple[str, float], ...]:
    """A table of names with numbers."""
    if not isinstance(value, dict) or len(value) > _LARGEST_LIST:
        raise ValueError("a table of numbers is wanted")
    return tuple((text(k), number(v)) for k, v in value.items())


def one_of(*allowed: str) -> Callable[[object], str]:
    """A reader of one word of a few."""

    def read(value: object) -> str:
        if value not in allowed:
            raise ValueError(f"one of {', '.join(allowed)} is wanted")
        return str(value)

    return read


def power_of_two(value: object) -> int:
    """A whole power of two up to 4096."""
    if whole(value) not in [1 << n for n in range(13)]:
        raise ValueError("a power of two up to 4096 is wanted")
    return whole(value)


def uses(value: object) -> tuple[str, ...]:
    """A list of `activations` and `weights`."""
    return tuple(one_of("activations", "weights")(item) for item in texts(value))


TOP = {
    "name": Key(text, needed=True),
    "title": Key(text, needed=True),
    "kind": Key(one_of("host", "core", "chip", "board"), needed=True),
    "aliases": Key(texts),
    "prefixes": Key(texts),
    "flash_by_letter": Key(text),
    "note": Key(note),
}
SOURCE = {"text": Key(text, needed=True), "trust": Key(one_of("vendor", "general", "own"), needed=True)}
ISA = {
    "features": Key(texts, needed=True),
    "gcc": Key(texts, needed=True),
    "zig": Key(texts),
    "align_bytes": Key(power_of_two, needed=True),
    "cache_line_bytes": Key(power_of_two),
    "source": Key(text),
}
CORE = {"name": Key(text, needed=True), "clock_hz": Key(positive), "count": Key(positive), "source": Key(text)}
ENGINE = {
    "name": Key(text, needed=True),
    "kind": Key(one_of("neural-art", "vip", "gpu"), needed=True),
    "clock_hz": Key(positive),
    "figures": Key(figures),
    "source": Key(text),
}
MEMORY = {
    "name": Key(text, needed=True),
    "kind": Key(one_of("ram", "flash"), needed=True),
    "base": Key(whole, needed=True),
    "size": Key(size, needed=True),
    "usable": Key(size),
    "use": Key(uses),
    "on": Key(texts),
    "external": Key(truth),
    "cacheable": Key(truth),
    "latency": Key(one_of("low", "mid", "high", "unknown")),
    "throughput": Key(one_of("low", "mid", "high", "unknown")),
    "width_bytes": Key(positive),
    "clock_ratio": Key(number),
    "aliases": Key(texts),
    "source": Key(text),
    "note": Key(note),
}
VARIANT = {
    "name": Key(text, needed=True),
    "title": Key(text, needed=True),
    "kind": Key(one_of("chip", "board"), needed=True),
    "aliases": Key(texts),
    "core": Key(text),
    "note": Key(note),
}
TABLES = {"core": CORE, "engine": ENGINE, "memory": MEMORY, "variant": VARIANT}
Table = dict[str, object]


@dataclass(frozen=True)
class Sheet:
    """A target's file, every value read and checked on its own; `isa` only in the file of a core or of the host."""

    top: Table
    sources: dict[str, Source]
    isa: Table | None
    tables: dict[str, list[Table]]

    def source(self, table: Table) -> Source:
        """Where a table's figures come from; a file that names no source is the user's own word."""
        return self.sources.get(str(table.get("source", "")), Source("the file itself", "own"))


def read_sheet(data: dict[str, object], problems: Problems) -> Sheet:
    """Check a parsed TOML file key by key. All that is wrong goes into `problems`; what is right is in the sheet."""
    inner = {"sources", "isa", *TABLES}
    top = read_table({k: v for k, v in data.items() if k not in inner}, TOP, "top", problems, inner)
    sources = _sources(data.get("sources", {}), problems)
    isa = read_table(data["isa"], ISA, "[isa]", problems) if "isa" in data else None
    tables: dict[str, list[Table]] = {}
    for name, keys in TABLES.items():
        rows = data.get(name, [])
        if not isinstance(rows, list) or len(rows) > _LARGEST_LIST:
            problems.add(f"[[{name}]]", "a list of tables is wanted, each headed by double brackets")
            rows = []
        tables[name] = [read_table(row, keys, _place(name, i, row), problems) for i, row in enumerate(rows)]
    sheet = Sheet(top, sources, isa, tables)
    for name, named in [("isa", [isa] if isa else []), *tables.items()]:
        for table in named:
            if "source" in table and table["source"] not in sources:
                problems.add(f"[{name}]", f"source {table['source']!r} does not stand under [sources]")
    return sheet


def read_table(
    data: object, keys: dict[str, Key], place: str, problems: Problems, known: Sequence[str] | set[str] = ()
) -> Table:
    """Read the keys of one table; what is missing, unknown or of the wrong form goes into `problems`."""
    if not isinstance(data, dict):
        problems.add(place, "a table is wanted")
        return {}
    found: Table = {}
    for name, value in data.items():
        if name not in keys:
            near = difflib.get_close_matches(name, [*keys, *known], 1)
            problems.add(place, f"key {name[:60]!r} is not known" + (f"; is {near[0]!r} meant?" if near else ""))
            continue
        try:
            found[name] = keys[name].read(value)
        except ValueError as error:
            problems.add(place, f"key {name!r}: {error}")
    for name, key in keys.items():
        if key.needed and name not in data:
            problems.add(place, f"key {name!r} is missing")
    return found


def _sources(data: object, problems: Problems) -> dict[str, Source]:
    if not isinstance(data, dict) or len(data) > _LARGEST_LIST:
        problems.add("[sources]", "a table of sources is wanted")
        return {}
    found = {}
    for name, value in data.items():
        table = read_table(value, SOURCE, f"[sources.{name[:40]}]", problems)
        if len(table) == len(SOURCE):
            found[name] = Source(str(table["text"]), table["trust"])  # type: ignore[arg-type]
    return found


def _place(name: str, index: int, row: object) -> str:
    own = row.get("name") if isinstance(row, dict) else None
    return f"[[{name}]] {own[:40]}" if isinstance(own, str) else f"[[{name}]] number {index + 1}"


def names_of(table: Table) -> tuple[str, ...]:
    """The name and the other names of a table, as they are compared."""
    aliases = table.get("aliases", ())
    assert isinstance(aliases, tuple)
    return tuple(dict.fromkeys(plain(str(n)) for n in (table.get("name", ""), *aliases)))
