"""Instance and group normalization: groups of channels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.transpose import to_channels_first, to_channels_last
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, Site, Type
from ferrule.program.source import OnnxNode
from ferrule.program.tensor import Tensor


@dataclass(frozen=True, kw_only=True)
class GroupNorm(Op):
    """y = (x - mean) / sqrt(variance + epsilon) * scale + bias, channels last: x [N, ..., C], float32.

    Mean and variance are those of one image and one of `groups` equal groups of neighbouring channels. Inputs: x,
    scale [C] or None, bias [C] or None.
    """

    kind = "group_norm"

    groups: int
    epsilon: float

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x = inputs[0]
        if x is None or x.rank < 2 or not x.dtype.is_float:
            raise OpError("normalizes float32 of rank 2 or more")
        if self.groups < 1 or x.shape[-1] % self.groups:
            raise OpError(f"{x.shape[-1]} channels do not divide into {self.groups} groups")
        for extra in inputs[1:]:
            if extra is not None and extra.shape != x.shape[-1:]:
                raise OpError(f"a scale or bias of shape {list(extra.shape)} does not fit {x.shape[-1]} channels")
        return (Type(x.shape, x.dtype),)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x, scale, bias = (None if v is None else v.astype(np.float64) for v in (*values, None, None)[:3])
        assert x is not None
        parts = x.reshape(x.shape[0], -1, self.groups, x.shape[-1] // self.groups)
        centred = parts - parts.mean((1, 3), keepdims=True)
        out = centred / np.sqrt((centred * centred).mean((1, 3), keepdims=True) + self.epsilon)
        out = out.reshape(x.shape)
        out = out if scale is None else out * scale
        out = out if bias is None else out + bias
        return (out.astype(np.float32),)

    def in_place(self, site: Site) -> tuple[tuple[int, int], ...]:
        return ((0, 0),)


def _parameters(node: OnnxNode, build: Builder, channels: int, groups: int) -> list[str | None]:
    """Scale and bias per channel; GroupNormalization before opset 21 gives one for each group."""
    made: list[str | None] = []
    for index in (1, 2):
        name = node.need(index)
        value = build.value(name)
        if build.tensor(name).shape == (groups,) and groups != channels:
            if value is None:
                raise OpError("a scale or bias of each group is computed at run time")
            name = build.constant(np.repeat(value, channels // groups), f"{name}:channels")
        made.append(name)
    return made


def _emit(node: OnnxNode, build: Builder, groups: int, parameters: list[str | None], epsilon: float) -> None:
    (out,) = build.emit(
        GroupNorm,
        (to_channels_last(build, node.need(0), node), *parameters),
        name=node.name,
        groups=groups,
        epsilon=float(np.float32(epsilon)),
    )
    to_channels_first(build, out, node, node.outputs[0])


def from_onnx_instance(node: OnnxNode, build: Builder) -> None:
    """Read InstanceNormalization: every channel is a group."""
    channels = build.tensor(node.need(0)).shape[1]
    _emit(node, build, channels, [node.need(1), node.need(2)], float(node.attribute("epsilon", 1e-5)))


def from_onnx_group(node: OnnxNode, build: Builder) -> None:
    """Read GroupNormalization."""
    channels, groups = build.tensor(node.need(0)).shape[1], int(node.attribute("num_groups", 1))
    if groups < 1 or channels % groups:
        raise OpError(f"{channels} channels do not divide into {groups} groups")
    parameters = _parameters(node, build, channels, groups)
    _emit(node, build, groups, parameters, float(node.attribute("epsilon", 1e-5)))
