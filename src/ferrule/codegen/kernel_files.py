"""The kernels' own C files that a network needs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import resources


def kernel_files(stems: Iterable[str]) -> dict[str, str]:
    """File name to text of the kernels of these stems and of every header they include."""
    folder = resources.files("ferrule.kernels")
    found: dict[str, str] = {}
    waiting = ["fr_view.h", *(f"{stem}.{end}" for stem in stems for end in ("h", "c"))]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        text = folder.joinpath(name).read_text(encoding="utf-8")
        found[name] = text
        waiting.extend(re.findall(r'#include "([\w.]+)"', text))
    return dict(sorted(found.items()))
