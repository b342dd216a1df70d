"""Names that C accepts."""

from __future__ import annotations

import re

KEYWORDS = frozenset(
    [
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "bool",
        "true",
        "false",
        "class",
        "new",
        "delete",
        "this",
        "template",
        "namespace",
        "private",
        "public",
        "protected",
        "operator",
        "friend",
        "using",
        "virtual",
        "try",
        "catch",
        "throw",
        "and",
        "or",
        "not",
        "xor",
        "main",
    ]
)


def identifier(text: str) -> str:
    """Return `text` as a C identifier, different names not necessarily apart."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    if not name or name[0].isdigit():
        name = f"n_{name}".rstrip("_")
    return f"{name}_" if name in KEYWORDS else name


def comment(text: str) -> str:
    """Return `text` so that it may stand in a C comment: printable ASCII, no comment marks."""
    plain = "".join(c if 32 <= ord(c) < 127 else "?" for c in text)
    return plain.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/").replace("??", "? ?")
