"""QDQ folds by tensor: float ops between pairs become int."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ferrule.ops.dequantize import Dequantize, dequantize_array
from ferrule.ops.pool import Pool
from ferrule.ops.quantize import Quantize
from ferrule.ops.requantize import Requantize, single_requant
from ferrule.program.edit import Editor
from ferrule.program.fixed_point import INT32_MAX, INT32_MIN
from ferrule.program.op import Op, OpError, Site
from ferrule.program.tensor import DType, Quant, Tensor


@dataclass
class Islands:
    """Float ops of a quantized program, with the reason why each stayed float."""

    reasons: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FoldQdq:
    """An op is integer if its data inputs are quantized tensors and its outputs go only into quantizes.

    `runs` tells whether a kernel takes the integer form; where none does, the op stays float and says so.
    """

    runs: Callable[[Site], bool] = lambda site: True
    islands: Islands = field(default_factory=Islands)

    def run(self, edit: Editor) -> None:
        """Sink dequantizes through what keeps codes, fold every op, then join what meets."""
        if not any(isinstance(op, Quantize | Dequantize) for op in edit.ops.values()):
            return
        _sink_dequantize(edit)
        _raise_quantize(edit)
        for op in edit.snapshot():
            if not edit.alive(op) or isinstance(op, Quantize | Dequantize | Requantize):
                continue
            if not any(t.dtype.is_float for t in edit.site(op).outputs):
                continue
            reason = self._fold(edit, op)
            if reason is not None:
                self.islands.reasons[op.name] = reason
        _join_pairs(edit)
        edit.sweep()

    def _fold(self, edit: Editor, op: Op) -> str | None:
        """Replace the op by its integer form for each scale that is wanted; return the reason if it stays float."""
        quants = self._output_quantizes(edit, op)
        if isinstance(quants, str):
            return quants
        try:
            inputs = self._inputs(edit, op)
        except OpError as error:
            return str(error)
        made: list[tuple[Op, Tensor]] = []
        try:
            for number, quantize in enumerate(quants):
                target = edit.tensors[quantize.outputs[0]]
                made.append((self._integer(edit, op, inputs, target, number), target))
        except OpError as error:
            return str(error)
        for integer, _ in made:
            edit.add(integer)
        edit.remove(op)
        return None

    def _output_quantizes(self, edit: Editor, op: Op) -> list[Op] | str:
        """One quantize for each different grid on which the single output is wanted; others of that grid are joined."""
        if len(op.outputs) != 1:
            return "it has several outputs"
        name = op.outputs[0]
        if edit.is_held(name):
            return f"`{name}` is a float output"
        users = edit.users(name)
        open_users = [u for u in users if not isinstance(u, Quantize)]
        if not users or open_users:
            reader = open_users[0].origin[0] if open_users and open_users[0].origin else "nothing"
            return f"`{name}` is read as float by {reader}"
        found: list[Op] = []
        for user in users:
            tensor = edit.tensors[user.outputs[0]]
            same = [q for q in found if _grid(edit.tensors[q.outputs[0]]) == _grid(tensor)]
            if same:
                edit.redirect(user.outputs[0], same[0].outputs[0])
                edit.remove(user)
            else:
                found.append(user)
        return found

    def _inputs(self, edit: Editor, op: Op) -> list[str | None]:
        """The codes behind each float input; inputs that are not real numbers (indices) stay."""
        found: list[str | None] = []
        for index, name in enumerate(op.inputs):
            if name is None or not edit.tensors[name].dtype.is_float or index == op.bias_input:
                found.append(name)
                continue
            producer = edit.producer(name)
            if name in edit.constants and (uniform := _uniform(edit, name)) is not None:
                found.append(uniform)
                continue
            if not isinstance(producer, Dequantize):
                where = "a constant" if name in edit.constants else "a value"
                raise OpError(f"input `{name}` is {where} without a quantize/dequantize pair")
            found.append(producer.inputs[0])
        if not any(isinstance(edit.producer(n), Dequantize) for n in op.inputs):
            raise OpError("none of its inputs is quantized")
        return found

    def _integer(self, edit: Editor, op: Op, inputs: list[str | None], target: Tensor, number: int) -> Op:
        codes = list(inputs)
        if op.bias_input is not None and op.bias_input < len(codes) and codes[op.bias_input] is not None:
            codes[1], codes[op.bias_input] = _with_room(edit, codes, self._bias(edit, op, codes))
        if op.keeps_codes and codes[0] is not None:
            codes[0] = _on_grid(edit, codes[0], target, op)
        outputs = (target.name,)
        draft = op.but(inputs=tuple(codes), outputs=outputs, name=op.name if number == 0 else f"{op.name}:{number}")
        site = edit.site(draft)
        if any(t is not None and t.dtype is DType.UINT8 for t in (*site.inputs, *site.outputs)):
            raise OpError("it mixes unsigned codes")
        integer = draft.quantized(site)
        if not self._runs(edit, integer):
            raise OpError("no kernel runs its integer form")
        producer = edit.producer(target.name)
        if producer is not None:
            edit.remove(producer)
        return integer

    def _runs(self, edit: Editor, integer: Op) -> bool:
        site = edit.site(integer)
        return integer.is_reshape(site) or integer.moves(site) is not None or self.runs(site)

    def _bias(self, edit: Editor, op: Op, codes: list[str | None]) -> str:
        """int32 codes of the bias at the product of the two scales, made anew where the file has it otherwise."""
        index = op.bias_input
        assert index is not None
        name = op.inputs[index]
        assert name is not None
        x, w = edit.tensors[codes[0] or ""], edit.tensors[codes[1] or ""]
        if x.quant is None or w.quant is None:
            raise OpError("a factor has no scale")
        wanted = tuple(float(np.float32(np.float32(x.scale) * np.float32(s))) for s in w.quant.scale)
        producer = edit.producer(name)
        if isinstance(producer, Dequantize) and (stored := producer.inputs[0]) in edit.constants:
            tensor = edit.tensors[stored or ""]
            quant = tensor.quant
            if tensor.dtype is DType.INT32 and quant is not None and set(quant.zero_point) == {0}:
                given = (
                    np.broadcast_to(np.asarray(quant.scale, np.float32), (len(wanted),))
                    if len(quant.scale) == 1
                    else np.asarray(quant.scale, np.float32)
                )
                if len(given) == len(wanted) and np.allclose(given, np.asarray(wanted, np.float32), rtol=1e-6, atol=0):
                    return stored or ""
            real = dequantize_array(edit.constants[stored or ""], tensor)
        elif name in edit.constants:
            real = edit.constants[name]
        else:
            raise OpError("its bias is computed at run time")
        exact = np.float64(x.scale) * np.asarray(w.quant.scale, np.float64)
        value = np.rint(real.astype(np.float64) / exact)
        if (value < INT32_MIN).any() or (value > INT32_MAX).any():
            raise OpError("its bias does not fit 32 bits at the product of the scales")
        quant = Quant(wanted, (0,) * len(wanted), 0 if len(wanted) > 1 else None)
        return edit.add_constant(value.astype(np.int32), f"{name}:int32", quant)


def _with_room(edit: Editor, codes: list[str | None], bias: str) -> tuple[str | None, str]:
    """Weights and bias that leave the 32-bit accumulator room for every possible sum.

    Files hold biases cut off at the end of int32, in channels whose weights are nearly zero. There the weight scale is
    doubled: half the weights and half the bias mean the same, and the weights' own share is too small to suffer.
    """
    x, weights = edit.tensors[codes[0] or ""], edit.constants.get(codes[1] or "")
    value = edit.constants[bias].astype(np.int64)
    if weights is None:
        return codes[1], bias
    tensor = edit.tensors[codes[1] or ""]
    quant = tensor.quant
    assert quant is not None
    channels = weights.shape[0]
    low, high = x.dtype.bounds
    reach = max(abs(low - x.zero_point), abs(high - x.zero_point))
    zero = np.broadcast_to(np.asarray(quant.zero_point, np.int64), (channels,)).reshape(-1, *[1] * (weights.ndim - 1))
    centred = weights.astype(np.int64) - zero
    most = np.abs(centred).reshape(channels, -1).sum(1) * reach
    tight = (np.abs(value) + most > INT32_MAX).reshape(-1)
    if not tight.any():
        return codes[1], bias
    halved = np.where(tight.reshape(zero.shape), np.rint(centred / 2).astype(np.int64), centred) + zero
    scales = np.where(tight, 2.0, 1.0) * np.broadcast_to(np.asarray(quant.scale, np.float64), (channels,))
    zeros = tuple(int(z) for z in zero.reshape(-1))
    made = Quant(tuple(float(np.float32(s)) for s in scales), zeros, 0)
    name = edit.add_constant(halved.astype(weights.dtype), f"{codes[1]}:halved", made, tensor.dtype)
    half = np.where(tight, np.rint(value / 2).astype(np.int64), value)
    bias_scales = tuple(float(np.float32(x.scale) * np.float32(s)) for s in made.scale)
    return name, edit.add_constant(half.astype(np.int32), f"{bias}:halved", Quant(bias_scales, (0,) * channels, 0))


def _uniform(edit: Editor, name: str) -> str | None:
    """A constant of one value everywhere as codes 1, -1 or 0, which hold it exactly; None where it varies."""
    value = edit.constants[name]
    if value.size == 0 or not np.isfinite(value).all() or (value != value.reshape(-1)[0]).any():
        return None
    real = float(value.reshape(-1)[0])
    codes = np.full(value.shape, np.sign(real), np.int8)
    return edit.add_constant(codes, f"{name}:code", Quant.per_tensor(abs(real) or 1.0, 0))


def _grid(tensor: Tensor) -> tuple[object, ...]:
    return tensor.dtype, tensor.quant


def _on_grid(edit: Editor, codes: str, target: Tensor, op: Op) -> str:
    """Codes of an input on the grid of an output that only carries them."""
    tensor = edit.tensors[codes]
    if _grid(tensor) == _grid(target):
        return codes
    made = edit.add_tensor(tensor, f"{codes}:on grid", dtype=target.dtype, quant=target.quant)
    edit.add(
        Requantize(
            name=f"{op.name}:requantize",
            inputs=(codes,),
            outputs=(made,),
            origin=op.origin,
            dtype=target.dtype.value,
            requant=single_requant(tensor, edit.tensors[made]),
        )
    )
    return made


def _sink_dequantize(edit: Editor) -> None:
    """A dequantize before an op that only carries codes (or takes a maximum) follows it instead: the same values.

    So a pair may be missing around such an op.
    """
    for _ in range(100):
        moved = False
        for op in edit.snapshot():
            if not edit.alive(op) or not (op.keeps_codes or (isinstance(op, Pool) and op.mode == "max")):
                continue
            producer = edit.producer(op.inputs[0])
            if not isinstance(producer, Dequantize) or len(op.outputs) != 1:
                continue
            codes = producer.inputs[0]
            assert codes is not None
            if not edit.tensors[op.outputs[0]].dtype.is_float or not _may_sink(edit, op, codes):
                continue
            tensor = edit.tensors[codes]
            target = edit.tensors[op.outputs[0]]
            made = edit.add_tensor(target, f"{target.name}:codes", dtype=tensor.dtype, quant=tensor.quant)
            draft = op.but(inputs=(codes, *op.inputs[1:]), outputs=(made,))
            edit.replace(op, draft.quantized(edit.site(draft)))
            edit.add(Dequantize(name=f"{op.name}:dequantize", inputs=(made,), outputs=(target.name,), origin=op.origin))
            moved = True
        if not moved:
            return


def _raise_quantize(edit: Editor) -> None:
    """A quantize after an op that only carries codes comes before it instead, so that the op before folds with it."""
    for _ in range(100):
        moved = False
        for op in edit.snapshot():
            if not edit.alive(op) or not isinstance(op, Quantize):
                continue
            carrier = edit.producer(op.inputs[0])
            if carrier is None or not carrier.keeps_codes or edit.only_user(carrier.outputs[0]) is not op:
                continue
            source, target = carrier.inputs[0], edit.tensors[op.outputs[0]]
            if source is None or source in edit.constants or isinstance(edit.producer(source), Dequantize):
                continue
            if target.quant is None or not target.quant.is_per_tensor or edit.is_held(target.name):
                continue
            codes = edit.add_tensor(edit.tensors[source], f"{source}:codes", dtype=target.dtype, quant=target.quant)
            draft = carrier.but(inputs=(codes, *carrier.inputs[1:]), outputs=op.outputs)
            edit.remove(op)
            edit.replace(carrier, draft)
            made = draft.quantized(edit.site(draft))
            edit.replace(draft, made)
            edit.add(op.but(name=f"{op.name}:early", inputs=(source,), outputs=(codes,)))
            moved = True
        if not moved:
            return


def _may_sink(edit: Editor, op: Op, codes: str) -> bool:
    tensor = edit.tensors[codes]
    if tensor.quant is None or not tensor.quant.is_per_tensor:
        return False
    users = edit.users(op.outputs[0])
    # with a pair behind it, the op is folded with that pair's scale
    return not (users and all(isinstance(u, Quantize) for u in users)) or not edit.is_held(op.outputs[0])


def _join_pairs(edit: Editor) -> None:
    """A quantize straight after a dequantize: nothing where the grids agree, else a requantize."""
    for op in edit.snapshot():
        if not edit.alive(op) or not isinstance(op, Quantize):
            continue
        producer = edit.producer(op.inputs[0])
        if not isinstance(producer, Dequantize):
            continue
        codes, target = producer.inputs[0], edit.tensors[op.outputs[0]]
        assert codes is not None
        source = edit.tensors[codes]
        if (
            source.quant is None
            or target.quant is None
            or not (source.quant.is_per_tensor and target.quant.is_per_tensor)
        ):
            continue
        if _grid(source) == _grid(target) and not edit.is_held(target.name):
            edit.remove(op)
            edit.redirect(target.name, codes)
            continue
        edit.replace(
            op,
            Requantize(
                name=op.name,
                inputs=(codes,),
                outputs=op.outputs,
                origin=op.origin,
                dtype=target.dtype.value,
                requant=single_requant(source, target),
            ),
        )
