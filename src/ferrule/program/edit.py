"""Changes a program op by op, keeping who reads what."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from ferrule.program.interface import Interface, Port
from ferrule.program.op import Array, Op, Site
from ferrule.program.program import Program, State, unique_name
from ferrule.program.tensor import DType, Quant, Role, Tensor


class Editor:
    """A program that may be changed; `finish` sorts it and drops what nothing needs."""

    def __init__(self, program: Program, interface: Interface) -> None:
        self.name = program.name
        self.tensors: dict[str, Tensor] = dict(program.tensors)
        self.constants: dict[str, Array] = dict(program.constants)
        self.ops: dict[str, Op] = {op.name: op for op in program.ops}
        self.inputs = list(program.inputs)
        self.outputs = list(program.outputs)
        self.states: tuple[State, ...] = program.states
        self.ports_in = list(interface.inputs)
        self.ports_out = list(interface.outputs)
        self.changed = False
        self._producers: dict[str, str] = {n: op.name for op in program.ops for n in op.outputs}
        self._users: dict[str, dict[str, None]] = {}
        self._rank: dict[str, int] = {op.name: i for i, op in enumerate(program.ops)}
        for op in program.ops:
            self._read(op)

    def _read(self, op: Op) -> None:
        for name in op.inputs:
            if name is not None:
                self._users.setdefault(name, {})[op.name] = None

    def copy(self) -> Editor:
        """An editor of the same state; changing one leaves the other alone."""
        other = Editor.__new__(Editor)
        other.__dict__.update({k: copy(v) for k, v in self.__dict__.items()})
        other._users = {k: dict(v) for k, v in self._users.items()}
        return other

    def take(self, other: Editor) -> None:
        """Go on from the state of another editor."""
        self.__dict__.update(other.__dict__)

    def site(self, op: Op) -> Site:
        """The op with its tensors and constants."""
        return Site(
            op,
            tuple(None if n is None else self.tensors[n] for n in op.inputs),
            tuple(self.tensors[n] for n in op.outputs),
            tuple(None if n is None else self.constants.get(n) for n in op.inputs),
        )

    def producer(self, tensor: str | None) -> Op | None:
        """The op that makes a tensor."""
        name = None if tensor is None else self._producers.get(tensor)
        return None if name is None else self.ops[name]

    def users(self, tensor: str) -> list[Op]:
        """The ops that read a tensor."""
        return [self.ops[n] for n in self._users.get(tensor, {})]

    def is_held(self, tensor: str) -> bool:
        """Whether a tensor is an output or takes part in a state, so that it must exist under its own meaning."""
        return tensor in self.outputs or any(tensor in (s.before, s.after) for s in self.states)

    def only_user(self, tensor: str) -> Op | None:
        """The single op that reads a tensor which is not held; else None."""
        users = self.users(tensor)
        return users[0] if len(users) == 1 and not self.is_held(tensor) else None

    def snapshot(self) -> list[Op]:
        """The ops as they are now, in a valid order."""
        return self._sorted()

    def alive(self, op: Op) -> bool:
        """Whether this very op still stands."""
        return self.ops.get(op.name) is op

    def add_constant(self, value: Array, hint: str, quant: Quant | None = None, dtype: DType | None = None) -> str:
        """Add a constant; return its name."""
        name = unique_name(hint, self.tensors)
        array = np.ascontiguousarray(value).reshape(np.shape(value))
        self.tensors[name] = Tensor(name, array.shape, dtype or DType.of(array), quant, Role.CONST, (hint,))
        self.constants[name] = array
        return name

    def add_tensor(self, like: Tensor, hint: str, **changes: object) -> str:
        """Declare a computed tensor like another, under a unique name."""
        name = unique_name(hint, self.tensors)
        self.tensors[name] = like.but(name=name, role=Role.TEMP, **changes)
        return name

    def add(self, op: Op) -> Op:
        """Add an op whose outputs are declared; its name is made unique."""
        made = op.but(name=unique_name(op.name, self.ops))
        self.ops[made.name] = made
        for name in made.outputs:
            self._producers[name] = made.name
        self._read(made)
        self.changed = True
        return made

    def remove(self, op: Op) -> None:
        """Take an op out; its outputs then have no producer."""
        del self.ops[op.name]
        for name in op.outputs:
            if self._producers.get(name) == op.name:
                del self._producers[name]
        for read in op.inputs:
            if read is not None:
                self._users.get(read, {}).pop(op.name, None)
        self.changed = True

    def replace(self, old: Op, new: Op) -> Op:
        """Put another op in the place of one, under its name."""
        self.remove(old)
        made = new.but(name=old.name)
        self.ops[made.name] = made
        for name in made.outputs:
            self._producers[name] = made.name
        self._read(made)
        return made

    def redirect(self, old: str, new: str) -> None:
        """Let every reader of `old`, outputs and states included, take `new`."""
        for op in self.users(old):
            self.replace(op, op.but(inputs=tuple(new if n == old else n for n in op.inputs)))
        self.outputs = [new if n == old else n for n in self.outputs]
        self.ports_out = [Port(p.model, new, p.perm, p.away) if p.tensor == old else p for p in self.ports_out]
        self.states = tuple(State(s.before, new if s.after == old else s.after, s.initial) for s in self.states)
        self.changed = True

    def _sorted(self) -> list[Op]:
        """All ops, every value made before it is read; otherwise in their old order."""
        waiting = {op.name: {n for n in op.inputs if n in self._producers} for op in self.ops.values()}
        order: list[Op] = []
        done: set[str] = set()
        late = len(self.ops) + len(self._rank)
        for op in sorted(self.ops.values(), key=lambda op: self._rank.get(op.name, late)):
            stack = [op.name]
            while stack:
                name = stack[-1]
                if name in done:
                    stack.pop()
                    continue
                needs = [self._producers[n] for n in waiting[name] if n is not None]
                open_needs = sorted({n for n in needs if n not in done})
                if open_needs:
                    stack.extend(open_needs)
                    if len(stack) > 2 * len(self.ops) + 2:
                        raise AssertionError("the program's ops wait for one another")
                    continue
                order.append(self.ops[name])
                done.add(name)
                stack.pop()
        return order

    def sweep(self) -> None:
        """Remove ops whose results nothing reads."""
        waiting = list(self.ops.values())
        while waiting:
            op = waiting.pop()
            if op.name not in self.ops or any(self._users.get(n) or self.is_held(n) for n in op.outputs):
                continue
            self.remove(op)
            waiting.extend(p for p in (self.producer(n) for n in op.inputs) if p is not None)

    def finish(self) -> tuple[Program, Interface]:
        """Return the changed program, sorted and pruned, and its interface."""
        for name in self.outputs:
            if self.tensors[name].role is Role.TEMP:
                self.tensors[name] = self.tensors[name].but(role=Role.OUTPUT)
        for name, tensor in self.tensors.items():
            if tensor.role is Role.OUTPUT and name not in self.outputs:
                self.tensors[name] = tensor.but(role=Role.TEMP)
        program = Program(
            self.name,
            self.tensors,
            tuple(self._sorted()),
            tuple(self.inputs),
            tuple(self.outputs),
            self.constants,
            self.states,
        )
        return program.pruned(), Interface(tuple(self.ports_in), tuple(self.ports_out))


def literal_interface(program: Program, away: bool = False) -> Interface:
    """The interface of a program as it was read: every port is its own tensor."""

    def ports(names: Sequence[str]) -> tuple[Port, ...]:
        return tuple(Port(program.tensors[n], n, None, away) for n in names)

    # an output that is a constant or an input has a tensor of its own; its origin is the name in the file
    called = [program.tensors[n].origin[0] if program.tensors[n].origin else n for n in program.outputs]
    outputs = ports(program.outputs)
    if len(set(called)) == len(called):
        outputs = tuple(replace(p, model=p.model.but(name=c)) for p, c in zip(outputs, called, strict=True))
    return Interface(ports(program.inputs), outputs)
