"""Tells which operators there are and what reads as them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping

from ferrule.kernels.table import KERNELS
from ferrule.ops.table import ONNX, OPS, TFLITE
from ferrule.program.op import Op


def operators_page() -> str:
    """The page `docs/operators.md`, without its first line."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    yield "# Operators\n"
    yield f"{len(ONNX)} operators of ONNX and {len(TFLITE)} of TFLite are read as {len(OPS)} operators of the program."
    yield "An operator of a file that is not listed gives a finding that names the node. Whether every type of an"
    yield "operator has C is decided by its kernels; where none takes it, the finding gives each kernel's reason.\n"
    yield "| ONNX | | | | |\n|---|---|---|---|---|"
    yield from _grid(ONNX)
    yield "\n| TFLite | | | |\n|---|---|---|---|"
    yield from _grid(TFLITE, 4)
    yield "\n## Operators of the program"
    for op in sorted(OPS, key=lambda op: op.kind):
        yield from _operator(op)


def _operator(op: type[Op]) -> Iterator[str]:
    yield f"\n### {op.kind}\n"
    yield inspect.cleandoc(op.__doc__ or "")
    folder = op.__module__
    for name, table in (("ONNX", ONNX), ("TFLite", TFLITE)):
        read = sorted(source for source, reader in table.items() if _home(reader) == folder)
        if read:
            yield f"\n- read from {name}: {', '.join(f'`{source}`' for source in read)}"
    kernels = [k for k in KERNELS if k.op is op]
    if kernels:
        yield "\n- C: " + ", ".join(f"`{k.function}` ({k.kind})" for k in kernels)


def _home(reader: Callable[..., object]) -> str:
    return str(inspect.unwrap(reader).__module__)


def _grid(table: Mapping[str, object], columns: int = 5) -> Iterator[str]:
    names = sorted(table)
    for start in range(0, len(names), columns):
        row = [f"`{name}`" for name in names[start : start + columns]]
        yield "| " + " | ".join(row + [""] * (columns - len(row))) + " |"
