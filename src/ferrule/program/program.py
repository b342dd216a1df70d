"""The program: tensors, ops in order, constants, states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ferrule.program.op import Op, Site
from ferrule.program.tensor import Tensor


@dataclass(frozen=True)
class State:
    """A value that lives from run to run: read under `before`, its successor is `after`, first value `initial`."""

    before: str
    after: str
    initial: str


@dataclass(frozen=True)
class Program:
    """A static, typed graph. Treat the mappings as immutable: passes build new programs.

    `ops` stands in an order in which every value is made before it is read.
    """

    name: str
    tensors: Mapping[str, Tensor]
    ops: tuple[Op, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    constants: Mapping[str, np.ndarray] = field(default_factory=dict)
    states: tuple[State, ...] = ()

    def tensor(self, name: str) -> Tensor:
        """Return the tensor of that name."""
        return self.tensors[name]

    def site(self, op: Op) -> Site:
        """Return the op with its tensors and constant inputs."""
        return Site(
            op,
            tuple(None if n is None else self.tensors[n] for n in op.inputs),
            tuple(self.tensors[n] for n in op.outputs),
            tuple(None if n is None else self.constants.get(n) for n in op.inputs),
        )

    def sites(self) -> Iterator[Site]:
        """All ops in order, each in its place."""
        for op in self.ops:
            yield self.site(op)

    def producers(self) -> dict[str, Op]:
        """Which op makes each computed tensor."""
        return {name: op for op in self.ops for name in op.outputs}

    def consumers(self) -> dict[str, list[Op]]:
        """Which ops read each tensor, in order, each once."""
        readers: dict[str, list[Op]] = {}
        for op in self.ops:
            for name in dict.fromkeys(n for n in op.inputs if n is not None):
                readers.setdefault(name, []).append(op)
        return readers

    def but(self, **changes: object) -> Program:
        """Return the program with some fields replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def pruned(self) -> Program:
        """Return the program without ops, tensors and constants that reach no output and no state."""
        alive = set(self.outputs) | {s.after for s in self.states}
        kept: list[Op] = []
        for op in reversed(self.ops):
            if any(n in alive for n in op.outputs):
                kept.append(op)
                alive.update(n for n in op.inputs if n is not None)
        kept.reverse()
        alive |= set(self.inputs) | {s.before for s in self.states} | {s.initial for s in self.states}
        alive |= {n for op in kept for n in op.outputs}
        return self.but(
            ops=tuple(kept),
            tensors={n: t for n, t in self.tensors.items() if n in alive},
            constants={n: c for n, c in self.constants.items() if n in alive},
        )


def evaluate(
    program: Program, inputs: Mapping[str, np.ndarray], states: Mapping[str, np.ndarray] | None = None
) -> dict[str, np.ndarray]:
    """Run the numpy reference; return every tensor by name (constants included).

    `inputs` are dense arrays of each input's shape and dtype. `states` gives the values of the states before this
    run (default: their initial values).
    """
    values: dict[str, np.ndarray] = dict(program.constants)
    for state in program.states:
        given = None if states is None else states.get(state.before)
        values[state.before] = program.constants[state.initial] if given is None else given
    for name in program.inputs:
        tensor, value = program.tensors[name], np.asarray(inputs[name])
        if value.shape != tensor.shape or value.dtype != tensor.dtype.numpy:
            raise ValueError(
                f"input {name}: {value.dtype}{list(value.shape)} given, {tensor.dtype.value}{list(tensor.shape)} wanted"
            )
        values[name] = value
    for op in program.ops:
        site = program.site(op)
        results = op.reference(site, [None if n is None else values[n] for n in op.inputs])
        for tensor, result in zip(site.outputs, results, strict=True):
            if result.shape != tensor.shape or result.dtype != tensor.dtype.numpy:
                raise AssertionError(
                    f"reference of {op.kind} {op.name}: {result.dtype}{list(result.shape)} made, "
                    f"{tensor.dtype.value}{list(tensor.shape)} declared"
                )
            values[tensor.name] = result
    return values


def same_program(a: Program, b: Program) -> bool:
    """Whether both are the same to the last bit of every constant and attribute (NaN is itself)."""
    plain = [repr((p.name, p.ops, p.inputs, p.outputs, p.states, sorted(p.tensors.items()))) for p in (a, b)]
    return (
        plain[0] == plain[1]
        and a.constants.keys() == b.constants.keys()
        and all(v.tobytes() == b.constants[n].tobytes() for n, v in a.constants.items())
        and all((v.shape, v.dtype) == (b.constants[n].shape, b.constants[n].dtype) for n, v in a.constants.items())
    )


def unique_name(wanted: str, taken: Mapping[str, object] | Sequence[str] | set[str]) -> str:
    """Return `wanted`, or `wanted.1`, `wanted.2`, ... where it is taken already."""
    if wanted not in taken:
        return wanted
    number = 1
    while f"{wanted}.{number}" in taken:
        number += 1
    return f"{wanted}.{number}"
