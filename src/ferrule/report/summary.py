"""The record as lines for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def size_text(count: int) -> str:
    """Bytes as KiB or MiB, exact where small."""
    if count < 1024:
        return f"{count} B"
    if count < 1024 * 1024:
        return f"{count / 1024:.1f} KiB"
    return f"{count / 1024 / 1024:.2f} MiB"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns side by side, left-aligned."""
    if not rows:
        return []
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def interface_lines(record: Mapping[str, Any]) -> list[str]:
    """The table of recognised inputs and outputs."""
    rows = [["", "name", "shape", "type", "in C", "layout", "scale", "zero point", "producer"]]
    for role in ("inputs", "outputs"):
        for port in record[role]:
            quant = port["quantization"]
            rows.append(
                [
                    role[:-1],
                    port["name"],
                    str(port["shape"]),
                    port["type"],
                    f"{port['c_type']} {port['c_shape']}",
                    port["layout"],
                    f"{quant['scale']:.6g}" if quant else "-",
                    str(quant["zero_point"]) if quant else "-",
                    ", ".join(port["producer"][-1:]) or "-",
                ]
            )
    return table(rows)


def memory_line(record: Mapping[str, Any], ram: int | None, flash: int | None) -> str:
    """RAM and flash used of available."""
    proof = "proved least for this order" if record["arena_proved"] else f"bound {record['arena_lower_bound']}"
    parts = [f"RAM {size_text(record['arena_bytes'])}" + (f" of {size_text(ram)}" if ram else "") + f" ({proof})"]
    parts.append(f"weights {size_text(record['weights_bytes'])}" + (f" of {size_text(flash)}" if flash else ""))
    parts.append(f"{record['macs'] / 1e6:.2f} M multiply-accumulates")
    return ", ".join(parts)


def op_lines(record: Mapping[str, Any], most: int | None = None) -> list[str]:
    """The ops with engine, type, work and memory."""
    rows = [["op", "source", "engine", "type", "shape", "MACs", "live"]]
    ops = record["ops"] if most is None else record["ops"][:most]
    for op in ops:
        source = ", ".join(op["source_nodes"][:2]) + (", .." if len(op["source_nodes"]) > 2 else "")
        size = size_text(op["live_bytes"])
        rows.append([op["kind"], source, op["engine"], op["c_type"], str(op["shape"]), f"{op['macs']:,}", size])
    return table(rows)


def kind_lines(record: Mapping[str, Any]) -> list[str]:
    """How many ops of each kind, and their share of the work."""
    totals: dict[str, list[int]] = {}
    for op in record["ops"]:
        entry = totals.setdefault(f"{op['kind']} ({op['c_type']})", [0, 0])
        entry[0] += 1
        entry[1] += op["macs"]
    all_macs = max(record["macs"], 1)
    rows = [["operator", "count", "MACs", "share"]]
    for kind, (count, macs) in sorted(totals.items(), key=lambda kv: (-kv[1][1], kv[0])):
        rows.append([kind, str(count), f"{macs:,}", f"{100 * macs / all_macs:.1f} %"])
    return table(rows)


def validation_line(entry: Mapping[str, Any]) -> str:
    """One comparison as a sentence."""
    if entry["total"] == entry["equal"]:
        return f"{entry['what']}: all {entry['total']} bytes equal" if entry["exact"] else f"{entry['what']}: equal"
    detail = f"largest difference {entry['max_difference']:.4g}, {100 * entry['relative']:.3g} % of the range"
    sqnr = "" if entry["sqnr_db"] is None else f", SQNR {entry['sqnr_db']:.1f} dB"
    return f"{entry['what']}: {entry['equal']} of {entry['total']} equal, {detail}{sqnr}"
