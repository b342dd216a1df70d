"""The record that report.json holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ferrule.diagnostics import Finding
from ferrule.program.interface import Interface, Port
from ferrule.program.plan import Plan, Step
from ferrule.program.program import Program
from ferrule.program.tensor import Tensor

SCHEMA = 1


def port_record(port: Port, tensor: Tensor, made_by: Sequence[str]) -> dict[str, Any]:
    """One input or output: the model's shape and type, and the C's."""
    quant = None
    if tensor.quant is not None and not tensor.dtype.is_float:
        quant = {"scale": tensor.scale, "zero_point": tensor.zero_point}
    return {
        "name": port.model.name,
        "shape": list(port.model.shape),
        "type": port.model.dtype.value,
        "c_shape": list(tensor.shape),
        "c_type": tensor.dtype.value,
        "layout": "model" if port.perm is None else "channels last",
        "quantization": quant,
        "producer": list(made_by),
    }


def op_records(
    program: Program, plan: Plan, engines: Mapping[str, str], kernels: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Every op in the plan's order, with what is alive while it runs."""
    at = {op.name: i for i, op in enumerate(program.ops)}
    order = [a.op for a in plan.body if isinstance(a, Step)]
    ops = sorted(program.ops, key=lambda op: at[op.name])
    steps = {name: i for i, name in enumerate(dict.fromkeys([*order, *(op.name for op in ops)]))}
    live = _live_bytes(plan)
    records = []
    for op in ops:
        site = program.site(op)
        tensor = site.outputs[0]
        records.append(
            {
                "name": op.name,
                "kind": op.kind,
                "source_nodes": list(op.origin),
                "engine": engines.get(op.name, "cpu"),
                "kernel": kernels.get(op.name),
                "c_type": tensor.dtype.value,
                "shape": list(tensor.shape),
                "macs": op.macs(site),
                "live_bytes": live.get(steps[op.name], 0),
            }
        )
    return records


def _live_bytes(plan: Plan) -> dict[int, int]:
    live: dict[int, int] = {}
    for buffer in plan.buffers.values():
        for step in range(buffer.first, buffer.last + 1):
            live[step] = live.get(step, 0) + buffer.size
    return live


def interface_record(interface: Interface, program: Program) -> dict[str, list[dict[str, Any]]]:
    """Inputs and outputs."""
    producers = program.producers()

    def made_by(name: str) -> Sequence[str]:
        op = producers.get(name)
        return () if op is None else op.origin

    return {
        "inputs": [port_record(p, program.tensors[p.tensor], ()) for p in interface.inputs],
        "outputs": [port_record(p, program.tensors[p.tensor], made_by(p.tensor)) for p in interface.outputs],
    }


def base_record(
    *,
    version: str,
    model: Mapping[str, Any],
    target: str,
    program: Program,
    interface: Interface,
    plan: Plan,
    engines: Mapping[str, str],
    kernels: Mapping[str, str],
    weights_bytes: int,
    findings: Sequence[Finding],
    islands: Mapping[str, str],
    options: Mapping[str, Any],
    versions: Mapping[str, str],
) -> dict[str, Any]:
    """The fields that `analyze --json` and `report.json` share; `validation` is added by who measured it."""
    ops = op_records(program, plan, engines, kernels)
    return {
        "schema": SCHEMA,
        "ferrule_version": version,
        "model": dict(model),
        "target": target,
        "arena_bytes": plan.arena_bytes,
        "arena_lower_bound": plan.lower_bound,
        "arena_proved": plan.proved,
        "weights_bytes": weights_bytes,
        "macs": sum(op["macs"] for op in ops),
        **interface_record(interface, program),
        "ops": ops,
        "float_ops": [{"name": n, "reason": r} for n, r in islands.items()],
        "steps": len(plan.body),
        "findings": [f.to_json() for f in findings],
        "validation": [],
        "versions": dict(versions),
        "options": dict(options),
    }
