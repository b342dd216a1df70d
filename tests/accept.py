"""The promises, row by row: command, required, measured."""

from __future__ import annotations

import csv
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("FERRULE_SHARED") or ROOT.parent / "shared")
FERRULE = Path(sys.executable).with_name("ferrule")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    command: str
    required: str
    measured: str
    passed: bool


def tests_of(name: str, required: str, *paths: str) -> Row:
    """A row that is a test run, slow ones included."""
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *paths]
    done = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True)
    last = next(
        (line for line in reversed(done.stdout.splitlines()) if "passed" in line or "failed" in line), "no test ran"
    )
    return Row(name, "python " + " ".join(command), required, last.strip("= "), done.returncode == 0)


def tflite_bytes() -> Row:
    """Row 1: integer TFLite on 20 inputs, two extreme, outputs that differ."""
    from ferrule.deploy import Journal, build_c, compile_program, load, run_c
    from ferrule.request import Request
    from tests.deploy.models import drawn_inputs, tflite_files
    from tests.oracles import litert

    equal = total = 0
    for path in tflite_files(SHARED):
        loaded = load(Request(path), Journal())
        if not loaded.is_integer:
            continue
        compiled = compile_program(loaded, Journal())
        samples = drawn_inputs(loaded.program, 20, 11)
        with tempfile.TemporaryDirectory() as folder:
            got = run_c(build_c(compiled, Path(folder)), compiled, samples)
        outputs = compiled.interface.to_model(got, compiled.program.tensors)
        made = litert.interpreter(path.read_bytes())
        same = True
        for index in range(20):
            wanted = litert.run(made, [samples[n][index] for n in loaded.program.inputs])
            for port, want in zip(compiled.interface.outputs, wanted, strict=True):
                same &= bool(np.array_equal(outputs[port.model.name][index], want))
        varied = any(np.ptp(a.reshape(20, -1).astype(float), axis=0).max() > 0 for a in outputs.values())
        equal, total = equal + (same and varied), total + 1
    return Row(
        "1 TFLite bytes", "python -m tests.accept tflite", "all networks equal BUILTIN_REF, 20 inputs",
        f"{equal} of {total} networks", equal == total,
    )  # fmt: skip


def ram() -> Row:
    """Row 4: arenas of MLPerf Tiny and of the model list."""
    from ferrule.deploy import Journal, compile_program, load
    from ferrule.request import Request

    goals = {
        "vww_96_int8.tflite": 55_296, "pretrainedResnet_quant.tflite": 49_152, "kws_ref_model.tflite": 16_000,
        "ad01_int8.tflite": 768,
    }  # fmt: skip
    over, worst, count = [], 0.0, 0

    def arena(path: Path) -> int:
        return compile_program(load(Request(path), Journal()), Journal()).plan.arena_bytes

    for name, goal in goals.items():
        count += 1
        used = arena(SHARED / "bench" / "mlperf-tiny" / name)
        over += [name] if used > goal + 512 else []
    with (SHARED / "models" / "MANIFEST.csv").open() as file:
        for entry in csv.DictReader(file):
            if not entry["file"].endswith((".tflite", ".onnx")):
                continue
            count += 1
            used, peak = arena(SHARED / "models" / entry["file"]), int(entry["peak_live_fused_bytes"])
            worst = max(worst, used / peak)
            over += [entry["file"]] if used > 1.02 * peak + 1024 else []
    return Row(
        "4 RAM", "python -m tests.accept ram", "goals + 512; models at most 1.02 x peak + 1 KiB",
        f"{count - len(over)} of {count} within; largest ratio {worst:.3f}", not over,
    )  # fmt: skip


def timed(command: list[str]) -> tuple[float, float]:
    """Wall seconds and peak MiB of a whole process."""
    begun = time.perf_counter()
    done = subprocess.run(command, capture_output=True)
    seconds = time.perf_counter() - begun
    assert done.returncode == 0, done.stderr.decode()[-500:]
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def speed() -> list[Row]:
    """Row 6: file to C and the help."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, file, limit in (
            ("6 yolov8n_416 to C", "models/agpl-3.0/object_detection__yolov8n_416_coco-person_int8_pc.tflite", 15.0),
            ("6 vww to C", "bench/mlperf-tiny/vww_96_int8.tflite", 2.0),
        ):
            out = str(Path(folder) / name.replace(" ", "_"))
            command = [str(FERRULE), "generate", str(SHARED / file), "-o", out, "-q"]
            seconds, memory = timed(command)
            shown = f"{seconds:.2f} s, {memory:.0f} MiB"
            rows.append(
                Row(name, f"ferrule generate {file}", f"{limit} s, 1536 MiB", shown, seconds <= limit and memory < 1536)
            )
    seconds = min(timed([str(FERRULE), "--help"])[0] for _ in range(3))
    rows.append(Row("6 help", "ferrule --help", "0.3 s", f"{seconds:.2f} s", seconds <= 0.3))
    return rows


def demo() -> Row:
    """Row 7: the demonstration after set-up."""
    folder = tempfile.mkdtemp()
    try:
        begun = time.perf_counter()
        done = subprocess.run([str(FERRULE), "demo", "-o", folder], cwd=ROOT, capture_output=True, text=True)
        seconds = time.perf_counter() - begun
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("mIoU")]
    return Row(
        "7 demo",
        "ferrule demo",
        "exit 0, 60 s",
        f"exit {done.returncode}, {seconds:.0f} s; {'; '.join(lines)}",
        done.returncode == 0 and seconds <= 60,
    )


def doctor() -> Row:
    """Row 8: one sentence at the end."""
    done = subprocess.run([str(FERRULE), "doctor"], capture_output=True, text=True)
    last = done.stdout.strip().splitlines()[-1]
    return Row("8 doctor", "ferrule doctor", "ends in one sentence", last, last.startswith("set-up"))


def rows() -> list[Callable[[], Row | list[Row]]]:
    """All rows of the table, in order."""
    return [
        tflite_bytes,
        lambda: tests_of("1 per layer", "every tensor equal", "tests/deploy/test_tflite_models.py"),
        lambda: tests_of("2 QDQ", "1 apart in 1 % per op", "tests/deploy/test_qdq_groups.py"),
        lambda: tests_of("3 float models", "1e-4 of the range", "tests/deploy/test_onnx_models.py"),
        lambda: tests_of("3 node tests", "95 %, none crashes", "tests/ops/test_onnx_node_tests.py"),
        ram,
        lambda: tests_of("5 the C", "strict, no malloc, sanitizers, cores", "tests/codegen/test_c.py"),
        speed,
        demo,
        doctor,
        lambda: tests_of("9 planted faults", "each turns red", "tests/deploy/test_planted_faults.py"),
        lambda: tests_of("bad input", "one finding, exit 1 or 2", "tests/cli/test_bad_input.py"),
    ]


def main() -> int:
    """Print the table; 0 if every row passes."""
    wanted = sys.argv[1:]
    short = 0
    print("| row | command | required | measured | |\n|---|---|---|---|---|")
    for make in rows():
        if wanted and not any(w in getattr(make, "__name__", "") for w in wanted):
            continue
        made = make()
        for row in made if isinstance(made, list) else [made]:
            short += not row.passed
            verdict = "pass" if row.passed else "SHORT"
            print(f"| {row.name} | `{row.command}` | {row.required} | {row.measured} | {verdict} |", flush=True)
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
