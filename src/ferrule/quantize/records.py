"""What the quantizer is asked and what it hands back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ferrule.diagnostics import Finding
from ferrule.quantize.ranges import MinMax, Range, RangeProvider

if TYPE_CHECKING:
    import onnx_ir as ir


@dataclass(frozen=True)
class QuantizeOptions:
    """How to quantize.

    `provider` makes the object that turns samples into ranges. `concat_ratio` is the ratio of spans beyond which a
    Concat joins what one scale cannot serve; `similar_ratio` that up to which tensors take one scale so that a Concat
    need not compute; `threads` how many samples are run at once (the result does not depend on it).
    """

    provider: Callable[[], RangeProvider] = MinMax
    concat_ratio: float = 8.0
    similar_ratio: float = 1.25
    threads: int = 2


@dataclass(frozen=True)
class QuantizeResult:
    """The QDQ model, the ranges by tensor name, the nodes that stay float with the reason, and the findings."""

    model: ir.Model
    ranges: Mapping[str, Range]
    kept_float: Mapping[str, str]
    findings: tuple[Finding, ...]
