"""Layout: transposes cancel, sink, and are absorbed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ferrule.ops.dequantize import Dequantize
from ferrule.ops.fully_connected import FullyConnected
from ferrule.ops.reshape import Reshape
from ferrule.ops.transpose import Transpose, transposed_quant
from ferrule.program.edit import Editor
from ferrule.program.op import Op

Perm = tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """Moves every transpose toward the outputs until it meets its inverse, a constant, or the interface.

    `native`: transposes of the program's inputs and outputs go into the interface, which then is channels last.
    """

    native: bool = True

    def run(self, edit: Editor) -> None:
        """Rewrite until nothing moves; then try each input channels last, where its readers only pass on."""
        self._settle(edit, self.native)
        for name in list(edit.inputs) if self.native else ():
            perm = _first_transpose(edit, name)
            if perm is None:
                continue
            trial = edit.copy()
            _give_transposed(trial, name, perm)
            self._settle(trial, False)
            if moving(trial) < moving(edit):
                edit.take(trial)

    def _settle(self, edit: Editor, inputs: bool) -> None:
        for _ in range(200):
            before = edit.changed
            edit.changed = False
            for op in edit.snapshot():
                if edit.alive(op):
                    self._visit(edit, op, inputs)
            moved = edit.changed
            edit.changed = edit.changed or before
            if not moved:
                break
        edit.sweep()

    def _visit(self, edit: Editor, op: Op, inputs: bool) -> None:
        if isinstance(op, Transpose):
            done = _merge(edit, op) or _constant(edit, op)
            if not done and self.native:
                _interface(edit, op, inputs)
        elif isinstance(op, Reshape):
            if not _through_reshape(edit, op):
                _into_weights(edit, op)
        else:
            _sink(edit, op)


def inverse(perm: Sequence[int]) -> Perm:
    """The permutation that undoes another."""
    return tuple(list(perm).index(i) for i in range(len(perm)))


def moving(edit: Editor) -> int:
    """How many elements transposes move that are more than another shape."""
    found = [op for op in edit.ops.values() if isinstance(op, Transpose) and not op.is_reshape(edit.site(op))]
    return sum(edit.tensors[op.outputs[0]].elements for op in found)


def _first_transpose(edit: Editor, name: str) -> Perm | None:
    """The permutation of the first transpose that a value of the same rank meets on its way."""
    rank, seen, waiting = edit.tensors[name].rank, {name}, [name]
    while waiting:
        tensor = waiting.pop(0)
        for user in edit.users(tensor):
            if isinstance(user, Transpose) and len(user.perm) == rank:
                return user.perm
            fresh = [n for n in user.outputs if n not in seen and edit.tensors[n].rank == rank]
            seen.update(fresh)
            waiting.extend(fresh)
    return None


def _give_transposed(edit: Editor, name: str, perm: Perm) -> None:
    """Take an input permuted, with a transpose that undoes it for its readers."""
    tensor = edit.tensors[name]
    plain = edit.add_tensor(tensor, f"{name}:first")
    edit.redirect(name, plain)
    edit.tensors[name] = tensor.but(
        shape=tuple(tensor.shape[p] for p in perm), quant=transposed_quant(tensor.quant, perm)
    )
    edit.ports_in = [p.permuted(perm, name) if p.tensor == name else p for p in edit.ports_in]
    edit.add(
        Transpose(name=f"{name}:first", inputs=(name,), outputs=(plain,), origin=tensor.origin, perm=inverse(perm))
    )


def _source(edit: Editor, tensor: str | None) -> Transpose | None:
    producer = edit.producer(tensor)
    return producer if isinstance(producer, Transpose) else None


def _merge(edit: Editor, op: Transpose) -> bool:
    """Two transposes in a row are one; one that changes nothing is none."""
    x, y = op.inputs[0], op.outputs[0]
    assert x is not None
    before = _source(edit, x)
    if before is not None:
        perm = tuple(before.perm[p] for p in op.perm)
        edit.replace(op, op.but(inputs=before.inputs, perm=perm))
        return True
    if op.perm == tuple(range(len(op.perm))) and not (y in edit.outputs and x in edit.inputs):
        edit.remove(op)
        edit.redirect(y, x)
        return True
    return False


def _constant(edit: Editor, op: Transpose) -> bool:
    """A transposed constant is another constant, also behind a dequantize."""
    x, y = op.inputs[0], op.outputs[0]
    assert x is not None
    producer = edit.producer(x)
    if x in edit.constants:
        tensor = edit.tensors[x]
        name = edit.add_constant(
            edit.constants[x].transpose(op.perm),
            f"{x}:transposed",
            transposed_quant(tensor.quant, op.perm),
            tensor.dtype,
        )
        edit.remove(op)
        edit.redirect(y, name)
        return True
    if isinstance(producer, Dequantize) and (codes := producer.inputs[0]) is not None and codes in edit.constants:
        tensor = edit.tensors[codes]
        quant = transposed_quant(tensor.quant, op.perm)
        name = edit.add_constant(edit.constants[codes].transpose(op.perm), f"{codes}:transposed", quant, tensor.dtype)
        edit.replace(op, Dequantize(name=op.name, inputs=(name,), outputs=op.outputs, origin=producer.origin))
        return True
    return False


def _interface(edit: Editor, op: Transpose, inputs: bool) -> bool:
    """An input that is only read transposed is taken transposed; an output made by a transpose is given before it."""
    x, y = op.inputs[0], op.outputs[0]
    assert x is not None
    if y in edit.outputs and not edit.users(y) and x not in edit.inputs and x not in edit.constants:
        back = inverse(op.perm)
        edit.ports_out = [p.permuted(back, x) if p.tensor == y else p for p in edit.ports_out]
        edit.outputs = [x if n == y else n for n in edit.outputs]
        edit.remove(op)
        return True
    if inputs and x in edit.inputs and not edit.is_held(x):
        users = edit.users(x)
        if all(isinstance(u, Transpose) and u.perm == op.perm for u in users):
            tensor = edit.tensors[x]
            shape = tuple(tensor.shape[p] for p in op.perm)
            for user in users:
                edit.remove(user)
                edit.redirect(user.outputs[0], x)
            edit.tensors[x] = tensor.but(shape=shape, quant=transposed_quant(tensor.quant, op.perm))
            edit.ports_in = [p.permuted(op.perm, x) if p.tensor == x else p for p in edit.ports_in]
            return True
    return False


def _sink(edit: Editor, op: Op) -> bool:
    """Where every run-time input comes transposed alike, the op works before the transposes and they follow it.

    An input that is not transposed may take the inverse when that moves only axes of length 1, or cancels there.
    """
    sources = [_source(edit, n) for n in op.inputs]
    perms = {s.perm for s in sources if s is not None}
    if len(perms) != 1:
        return False
    perm = perms.pop()
    back = inverse(perm)
    site = edit.site(op)
    moved = op.transposed(site, back)
    if moved is None or any(t.rank != len(perm) for t in site.outputs):
        return False
    inputs: list[str | None] = []
    for name, source in zip(op.inputs, sources, strict=True):
        taken = source.inputs[0] if source is not None else _taken(edit, name, perm, back)
        if name is not None and taken is None:
            return False
        inputs.append(taken)
    outputs = []
    for tensor in site.outputs:
        shape = tuple(tensor.shape[p] for p in back)
        quant = transposed_quant(tensor.quant, back)
        outputs.append(edit.add_tensor(tensor, f"{tensor.name}:last", shape=shape, quant=quant, origin=tensor.origin))
    edit.replace(op, moved.but(inputs=tuple(inputs), outputs=tuple(outputs)))
    for new, tensor in zip(outputs, site.outputs, strict=True):
        edit.add(
            Transpose(name=f"{op.name}:transpose", inputs=(new,), outputs=(tensor.name,), origin=op.origin, perm=perm)
        )
    return True


def _taken(edit: Editor, name: str | None, perm: Perm, back: Perm) -> str | None:
    """An input that is not transposed, put before the transposes for free; None where that would cost."""
    if name is None:
        return None
    tensor = edit.tensors[name]
    if tensor.rank == 0:
        return name
    if tensor.rank != len(perm):
        return None
    quant = transposed_quant(tensor.quant, back)
    if name in edit.constants:
        return edit.add_constant(edit.constants[name].transpose(back), f"{name}:transposed", quant, tensor.dtype)
    producer = edit.producer(name)
    if isinstance(producer, Dequantize) and producer.inputs[0] in edit.constants:
        return _transposed_copy(edit, name, back)
    long_axes = [p for p in back if tensor.shape[p] != 1]
    if long_axes != sorted(long_axes):
        return None
    return _transposed_copy(edit, name, back)


def _transposed_copy(edit: Editor, name: str, back: Perm) -> str:
    tensor = edit.tensors[name]
    made = edit.add_tensor(
        tensor, f"{name}:last", shape=tuple(tensor.shape[p] for p in back), quant=transposed_quant(tensor.quant, back)
    )
    edit.add(Transpose(name=f"{name}:last", inputs=(name,), outputs=(made,), origin=tensor.origin, perm=back))
    return made


def _through_reshape(edit: Editor, op: Reshape) -> bool:
    """A transpose before a reshape follows it, where the reshape splits or merges axes that stay together."""
    before = _source(edit, op.inputs[0])
    if before is None:
        return False
    x = before.inputs[0]
    assert x is not None
    found = commuted(edit.tensors[x].shape, before.perm, op.shape)
    if found is None:
        return False
    shape, perm = found
    tensor = edit.tensors[op.outputs[0]]
    if perm == tuple(range(len(perm))):
        edit.replace(op, op.but(inputs=(x,)))
        return True
    made = edit.add_tensor(tensor, f"{tensor.name}:last", shape=shape)
    edit.replace(op, op.but(inputs=(x,), outputs=(made,), shape=shape))
    edit.add(
        Transpose(name=f"{op.name}:transpose", inputs=(made,), outputs=(tensor.name,), origin=op.origin, perm=perm)
    )
    return True


def commuted(shape: Sequence[int], perm: Perm, target: Sequence[int]) -> tuple[tuple[int, ...], Perm] | None:
    """For `reshape(transpose(x, perm), target)`: the shape s and permutation q with transpose(reshape(x, s), q) equal.

    None where a group of axes that the reshape joins does not lie together, in order, in x. Axes of length 1 go first.
    """
    middle = [shape[p] for p in perm]
    groups = _groups(middle, target)
    if groups is None:
        return None
    order = [a for a in range(len(shape)) if shape[a] != 1]
    placed = []
    for sources, results in groups:
        axes = [perm[a] for a in sources]
        at = [order.index(a) for a in axes]
        if at != list(range(at[0], at[0] + len(at))):
            return None
        placed.append((at[0], results))
    placed.sort()
    units = [i for i, d in enumerate(target) if d == 1]
    new_axes = units + [axis for _, results in placed for axis in results]
    return tuple(target[a] for a in new_axes), tuple(new_axes.index(i) for i in range(len(target)))


def _groups(source: Sequence[int], target: Sequence[int]) -> list[tuple[list[int], list[int]]] | None:
    """Smallest runs of axes (of length above 1) whose products agree, source beside target."""
    a = [i for i, d in enumerate(source) if d != 1]
    b = [i for i, d in enumerate(target) if d != 1]
    if any(d == 0 for d in (*source, *target)):
        return None
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(a) and j < len(b):
        left, right = [a[i]], [b[j]]
        i, j = i + 1, j + 1
        while math.prod(source[k] for k in left) != math.prod(target[k] for k in right):
            if math.prod(source[k] for k in left) < math.prod(target[k] for k in right):
                if i == len(a):
                    return None
                left.append(a[i])
                i += 1
            else:
                if j == len(b):
                    return None
                right.append(b[j])
                j += 1
        groups.append((left, right))
    return groups if i == len(a) and j == len(b) else None


def _into_weights(edit: Editor, op: Reshape) -> bool:
    """A flatten of a transposed tensor before a dense layer: the weights' columns change places instead."""
    before = _source(edit, op.inputs[0])
    flat = op.outputs[0]
    if before is None or len(op.shape) != 2:
        return False
    x = before.inputs[0]
    assert x is not None
    shape = edit.tensors[x].shape
    if shape[0] != op.shape[0] or before.perm[0] != 0:
        return False
    users = edit.users(flat)
    if not users or edit.is_held(flat):
        return False
    if not all(isinstance(u, FullyConnected) and u.inputs[0] == flat and _columns(edit, u) for u in users):
        return False
    # column k of the new weights is the one of the element that lies at place k before the transpose
    inner = np.arange(op.shape[1]).reshape([shape[p] for p in before.perm[1:]])
    columns = inner.transpose([p - 1 for p in inverse(before.perm)[1:]]).reshape(-1)
    for user in users:
        edit.replace(user, user.but(inputs=(flat, _permuted_columns(edit, user, columns), *user.inputs[2:])))
    edit.replace(op, op.but(inputs=(x,)))
    return True


def _columns(edit: Editor, op: Op) -> bool:
    weights = op.inputs[1]
    producer = edit.producer(weights)
    codes = producer.inputs[0] if isinstance(producer, Dequantize) else weights
    quant = edit.tensors[codes].quant if codes is not None else None
    return codes in edit.constants and (quant is None or quant.axis in (None, 0))


def _permuted_columns(edit: Editor, op: Op, columns: np.ndarray) -> str:
    weights = op.inputs[1]
    assert weights is not None
    producer = edit.producer(weights)
    codes = producer.inputs[0] if isinstance(producer, Dequantize) else weights
    assert codes is not None
    tensor = edit.tensors[codes]
    name = edit.add_constant(edit.constants[codes][:, columns], f"{codes}:columns", tensor.quant, tensor.dtype)
    if not isinstance(producer, Dequantize):
        return name
    made = edit.add_tensor(edit.tensors[weights], f"{weights}:columns")
    edit.add(Dequantize(name=f"{producer.name}:columns", inputs=(name,), outputs=(made,), origin=producer.origin))
    return made
