from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.program.input_spec import CHOICES, InputSpec, InputSpecError, from_toml, number, starting_point

numbers = st.floats(-1e4, 1e4).filter(lambda v: abs(v) > 1e-6)


@st.composite
def specs(draw: st.DrawFn) -> InputSpec:
    color = draw(st.sampled_from(CHOICES["color"]))
    file = draw(st.sampled_from(CHOICES["color_file"] if color == "grey" else ("rgb", "bgr")))
    count = 1 if color == "grey" else draw(st.sampled_from((1, 3)))
    some = st.tuples(*[numbers] * count)
    side = draw(st.none() | st.integers(1, 4096))
    return InputSpec(
        source=draw(st.sampled_from(("image", "array"))), width=side, height=side,
        resize=draw(st.sampled_from(("stretch", "letterbox", "crop"))), fill=draw(st.integers(0, 255)),
        color_file=file, color=color, layout=draw(st.sampled_from(("nchw", "nhwc"))),  # type: ignore[arg-type]
        scale=draw(some), offset=draw(some), mean=draw(some), std=draw(some),
        type=draw(st.sampled_from(("float32", "uint8", "int8"))),
    )  # fmt: skip


@given(specs())
def test_toml_both_ways(spec: InputSpec) -> None:
    assert from_toml(spec.to_toml()) == spec
    assert from_toml(spec.to_toml().replace("\n", "\r\n")) == spec


@given(specs(), st.integers(0, 2**32 - 1))
def test_values_by_the_formula(spec: InputSpec, seed: int) -> None:
    channels = 1 if spec.color_file == "grey" else 3
    pixels = np.random.default_rng(seed).integers(0, 256, (2, 3, 4, channels), np.uint8)
    values = spec.tensor(pixels)
    assert values.dtype == np.float32
    assert values.shape == ((2, spec.channels, 3, 4) if spec.layout == "nchw" else (2, 3, 4, spec.channels))
    last = np.moveaxis(values, 1, -1) if spec.layout == "nchw" else values
    if spec.color == spec.color_file or "grey" not in (spec.color, spec.color_file):
        source = pixels if spec.color == spec.color_file else pixels[..., ::-1]
        wide = [np.float64(v) for v in (spec.scale, spec.offset, spec.mean, spec.std)]
        wanted = (source * wide[0] + wide[1] - wide[2]) / wide[3]
        size = (
            np.abs(source * wide[0] / wide[3]).max() + np.abs(wide[1] / wide[3]).max() + np.abs(wide[2] / wide[3]).max()
        )
        assert np.abs(wanted - last).max() <= 1e-6 * size


def test_grey_is_the_same_from_either_order() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (1, 5, 5, 3), np.uint8)
    first = InputSpec(color="grey").tensor(pixels)
    second = InputSpec(color="grey", color_file="bgr").tensor(pixels[..., ::-1])
    np.testing.assert_array_equal(first, second)
    assert InputSpec(color="grey").tensor(np.full((1, 1, 1, 3), 77, np.uint8)).item() == 77


def test_integer_tensor_is_rounded_and_limited() -> None:
    spec = InputSpec(offset=(-128.0,), layout="nhwc")
    pixels = np.asarray([[[0, 128, 255]]], np.uint8)
    np.testing.assert_array_equal(spec.tensor(pixels, np.int8), [[[-128, 0, 127]]])
    np.testing.assert_array_equal(InputSpec(scale=(2.0,), layout="nhwc").tensor(pixels, np.uint8), [[[0, 255, 255]]])
    assert InputSpec(layout="nhwc").tensor(pixels, np.uint8).dtype == np.uint8


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("width = 3", "together"),
        ("width = true\nheight = 2", "whole number"),
        ('resize = "fit"', "stretch, letterbox, crop"),
        ("colour = 1", "no field"),
        ("std = 0", "not zero"),
        ("mean = [1, 2]", "1 number or 3"),
        ('scale = "1/0"', "no number"),
        ("scale = nan", "not finite"),
        ("scale = [", "not TOML"),
        ('color_file = "grey"', "grey file"),
        ("fill = 300", "0 and 255"),
        ("width = 99999\nheight = 1", "16384"),
        ("resize = 1", "one of"),
        ("mean = {a = 1}", "number"),
    ],
)
def test_bad_descriptions(text: str, said: str) -> None:
    with pytest.raises(InputSpecError, match=said):
        from_toml(text)


def test_fractions_and_options() -> None:
    assert number("1/127.5") == 1 / 127.5
    spec = from_toml('scale = "1/255"\nmean = [0.485, 0.456, 0.406]\nstd = 0.25\ncolor = "BGR"')
    assert (spec.scale, spec.color) == ((1 / 255,), "bgr")
    changed = spec.with_options(scale="1/127.5", offset="-1", color="gray", mean="0", resize=None)
    assert (changed.scale, changed.offset, changed.color, changed.resize) == ((1 / 127.5,), (-1.0,), "grey", "stretch")
    with pytest.raises(InputSpecError):
        spec.with_options(width="wide")


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        ((1, 3, 48, 96), InputSpec(width=96, height=48)),
        ((1, 48, 96, 3), InputSpec(width=96, height=48, layout="nhwc")),
        ((1, 1, 28, 28), InputSpec(width=28, height=28, color="grey", color_file="grey")),
        ((1, 6, 128), InputSpec(source="array")),
    ],
)
def test_starting_point(shape: tuple[int, ...], wanted: InputSpec) -> None:
    assert starting_point(shape) == wanted
