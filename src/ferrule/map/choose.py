"""Gives each op its engine and kernel, with the reasons."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from dataclasses import dataclass

from ferrule.diagnostics import Finding, Refusal
from ferrule.kernels.kernel import Kernel, select
from ferrule.kernels.table import KERNELS
from ferrule.map.findings import NO_KERNEL
from ferrule.program.mapping import Mapping, Placement
from ferrule.program.op import Op
from ferrule.program.program import Program


@dataclass(frozen=True)
class Choice:
    """The mapping, and the kernel of each op (None for one that only carries bytes)."""

    mapping: Mapping
    kernels: MappingOf[str, Kernel | None]

    def kernel(self, op: Op) -> Kernel:
        """The kernel of an op that has one."""
        kernel = self.kernels[op.name]
        assert kernel is not None, f"{op.name} has no kernel"
        return kernel


def choose(program: Program, target: str, engine: str = "cpu") -> Choice:
    """Map every op to the CPU with its first fitting kernel; Refusal FER510 with all ops that have none."""
    kernels: dict[str, Kernel | None] = {}
    placements: dict[str, Placement] = {}
    findings: list[Finding] = []
    for op in program.ops:
        site = program.site(op)
        carried = op.is_reshape(site) or op.moves(site) is not None
        kernel, reasons = (None, ()) if carried else select(KERNELS, site)
        kernels[op.name] = kernel
        placements[op.name] = Placement(engine, {})
        if kernel is None and not carried:
            types = ", ".join(f"{t.dtype.value}{list(t.shape)}" for t in site.inputs if t is not None)
            node = op.origin[0] if op.origin else op.name
            findings.append(NO_KERNEL.at(node, f"no kernel runs `{op.kind}` of {types}", stage="map", notes=reasons))
    if findings:
        raise Refusal(*findings)
    return Choice(Mapping(target, placements), kernels)
