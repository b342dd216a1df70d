"""Findings as text, JSON, SARIF and GitHub annotations."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ferrule.diagnostics import Finding, Level

RANK = {Level.ERROR: 0, Level.WARNING: 1, Level.NOTE: 2}


def ordered(findings: Sequence[Finding]) -> list[Finding]:
    """Errors first, then warnings, then notes; otherwise as they were found."""
    return sorted(findings, key=lambda f: RANK[f.level])


def finding_lines(finding: Finding, file: str) -> list[str]:
    """One finding as the user reads it."""
    lines = [f"{finding.level.value}[{finding.code}] {finding.slug}: {finding.message}"]
    lines.append(f"  --> {file}: {where(finding.node)}, stage {finding.stage}")
    lines += [f"   = note: {note}" for note in finding.notes]
    lines += [f"   = help: {line}" for line in finding.help]
    lines.append(f"   = more: ferrule explain {finding.code}")
    return lines


def where(node: str) -> str:
    """A finding's place in words."""
    if node == "model":
        return "the model"
    role, mark, name = node.partition(":")
    if mark and role in ("input", "output"):
        return f"{role} `{name}`"
    return f"node `{node}`"


def summary_line(findings: Sequence[Finding]) -> str:
    """How many of each level."""
    counts = [(sum(f.level is level for f in findings), level.value) for level in RANK]
    return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts)


def github_lines(findings: Sequence[Finding], file: str) -> list[str]:
    """Workflow annotations of GitHub Actions."""
    words = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}

    def plain(text: str) -> str:
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    return [
        f"::{words[f.level]} file={plain(file)},title={f.code} {f.slug}::{plain(f.message)} ({plain(f.node)})"
        for f in findings
    ]


def sarif(findings: Sequence[Finding], file: str, version: str) -> str:
    """SARIF 2.1.0, as code scanners read it."""
    levels = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "note"}
    rules = {f.code: f.slug for f in findings}
    return json.dumps(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {
                        "driver": {
                            "name": "ferrule",
                            "version": version,
                            "rules": [{"id": code, "name": slug} for code, slug in sorted(rules.items())],
                        }
                    },
                    "results": [
                        {
                            "ruleId": f.code,
                            "level": levels[f.level],
                            "message": {"text": f"{f.message} ({f.node})"},
                            "locations": [{"physicalLocation": {"artifactLocation": {"uri": file}}}],
                        }
                        for f in findings
                    ],
                }
            ],
        },
        indent=2,
    )
