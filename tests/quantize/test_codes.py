from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ferrule.quantize.codes import asymmetric, constant_params, encode, encode_bias, encode_weights, symmetric
from ferrule.quantize.ranges import MinMax, Range

reals = st.floats(-1e6, 1e6, width=32)


@given(reals, reals)
@example(0.0, 0.0)
@example(3.0, 7.0)
@example(-1e-30, 0.0)
def test_activation_codes_cover_range_and_zero(a: float, b: float) -> None:
    span = Range(min(a, b), max(a, b))
    params = asymmetric(span)
    assert params.scale > 0 and -128 <= params.zero_point <= 127
    assert np.float32(params.scale) == params.scale
    for value in (min(span.low, 0.0), max(span.high, 0.0), 0.0):
        code = float(encode(np.asarray(value), params.scale, params.zero_point))
        assert abs(params.scale * (code - params.zero_point) - value) <= params.scale * 1.001


@given(reals, reals)
def test_symmetric_codes_cover_the_range(a: float, b: float) -> None:
    params = symmetric(Range(min(a, b), max(a, b)))
    assert params.zero_point == 0
    for value in (a, b):
        assert abs(params.scale * float(encode(np.asarray(value), params.scale)) - value) <= params.scale * 0.51


@pytest.mark.parametrize("values", [[0.5, 1.5, 11.5], [8, 16, 32], [-3.0], [1 / 255], [0.0]])
def test_round_constants_are_exact(values: list[float]) -> None:
    array = np.asarray(values, np.float32)
    params = constant_params(array)
    np.testing.assert_allclose(
        encode(array, params.scale).astype(np.float32) * np.float32(params.scale), array, rtol=1e-6
    )


@given(st.lists(reals, min_size=1, max_size=20))
def test_constants_lose_at_most_half_a_step_of_a_plain_scale(values: list[float]) -> None:
    array = np.asarray(values, np.float32)
    params = constant_params(array)
    error = np.abs(encode(array, params.scale).astype(np.float64) * params.scale - array)
    assert error.max() <= max(np.abs(array).max() / 127 * 0.51, 1e-15)


@given(st.integers(0, 2**32 - 1), st.floats(-12, 3), st.floats(-3, 4))
@example(1, -12.0, 4.0)
def test_bias_and_products_never_leave_int32(seed: int, weight_power: float, bias_power: float) -> None:
    rng = np.random.default_rng(seed)
    weights = (rng.normal(0, 1, (4, 3, 3, 3)) * 10.0**weight_power).astype(np.float32)
    bias = (rng.normal(0, 1, 4) * 10.0**bias_power).astype(np.float32)
    coded = encode_weights(weights, 0, bias, 0.02)
    codes, steps = encode_bias(bias, 0.02, coded.scale)
    assert codes.dtype == np.int32 and coded.codes.min() >= -127
    worst = np.abs(codes.astype(np.int64)) + 255 * np.abs(coded.codes.astype(np.int64)).reshape(4, -1).sum(1)
    assert worst.max() <= 2**31 - 1
    assert np.abs(codes * steps.astype(np.float64) - bias).max() <= steps.max()
    for channel in range(4):
        plain = np.abs(weights[channel]).max() / 127
        assert (coded.scale[channel] > plain * 1.001) == (channel in coded.raised)


def test_dead_channel_and_scalar_scale() -> None:
    weights = np.asarray([[1.0, -2.0], [0.0, 0.0]], np.float32)
    coded = encode_weights(weights, 0, None, 1.0)
    assert coded.scale[0] == coded.scale[1] > 0 and not coded.codes[1].any()
    whole = encode_weights(weights, None, np.asarray([1.0, 2.0], np.float32), 1.0)
    assert whole.scale.shape == () and whole.axis is None


def test_min_max_over_samples() -> None:
    provider = MinMax()
    provider.observe("t", np.asarray([1.0, 2.0]))
    provider.observe("t", np.asarray([-3.0, 0.0]))
    provider.observe("t", np.zeros(0))
    provider.observe("bad", np.asarray([1.0]))
    provider.observe("bad", np.asarray([np.nan]))
    assert provider.ranges()["t"] == Range(-3.0, 2.0)
    assert not provider.ranges()["bad"].is_finite
    assert Range(2.0, 5.0).span == 5.0
