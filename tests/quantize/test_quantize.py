from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest

from ferrule.diagnostics import Refusal
from ferrule.quantize.quantize import quantize
from tests.conftest import ROOT
from tests.quantize.small import activation_params, is_pair, kinds, model, run, samples, to_bytes

CHAIN = """
net (float[1,3,8,8] x) => (float[1,4] y) {
  c = Conv<pads=[1,1,1,1]>(x, w, b)
  r = Relu(c)
  p = MaxPool<kernel_shape=[2,2], strides=[2,2]>(r)
  g = GlobalAveragePool(p)
  f = Flatten(g)
  y = Gemm<transB=1>(f, v, a)
}"""


def chain() -> ir.Model:
    rng = np.random.default_rng(1)
    return model(
        CHAIN,
        {
            "w": rng.normal(0, 0.3, (5, 3, 3, 3)).astype(np.float32),
            "b": rng.normal(0, 0.2, 5).astype(np.float32),
            "v": rng.normal(0, 0.5, (4, 5)).astype(np.float32),
            "a": rng.normal(0, 0.2, 4).astype(np.float32),
        },
    )


def test_no_float_edge_between_integer_nodes() -> None:
    made = quantize(chain(), {"x": samples((1, 3, 8, 8))}).model
    for node in made.graph:
        if node.op_type in ("Conv", "MaxPool", "GlobalAveragePool", "Flatten", "Gemm"):
            assert is_pair(node.inputs[0]), node.name
        if node.op_type == "Relu":
            assert node.inputs[0].producer().op_type == "Conv"  # type: ignore[union-attr]
    assert kinds(made) == ["Conv", "Relu", "MaxPool", "GlobalAveragePool", "Flatten", "Gemm"]


def test_moves_take_the_scale_of_their_input() -> None:
    made = quantize(chain(), {"x": samples((1, 3, 8, 8))}).model
    assert activation_params(made, "r") == activation_params(made, "p")
    assert activation_params(made, "g") == activation_params(made, "f")
    assert activation_params(made, "r") != activation_params(made, "g")


def test_interface_and_names_stay() -> None:
    source = chain()
    made = quantize(source, {"x": samples((1, 3, 8, 8))}).model
    assert [v.name for v in made.graph.inputs] == ["x"] and [v.name for v in made.graph.outputs] == ["y"]
    assert made.graph.inputs[0].dtype is made.graph.outputs[0].dtype is ir.DataType.FLOAT
    names = [n.name for n in made.graph]
    assert {n.name for n in source.graph} <= set(names)
    assert len(set(names)) == len(names)
    assert "r_QuantizeLinear" in names


def test_result_is_close_and_source_untouched() -> None:
    source = chain()
    before = to_bytes(source)
    made = quantize(source, {"x": samples((1, 3, 8, 8), 32)}).model
    assert to_bytes(source) == before
    for x in samples((1, 3, 8, 8), 4, seed=9):
        wanted, got = run(source, x=x)[0], run(made, x=x)[0]
        assert np.abs(wanted - got).max() < 0.05 * np.ptp(wanted)
        assert not np.array_equal(wanted, got)


def test_weights_have_a_scale_per_channel_and_bias_their_product() -> None:
    made = quantize(chain(), {"x": samples((1, 3, 8, 8))}).model
    conv = next(n for n in made.graph if n.op_type == "Conv")
    weights, bias = (conv.inputs[i].producer() for i in (1, 2))  # type: ignore[union-attr]
    assert weights is not None and bias is not None
    assert weights.attributes["axis"].value == 0
    codes, scale = (weights.inputs[i].const_value.numpy() for i in (0, 1))  # type: ignore[union-attr]
    assert codes.dtype == np.int8 and scale.shape == (5,)
    assert (np.abs(codes).reshape(5, -1).max(1) == 127).all() and codes.min() >= -127
    steps = bias.inputs[1].const_value.numpy()  # type: ignore[union-attr]
    assert bias.inputs[0].const_value.numpy().dtype == np.int32  # type: ignore[union-attr]
    np.testing.assert_array_equal(steps, np.float32(activation_params(made, "x")[0]) * scale)


def test_same_bytes_on_every_run(tmp_path: Path) -> None:
    """Another hash seed and another number of threads give the same file."""
    script = (
        "import sys; from dataclasses import replace;"
        "from tests.quantize.test_quantize import chain; from tests.quantize.small import samples, to_bytes;"
        "from ferrule.quantize.quantize import quantize; from ferrule.quantize.records import QuantizeOptions;"
        "made = quantize(chain(), {'x': samples((1, 3, 8, 8))}, QuantizeOptions(threads=int(sys.argv[1]))).model;"
        "sys.stdout.buffer.write(to_bytes(made))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", script, threads],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed, threads in (("1", "1"), ("2", "3"))
    }
    assert len(seen) == 1 and len(seen.pop()) > 500


def test_quantized_model_is_left_alone() -> None:
    made = quantize(chain(), {"x": samples((1, 3, 8, 8))}).model
    again = quantize(made, {"x": samples((1, 3, 8, 8))})
    assert again.model is made
    assert [f.code for f in again.findings] == ["FER300"]


def test_one_scale_for_softmax_and_sigmoid() -> None:
    net = model(
        """net (float[1,8] x) => (float[1,8] y, float[1,8] z) {
          h = Mul(x, k)  y = Softmax<axis=-1>(h)  z = Sigmoid(h)
        }""",
        {"k": np.float32(3.0)},
    )
    made = quantize(net, {"x": samples((1, 8))}).model
    assert activation_params(made, "y") == activation_params(made, "z") == (1 / 256, -128)


def test_concat_of_unlike_ranges_at_the_end_stays_float() -> None:
    net = model(
        """net (float[1,4,6] x) => (float[1,6,8] y) {
          boxes = Mul(x, k)
          scores = Sigmoid(x)
          both = Concat<axis=1>(boxes, scores)
          y = Transpose<perm=[0,2,1]>(both)
        }""",
        {"k": np.float32(300.0)},
    )
    x = samples((1, 4, 6), 16)
    result = quantize(net, {"x": x})
    found = next(f for f in result.findings if f.code == "FER302")
    assert (found.node, found.level.value) == ("concat2", "warning")
    wanted, got = run(net, x=x[0])[0], run(result.model, x=x[0])[0]
    assert np.abs(wanted - got)[..., 4:].max() < 0.01  # scores keep their resolution
    assert set(result.kept_float) == {"concat2", "transpose3"}


def test_concat_of_unlike_ranges_inside_is_told() -> None:
    net = model(
        """net (float[1,4,6] x) => (float[1,8,6] y) {
          wide = Mul(x, k)
          narrow = Sigmoid(x)
          both = Concat<axis=1>(wide, narrow)
          y = Tanh(both)
        }""",
        {"k": np.float32(300.0)},
    )
    result = quantize(net, {"x": samples((1, 4, 6))})
    assert [f.level.value for f in result.findings if f.code == "FER302"] == ["note"]
    assert result.kept_float == {}


def test_concat_of_like_ranges_takes_one_scale() -> None:
    body = """net (float[1,4,6] x) => (float[1,8,6] y) {{
      a = Tanh(x)
      b = Mul(x, k)
      c = Concat<axis=1>(a, b)
      y = Relu(c)
    }}"""
    near = quantize(model(body.format(), {"k": np.float32(0.8)}), {"x": samples((1, 4, 6), 32)}).model
    assert activation_params(near, "a") == activation_params(near, "b") == activation_params(near, "c")
    far = quantize(model(body.format(), {"k": np.float32(3.0)}), {"x": samples((1, 4, 6), 32)}).model
    assert activation_params(far, "a") != activation_params(far, "c") == activation_params(far, "b")


def test_recurrent_node_stays_float() -> None:
    rng = np.random.default_rng(0)
    net = model(
        """net (float[5,1,3] x) => (float[5,1,1,4] y) {
          h = Tanh(x)  g, s = GRU<hidden_size=4>(h, w, r)  y = Relu(g) }""",
        {
            "w": rng.normal(0, 0.5, (1, 12, 3)).astype(np.float32),
            "r": rng.normal(0, 0.5, (1, 12, 4)).astype(np.float32),
        },
    )
    result = quantize(net, {"x": samples((5, 1, 3))})
    assert list(result.kept_float) == ["gru1"]
    assert [(f.code, f.node) for f in result.findings] == [("FER306", "gru1")]
    x = samples((5, 1, 3), 1, seed=3)[0]
    assert np.abs(run(net, x=x)[0] - run(result.model, x=x)[0]).max() < 0.05


def test_a_dead_branch_gets_a_positive_scale() -> None:
    net = model(
        """net (float[1,4] x) => (float[1,4] y) { a = Add(x, k)  r = Relu(a)  y = Add(x, r) }""", {"k": np.float32(-9)}
    )
    result = quantize(net, {"x": samples((1, 4))})
    assert activation_params(result.model, "r")[0] > 0
    assert ("FER303", "relu1") in [(f.code, f.node) for f in result.findings]


def test_not_finite_range_keeps_the_node_float() -> None:
    net = model(
        """net (float[1,4] x) => (float[1,4] y) { e = Mul(x, k)  r = Sqrt(e)  y = Add(x, e) }""", {"k": np.float32(2)}
    )
    net.graph.outputs.append(net.graph.node(1).outputs[0])
    result = quantize(net, {"x": samples((1, 4))})
    assert [(f.code, f.node) for f in result.findings if f.code == "FER304"] == [("FER304", "sqrt1")]
    assert "sqrt1" in result.kept_float and "add2" not in result.kept_float


def test_shared_weights_get_a_copy_each() -> None:
    rng = np.random.default_rng(2)
    net = model(
        """net (float[1,2,6,6] x) => (float[1,2,6,6] y) {
          big = Mul(x, k)
          a = Conv<pads=[1,1,1,1]>(x, w, b)
          c = Conv<pads=[1,1,1,1]>(big, w, b)
          y = Add(a, c)
        }""",
        {
            "k": np.float32(50.0),
            "w": rng.normal(0, 1, (2, 2, 3, 3)).astype(np.float32),
            "b": rng.normal(0, 1, 2).astype(np.float32),
        },
    )
    made = quantize(net, {"x": samples((1, 2, 6, 6))}).model
    first, second = (n for n in made.graph if n.op_type == "Conv")
    for index in (1, 2):
        assert first.inputs[index] is not second.inputs[index]
    steps = [n.inputs[2].producer().inputs[1].const_value.numpy() for n in (first, second)]  # type: ignore[union-attr]
    assert np.allclose(steps[1] / steps[0], 50.0, rtol=0.01)


def test_output_that_is_read_on() -> None:
    net = model(
        """net (float[1,4] x) => (float[1,4] y, float[1,4] z) { y = Mul(x, k)  z = Tanh(y) }""", {"k": np.float32(2.0)}
    )
    made = quantize(net, {"x": samples((1, 4))}).model
    assert [v.name for v in made.graph.outputs] == ["y", "z"]
    x = samples((1, 4), 1, seed=4)[0]
    for wanted, got in zip(run(net, x=x), run(made, x=x), strict=True):
        assert np.abs(wanted - got).max() < 0.03


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "has no samples"),
        ({"other": np.zeros((4, 1, 3, 8, 8), np.float32)}, "`other`"),
        ({"x": np.zeros((4, 1, 3, 9, 8), np.float32)}, "[4, 1, 3, 9, 8]"),
        ({"x": np.zeros((0, 1, 3, 8, 8), np.float32)}, "numbers of samples"),
    ],
)
def test_samples_that_do_not_fit(given: dict[str, np.ndarray], said: str) -> None:
    with pytest.raises(Refusal) as caught:
        quantize(chain(), given)
    (finding,) = caught.value.findings
    assert finding.code == "FER305" and said in finding.message


def test_open_batch_is_one_and_other_open_dimensions_are_refused() -> None:
    body = "net (float[{}] x) => (float[{}] y) {{ y = Tanh(x) }}"
    made = quantize(model(body.format("N,4", "N,4")), {"x": samples((4,), 8)}).model
    assert list(made.graph.inputs[0].shape.numpy()) == [1, 4]  # type: ignore[union-attr]
    with pytest.raises(Refusal) as caught:
        quantize(model(body.format("1,T", "1,T")), {"x": samples((1, 4))})
    assert "--shape x=" in caught.value.findings[0].help[0]


def test_old_opset_is_raised() -> None:
    net = model("net (float[1,4] x) => (float[1,4] y) { y = Tanh(x) }", opset=11)
    result = quantize(net, {"x": samples((1, 4))})
    assert result.model.graph.opset_imports[""] == 13
    assert [f.code for f in result.findings] == ["FER308"]
    run(result.model, x=np.zeros((1, 4), np.float32))


def test_nothing_to_quantize() -> None:
    net = model("net (float[1,4] x) => (float[1,4] y) { y = Identity(x) }")
    result = quantize(net, {"x": samples((1, 4))})
    assert [f.code for f in result.findings] == ["FER309"]
    assert kinds(result.model) == ["Identity"] and len(list(result.model.graph)) == 1
