"""What an operator's reader sees of a source node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ferrule.program.op import OpError


@dataclass(frozen=True)
class OnnxNode:
    """An ONNX node without protobuf: attributes are int, float, str, list of these, or numpy arrays (tensors).

    `opset` is the version of the node's domain. Input names are those of the builder; absent optional inputs are
    None. `outputs` holds None for optional outputs that nobody wants.
    """

    name: str
    kind: str
    opset: int
    inputs: tuple[str | None, ...]
    outputs: tuple[str | None, ...]
    attributes: Mapping[str, Any]
    domain: str = ""

    def attribute(self, name: str, default: Any = None) -> Any:
        """The attribute's value, or the default where the node does not set it."""
        return self.attributes.get(name, default)

    def ints(self, name: str, default: list[int] | None = None) -> list[int] | None:
        """An integer list attribute."""
        value = self.attributes.get(name)
        return default if value is None else [int(v) for v in np.asarray(value).reshape(-1)]

    def input(self, index: int) -> str | None:
        """The input's name, None where absent."""
        return self.inputs[index] if index < len(self.inputs) else None

    def need(self, index: int) -> str:
        """The input's name; OpError where it is absent."""
        name = self.input(index)
        if name is None:
            raise OpError(f"input {index} is missing")
        return name


@dataclass(frozen=True)
class TfliteNode:
    """A TFLite operator: `options` as snake_case names of the schema with plain values, enums as their names."""

    name: str
    kind: str
    version: int
    inputs: tuple[str | None, ...]
    outputs: tuple[str, ...]
    options: Mapping[str, Any]

    def option(self, name: str, default: Any = None) -> Any:
        """The option's value, or the default."""
        return self.options.get(name, default)

    def input(self, index: int) -> str | None:
        """The input's name, None where absent."""
        return self.inputs[index] if index < len(self.inputs) else None

    def need(self, index: int) -> str:
        """The input's name; OpError where it is absent."""
        name = self.input(index)
        if name is None:
            raise OpError(f"input {index} is missing")
        return name
