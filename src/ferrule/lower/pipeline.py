"""The order of the lowering passes, with a reason each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ferrule.lower.fold_constants import FoldConstants
from ferrule.lower.fold_qdq import FoldQdq, Islands
from ferrule.lower.fuse import FuseAffine, FuseClamp, FusePad
from ferrule.lower.layout import Layout
from ferrule.lower.native_io import NativeIo
from ferrule.lower.signed_codes import SignedCodes
from ferrule.program.edit import Editor, literal_interface
from ferrule.program.interface import Interface
from ferrule.program.op import Site
from ferrule.program.program import Program
from ferrule.program.verify import verify


class Pass(Protocol):
    """One rewrite of a program."""

    def run(self, edit: Editor) -> None:
        """Change the program in place."""


@dataclass(frozen=True)
class Options:
    """What lowering may do. `fuse` off keeps every tensor of the source; `runs` asks whether a kernel takes an op."""

    native_layout: bool = True
    native_type: bool = True
    fuse: bool = True
    runs: Callable[[Site], bool] = lambda site: True


@dataclass(frozen=True)
class Lowered:
    """The program to plan, how its ends map to the model's, and the float ops of a quantized program with reasons."""

    program: Program
    interface: Interface
    islands: Mapping[str, str] = field(default_factory=dict)


def passes(options: Options, islands: Islands) -> tuple[Pass, ...]:
    """The passes in their order."""
    fused: tuple[Pass, ...] = (
        FuseAffine(),  # before clamps: a batch normalization stands between a convolution and its Relu
        FuseClamp(),  # before QDQ folding: the clamp is then part of the op whose output is quantized
    )
    return (
        SignedCodes(),  # first: while only converters touch the codes
        FoldConstants(),  # shape leftovers, so that layout sees constants
        Layout(options.native_layout),  # before fusing: channels are then the last axis everywhere
        FoldConstants(),
        *(fused if options.fuse else ()),
        FoldQdq(options.runs, islands),
        *((FusePad(),) if options.fuse else ()),  # after folding: the border of an int tensor is its zero point
        *((NativeIo(),) if options.native_type else ()),  # last: the converters at the ends are known
        FoldConstants(dequantize=True),  # constants that stayed float need no dequantize at run time
    )


def lower(program: Program, options: Options, away: bool = False) -> Lowered:
    """Run all passes; `away`: the source rounds halves away from zero when it quantizes its inputs (TFLite)."""
    islands = Islands()
    edit = Editor(program, literal_interface(program, away))
    for step in passes(options, islands):
        step.run(edit)
        edit.sweep()
    lowered, interface = edit.finish()
    broken = verify(lowered)
    if broken:
        raise AssertionError("lowering broke the program: " + "; ".join(broken[:5]))
    quantized = any(t.quant is not None for t in lowered.tensors.values())
    names = {op.name for op in lowered.ops}
    return Lowered(lowered, interface, {n: r for n, r in islands.reasons.items() if n in names} if quantized else {})
