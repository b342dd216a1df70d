"""The shape of everything that is said to a user."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field, replace


class Level(enum.Enum):
    """How much a finding weighs: an error stops, a warning asks, a note tells."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Rule:
    """A kind of finding: its stable code and slug, and the page `explain` prints.

    `code` is `FERnnn`; the hundreds tell the area: 1 file, 2 form and operator, 3 quantization,
    4 data, 5 memory and target, 6 tools and set-up, 7 results.
    """

    code: str
    slug: str
    page: str

    def at(
        self,
        node: str,
        message: str,
        *,
        level: Level = Level.ERROR,
        stage: str = "check",
        notes: Iterable[str] = (),
        help: Iterable[str] = (),
        fix: str | None = None,
    ) -> Finding:
        """Return a finding of this rule at `node` (a node's name, `input:x`, `output:y` or `model`)."""
        return Finding(self.code, self.slug, level, stage, node, message, tuple(notes), tuple(help), fix)


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong or worth knowing: where, what, why (notes) and how to cure it (help)."""

    code: str
    slug: str
    level: Level
    stage: str
    node: str
    message: str
    notes: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    fix: str | None = None

    def with_help(self, *lines: str) -> Finding:
        """Return the finding with further help lines."""
        return replace(self, help=self.help + lines)

    def to_json(self) -> dict[str, object]:
        """Return the finding as the object that `--json` prints."""
        return {
            "code": self.code,
            "slug": self.slug,
            "level": self.level.value,
            "stage": self.stage,
            "node": self.node,
            "message": self.message,
            "notes": list(self.notes),
            "help": list(self.help),
            "fix": self.fix,
        }


class Refusal(Exception):
    """The user's input cannot be taken further; carries the findings that say why.

    Any stage may raise it. It is never shown as a traceback: the command line renders the findings, exit code 1.
    """

    def __init__(self, *findings: Finding) -> None:
        if not findings:
            raise ValueError("a Refusal carries at least one finding")
        super().__init__("; ".join(f"{f.code} {f.node}: {f.message}" for f in findings))
        self.findings = findings


class Usage(Exception):
    """The command line cannot be understood (exit code 2); the message is one sentence with the cure."""


@dataclass
class Findings:
    """Findings as they are collected over the stages, in the order in which they were found."""

    items: list[Finding] = field(default_factory=list)

    def add(self, *findings: Finding) -> None:
        """Add findings; the same one twice counts once."""
        for finding in findings:
            if finding not in self.items:
                self.items.append(finding)

    @property
    def errors(self) -> list[Finding]:
        """The findings at error level."""
        return [f for f in self.items if f.level is Level.ERROR]

    def raise_errors(self) -> None:
        """Raise a Refusal with all findings if one of them is an error."""
        if self.errors:
            raise Refusal(*self.items)
