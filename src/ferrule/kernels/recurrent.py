"""The kernels for RNN, GRU and LSTM, float."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from ferrule.kernels.kernel import Field, Kernel
from ferrule.ops.recurrent import GATES, PARAMETERS, Recurrent
from ferrule.program.op import Site

CELLS = ("rnn", "gru", "lstm")
NAMES = tuple(PARAMETERS)
MOST_FUNCTIONS = 6
INITIAL_H, INITIAL_C = 4, 5


def _accepts(lstm: bool, sequence: bool) -> Callable[[Site], str | None]:
    def rule(site: Site) -> str | None:
        """Constant weights; the outputs that this function makes."""
        op = cast(Recurrent, site.op)
        if (op.cell == "lstm") is not lstm or op.sequence is not sequence:
            return "makes other outputs"
        if any(site.has(i) and site.constant(i) is None for i in (1, 2, 3, 6)):
            return "weights must be constants"
        return None

    return rule


def operands(site: Site) -> tuple[int, ...]:
    """The sequence, then the initial states that are given."""
    return (0, *(i for i in (INITIAL_H, INITIAL_C) if site.has(i)))


def workspace(site: Site) -> int:
    """One float for each gate of one step, and one more for each hidden unit."""
    return 4 * (GATES[cast(Recurrent, site.op).cell] + 1) * site.input(2).shape[2]


def fields(site: Site) -> list[Field]:
    """The members of `fr_recurrent_f32_op`."""
    op, x, r = cast(Recurrent, site.op), site.input(0), site.input(2)
    numbers = {
        "cell": CELLS.index(op.cell),
        "steps": x.shape[0],
        "batch": x.shape[1],
        "inputs": x.shape[2],
        "hidden": r.shape[2],
        "directions": r.shape[0],
        "reverse": int(op.reverse),
        "has_h": int(site.has(INITIAL_H)),
        "has_c": int(site.has(INITIAL_C)),
        "linear_before_reset": int(op.linear_before_reset),
        "input_forget": int(op.input_forget),
    }
    functions = [*op.activations, *[(NAMES[0], 0.0, 0.0)] * (MOST_FUNCTIONS - len(op.activations))]

    def values(index: int) -> np.ndarray | None:
        value = site.constant(index)
        return None if value is None else value.astype(np.float32)

    return [
        *(Field(name, "int32_t", value) for name, value in numbers.items()),
        Field("clip", "float", op.clip),
        Field("activation", f"int32_t[{MOST_FUNCTIONS}]", tuple(NAMES.index(n) for n, _, _ in functions)),
        Field("alpha", f"float[{MOST_FUNCTIONS}]", tuple(a for _, a, _ in functions)),
        Field("beta", f"float[{MOST_FUNCTIONS}]", tuple(b for _, _, b in functions)),
        Field("w", "const float *", values(1)),
        Field("r", "const float *", values(2)),
        Field("bias", "const float *", values(3)),
        Field("peephole", "const float *", values(6)),
    ]


def _kernel(function: str, lstm: bool, sequence: bool) -> Kernel:
    return Kernel(
        function,
        "recurrent_f32",
        "fr_recurrent_f32_op",
        Recurrent,
        "whole",
        _accepts(lstm, sequence),
        fields,
        workspace,
        operands,
        variadic=True,
        strided=False,
    )


KERNELS = (
    _kernel("fr_recurrent_sequence_f32", lstm=False, sequence=True),
    _kernel("fr_recurrent_last_f32", lstm=False, sequence=False),
    _kernel("fr_lstm_sequence_f32", lstm=True, sequence=True),
    _kernel("fr_lstm_last_f32", lstm=True, sequence=False),
)
