"""The order: file, program, plan, C, run, comparison."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ferrule.diagnostics import Finding, Findings, Refusal
from ferrule.program.edit import literal_interface
from ferrule.program.interface import Interface
from ferrule.program.op import Op, Site
from ferrule.program.plan import Plan
from ferrule.program.program import Program, evaluate
from ferrule.program.result import Comparison
from ferrule.program.tensor import Tensor
from ferrule.request import Request

if TYPE_CHECKING:
    from ferrule.codegen.emit import Sources
    from ferrule.map.choose import Choice
    from ferrule.run.host import Build
    from ferrule.targets.target import Target

VERSION = "0.1.0"
Arrays = Mapping[str, np.ndarray]
FLOAT_TOLERANCE = 1e-4
"""Largest difference of float C from its model, of the output's range (see the README, section on proof)."""


@dataclass(frozen=True)
class Loaded:
    """A model as it was read: the literal program, and what kind of file it came from."""

    request: Request
    program: Program
    sha256: str
    kind: str
    data: bytes
    away: bool

    @property
    def is_integer(self) -> bool:
        """Whether the file is quantized already."""
        return any(t.quant is not None for t in self.program.tensors.values())


@dataclass(frozen=True)
class Compiled:
    """A program with its kernels, plan and C."""

    loaded: Loaded
    program: Program
    interface: Interface
    islands: Mapping[str, str]
    choice: Choice
    plan: Plan
    sources: Sources
    target: Target

    @property
    def macs(self) -> int:
        """Multiply-accumulates of one run."""
        return sum(op.macs(self.program.site(op)) for op in self.program.ops)


@dataclass
class Journal:
    """What happened: findings, and the time of each stage. `say` is called with one line per stage."""

    findings: Findings = field(default_factory=Findings)
    stages: list[tuple[str, float]] = field(default_factory=list)
    say: Callable[[str], None] = lambda line: None

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage; a Refusal inside is remembered with its stage."""
        begun = time.perf_counter()
        yield
        seconds = time.perf_counter() - begun
        self.stages.append((name, seconds))
        self.say(f"{name:<10} {seconds:6.2f} s")


def load(request: Request, journal: Journal) -> Loaded:
    """Read the model file of a request; Refusal FER100 to FER159."""
    path = request.model
    notes: list[Finding] = []
    with journal.stage("import"):
        try:
            loaded = _load(request, path, notes)
        finally:
            journal.findings.add(*notes)
    return loaded


def _load(request: Request, path: Path, notes: list[Finding]) -> Loaded:
    from ferrule.frontends.onnx_file import read_bytes

    data = read_bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    if data[4:8] == b"TFL3" or path.suffix.lower() == ".tflite":
        from ferrule.frontends.tflite_program import tflite_program

        return Loaded(request, tflite_program(data, path.stem), digest, "tflite", data, True)
    from ferrule.frontends.onnx_file import read_onnx
    from ferrule.frontends.onnx_program import ReadOptions, onnx_program

    model = read_onnx(data, path.parent, notes)
    options = ReadOptions(request.shapes, request.outputs_at, request.inputs_at, str(path))
    return Loaded(request, onnx_program(model, path.stem, options, notes), digest, "onnx", data, False)


def quantized(loaded: Loaded, samples: Arrays, journal: Journal) -> Loaded:
    """Return the model made int8 by calibration on these samples ([N, *shape] by input name)."""
    from ferrule.frontends.onnx_file import model_bytes, read_onnx
    from ferrule.frontends.onnx_program import ReadOptions, bind_shapes, onnx_program
    from ferrule.quantize.quantize import quantize

    if loaded.kind != "onnx":
        raise Refusal(no_float_tflite(loaded))
    with journal.stage("quantize"):
        notes: list[Finding] = []
        request = loaded.request
        folder = request.model.parent
        source = read_onnx(loaded.data, folder, notes)
        bind_shapes(source, request.shapes)
        result = quantize(source, samples)
        journal.findings.add(*result.findings)
        data = model_bytes(result.model)
        model = read_onnx(data, folder, notes)
        options = ReadOptions(request.shapes, request.outputs_at, request.inputs_at, str(request.model))
        program = onnx_program(model, loaded.program.name, options, notes)
    return replace(loaded, program=program, data=data)


def no_float_tflite(loaded: Loaded) -> Finding:
    """Why a float TFLite file cannot be calibrated here."""
    from ferrule.frontends.tflite_findings import FLOAT_TFLITE

    return FLOAT_TFLITE.at(
        "model",
        "a float TFLite file cannot be made int8 here yet",
        stage="quantize",
        help=["quantize it in the TFLite converter, or give the ONNX export of the network"],
    )


def compile_program(loaded: Loaded, journal: Journal, *, literal: bool = False) -> Compiled:
    """Lower, map, schedule and emit. `literal` keeps every tensor of the source (for tensor-by-tensor comparison)."""
    from ferrule.codegen.emit import emit
    from ferrule.codegen.options import Options as EmitOptions
    from ferrule.kernels.kernel import select
    from ferrule.kernels.table import KERNELS
    from ferrule.lower.pipeline import Options as LowerOptions
    from ferrule.lower.pipeline import lower
    from ferrule.map.choose import choose
    from ferrule.schedule.schedule import KernelNeeds, make_plan
    from ferrule.schedule.schedule import Options as PlanOptions

    request = loaded.request
    target = resolve_target(request, journal)

    def runs(site: Site) -> bool:
        return select(KERNELS, site)[0] is not None

    with journal.stage("lower"):
        options = LowerOptions(request.io_layout == "native", request.io_type == "native", not literal, runs)
        lowered = lower(loaded.program, options, loaded.away)
    program = lowered.program
    with journal.stage("map"):
        choice = choose(program, target.name)

    def needs(op: Op) -> KernelNeeds | None:
        kernel = choice.kernels[op.name]
        if kernel is None:
            return None
        return KernelNeeds(kernel.function, kernel.workspace(program.site(op)), kernel.strided, kernel.dense)

    with journal.stage("schedule"):
        align = max(target.core.align_bytes, 8)
        plan = make_plan(program, needs, PlanOptions(request.effort, request.keep_inputs, align))
    with journal.stage("emit"):
        look = EmitOptions(request.name, VERSION, loaded.sha256, options_line(request), request.weights_binary, align)
        sources = emit(program, plan, choice.kernel, look)
    compiled = Compiled(loaded, program, lowered.interface, lowered.islands, choice, plan, sources, target)
    journal.findings.add(*limit_findings(compiled))
    return compiled


def resolve_target(request: Request, journal: Journal) -> Target:
    """The target of a request, with its limits and memories; Refusal FER520 to FER526."""
    from ferrule.targets.choice import parse_limit, parse_memory_options, with_limits, with_memories
    from ferrule.targets.load import load_target

    target = load_target(request.target)
    if request.memory:
        target = with_memories(target, parse_memory_options(list(request.memory)))
    ram = None if request.ram is None else parse_limit("--ram", request.ram)
    flash = None if request.flash is None else parse_limit("--flash", request.flash)
    target, findings = with_limits(target, ram, flash)
    journal.findings.add(*findings)
    return target


def options_line(request: Request) -> str:
    """The build's options as one line for generated files: no paths, so that folders do not change the bytes."""
    parts = [f"--target {request.target}", f"--effort {request.effort}", f"--name {request.name}"]
    parts += [f"--io-layout {request.io_layout}", f"--io-type {request.io_type}"]
    parts += ["--keep-inputs"] if request.keep_inputs else []
    parts += ["--weights-binary"] if request.weights_binary else []
    parts += [f"--shape {n}={','.join(map(str, s))}" for n, s in sorted(request.shapes.items())]
    return " ".join(parts)


def limit_findings(compiled: Compiled) -> list[Finding]:
    """Errors where the arena or the weights exceed what the target, or the user, allows."""
    from ferrule.schedule.findings import FLASH_EXCEEDED, RAM_EXCEEDED

    found = []
    target, plan = compiled.target, compiled.plan
    limit = target.arena_bytes
    if limit is not None and plan.arena_bytes > limit:
        found.append(
            RAM_EXCEEDED.at(
                peak_node(compiled),
                f"the network needs {plan.arena_bytes} bytes of RAM, {target.name} has {limit} in one block",
                stage="schedule",
                notes=[f"alive at the peak: {line}" for line in alive_at_peak(compiled)[:6]],
                help=["ferrule analyze MODEL --target TARGET shows RAM by op", "name a larger memory with --memory"],
            )
        )
    flash, size = target.flash_bytes, len(compiled.sources.blob)
    if flash is not None and size > flash:
        message = f"the weights need {size} bytes of flash, {target.name} has {flash}"
        found.append(FLASH_EXCEEDED.at("model", message, stage="schedule", help=["name another --memory weights=..."]))
    return found


def peak_step(compiled: Compiled) -> int:
    """The step at which most bytes are alive."""
    steps: dict[int, int] = {}
    for buffer in compiled.plan.buffers.values():
        for step in range(buffer.first, buffer.last + 1):
            steps[step] = steps.get(step, 0) + buffer.size
    return min(steps, key=lambda s: (-steps[s], s)) if steps else 0


def alive_at_peak(compiled: Compiled) -> list[str]:
    """Buffers alive at the peak, largest first, with the source's names."""
    step = peak_step(compiled)
    alive = [b for b in compiled.plan.buffers.values() if b.first <= step <= b.last]
    alive.sort(key=lambda b: (-b.size, b.name))
    return [f"{b.name}: {b.size} bytes" for b in alive]


def peak_node(compiled: Compiled) -> str:
    """The source node of the op that runs at the peak."""
    step, body = peak_step(compiled), compiled.plan.body
    ordered = list(dict.fromkeys(a.op for a in body))
    name = ordered[min(max(step, 0), len(ordered) - 1)] if ordered else "model"
    op = next((o for o in compiled.program.ops if o.name == name), None)
    return op.origin[0] if op is not None and op.origin else name


def project_files(compiled: Compiled) -> dict[str, str | bytes]:
    """The sources of the folder: `src/` and what builds them."""
    from ferrule.codegen.kernel_files import kernel_files
    from ferrule.codegen.project import cmake_text, main_text
    from ferrule.codegen.readme import readme_text
    from ferrule.program.c_names import identifier

    request = compiled.loaded.request
    texts = {**compiled.sources.files, **kernel_files(compiled.sources.stems)}
    files: dict[str, str | bytes] = {f"src/{n}": t for n, t in texts.items()}
    command = f"ferrule deploy {request.model.name} {options_line(request)}"
    files["CMakeLists.txt"] = cmake_text(request.name, VERSION, [n for n in sorted(texts) if n.endswith(".c")])
    files["README.md"] = readme_text(
        compiled.program, compiled.plan, request.name, VERSION, len(compiled.sources.blob), command
    )
    files["main.c"] = main_text(request.name, request.weights_binary)
    files["ferrule.toml"] = request.to_toml(VERSION)
    if request.weights_binary:
        files[f"{identifier(request.name)}_weights.bin"] = compiled.sources.blob
    return files


def build_c(compiled: Compiled, folder: Path, *, trace: bool = False, sanitize: bool = False) -> Build:
    """Compile the C for the host in a scratch folder."""
    from ferrule.codegen.kernel_files import kernel_files
    from ferrule.run.host import build_host

    weights = None
    if compiled.loaded.request.weights_binary:
        folder.mkdir(parents=True, exist_ok=True)
        weights = folder / "weights.bin"
        weights.write_bytes(compiled.sources.blob)
    texts = {**compiled.sources.files, **kernel_files(compiled.sources.stems)}
    return build_host(
        compiled.program, compiled.plan, texts, folder, compiled.loaded.request.name,
        trace=trace, sanitize=sanitize, weights=weights,
    )  # fmt: skip


def run_c(build: Build, compiled: Compiled, samples: Arrays) -> dict[str, np.ndarray]:
    """Run the C on model arrays [N, *shape]; return the program's tensors [N, *shape]."""
    from ferrule.run.host import run_host

    given = compiled.interface.to_program(samples, compiled.program.tensors)
    count = len(next(iter(samples.values()))) if samples else 1
    return run_host(build, given, count)


def run_reference(compiled: Compiled, samples: Arrays) -> dict[str, np.ndarray]:
    """Run the numpy reference of the compiled program on model arrays; every computed tensor as [N, *shape]."""
    given = compiled.interface.to_program(samples, compiled.program.tensors)
    count = len(next(iter(samples.values()))) if samples else 1
    runs = [evaluate(compiled.program, {n: a[i] for n, a in given.items()}) for i in range(count)]
    names = [n for n in runs[0] if n not in compiled.program.constants or n in compiled.program.outputs]
    return {n: np.stack([r[n] for r in runs]) for n in names}


def model_inputs(program: Program) -> list[Tensor]:
    """The model's inputs in its order."""
    return [program.tensors[n] for n in program.inputs]


def random_samples(program: Program, count: int, seed: int) -> dict[str, np.ndarray]:
    """Seeded inputs where the user gives none: full range for integers, uniform and normal mixed for floats."""
    rng = np.random.default_rng(seed)
    found = {}
    for tensor in model_inputs(program):
        shape = (count, *tensor.shape)
        if tensor.dtype.is_float:
            values = np.where(rng.random(shape) < 0.5, rng.random(shape), rng.normal(0.0, 1.0, shape))
        else:
            low, high = tensor.dtype.bounds
            values = rng.integers(max(low, -1000), min(high, 1000) + 1, shape)
        found[tensor.name] = values.astype(tensor.dtype.numpy)
    return found


def run_model(loaded: Loaded, samples: Arrays) -> dict[str, np.ndarray]:
    """The model's own outputs [N, *shape]: onnxruntime for ONNX, the literal program's reference for TFLite."""
    names = [p.model.name for p in literal_interface(loaded.program).outputs]
    if loaded.kind == "onnx":
        from ferrule.validate.onnx_oracle import run_onnx

        return run_onnx(loaded.data, loaded.request.model.parent, samples, list(dict.fromkeys(names)))
    count = len(next(iter(samples.values()))) if samples else 1
    runs = [evaluate(loaded.program, {n: a[i] for n, a in samples.items()}) for i in range(count)]
    pairs = zip(names, loaded.program.outputs, strict=True)
    return {n: np.stack([r[t] for r in runs]) for n, t in pairs}


def compare_outputs(compiled: Compiled, got: Arrays, want: Arrays) -> list[Comparison]:
    """Compare the model's outputs, both given as model arrays."""
    from ferrule.validate.compare import compare

    return [compare(p.model.name, got[p.model.name], want[p.model.name]) for p in compiled.interface.outputs]


def compare_codes(compiled: Compiled, got: Arrays, want: Arrays) -> list[Comparison]:
    """Compare the program's own tensors, those that both have."""
    from ferrule.validate.compare import compare

    return [compare(n, got[n], want[n]) for n in got if n in want]


def first_refusal(journal: Journal) -> None:
    """Raise what the journal holds at error level."""
    journal.findings.raise_errors()
