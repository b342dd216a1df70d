"""`doctor` ends in one sentence that is true."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path

import pytest

from ferrule import doctor
from ferrule.doctor import Check, Diagnosis, diagnose, satisfies


def test_this_machine_is_sound() -> None:
    found = diagnose()
    assert found.broken == ()
    assert found.lines()[-1] == "The set-up is sound: look at the model."
    assert {"Python", "numpy", "onnxruntime", "C compiler", "arithmetic"} <= {c.name for c in found.checks}
    assert json.loads(json.dumps(found.to_json()))["sound"] is True


def test_broken_places_are_named() -> None:
    checks = (
        Check("Python", "ok", "3.12"),
        Check("onnx", "broken", "not installed"),
        Check("qemu", "missing", "optional"),
    )
    assert Diagnosis(checks).sentence() == "The set-up is broken: onnx (not installed)."
    assert Diagnosis((checks[0], checks[2])).is_sound


def test_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    found = diagnose()
    assert [c.name for c in found.broken] == ["C compiler"]
    assert found.sentence().startswith("The set-up is broken: C compiler (")


def test_compiler_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import sys; sys.exit(1)")
    monkeypatch.setenv("CC", f"{sys.executable} {wrong}")
    assert [c.name for c in diagnose().broken] == ["C compiler"]


def test_old_and_absent_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ["numpy>=99", "no-such-package>=1", "pytest>=8; extra == 'dev'"]
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: wanted)
    found = {c.name: c for c in diagnose().checks}
    assert found["numpy"].state == found["no-such-package"].state == "broken"
    assert ">=99 is needed" in found["numpy"].detail
    assert "pip install 'no-such-package>=1'" in found["no-such-package"].detail
    assert "pytest" not in found


def test_wrong_arithmetic_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong() -> str:
        raise ValueError("numpy multiplies wrongly")

    monkeypatch.setattr(doctor, "_OWN", (("arithmetic", wrong),))
    assert diagnose().broken[0].detail == "numpy multiplies wrongly"


def test_not_installed() -> None:
    assert diagnose("no-such-distribution").broken[0].name == "no-such-distribution"


@pytest.mark.parametrize(
    ("version", "wanted", "fits"),
    [
        *(("1.26.4", ">=1.26", True), ("1.25", ">=1.26", False), ("2.3.0", "==2.3.0", True), ("2.3", "==2.3.0", True)),
        *(
            ("2.3.1", "==2.3.0", False),
            ("10.0", ">=9.10", True),
            ("9.9", ">=9.10", False),
            ("25.12.19", ">=24.3", True),
        ),
        *(("1.0rc1", ">=1.0", True), ("1.0", "", True), ("3.0", ">=1,>=4", False)),
    ],
)
def test_versions(version: str, wanted: str, fits: bool) -> None:
    assert satisfies(version, wanted) is fits
