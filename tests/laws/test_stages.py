"""A stage asks an operator, it does not name it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.laws.layers import STAGES
from tests.laws.source import PACKAGE, modules

# The folders that read or write ONNX and TFLite know operator names of those formats; the others know none.
FORMATS = frozenset({"frontends", "checks", "quantize", "report"})


def operator_kinds() -> frozenset[str]:
    from ferrule.ops.table import OPS

    return frozenset(op.kind for op in OPS)


def named_operators(path: Path, kinds: frozenset[str], classes: frozenset[str]) -> list[str]:
    """Where a file decides by an operator's name: `.kind == "conv"`, `kind in (...)`, or a class from `ops`."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare) and any(
            "kind" in ast.unparse(side) for side in [node.left, *node.comparators]
        ):
            words = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
            found += [f"{path.name}:{node.lineno}: decides by operator {word!r}" for word in words if word in kinds]
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ferrule.ops."):
            found += [
                f"{path.name}:{node.lineno}: imports operator {alias.name}"
                for alias in node.names
                if alias.name in classes
            ]
    return found


@pytest.mark.skipif(not (PACKAGE / "ops" / "table.py").is_file(), reason="ops has no table yet")
def test_no_operator_name_in_a_stage() -> None:
    from ferrule.ops.table import OPS

    classes = frozenset(op.__name__ for op in OPS)
    stages = [m for m in modules() if m.folder in STAGES - FORMATS - {"lower"}]
    assert [line for m in stages for line in named_operators(m.path, operator_kinds(), classes)] == []


def test_a_named_operator_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "stage.py"
    path.write_text(
        'from ferrule.ops.conv import Conv\nif op.kind == "conv" or op.kind in ("pad", "other"):\n    pass\n'
    )
    found = named_operators(path, frozenset({"conv", "pad"}), frozenset({"Conv"}))
    assert len(found) == 3
