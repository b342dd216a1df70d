"""Drawn recurrent layers for the band law."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ferrule.ops.recurrent import FUNCTIONS, GATES, PARAMETERS, Recurrent
from ferrule.program.build import Builder
from ferrule.program.tensor import DType
from tests.kernels.band_law import Case


@st.composite
def layer(draw: st.DrawFn, cells: tuple[str, ...], sequence: bool) -> Case:
    """Any cell, direction, activations, optional inputs."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cell, directions = draw(st.sampled_from(cells)), draw(st.integers(1, 2))
    steps, batch, size, hidden = (
        draw(st.integers(1, 4)),
        draw(st.integers(1, 2)),
        draw(st.integers(1, 4)),
        draw(st.integers(1, 5)),
    )
    rows, build, values = GATES[cell] * hidden, Builder("case"), {}

    def some(*shape: int) -> np.ndarray:
        return rng.uniform(-1, 1, shape).astype(np.float32)

    def given(name: str, array: np.ndarray, constant: bool) -> str | None:
        if not draw(st.booleans()):
            return None
        if constant:
            return build.constant(array, name)
        values[name] = array
        return build.input(name, array.shape, DType.FLOAT32)

    values["x"] = some(steps, batch, size)
    lstm = cell == "lstm"
    inputs = (
        build.input("x", (steps, batch, size), DType.FLOAT32),
        build.constant(some(directions, rows, size), "w"),
        build.constant(some(directions, rows, hidden), "r"),
        given("b", some(directions, 2 * rows), True),
        given("h", some(directions, batch, hidden), draw(st.booleans())),
        given("c", some(directions, batch, hidden), draw(st.booleans())) if lstm else None,
        given("p", some(directions, 3 * hidden), True) if lstm else None,
    )
    names = draw(st.lists(st.sampled_from(tuple(PARAMETERS)), min_size=6, max_size=6))
    outputs = build.emit(
        Recurrent,
        inputs,
        name="op",
        cell=cell,
        activations=tuple((n, 0.5, 0.25) for n in names[: FUNCTIONS[cell] * directions]),
        reverse=directions == 1 and draw(st.booleans()),
        clip=draw(st.sampled_from([np.inf, 0.5])),
        linear_before_reset=draw(st.booleans()),
        input_forget=draw(st.booleans()),
        sequence=sequence,
    )
    return Case(build.finish(outputs), values, (1e-4, 1e-4))


CASES = {
    "fr_recurrent_sequence_f32": layer(("rnn", "gru"), True),
    "fr_recurrent_last_f32": layer(("rnn", "gru"), False),
    "fr_lstm_sequence_f32": layer(("lstm",), True),
    "fr_lstm_last_f32": layer(("lstm",), False),
}
