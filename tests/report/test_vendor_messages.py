"""Messages and logs of ST's tools."""

from __future__ import annotations

import csv
import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrule.report.vendor_log import nodes_in, read_log
from ferrule.report.vendor_messages import KINDS, LARGEST_LINE, hits_in, like, messages


def test_table_is_complete() -> None:
    table = messages()
    assert len({m.id for m in table}) == len(table) > 80
    for message in table:
        assert message.kind in KINDS, message.id
        assert message.rank in (1, 2, 3, 4)
        assert message.level in ("error", "warning", "note")
        assert message.trust in ("documented", "reported", "inferred")
        for text in (message.meaning, message.cause, message.cure):
            assert text.endswith("."), (message.id, text)


def test_facts_are_covered(shared: Path) -> None:
    """Every message that was collected is recognised by a pattern of ours with the same kind."""
    with (shared / "facts" / "st-messages.csv").open(encoding="utf-8") as file:
        facts = {row["id"]: row for row in csv.DictReader(file)}
    ours = {m.id: m for m in messages()}
    assert set(facts) <= set(ours)
    assert all(ours[i].kind == facts[i]["rule_kind"] and ours[i].trust == facts[i]["confidence"] for i in facts)


@pytest.mark.parametrize(
    ("line", "id", "groups"),
    [
        ("Warning: Oauto did not find valid compile options: aborting", "oauto", {}),
        ("total bytes left unallocated=859648", "unallocated", {"bytes": "859648"}),
        (
            "Unsupported ONNX op: Resize (node: /up1/Resize)",
            "unsupported-onnx-op",
            {"op": "Resize", "node": "/up1/Resize"},
        ),
        ("E102(CliArgumentError): Validation on host is not supported", "e102-host-validate", {}),
        ("INTERNAL ERROR: Mismatch in channel position", "channel-position", {}),
        ("ld: region `RAM' overflowed by 4096 bytes", "ram-overflow", {"region": "RAM", "bytes": "4096"}),
        ("E801(HwIOError): could not open port /dev/ttyACM0", "e801-port", {}),
    ],
)
def test_line(line: str, id: str, groups: dict[str, str]) -> None:
    """The exact message wins over its family (a code, INTERNAL ERROR)."""
    hit = hits_in(line)[0]
    assert (hit.message.id, {k: hit.groups[k] for k in groups}) == (id, groups)


def test_part_of_a_message() -> None:
    assert hits_in("did not find valid compile options")[0].message.id == "oauto"
    assert like("find valid compile options")[0].id == "oauto"
    assert like("quantized unsigned integer not supported")[0].id == "unsigned"
    assert like("hello") == like("what is the weather like today") == ()


@pytest.mark.parametrize("number", range(1, 13))
def test_logs(shared: Path, number: int) -> None:
    """Each log's cause, and the node that is at fault, among decoys."""
    (path,) = (shared / "facts" / "logs").glob(f"{number:02}-*.log")
    expected = json.loads(path.with_name(path.stem + ".expected.json").read_text(encoding="utf-8"))
    reading = read_log(path.read_text(encoding="utf-8"))
    assert reading.kind == expected["rule_kind"]
    assert reading.node in [expected["node"], *expected.get("also", [])]
    assert reading.file == expected.get("file")


def test_other_logs() -> None:
    """The same faults in other words and with other names around them."""
    reading = read_log("reading net.onnx\nhead/dw: scratch 100 bytes\nbody/dw: scratch 90000 bytes\nRAM size too low\n")
    assert (reading.kind, reading.node, reading.also) == ("memory-plan", "body/dw", ("head/dw",))
    reading = read_log("/a/Einsum: 3 operands\n/b/Slice: ends=[5]\nTOOL ERROR: Error in computation of shapes")
    assert (reading.kind, reading.node) == ("shape-subgraph", "/a/Einsum")
    reading = read_log("[INFO] /x/Reshape: rank 5\nSegmentation fault")
    assert (reading.kind, reading.node) == ("rank-limit", "/x/Reshape")
    assert read_log("nothing of note\nall is well").cause is None
    assert read_log("").cause is None


def test_nodes() -> None:
    assert nodes_in("[INFO] /a/b/Conv_1: input /a/Relu_output_0 float32") == ["/a/b/Conv_1", "/a/Relu"]
    assert nodes_in("operator 1 FULLY_CONNECTED 'proj/MatMul': 15x3") == ["proj/MatMul"]
    assert nodes_in("memory pool ./pools/board_a.mpool of https://example.org/x.json") == []


HOSTILE = [
    *("A" * 100_000, "A: " * 50_000, "E" + "0" * 100_000, "[" * 100_000, "vnn_VerifyGraph" + "]" * 100_000),
    *("A_A " * 30_000 + "not supported", "int() argument must be a string" * 5000, "'" * 100_000, "/" * 100_000),
    *("output name " + "x" * 100_000, "hyperRAM [0x0 - 0x1]: " * 5000, "\x00" * 1000, "(" * 50_000),
]


@pytest.mark.parametrize("line", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_line_costs_little(line: str) -> None:
    start = time.process_time()
    hits = hits_in(line)
    nodes_in(line[:LARGEST_LINE])
    read_log(line)
    assert time.process_time() - start < 1.0
    assert all(len(hit.text) <= LARGEST_LINE for hit in hits)


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    reading = read_log(text)
    assert reading.lines == len(text.splitlines())
    assert like(text) is not None


def test_patterns_have_known_groups() -> None:
    names = {name for m in messages() for name in re.compile(m.pattern).groupindex}
    assert {"node", "op", "bytes"} <= names
