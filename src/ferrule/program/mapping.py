"""Which engine runs each op, and why not a better one."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Placement:
    """The engine that runs an op, and every reason against each engine that would have been better."""

    engine: str
    reasons: MappingOf[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Mapping:
    """Op name to placement, for every op of a program."""

    target: str
    placements: MappingOf[str, Placement]
