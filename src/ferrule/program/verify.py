"""The laws of a well-formed program."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from ferrule.program.op import Op, OpError, Site, Type
from ferrule.program.program import Program
from ferrule.program.tensor import DType, Role, Tensor


def verify(program: Program) -> list[str]:
    """Return every law that the program breaks, as sentences that name the op or tensor; [] for a sound one.

    Order (each value made once, before it is read), roles, constants, states, quantization, and what each op says of
    its own types. Operators add their own laws through `Op.laws`.
    """
    broken = [*_tensors(program), *_ends(program), *_constants(program), *_states(program)]
    order = _order(program)
    if not order:
        for site in program.sites():
            broken += _types(site)
    return broken + order


def _tensors(program: Program) -> list[str]:
    broken = [f"tensor {t.name} stands under the name {n}" for n, t in program.tensors.items() if n != t.name]
    for tensor in program.tensors.values():
        if any(d < 0 for d in tensor.shape):
            broken.append(f"tensor {tensor.name} has a negative axis in {list(tensor.shape)}")
        broken += [f"tensor {tensor.name} {reason}" for reason in _quant(tensor)]
    return broken


def _quant(tensor: Tensor) -> list[str]:
    quant = tensor.quant
    if quant is None:
        return []
    if tensor.dtype in (DType.FLOAT32, DType.BOOL):
        return [f"is {tensor.dtype.value} and has a scale"]
    broken = []
    if quant.axis is not None:
        if not 0 <= quant.axis < tensor.rank:
            return [f"has its scales along axis {quant.axis} of {tensor.rank}"]
        if len(quant.scale) != tensor.shape[quant.axis]:
            broken.append(f"has {len(quant.scale)} scales for {tensor.shape[quant.axis]} channels")
    if not all(_is_scale(s) for s in quant.scale):
        broken.append("has a scale that is no positive, finite float32")
    low, high = tensor.dtype.bounds
    if any(not low <= z <= high for z in quant.zero_point):
        broken.append(f"has a zero point outside {tensor.dtype.value}")
    return broken


def _is_scale(scale: float) -> bool:
    return math.isfinite(scale) and scale > 0 and float(np.float32(scale)) == scale


def _ends(program: Program) -> list[str]:
    broken = []
    for what, names in (("input", program.inputs), ("output", program.outputs)):
        broken += [f"{what} {n} is listed twice" for n, count in Counter(names).items() if count > 1]
        broken += [f"{what} {n} is no tensor" for n in names if n not in program.tensors]
    for name, tensor in program.tensors.items():
        if (tensor.role is Role.INPUT) != (name in program.inputs):
            broken.append(f"tensor {name} has role {tensor.role.value}, but the inputs are {list(program.inputs)}")
        if tensor.role is Role.OUTPUT and name not in program.outputs:
            broken.append(f"tensor {name} has role output, but is not returned")
        if tensor.role is Role.TEMP and name in program.outputs:
            broken.append(f"tensor {name} is returned, but has role temp")
    return broken


def _constants(program: Program) -> list[str]:
    broken = [f"constant {n} is no tensor" for n in program.constants if n not in program.tensors]
    for name, tensor in program.tensors.items():
        value = program.constants.get(name)
        if (value is not None) != (tensor.role is Role.CONST):
            there = "has a value" if value is not None else "has no value"
            broken.append(f"tensor {name} {there} and role {tensor.role.value}")
        elif value is not None and (value.shape != tensor.shape or value.dtype != tensor.dtype.numpy):
            held = f"{value.dtype}{list(value.shape)}"
            broken.append(f"constant {name} holds {held}, declared {tensor.dtype.value}{list(tensor.shape)}")
        elif (
            value is not None and tensor.dtype is DType.INT4 and value.size and not -8 <= value.min() <= value.max() < 8
        ):
            broken.append(f"constant {name} holds more than 4 bits")
    return broken


def _states(program: Program) -> list[str]:
    broken = []
    befores = [s.before for s in program.states]
    broken += [f"state {n} is listed twice" for n, count in Counter(befores).items() if count > 1]
    for state in program.states:
        missing = [n for n in (state.before, state.after, state.initial) if n not in program.tensors]
        if missing:
            broken += [f"state {state.before}: {n} is no tensor" for n in missing]
            continue
        before = program.tensors[state.before]
        if before.role is not Role.STATE:
            broken.append(f"state {state.before} has role {before.role.value}")
        if state.initial not in program.constants:
            broken.append(f"state {state.before}: its first value {state.initial} is no constant")
        for other in (program.tensors[state.after], program.tensors[state.initial]):
            if (other.shape, other.dtype) != (before.shape, before.dtype):
                broken.append(f"state {state.before} and {other.name} differ in shape or type")
    broken += [
        f"tensor {n} has role state, but no state is read under it"
        for n, t in program.tensors.items()
        if t.role is Role.STATE and n not in befores
    ]
    return broken


def _order(program: Program) -> list[str]:
    """Each value is made once, and before it is read."""
    broken = [f"op {n} is named twice" for n, count in Counter(op.name for op in program.ops).items() if count > 1]
    known = {*program.inputs, *program.constants, *(s.before for s in program.states)}
    for op in program.ops:
        for name in op.inputs:
            if name is not None and name not in program.tensors:
                broken.append(f"{_called(op)} reads {name}, which is no tensor")
            elif name is not None and name not in known:
                broken.append(f"{_called(op)} reads {name} before it is made")
        for name in op.outputs:
            if name not in program.tensors:
                broken.append(f"{_called(op)} makes {name}, which is no tensor")
            elif name in known:
                broken.append(f"{_called(op)} makes {name}, which exists already")
            known.add(name)
    wanted = [*program.outputs, *(s.after for s in program.states)]
    broken += [f"{n} is wanted in the end, but nothing makes it" for n in dict.fromkeys(wanted) if n not in known]
    return broken


def _types(site: Site) -> list[str]:
    op = site.op
    try:
        types = op.infer(site.inputs, site.constants)
        broken = list(op.laws(site))
    except (OpError, ValueError) as error:
        return [f"{_called(op)}: {error}"]
    if len(types) != len(site.outputs):
        return [f"{_called(op)} makes {len(types)} results, {len(site.outputs)} are named"]
    for made, tensor in zip(types, site.outputs, strict=True):
        if made.shape != tensor.shape:
            broken.append(f"makes shape {list(made.shape)}, but {tensor.name} has {list(tensor.shape)}")
        if not _dtype_fits(site, made, tensor):
            broken.append(f"makes {made.dtype.value}, but {tensor.name} is {tensor.dtype.value}")
    return [f"{_called(op)}: {reason}" for reason in broken]


def _dtype_fits(site: Site, made: Type, tensor: Tensor) -> bool:
    """An integer op may give its codes another type than its input's, where both are quantized."""
    if made.dtype is tensor.dtype:
        return True
    first = site.inputs[0] if site.inputs else None
    free = first is not None and first.quant is not None and made.dtype is first.dtype
    return free and tensor.quant is not None and site.is_integer


def _called(op: Op) -> str:
    return f"{op.kind} {op.name}"
