"""Compiles the C kernels and calls one on numpy memory."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import ferrule.kernels.kernel as kernel_module
from ferrule.kernels.kernel import Field, Kernel

FOLDER = Path(kernel_module.__file__).parent
SCALARS: dict[str, type] = {
    "int8_t": ctypes.c_int8,
    "uint8_t": ctypes.c_uint8,
    "int16_t": ctypes.c_int16,
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}
SANITIZED = os.environ.get("FERRULE_SANITIZE") == "1"


class View(ctypes.Structure):
    """`fr_view` of fr_view.h."""

    _fields_ = (
        ("base", ctypes.c_void_p),
        ("pitch", ctypes.c_int32),
        ("pixel", ctypes.c_int32),
        ("slots", ctypes.c_int32),
        ("height", ctypes.c_int32),
    )


@functools.lru_cache(maxsize=1)
def library() -> ctypes.CDLL:
    """All kernels as one shared library, rebuilt when a source changes."""
    sources = sorted(FOLDER.glob("*.c"))
    flags = ["-std=c99", "-O1" if SANITIZED else "-O2", "-g", "-fPIC", "-shared", "-ffp-contract=off"]
    flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"] if SANITIZED else []
    digest = hashlib.sha256(repr(flags).encode())
    for path in [*sources, *sorted(FOLDER.glob("*.h"))]:
        digest.update(path.read_bytes())
    target = Path(tempfile.gettempdir()) / f"ferrule-kernels-{os.getuid()}-{digest.hexdigest()[:20]}.so"
    if not target.exists():
        scratch = target.with_suffix(f".{os.getpid()}")
        subprocess.run(["gcc", *flags, *map(str, sources), "-lm", "-o", str(scratch)], check=True)
        scratch.rename(target)
    return ctypes.CDLL(str(target))


def struct_of(fields: Sequence[Field]) -> tuple[ctypes.Structure, list[object]]:
    """The op struct in C's own layout, and what must stay alive as long as it is used."""
    members, values, keep = [], [], []
    for field in fields:
        if field.is_pointer:
            members.append((field.name, ctypes.c_void_p))
            array = None if field.value is None else np.ascontiguousarray(field.value)
            keep.append(array)
            values.append(None if array is None or array.size == 0 else array.ctypes.data)
        elif match := re.fullmatch(r"(\w+)\[(\d+)\]", field.ctype):
            kind = SCALARS[match[1]] * int(match[2])
            members.append((field.name, kind))
            values.append(kind(*field.value))
        else:
            members.append((field.name, SCALARS[field.ctype]))
            values.append(field.value)
    kind = type("Struct", (ctypes.Structure,), {"_fields_": members})
    return kind(*values), keep


def call(
    kernel: Kernel,
    struct: ctypes.Structure,
    outputs: Sequence[View],
    inputs: Sequence[View],
    rows: tuple[int, int],
    work: np.ndarray | None,
) -> None:
    """Call the kernel once."""
    function = getattr(library(), kernel.function)
    function.restype = None
    args: list[object] = [ctypes.byref(v) for v in outputs]
    if kernel.variadic:
        args.append((View * len(inputs))(*inputs))
    else:
        args += [ctypes.byref(v) for v in inputs]
    pointer = None if work is None else ctypes.c_void_p(work.ctypes.data)
    function(*args, ctypes.byref(struct), ctypes.c_int32(rows[0]), ctypes.c_int32(rows[1]), pointer)
