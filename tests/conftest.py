"""Shared material, deterministic examples, and what was skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
ABSENT = "no shared test material: set FERRULE_SHARED, or lay it beside the checkout as ../shared"

# Same input, same examples: a red test stays red. FERRULE_HYPOTHESIS=explore draws new ones each time.
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("FERRULE_HYPOTHESIS", "repeatable"))


def shared_folder() -> Path | None:
    """Return the folder of shared test material: $FERRULE_SHARED, else `shared` beside the checkout; None if absent."""
    folder = Path(os.environ.get("FERRULE_SHARED") or ROOT.parent / "shared")
    return folder.resolve() if folder.is_dir() else None


def is_ci() -> bool:
    """Whether a missing piece is a failure and not a skip."""
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


@pytest.fixture
def shared() -> Path:
    """The folder of shared test material. Without it the test is skipped; with CI=true it fails."""
    folder = shared_folder()
    if folder is not None:
        return folder
    if is_ci():
        pytest.fail(ABSENT)
    pytest.skip(ABSENT)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests could not run for want of shared material."""
    reports = terminalreporter.stats.get("skipped", [])
    missing = sum(ABSENT in str(report.longrepr) for report in reports)
    if missing:
        terminalreporter.write_line(f"{missing} tests skipped: {ABSENT}")
