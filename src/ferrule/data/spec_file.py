"""The input description as a file."""

from __future__ import annotations

from pathlib import Path

from ferrule.data.arrays import existing, refuse
from ferrule.data.findings import DESCRIPTION
from ferrule.program.input_spec import InputSpec, InputSpecError, from_toml

LARGEST_TEXT = 1 << 16


def read_input_spec(path: Path) -> InputSpec:
    """Read `input.toml`; Refusal FER400 where it is missing, FER411 where it does not hold together."""
    existing(path)
    try:
        if path.stat().st_size > LARGEST_TEXT:
            raise InputSpecError("it is too long")
        return from_toml(path.read_text(encoding="utf-8-sig"))
    except (InputSpecError, OSError, UnicodeDecodeError) as error:
        raise refuse(DESCRIPTION, f"`{path}` is no input description: {error}", "ferrule explain FER411") from None
