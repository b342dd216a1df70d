"""Builds a generated folder for the host and runs it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ferrule.diagnostics import Refusal
from ferrule.program.c_names import identifier
from ferrule.program.plan import Plan
from ferrule.program.program import Program
from ferrule.run.compiler import call, host_compiler
from ferrule.run.findings import RUN_FAILED
from ferrule.run.harness import GUARD_EXIT, harness_text, traced_order

FLAGS = ("-std=c99", "-O2", "-ffp-contract=off")
SANITIZE = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@dataclass(frozen=True)
class Build:
    """A compiled network: call `run` on it. `folder` holds the program."""

    program: Program
    plan: Plan
    executable: Path
    traced: tuple[tuple[int, str], ...]
    weights: Path | None


def build_host(
    program: Program,
    plan: Plan,
    sources: Mapping[str, str],
    folder: Path,
    name: str = "network",
    *,
    trace: bool = False,
    sanitize: bool = False,
    weights: Path | None = None,
    compiler: Sequence[str] | None = None,
    flags: Sequence[str] = (),
) -> Build:
    """Write the sources with a test program into `folder` and compile them; Refusal FER601, FER602.

    `sources` maps file names to texts (all that `src/` of a project holds). With `trace`, every tensor is written out.
    """
    lower, upper = identifier(name), identifier(name).upper()
    traced = tuple(traced_order(program, plan)) if trace else ()
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in sources.items():
        (folder / file).write_text(text, encoding="utf-8")
    (folder / "harness.c").write_text(harness_text(program, plan, name, traced), encoding="utf-8")
    defines = [f"-D{upper}_BINARY_WEIGHTS"] if weights is not None else []
    if traced:
        config = folder / "harness_config.h"
        config.write_text(
            f"void {lower}_harness_after(const {lower}_context *ctx, int index);\n"
            f"#define {upper}_AFTER_STEP(ctx, index) {lower}_harness_after(ctx, index)\n",
            encoding="utf-8",
        )
        defines.append(f'-D{upper}_CONFIG_H="harness_config.h"')
    files = sorted(f for f in sources if f.endswith(".c"))
    executable = folder / ("harness.exe" if os.name == "nt" else "harness")
    command = list(compiler) if compiler is not None else host_compiler()
    extra = SANITIZE if sanitize else ()
    call([*command, *FLAGS, *extra, *flags, *defines, *files, "harness.c", "-o", str(executable), "-lm"], folder)
    return Build(program, plan, executable, traced, weights)


def run_host(build: Build, inputs: Mapping[str, np.ndarray], samples: int) -> dict[str, np.ndarray]:
    """Run `samples` inputs ([samples, *shape] of each program input) and return outputs and traced tensors alike."""
    program = build.program
    with tempfile.TemporaryDirectory(prefix="ferrule-") as scratch:
        given, made = Path(scratch) / "in.bin", Path(scratch) / "out.bin"
        with given.open("wb") as file:
            for index in range(samples):
                for name in program.inputs:
                    file.write(np.ascontiguousarray(inputs[name][index]).tobytes())
        command = [str(build.executable), str(given), str(made), str(samples)]
        command += [str(build.weights)] if build.weights is not None else []
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise Refusal(_failed(done.returncode, done.stderr))
        data = made.read_bytes()
    names = [*program.outputs, *(n for _, n in build.traced)]
    return split_samples(program, names, data, samples)


def split_samples(program: Program, names: Sequence[str], data: bytes, samples: int) -> dict[str, np.ndarray]:
    """Cut what the harness wrote into arrays [samples, *shape] by name."""
    sizes = [program.tensors[n].size_bytes for n in names]
    whole = np.frombuffer(data, np.uint8).reshape(samples, sum(sizes))
    found: dict[str, np.ndarray] = {}
    start = 0
    for name, size in zip(names, sizes, strict=True):
        tensor = program.tensors[name]
        part = np.ascontiguousarray(whole[:, start : start + size])
        found.setdefault(name, part.view(tensor.dtype.numpy).reshape(samples, *tensor.shape))
        start += size
    return found


def _failed(code: int, output: str):  # type: ignore[no-untyped-def]
    what = "touched bytes outside its arena" if code == GUARD_EXIT else f"ended with exit code {code}"
    lines = [line for line in output.splitlines() if line.strip()][:12]
    return RUN_FAILED.at("model", f"the compiled network {what}", stage="run", notes=lines)
