"""What is told of targets."""

from __future__ import annotations

import json

from ferrule.report.target_page import all_targets, overview_lines, target_lines, target_record, targets_page
from ferrule.targets.load import load_target, target_names


def test_overview_names_all() -> None:
    lines = overview_lines(all_targets())
    assert [line.split()[0] for line in lines[1:]] == list(target_names())
    assert any(line.split()[:5] == ["stm32n6", "cortex-m55", "2.75", "MiB", "61"] for line in lines)


def test_one_target() -> None:
    text = "\n".join(target_lines(load_target("stm32n6")))
    for part in ("npuRAM3", "0x34200000", "448 KiB", "6.4 bytes per NPU cycle", "neural-art, 1000 MHz", "on request"):
        assert part in text
    h7 = target_lines(load_target("stm32h750"))
    assert next(line for line in h7 if "FLASH" in line).endswith("?")
    assert "not looked up" in h7[-1]
    assert not any("not looked up" in line for line in target_lines(load_target("cortex-m4")))


def test_record_is_json() -> None:
    for target in all_targets():
        record = json.loads(json.dumps(target_record(target)))
        assert record["ram_bytes"] == target.ram_bytes
        assert [m["size_bytes"] for m in record["memories"]] == [m.size_bytes for m in target.memories]


def test_page_is_repeatable() -> None:
    assert targets_page() == targets_page()
    assert "—" not in targets_page()
