"""Which drawn cases prove which kernel."""

from __future__ import annotations

from hypothesis.strategies import SearchStrategy

from tests.kernels import (
    cases_conv,
    cases_conv_transpose,
    cases_elementwise,
    cases_index,
    cases_movement,
    cases_norm,
    cases_product,
    cases_recurrent,
    cases_resize,
    cases_scale,
)
from tests.kernels.band_law import Case

CASES: dict[str, SearchStrategy[Case]] = {
    **cases_conv.CASES,
    **cases_conv_transpose.CASES,
    **cases_elementwise.CASES,
    **cases_index.CASES,
    **cases_movement.CASES,
    **cases_norm.CASES,
    **cases_product.CASES,
    **cases_recurrent.CASES,
    **cases_resize.CASES,
    **cases_scale.CASES,
}
"""Kernel function to a strategy of ops that the kernel accepts."""
