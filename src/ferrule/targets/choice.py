"""Limits and memories as the user chooses them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ferrule.diagnostics import Finding, Level, Refusal, Usage
from ferrule.targets.findings import LIMIT_ABOVE, MEMORY_RIGHTS, UNKNOWN_MEMORY
from ferrule.targets.sizes import parse_size, size_text
from ferrule.targets.target import Memory, Target, plain

_USES = ("weights", "activations")


def parse_limit(option: str, text: str) -> int:
    """Return the bytes of `--ram` or `--flash`; Usage where the text is no size."""
    try:
        return parse_size(text)
    except ValueError as error:
        raise Usage(f"{option}: {error}") from None


def parse_memory_options(options: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return use -> names of `weights=A`, `activations=A,B`, given singly or joined by commas; Usage otherwise."""
    found: dict[str, list[str]] = {}
    for option in options:
        use = ""
        for part in option.split(","):
            head, equals, name = part.partition("=")
            if equals:
                use = head.strip().lower()
            else:
                name = head
            if use not in _USES or not name.strip():
                raise Usage(
                    f"--memory: {option[:80]!r} is not understood; "
                    "write --memory weights=NAME or --memory activations=NAME,NAME"
                )
            found.setdefault(use, []).append(name.strip())
    return {use: tuple(dict.fromkeys(names)) for use, names in found.items()}


def with_memories(target: Target, chosen: Mapping[str, tuple[str, ...]]) -> Target:
    """Return the target with the named memories in force; Refusal FER524 or FER525 with all names that do not fit."""
    findings: list[Finding] = []
    picked: dict[str, tuple[Memory, ...]] = {}
    for use, names in sorted(chosen.items()):
        memories: list[Memory] = []
        for name in names:
            memory = target.memory(name)
            if memory is None:
                findings.append(_no_memory(target, name))
            elif use == "activations" and not memory.writable:
                findings.append(_not_writable(target, memory))
            elif memory not in memories:
                memories.append(memory)
        picked[use] = tuple(memories)
    if findings:
        raise Refusal(*findings)
    return replace(
        target,
        weights_in=picked.get("weights", target.weights_in),
        activations_in=picked.get("activations", target.activations_in),
    )


def with_limits(
    target: Target, ram_bytes: int | None = None, flash_bytes: int | None = None
) -> tuple[Target, tuple[Finding, ...]]:
    """Return the target under the user's limits, and a warning FER526 for each limit above what it has."""
    findings = []
    pairs = (("--ram", ram_bytes, target.ram_bytes, "RAM"), ("--flash", flash_bytes, target.flash_bytes, "flash"))
    for option, asked, own, what in pairs:
        if asked is not None and own is not None and asked > own:
            findings.append(
                LIMIT_ABOVE.at(
                    "model",
                    f"{option} {size_text(asked)} is more than the {size_text(own)} of {what} that {target.name} has; "
                    f"{size_text(own)} counts",
                    level=Level.WARNING,
                    stage="target",
                    help=["describe external memory in a TOML file: --target board.toml (see docs/targets.md)"],
                )
            )
    return target.limited(ram_bytes, flash_bytes), tuple(findings)


def _no_memory(target: Target, name: str) -> Finding:
    names = [m.name for m in target.memories]
    near = difflib.get_close_matches(plain(name[:60]), [plain(n) for n in names], 1)
    meant = next((f"; is {n} meant?" for n in names if near and plain(n) == near[0]), "")
    has = f"it has {', '.join(names)}" if names else "it has no memories of its own, give --ram and --flash instead"
    return UNKNOWN_MEMORY.at(
        "model",
        f"{target.name} has no memory called {name[:60]!r}{meant}",
        stage="target",
        notes=[has],
        help=[f"ferrule targets {target.name}"],
    )


def _not_writable(target: Target, memory: Memory) -> Finding:
    fit = ", ".join(m.name for m in target.memories if m.writable) or "none"
    return MEMORY_RIGHTS.at(
        "model",
        f"activations cannot lie in {memory.name}: it is a flash",
        stage="target",
        notes=[f"memories of {target.name} that can hold them: {fit}"],
        help=[f"ferrule targets {target.name}"],
    )
