"""Sizes in bytes as people write them."""

from __future__ import annotations

import re

_UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_FORM = re.compile(r"(\d{1,15})(?:\.(\d{1,6}))?\s*(?:([KMG])(?:I?B)?|B)?", re.ASCII | re.IGNORECASE)
LARGEST_BYTES = 1 << 40


def parse_size(text: str) -> int:
    """Return the bytes of `256K`, `1.5M`, `64 KiB`, `4096`; K is 1024 as on data sheets. ValueError with a sentence."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text[:40]!r} is not a size: write bytes, or a number with K, M or G, as in 256K or 1.5M")
    whole, fraction, unit = match.group(1), match.group(2) or "", (match.group(3) or "").upper()
    scale: int = 10 ** len(fraction)
    size, rest = divmod(int(whole + fraction) * _UNITS[unit], scale)
    if rest:
        raise ValueError(f"{text[:40]!r} is not a whole number of bytes")
    if not 0 < size <= LARGEST_BYTES:
        raise ValueError(f"{text[:40]!r} is not between 1 byte and 1024 GiB")
    return size


def size_text(size_bytes: int) -> str:
    """The size for people: `512 KiB`, `2.75 MiB`, `300 bytes`, never rounded up to more than there is."""
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size_bytes >= scale:
            hundredths = size_bytes * 100 // scale
            return f"{hundredths / 100:g} {unit}"
    return f"{size_bytes} bytes"
