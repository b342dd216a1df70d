"""What a chip has: memories, cores, engines, limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

MemoryKind = Literal["ram", "flash"]
SpeedClass = Literal["low", "mid", "high", "unknown"]
Use = Literal["activations", "weights"]
Trust = Literal["vendor", "general", "own"]


@dataclass(frozen=True)
class Source:
    """Where a figure comes from.

    `trust`: `vendor` was read in a document, header or file of the vendor, or measured by its own tools; `general` is
    general knowledge of the data sheets that nobody looked up; `own` was tried here.
    """

    text: str
    trust: Trust

    @property
    def is_checked(self) -> bool:
        """Whether the figure may be used without a look into the reference manual."""
        return self.trust != "general"


@dataclass(frozen=True)
class Memory:
    """One memory as the main core sees it.

    `usable_bytes` is what a usual application leaves to the network (at most `size_bytes`). `use` says what goes here
    when the user names no memory. `latency` and `throughput` are the vendor's classes. `width_bytes` is one bus beat,
    `clock_ratio` the clock of the NPU divided by that of the memory.
    """

    name: str
    kind: MemoryKind
    base: int
    size_bytes: int
    usable_bytes: int
    source: Source
    use: tuple[Use, ...] = ()
    external: bool = False
    latency: SpeedClass = "unknown"
    throughput: SpeedClass = "unknown"
    width_bytes: int | None = None
    clock_ratio: float | None = None
    cacheable: bool = False
    aliases: tuple[str, ...] = ()
    note: str = ""

    @property
    def writable(self) -> bool:
        """Whether the program may write here at run time."""
        return self.kind == "ram"

    @property
    def end(self) -> int:
        """The first address behind it."""
        return self.base + self.size_bytes

    @property
    def npu_bytes_per_cycle(self) -> float | None:
        """Bytes that one stream engine moves per NPU clock on contiguous data, where known."""
        if self.width_bytes is None or self.clock_ratio is None:
            return None
        return self.width_bytes / self.clock_ratio


@dataclass(frozen=True)
class Core:
    """A processor core. `isa` holds what kernels ask for (`dsp`, `mve`, `neon`, `fpu32`, `fpu64`).

    `gcc` is the compiler command with its flags; `zig` are the flags for clang as packaged in `ziglang`, where tried;
    `align_bytes` is the alignment at which buffers are fast; `clock_hz` is the highest, None where there is no chip.
    """

    name: str
    isa: frozenset[str]
    gcc: tuple[str, ...]
    zig: tuple[str, ...]
    align_bytes: int
    source: Source
    cache_line_bytes: int | None = None
    clock_hz: int | None = None
    count: int = 1


@dataclass(frozen=True)
class Engine:
    """Something that runs operators: `cpu`, or an accelerator of the chip with its figures as the vendor gives them."""

    name: str
    kind: Literal["cpu", "neural-art", "vip", "gpu"]
    clock_hz: int | None
    figures: tuple[tuple[str, float], ...]
    source: Source


@dataclass(frozen=True)
class Target:
    """A chip, a board, a bare core or the host, ready to be planned for.

    `name` is its own name, `asked` what the user typed. `weights_in` and `activations_in` are the memories in force,
    the fastest first; both empty on a target that has none of its own (host, bare core): there only the limits count.
    `ram_limit_bytes` and `flash_limit_bytes` are what the user allows; None where he said nothing.
    """

    name: str
    asked: str
    title: str
    kind: Literal["host", "core", "chip", "board"]
    chip: str
    core: Core
    cores: tuple[Core, ...]
    memories: tuple[Memory, ...]
    engines: tuple[Engine, ...]
    weights_in: tuple[Memory, ...]
    activations_in: tuple[Memory, ...]
    aliases: tuple[str, ...] = ()
    note: str = ""
    ram_limit_bytes: int | None = None
    flash_limit_bytes: int | None = None

    @property
    def ram_bytes(self) -> int | None:
        """All RAM for the network: its memories' sizes, at most the user's limit. None: no limit is known."""
        return _least(_total(self.activations_in), self.ram_limit_bytes)

    @property
    def flash_bytes(self) -> int | None:
        """All room for weights: its memories' sizes, at most the user's limit. None: no limit is known."""
        return _least(_total(self.weights_in), self.flash_limit_bytes)

    @property
    def arena_bytes(self) -> int | None:
        """The largest block of RAM (adjacent memories count as one), at most the user's limit; None: no limit known."""
        return _least(largest_block(self.activations_in), self.ram_limit_bytes)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Names of the memories and cores whose figures nobody looked up."""
        things: tuple[Memory | Core | Engine, ...] = (*self.cores, *self.memories, *self.engines)
        return tuple(t.name for t in things if t.name != "cpu" and not t.source.is_checked)

    def memory(self, name: str) -> Memory | None:
        """The memory of that name or other name, in any case; None where there is none."""
        wanted = plain(name)
        return next((m for m in self.memories if wanted in {plain(n) for n in (m.name, *m.aliases)}), None)

    def limited(self, ram_bytes: int | None = None, flash_bytes: int | None = None) -> Target:
        """The target under the user's limits, in bytes; None leaves a limit as it is."""
        return replace(
            self,
            ram_limit_bytes=self.ram_limit_bytes if ram_bytes is None else ram_bytes,
            flash_limit_bytes=self.flash_limit_bytes if flash_bytes is None else flash_bytes,
        )


def plain(name: str) -> str:
    """A name as it is compared: lower case, without blanks, dashes, underlines and dots."""
    return "".join(c for c in name.lower() if c.isalnum() or c == "+")


def largest_block(memories: Sequence[Memory]) -> int | None:
    """Bytes of the largest run of adjacent memories; None for no memory."""
    if not memories:
        return None
    best = run = 0
    end: int | None = None
    for memory in sorted(memories, key=lambda m: m.base):
        run = run + memory.size_bytes if memory.base == end else memory.size_bytes
        end = memory.end
        best = max(best, run)
    return best


def _total(memories: Sequence[Memory]) -> int | None:
    return sum(m.size_bytes for m in memories) if memories else None


def _least(own: int | None, limit: int | None) -> int | None:
    known = [value for value in (own, limit) if value is not None]
    return min(known) if known else None
