"""`explain`: codes, messages, logs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ferrule.catalogue import RULES, rule_called
from ferrule.diagnostics import Refusal
from ferrule.explain import explain


def refused(query: str) -> str:
    with pytest.raises(Refusal) as caught:
        explain(query)
    finding = caught.value.findings[0]
    assert finding.code == "FER640"
    return "\n".join([finding.message, *finding.notes])


@pytest.mark.parametrize("rule", RULES, ids=[rule.code for rule in RULES])
def test_every_rule(rule: object) -> None:
    assert rule in RULES
    for query in (rule.code, rule.code.lower(), rule.slug, f" {rule.slug.upper()} "):  # type: ignore[attr-defined]
        found = explain(query)
        assert found.about == "rule"
        assert found.title == f"{rule.code} {rule.slug}"  # type: ignore[attr-defined]
        assert found.text().endswith(rule.page.strip())  # type: ignore[attr-defined]


def test_message_of_the_help() -> None:
    found = explain("did not find valid compile options")
    assert found.about == "message"
    assert found.data["id"] == "oauto"
    assert "What it means: The compiler tried all its options" in found.text()
    assert json.loads(json.dumps(found.data)) == found.data


def test_line_of_our_own() -> None:
    rule = RULES[0]
    assert explain(f"error[{rule.code}] something: in the log of yesterday").title.startswith(rule.code)


def test_log(tmp_path: Path) -> None:
    log = tmp_path / "the build.log"
    said = "Unsupported ONNX op: Resize (node: /up/Resize)"
    lines = f"[INFO] /up/Resize: mode=linear\r\n{said}\r\nE010(InvalidModelError): no"
    log.write_bytes(lines.encode("utf-16"))
    found = explain(str(log))
    assert found.about == "log"
    assert (found.data["node"], found.data["kind"]) == ("/up/Resize", "resize-semantics")
    assert "node: /up/Resize" in found.lines
    assert json.loads(json.dumps(found.data)) == found.data
    assert explain(lines).data["node"] == "/up/Resize"


def test_strange_logs(tmp_path: Path) -> None:
    for name, data in (("a.log", b""), ("b.log", b"\x00\xff" * 5000), ("c.log", b"fine\n" * 10)):
        (tmp_path / name).write_bytes(data)
        assert "holds a message that is known" in refused(str(tmp_path / name))
    assert "no such file" in refused(str(tmp_path / "none.log"))


def test_nothing_fits() -> None:
    assert "there is no rule FER999" in refused("fer999")
    assert "FER520 target-unknown" in refused("target-unknwon")
    for query in ("", "x" * 100_000, "\x00", "what is this", "FER52", "/"):
        refused(query)


def test_called() -> None:
    assert rule_called("FER520") is rule_called("Target-Unknown")
    assert rule_called("nothing") is None
