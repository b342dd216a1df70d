"""Whether the set-up is sound."""

from __future__ import annotations

import importlib
import importlib.metadata
import platform
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ferrule.diagnostics import Refusal
from ferrule.run.compiler import PACKAGES, call, host_compiler

State = Literal["ok", "missing", "broken"]
OLDEST_PYTHON = (3, 11)

# Distribution -> module to load; where they differ, or where loading says more than a version does.
_MODULES = {"onnx-ir": "onnx_ir", "pillow": "PIL", "ai-edge-litert": "ai_edge_litert.interpreter"}
_MODULES |= {"ortools": "ortools.sat.python.cp_model"}
_OPTIONAL = {"ai-edge-litert": "compares with LiteRT", "unicorn": "runs code on emulated small cores"}
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\[[^\]]*\])?\s*\(?([^;)]*)\)?\s*(;.*)?")


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. `missing` is something optional; only `broken` makes the set-up unsound."""

    name: str
    state: State
    detail: str

    def line(self) -> str:
        """The check as a line of text."""
        return f"{self.state:8}{self.name:26}{self.detail}"


@dataclass(frozen=True)
class Diagnosis:
    """All checks in their order."""

    checks: tuple[Check, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing that is needed is broken."""
        return not self.broken

    @property
    def broken(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.state == "broken")

    def sentence(self) -> str:
        """The one sentence in which `doctor` ends."""
        if self.is_sound:
            return "The set-up is sound: look at the model."
        places = "; ".join(f"{check.name} ({check.detail})" for check in self.broken)
        return f"The set-up is broken: {places}."

    def lines(self) -> tuple[str, ...]:
        """The whole answer, the sentence last."""
        return (*(check.line() for check in self.checks), "", self.sentence())

    def to_json(self) -> dict[str, object]:
        """The answer as data."""
        checks = [{"name": c.name, "state": c.state, "detail": c.detail} for c in self.checks]
        return {"sound": self.is_sound, "sentence": self.sentence(), "checks": checks}


def diagnose(distribution: str = "ferrule") -> Diagnosis:
    """Look at Python, packages, arithmetic, compilers, emulators and Ferrule's own data; a few seconds, no network."""
    checks = [_python(), *_packages(distribution), *(_guarded(name, check) for name, check in _OWN)]
    return Diagnosis((*checks, _host_compiler(), *_tools()))


def _python() -> Check:
    text = f"{platform.python_version()} on {platform.system()} {platform.machine()}, {sys.executable}"
    if sys.version_info < OLDEST_PYTHON:
        return Check("Python", "broken", f"{platform.python_version()}, but 3.11 or newer is needed")
    return Check("Python", "ok", text)


def _packages(distribution: str) -> Iterator[Check]:
    try:
        wanted = importlib.metadata.requires(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        yield Check(distribution, "broken", "not installed as a package: pip install ferrule, or make setup")
        return
    for requirement in wanted:
        match = _REQUIREMENT.fullmatch(requirement)
        if match and "extra" not in (match.group(3) or ""):
            yield _package(match.group(1), match.group(2).strip(), needed=True)
    for name in _OPTIONAL:
        yield _package(name, "", needed=False)


def _package(name: str, wanted: str, needed: bool) -> Check:
    """One package: installed, new enough, and loadable."""
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        if needed:
            return Check(name, "broken", f"not installed: pip install '{name}{wanted}'")
        return Check(name, "missing", f"optional, {_OPTIONAL[name]}: pip install {name}")
    if not satisfies(version, wanted):
        return Check(name, "broken", f"{version} is installed, {wanted} is needed: pip install -U '{name}{wanted}'")
    try:
        importlib.import_module(_MODULES.get(name, name))
    except Exception as error:  # a package may fail in any way while it loads, that is what is to be found out
        reason = str(error).split("\n")[0][:200]
        return Check(name, "broken" if needed else "missing", f"{version} does not load: {reason}")
    return Check(name, "ok", version)


def satisfies(version: str, wanted: str) -> bool:
    """Whether a version fulfils `>=1.2,==3.4`; only these two signs are used by Ferrule."""
    for part in filter(None, (p.strip() for p in wanted.split(","))):
        have, need = _release(version), _release(part[2:])
        if (part.startswith(">=") and have < need) or (part.startswith("==") and have != need):
            return False
    return True


def _release(version: str) -> tuple[int, ...]:
    match = re.match(r"\d+(?:\.\d+)*", version.strip())
    numbers = [int(part) for part in match.group().split(".")] if match else [0]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _guarded(name: str, check: Callable[[], str]) -> Check:
    """Run a check that returns its detail, and raises where something is broken."""
    try:
        return Check(name, "ok", check())
    except Exception as error:  # whatever is broken here is the answer
        return Check(name, "broken", (str(error) or type(error).__name__).split("\n")[0][:200])


def _arithmetic() -> str:
    """Products of integers in float64 are exact: some builds of BLAS on some processors are not."""
    import numpy as np

    draw = np.random.default_rng(7)
    a = draw.integers(-128, 128, (67, 259), dtype=np.int64)
    b = draw.integers(-128, 128, (259, 71), dtype=np.int64)
    if not np.array_equal(a.astype(np.float64) @ b.astype(np.float64), (a @ b).astype(np.float64)):
        raise ValueError("numpy multiplies wrongly on this processor: reinstall it, or set OPENBLAS_CORETYPE=Haswell")
    return "numpy multiplies integers exactly"


def _runtime() -> str:
    """onnxruntime computes what it should on a model of one node."""
    import numpy as np
    import onnx
    import onnxruntime

    node = onnx.helper.make_node("Add", ["x", "x"], ["y"])
    info = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph([node], "g", [info("x", 1, [3])], [info("y", 1, [3])])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (y,) = session.run(None, {"x": np.array([1, 2, 3], np.float32)})
    if not np.array_equal(y, np.array([2, 4, 6], np.float32)):
        raise ValueError("onnxruntime computes wrongly")
    return "onnxruntime runs a model"


def _own_data() -> str:
    from ferrule.report.vendor_messages import messages
    from ferrule.targets.load import load_target, target_names

    names = target_names()
    for name in names:
        load_target(name)
    return f"{len(names)} targets, {len(messages())} messages of vendor tools"


def _scratch() -> str:
    with tempfile.TemporaryDirectory(prefix="ferrule-") as folder:
        (Path(folder) / "probe").write_bytes(bytes(1 << 20))
        free = shutil.disk_usage(folder).free
    return f"{tempfile.gettempdir()}, {free >> 20} MiB free"


_OWN: tuple[tuple[str, Callable[[], str]], ...] = (
    ("arithmetic", _arithmetic),
    ("model runtime", _runtime),
    ("Ferrule's data", _own_data),
    ("temporary folder", _scratch),
)


def _host_compiler() -> Check:
    """A C99 program is compiled and run, as `run` and `validate` do."""
    probe = "#include <stdint.h>\nint main(void) { int64_t x = INT64_C(1) << 40; return (int)(x >> 40) - 1; }\n"
    try:
        command = host_compiler()
        with tempfile.TemporaryDirectory(prefix="ferrule-") as folder:
            (Path(folder) / "probe.c").write_text(probe, encoding="utf-8")
            program = Path(folder) / "probe.exe"
            call([*command, "-std=c99", "-O2", "probe.c", "-o", str(program)], Path(folder))
            call([str(program)], Path(folder), 60.0)
            version = next(iter(call([*command, "--version"], Path(folder)).splitlines()), "")
    except Refusal as refusal:
        finding = refusal.findings[0]
        return Check("C compiler", "broken", "; ".join([finding.message, *finding.help[:1]]))
    return Check("C compiler", "ok", f"{shlex.join(command)}: {version}")


def _tools() -> Iterator[Check]:
    """Cross compilers and emulators: nobody needs them to make C, `--on target` does."""
    for tool, package in PACKAGES.items():
        path = shutil.which(tool)
        if path is None:
            yield Check(tool, "missing", f"optional, for --on target: apt-get install {package}")
            continue
        try:
            version = next(iter(call([path, "--version"], Path.cwd(), 60.0).splitlines()), "")
            yield Check(tool, "ok", version)
        except Refusal as refusal:
            yield Check(tool, "missing", f"optional, for --on target: {refusal.findings[0].message}")
