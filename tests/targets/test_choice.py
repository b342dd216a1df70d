"""Sizes, limits and memories as the user gives them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.diagnostics import Level, Refusal, Usage
from ferrule.targets.choice import parse_limit, parse_memory_options, with_limits, with_memories
from ferrule.targets.load import load_target
from ferrule.targets.sizes import parse_size, size_text


@pytest.mark.parametrize(
    ("text", "size"),
    [
        *(("4096", 4096), ("256K", 262144), ("256 KiB", 262144), ("1.5M", 1572864), ("1m", 1 << 20), ("64kb", 65536)),
        *(("0.5K", 512), ("1G", 1 << 30), (" 7B ", 7)),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size
    assert parse_limit("--ram", text) == size


@pytest.mark.parametrize(
    "text",
    ["", "K", "12Q", "-5", "1e3", "1..5K", "0", "0.0001K", "9" * 40, "1,5M", "0x10", "2T", "256K256K", "٣K", "1_000"],
)
def test_no_sizes(text: str) -> None:
    with pytest.raises(ValueError):
        parse_size(text)
    with pytest.raises(Usage, match="--flash"):
        parse_limit("--flash", text)


@given(st.integers(1, 1 << 40))
def test_size_text_never_promises_more(size: int) -> None:
    shown = size_text(size)
    number = float(shown.split()[0])
    unit = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[shown.split()[1]]
    assert number * unit <= size * (1 + 1e-12)
    assert number * unit >= size * 0.99


def test_limits() -> None:
    chip = load_target("stm32h743")
    target, findings = with_limits(chip, ram_bytes=256 << 10)
    assert findings == ()
    assert (target.ram_bytes, target.arena_bytes, target.flash_bytes) == (256 << 10, 256 << 10, 2 << 20)
    target, findings = with_limits(chip, ram_bytes=4 << 20, flash_bytes=1 << 20)
    assert target.ram_bytes == chip.ram_bytes
    assert target.flash_bytes == 1 << 20
    assert [(f.code, f.level) for f in findings] == [("FER526", Level.WARNING)]
    target, findings = with_limits(load_target("cortex-m4"), 128 << 10, 512 << 10)
    assert (target.ram_bytes, target.arena_bytes, target.flash_bytes) == (128 << 10, 128 << 10, 512 << 10)
    assert findings == ()


def test_memory_options() -> None:
    wanted = {"weights": ("octoFlash",), "activations": ("cpuRAM2", "npuRAM3")}
    assert parse_memory_options(["weights=octoFlash", "activations=cpuRAM2,npuRAM3"]) == wanted
    assert parse_memory_options(["weights=octoFlash,activations=cpuRAM2,npuRAM3"]) == wanted
    for wrong in ("", "octoFlash", "weights=", "weights", "code=ITCM", "activations=a,,b", "=a"):
        with pytest.raises(Usage):
            parse_memory_options([wrong])


def test_memories() -> None:
    n6 = load_target("stm32n6")
    target = with_memories(n6, parse_memory_options(["activations=axisram3,NPURAM4", "weights=hyperram"]))
    assert [m.name for m in target.activations_in] == ["npuRAM3", "npuRAM4"]
    assert target.ram_bytes == target.arena_bytes == 896 << 10
    assert target.flash_bytes == 16 << 20
    assert with_memories(n6, {}) == n6


def test_wrong_memories() -> None:
    n6 = load_target("stm32n6")
    with pytest.raises(Refusal) as caught:
        with_memories(n6, {"activations": ("octoFlash", "cpuRAM9"), "weights": ("nothing",)})
    assert [f.code for f in caught.value.findings] == ["FER525", "FER524", "FER524"]
    assert "is cpuRAM" in caught.value.findings[1].message
    with pytest.raises(Refusal) as caught:
        with_memories(load_target("host"), {"activations": ("RAM",)})
    assert "--ram" in caught.value.findings[0].notes[0]
