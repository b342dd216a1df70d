"""Rules, their pages, and the pages made from the code."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from ferrule.catalogue import RULES
from ferrule.diagnostics import Rule
from tests.laws.source import PACKAGE, ROOT, modules

RANGES = {
    "frontends.tflite_findings": (100, 129),
    "frontends.onnx_findings": (130, 179),
    "ops.findings": (200, 299),
    "lower.findings": (200, 299),
    "checks.findings": (200, 299),
    "quantize.findings": (300, 349),
    "data.findings": (400, 449),
    "targets.findings": (500, 549),
    "map.findings": (500, 549),
    "schedule.findings": (500, 549),
    "codegen.findings": (600, 649),
    "run.findings": (600, 649),
    "report.findings": (600, 649),
    "validate.findings": (700, 749),
}
"""File of rules -> the codes that it may give."""


def rules_in_source() -> dict[str, list[Rule]]:
    """Every Rule that any module of the package holds as a constant of its own, by module."""
    found: dict[str, list[Rule]] = {}
    for module in modules():
        if re.search(r"\bRule\(\s*\"FER", module.path.read_text(encoding="utf-8")):
            loaded = importlib.import_module(module.name)
            found[module.name] = [value for value in vars(loaded).values() if isinstance(value, Rule)]
    return found


def test_catalogue_is_complete() -> None:
    declared = {rule for rules in rules_in_source().values() for rule in rules}
    assert declared == set(RULES)


def test_codes_and_slugs_are_unique() -> None:
    for names in ([rule.code for rule in RULES], [rule.slug for rule in RULES]):
        assert sorted({name for name in names if names.count(name) > 1}) == []


@pytest.mark.parametrize("rule", RULES, ids=[rule.code for rule in RULES])
def test_page(rule: Rule) -> None:
    """A page says what it means, has an example and a cure, and its first line stands alone in an index."""
    assert re.fullmatch(r"FER[1-7]\d\d", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.slug)
    lines = rule.page.strip().splitlines()
    assert lines[0].endswith("."), lines[0]
    assert len(lines) > 1
    assert not lines[1], "the first sentence has a line of its own"
    assert any(line.startswith("Example") for line in lines)
    assert any(line.startswith("Cure") for line in lines)
    assert "|" not in lines[0]


def test_codes_lie_in_their_range() -> None:
    for module, rules in rules_in_source().items():
        name = module.removeprefix("ferrule.")
        if name in RANGES:
            low, high = RANGES[name]
            assert [r.code for r in rules if not low <= int(r.code[3:]) <= high] == [], module


def test_pages_agree_with_the_code() -> None:
    """Run `make docs` where this is red."""
    from ferrule.docs import stale

    assert stale(ROOT / "docs") == []


def test_a_stale_page_is_seen(tmp_path: Path) -> None:
    from ferrule.docs import pages, stale, write

    said: list[str] = []
    assert write(tmp_path, said.append) == len(pages()) == len(said)
    assert stale(tmp_path) == []
    (tmp_path / "targets.md").write_text("old")
    (tmp_path / "rules" / "FER999.md").write_text("a rule that is gone")
    assert stale(tmp_path) == ["rules/FER999.md", "targets.md"]
    assert write(tmp_path, said.append) == 2
    assert stale(tmp_path) == []


def test_files_of_rules_are_called_findings() -> None:
    """Rules are looked for in `findings.py` and its like, or beside a check."""
    for name in rules_in_source():
        folder = name.split(".")[1]
        assert name.endswith("findings") or folder == "checks", name
    assert PACKAGE.is_dir()
