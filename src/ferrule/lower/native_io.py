"""The interface takes and gives the codes themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ferrule.ops.dequantize import Dequantize
from ferrule.ops.quantize import Quantize
from ferrule.ops.requantize import Requantize
from ferrule.program.edit import Editor
from ferrule.program.tensor import DType


@dataclass(frozen=True)
class NativeIo:
    """Quantizes at the program's inputs and dequantizes at its outputs leave the program; the header has the scales.

    A requantize at an input that only turns uint8 codes into int8 goes as well.
    """

    def run(self, edit: Editor) -> None:
        """Drop converters at the ends where every reader wants the same codes."""
        for name in list(edit.inputs):
            self._input(edit, name)
        for name in list(dict.fromkeys(edit.outputs)):
            self._output(edit, name)

    def _input(self, edit: Editor, name: str) -> None:
        users = edit.users(name)
        if not users or edit.is_held(name):
            return
        grids = {(edit.tensors[u.outputs[0]].dtype, edit.tensors[u.outputs[0]].quant) for u in users}
        fits = all(isinstance(u, Quantize) or (isinstance(u, Requantize) and u.requant is None) for u in users)
        if not fits or len(grids) != 1:
            return
        coded = edit.tensors[users[0].outputs[0]]
        if coded.quant is None or not coded.quant.is_per_tensor:
            return
        if isinstance(users[0], Requantize) and not _only_sign(edit.tensors[name].dtype, coded.dtype):
            return
        away = isinstance(users[0], Quantize) and users[0].rounding == "away"
        for user in users:
            edit.remove(user)
            edit.redirect(user.outputs[0], name)
        edit.tensors[name] = edit.tensors[name].but(dtype=coded.dtype, quant=coded.quant)
        edit.ports_in = [replace(p, away=away) if p.tensor == name else p for p in edit.ports_in]

    def _output(self, edit: Editor, name: str) -> None:
        producer = edit.producer(name)
        if not isinstance(producer, Dequantize) or edit.users(name):
            return
        codes = producer.inputs[0]
        assert codes is not None
        quant = edit.tensors[codes].quant
        if quant is None or not quant.is_per_tensor or codes in edit.constants or codes in edit.inputs:
            return
        edit.remove(producer)
        edit.redirect(name, codes)


def _only_sign(a: DType, b: DType) -> bool:
    return {a, b} == {DType.UINT8, DType.INT8}
