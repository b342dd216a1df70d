"""Which drawn cases prove which kernel."""

from __future__ import annotations

from hypothesis.strategies import SearchStrategy

from tests.kernels import (
    cases_conv,
    cases_conv_transpose,
    cases_index,
    cases_movement,
    cases_norm,
    cases_recurrent,
    cases_resize,
)
from tests.kernels.band_law import Case

CASES: dict[str, SearchStrategy[Case]] = {
    **cases_conv.CASES,
    **cases_conv_transpose.CASES,
    **cases_index.CASES,
    **cases_movement.CASES,
    **cases_norm.CASES,
    **cases_recurrent.CASES,
    **cases_resize.CASES,
}
"""Kernel function to a strategy of ops that the kernel accepts."""
