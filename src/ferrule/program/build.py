"""Makes a program step by step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ferrule.program.op import Array, Op, OpError, Type
from ferrule.program.program import Program, State, unique_name
from ferrule.program.tensor import DType, Quant, Role, Tensor


class Builder:
    """Collects tensors, constants and ops. Frontends and passes write programs through it; names stay unique."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tensors: dict[str, Tensor] = {}
        self.constants: dict[str, Array] = {}
        self.ops: list[Op] = []
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.states: list[State] = []
        self._op_names: set[str] = set()
        self._producers: dict[str, Op] = {}

    def tensor(self, name: str) -> Tensor:
        """Return a tensor that was declared or made before."""
        return self.tensors[name]

    def value(self, name: str | None) -> Array | None:
        """Return the array of a constant; None where the tensor is absent or computed."""
        return None if name is None else self.constants.get(name)

    def producer(self, name: str) -> Op | None:
        """Return the op that makes a tensor; None for inputs and constants."""
        return self._producers.get(name)

    def declare(self, tensor: Tensor) -> str:
        """Add a tensor under its own name, which must be free."""
        if tensor.name in self.tensors:
            raise ValueError(f"tensor {tensor.name} exists already")
        self.tensors[tensor.name] = tensor
        return tensor.name

    def input(self, name: str, shape: tuple[int, ...], dtype: DType, quant: Quant | None = None) -> str:
        """Add a program input."""
        self.inputs.append(self.declare(Tensor(name, shape, dtype, quant, Role.INPUT, (name,))))
        return name

    def constant(
        self, value: Array, hint: str = "const", quant: Quant | None = None, dtype: DType | None = None
    ) -> str:
        """Add a constant and return its (unique) name. `dtype` is needed for INT4, which numpy does not have."""
        name = unique_name(hint, self.tensors)
        array = np.ascontiguousarray(value).reshape(np.shape(value))
        array.setflags(write=False)
        self.declare(Tensor(name, array.shape, dtype or DType.of(array), quant, Role.CONST, (hint,)))
        self.constants[name] = array
        return name

    def temp(self, hint: str, shape: tuple[int, ...], dtype: DType, quant: Quant | None = None) -> str:
        """Declare a computed tensor under a unique name."""
        name = unique_name(hint, self.tensors)
        return self.declare(Tensor(name, tuple(int(d) for d in shape), dtype, quant, Role.TEMP, (hint,)))

    def emit(
        self,
        kind: type[Op],
        inputs: Sequence[str | None],
        *,
        name: str,
        outputs: Sequence[str | None] | None = None,
        quant: Quant | None = None,
        origin: Sequence[str] = (),
        **attributes: object,
    ) -> tuple[str, ...]:
        """Add an op and return the names of its outputs.

        `outputs`: names for the results; a name that is declared already is filled as declared (its shape must be
        what the op infers), one that is not is declared with the inferred type and `quant`; None (or no list) makes
        a unique temporary. `name` is made unique. OpError where the op cannot be.
        """
        op_name = unique_name(name, self._op_names)
        op = kind(name=op_name, inputs=tuple(inputs), outputs=(), origin=tuple(origin) or (name,), **attributes)
        types = op.infer([None if n is None else self.tensors[n] for n in inputs], [self.value(n) for n in inputs])
        wanted = list(outputs) if outputs is not None else [None] * len(types)
        if len(wanted) > len(types):
            raise OpError(f"{len(wanted)} outputs wanted, {len(types)} made")
        wanted += [None] * (len(types) - len(wanted))
        names = tuple(self._result(op_name, w, t, quant, i) for i, (w, t) in enumerate(zip(wanted, types, strict=True)))
        self._op_names.add(op_name)
        made = op.but(outputs=names)
        self.ops.append(made)
        self._producers.update(dict.fromkeys(names, made))
        return names

    def _result(self, op_name: str, wanted: str | None, made: Type, quant: Quant | None, index: int) -> str:
        if wanted is None:
            hint = f"{op_name}:{index}" if index else f"{op_name}:out"
            return self.temp(hint, made.shape, made.dtype, quant)
        if wanted not in self.tensors:
            return self.declare(Tensor(wanted, made.shape, made.dtype, quant, Role.TEMP, (wanted,)))
        declared = self.tensors[wanted]
        if declared.shape != made.shape:
            raise OpError(f"makes shape {list(made.shape)}, but {wanted} is declared as {list(declared.shape)}")
        return wanted

    def finish(self, outputs: Sequence[str]) -> Program:
        """Return the program with these outputs."""
        for name in outputs:
            if self.tensors[name].role is Role.TEMP:
                self.tensors[name] = self.tensors[name].but(role=Role.OUTPUT)
        return Program(
            self.name,
            dict(self.tensors),
            tuple(self.ops),
            tuple(self.inputs),
            tuple(outputs),
            dict(self.constants),
            tuple(self.states),
        )
