"""The words of the text form: tokens, names, values."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from ferrule.program.fixed_point import Requant

DEEPEST = 16
"""Lists nested deeper than this are no attribute of any operator."""
LONGEST_NUMBER = 64

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\#[^\n]*)
      | (?P<newline>\n)
      | (?P<hex>hex"[0-9a-fA-F]*")
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<number>-?(?:inf\b|nan\b|[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?))
      | (?P<name>[A-Za-z_/](?:[\w/.\-]|:[\w/.])*)
      | (?P<sign>[()\[\]=,:])""",
    re.VERBOSE | re.ASCII,
)
_BARE = re.compile(r"[A-Za-z_/](?:[\w/.\-]|:[\w/.])*", re.ASCII)
_WORDS = {"none", "true", "false", "inf", "nan", "hex", "splat", "requant"}

Value = int | float | str | bool | None | tuple["Value", ...] | Requant


class TextError(ValueError):
    """The text is no program; `line` and `column` count from 1."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(f"line {line}, column {column}: {message}")
        self.line, self.column, self.message = line, column, message


@dataclass(frozen=True)
class Token:
    """A word of the text and where it begins."""

    kind: str
    text: str
    at: int


class Reader:
    """Walks over the tokens of a text; newlines inside brackets do not count."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.next = 0
        self._split()

    def _split(self) -> None:
        at, open_brackets = 0, 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None:
                self.fail(f"{self.text[at]!r} begins no word", at)
            kind, word = str(match.lastgroup), match.group()
            if word in ("(", "["):
                open_brackets += 1
            elif word in (")", "]"):
                open_brackets -= 1
            if kind != "space" and not (kind == "newline" and open_brackets > 0):
                self.tokens.append(Token(kind, word, at))
            at = match.end()
        self.tokens.append(Token("newline", "\n", at))
        self.tokens.append(Token("end", "", at))

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        """Raise a TextError at an offset (default: the coming token)."""
        offset = self.peek().at if at is None else at
        before = self.text[:offset]
        raise TextError(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1, message)

    def peek(self) -> Token:
        """The coming token."""
        return self.tokens[min(self.next, len(self.tokens) - 1)]

    def take(self) -> Token:
        """The coming token, and step over it."""
        token = self.peek()
        self.next += 1
        return token

    def accept(self, word: str) -> bool:
        """Step over a word if it comes."""
        if self.peek().text != word or self.peek().kind in ("string", "end"):
            return False
        self.next += 1
        return True

    def expect(self, word: str) -> None:
        """Step over a word that must come."""
        if not self.accept(word):
            self.fail(f"{_shown(word)} is expected, not {_shown(self.peek().text)}")

    def name(self, what: str) -> str:
        """A name, bare or quoted."""
        token = self.take()
        if token.kind == "string":
            return self._unquoted(token)
        if token.kind != "name":
            self.fail(f"{what} is expected, not {_shown(token.text)}", token.at)
        return token.text

    def _unquoted(self, token: Token) -> str:
        try:
            return str(json.loads(token.text, strict=False))
        except ValueError:
            self.fail("the string has an escape that is none", token.at)

    def value(self, depth: int = 0) -> Value:
        """An attribute's value."""
        token = self.take()
        if depth > DEEPEST:
            self.fail("lists are nested too deep", token.at)
        if token.kind == "number" or token.text in ("inf", "nan"):
            return self.number(token)
        if token.kind == "string":
            return self._unquoted(token)
        if token.text in ("none", "true", "false"):
            return {"none": None, "true": True, "false": False}[token.text]
        if token.text == "[":
            return self._list(depth)
        if token.text == "requant":
            return self._requant(token)
        self.fail(f"a value is expected, not {_shown(token.text)}", token.at)

    def number(self, token: Token) -> int | float:
        """An integer, or a real number where it has a point, an exponent, or is inf or nan."""
        if len(token.text) > LONGEST_NUMBER:
            self.fail("the number is too long", token.at)
        if re.fullmatch(r"-?[0-9]+", token.text):
            return int(token.text)
        return float(token.text)

    def _list(self, depth: int) -> tuple[Value, ...]:
        items: list[Value] = []
        while not self.accept("]"):
            items.append(self.value(depth + 1))
            if not self.accept(","):
                self.expect("]")
                break
        return tuple(items)

    def _requant(self, token: Token) -> Requant:
        self.expect("(")
        multiplier = self.value()
        self.expect(",")
        shift = self.value()
        self.expect(",")
        scheme = self.name("the scheme")
        self.expect(")")
        for numbers in (multiplier, shift):
            if not isinstance(numbers, tuple) or any(type(n) is not int for n in numbers):
                self.fail("a requantization has two lists of integers", token.at)
        if scheme not in ("double", "single"):
            self.fail(f"the scheme {scheme!r} is neither double nor single", token.at)
        try:
            return Requant(multiplier, shift, scheme)  # type: ignore[arg-type]
        except ValueError as error:
            self.fail(str(error), token.at)


def _shown(word: str) -> str:
    return {"\n": "the end of the line", "": "the end of the text"}.get(word, f"`{word[:40]}`")


def name_text(name: str) -> str:
    """A name as the text form writes it: bare where it is a plain word, else quoted."""
    return name if _BARE.fullmatch(name) and name not in _WORDS else string_text(name)


def string_text(value: str) -> str:
    """A quoted string; what cannot be printed is escaped."""
    return json.dumps(value, ensure_ascii=not value.isprintable())


def value_text(value: object) -> str:
    """An attribute's value as the text form writes it; TypeError for what it cannot carry."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return "nan" if math.isnan(value) else repr(float(value))
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, tuple | list):
        return f"[{', '.join(value_text(v) for v in value)}]"
    if isinstance(value, Requant):
        return f"requant({value_text(value.multiplier)}, {value_text(value.shift)}, {value.scheme})"
    raise TypeError(f"an attribute of type {type(value).__name__} has no text form")
