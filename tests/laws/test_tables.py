"""Each file of an extension point stands in its table."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from tests.laws.source import PACKAGE, modules

TABLES = {
    "ops": {"table"},
    "kernels": {"table", "kernel"},
    "checks": {"table", "findings", "rule"},
    "targets": {"table", "findings", "target", "load", "build", "schema", "sizes", "choice", "example"},
}
"""Folder -> its files that are no entries of the table."""


def table(folder: str) -> Path:
    path = PACKAGE / folder / "table.py"
    if not path.is_file():
        pytest.skip(f"{folder} has no table yet")
    return path


@pytest.mark.parametrize("folder", sorted(TABLES))
def test_each_file_is_reached_from_its_table(folder: str) -> None:
    """An entry is imported by the table; what serves entries is imported by one of them."""
    table(folder)
    inside = {m.stem: m for m in modules() if m.folder == folder and m.stem != "__init__"}
    reached: set[str] = set()
    waiting = ["table"]
    while waiting:
        stem = waiting.pop()
        if stem in reached:
            continue
        reached.add(stem)
        targets = (i.target.split(".") for i in inside[stem].imports)
        waiting += [t[2] for t in targets if len(t) > 2 and t[1] == folder and t[2] in inside]
    assert sorted(set(inside) - reached - TABLES[folder]) == []


def test_each_operator_class_is_in_the_table() -> None:
    """A file that defines an operator and is only imported by another one is forgotten all the same."""
    table("ops")
    from ferrule.ops.table import OPS
    from ferrule.program.op import Op

    defined = set()
    for module in modules():
        if module.folder == "ops" and module.stem not in ("__init__", "table"):
            loaded = importlib.import_module(module.name)
            own = [v for v in vars(loaded).values() if isinstance(v, type) and v.__module__ == module.name]
            defined |= {v for v in own if issubclass(v, Op) and "kind" in vars(v)}
    assert {c.__name__ for c in defined} == {c.__name__ for c in OPS}
    assert len({op.kind for op in OPS}) == len(OPS)


def test_each_c_file_has_its_kernel() -> None:
    """A stem of C is a kernel's own or one that a kernel needs; each header is included somewhere."""
    table("kernels")
    from ferrule.kernels.table import KERNELS

    folder = PACKAGE / "kernels"
    stems = {k.stem for k in KERNELS} | {stem for k in KERNELS for stem in k.needs} | {"fr_copy"}  # Copy, Fill
    assert sorted({path.stem for path in folder.glob("*.c")} - stems) == []
    assert sorted(stems - {path.stem for path in folder.glob("*.h")}) == []
    included = {
        name
        for path in [*folder.glob("*.c"), *folder.glob("*.h")]
        for name in re.findall(r'#include "([^"]+)"', path.read_text(encoding="utf-8"))
    }
    assert sorted({path.name for path in folder.glob("*.h")} - included) == []


def test_kernel_names_are_their_own() -> None:
    table("kernels")
    from ferrule.kernels.table import KERNELS

    functions = [k.function for k in KERNELS]
    assert sorted({f for f in functions if functions.count(f) > 1}) == []
