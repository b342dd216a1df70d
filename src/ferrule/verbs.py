"""What each verb does, and the record it returns."""

from __future__ import annotations

import json
import platform
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from ferrule.deploy import (
    FLOAT_TOLERANCE,
    VERSION,
    Compiled,
    Journal,
    Loaded,
    build_c,
    compare_codes,
    compare_outputs,
    compile_program,
    load,
    model_inputs,
    project_files,
    quantized,
    random_samples,
    run_c,
    run_model,
    run_reference,
)
from ferrule.diagnostics import Level, Refusal, Usage
from ferrule.program.result import Comparison
from ferrule.request import Request

Arrays = Mapping[str, np.ndarray]
RANDOM_SAMPLES = 4
COMPARED_SAMPLES = 8
"""Samples on which C, reference and model are compared bit by bit in `deploy` and `validate`."""


@dataclass(frozen=True)
class Outcome:
    """A verb's record, whether all its comparisons held, and what happened on the way."""

    record: dict[str, Any]
    journal: Journal
    ok: bool


def samples_of(path: Path, loaded: Loaded) -> dict[str, np.ndarray]:
    """Arrays [N, *shape] by input name from a file or folder of the user's; Refusal FER400 to FER449."""
    from ferrule.data.samples import load_samples
    from ferrule.data.spec_file import read_input_spec

    request = loaded.request
    spec = None if request.input_spec is None else read_input_spec(request.input_spec)
    interface = [(t.name, t.shape, t.dtype.numpy) for t in model_inputs(loaded.program)]
    return load_samples(path, interface, spec, request.calibration_samples, request.seed)


def given_samples(inputs: Path | None, loaded: Loaded) -> dict[str, np.ndarray]:
    """The inputs to run on: the user's, else the calibration's, else seeded ones."""
    if inputs is not None:
        return samples_of(inputs, loaded)
    if loaded.request.calibration is not None:
        return samples_of(loaded.request.calibration, loaded)
    return random_samples(loaded.program, RANDOM_SAMPLES, loaded.request.seed)


def first_samples(samples: Arrays, count: int) -> dict[str, np.ndarray]:
    """The first samples of each input."""
    return {n: a[:count] for n, a in samples.items()}


def prepared(request: Request, journal: Journal) -> tuple[Loaded, Compiled]:
    """Load, quantize where calibration data are given, and compile."""
    source = load(request, journal)
    loaded = source
    if request.calibration is not None and not source.is_integer:
        loaded = quantized(source, samples_of(request.calibration, source), journal)
    return source, compile_program(loaded, journal)


def record_of(compiled: Compiled, journal: Journal) -> dict[str, Any]:
    """The report's record without comparisons."""
    from ferrule.report.record import base_record

    request, choice = compiled.loaded.request, compiled.choice
    return base_record(
        version=VERSION,
        model={"file": request.model.name, "sha256": compiled.loaded.sha256, "format": compiled.loaded.kind},
        target=compiled.target.name,
        program=compiled.program,
        interface=compiled.interface,
        plan=compiled.plan,
        engines={n: p.engine for n, p in choice.mapping.placements.items()},
        kernels={n: k.function for n, k in choice.kernels.items() if k is not None},
        weights_bytes=len(compiled.sources.blob),
        findings=journal.findings.items,
        islands=compiled.islands,
        options=options_record(request),
        versions=versions(),
    )


def options_record(request: Request) -> dict[str, Any]:
    """The options as plain JSON."""
    found: dict[str, Any] = {}
    for item in fields(Request):
        value = getattr(request, item.name)
        if isinstance(value, Mapping):
            value = {k: list(v) for k, v in value.items()}
        if item.name not in ("model", "output"):
            found[item.name] = value.as_posix() if isinstance(value, Path) else value
    return found


def versions() -> dict[str, str]:
    """Versions that a result may depend on."""
    names = ("numpy", "onnx", "onnx-ir", "onnxruntime", "ortools")
    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "absent"
    return found


def analyze(request: Request, say: Callable[[str], None] = lambda line: None) -> Outcome:
    """Inputs, outputs, operators, RAM, flash, what runs where: the plan that `deploy` would use."""
    journal = Journal(say=say)
    _, compiled = prepared(request, journal)
    return Outcome(record_of(compiled, journal), journal, not journal.findings.errors)


def check(request: Request, say: Callable[[str], None] = lambda line: None) -> Outcome:
    """All findings of the stages up to the plan; a Refusal's findings are collected, not raised."""
    journal = Journal(say=say)
    record: dict[str, Any] = {}
    try:
        loaded = load(request, journal)
        compiled = compile_program(loaded, journal)
        record = record_of(compiled, journal)
    except Refusal as refusal:
        journal.findings.add(*refusal.findings)
    return Outcome(record, journal, not journal.findings.errors)


def generate(request: Request, say: Callable[[str], None] = lambda line: None) -> Outcome:
    """Write the C project without running it."""
    from ferrule.codegen.project import write_project

    journal = Journal(say=say)
    _, compiled = prepared(request, journal)
    journal.findings.raise_errors()
    record = record_of(compiled, journal)
    with journal.stage("generate"):
        files = project_files(compiled)
        files.update(golden_files(compiled, None))
        files["report.json"] = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        write_project(output_folder(request), files)
    return Outcome(record, journal, True)


def output_folder(request: Request) -> Path:
    """Where to write: `-o`, else `build`."""
    return request.output if request.output is not None else Path("build")


def golden_files(compiled: Compiled, samples: Arrays | None) -> dict[str, str | bytes]:
    """`golden.h` and `golden.npz`: one sample with the outputs of the reference."""
    from ferrule.codegen.golden import golden_text
    from ferrule.validate.archive import npz_bytes

    taken = samples if samples is not None else random_samples(compiled.loaded.program, 1, 0)
    one = first_samples(taken, 1)
    codes = run_reference(compiled, one)
    given = compiled.interface.to_program(one, compiled.program.tensors)
    arrays = {**{n: a[0] for n, a in given.items()}, **{n: codes[n][0] for n in compiled.program.outputs}}
    outputs = compiled.interface.to_model({n: codes[n] for n in compiled.program.outputs}, compiled.program.tensors)
    packed = {**{f"input/{n}": a for n, a in one.items()}, **{f"output/{n}": a for n, a in outputs.items()}}
    return {
        "golden.h": golden_text(compiled.program, arrays, compiled.loaded.request.name, VERSION),
        "golden.npz": npz_bytes(packed),
    }


def run(
    request: Request, inputs: Path | None, raw: bool, say: Callable[[str], None] = lambda line: None
) -> tuple[dict[str, np.ndarray], Outcome]:
    """Execute the C on the host; outputs [N, *shape] by the model's names (with `raw`, the C's own codes)."""
    journal = Journal(say=say)
    source, compiled = prepared(request, journal)
    journal.findings.raise_errors()
    samples = given_samples(inputs, source)
    with tempfile.TemporaryDirectory(prefix="ferrule-") as scratch:
        with journal.stage("compile"):
            build = build_c(compiled, Path(scratch))
        with journal.stage("run"):
            codes = run_c(build, compiled, samples)
    arrays = compiled.interface.to_model(codes, compiled.program.tensors)
    if raw:
        arrays = {p.model.name: codes[p.tensor] for p in compiled.interface.outputs}
    return arrays, Outcome(record_of(compiled, journal), journal, True)


def entries(what: str, comparisons: list[Comparison], exact: bool, limit: float | None) -> list[dict[str, Any]]:
    """Comparisons as entries of the report; `limit` is the largest relative difference that passes."""
    found = []
    for item in comparisons:
        passed = item.is_equal if limit is None else item.relative <= limit or item.is_equal
        found.append({"what": what, "exact": exact, "passed": passed, **item.to_json()})
    return found


def c_against_reference(
    compiled: Compiled, samples: Arrays, what: str, *, per_layer: bool
) -> tuple[list[dict[str, Any]], Arrays]:
    """Run the C and the reference on the same samples; every tensor with `per_layer`, else the outputs."""
    with tempfile.TemporaryDirectory(prefix="ferrule-") as scratch:
        build = build_c(compiled, Path(scratch), trace=per_layer)
        got = run_c(build, compiled, samples)
    want = run_reference(compiled, samples)
    tensors = compiled.program.tensors
    found: list[dict[str, Any]] = []
    for item in compare_codes(compiled, got, want):
        is_float = tensors[item.tensor].dtype.is_float
        found += entries(what, [item], not is_float, FLOAT_TOLERANCE if is_float else None)
    return found, got


def validate(request: Request, inputs: Path | None, say: Callable[[str], None] = lambda line: None) -> Outcome:
    """Compare the C with the reference, and both with the model."""
    journal = Journal(say=say)
    source, compiled = prepared(request, journal)
    journal.findings.raise_errors()
    if request.per_layer:
        compiled = compile_program(compiled.loaded, journal, literal=True)
    samples = first_samples(given_samples(inputs, source), COMPARED_SAMPLES)
    record = record_of(compiled, journal)
    with journal.stage("validate"):
        record["validation"] = comparisons_of(source, compiled, samples, per_layer=request.per_layer)
    ok = all(e["passed"] for e in record["validation"])
    return Outcome(record, journal, ok)


def comparisons_of(source: Loaded, compiled: Compiled, samples: Arrays, *, per_layer: bool) -> list[dict[str, Any]]:
    """C against reference, outputs against the model, and for quantized networks the distance to float."""
    integer = compiled.loaded.is_integer
    what = "int8 C = int8 model" if integer else "float C = reference"
    found, got = c_against_reference(compiled, samples, what, per_layer=per_layer)
    outputs = compiled.interface.to_model({n: got[n] for n in compiled.program.outputs}, compiled.program.tensors)
    own = run_model(compiled.loaded, samples)
    if not integer:
        return found + entries("float C = model", compare_outputs(compiled, outputs, own), False, FLOAT_TOLERANCE)
    if compiled.loaded.kind == "onnx":
        # informs: onnxruntime computes between the pairs in float, the C in integers
        found += entries("int8 C ~ onnxruntime", compare_outputs(compiled, outputs, own), False, np.inf)
    if not source.is_integer:
        plain = run_model(source, samples)
        found += entries("int8 model = float", compare_outputs(compiled, outputs, plain), False, np.inf)
    return found


def deploy(request: Request, inputs: Path | None = None, say: Callable[[str], None] = lambda line: None) -> Outcome:
    """The whole job: import, check, quantize, generate, run, compare, report."""
    from ferrule.codegen.project import write_project
    from ferrule.report.text import report_text

    journal = Journal(say=say)
    source, compiled = prepared(request, journal)
    warn_float(source, compiled, journal)
    journal.findings.raise_errors()
    record = record_of(compiled, journal)
    samples = given_samples(inputs, source)
    few = first_samples(samples, COMPARED_SAMPLES)
    with journal.stage("validate"):
        validation: list[dict[str, Any]] = []
        if compiled.loaded.is_integer and not source.is_integer:
            validation += float_stage(source, few, journal)
        validation += comparisons_of(source, compiled, few, per_layer=request.per_layer)
    record["validation"] = validation
    if request.metric is not None:
        with journal.stage("metric"):
            record["metric"] = measure(source, compiled, samples)
    files = project_files(compiled)
    files.update(golden_files(compiled, samples))
    if compiled.loaded.kind == "onnx" and compiled.loaded.is_integer:
        files["model.qdq.onnx"] = compiled.loaded.data
    if request.input_spec is not None:
        files["input.toml"] = spec_text(request.input_spec)
    record["findings"] = [f.to_json() for f in journal.findings.items]
    files["report.json"] = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    files["report.txt"] = report_text(record)
    with journal.stage("write"):
        write_project(output_folder(request), files)
    ok = all(e["passed"] for e in validation) and metric_holds(record, request)
    return Outcome(record, journal, ok)


def float_stage(source: Loaded, samples: Arrays, journal: Journal) -> list[dict[str, Any]]:
    """Compile the float model as well, so that a difference can be laid at the right door."""
    plain = compile_program(
        replace(source, request=replace(source.request, ram=None, flash=None, target="host")), Journal()
    )
    few = first_samples(samples, 2)
    with tempfile.TemporaryDirectory(prefix="ferrule-") as scratch:
        got = run_c(build_c(plain, Path(scratch)), plain, few)
    outputs = plain.interface.to_model(got, plain.program.tensors)
    return entries("float C = model", compare_outputs(plain, outputs, run_model(source, few)), False, FLOAT_TOLERANCE)


def warn_float(source: Loaded, compiled: Compiled, journal: Journal) -> None:
    """A float network on a target whose NPU wants int8 is a warning with the next command."""
    from ferrule.map.findings import FLOAT_ON_NPU

    npu = [e.name for e in compiled.target.engines if e.kind != "cpu"]
    if npu and not compiled.loaded.is_integer:
        journal.findings.add(
            FLOAT_ON_NPU.at(
                "model",
                f"the network stays float; {npu[0]} of {compiled.target.name} runs int8 alone",
                level=Level.WARNING,
                stage="map",
                help=[f"ferrule deploy {source.request.model} --target {compiled.target.name} --calibration DATA"],
            )
        )


def measure(source: Loaded, compiled: Compiled, samples: Arrays) -> dict[str, float]:
    """The task's metric of the float model, the int8 reference and the C, on all samples given."""
    from ferrule.data.labels import load_labels
    from ferrule.validate import metrics

    known = {"top1": metrics.top1, "miou": metrics.miou, "map50": metrics.map50, "map50_95": metrics.map50_95}

    request = source.request
    assert request.metric is not None
    if request.labels is None:
        raise Usage("--metric needs --labels")
    if request.metric not in known:
        raise Usage(f"--metric is one of {', '.join(known)}, not {request.metric}")
    labels = load_labels(request.labels, request.metric)
    score = known[request.metric]
    with tempfile.TemporaryDirectory(prefix="ferrule-") as scratch:
        codes = run_c(build_c(compiled, Path(scratch)), compiled, samples)
    outputs = compiled.interface.to_model(codes, compiled.program.tensors)
    found = {"C": score(next(iter(outputs.values())), labels)}
    plain = run_model(source, samples)
    found["float" if not source.is_integer else "model"] = score(next(iter(plain.values())), labels)
    if compiled.loaded is not source:
        own = run_model(compiled.loaded, samples)
        found["int8 in onnxruntime"] = score(next(iter(own.values())), labels)
    return found


def metric_holds(record: Mapping[str, Any], request: Request) -> bool:
    """Whether the C's metric stays within --max-drop points of the float model's."""
    metric = record.get("metric")
    if metric is None or request.max_drop is None or "float" not in metric:
        return True
    return bool(100 * (metric["float"] - metric["C"]) <= request.max_drop)


def spec_text(path: Path) -> str:
    """The input description, as Ferrule writes it."""
    from ferrule.data.spec_file import read_input_spec

    return f"# generated by Ferrule {VERSION}, owned by Ferrule\n{read_input_spec(path).to_toml()}"
