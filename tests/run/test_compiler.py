"""Compilers are found, and their failures are told."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from ferrule.diagnostics import Refusal
from ferrule.run import compiler
from ferrule.run.compiler import call, cross_compiler, emulator, host_compiler


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let the machine have just these programs."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name in names else None)


@pytest.mark.parametrize(
    ("names", "found"),
    [(["cc", "gcc"], ["cc"]), (["gcc", "clang"], ["gcc"]), (["clang"], ["clang"])],
)
def test_order(monkeypatch: pytest.MonkeyPatch, names: list[str], found: list[str]) -> None:
    only(monkeypatch, *names)
    assert host_compiler() == found


def test_ziglang_serves_where_nothing_else_is(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch)
    assert host_compiler() == [sys.executable, "-m", "ziglang", "cc"]


def test_nothing_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch)
    monkeypatch.setattr(compiler.importlib.util, "find_spec", lambda name: None)  # type: ignore[attr-defined]
    with pytest.raises(Refusal) as caught:
        host_compiler()
    assert caught.value.findings[0].code == "FER601"
    assert caught.value.findings[0].help == ("pip install ziglang",)


def test_chosen_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "cc", "mycc")
    monkeypatch.setenv("CC", "mycc -m32")
    assert host_compiler() == ["mycc", "-m32"]
    monkeypatch.setenv("CC", "nosuch")
    with pytest.raises(Refusal, match="nosuch"):
        host_compiler()
    monkeypatch.setenv("CC", 'unclosed "')
    with pytest.raises(Refusal, match="unclosed"):
        host_compiler()


def test_cross(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "arm-none-eabi-gcc", "qemu-arm")
    assert cross_compiler(("arm-none-eabi-gcc", "-mcpu=cortex-m7"))[1:] == ["-mcpu=cortex-m7"]
    assert emulator("qemu-arm") == "/bin/qemu-arm"
    with pytest.raises(Refusal) as caught:
        cross_compiler(("aarch64-linux-gnu-gcc",))
    assert caught.value.findings[0].code == "FER604"
    assert "apt-get install gcc-aarch64-linux-gnu" in caught.value.findings[0].help[0]
    with pytest.raises(Refusal) as caught:
        emulator("qemu-system-arm")
    assert caught.value.findings[0].code == "FER605"


def test_failing_tool(tmp_path: Path) -> None:
    script = "import sys; print('first'); print('second', file=sys.stderr); sys.exit(3)"
    with pytest.raises(Refusal) as caught:
        call([sys.executable, "-c", script, "an argument"], tmp_path)
    finding = caught.value.findings[0]
    assert finding.code == "FER602"
    assert "exit code 3" in finding.message
    assert Path(sys.executable).name in finding.message
    assert finding.notes[0].startswith(f"command: {sys.executable} -c ")
    assert "'an argument'" in finding.notes[0]
    assert finding.notes[1:] == ("first", "second")
    assert "--keep" in finding.help[0]


def test_tool_that_cannot_start(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="could not be started"):
        call([str(tmp_path / "none")], tmp_path)
    with pytest.raises(Refusal, match=r"did not end within 0\.2 s"):
        call([sys.executable, "-c", "import time; time.sleep(20)"], tmp_path, 0.2)


def test_tool_reads_no_terminal(tmp_path: Path) -> None:
    assert call([sys.executable, "-c", "import sys; print(repr(sys.stdin.read()))"], tmp_path).strip() == "''"
