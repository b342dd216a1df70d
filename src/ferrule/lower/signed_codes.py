"""Unsigned codes become signed ones, exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ferrule.ops.dequantize import Dequantize
from ferrule.ops.quantize import Quantize
from ferrule.ops.requantize import Requantize
from ferrule.program.edit import Editor
from ferrule.program.tensor import DType, Quant, Tensor


@dataclass(frozen=True)
class SignedCodes:
    """Codes and zero points of uint8 tensors move by 128 to int8: the same real values, one set of kernels.

    Applies to quantized tensors between quantizes, dequantizes and ops that only carry codes. Inputs and outputs of
    the model keep their type; the codes change at the interface.
    """

    def run(self, edit: Editor) -> None:
        """Shift every quantized uint8 tensor of a program in QDQ form."""
        for name, tensor in list(edit.tensors.items()):
            if tensor.dtype is not DType.UINT8 or tensor.quant is None:
                continue
            producer = edit.producer(name)
            users = edit.users(name)
            if not all(isinstance(u, Dequantize | Requantize) or u.keeps_codes for u in users):
                continue
            if producer is not None and not (isinstance(producer, Quantize | Requantize) or producer.keeps_codes):
                continue
            if name in edit.constants:
                edit.constants[name] = (edit.constants[name].astype(np.int16) - 128).astype(np.int8)
            edit.tensors[name] = signed(tensor)
            edit.changed = True
            if isinstance(producer, Quantize | Requantize):
                edit.replace(producer, producer.but(dtype=DType.INT8.value))


def signed(tensor: Tensor) -> Tensor:
    """The tensor with int8 codes for its uint8 ones."""
    quant = tensor.quant
    assert quant is not None
    zero = tuple(z - 128 for z in quant.zero_point)
    return tensor.but(dtype=DType.INT8, quant=Quant(quant.scale, zero, quant.axis))
