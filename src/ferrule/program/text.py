"""The text form of a program: print and parse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING

import numpy as np

from ferrule.program.op import Array, Op
from ferrule.program.program import Program
from ferrule.program.tensor import DType, Role, Tensor
from ferrule.program.text_parser import Parser, attributes
from ferrule.program.text_tokens import TextError, name_text, value_text

SHORT = 16
"""Constants of at most so many elements are written as a list."""

__all__ = ["TextError", "parse_program", "print_program"]


def print_program(program: Program) -> str:
    """Return the text form: one line for each input, state, constant and op, then what is returned.

    `parse_program` gives the same program back; the order of its `tensors` and `constants` is that of the lines.
    Tensors made by an op are declared in its line. A role or origin is written only where it is not the usual one.
    """
    made = {name for op in program.ops for name in op.outputs}
    states = {s.before: s for s in program.states}
    lines = [f"program {name_text(program.name)}"]
    for name in program.inputs:
        lines.append(f"input {_declared(program.tensors[name], Role.INPUT)}")
    for state in program.states:
        head = _declared(program.tensors[state.before], Role.STATE)
        lines.append(f"state {head} = {name_text(state.initial)}, {name_text(state.after)}")
    for name, tensor in program.tensors.items():
        if name in made or name in program.inputs or name in states:
            continue
        value = program.constants.get(name)
        if value is None:
            lines.append(f"temp {_declared(tensor, Role.OUTPUT if name in program.outputs else Role.TEMP)}")
        else:
            lines.append(f"const {_declared(tensor, Role.CONST)} = {_constant_text(value, tensor.dtype)}")
    lines += [_op_text(op, program) for op in program.ops]
    lines.append(f"return {', '.join(map(name_text, program.outputs))}".rstrip())
    return "\n".join(lines) + "\n"


def _declared(tensor: Tensor, usual: Role) -> str:
    words = [f"{name_text(tensor.name)}: {tensor.dtype.value}[{','.join(map(str, tensor.shape))}]"]
    if tensor.quant is not None:
        scale, zero, axis = tensor.quant.scale, tensor.quant.zero_point, tensor.quant.axis
        if axis is None:
            words += [f"scale={value_text(scale[0])}", f"zero={value_text(zero[0])}"]
        else:
            zeros = zero[0] if len(set(zero)) == 1 else zero
            words += [f"scale={value_text(scale)}", f"zero={value_text(zeros)}", f"axis={axis}"]
    if tensor.role is not usual:
        words.append(f'role="{tensor.role.value}"')
    if tensor.origin != (tensor.name,):
        words.append(f"origin={value_text(tensor.origin)}")
    return " ".join(words)


def _op_text(op: Op, program: Program) -> str:
    results = ", ".join(
        _declared(program.tensors[n], Role.OUTPUT if n in program.outputs else Role.TEMP) for n in op.outputs
    )
    head = "" if op.outputs and op.outputs[0] == op.name else f"op {name_text(op.name)} "
    arguments = ", ".join("none" if n is None else name_text(n) for n in op.inputs)
    words = [f"{head}{results} = {op.kind}({arguments})".replace("  ", " ")]
    for field in attributes(type(op)):
        value = value_text(getattr(op, field.name))
        if field.default is MISSING or value != value_text(field.default):
            words.append(f"{field.name}={value}")
    if op.origin != (op.name,):
        words.append(f"origin={value_text(op.origin)}")
    return " ".join(words)


def _constant_text(value: Array, dtype: DType) -> str:
    flat = np.ascontiguousarray(value).reshape(-1)
    raw = flat.astype(flat.dtype.newbyteorder("<")).tobytes()
    plain = not dtype.is_float or not np.isnan(flat).any()  # a NaN has bits that no number shows
    if plain and flat.size <= SHORT:
        return f"[{', '.join(_element_text(v) for v in flat)}]"
    if plain and raw == raw[: flat.itemsize] * flat.size:
        return f"splat({_element_text(flat[0])})"
    return f'hex"{raw.hex()}"'


def _element_text(value: np.generic) -> str:
    if isinstance(value, np.float32):
        short = str(value)
        return short if np.float32(float(short)) == value else repr(float(value))
    return value_text(value.item())


def parse_program(text: str, kinds: Mapping[str, type[Op]]) -> Program:
    """Read the text form; `kinds` gives the operators by name. TextError with line and column where it is no program.

    An op's result may be written without its type where its operator can infer it: `y = unary(x) function="clip"`.
    """
    return Parser(text, kinds).program()
