from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from ferrule.diagnostics import Finding
from ferrule.quantize.prepare import prepare
from ferrule.quantize.rewrite import Rewriter
from tests.quantize.small import kinds, model, run, samples

RNG = np.random.default_rng(7)


def normal(*shape: int) -> np.ndarray:
    return RNG.normal(0, 1, shape).astype(np.float32)


def positive(*shape: int) -> np.ndarray:
    return RNG.uniform(0.5, 2, shape).astype(np.float32)


NORM = {"s": normal(4), "d": normal(4), "m": normal(4), "v": positive(4)}
CONV = {"w": normal(4, 3, 3, 3), "b": normal(4)}
IMAGE = (1, 3, 6, 6)

# name: graph, constants, shape of x, operators afterwards
CASES: dict[str, tuple[str, dict[str, Any], tuple[int, ...], list[str]]] = {
    "normalization into convolution": (
        "c = Conv(x, w, b)  y = BatchNormalization<epsilon=0.01>(c, s, d, m, v)", {**CONV, **NORM}, IMAGE, ["Conv"],
    ),
    "normalization into convolution without bias": (
        "c = Conv(x, w)  y = BatchNormalization(c, s, d, m, v)", {"w": CONV["w"], **NORM}, IMAGE, ["Conv"],
    ),
    "normalization past a slice": (
        "c = Conv(x, w, b)  t = Slice(c, lo, hi, ax)  y = BatchNormalization(t, s, d, m, v)",
        {**CONV, **NORM, "lo": np.int64([0]), "hi": np.int64([2]), "ax": np.int64([2])}, IMAGE, ["Conv", "Slice"],
    ),
    "normalization past a slice of channels": (
        "c = Conv(x, w, b)  t = Slice(c, lo, hi, ax)  y = BatchNormalization(t, s, d, m, v)",
        {**CONV, **{k: n[:2] for k, n in NORM.items()}, "lo": np.int64([1]), "hi": np.int64([3]), "ax": np.int64([-3])},
        IMAGE, ["Conv", "Slice", "Conv"],
    ),
    "normalization into grouped transposed convolution": (
        "c = ConvTranspose<group=2, strides=[2,2]>(x, w)  y = BatchNormalization(c, s, d, m, v)",
        {"w": RNG.choice([-1.0, 1.0], (4, 2, 2, 2)).astype(np.float32),
         **{k: np.full(4, n[0]) for k, n in NORM.items()}},
        (1, 4, 5, 5), ["ConvTranspose"],
    ),
    "normalization of a tapped convolution": (
        "c = Conv(x, w, b)  n = BatchNormalization(c, s, d, m, v)  y = Add(c, n)", {**CONV, **NORM}, IMAGE,
        ["Conv", "Conv", "Add"],
    ),
    "normalization behind Relu": (
        "c = Conv(x, w, b)  r = Relu(c)  y = BatchNormalization(r, s, d, m, v)", {**CONV, **NORM}, IMAGE,
        ["Conv", "Relu", "Conv"],
    ),
    "normalization of rows": ("y = BatchNormalization(x, s, d, m, v)", NORM, (3, 4), ["Mul", "Add"]),
    "normalization of sequences": ("y = BatchNormalization(x, s, d, m, v)", NORM, (1, 4, 9), ["Conv"]),
    "normalization into Gemm": (
        "g = Gemm<alpha=0.5, beta=2.0>(x, w, b)  y = BatchNormalization(g, s, d, m, v)",
        {"w": normal(6, 4), "b": normal(1, 4), **NORM}, (2, 6), ["Gemm"],
    ),
    "factor and summand into convolution": (
        "c = Conv(x, w, b)  t = Mul(k, c)  u = Sub(t, o)  y = Div(u, q)",
        {**CONV, "k": normal(4, 1, 1), "o": normal(1, 4, 1, 1), "q": np.float32(3)}, IMAGE, ["Conv"],
    ),
    "factor per column is none per channel": (
        "c = Conv(x, w, b)  y = Mul(c, k)", {**CONV, "k": normal(4)}, IMAGE, ["Conv", "Mul"],
    ),
    "matrix product and sum": (
        "t = MatMul(x, w)  y = Add(b, t)", {"w": normal(6, 4), "b": normal(4)}, (2, 6), ["Gemm"],
    ),
    "matrix product of sequences": (
        "t = MatMul(x, w)  y = Add(t, b)", {"w": normal(6, 4), "b": normal(4)}, (1, 3, 6), ["MatMul", "Add"],
    ),
    "division by constants": ("y = Div(x, q)", {"q": np.float32([3, 7, 9, 11])}, (2, 4), ["Mul"]),
    "division of a constant": (
        "a = Abs(x)  o = Add(a, q)  y = Div(q, o)", {"q": np.float32(3)}, (2, 4), ["Abs", "Add", "Div"],
    ),
    "computed bias": (
        "p = ReduceMax<keepdims=0>(x)  q = Mul(k, p)  y = Conv(x, w, q)", {"w": CONV["w"], "k": normal(4)}, IMAGE,
        ["ReduceMax", "Mul", "Conv", "Reshape", "Add"],
    ),
    "matrix as bias": ("y = Gemm(x, w, b)", {"w": normal(6, 4), "b": normal(2, 4)}, (2, 6), ["Gemm", "Add"]),
    "clamp behind moves": (
        "c = Conv(x, w, b)  t = Slice(c, lo, hi, ax)  u = Transpose<perm=[0,2,3,1]>(t)  y = Clip(u, lo2, hi2)",
        {**CONV, "lo": np.int64([0]), "hi": np.int64([2]), "ax": np.int64([2]),
         "lo2": np.float32(-1), "hi2": np.float32(2)},
        IMAGE, ["Conv", "Clip", "Slice", "Transpose"],
    ),
    "clamp behind a tapped move": (
        "c = Conv(x, w, b)  t = Transpose<perm=[0,1,3,2]>(c)  r = Relu(t)  y = Add(t, r)", CONV, IMAGE,
        ["Conv", "Transpose", "Relu", "Add"],
    ),
    "uneven grouped transposed convolution": (
        "y = ConvTranspose<group=2, strides=[2,2]>(x, w, b)",
        {"w": normal(4, 2, 3, 3) * np.float32([[1], [30], [1], [1]])[:, :, None, None], "b": normal(4)}, (1, 4, 5, 5),
        ["Split", "ConvTranspose", "ConvTranspose", "Concat"],
    ),
    "uneven transposed convolution of many groups": (
        "y = ConvTranspose<group=12, strides=[2]>(x, w, b)",
        {"w": normal(12, 1, 3) * np.logspace(0, 3, 12, dtype=np.float32)[:, None, None], "b": normal(12)}, (1, 12, 5),
        ["ConvTranspose", "Conv"],
    ),
    "even grouped transposed convolution": (
        "y = ConvTranspose<group=4, strides=[2,2]>(x, w)", {"w": np.ones((4, 1, 2, 2), np.float32)}, (1, 4, 3, 3),
        ["ConvTranspose"],
    ),
}  # fmt: skip


def rewritten(body: str, constants: dict[str, Any], shape: tuple[int, ...]) -> tuple[ir.Model, ir.Model, list[Finding]]:
    dims = ",".join(str(d) for d in shape)
    rank = run(model(f"net (float[{dims}] x) => (float y) {{ {body} }}", constants), x=samples(shape, 1)[0])[0].shape
    source = model(
        f"net (float[{dims}] x) => (float[{','.join(str(d) for d in rank)}] y) {{ {body} }}",
        {k: np.asarray(v) for k, v in constants.items()},
    )
    findings: list[Finding] = []
    ready, _ = prepare(source, {"x": samples(shape, 2)}, findings)
    Rewriter(ready.graph, findings).run()
    return source, ready, findings


@pytest.mark.parametrize("name", CASES)
def test_same_function_in_the_wanted_form(name: str) -> None:
    body, constants, shape, wanted = CASES[name]
    source, ready, findings = rewritten(body, constants, shape)
    assert kinds(ready) == wanted
    for x in samples(shape, 3, seed=5, low=-2, high=2):
        before, after = run(source, x=x)[0], run(ready, x=x)[0]
        assert before.shape == after.shape
        assert np.abs(before - after).max() <= 1e-5 * max(np.abs(before).max(), 1.0)
    changed = wanted != kinds(source)
    assert changed == bool(findings)
    assert all(f.code == "FER307" for f in findings)
    assert [v.name for v in ready.graph.outputs] == ["y"]


def test_shape_chains_become_constants() -> None:
    net = model(
        """net (float[1,4,6] x) => (float[4,6] y) {
          s = Shape(x)  a = Gather(s, one)  b = Gather(s, two)  t = Concat<axis=0>(a, b)  y = Reshape(x, t)
        }""",
        {"one": np.int64([1]), "two": np.int64([2])},
    )
    ready, _ = prepare(net, {"x": samples((1, 4, 6), 1)}, [])
    assert kinds(ready) == ["Reshape"]
    np.testing.assert_array_equal(ready.graph.initializers["t"].const_value.numpy(), [4, 6])  # type: ignore[union-attr]


def test_shape_behind_values_is_no_constant() -> None:
    net = model(
        "net (float[1,6] x) => (int64[2] y) { n = NonZero(x)  y = Shape(n) }",
    )
    net.graph.outputs[0].shape = None
    ready, _ = prepare(net, {"x": samples((1, 6), 1)}, [])
    assert kinds(ready) == ["NonZero", "Shape"]
