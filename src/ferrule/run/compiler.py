"""Finds a C compiler for the host and calls it."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ferrule.diagnostics import Refusal
from ferrule.run.findings import NO_COMPILER, TOOL_FAILED


def host_compiler() -> list[str]:
    """Return the command of a C compiler: $CC, cc, gcc, clang, or the one in the package ziglang; Refusal FER601."""
    chosen = os.environ.get("CC")
    if chosen:
        words = shlex.split(chosen)
        if words and shutil.which(words[0]):
            return words
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    raise Refusal(
        NO_COMPILER.at("model", "no C compiler was found on this machine", stage="run", help=["pip install ziglang"])
    )


def call(command: Sequence[str], folder: Path, timeout_seconds: float = 600.0) -> str:
    """Run a tool and return what it printed; Refusal FER602 where it fails or cannot be started."""
    try:
        done = subprocess.run(
            list(command), cwd=folder, capture_output=True, text=True, errors="replace", timeout=timeout_seconds
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Refusal(_failed(command, f"could not be run: {error}", "")) from None
    if done.returncode:
        raise Refusal(_failed(command, f"ended with exit code {done.returncode}", done.stdout + done.stderr))
    return done.stdout


def _failed(command: Sequence[str], what: str, output: str):  # type: ignore[no-untyped-def]
    lines = [line for line in output.splitlines() if line.strip()][-8:]
    return TOOL_FAILED.at(
        "model",
        f"{Path(command[0]).name} {what}",
        stage="run",
        notes=[f"command: {shlex.join(command)}", *lines],
        help=["run it again with --keep FOLDER and call the command by hand"],
    )
