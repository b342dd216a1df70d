"""Who may import whom: the floors of the house."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from tests.laws.source import Import, Module

STAGES = frozenset(
    {"data", "frontends", "checks", "quantize", "lower", "map", "schedule", "codegen", "run", "validate", "report"}
)
TOP_FILES = 5
FLOORS = {
    "__main__": 7,
    "cli": 6,
    **dict.fromkeys(STAGES, 4),
    "kernels": 3,
    "targets": 3,
    "ops": 2,
    "program": 1,
    "diagnostics": 0,
}
"""Floor of a folder, or of a top-level file by its stem; other top-level files (deploy, doctor) stand on TOP_FILES."""

SIDEWAYS = frozenset({("kernels", "ops"), ("targets", "ops")})
NUMPY_ONLY = frozenset({"program", "ops", "kernels", "targets", "schedule", "lower"})
LAZY = {"schedule": frozenset({"ortools"})}
"""What a numpy-only folder may import inside a function."""
HEAVY = frozenset({"onnx", "onnx_ir", "onnxruntime", "tflite", "flatbuffers", "ortools", "rich", "jinja2", "PIL"})


def room(dotted: str) -> str:
    """The part of `ferrule` a module belongs to: its folder, or the stem of a top-level file; "" for the face."""
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else ""


def floor(dotted: str) -> int:
    """The floor of a module; the face of the package stands with the top-level files."""
    return FLOORS.get(room(dotted), TOP_FILES)


def upward(module: Module) -> list[str]:
    """Imports of Ferrule's own that go up, or from stage to stage, as sentences."""
    found = []
    for imported in module.imports:
        if imported.target.split(".")[0] != "ferrule":
            continue
        here, there = room(module.name), room(imported.target)
        if there == "" and module.name != "ferrule":
            found.append(_said(module, imported, "imports the package's face, not the file"))
        elif here != there and here in STAGES and there in STAGES:
            found.append(_said(module, imported, f"stage {here} imports stage {there}"))
        elif floor(imported.target) > floor(module.name):
            found.append(_said(module, imported, f"{here} imports {there}, which stands above it"))
        elif here != there and {here, there} == {"kernels", "targets"}:
            found.append(_said(module, imported, f"{here} and {there} do not know each other"))
    return found


def foreign(module: Module) -> list[str]:
    """Imports of packages that a folder of nouns must not know, as sentences."""
    here = room(module.name)
    found = []
    for imported in module.imports:
        package = imported.target.split(".")[0]
        if package == "ferrule" or package in sys.stdlib_module_names:
            continue
        if here == "diagnostics" or (here in NUMPY_ONLY and package != "numpy"):
            if imported.at_top or package not in LAZY.get(here, frozenset()):
                found.append(_said(module, imported, f"{here} imports {package}"))
        elif package in ("tflite", "flatbuffers") and here != "frontends":
            found.append(_said(module, imported, "only frontends know the TFLite schema"))
    return found


def loops(modules: Sequence[Module]) -> list[tuple[str, ...]]:
    """Import loops among the modules, each as the names along it; [] where there is none."""
    names = {m.name for m in modules}
    edges = {m.name: sorted({t for i in m.imports for t in _known(i.target, names)} - {m.name}) for m in modules}
    done: set[str] = set()
    found: list[tuple[str, ...]] = []
    for start in sorted(edges):
        _walk(start, edges, [], done, found)
    return found


def _walk(
    name: str, edges: dict[str, list[str]], path: list[str], done: set[str], found: list[tuple[str, ...]]
) -> None:
    if name in path:
        found.append((*path[path.index(name) :], name))
        return
    if name in done:
        return
    path.append(name)
    for target in edges[name]:
        _walk(target, edges, path, done, found)
    path.pop()
    done.add(name)


def _known(target: str, names: set[str]) -> Iterable[str]:
    return [target] if target in names else []


def _said(module: Module, imported: Import, what: str) -> str:
    return f"{module.path.name}:{imported.line}: {what} ({module.name} -> {imported.target})"
