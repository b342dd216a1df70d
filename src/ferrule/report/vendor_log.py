"""Finds the cause in a log of ST's tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ferrule.report.vendor_messages import LARGEST_LINE, Hit, hits_in

LARGEST_LOG_LINES = 100_000
# A node of ONNX as exporters name it, or a name in quotes as TFLite's tools write it.
_NODE = re.compile(r"(?P<path>(?<![\w.:/])/[\w.:-]+(?:/[\w.:-]+)*)|'(?P<quoted>[^'\s]{1,200})'")
_BARE = re.compile(r"^(?:\[\w+\]\s*)?(?P<node>[A-Za-z_][\w./-]*[/_][\w./-]*)\s*(?::|->)")
_FILE = re.compile(r"[\w./\\-]+\.(?:mpool|json|onnx|tflite|h5|keras|log|c|txt)\b", re.IGNORECASE)
_TENSOR_SUFFIX = re.compile(r"_(?:output|out)_\d+$")
_BYTES = re.compile(r"(\d{3,15})\s*(?:bytes|B\b)")


@dataclass(frozen=True)
class Clue:
    """What marks the line of the culprit, when the message itself does not name it.

    `kinds` are the kinds of messages to which it applies; `becomes` is the kind that it proves, "" for the same.
    """

    kinds: tuple[str, ...]
    pattern: re.Pattern[str]
    becomes: str = ""


def _clue(kinds: str, pattern: str, becomes: str = "") -> Clue:
    return Clue(tuple(kinds.split()), re.compile(pattern, re.IGNORECASE), becomes)


CLUES: tuple[Clue, ...] = (
    _clue("compiler-crash npu-backend", r"\bpads\b.*\bvalue input ''", "optional-input"),
    _clue("compiler-crash npu-backend", r"\brank[- ]?[5-9]\b|\b\d+(?:x\d+){4,}\b", "rank-limit"),
    _clue("memory-plan", r"largest (?:request|buffer)|work ?space|scratch"),
    _clue("qdq-structure", r"(?=.*\bfloat(?:32|16)?\b)(?=.*\bu?int8\b)"),
    _clue("qdq-structure", r"no QuantizeLinear|without QuantizeLinear|not quantized"),
    _clue("mp2-nbg", r"FULLY_CONNECTED|\bGemm\b|\bMatMul\b|\bDense\b"),
    _clue("layout", r"\bTranspose\b.*\bperm|\bperm\b.*\bTranspose\b"),
    _clue("layout", r"both operands|\bTranspose\b"),
    _clue("shape-subgraph", r"\bends?\b\W*\[[^\]]*(?:-\d|9223372036854775807|2147483647)"),
    _clue("shape-subgraph", r"\bEinsum\b"),
    _clue("quantization-dropped", r"\bbool\b"),
    _clue("resize-semantics", r"\bResize\b.*\b(?:linear|cubic|half_pixel|align_corners)\b"),
    _clue("optional-input", r"\bvalue input ''|\boptional\b"),
    _clue("rank-limit", r"\bkeepdims\b\W*0|\brank[- ]?[5-9]\b"),
)
"""The first clue that marks a line decides."""


@dataclass(frozen=True)
class Reading:
    """What a log says: known messages in the order of the lines, the cause among them, and where it lies.

    `node` is None where the log names none; `also` are other nodes equally suspect; `evidence` is the number and text
    of the line that names the node; `file` is the file at fault where the set-up is the cause.
    """

    lines: int
    hits: tuple[Hit, ...]
    cause: Hit | None
    kind: str
    node: str | None
    also: tuple[str, ...] = ()
    evidence: tuple[int, str] | None = None
    file: str | None = None


@dataclass(frozen=True)
class _Suspect:
    node: str
    line: int
    text: str


def read_log(text: str) -> Reading:
    """Read a log. Only the first `LARGEST_LINE` characters of a line and the last lines of a huge log are looked at."""
    lines = text.splitlines()
    start = max(0, len(lines) - LARGEST_LOG_LINES)
    kept = [(start + i + 1, line[:LARGEST_LINE]) for i, line in enumerate(lines[start:])]
    seen: dict[str, int] = {}
    hits: list[Hit] = []
    for number, line in kept:
        if line not in seen:
            seen[line] = number
            hits += hits_in(line, number)[:1]
    cause = min(hits, key=lambda hit: (hit.message.rank, hit.line), default=None)
    if cause is None:
        return Reading(len(lines), (), None, "", None)
    around = [pair for pair in kept if pair[0] != cause.line]
    kind, suspects = _suspects(cause, around)
    file = _last_file(around, cause.line) if kind == "config-file" else None
    nodes = list(dict.fromkeys(s.node for s in suspects))
    return Reading(
        lines=len(lines),
        hits=tuple(hits),
        cause=cause,
        kind=kind,
        node=nodes[0] if nodes else None,
        also=tuple(nodes[1:4]),
        evidence=(suspects[0].line, suspects[0].text) if suspects else None,
        file=file,
    )


def nodes_in(line: str) -> list[str]:
    """The names of nodes in a line, in order; tensors are told by the node that makes them."""
    bare = _BARE.match(line)
    found = [bare.group("node")] if bare and not _FILE.fullmatch(bare.group("node")) else []
    for match in _NODE.finditer(line):
        name = (match.group("path") or match.group("quoted") or "").rstrip(".:,")
        if not _FILE.fullmatch(name) and name:
            found.append(name)
    return list(dict.fromkeys(_TENSOR_SUFFIX.sub("", name) for name in found))


def _suspects(cause: Hit, around: Sequence[tuple[int, str]]) -> tuple[str, list[_Suspect]]:
    """The kind of the cause and the nodes under suspicion, the first the most."""
    kind = cause.message.kind
    named = cause.groups.get("node")
    if named:
        return kind, [_Suspect(_TENSOR_SUFFIX.sub("", named.strip("'\"")), cause.line, cause.text)]
    if kind == "config-file":
        return kind, []
    if kind == "memory-spill":
        memory = cause.text.split("[")[0].split()[-1] if "[" in cause.text else "hyperRAM"
        return kind, _by_bytes(_with(around, re.compile(rf"\b{re.escape(memory)}\b")))
    operator = cause.groups.get("op") or cause.groups.get("ops", "").split(",")[0].strip()
    of_operator = _of_operator(operator, around)
    for clue in CLUES:
        if kind not in clue.kinds:
            continue
        marked = _with(around, clue.pattern)
        both = [s for s in marked if s.node in {o.node for o in of_operator}]
        if marked:
            found = both or marked
            return clue.becomes or kind, _by_bytes(found) if kind == "memory-plan" else found
    return kind, of_operator


def _with(around: Iterable[tuple[int, str]], pattern: re.Pattern[str]) -> list[_Suspect]:
    """The first node of each line that the pattern marks; of a phrase like `by epoch 41 (/x)` the last."""
    found = []
    for number, line in around:
        nodes = nodes_in(line) if pattern.search(line) else []
        if nodes:
            found.append(_Suspect(nodes[0], number, line))
    return found


def _of_operator(operator: str, around: Iterable[tuple[int, str]]) -> list[_Suspect]:
    """Nodes called after an operator (`/post/TopK_1` for TopK), or told to be one."""
    if not operator or len(operator) > 60:
        return []
    called = re.compile(rf"(?:^|[/_.]){re.escape(operator)}(?:_\d+)?$", re.IGNORECASE)
    return [
        _Suspect(node, number, line)
        for number, line in around
        for node in nodes_in(line)
        if called.search(node) or re.search(rf"\({re.escape(operator)}\b", line)
    ]


def _by_bytes(suspects: Sequence[_Suspect]) -> list[_Suspect]:
    """The suspects, those with the most bytes in their line first."""
    return sorted(suspects, key=lambda s: -max((int(b) for b in _BYTES.findall(s.text)), default=0))


def _last_file(around: Iterable[tuple[int, str]], before: int) -> str | None:
    """The file of the set-up that was mentioned last before a line."""
    found = [m.group() for number, line in around if number < before for m in _FILE.finditer(line)]
    settings = [name for name in found if name.lower().endswith((".mpool", ".json"))]
    return settings[-1] if settings else None
