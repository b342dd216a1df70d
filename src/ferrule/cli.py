"""The command line: verbs, options, exit codes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ferrule.diagnostics import Finding, Level, Refusal, Usage

if TYPE_CHECKING:
    from ferrule.request import Request
    from ferrule.verbs import Outcome

DONE, FOUND, WRONG_USAGE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    help="""Make a trained network fit an STM32-class chip.
Where it does not fit: which node, why, and what to do.

\b
Start here:
  ferrule check model.onnx --target stm32n6
  ferrule deploy model.onnx --target stm32n6 --calibration calib.npz -o build/
  ferrule explain "did not find valid compile options"

\b
Look     analyze   inputs, outputs, operators, RAM, flash, what runs where
         check     all findings: node, reason, cure
         explain   a finding's code, a vendor's message, a log file
         targets   chips and boards: memories, cores, engines
Change   quantize  float to int8, written as QDQ
Build    deploy    check, quantize, generate, validate, report: all in order
         generate  the C project
         run       execute the C on your data
         validate  compare the C with the model, tensor by tensor
More     demo      a U-Net from file to verified C        doctor   is my set-up sound?

\b
Exit: 0 done, 1 findings or a failed comparison, 2 wrong usage, 3 a fault of Ferrule
""",
)

Model = Annotated[Path | None, typer.Argument(metavar="MODEL", help=".onnx, .tflite, or a folder made by deploy")]
ModelOption = Annotated[Path | None, typer.Option("-m", "--model", help="the same as MODEL")]
Target = Annotated[str, typer.Option("--target", "-t", help="board, chip, series, part number, core, or a TOML file")]
Shape = Annotated[list[str] | None, typer.Option("--shape", metavar="NAME=D,D,..", help="binds open dimensions")]
OutputsAt = Annotated[str | None, typer.Option("--outputs-at", metavar="TENSOR[,..]", help="take these as outputs")]
InputsAt = Annotated[str | None, typer.Option("--inputs-at", metavar="TENSOR[,..]", help="take these as inputs")]
Calibration = Annotated[Path | None, typer.Option("--calibration", help="folder of images, .npz, .npy: gives int8")]
CalibrationSamples = Annotated[int | None, typer.Option("--calibration-samples", help="how many samples to draw")]
Seed = Annotated[int, typer.Option("--seed", help="seed of every draw")]
InputSpec = Annotated[Path | None, typer.Option("--input-spec", help="how pixels become the input (TOML)")]
Inputs = Annotated[Path | None, typer.Option("--inputs", help="arrays to run: .npz, .npy, .csv, folder of images")]
Ram = Annotated[str | None, typer.Option("--ram", metavar="SIZE", help="limit below the chip's own, 256K")]
Flash = Annotated[str | None, typer.Option("--flash", metavar="SIZE", help="limit below the chip's own, 1M")]
Memory = Annotated[list[str] | None, typer.Option("--memory", metavar="USE=NAME", help="weights=.., activations=..")]
Effort = Annotated[str, typer.Option("--effort", metavar="none|fast|default|max", help="how long to search")]
KeepInputs = Annotated[bool, typer.Option("--keep-inputs", help="inputs are intact after a run")]
IoLayout = Annotated[str, typer.Option("--io-layout", metavar="native|model", help="native: channels last")]
IoType = Annotated[str, typer.Option("--io-type", metavar="native|model", help="native: the quantized type")]
WeightsBinary = Annotated[bool, typer.Option("--weights-binary", help="weights as a file, their address at init")]
PerLayer = Annotated[bool, typer.Option("--per-layer", help="compare the C's own tensors one by one")]
Metric = Annotated[str | None, typer.Option("--metric", help="top1, miou, map50, map50_95")]
Labels = Annotated[Path | None, typer.Option("--labels", help="labels for --metric (.npz)")]
MaxDrop = Annotated[float | None, typer.Option("--max-drop", metavar="POINTS", help="largest loss of the metric")]
Name = Annotated[str, typer.Option("--name", "-n", help="prefix of files and functions")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="where to")]
Json = Annotated[bool, typer.Option("--json", help="results as JSON on stdout")]
Format = Annotated[str, typer.Option("--format", metavar="text|json|sarif|github", help="form of the findings")]
Verbose = Annotated[int, typer.Option("-v", count=True, help="say more (-vv: every node)")]
Quiet = Annotated[bool, typer.Option("-q", help="say less")]
Strict = Annotated[bool, typer.Option("--strict", help="warnings count as errors")]


def out(text: str) -> None:
    """A result, to stdout."""
    sys.stdout.write(text + "\n")


def note(text: str) -> None:
    """A message, to stderr."""
    sys.stderr.write(text + "\n")


def request_of(model: Path | None, option: Path | None, **values: Any) -> Request:
    """The options as a Request; Usage where they do not go together."""
    from ferrule.request import Request, parse_shapes, request_from_toml, with_output

    path = model if model is not None else option
    if path is None:
        raise Usage("a model is needed: ferrule VERB model.onnx")
    folder = path / "ferrule.toml"
    if path.suffix == ".toml" or (path.is_dir() and folder.is_file()):
        request = request_from_toml(path if path.suffix == ".toml" else folder)
        output = values.get("output")
        return request if output is None else with_output(request, output)
    values["shapes"] = parse_shapes(tuple(values.pop("shape", None) or ()))
    values["outputs_at"] = names_of(values.pop("outputs_at", None))
    values["inputs_at"] = names_of(values.pop("inputs_at", None))
    values["memory"] = tuple(values.pop("memory", None) or ())
    return Request(path, **{k: v for k, v in values.items() if v is not None})


def names_of(text: str | None) -> tuple[str, ...]:
    """A comma-separated list of tensor names."""
    return tuple(n for n in (text or "").split(",") if n)


def show(findings: list[Finding], file: str, form: str = "text", verbose: int = 0) -> None:
    """Print findings in a form: as text to stderr, else to stdout; notes are one line without -v."""
    from ferrule.deploy import VERSION
    from ferrule.report.findings_text import finding_lines, github_lines, ordered, sarif

    items = ordered(findings)
    if form == "github":
        for line in github_lines(items, file):
            out(line)
    elif form == "sarif":
        out(sarif(items, file, VERSION))
    else:
        for item in items:
            if item.level is Level.NOTE and verbose == 0:
                note(f"note[{item.code}] {item.message}")
                continue
            for line in finding_lines(item, file):
                note(line)


def finish(outcome: Outcome, request: Request, strict: bool = False) -> int:
    """The exit code of an outcome."""
    levels = {f.level for f in outcome.journal.findings.items}
    bad = Level.ERROR in levels or (strict and Level.WARNING in levels) or not outcome.ok
    del request
    return FOUND if bad else DONE


def as_json(record: object) -> None:
    """Print a record."""
    import json

    out(json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False))


def teller(verbose: int, quiet: bool) -> Callable[[str], None]:
    """Where one line per stage goes."""
    return note if verbose and not quiet else lambda line: None


@app.command()
def analyze(
    model: Model = None, model_option: ModelOption = None, target: Target = "host", shape: Shape = None,
    outputs_at: OutputsAt = None, inputs_at: InputsAt = None, calibration: Calibration = None,
    calibration_samples: CalibrationSamples = None, seed: Seed = 0, input_spec: InputSpec = None, ram: Ram = None,
    flash: Flash = None, memory: Memory = None, effort: Effort = "default", keep_inputs: KeepInputs = False,
    io_layout: IoLayout = "native", io_type: IoType = "native", json: Json = False, verbose: Verbose = 0,
    quiet: Quiet = False,
) -> int:  # fmt: skip
    """Inputs, outputs, operators, RAM, flash, what runs where."""
    from ferrule import verbs
    from ferrule.report.summary import interface_lines, kind_lines, memory_line, op_lines

    request = request_of(
        model, model_option, target=target, shape=shape, outputs_at=outputs_at, inputs_at=inputs_at,
        calibration=calibration, calibration_samples=calibration_samples, seed=seed, input_spec=input_spec, ram=ram,
        flash=flash, memory=memory, effort=effort, keep_inputs=keep_inputs, io_layout=io_layout, io_type=io_type,
    )  # fmt: skip
    outcome = verbs.analyze(request, teller(verbose, quiet))
    record = outcome.record
    if json:
        as_json(record)
        return finish(outcome, request)
    show(outcome.journal.findings.items, str(request.model), verbose=verbose)
    out(f"{record['model']['file']} for {record['target']}")
    for line in (*interface_lines(record), "", *kind_lines(record), ""):
        out(line)
    if verbose:
        for line in op_lines(record):
            out(line)
    for item in record["float_ops"]:
        out(f"stays float: {item['name']}: {item['reason']}")
    out(memory_line(record, None, None))
    return finish(outcome, request)


@app.command()
def check(
    model: Model = None, model_option: ModelOption = None, target: Target = "host", shape: Shape = None,
    outputs_at: OutputsAt = None, inputs_at: InputsAt = None, ram: Ram = None, flash: Flash = None,
    memory: Memory = None, json: Json = False, form: Format = "text", strict: Strict = False, verbose: Verbose = 0,
    quiet: Quiet = False,
) -> int:  # fmt: skip
    """All findings: node, reason, cure."""
    from ferrule import verbs
    from ferrule.report.findings_text import ordered, summary_line

    if form not in ("text", "json", "sarif", "github"):
        raise Usage(f"--format is text, json, sarif or github, not {form}")
    request = request_of(
        model, model_option, target=target, shape=shape, outputs_at=outputs_at, inputs_at=inputs_at, ram=ram,
        flash=flash, memory=memory,
    )  # fmt: skip
    outcome = verbs.check(request, teller(verbose, quiet))
    findings = outcome.journal.findings.items
    if json or form == "json":
        as_json({"findings": [f.to_json() for f in ordered(findings)]})
    else:
        show(findings, str(request.model), form, verbose)
        if form == "text" and not quiet:
            passed = ", ".join(dict.fromkeys(name for name, _ in outcome.journal.stages)) or "none"
            out(f"{summary_line(findings)}; stages passed: {passed}")
    return finish(outcome, request, strict)


@app.command()
def generate(
    model: Model = None, model_option: ModelOption = None, target: Target = "host", shape: Shape = None,
    outputs_at: OutputsAt = None, inputs_at: InputsAt = None, calibration: Calibration = None,
    calibration_samples: CalibrationSamples = None, seed: Seed = 0, input_spec: InputSpec = None, ram: Ram = None,
    flash: Flash = None, memory: Memory = None, effort: Effort = "default", keep_inputs: KeepInputs = False,
    io_layout: IoLayout = "native", io_type: IoType = "native", weights_binary: WeightsBinary = False,
    name: Name = "network", output: Output = None, json: Json = False, verbose: Verbose = 0, quiet: Quiet = False,
) -> int:  # fmt: skip
    """The C project."""
    from ferrule import verbs

    request = request_of(
        model, model_option, target=target, shape=shape, outputs_at=outputs_at, inputs_at=inputs_at,
        calibration=calibration, calibration_samples=calibration_samples, seed=seed, input_spec=input_spec, ram=ram,
        flash=flash, memory=memory, effort=effort, keep_inputs=keep_inputs, io_layout=io_layout, io_type=io_type,
        weights_binary=weights_binary, name=name, output=output,
    )  # fmt: skip
    outcome = verbs.generate(request, teller(verbose, quiet))
    show(outcome.journal.findings.items, str(request.model), verbose=verbose)
    if json:
        as_json(outcome.record)
    elif not quiet:
        out(f"wrote {verbs.output_folder(request)}: {outcome.record['arena_bytes']} bytes of RAM")
    return finish(outcome, request)


@app.command()
def run(
    model: Model = None, model_option: ModelOption = None, inputs: Inputs = None,
    outputs: Annotated[Path | None, typer.Option("--outputs", help="where results go (.npz)")] = None,
    raw: Annotated[bool, typer.Option("--raw", help="the C's own codes")] = False, target: Target = "host",
    shape: Shape = None, outputs_at: OutputsAt = None, calibration: Calibration = None,
    calibration_samples: CalibrationSamples = None, seed: Seed = 0, input_spec: InputSpec = None,
    effort: Effort = "default", keep_inputs: KeepInputs = False, verbose: Verbose = 0, quiet: Quiet = False,
) -> int:  # fmt: skip
    """Execute the C on your data."""
    from ferrule import verbs
    from ferrule.validate.archive import npz_bytes

    request = request_of(
        model, model_option, target=target, shape=shape, outputs_at=outputs_at, calibration=calibration,
        calibration_samples=calibration_samples, seed=seed, input_spec=input_spec, effort=effort,
        keep_inputs=keep_inputs,
    )  # fmt: skip
    arrays, outcome = verbs.run(request, inputs, raw, teller(verbose, quiet))
    show(outcome.journal.findings.items, str(request.model), verbose=verbose)
    if outputs is not None:
        save(outputs, npz_bytes(arrays))
    for label, array in arrays.items():
        low, high = (array.min(), array.max()) if array.size else (0, 0)
        out(f"{label}: {array.dtype}{list(array.shape)}, {low:.6g} .. {high:.6g}")
    return finish(outcome, request)


def save(path: Path, data: bytes) -> None:
    """Write a file as a whole; Refusal FER611 where it cannot be written."""
    import os

    from ferrule.codegen.findings import NOT_WRITABLE

    scratch = path.with_name(f".{path.name}.part")
    try:
        scratch.write_bytes(data)
        os.replace(scratch, path)
    except OSError as error:
        raise Refusal(NOT_WRITABLE.at("model", f"`{path}` cannot be written: {error.strerror}", stage="run")) from None


@app.command()
def validate(
    model: Model = None, model_option: ModelOption = None, inputs: Inputs = None, target: Target = "host",
    shape: Shape = None, outputs_at: OutputsAt = None, calibration: Calibration = None,
    calibration_samples: CalibrationSamples = None, seed: Seed = 0, input_spec: InputSpec = None,
    per_layer: PerLayer = False, effort: Effort = "default", json: Json = False, verbose: Verbose = 0,
    quiet: Quiet = False,
) -> int:  # fmt: skip
    """Compare the C with the model, tensor by tensor."""
    from ferrule import verbs

    request = request_of(
        model, model_option, target=target, shape=shape, outputs_at=outputs_at, calibration=calibration,
        calibration_samples=calibration_samples, seed=seed, input_spec=input_spec, per_layer=per_layer, effort=effort,
    )  # fmt: skip
    outcome = verbs.validate(request, inputs, teller(verbose, quiet))
    show(outcome.journal.findings.items, str(request.model), verbose=verbose)
    if json:
        as_json(outcome.record)
    else:
        print_comparisons(outcome.record["validation"], verbose)
    return finish(outcome, request)


def print_comparisons(found: list[dict[str, Any]], verbose: int) -> None:
    """One line per kind of comparison; the first that fails is named as the place to look."""
    from ferrule.report.summary import validation_line

    kinds: dict[str, list[dict[str, Any]]] = {}
    for entry in found:
        kinds.setdefault(entry["what"], []).append(entry)
    for what, members in kinds.items():
        if len(members) == 1 or verbose:
            for entry in members:
                out(f"{validation_line(entry)} ({entry['tensor']})")
            continue
        equal = sum(e["equal"] for e in members)
        total = sum(e["total"] for e in members)
        exact = all(e["exact"] for e in members)
        head = f"{what}: {len(members)} tensors"
        if equal == total:
            out(f"{head}, all {total} {'bytes ' if exact else ''}equal")
        else:
            worst = max(members, key=lambda e: e["relative"])
            share = 100 * worst["relative"]
            out(f"{head}, {equal} of {total} equal, largest {share:.3g} % of the range at {worst['tensor']}")
    failed = next((e for e in found if not e["passed"]), None)
    if failed is not None:
        out(f"first difference: {failed['tensor']} ({failed['what']})")


@app.command()
def deploy(
    model: Model = None, model_option: ModelOption = None, target: Target = "host", shape: Shape = None,
    outputs_at: OutputsAt = None, inputs_at: InputsAt = None, calibration: Calibration = None,
    calibration_samples: CalibrationSamples = None, seed: Seed = 0, input_spec: InputSpec = None,
    inputs: Inputs = None, metric: Metric = None, labels: Labels = None, max_drop: MaxDrop = None, ram: Ram = None,
    flash: Flash = None, memory: Memory = None, effort: Effort = "default", keep_inputs: KeepInputs = False,
    io_layout: IoLayout = "native", io_type: IoType = "native", weights_binary: WeightsBinary = False,
    per_layer: PerLayer = False, name: Name = "network", output: Output = None, json: Json = False,
    strict: Strict = False, verbose: Verbose = 0, quiet: Quiet = False,
) -> int:  # fmt: skip
    """Check, quantize, generate, validate, report: all in order."""
    from ferrule import verbs
    from ferrule.report.summary import interface_lines, memory_line

    request = request_of(
        model, model_option, target=target, shape=shape, outputs_at=outputs_at, inputs_at=inputs_at,
        calibration=calibration, calibration_samples=calibration_samples, seed=seed, input_spec=input_spec, ram=ram,
        flash=flash, memory=memory, effort=effort, keep_inputs=keep_inputs, io_layout=io_layout, io_type=io_type,
        weights_binary=weights_binary, per_layer=per_layer, name=name, output=output, metric=metric, labels=labels,
        max_drop=max_drop,
    )  # fmt: skip
    if not quiet:
        note(f"{request.model} for {request.target}")
    outcome = verbs.deploy(request, inputs, note if not quiet else lambda line: None)
    record = outcome.record
    if json:
        as_json(record)
        return finish(outcome, request, strict)
    for line in interface_lines(record):
        out(line)
    print_comparisons(record["validation"], verbose)
    for key, value in record.get("metric", {}).items():
        out(f"{request.metric}, {key}: {value:.4f}")
    out(memory_line(record, None, None))
    show(outcome.journal.findings.items, str(request.model), verbose=verbose)
    folder = verbs.output_folder(request)
    if not quiet:
        out(f"wrote {folder}; next: cmake -S {folder} -B {folder}/build && cmake --build {folder}/build")
    return finish(outcome, request, strict)


@app.command()
def quantize(
    model: Model = None, model_option: ModelOption = None, calibration: Calibration = None,
    calibration_samples: CalibrationSamples = None, seed: Seed = 0, input_spec: InputSpec = None, shape: Shape = None,
    output: Output = None, verbose: Verbose = 0, quiet: Quiet = False,
) -> int:  # fmt: skip
    """Float to int8, written as QDQ."""
    from ferrule import verbs
    from ferrule.deploy import Journal, load, quantized

    request = request_of(
        model, model_option, calibration=calibration, calibration_samples=calibration_samples, seed=seed,
        input_spec=input_spec, shape=shape, output=output,
    )  # fmt: skip
    if request.calibration is None or request.output is None:
        raise Usage("quantize needs --calibration DATA and -o FILE.onnx")
    journal = Journal(say=teller(verbose, quiet))
    source = load(request, journal)
    made = quantized(source, verbs.samples_of(request.calibration, source), journal)
    show(journal.findings.items, str(request.model), verbose=verbose)
    save(request.output, made.data)
    if not quiet:
        out(f"wrote {request.output}")
    return FOUND if journal.findings.errors else DONE


@app.command()
def explain(query: Annotated[str, typer.Argument(help="a code, a slug, a vendor's message, or a log file")]) -> int:
    """A finding's code, a vendor's message, a log file."""
    from ferrule.explain import explain as explained

    out(explained(query).text())
    return DONE


@app.command()
def targets(name: Annotated[str | None, typer.Argument(help="one target")] = None, json: Json = False) -> int:
    """Chips and boards: memories, cores, engines."""
    from ferrule.report.target_page import all_targets, overview_lines, target_lines, target_record
    from ferrule.targets.load import load_target

    chosen = all_targets() if name is None else (load_target(name),)
    if json:
        as_json([target_record(t) for t in chosen])
        return DONE
    for line in overview_lines(chosen) if name is None else target_lines(chosen[0]):
        out(line)
    return DONE


@app.command()
def doctor(json: Json = False) -> int:
    """Is my set-up sound?"""
    from ferrule.doctor import diagnose

    diagnosis = diagnose()
    if json:
        as_json(diagnosis.to_json())
    else:
        for line in diagnosis.lines():
            out(line)
    return DONE if diagnosis.is_sound else FOUND


@app.command()
def demo(output: Output = None) -> int:
    """A U-Net from file to verified C."""
    from ferrule.demo import run_demo

    return run_demo(output if output is not None else Path("build/demo"), out)


@app.command(hidden=True)
def opt(
    name: Annotated[str, typer.Argument(metavar="PASS", help="name of a lowering pass")],
    file: Annotated[Path, typer.Argument(help="a program in text form")],
) -> int:
    """Run one pass on a text program (for developers of Ferrule)."""
    from ferrule.lower.one_pass import run_pass

    out(run_pass(name, file))
    return DONE


def version_asked(arguments: list[str]) -> bool:
    """Whether only the version is wanted."""
    return arguments[:1] == ["--version"]


def without_verb(arguments: list[str]) -> bool:
    """Whether a model was given without a verb."""
    return bool(arguments) and arguments[0].lower().endswith((".onnx", ".tflite", ".h5", ".keras"))


def main(arguments: list[str] | None = None) -> None:
    """Entry point: parse, run, and turn every ending into an exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if version_asked(given):
        from ferrule.deploy import VERSION

        out(f"ferrule {VERSION}")
        raise SystemExit(DONE)
    if without_verb(given):
        out(f"what shall be done with {given[0]}?")
        for line in ("check {}", "analyze {}", "deploy {} --target stm32n6 --calibration DATA -o build/"):
            out("  ferrule " + line.format(given[0]))
        raise SystemExit(WRONG_USAGE)
    raise SystemExit(guarded(given))


def guarded(arguments: list[str]) -> int:
    """Run the command; a user's problem is a finding, our own an apology."""
    try:
        code = app(args=arguments, prog_name="ferrule", standalone_mode=False)
        return int(code) if isinstance(code, int) else DONE
    except Refusal as refusal:
        show(list(refusal.findings), next((a for a in arguments[1:] if not a.startswith("-")), "MODEL"), verbose=1)
        return FOUND
    except Usage as usage:
        note(f"usage: {usage}")
        return WRONG_USAGE
    except (KeyboardInterrupt, typer.Abort):
        note("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        return DONE
    except Exception as error:  # our own fault, whatever it is
        return failed(error)


def failed(error: Exception) -> int:
    """Wrong usage as the parser tells it, or a fault of ours."""
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        note(f"usage: {error.format_message()}")
        return WRONG_USAGE
    import traceback

    note(f"fault of Ferrule: {type(error).__name__}: {error}")
    note("".join(traceback.format_tb(error.__traceback__)[-2:]).rstrip())
    note("please report this with the model file and the command")
    return FAULT


if __name__ == "__main__":
    main()
