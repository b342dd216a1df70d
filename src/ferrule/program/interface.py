"""How the model's inputs and outputs map to the program's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ferrule.program.tensor import DType, Tensor


@dataclass(frozen=True)
class Port:
    """One input or output: the model's tensor, and the program's that carries it.

    `perm`: axis k of the program's tensor is axis perm[k] of the model's (None: the same). Where the model's is float
    and the program's is not, values are converted by the program tensor's scale; `away` rounds halves away from zero
    (TFLite), else to even. uint8 against int8 codes differ by 128.
    """

    model: Tensor
    tensor: str
    perm: tuple[int, ...] | None = None
    away: bool = False

    def permuted(self, perm: tuple[int, ...], tensor: str) -> Port:
        """The port when the program takes one more permutation of its tensor."""
        before = self.perm if self.perm is not None else tuple(range(len(perm)))
        after = tuple(before[p] for p in perm)
        return replace(self, tensor=tensor, perm=None if after == tuple(range(len(after))) else after)


@dataclass(frozen=True)
class Interface:
    """All ports in the model's order."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    def to_program(self, arrays: Mapping[str, np.ndarray], tensors: Mapping[str, Tensor]) -> dict[str, np.ndarray]:
        """Turn the model's arrays [N, *shape] into the program's."""
        return {p.tensor: encode(p, arrays[p.model.name], tensors[p.tensor]) for p in self.inputs}

    def to_model(self, arrays: Mapping[str, np.ndarray], tensors: Mapping[str, Tensor]) -> dict[str, np.ndarray]:
        """Turn the program's outputs [N, *shape] into the model's."""
        return {p.model.name: decode(p, arrays[p.tensor], tensors[p.tensor]) for p in self.outputs}


def encode(port: Port, array: np.ndarray, tensor: Tensor) -> np.ndarray:
    """A model's samples [N, *shape] as the program's tensor takes them."""
    if port.perm is not None:
        array = array.transpose(0, *(1 + p for p in port.perm))
    array = array.reshape(array.shape[0], *tensor.shape)
    if port.model.dtype is tensor.dtype:
        return np.ascontiguousarray(array)
    if port.model.dtype is DType.FLOAT32:
        ratio = array.astype(np.float32) / np.float32(tensor.scale)
        rounded = np.trunc(ratio + np.copysign(np.float32(0.5), ratio)) if port.away else np.rint(ratio)
        low, high = tensor.dtype.bounds
        codes = np.clip(np.nan_to_num(rounded.astype(np.float64)) + tensor.zero_point, low, high)
        return np.ascontiguousarray(codes.astype(tensor.dtype.numpy))
    shift = 128 * ((tensor.dtype is DType.UINT8) - (port.model.dtype is DType.UINT8))
    return np.ascontiguousarray((array.astype(np.int64) + shift).astype(tensor.dtype.numpy))


def decode(port: Port, array: np.ndarray, tensor: Tensor) -> np.ndarray:
    """The program's samples [N, *shape] as the model's tensor."""
    if port.perm is not None:
        inverse = [port.perm.index(k) for k in range(len(port.perm))]
        array = array.transpose(0, *(1 + p for p in inverse))
    array = array.reshape(array.shape[0], *port.model.shape)
    if port.model.dtype is tensor.dtype:
        return np.ascontiguousarray(array)
    if port.model.dtype is DType.FLOAT32:
        real = (array.astype(np.int64) - tensor.zero_point).astype(np.float32) * np.float32(tensor.scale)
        return np.ascontiguousarray(real)
    shift = 128 * ((port.model.dtype is DType.UINT8) - (tensor.dtype is DType.UINT8))
    return np.ascontiguousarray((array.astype(np.int64) + shift).astype(port.model.dtype.numpy))
