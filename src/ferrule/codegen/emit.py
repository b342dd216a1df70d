"""Writes program and plan as C: header, code, data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ferrule.codegen.blob import Blob, stored
from ferrule.codegen.options import Options
from ferrule.codegen.text import Parts, code_text, data_text, header_text
from ferrule.kernels.kernel import Field, Kernel
from ferrule.program.c_names import comment, identifier
from ferrule.program.geometry import Box, geometry
from ferrule.program.op import Op, Site
from ferrule.program.plan import Copy, Fill, Plan, Step, View
from ferrule.program.program import Program
from ferrule.program.tensor import Tensor

COPY_STEM = "fr_copy"


@dataclass(frozen=True)
class Sources:
    """File name to text, the weights blob, and the stems of the kernels used."""

    files: Mapping[str, str]
    blob: bytes
    stems: tuple[str, ...]


@dataclass
class _Writer:
    """Collects what the files are made of while the plan is walked."""

    program: Program
    plan: Plan
    kernel_of: Callable[[Op], Kernel]
    options: Options
    blob: Blob
    structs: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    stems: dict[str, None] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.options.name

    def use(self, stem: str) -> None:
        self.stems.setdefault(stem)

    def parts(self) -> Parts:
        """What the text of the code is made of."""
        address = {name: self.arena_offset(view) for name, view in self.plan.views.items()}
        return Parts(
            self.program, self.plan, self.options, self.blob, self.structs, self.steps, tuple(self.stems), address
        )

    # -- addresses ---------------------------------------------------------------------------------------------

    def view(self, name: str, box: Box | None = None) -> str:
        """The initializer of the view of a tensor, or of a box of it."""
        tensor = self.program.tensors[name]
        shape = geometry(tensor)
        if name in self.plan.views:
            at = self.plan.views[name]
            base = self.arena_offset(at)
            start = "ctx->arena"
        else:
            at = View(name, "", 0, shape.row_bytes, shape.pixel_bytes, max(shape.rows, 1), shape.rows)
            base, start = self.blob.add(stored(self.program.constants[name])), "weights"
        height = at.height
        if box is not None:
            base += box.row * at.pitch + box.pixel * at.pixel + box.channel * shape.element_bytes
            height = box.rows
        slots = max(height, 1) if at.slots == max(at.height, 1) else at.slots
        address = f"ctx->arena + {base}" if start == "ctx->arena" else f"FR_CONST({base})"
        return f"{{{address}, {at.pitch}, {at.pixel}, {slots}, {height}}}"

    def arena_offset(self, at: View) -> int:
        """Byte offset of slot 0 in the arena."""
        buffer = self.plan.buffers.get(at.buffer)
        return at.offset + (buffer.offset if buffer is not None else 0)

    # -- steps -------------------------------------------------------------------------------------------------

    def step(self, index: int, action: Step | Copy | Fill) -> None:
        """Write one action as a static function."""
        body = self._call(index, action) if isinstance(action, Step) else self._carry(action)
        title = self._title(action)
        lines = [f"/* {title} */", f"static void step_{index}(const {self.name}_context *ctx)", "{", *body, "}", ""]
        self.steps.append("\n".join(lines))

    def _title(self, action: Step | Copy | Fill) -> str:
        if isinstance(action, Copy) and not action.op:
            return f"keep state: {comment(action.source)} -> {comment(action.target)}"
        op = self._op(action.op)
        verb = {Step: "", Copy: " (copy)", Fill: " (border)"}[type(action)]
        return f"{op.kind}{verb}: {comment(', '.join(op.origin) or op.name)}"

    def _op(self, name: str) -> Op:
        return self.ops[name]

    @property
    def ops(self) -> Mapping[str, Op]:
        if not hasattr(self, "_ops"):
            self._ops = {op.name: op for op in self.program.ops}
        return self._ops

    def _call(self, index: int, step: Step) -> list[str]:
        op = self._op(step.op)
        site, kernel = self.program.site(op), self.kernel_of(op)
        self.use(kernel.stem)
        for stem in kernel.needs:
            self.use(stem)
        fields = list(kernel.fields(site))
        self.structs.append(self._struct(index, kernel, fields, op))
        lines, arguments = self._operands(kernel, site)
        if self.options.binary_weights and any(f.is_pointer and f.value is not None for f in fields):
            lines.append(f"    {kernel.struct} op = op_{index};")
            for f in fields:
                if f.is_pointer and f.value is not None:
                    lines.append(f"    op.{f.name} = ({f.ctype})FR_CONST({self._pointer(f)});")
            arguments.append("&op")
        else:
            arguments.append(f"&op_{index}")
        work = "NULL" if step.workspace is None else f"ctx->arena + {self.plan.buffers[step.workspace].offset}"
        arguments += [str(step.rows[0]), str(step.rows[1]), work]
        if "ctx->" not in "".join(lines) + work:
            lines.append("    (void)ctx;")
        lines.append(f"    {kernel.function}({', '.join(arguments)});")
        return lines

    def _operands(self, kernel: Kernel, site: Site) -> tuple[list[str], list[str]]:
        lines, arguments = [], []
        for number, tensor in enumerate(site.outputs):
            letter = "y" if len(site.outputs) == 1 else f"y{number}"
            lines.append(f"    const fr_view {letter} = {self.view(tensor.name)};")
            arguments.append(f"&{letter}")
        names = [n for i in kernel.operands(site) if (n := site.op.inputs[i]) is not None]
        if kernel.variadic:
            inner = ",\n        ".join(self.view(n) for n in names)
            lines.append(f"    const fr_view x[{len(names)}] = {{\n        {inner}}};")
            arguments.append("x")
        else:
            for number, name in enumerate(names):
                letter = "x" if len(names) == 1 else f"x{number}"
                lines.append(f"    const fr_view {letter} = {self.view(name)};")
                arguments.append(f"&{letter}")
        return lines, arguments

    def _carry(self, action: Copy | Fill) -> list[str]:
        self.use(COPY_STEM)
        if isinstance(action, Copy):
            source, target = self.program.tensors[action.source], self.program.tensors[action.target]
            return [
                f"    const fr_view y = {self.view(action.target, action.target_box)};",
                f"    const fr_view x = {self.view(action.source, action.source_box)};",
                f"    static const fr_box to = {_box(action.target_box, target)};",
                f"    static const fr_box from = {_box(action.source_box, source)};",
                "    fr_copy(&y, &x, &to, &from);",
            ]
        tensor, hole = self.program.tensors[action.target], action.hole
        shape = geometry(tensor)
        value = np.asarray(action.value).astype(tensor.dtype.numpy).tobytes().ljust(8, b"\0")
        numbers = [
            shape.rows, shape.width, shape.channels, shape.element_bytes,
            hole.row, hole.pixel, hole.channel, hole.rows, hole.width, hole.channels,
        ]  # fmt: skip
        joined = ", ".join(map(str, numbers))
        return [
            f"    const fr_view y = {self.view(action.target)};",
            f"    static const fr_border border = {{{joined}, {{{', '.join(map(str, value))}}}}};",
            "    fr_fill_border(&y, &border);",
        ]

    # -- constants ---------------------------------------------------------------------------------------------

    def _pointer(self, f: Field) -> int:
        assert isinstance(f.value, np.ndarray)
        return self.blob.add(f.value)

    def _struct(self, index: int, kernel: Kernel, fields: Sequence[Field], op: Op) -> str:
        lines = [f"/* {op.kind}: {comment(op.name)} */", f"static const {kernel.struct} op_{index} = {{"]
        for number, f in enumerate(fields):
            comma = "," if number + 1 < len(fields) else ""
            note = f" {comment(f.comment)}" if f.comment else ""
            lines.append(f"    {self._value(f)}{comma} /* {f.name}{note} */")
        return "\n".join([*lines, "};", ""])

    def _value(self, f: Field) -> str:
        if f.is_pointer:
            if f.value is None or (isinstance(f.value, np.ndarray) and f.value.size == 0):
                return "NULL"
            if self.options.binary_weights:
                self._pointer(f)
                return "NULL"
            return f"({f.ctype})FR_CONST({self._pointer(f)})"
        if isinstance(f.value, tuple):
            return "{" + ", ".join(literal(v, f.ctype) for v in f.value) + "}"
        assert isinstance(f.value, int | float | np.number)
        return literal(f.value, f.ctype)


def _box(box: Box, tensor: Tensor) -> str:
    return f"{{{box.rows}, {box.width}, {box.channels * tensor.dtype.size_bytes}}}"


def literal(value: float | int | np.number, ctype: str) -> str:
    """A number as C writes it."""
    if ctype.startswith(("float", "double")):
        number = float(value)
        suffix = "f" if ctype.startswith("float") else ""
        if math.isinf(number):
            return "INFINITY" if number > 0 else "-INFINITY"
        if math.isnan(number):
            return "NAN"
        text = repr(float(np.float32(number)) if suffix else number)
        return text + suffix if any(c in text for c in ".e") else f"{text}.0{suffix}"
    whole = int(value)
    if ctype.startswith("int64_t"):
        return "INT64_MIN" if whole == -(2**63) else f"INT64_C({whole})"
    if not -(2**31) <= whole < 2**31:
        raise ValueError(f"{whole} does not fit {ctype}")
    return "INT32_MIN" if whole == -(2**31) else str(whole)


def emit(
    program: Program, plan: Plan, kernel_of: Callable[[Op], Kernel], options: Options, selftest: str = ""
) -> Sources:
    """Return the C of a planned program; kernels' own sources are added by the caller by their stems."""
    writer = _Writer(program, plan, kernel_of, options, Blob(bytes.fromhex(options.model_hash)))
    for index, action in enumerate(plan.body):
        writer.step(index, action)
    lower = identifier(options.name)
    for name in (*program.outputs, *(s.initial for s in program.states)):
        if name in program.constants:
            writer.blob.add(stored(program.constants[name]))
    files = {
        f"{lower}.h": header_text(writer.program, plan, options, writer.blob),
        f"{lower}.c": code_text(writer.parts(), selftest),
    }
    blob = writer.blob.packed()
    if not options.binary_weights:
        files[f"{lower}_data.c"] = data_text(blob, options)
    return Sources(files, blob, tuple(writer.stems))
