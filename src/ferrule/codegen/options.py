"""How the generated C looks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """How the C looks. `name` prefixes files and symbols; `binary_weights` leaves the blob outside the C."""

    name: str = "network"
    version: str = "0"
    model_hash: str = "00" * 32
    command: str = ""
    binary_weights: bool = False
    align: int = 16
