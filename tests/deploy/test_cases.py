"""The reported cases: compile and match, or diagnose."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ferrule import verbs
from ferrule.diagnostics import Level, Refusal
from ferrule.request import Request
from tests.conftest import shared_folder

DATA_RULES = frozenset({"calib-wrong-range", "preprocess-mean-index"})
"""Cases whose accepted outcome is a finding about the data; the rules about data are not written yet."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    folder = shared_folder() or Path("absent")
    folder = folder / "cases"
    found = sorted(p.parent.name for p in folder.glob("*/case.json")) if folder.is_dir() else ["absent"]
    metafunc.parametrize("case", [c for c in found if c not in DATA_RULES])


def test_case(case: str, shared: Path, tmp_path: Path) -> None:
    """One of the accepted outcomes; a healthy twin matches in silence."""
    folder = shared / "cases" / case
    expected = json.loads((folder / "case.json").read_text())["expected"]
    given = np.load(folder / "inputs.npz")
    calibration = {k.split("/", 1)[1]: given[k] for k in given.files if k.startswith("calib")}
    inputs = {k.split("/", 1)[-1]: given[k] for k in given.files if not k.startswith("calib")}
    np.savez(tmp_path / "inputs.npz", **inputs)
    if calibration:
        np.savez(tmp_path / "calibration.npz", **calibration)
    request = Request(folder / "model.onnx", calibration=tmp_path / "calibration.npz" if calibration else None)
    try:
        arrays, outcome = verbs.run(request, tmp_path / "inputs.npz", False)
    except Refusal as refusal:
        assert "diagnose" in expected["accept"], refusal
        assert all(f.code.startswith("FER") and f.message for f in refusal.findings)
        return
    assert {"compile", "fix"} & set(expected["accept"])
    check_values(folder, expected, arrays)
    if expected.get("max_findings") == 0:
        assert [f for f in outcome.journal.findings.items if f.level is not Level.NOTE] == []


def check_values(folder: Path, expected: dict, arrays: dict[str, np.ndarray]) -> None:  # type: ignore[type-arg]
    """Within the case's tolerance of its expected values."""
    stored = np.load(folder / "expected.npz")
    prefix = expected["compare_to"] + "/"
    wanted = {k[len(prefix) :]: stored[k] for k in stored.files if k.startswith(prefix)}
    if expected["must_match_float_tol"] is None:
        return
    for name, want in wanted.items():
        error = np.abs(arrays[name].astype(np.float64) - want)
        scopes = [s for s in expected["tol_scope"] or [] if s[0] == name]
        if not scopes:
            assert error.max(initial=0.0) <= expected["must_match_float_tol"], name
        for _, text, limit in scopes:
            assert error[index_of(text)].max(initial=0.0) <= limit, (name, text)


def index_of(text: str) -> tuple:  # type: ignore[type-arg]
    """`[:, 0:4, ...]` as an index."""
    parts = []
    for part in text.strip("[]").split(","):
        part = part.strip()
        if part == "...":
            parts.append(Ellipsis)
        elif ":" in part:
            parts.append(slice(*(int(p) if p.strip() else None for p in part.split(":"))))
        else:
            parts.append(int(part))
    return tuple(parts)
