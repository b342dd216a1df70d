"""Ops whose inputs are all constant become constants."""

from __future__ import annotations

from dataclasses import dataclass

from ferrule.ops.dequantize import Dequantize
from ferrule.program.edit import Editor

MAX_ELEMENTS = 1 << 26


@dataclass(frozen=True)
class FoldConstants:
    """Evaluates with the operators' references. A dequantize stays while it may still give its scale to an int op."""

    dequantize: bool = False

    def run(self, edit: Editor) -> None:
        """Fold in order, so that chains fold in one go."""
        for op in edit.snapshot():
            if not edit.alive(op) or any(n is not None and n not in edit.constants for n in op.inputs):
                continue
            site = edit.site(op)
            large = any(t.elements > MAX_ELEMENTS for t in site.outputs)
            if large or (isinstance(op, Dequantize) and not self.dequantize) or not op.inputs:
                continue
            results = op.reference(site, list(site.constants))
            edit.remove(op)
            for tensor, value in zip(site.outputs, results, strict=True):
                if edit.users(tensor.name) or edit.is_held(tensor.name):
                    name = edit.add_constant(value, f"{tensor.name}:folded", tensor.quant, tensor.dtype)
                    edit.redirect(tensor.name, name)
