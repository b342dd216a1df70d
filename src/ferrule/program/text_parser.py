"""Reads the text form of a program, statement by statement."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from ferrule.program.op import Array, Op, OpError
from ferrule.program.program import Program, State
from ferrule.program.tensor import DType, Quant, Role, Tensor
from ferrule.program.text_tokens import Reader, Token, Value, value_text

LARGEST_CONSTANT = 1 << 31
"""Bytes; a text that asks for more is refused before memory is taken."""


class Parser:
    """Reads one text; `program` gives what it says."""

    def __init__(self, text: str, kinds: Mapping[str, type[Op]]) -> None:
        self.reader = Reader(text)
        self.kinds = kinds
        self.tensors: dict[str, Tensor] = {}
        self.constants: dict[str, Array] = {}
        self.ops: list[Op] = []
        self.inputs: list[str] = []
        self.states: list[State] = []
        self.read: list[tuple[str, int]] = []
        self.computed: dict[str, bool] = {}

    def program(self) -> Program:
        """Read the whole text."""
        reader = self.reader
        while reader.accept("\n"):
            pass
        reader.expect("program")
        name = reader.name("the program's name")
        self._end_of_line()
        outputs: list[str] = []
        while reader.peek().kind != "end":
            if reader.accept("\n"):
                continue
            if self._is_word("return"):
                outputs = self._returned()
                break
            self._statement()
        while reader.accept("\n"):
            pass
        if reader.peek().kind != "end":
            reader.fail("something stands after `return`")
        for used, at in self.read:
            if used not in self.tensors:
                reader.fail(f"tensor {used!r} is not declared", at)
        for output in outputs:
            if self.computed.get(output):
                self.tensors[output] = self.tensors[output].but(role=Role.OUTPUT)
        return Program(
            name,
            self.tensors,
            tuple(self.ops),
            tuple(self.inputs),
            tuple(outputs),
            self.constants,
            tuple(self.states),
        )

    def _is_word(self, word: str) -> bool:
        """Whether a statement of this word begins: `return`, or `input x`, but not `input = ...`."""
        reader, token = self.reader, self.reader.peek()
        if token.kind != "name" or token.text != word:
            return False
        following = reader.tokens[min(reader.next + 1, len(reader.tokens) - 1)]
        return following.kind in ("name", "string") or (word == "return" and following.kind in ("newline", "end"))

    def _end_of_line(self) -> None:
        if not self.reader.accept("\n"):
            self.reader.fail("the line should end here")

    def _used(self) -> str:
        at = self.reader.peek().at
        name = self.reader.name("a tensor's name")
        self.read.append((name, at))
        return name

    def _returned(self) -> list[str]:
        self.reader.expect("return")
        names: list[str] = []
        if self.reader.peek().kind != "newline":
            names.append(self._used())
            while self.reader.accept(","):
                names.append(self._used())
        self._end_of_line()
        return names

    def _statement(self) -> None:
        reader = self.reader
        if self._is_word("input"):
            reader.take()
            self.inputs.append(self._declaration(Role.INPUT))
        elif self._is_word("temp"):
            reader.take()
            self._declaration(Role.TEMP)
        elif self._is_word("state"):
            reader.take()
            before = self._declaration(Role.STATE)
            reader.expect("=")
            initial = self._used()
            reader.expect(",")
            self.states.append(State(before, self._used(), initial))
        elif self._is_word("const"):
            reader.take()
            name = self._declaration(Role.CONST)
            reader.expect("=")
            self.constants[name] = self._constant(self.tensors[name])
        else:
            self._op()
        self._end_of_line()

    def _declaration(self, usual: Role) -> str:
        at = self.reader.peek().at
        name = self.reader.name("a tensor's name")
        self.reader.expect(":")
        return self._typed(name, at, usual)

    def _typed(self, name: str, at: int, usual: Role) -> str:
        """Read `float32[1,2] scale=... zero=...` and declare the tensor."""
        reader = self.reader
        if name in self.tensors:
            reader.fail(f"tensor {name!r} is declared twice", at)
        token = reader.take()
        if token.text not in {d.value for d in DType}:
            reader.fail(f"{token.text[:40]!r} is no element type", token.at)
        if reader.peek().text != "[":
            reader.fail("a shape is expected")
        shape = reader.value()
        if not isinstance(shape, tuple) or any(type(d) is not int or d < 0 for d in shape):
            reader.fail("a shape is a list of integers from 0 on", token.at)
        words = self._words({"scale", "zero", "axis", "role", "origin"})
        role, origin = words.get("role", (usual.value, token)), words.get("origin", ((name,), token))
        if role[0] not in {r.value for r in Role}:
            reader.fail(f"{role[0]!r} is no role", role[1].at)
        if not _fits(origin[0], tuple[str, ...]):
            reader.fail("origin is a list of strings", origin[1].at)
        self.computed[name] = usual is Role.TEMP and "role" not in words
        dims: Any = shape
        source: Any = origin[0]
        self.tensors[name] = Tensor(name, dims, DType(token.text), self._quant(words, token), Role(role[0]), source)
        return name

    def _quant(self, words: Mapping[str, tuple[Value, Token]], token: Token) -> Quant | None:
        if not words.keys() & {"scale", "zero", "axis"}:
            return None
        if not words.keys() >= {"scale", "zero"}:
            self.reader.fail("a quantized tensor has a scale and a zero point", token.at)
        scale, zero = words["scale"][0], words["zero"][0]
        axis = words["axis"][0] if "axis" in words else None
        scales = scale if isinstance(scale, tuple) else (scale,)
        zeros = zero if isinstance(zero, tuple) else (zero,) * len(scales)
        if any(type(s) not in (int, float) for s in scales) or any(type(z) is not int for z in zeros):
            self.reader.fail("scales are real numbers, zero points are integers", words["scale"][1].at)
        if axis is not None and type(axis) is not int:
            self.reader.fail("the axis is an integer", words["axis"][1].at)
        real = tuple(float(s) for s in scales)  # type: ignore[arg-type]
        whole: Any = zeros
        try:
            return Quant(real, whole, axis)
        except ValueError as error:
            self.reader.fail(str(error), words["scale"][1].at)

    def _words(self, allowed: set[str]) -> dict[str, tuple[Value, Token]]:
        """Read `word=value` pairs."""
        reader, found = self.reader, dict[str, tuple[Value, Token]]()
        while reader.peek().kind == "name":
            token = reader.take()
            if token.text not in allowed:
                reader.fail(f"{token.text!r} is not known here (known: {', '.join(sorted(allowed))})", token.at)
            if token.text in found:
                reader.fail(f"{token.text!r} is given twice", token.at)
            reader.expect("=")
            found[token.text] = (reader.value(), token)
        return found

    def _constant(self, tensor: Tensor) -> Array:
        reader, token, dtype = self.reader, self.reader.take(), tensor.dtype
        if tensor.size_bytes > LARGEST_CONSTANT:
            reader.fail(f"a constant of {tensor.size_bytes} bytes is too large", token.at)
        if token.kind == "hex":
            digits = token.text[4:-1]
            if len(digits) != 2 * tensor.size_bytes:
                reader.fail(f"{len(digits)} hex digits do not fill {tensor.size_bytes} bytes", token.at)
            array = np.frombuffer(bytes.fromhex(digits), dtype.numpy.newbyteorder("<")).astype(dtype.numpy)
        elif token.text == "splat":
            reader.expect("(")
            array = np.full(tensor.elements, self._elements([reader.value()], dtype, token)[0])
            reader.expect(")")
        elif token.text == "[":
            reader.next -= 1
            values = reader.value()
            array = self._elements(list(values) if isinstance(values, tuple) else [], dtype, token)
            if array.size != tensor.elements:
                reader.fail(f"{array.size} elements are given, {tensor.elements} are needed", token.at)
        else:
            reader.fail('a constant is a list, splat(...) or hex"..."', token.at)
        array = array.reshape(tensor.shape)
        array.setflags(write=False)
        return array

    def _elements(self, values: list[Value], dtype: DType, token: Token) -> Array:
        low, high = (0, 0) if dtype.is_float else dtype.bounds
        for value in values:
            if dtype is DType.BOOL:
                fits = isinstance(value, bool)
            elif dtype.is_float:
                fits = type(value) in (int, float)
            else:
                fits = type(value) is int and low <= value <= high
            if not fits:
                self.reader.fail(f"{value!r} is no element of type {dtype.value}", token.at)
        with np.errstate(over="ignore"):
            return np.asarray([float(v) if dtype.is_float else v for v in values], dtype.numpy)  # type: ignore[arg-type]

    def _op(self) -> None:
        reader = self.reader
        name = None
        if self._is_word("op"):
            reader.take()
            name = reader.name("the op's name")
        outputs: list[str] = []
        untyped: list[tuple[int, int]] = []
        while not reader.accept("="):
            at = reader.peek().at
            result = reader.name("a tensor's name or `=`")
            outputs.append(result)
            if reader.accept(":"):
                self._typed(result, at, Role.TEMP)
            else:
                untyped.append((len(outputs) - 1, at))
            if not reader.accept(","):
                reader.expect("=")
                break
        token = reader.take()
        kind = self.kinds.get(token.text)
        if kind is None or token.kind != "name":
            reader.fail(f"{token.text[:40]!r} is no operator", token.at)
        if name is None and not outputs:
            reader.fail("an op without results needs a name", token.at)
        inputs = self._arguments()
        words = self._words({*kind.attribute_names(), "origin"})
        op = self._made(kind, name or outputs[0], inputs, tuple(outputs), words, token)
        self.ops.append(op)
        if untyped:
            self._inferred(op, untyped, token)

    def _arguments(self) -> tuple[str | None, ...]:
        reader, inputs = self.reader, list[str | None]()
        reader.expect("(")
        while not reader.accept(")"):
            inputs.append(None if reader.accept("none") else self._used())
            if not reader.accept(","):
                reader.expect(")")
                break
        return tuple(inputs)

    def _made(
        self,
        kind: type[Op],
        name: str,
        inputs: tuple[str | None, ...],
        outputs: tuple[str, ...],
        words: dict[str, tuple[Value, Token]],
        token: Token,
    ) -> Op:
        hints = get_type_hints(kind)
        for word, (value, at) in words.items():
            hint = tuple[str, ...] if word == "origin" else hints[word]
            if not _fits(value, hint):
                self.reader.fail(f"{value_text(value)[:60]} is no value for {word!r} of {kind.kind}", at.at)
        missing = [f.name for f in attributes(kind) if f.default is MISSING and f.name not in words]
        if missing:
            self.reader.fail(f"{kind.kind} needs {', '.join(missing)}", token.at)
        given: dict[str, Any] = {"origin": (name,), **{word: value for word, (value, _) in words.items()}}
        return kind(name=name, inputs=inputs, outputs=outputs, **given)

    def _inferred(self, op: Op, untyped: list[tuple[int, int]], token: Token) -> None:
        unknown = [n for n in op.inputs if n is not None and n not in self.tensors]
        if unknown:
            self.reader.fail(f"tensor {unknown[0]!r} must be declared before a type follows from it", token.at)
        tensors = [None if n is None else self.tensors[n] for n in op.inputs]
        try:
            made = op.infer(tensors, [None if n is None else self.constants.get(n) for n in op.inputs])
        except (OpError, ValueError, IndexError, TypeError) as error:
            self.reader.fail(f"{op.kind} {error}", token.at)
        for index, at in untyped:
            result = op.outputs[index]
            if result in self.tensors:
                self.reader.fail(f"tensor {result!r} is declared twice", at)
            if index >= len(made):
                self.reader.fail(f"{op.kind} makes {len(made)} results", at)
            self.computed[result] = True
            self.tensors[result] = Tensor(result, made[index].shape, made[index].dtype, None, Role.TEMP, (result,))


def _fits(value: object, hint: Any) -> bool:
    """Whether an attribute's value is of its field's type; a real number may be written as an integer."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, h) for h in get_args(hint))
    if origin is Literal:
        return value in get_args(hint) and isinstance(value, str)
    if origin is tuple:
        inner = get_args(hint)
        if not isinstance(value, tuple):
            return False
        if len(inner) == 2 and inner[1] is Ellipsis:
            return all(_fits(v, inner[0]) for v in value)
        return len(inner) == len(value) and all(_fits(v, h) for v, h in zip(value, inner, strict=True))
    if hint is type(None):
        return value is None
    if hint is float:
        return type(value) in (int, float) and not (isinstance(value, int) and abs(value) > 2**62)
    if hint in (int, str, bool):
        return type(value) is hint
    return is_dataclass(hint) and isinstance(value, hint)  # type: ignore[arg-type]


def attributes(kind: type[Op]) -> list[Field[Any]]:
    """The operator's own fields."""
    own = kind.attribute_names()
    return [f for f in fields(kind) if f.name in own]
