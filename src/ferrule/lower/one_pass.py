"""Runs one pass on a program in text form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ferrule.diagnostics import Usage
from ferrule.lower.fold_constants import FoldConstants
from ferrule.lower.fold_qdq import FoldQdq
from ferrule.lower.fuse import FuseAffine, FuseClamp, FusePad
from ferrule.lower.layout import Layout
from ferrule.lower.native_io import NativeIo
from ferrule.lower.pipeline import Pass
from ferrule.lower.signed_codes import SignedCodes
from ferrule.ops.table import BY_KIND
from ferrule.program.edit import Editor, literal_interface
from ferrule.program.program import Program
from ferrule.program.text import parse_program, print_program
from ferrule.program.text_tokens import TextError

PASSES: dict[str, Callable[[], Pass]] = {
    "fold-constants": FoldConstants,
    "fold-qdq": FoldQdq,
    "fuse-affine": FuseAffine,
    "fuse-clamp": FuseClamp,
    "fuse-pad": FusePad,
    "layout": Layout,
    "native-io": NativeIo,
    "signed-codes": SignedCodes,
}
"""The passes by the names that `ferrule opt` takes."""


def run_pass(name: str, file: Path) -> str:
    """Return the text of the program in `file` after one pass; Usage for an unknown pass or a text that is none."""
    if name not in PASSES:
        raise Usage(f"there is no pass `{name}`; there are {', '.join(PASSES)}")
    try:
        program = parse_program(file.read_text(encoding="utf-8"), BY_KIND)
    except (OSError, UnicodeDecodeError, TextError) as error:
        raise Usage(f"{file} is no program: {error}") from None
    return transformed(PASSES[name](), program)


def transformed(step: Pass, program: Program) -> str:
    """The text of a program after a pass."""
    edit = Editor(program, literal_interface(program))
    step.run(edit)
    edit.sweep()
    return print_program(edit.finish()[0])
