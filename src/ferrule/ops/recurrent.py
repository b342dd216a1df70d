"""Recurrent layers: RNN, GRU and LSTM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ferrule.ops.transpose import permute
from ferrule.program.build import Builder
from ferrule.program.op import Array, Op, OpError, Site, Type
from ferrule.program.source import OnnxNode
from ferrule.program.tensor import Tensor

Cell = Literal["rnn", "gru", "lstm"]
GATES = {"rnn": 1, "gru": 3, "lstm": 4}
"""Rows of the weights per hidden unit, in ONNX's order: GRU z, r, h; LSTM i, o, f, c."""
FUNCTIONS = {"rnn": 1, "gru": 2, "lstm": 3}
"""Activations of one direction."""
PARAMETERS: dict[str, tuple[float | None, float | None]] = {
    "Relu": (None, None),
    "Tanh": (None, None),
    "Sigmoid": (None, None),
    "Softsign": (None, None),
    "Softplus": (None, None),
    "Affine": (1.0, 0.0),
    "LeakyRelu": (0.01, None),
    "ThresholdedRelu": (1.0, None),
    "ScaledTanh": (1.0, 1.0),
    "HardSigmoid": (0.2, 0.5),
    "Elu": (1.0, None),
}
"""Default alpha and beta of each activation; None where it has none."""
Activation = tuple[str, float, float]


@dataclass(frozen=True, kw_only=True)
class Recurrent(Op):
    """A scan over time. Inputs: x [T, N, I], w [D, G*H, I], r [D, G*H, H], then bias [D, 2*G*H], initial h [D, N, H],
    initial c [D, N, H] and peepholes [D, 3*H], each or None. Float32.

    Outputs: y [T, D, N, H] (only with `sequence`), the last h [D, N, H], and for an LSTM the last c [D, N, H]. The
    equations are those of ONNX RNN, GRU and LSTM. `activations` holds those of each direction in turn; `clip` bounds
    what goes into them (infinite: not), but not the cell state on its way to the output, as in onnxruntime. The second
    of two directions, or the only one with `reverse`, runs backwards.
    """

    kind = "recurrent"

    cell: Cell
    activations: tuple[Activation, ...]
    reverse: bool = False
    clip: float = np.inf
    linear_before_reset: bool = False
    input_forget: bool = False
    sequence: bool = True

    def infer(self, inputs: Sequence[Tensor | None], constants: Sequence[Array | None]) -> tuple[Type, ...]:
        x, w, r = inputs[0], inputs[1], inputs[2]
        if x is None or w is None or r is None or (x.rank, w.rank, r.rank) != (3, 3, 3):
            raise OpError("needs an input, weights and recurrent weights of rank 3")
        gates, hidden, directions = GATES[self.cell], r.shape[2], w.shape[0]
        steps, batch, size = x.shape
        if directions not in (1, 2) or len(self.activations) != FUNCTIONS[self.cell] * directions:
            raise OpError(f"{directions} directions and {len(self.activations)} activations do not go together")
        wanted = {
            1: (directions, gates * hidden, size),
            2: (directions, gates * hidden, hidden),
            3: (directions, 2 * gates * hidden),
            4: (directions, batch, hidden),
            5: (directions, batch, hidden),
            6: (directions, 3 * hidden),
        }
        for index, shape in wanted.items():
            given = inputs[index] if index < len(inputs) else None
            if given is not None and given.shape != shape:
                raise OpError(f"input {index} has shape {list(given.shape)}, not {list(shape)}")
        if any(t is not None and not t.dtype.is_float for t in inputs):
            raise OpError("computes in float32 only")
        last = Type((directions, batch, hidden), x.dtype)
        first = (Type((steps, directions, batch, hidden), x.dtype),) if self.sequence else ()
        return (*first, last, last) if self.cell == "lstm" else (*first, last)

    def reference(self, site: Site, values: Sequence[Array | None]) -> tuple[Array, ...]:
        x, w, r, bias, h, c, peep = (
            None if v is None else v.astype(np.float64) for v in (*values, *[None] * (7 - len(values)))
        )
        assert x is not None and w is not None and r is not None
        steps, batch, _ = x.shape
        directions, hidden = r.shape[0], r.shape[2]
        y = np.zeros((steps, directions, batch, hidden))
        h = np.zeros((directions, batch, hidden)) if h is None else h.copy()
        c = np.zeros((directions, batch, hidden)) if c is None else c.copy()
        bias = np.zeros((directions, 2 * w.shape[1])) if bias is None else bias
        peep = np.zeros((directions, 3 * hidden)) if peep is None else peep
        for d in range(directions):
            act = self._functions(d)
            for t in self._order(d, steps):
                both = np.split(bias[d], 2)
                pre = (x[t] @ w[d].T + both[0], h[d] @ r[d].T + both[1])
                if self.cell == "lstm":
                    h[d], c[d] = self._lstm(pre[0] + pre[1], c[d], peep[d], act)
                elif self.cell == "gru":
                    h[d] = self._gru(pre, h[d], r[d], both[1], act)
                else:
                    h[d] = act[0](pre[0] + pre[1])
                y[t, d] = h[d]
        results = [*([y] if self.sequence else []), h, *([c] if self.cell == "lstm" else [])]
        return tuple(v.astype(np.float32) for v in results)

    def _order(self, direction: int, steps: int) -> range:
        backwards = direction == 1 or self.reverse
        return range(steps - 1, -1, -1) if backwards else range(steps)

    def _functions(self, direction: int) -> list[Callable[[Array], Array]]:
        count = FUNCTIONS[self.cell]
        chosen = self.activations[direction * count : (direction + 1) * count]

        def clipped(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
            return lambda v: function(np.clip(v, -self.clip, self.clip))

        made = [clipped(activation(*entry)) for entry in chosen]
        return [*made[:2], activation(*chosen[2])] if count == 3 else made

    def _lstm(self, pre: Array, c: Array, peep: Array, act: list[Callable[[Array], Array]]) -> tuple[Array, Array]:
        i, o, f, g = np.split(pre, 4, axis=-1)
        peep_i, peep_o, peep_f = np.split(peep, 3)
        i = act[0](i + peep_i * c)
        f = 1 - i if self.input_forget else act[0](f + peep_f * c)
        c = f * c + i * act[1](g)
        return act[0](o + peep_o * c) * act[2](c), c

    def _gru(
        self, pre: tuple[Array, Array], h: Array, r: Array, bias: Array, act: list[Callable[[Array], Array]]
    ) -> Array:
        hidden = h.shape[-1]
        gates = act[0]((pre[0] + pre[1])[:, : 2 * hidden])
        z, reset = gates[:, :hidden], gates[:, hidden:]
        if self.linear_before_reset:
            recurrent = reset * pre[1][:, 2 * hidden :]
        else:
            recurrent = (reset * h) @ r[2 * hidden :].T + bias[2 * hidden :]
        return np.asarray((1 - z) * act[1](pre[0][:, 2 * hidden :] + recurrent) + z * h)

    def macs(self, site: Site) -> int:
        w, r = site.input(1), site.input(2)
        return site.input(0).shape[0] * site.input(0).shape[1] * (w.elements + r.elements)


def activation(name: str, alpha: float, beta: float) -> Callable[[Array], Array]:
    """The real function of an ONNX recurrent activation."""
    table: dict[str, Callable[[Array], Array]] = {
        "Relu": lambda v: np.maximum(v, 0),
        "Tanh": np.tanh,
        "Sigmoid": lambda v: 1 / (1 + np.exp(-np.clip(v, -700, 700))),
        "Softsign": lambda v: v / (1 + np.abs(v)),
        "Softplus": lambda v: np.logaddexp(0, v),
        "Affine": lambda v: alpha * v + beta,
        "LeakyRelu": lambda v: np.where(v >= 0, v, alpha * v),
        "ThresholdedRelu": lambda v: np.where(v > alpha, v, 0),
        "ScaledTanh": lambda v: alpha * np.tanh(beta * v),
        "HardSigmoid": lambda v: np.clip(alpha * v + beta, 0, 1),
        "Elu": lambda v: np.where(v >= 0, v, alpha * np.expm1(np.minimum(v, 0))),
    }
    return table[name]


def _activations(node: OnnxNode, cell: Cell, directions: int) -> tuple[Activation, ...]:
    """Names with their parameters, which are consumed in order by those functions that have some."""
    default = {"rnn": ["Tanh"], "gru": ["Sigmoid", "Tanh"], "lstm": ["Sigmoid", "Tanh", "Tanh"]}[cell]
    given = node.attribute("activations")
    names = [str(n) for n in given] if given else default * directions
    spelled = {name.lower(): name for name in PARAMETERS}
    alphas, betas = (iter(node.attribute(f"activation_{k}") or []) for k in ("alpha", "beta"))
    chosen: list[Activation] = []
    for name in names:
        if name.lower() not in spelled:
            raise OpError(f"activation {name} is not supported")
        alpha, beta = PARAMETERS[spelled[name.lower()]]
        first = 0.0 if alpha is None else float(next(alphas, alpha))
        second = 0.0 if beta is None else float(next(betas, beta))
        chosen.append((spelled[name.lower()], first, second))
    return tuple(chosen)


def _check_lengths(node: OnnxNode, build: Builder, steps: int) -> None:
    if node.input(4) is None:
        return
    lengths = build.value(node.input(4))
    if lengths is None or (lengths != steps).any():
        raise OpError("sequences of different lengths are not supported")


def _initial(build: Builder, name: str | None, first: bool, node: OnnxNode) -> str | None:
    """The initial state in [D, N, H]; None where it is zero."""
    value = build.value(name)
    if name is None or (value is not None and not value.any()):
        return None
    return permute(build, name, (1, 0, 2), node.name) if first else name


def from_onnx(node: OnnxNode, build: Builder) -> None:
    """Read RNN, GRU and LSTM; with `layout` 1 the batch comes first, and transposes are put around."""
    cell: Cell = {"RNN": "rnn", "GRU": "gru", "LSTM": "lstm"}[node.kind]  # type: ignore[assignment]
    direction = str(node.attribute("direction", "forward"))
    if direction not in ("forward", "reverse", "bidirectional"):
        raise OpError(f"direction {direction} is unknown")
    batch_first = bool(node.attribute("layout", 0))
    x = node.need(0)
    if batch_first:
        x = permute(build, x, (1, 0, 2), node.name)
    _check_lengths(node, build, build.tensor(x).shape[0])
    wanted = (*node.outputs, None, None, None)[:3]
    names: list[str | None] = [wanted[0]] if wanted[0] is not None else []
    names += [wanted[1], wanted[2]] if cell == "lstm" else [wanted[1]]
    made = build.emit(
        Recurrent,
        (
            x,
            node.need(1),
            node.need(2),
            node.input(3),
            _initial(build, node.input(5), batch_first, node),
            _initial(build, node.input(6), batch_first, node) if cell == "lstm" else None,
            node.input(7) if cell == "lstm" else None,
        ),
        name=node.name,
        outputs=[None] * len(names) if batch_first else names,
        cell=cell,
        activations=_activations(node, cell, 2 if direction == "bidirectional" else 1),
        reverse=direction == "reverse",
        clip=float(node.attribute("clip", np.inf)),
        linear_before_reset=bool(node.attribute("linear_before_reset", 0)),
        input_forget=bool(node.attribute("input_forget", 0)),
        sequence=wanted[0] is not None,
    )
    if batch_first:
        for result, name in zip(made, names, strict=True):
            if name is not None:
                perm = (2, 0, 1, 3) if build.tensor(result).rank == 4 else (1, 0, 2)
                permute(build, result, perm, node.name, name)
