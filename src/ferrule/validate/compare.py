"""Compares two arrays of one tensor."""

from __future__ import annotations

import numpy as np

from ferrule.program.result import Comparison


def compare(tensor: str, got: np.ndarray, want: np.ndarray) -> Comparison:
    """Return how far `got` is from `want` (same shape), over all samples."""
    if got.shape != want.shape:
        raise ValueError(f"{tensor}: shape {list(got.shape)} against {list(want.shape)}")
    total = int(want.size)
    if total == 0:
        return Comparison(tensor, 0, 0, 0.0, 0.0, float("inf"), 1.0, 0.0)
    a, b = got.astype(np.float64).reshape(-1), want.astype(np.float64).reshape(-1)
    both_nan = np.isnan(a) & np.isnan(b)
    equal = int(((got.reshape(-1) == want.reshape(-1)) | both_nan).sum())
    with np.errstate(invalid="ignore"):
        error = np.where((a == b) | both_nan, 0.0, a - b)
    error = np.nan_to_num(error, nan=np.inf, posinf=np.inf, neginf=-np.inf)
    noise, signal = float((error**2).sum()), float((np.nan_to_num(b) ** 2).sum())
    norm = float(np.linalg.norm(np.nan_to_num(a)) * np.linalg.norm(np.nan_to_num(b)))
    cosine = 1.0 if noise == 0 else (float(np.nan_to_num(a) @ np.nan_to_num(b)) / norm if norm > 0 else 0.0)
    finite = b[np.isfinite(b)]
    span = float(finite.max() - finite.min()) if finite.size else 0.0
    largest = float(np.abs(error).max())
    relative = 0.0 if largest == 0 else (largest / span if span > 0 else float("inf"))
    sqnr = float("inf") if noise == 0 else (10 * float(np.log10(signal / noise)) if signal > 0 else float("-inf"))
    return Comparison(tensor, total, equal, largest, float(np.abs(error).mean()), sqnr, cosine, relative)
