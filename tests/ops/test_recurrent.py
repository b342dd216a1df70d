"""Recurrent layers, against onnxruntime and ONNX's own reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ferrule.program.op import OpError
from tests.oracles.onnx_node import compare, reference_node

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def weights(kind: str, directions: int = 1, seed: int = 0, **more: Any) -> list[np.ndarray | None]:
    """Random inputs of a layer: 5 steps, batch 2, 3 inputs, 4 hidden units."""
    rng = np.random.default_rng(seed)
    gates, hidden = GATES[kind], 4

    def draw(*shape: int) -> np.ndarray:
        return rng.uniform(-1, 1, shape).astype(np.float32)

    made: list[np.ndarray | None] = [
        draw(5, 2, 3),
        draw(directions, gates * hidden, 3),
        draw(directions, gates * hidden, hidden),
        draw(directions, 2 * gates * hidden),
        None,
        draw(directions, 2, hidden),
    ]
    if kind == "LSTM":
        made += [draw(directions, 2, hidden), draw(directions, 3 * hidden)]
    return made


def outputs(kind: str) -> int:
    """How many a layer has."""
    return 3 if kind == "LSTM" else 2


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_directions(kind: str, direction: str) -> None:
    """With bias, initial states and peepholes."""
    inputs = weights(kind, 2 if direction == "bidirectional" else 1)
    compare(kind, inputs, {"hidden_size": 4, "direction": direction}, opset=14, outputs=outputs(kind),
            constant=[1, 2, 3, 7], tolerance=1e-5)  # fmt: skip


@pytest.mark.parametrize("kind", GATES)
def test_without_optional_inputs(kind: str) -> None:
    """No bias, zero states."""
    compare(
        kind, weights(kind)[:3], {"hidden_size": 4}, opset=14, outputs=outputs(kind), constant=[1, 2], tolerance=1e-5
    )


def test_linear_before_reset() -> None:
    """As PyTorch exports a GRU."""
    given = {"hidden_size": 4, "linear_before_reset": 1}
    compare("GRU", weights("GRU"), given, opset=14, outputs=2, constant=[1, 2, 3], tolerance=1e-5)


def test_clip_and_input_forget() -> None:
    """Of an LSTM."""
    compare("LSTM", weights("LSTM"), {"hidden_size": 4, "clip": 0.3}, opset=14, outputs=3, tolerance=1e-5)
    compare("LSTM", weights("LSTM")[:7], {"hidden_size": 4, "input_forget": 1}, opset=14, outputs=3, tolerance=1e-5)


@pytest.mark.parametrize(
    "name", ["Relu", "Tanh", "Sigmoid", "Softsign", "Softplus", "Affine", "LeakyRelu", "ThresholdedRelu", "HardSigmoid",
             "ScaledTanh", "Elu"]
)  # fmt: skip
def test_activations(name: str) -> None:
    """Every function, with parameters of its own."""
    given = {"hidden_size": 4, "activations": [name], "activation_alpha": [0.4], "activation_beta": [0.3]}
    compare("RNN", weights("RNN", seed=3), given, opset=14, outputs=2, tolerance=1e-5)


@pytest.mark.parametrize("kind", GATES)
def test_batch_first(kind: str) -> None:
    """`layout` 1, which onnxruntime lacks: the batch-second layout gives the same."""
    inputs = weights(kind)
    swapped = [None if v is None else v.swapaxes(0, 1) if i in (0, 5, 6) else v for i, v in enumerate(inputs)]
    want = reference_node(kind, inputs, {"hidden_size": 4}, 14, outputs(kind))
    got = reference_node(kind, swapped, {"hidden_size": 4, "layout": 1}, 14, outputs(kind))
    np.testing.assert_array_equal(got[0], want[0].transpose(2, 0, 1, 3))
    for g, w in zip(got[1:], want[1:], strict=True):
        np.testing.assert_array_equal(g, w.swapaxes(0, 1))


def test_lengths_that_differ_are_refused() -> None:
    """Every sequence must be whole."""
    inputs = weights("GRU")
    inputs[4] = np.asarray([5, 3], np.int32)
    with pytest.raises(OpError, match="different lengths"):
        reference_node("GRU", inputs, {"hidden_size": 4}, 14, 2, constant=[4])
