"""Explains a finding's code, a vendor's message, a log."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ferrule.catalogue import RULES, rule_called
from ferrule.diagnostics import Refusal, Rule
from ferrule.report.findings import NOT_EXPLAINED
from ferrule.report.vendor_log import Reading, read_log
from ferrule.report.vendor_messages import KINDS, Hit, hits_in, like

LARGEST_LOG_BYTES = 16 << 20
_CODE = re.compile(r"FER\d{1,4}", re.IGNORECASE)
_CODE_IN_TEXT = re.compile(r"\bFER\d{3}\b")
_LOG_ENDINGS = (".log", ".txt", ".out")
_TRUST = {
    "documented": "documented by the vendor",
    "reported": "reported by users, not confirmed by the vendor",
    "inferred": "our own conclusion, not confirmed",
}


@dataclass(frozen=True)
class Explanation:
    """What `explain` answers: its text, and the same as data.

    `about` is `rule`, `message` or `log`.
    """

    about: str
    title: str
    lines: tuple[str, ...]
    data: dict[str, object]

    def text(self) -> str:
        """The whole answer as a person reads it."""
        return "\n".join([self.title, "", *self.lines])


def explain(query: str) -> Explanation:
    """Explain a code or slug, a log file (by path), or a message as a tool printed it.

    Refusal FER640 where nothing fits; the finding shows what comes near.
    """
    rule = rule_called(query)
    if rule is not None:
        return _explain_rule(rule)
    path = Path(query) if len(query) < 1000 and "\n" not in query and "\0" not in query else None
    if path is not None and _is_file(path):
        return _explain_log(str(path), _read_text(path))
    if _CODE.fullmatch(query.strip()):
        raise _refusal(f"there is no rule {query.strip().upper()}", _near(query))
    if path is not None and query.lower().endswith(_LOG_ENDINGS) and " " not in query.strip():
        raise _refusal(f"{query}: no such file", [])
    if "\n" in query.strip():
        return _explain_log("the text", query)
    hits = hits_in(query)
    if hits:
        return _explain_message(hits[0])
    quoted = _CODE_IN_TEXT.search(query)
    rule = rule_called(quoted.group()) if quoted else None
    if rule is not None:
        return _explain_rule(rule)
    near = like(query)
    if near:
        return _explain_message(Hit(near[0], 1, query, {}))
    raise _refusal(f"no message like {query[:80]!r} is known", _near(query))


def _explain_rule(rule: Rule) -> Explanation:
    data: dict[str, object] = {"about": "rule", "code": rule.code, "slug": rule.slug, "page": rule.page}
    return Explanation("rule", f"{rule.code} {rule.slug}", tuple(rule.page.rstrip().split("\n")), data)


def _explain_message(hit: Hit) -> Explanation:
    return Explanation("message", hit.text.strip(), tuple(_told(hit, hit.message.kind)), _message_data(hit))


def _explain_log(name: str, text: str) -> Explanation:
    reading = read_log(text)
    if reading.cause is None:
        raise _refusal(f"{name}: none of its {reading.lines} lines holds a message that is known", [])
    cause = reading.cause
    lines = [f"cause, line {cause.line}: {cause.text.strip()}"]
    if reading.node:
        also = f" (equally suspect: {', '.join(reading.also)})" if reading.also else ""
        lines.append(f"node: {reading.node}{also}")
    if reading.evidence and reading.evidence[0] != cause.line:
        lines.append(f"named by line {reading.evidence[0]}: {reading.evidence[1].strip()}")
    if reading.file:
        lines.append(f"file: {reading.file}")
    lines += ["", *_told(cause, reading.kind)]
    others = [hit for hit in reading.hits if hit is not cause]
    if others:
        lines += ["", "Other messages in this log, consequences or remarks:"]
        lines += [f"  line {hit.line}: {hit.message.meaning}" for hit in others[:12]]
    return Explanation("log", f"{name}: {len(reading.hits)} known messages", tuple(lines), _log_data(reading))


def _told(hit: Hit, kind: str) -> Iterator[str]:
    message = hit.message
    yield f"What it means: {message.meaning}"
    yield f"Usual causes: {message.cause}"
    yield f"What helps: {message.cure}"
    if kind:
        yield f"Kind: {KINDS[kind].meaning}"
    yield f"Look further: {KINDS[kind].command}"
    yield f"How sure: {_TRUST[message.trust]}"


def _message_data(hit: Hit) -> dict[str, object]:
    message = hit.message
    return {
        "about": "message",
        "id": message.id,
        "kind": message.kind,
        "level": message.level,
        "tool": message.tool,
        "line": hit.line,
        "text": hit.text,
        "groups": dict(hit.groups),
        "meaning": message.meaning,
        "cause": message.cause,
        "cure": message.cure,
        "trust": message.trust,
    }


def _log_data(reading: Reading) -> dict[str, object]:
    return {
        "about": "log",
        "lines": reading.lines,
        "kind": reading.kind,
        "node": reading.node,
        "also": list(reading.also),
        "file": reading.file,
        "evidence_line": reading.evidence[0] if reading.evidence else None,
        "cause": _message_data(reading.cause) if reading.cause else None,
        "messages": [_message_data(hit) for hit in reading.hits],
    }


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _read_text(path: Path) -> str:
    """The text of a log; of a huge one its end, where the cause stands."""
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - LARGEST_LOG_BYTES))
            data = file.read(LARGEST_LOG_BYTES)
    except OSError as error:
        raise _refusal(f"{path}: {error.strerror or 'cannot be read'}", []) from None
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data.decode("utf-16" if wide else "utf-8-sig", errors="replace")


def _near(query: str) -> list[str]:
    names = [name for rule in RULES for name in (rule.code.lower(), rule.slug)]
    near = difflib.get_close_matches(query.strip().lower()[:60], names, 3)
    rules = dict.fromkeys(rule for name in near if (rule := rule_called(name)) is not None)
    return [f"near: {rule.code} {rule.slug}" for rule in rules]


def _refusal(message: str, notes: list[str]) -> Refusal:
    return Refusal(
        NOT_EXPLAINED.at(
            "model",
            message,
            stage="explain",
            notes=notes,
            help=["give a code (FER204), a message in quotes, or a log file: ferrule explain build.log"],
        )
    )
