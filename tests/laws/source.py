"""The source of Ferrule as data: modules and imports."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "ferrule"


@dataclass(frozen=True)
class Import:
    """One import of a module: what is imported (dotted), at which line, and whether it stands at module level."""

    target: str
    line: int
    at_top: bool


@dataclass(frozen=True)
class Module:
    """A source file: dotted name, path, and its imports wherever they stand, in functions and TYPE_CHECKING too."""

    name: str
    path: Path
    docstring: str
    imports: tuple[Import, ...]

    @property
    def folder(self) -> str:
        """The folder below `ferrule` in which it lies; "" for a top-level file."""
        parts = self.path.relative_to(PACKAGE).parts
        return parts[0] if len(parts) > 1 else ""

    @property
    def stem(self) -> str:
        """The file's name without `.py`."""
        return self.path.stem


def read_module(path: Path, package: Path = PACKAGE) -> Module:
    """Parse one file. `package` is the folder of the package `ferrule`."""
    parts = ("ferrule", *path.relative_to(package).with_suffix("").parts)
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    top = set(tree.body)
    found = [
        Import(target, node.lineno, node in top)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for target in _targets(node, name, path.stem == "__init__", package)
    ]
    return Module(name, path, ast.get_docstring(tree) or "", tuple(found))


def _targets(node: ast.Import | ast.ImportFrom, module: str, is_face: bool, package: Path) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        parents = module.split(".") if is_face else module.split(".")[:-1]
        kept = parents[: len(parents) - (node.level - 1)]
        base = ".".join([*kept, *([base] if base else [])])
    return [_resolve(base, alias.name, package) for alias in node.names]


def _resolve(base: str, name: str, package: Path) -> str:
    """`from base import name` means the module `base.name` where that is a file or folder, else `base`."""
    if base.split(".")[0] != "ferrule":
        return base
    inner = package.joinpath(*base.split(".")[1:], name)
    return f"{base}.{name}" if inner.with_suffix(".py").is_file() or (inner / "__init__.py").is_file() else base


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the package, sorted by path."""
    return tuple(read_module(path) for path in sorted(PACKAGE.rglob("*.py")))
