"""The generated C: strict compilers, symbols, sanitizers, cores."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ferrule.codegen.kernel_files import kernel_files
from ferrule.deploy import Compiled, Journal, build_c, compile_program, load, project_files, run_c, run_reference
from ferrule.request import Request
from tests.conftest import is_ci
from tests.deploy.models import drawn_inputs

MODELS = ("bench/mlperf-tiny/kws_ref_model.tflite", "fixtures/yolo_dfl_op17.onnx", "fixtures/gru_op17.onnx")
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion", "-Werror", "-O2"]
ALLOWED = re.compile(r"^(mem(cpy|set|move|cmp)|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|[a-z0-9]+f|\.L.*)$")
"""External symbols that the sources may need: memory functions and the float functions of the C library."""
CORES = {
    "cortex-m0": ["-mcpu=cortex-m0", "-mthumb"],
    "cortex-m4": ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
    "cortex-m7": ["-mcpu=cortex-m7", "-mthumb", "-mfpu=fpv5-d16", "-mfloat-abi=hard"],
    "cortex-m33": ["-mcpu=cortex-m33", "-mthumb", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"],
    "cortex-m55": ["-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard"],
}


def compiled_model(shared: Path, file: str, **options: object) -> Compiled:
    """A shared model, compiled."""
    loaded = load(Request(shared / file, **options), Journal())  # type: ignore[arg-type]
    return compile_program(loaded, Journal())


def write_sources(compiled: Compiled, folder: Path) -> list[Path]:
    """The C files of `src/`."""
    texts = {**compiled.sources.files, **kernel_files(compiled.sources.stems)}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return sorted(folder.glob("*.c"))


def tool(name: str) -> str:
    """A compiler that must be there in CI."""
    found = shutil.which(name)
    if found is None:
        if is_ci():
            pytest.fail(f"{name} is missing")
        pytest.skip(f"{name} is missing")
    return found


def all_kernel_sources() -> list[Path]:
    import ferrule.kernels.kernel as module

    return sorted(Path(module.__file__).parent.glob("*.c"))


@pytest.mark.parametrize("file", MODELS)
@pytest.mark.parametrize("compiler", ["gcc", "clang", "g++"])
def test_silent_under_strict_compilers(shared: Path, tmp_path: Path, file: str, compiler: str) -> None:
    """No warning from gcc, clang or a C++ compiler."""
    sources = write_sources(compiled_model(shared, file), tmp_path)
    if compiler == "gcc":
        command = [tool("gcc"), *STRICT]
    elif compiler == "g++":
        command = [tool("g++"), "-x", "c++", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    else:
        command = [sys.executable, "-m", "ziglang", "cc", *STRICT]
    # zig always makes an object; the others need only look
    mode = "-c" if compiler == "clang" else "-fsyntax-only"
    done = subprocess.run([*command, mode, *map(str, sources)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_every_kernel_is_silent(tmp_path: Path) -> None:
    """All kernels, those of no shared model too, in C and C++."""
    files = [str(p) for p in all_kernel_sources()]
    for command in ([tool("gcc"), *STRICT], [tool("g++"), "-x", "c++", "-Wall", "-Wextra", "-Wconversion", "-Werror"]):
        done = subprocess.run([*command, "-fsyntax-only", *files], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("file", MODELS)
def test_symbols_and_stack(shared: Path, tmp_path: Path, file: str) -> None:
    """No malloc, free or stdio; no writable section; every function below 2 KiB of stack."""
    sources = write_sources(compiled_model(shared, file), tmp_path)
    subprocess.run(
        [tool("gcc"), "-std=c99", "-O2", "-fno-pic", "-c", "-fstack-usage", *map(str, sources)],
        cwd=tmp_path,
        check=True,
    )
    objects = sorted(tmp_path.glob("*.o"))
    table = subprocess.run(["nm", *map(str, objects)], capture_output=True, text=True, check=True).stdout
    entries = [line.split() for line in table.splitlines() if line and not line.endswith(":")]
    defined = {e[2] for e in entries if len(e) == 3}
    needed = {e[1] for e in entries if len(e) == 2 and e[0] == "U"} - defined
    assert [n for n in sorted(needed) if not ALLOWED.match(n)] == []
    assert [e for e in entries if len(e) == 3 and e[1] in "DdBbCc"] == []
    usage = [line.split("\t") for path in tmp_path.glob("*.su") for line in path.read_text().splitlines()]
    assert max(int(u[1]) for u in usage) <= 2048
    assert all("dynamic" not in u[2] or "bounded" in u[2] for u in usage)


@pytest.mark.parametrize("core", CORES)
def test_builds_for_arm(shared: Path, tmp_path: Path, core: str) -> None:
    """Every kernel and a network compile for the Cortex-M cores."""
    compiler = tool("arm-none-eabi-gcc")
    sources = write_sources(compiled_model(shared, MODELS[0]), tmp_path)
    files = [*map(str, sources), *map(str, all_kernel_sources())]
    done = subprocess.run(
        [compiler, *CORES[core], *STRICT, "-fsyntax-only", *files], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("file", MODELS)
def test_sanitizers_are_silent(shared: Path, tmp_path: Path, file: str) -> None:
    """Address and undefined-behaviour sanitizers on a run, guard zones around the arena included."""
    compiled = compiled_model(shared, file)
    samples = drawn_inputs(compiled.loaded.program, 2, 1)
    got = run_c(build_c(compiled, tmp_path, sanitize=True), compiled, samples)
    want = run_reference(compiled, samples)
    for name in compiled.program.outputs:
        assert np.allclose(got[name], want[name], rtol=1e-3, atol=1e-4)


def test_weights_binary_gives_the_same_bytes(shared: Path, tmp_path: Path) -> None:
    """Weights from a file: same outputs; a flipped byte is refused at init."""
    plain = compiled_model(shared, MODELS[0])
    binary = compiled_model(shared, MODELS[0], weights_binary=True)
    samples = drawn_inputs(plain.loaded.program, 2, 1)
    first = run_c(build_c(plain, tmp_path / "plain"), plain, samples)
    build = build_c(binary, tmp_path / "binary")
    second = run_c(build, binary, samples)
    for name in plain.program.outputs:
        np.testing.assert_array_equal(first[name], second[name])
    assert build.weights is not None
    damaged = bytearray(build.weights.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    build.weights.write_bytes(bytes(damaged))
    from ferrule.diagnostics import Refusal

    with pytest.raises(Refusal, match="exit code 5"):
        run_c(build, binary, samples)


def test_same_input_same_bytes(shared: Path, tmp_path: Path) -> None:
    """Another process, hash seed and working directory: every generated file is the same."""
    script = (
        "import sys, json, hashlib; from pathlib import Path\n"
        "from ferrule.deploy import *; from ferrule.deploy import Journal; from ferrule.request import Request\n"
        "c = compile_program(load(Request(Path(sys.argv[1])), Journal()), Journal())\n"
        "f = project_files(c)\n"
        "d = {n: hashlib.sha256(t if isinstance(t, bytes) else t.encode()).hexdigest() for n, t in f.items()}\n"
        "print(json.dumps(d, sort_keys=True))"
    )
    seen = []
    for seed in ("0", "1", "77"):
        folder = tmp_path / seed
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", script, str(shared / MODELS[1])],
            cwd=folder,
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin", "HOME": str(folder)},
            capture_output=True,
            text=True,
            check=True,
        )
        seen.append(json.loads(done.stdout))
    assert seen[0] == seen[1] == seen[2]


def test_folder_builds_with_cmake_and_tests_itself(shared: Path, tmp_path: Path) -> None:
    """The folder's own build makes an example whose self-test passes."""
    from ferrule import verbs

    folder = tmp_path / "out"
    verbs.generate(Request(shared / MODELS[0], output=folder))
    cmake = tool("cmake")
    subprocess.run([cmake, "-S", str(folder), "-B", str(folder / "b")], check=True, capture_output=True)
    subprocess.run([cmake, "--build", str(folder / "b")], check=True, capture_output=True)
    assert subprocess.run([str(folder / "b" / "network_example")]).returncode == 0


def test_two_networks_link_together(shared: Path, tmp_path: Path) -> None:
    """With --name, two networks share the kernels in one program."""
    for name, file in (("one", MODELS[0]), ("two", MODELS[2])):
        write_sources(compiled_model(shared, file, name=name), tmp_path)
    main = '#include "one.h"\n#include "two.h"\nint main(void){one_context a; two_context b; static uint8_t m[16];\n'
    main += "return one_init(&a, m, 16) == ONE_BAD_ARENA && two_init(&b, m, 16) == TWO_BAD_ARENA ? 0 : 1;}\n"
    (tmp_path / "main.c").write_text(main)
    files = [str(p) for p in sorted(tmp_path.glob("*.c"))]
    subprocess.run([tool("gcc"), "-std=c99", *files, "-o", str(tmp_path / "both"), "-lm"], check=True, cwd=tmp_path)
    assert subprocess.run([str(tmp_path / "both")]).returncode == 0


def test_every_file_says_who_owns_it(shared: Path) -> None:
    """The first line of each text file names Ferrule; emitted files are 0BSD."""
    for name, content in project_files(compiled_model(shared, MODELS[0])).items():
        assert isinstance(content, str)
        assert "Ferrule" in content.splitlines()[0], name
        if name.endswith((".c", ".h")):
            assert "0BSD" in content.splitlines()[0], name
