"""Targets by name, part number and file."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.diagnostics import Refusal
from ferrule.targets.load import entries, load_target, prefixes, shipped_cores, shipped_sheets, target_names
from ferrule.targets.schema import Problems, read_sheet
from ferrule.targets.target import largest_block


def refused(name: str) -> str:
    with pytest.raises(Refusal) as caught:
        load_target(name)
    assert len(caught.value.findings) == 1
    return f"{caught.value.findings[0].code} {caught.value.findings[0].message}"


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("stm32n6", "stm32n6"),
        ("STM32N6570-DK", "stm32n6570-dk"),
        ("stm32n6570dk", "stm32n6570-dk"),
        ("STM32N657X0H3Q", "stm32n6"),
        ("Stm32_H7", "stm32h747"),
        ("STM32H747I-DISCO", "stm32h747i-disco"),
        ("STM32H753ZIT6", "stm32h743"),
        ("stm32mp1", "stm32mp157"),
        ("STM32N645X0H3Q", "cortex-m55"),
        ("STM32MP253C", "cortex-a35"),
        ("STM32MP157FAC1", "stm32mp157"),
        ("stm32mp25", "stm32mp257"),
        ("stm32mp2", "stm32mp257"),
        ("STM32MP257F-DK", "stm32mp257f-dk"),
        ("Cortex-M55", "cortex-m55"),
        ("cortexm0+", "cortex-m0"),
        ("m7", "cortex-m7"),
        ("STM32H7A3ZI", "cortex-m7"),
        ("stm32f4", "cortex-m4"),
        ("STM32F407VGT6", "cortex-m4"),
        ("STM32WBA55CG", "cortex-m33"),
        ("STM32WB55RG", "cortex-m4"),
        ("HOST", "host"),
    ],
)
def test_names(asked: str, name: str) -> None:
    target = load_target(asked)
    assert target.name == name
    assert target.asked == asked


def test_every_name_loads() -> None:
    assert set(target_names()) >= {
        "host",
        *(f"cortex-{c}" for c in ("m0", "m4", "m7", "m33", "m55", "a7", "a35")),
        *("stm32n6", "stm32h7p", "stm32h743", "stm32h747", "stm32h750", "stm32h723"),
        *("stm32mp157", "stm32mp257", "stm32mp23x"),
    }
    for name in [*target_names(), *entries(), *prefixes()]:
        target = load_target(name)
        assert target.engines[0].name == "cpu"
        assert set(target.activations_in + target.weights_in) <= set(target.memories)
        assert all(m.writable for m in target.activations_in)


def test_facts(shared: Path) -> None:
    """Sizes and bases are those of the collected facts."""
    facts = json.loads((shared / "facts" / "st-memory-pools.json").read_text(encoding="utf-8"))
    names = {"AXI SRAM (D1)": "AXISRAM", "SRAM1-3 (D2)": "SRAM_D2", "SRAM4 (D3)": "SRAM4", "SRAM D2": "SRAM_D2"}
    names |= {"Flash bank1+2": "FLASH", "AXI SRAM": "AXISRAM", "SDRAM (DISCO)": "SDRAM", "MCU SRAM1-4": "MCUSRAM"}
    boards = {"stm32h747": "stm32h747i-disco"}
    checked = 0
    for chip in [name for name in facts if name != "_semantics"]:
        target = load_target(boards.get(chip, chip))
        for pool in facts[chip].get("pools", []):
            size = pool.get("size_kb", 0) or pool.get("size_mb", 0) * 1024
            if not isinstance(size, int) or size == 0 or "cache" in pool["name"]:
                continue
            memory = target.memory(names.get(pool["name"], pool["name"]))
            assert memory is not None, (chip, pool["name"])
            assert memory.size_bytes == size * 1024, (chip, pool["name"])
            assert memory.base == int(pool["base"].split()[0], 16), (chip, pool["name"])
            if "bytes_per_npu_cycle" in pool:
                assert memory.npu_bytes_per_cycle == pytest.approx(pool["bytes_per_npu_cycle"], rel=1e-3)
            if "st_ai_size_kb" in pool:
                assert memory.usable_bytes == pool["st_ai_size_kb"] * 1024
            checked += 1
        if "general datasheet knowledge" in facts[chip].get("source", ""):
            assert target.unchecked
    assert checked > 30
    chip = load_target("stm32n6")
    assert sum(m.usable_bytes for m in chip.activations_in) == facts["stm32n6"]["vpool"]["usable_bytes"]
    assert chip.memory("hyperRAM").size_bytes == 16384 * 1024  # type: ignore[union-attr]


def test_figures() -> None:
    n6 = load_target("stm32n6")
    assert n6.ram_bytes == n6.arena_bytes == 2816 * 1024
    assert n6.flash_bytes == 62464 * 1024
    assert (n6.core.name, n6.core.clock_hz, n6.core.isa >= {"mve", "dsp"}) == ("cortex-m55", 800_000_000, True)
    assert [e.name for e in n6.engines] == ["cpu", "neural-art"]
    h7 = load_target("stm32h743")
    assert h7.ram_bytes == (512 + 128 + 288 + 64) * 1024
    assert h7.arena_bytes == 512 * 1024
    assert load_target("STM32H743ZGT6").flash_bytes == 1024 * 1024
    assert load_target("STM32H743ZIT6").flash_bytes == 2048 * 1024
    assert load_target("stm32h747-m4").core.name == "cortex-m4"
    assert load_target("stm32h747-m4").memory("DTCM") is None
    assert load_target("nucleo-n657x0-q").memory("hyperRAM") is None
    host = load_target("host")
    assert (host.ram_bytes, host.flash_bytes, host.arena_bytes) == (None, None, None)


def test_adjacent_memories_are_one_block() -> None:
    n6 = load_target("stm32n6")
    assert largest_block(n6.activations_in[::-1]) == 2816 * 1024
    assert largest_block([m for m in n6.activations_in if m.name != "npuRAM4"]) == (1024 + 448) * 1024
    assert largest_block([]) is None


@pytest.mark.parametrize("asked", ["stm32n7", "cortex-m5", "discovery", "", "x" * 5000, "stm32n6-banana", "\x00"])
def test_unknown_name_tells_three(asked: str) -> None:
    text = refused(asked)
    assert text.startswith("FER520 ")
    near = text.split("the nearest are ")[1].split(", ")
    assert len(set(near)) == 3
    assert len({load_target(name).name for name in near}) == 3


def test_nearest_is_near() -> None:
    assert "the nearest are stm32n6, " in refused("stm32n7")
    assert "cortex-m55" in refused("cortex-m5")


# Files of users.

BOARD = """
name = "my-board"
title = "our board"
kind = "board"

[[core]]
name = "Cortex-M7"
clock_hz = 216_000_000

[[memory]]
name = "SRAM"
kind = "ram"
base = 0x20000000
size = "320K"
use = ["activations"]

[[memory]]
name = "FLASH"
kind = "flash"
base = 0x08000000
size = 1048576
use = ["weights"]
"""


def board(tmp_path: Path, text: str | bytes) -> str:
    path = tmp_path / "Mein Gerät.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


@pytest.mark.parametrize("text", [BOARD, BOARD.replace("\n", "\r\n"), "\ufeff" + BOARD])
def test_file_of_a_user(tmp_path: Path, text: str) -> None:
    target = load_target(board(tmp_path, text))
    assert (target.name, target.ram_bytes, target.flash_bytes) == ("my-board", 320 * 1024, 1 << 20)
    assert target.core.gcc[1] == "-mcpu=cortex-m7"


def test_page_has_the_same_example() -> None:
    """The example that messages point to is a target."""
    from ferrule.targets.example import EXAMPLE

    problems = Problems()
    import tomllib

    read_sheet(tomllib.loads(EXAMPLE), problems)
    assert problems.lines == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "my-board"\n', "", "'name' is missing"),
        ('kind = "board"', 'kind = "toaster"', "one of host, core, chip, board is wanted"),
        ('size = "320K"', 'size = "320X"', "is not a size"),
        ('size = "320K"', "size = -5", "not negative"),
        ('size = "320K"', "size = true", "not negative"),
        ('size = "320K"', 'sizes = "320K"', "is 'size' meant?"),
        ("base = 0x20000000", "base = 0x08000000", "begins inside"),
        ('name = "SRAM"', 'name = "flash"', "belongs to"),
        ("clock_hz = 216_000_000", "clock_hz = 0", "above 0"),
        ('"Cortex-M7"', '"Cortex-M9"', "known are cortex-a35"),
        ('use = ["weights"]', 'use = ["activations"]', "cannot hold activations"),
        ('use = ["weights"]', 'use = ["weights"]\nsource = "moon"', "does not stand under [sources]"),
        ('use = ["weights"]', 'use = ["weights"]\nusable = "2M"', "more than its size"),
        ('[[core]]\nname = "Cortex-M7"\nclock_hz = 216_000_000', "", "at least one core"),
        ("[[core]]", "[core]", "double brackets"),
    ],
)
def test_wrong_file(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in BOARD
    path = board(tmp_path, BOARD.replace(old, new))
    with pytest.raises(Refusal) as caught:
        load_target(path)
    finding = caught.value.findings[0]
    assert finding.code == "FER522"
    assert any(said in line for line in (finding.message, *finding.notes)), finding


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe", b"{}", b"name = ", b"a = " + b"[" * 100_000, b"#" * (2 << 20), b"\x89PNG\r\n"]
)
def test_no_toml(tmp_path: Path, data: bytes) -> None:
    code = refused(board(tmp_path, data))[:6]
    assert code == ("FER522" if data == b"" else "FER521")


def test_missing_file(tmp_path: Path) -> None:
    assert refused(str(tmp_path / "none.toml")).startswith("FER521")
    assert refused(str(tmp_path)).startswith("FER521")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
KEYS = ["name", "title", "kind", "core", "memory", "engine", "variant", "sources", "isa", "size", "base", "use", "on"]


@given(
    st.dictionaries(st.sampled_from(KEYS), JSON | st.lists(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6)))
)
def test_any_table_is_judged(data: dict[str, object]) -> None:
    """Whatever stands in a file, it is a list of sentences and never another exception."""
    problems = Problems()
    read_sheet(data, problems)
    assert problems.lines


@pytest.mark.parametrize("name", sorted(c.name for c in shipped_cores().values()))
def test_flags_compile(name: str, tmp_path: Path) -> None:
    """The flags of each core are accepted by its compiler and give the instruction set that is claimed."""
    core = load_target(name).core
    if shutil.which(core.gcc[0]) is None:
        pytest.skip(f"{core.gcc[0]} is not installed")
    asked = {"dsp": "__ARM_FEATURE_DSP", "mve": "__ARM_FEATURE_MVE", "neon": "__ARM_NEON"}
    done = subprocess.run([*core.gcc, "-dM", "-E", "-x", "c", "/dev/null"], capture_output=True, text=True, check=True)
    for feature, macro in asked.items():
        assert (f"#define {macro} " in done.stdout) == (feature in core.isa), (name, feature)
    if name.startswith("cortex-m"):
        level = next((int(line.split()[-1], 0) for line in done.stdout.splitlines() if "__ARM_FP " in line), 0)
        assert ("fpu32" in core.isa, "fpu64" in core.isa) == (bool(level & 4), bool(level & 8))


def test_every_figure_has_a_source() -> None:
    for sheet in shipped_sheets().values():
        for name, rows in sheet.tables.items():
            if name != "variant":
                assert all("source" in row for row in rows), (sheet.top["name"], name)
        used = {row.get("source") for rows in sheet.tables.values() for row in rows} | {(sheet.isa or {}).get("source")}
        assert set(sheet.sources) <= used, sheet.top["name"]
