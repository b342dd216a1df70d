"""Finds C compilers and calls tools."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ferrule.diagnostics import Finding, Refusal
from ferrule.run.findings import NO_COMPILER, NO_CROSS_COMPILER, NO_EMULATOR, TOOL_FAILED

PACKAGES = {
    "arm-none-eabi-gcc": "gcc-arm-none-eabi libnewlib-arm-none-eabi",
    "arm-linux-gnueabihf-gcc": "gcc-arm-linux-gnueabihf libc6-dev-armhf-cross",
    "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
    "qemu-system-arm": "qemu-system-arm",
    "qemu-arm": "qemu-user",
    "qemu-aarch64": "qemu-user",
}
"""Tools that are not Python's, and the packages of Debian and Ubuntu that bring them."""

LAST_LINES = 8


def host_compiler() -> list[str]:
    """Return the command of a C compiler: $CC, cc, gcc, clang, or the one in the package ziglang; Refusal FER601."""
    chosen = os.environ.get("CC", "").strip()
    if chosen:
        words = _words(chosen)
        if words and shutil.which(words[0]):
            return words
        raise Refusal(
            NO_COMPILER.at(
                "model",
                f"the environment variable CC names {chosen[:80]!r}, which is not on this machine",
                stage="run",
                help=["unset CC", "pip install ziglang"],
            )
        )
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    raise Refusal(
        NO_COMPILER.at("model", "no C compiler was found on this machine", stage="run", help=["pip install ziglang"])
    )


def cross_compiler(gcc: Sequence[str]) -> list[str]:
    """Return the command with its flags (`Core.gcc`) if the compiler is on this machine; Refusal FER604."""
    if shutil.which(gcc[0]) is None:
        raise Refusal(
            NO_CROSS_COMPILER.at("model", f"{gcc[0]} is not on this machine", stage="run", help=_install(gcc[0]))
        )
    return list(gcc)


def emulator(name: str) -> str:
    """Return the path of an emulator (`qemu-system-arm`, `qemu-arm`, `qemu-aarch64`); Refusal FER605."""
    path = shutil.which(name)
    if path is None:
        raise Refusal(NO_EMULATOR.at("model", f"{name} is not on this machine", stage="run", help=_install(name)))
    return path


def call(command: Sequence[str], folder: Path, timeout_seconds: float = 600.0) -> str:
    """Run a tool and return what it printed; Refusal FER602 where it fails or cannot be started."""
    try:
        done = subprocess.run(
            list(command),
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_seconds,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise Refusal(_failed(command, f"did not end within {timeout_seconds:g} s", "")) from None
    except OSError as error:
        raise Refusal(_failed(command, f"could not be started: {error.strerror}", "")) from None
    if done.returncode:
        raise Refusal(_failed(command, f"ended with exit code {done.returncode}", done.stdout + done.stderr))
    return done.stdout


def _failed(command: Sequence[str], what: str, output: str) -> Finding:
    lines = [line for line in output.splitlines() if line.strip()][-LAST_LINES:]
    return TOOL_FAILED.at(
        "model",
        f"{Path(command[0]).name} {what}",
        stage="run",
        notes=[f"command: {shlex.join(command)}", *lines],
        help=["run it again with --keep FOLDER, which keeps the intermediate files, and call the command by hand"],
    )


def _install(tool: str) -> list[str]:
    package = PACKAGES.get(tool)
    return [f"apt-get install {package}   (Debian, Ubuntu)"] if package else [f"install {tool}"]


def _words(command: str) -> list[str]:
    """The words of a command line; backslashes are part of a path on Windows."""
    try:
        return shlex.split(command, posix=os.name != "nt")
    except ValueError:
        return []
