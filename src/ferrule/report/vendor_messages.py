"""What messages of ST's tools mean."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

# What is left of a pattern when its groups, classes and signs are taken away: its fixed words.
_NOT_FIXED = re.compile(r"\(\?P<\w+>(?:[^()\\]|\\.)*\)|\[[^\]]*\][+*?]?|\\[bBdDsSwW][+*?]?|\(\?[:=!]|[\\^$()?*+|.]")
_FEWEST_WORDS = 3
_ENOUGH = 0.75

LARGEST_LINE = 1000
"""Characters of a line that are looked at: the patterns are never run on more, whoever wrote the line."""


@dataclass(frozen=True)
class Message:
    """A message as it is recognised, and what is known about it.

    `rank` is how close it stands to the cause: 1 names it, 2 tells what failed, 3 tells that something failed, 4 only
    accompanies. `trust`: `documented` by the vendor, `reported` by users, `inferred` by us.
    """

    id: str
    pattern: re.Pattern[str]
    tool: str
    level: str
    rank: int
    kind: str
    trust: str
    meaning: str
    cause: str
    cure: str


@dataclass(frozen=True)
class Hit:
    """A message in a line: the line's number from 1, its text (cut), and what the pattern's groups caught."""

    message: Message
    line: int
    text: str
    groups: Mapping[str, str]


@dataclass(frozen=True)
class Kind:
    """A family of causes in plain words, and the command that looks into it."""

    meaning: str
    command: str


_CHECK = "ferrule check MODEL --target TARGET"
KINDS: dict[str, Kind] = {
    "memory-plan": Kind("memory: the network does not fit", "ferrule analyze MODEL --target TARGET"),
    "memory-spill": Kind("memory: it fits only with external RAM", "ferrule analyze MODEL --target TARGET"),
    "config-file": Kind("a file, path or option of the set-up, not the model", "ferrule doctor"),
    "qdq-structure": Kind("quantization: a Q/DQ pair is missing or types do not go together", _CHECK),
    "quant-unsigned": Kind("quantization: unsigned codes where signed ones are wanted", _CHECK),
    "quantization-dropped": Kind("quantization: thrown away, the network runs in float", _CHECK),
    "resize-semantics": Kind("a Resize in a mode that is not available", _CHECK),
    "layout": Kind("layout: a transpose, the batch axis, or a product of two computed tensors", _CHECK),
    "rank-limit": Kind("a tensor of too high a rank, or an axis that was lost", _CHECK),
    "shape-subgraph": Kind("shapes that are not worked out", _CHECK),
    "optional-input": Kind("an optional input that is empty or no plain constant", _CHECK),
    "fuse-dense": Kind("the form of a dense layer and its bias", _CHECK),
    "unsupported-op": Kind("an operator, or a form of it, that is not known", _CHECK),
    "postprocess-tail": Kind("selection steps behind the network proper", _CHECK),
    "output-lost": Kind("an output of the model that has disappeared", _CHECK),
    "model-format": Kind("the form of the model's file", _CHECK),
    "dynamic-dim": Kind("a dimension that is open", "ferrule check MODEL --shape NAME=D,D,.."),
    "io-dtype": Kind("the type of an input or output", "ferrule analyze MODEL --target TARGET"),
    "version": Kind("releases that do not go together", "ferrule doctor"),
    "compiler-crash": Kind("a crash of the vendor's tool", _CHECK),
    "npu-backend": Kind("the NPU's compiler stopped; the cause stands before", _CHECK),
    "npu-hang": Kind("the NPU stops at run time", _CHECK),
    "software-epoch": Kind("work that falls back to the CPU", "ferrule analyze MODEL --target TARGET"),
    "mp2-nbg": Kind("the check of the MP2's NPU", _CHECK),
    "mp2-fallback": Kind("not on the MP2's NPU", _CHECK),
    "host-tool": Kind("validation on the PC", "ferrule validate MODEL"),
    "board": Kind("firmware, port or cable", "ferrule doctor"),
    "": Kind("an accompanying remark", _CHECK),
}


@cache
def messages() -> tuple[Message, ...]:
    """Every known message, in the order of the table."""
    file = resources.files("ferrule.report").joinpath("vendor_messages.csv")
    return tuple(
        Message(
            id=row["id"],
            pattern=re.compile(row["pattern"]),
            tool=row["tool"],
            level=row["level"],
            rank=int(row["rank"]),
            kind=row["kind"],
            trust=row["trust"],
            meaning=row["meaning"],
            cause=row["cause"],
            cure=row["cure"],
        )
        for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    )


def hits_in(line: str, number: int = 1) -> tuple[Hit, ...]:
    """The known messages in one line, those nearest to a cause first, then the longest match."""
    text = line[:LARGEST_LINE]
    found: list[tuple[int, int, Hit]] = []
    for message in messages():
        match = message.pattern.search(text)
        if match:
            groups = {name: value for name, value in match.groupdict().items() if value}
            found.append((message.rank, match.start() - match.end(), Hit(message, number, text, groups)))
    found.sort(key=lambda item: item[:2])
    return tuple(hit for _, _, hit in found)


def like(text: str) -> tuple[Message, ...]:
    """Messages whose fixed words hold most words of a text that was not quoted in full, the best first."""
    words = [word for word in re.findall(r"[a-z0-9_]+", text[:LARGEST_LINE].lower()) if len(word) > 1]
    if len(words) < _FEWEST_WORDS:
        return ()
    scored = []
    for message in messages():
        fixed = set(re.findall(r"[a-z0-9_]+", _NOT_FIXED.sub(" ", message.pattern.pattern).lower()))
        share = sum(word in fixed for word in words) / len(words)
        if share >= _ENOUGH:
            scored.append((-share, message.rank, message))
    scored.sort(key=lambda item: item[:2])
    return tuple(message for _, _, message in scored)
