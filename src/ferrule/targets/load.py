"""Finds a target by name or file and builds it."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path

from ferrule.diagnostics import Finding, Refusal
from ferrule.targets.build import build_target, cores_of
from ferrule.targets.findings import TARGET_FILE, TARGET_FORM, UNKNOWN_TARGET
from ferrule.targets.schema import Problems, Sheet, names_of, read_sheet
from ferrule.targets.target import Core, Memory, Target, plain

LARGEST_FILE_BYTES = 1 << 20

# Flash size by the letter of an STM32 part number, after series and pins: STM32H743ZGT6 has G, 1 MiB.
_FLASH_LETTERS = {"8": 64, "b": 128, "c": 256, "e": 512, "g": 1024, "i": 2048}
_PART = re.compile(r"[a-z](?P<flash>[0-9a-z])[a-z][0-9][a-z0-9]{0,4}")
_REST_OF_PART = re.compile(r"[a-z0-9]{0,10}")


@dataclass(frozen=True)
class Entry:
    """A name that a target answers to: its file's sheet and, where it is one, the variant's name."""

    sheet: Sheet
    variant: str | None
    shown: str


def load_target(name_or_path: str) -> Target:
    """Return the target of a name (any case, dashes or not), a part number, or a TOML file.

    Refusal FER520 with the three nearest names; FER521 and FER522 where a file is no target.
    """
    if name_or_path.lower().endswith(".toml") or "/" in name_or_path or "\\" in name_or_path:
        return _from_file(Path(name_or_path))
    found = _find(name_or_path)
    if found is None:
        raise Refusal(_unknown(name_or_path))
    entry, rest = found
    target = build_target(entry.sheet, entry.variant, name_or_path, shipped_cores(), Problems())
    assert target is not None, f"the shipped file of {entry.shown} is wrong"
    letter = entry.sheet.top.get("flash_by_letter")
    return _with_flash(target, str(letter), rest) if letter else target


def target_names() -> tuple[str, ...]:
    """The names of all targets that come with Ferrule: host, bare cores, chips with their boards."""
    order = {"host": 0, "core": 1, "chip": 2, "board": 2}
    sheets = sorted(shipped_sheets().values(), key=lambda s: (order[str(s.top["kind"])], str(s.top["name"])))
    return tuple(n for s in sheets for n in (str(s.top["name"]), *(str(v["name"]) for v in s.tables["variant"])))


@cache
def shipped_sheets() -> Mapping[str, Sheet]:
    """Every file of `targets/chips`, by name. A file of ours that is wrong is our bug: ValueError."""
    sheets = {}
    for file in sorted(resources.files("ferrule.targets").joinpath("chips").iterdir(), key=lambda f: f.name):
        if file.name.endswith(".toml"):
            problems = Problems()
            sheet = read_sheet(tomllib.loads(file.read_text(encoding="utf-8")), problems)
            if problems.lines:
                raise ValueError(f"{file.name}: {problems.lines}")
            sheets[str(sheet.top["name"])] = sheet
    return sheets


@cache
def shipped_cores() -> Mapping[str, Core]:
    """Every core that Ferrule knows, by its name as it is compared; without a clock."""
    return {plain(core.name): core for sheet in shipped_sheets().values() for core in cores_of(sheet)}


@cache
def entries() -> Mapping[str, Entry]:
    """Every exact name, as it is compared."""
    found: dict[str, Entry] = {}
    for sheet in shipped_sheets().values():
        named = [(names_of(sheet.top), Entry(sheet, None, str(sheet.top["name"])))]
        for variant in sheet.tables["variant"]:
            named.append((names_of(variant), Entry(sheet, str(variant["name"]), str(variant["name"]))))
        for names, entry in named:
            for name in names:
                if name in found:
                    raise ValueError(f"two targets are called {name}: {found[name].shown}, {entry.shown}")
                found[name] = entry
    return found


@cache
def prefixes() -> Mapping[str, Entry]:
    """Beginnings of part numbers."""
    return {
        plain(str(prefix)): Entry(sheet, None, str(sheet.top["name"]))
        for sheet in shipped_sheets().values()
        for prefix in sheet.top.get("prefixes", ())  # type: ignore[attr-defined]
    }


def _find(name: str) -> tuple[Entry, str] | None:
    """The entry of a name, and what follows the matched beginning of a part number."""
    wanted = plain(name) if len(name) <= 100 else ""
    exact = entries().get(wanted)
    if exact is not None:
        return exact, ""
    fitting = [p for p in prefixes() if wanted.startswith(p)]
    longest = max(fitting, key=len, default=None)
    if longest is None or not _REST_OF_PART.fullmatch(wanted[len(longest) :]):
        return None
    return prefixes()[longest], wanted[len(longest) :]


def _with_flash(target: Target, memory: str, rest: str) -> Target:
    """The target with the flash that the part number's letter tells, where it is a complete part number."""
    match = _PART.fullmatch(rest)
    size_kib = _FLASH_LETTERS.get(match.group("flash")) if match else None
    if size_kib is None:
        return target
    size = size_kib * 1024

    def resized(memories: tuple[Memory, ...]) -> tuple[Memory, ...]:
        return tuple(replace(m, size_bytes=size, usable_bytes=size) if m.name == memory else m for m in memories)

    return replace(target, memories=resized(target.memories), weights_in=resized(target.weights_in))


def _unknown(name: str) -> Finding:
    known = dict(prefixes()) | dict(entries())
    near: dict[str, str] = {}
    for key in difflib.get_close_matches(plain(name[:100]), sorted(known), 40, 0.0):
        entry = known[key]
        # A series that is known as its core alone is told by its own name.
        is_series = entry.sheet.top["kind"] == "core" and key in prefixes()
        near.setdefault(entry.shown, key if is_series else entry.shown)
    return UNKNOWN_TARGET.at(
        "model",
        f"no target is called {name[:60]!r}; the nearest are {', '.join(list(near.values())[:3])}",
        stage="target",
        help=["ferrule targets", "for a part that is not listed: --target cortex-m4 --ram 128K --flash 512K"],
    )


def _from_file(path: Path) -> Target:
    sheet_data = _read_toml(path)
    problems = Problems()
    sheet = read_sheet(sheet_data, problems)
    target = None
    if not problems.lines:
        target = build_target(sheet, None, str(path), shipped_cores(), problems)
    if problems.lines or target is None:
        shown = problems.lines[:20]
        more = [f"and {len(problems.lines) - 20} more"] if len(problems.lines) > 20 else []
        raise Refusal(
            TARGET_FORM.at(
                "model",
                f"{path}: {problems.lines[0]}",
                stage="target",
                notes=[*shown[1:], *more],
                help=["docs/targets.md lists all keys and has an example"],
            )
        )
    return target


def _read_toml(path: Path) -> dict[str, object]:
    def refuse(why: str) -> Refusal:
        return Refusal(TARGET_FILE.at("model", f"{path}: {why}", stage="target", help=["ferrule targets"]))

    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise refuse(error.strerror or "cannot be read") from None
    if len(data) > LARGEST_FILE_BYTES:
        raise refuse("is larger than one MiB")
    try:
        return tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise refuse("is not a text in UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise refuse(f"is not TOML: {error}" if isinstance(error, ValueError) else "is nested too deep") from None
