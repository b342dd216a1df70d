"""Every rule there is, by code and by slug."""

from __future__ import annotations

from ferrule.codegen import findings as codegen_findings
from ferrule.data import findings as data_findings
from ferrule.diagnostics import Rule
from ferrule.frontends import onnx_findings, tflite_findings
from ferrule.map import findings as map_findings
from ferrule.quantize import findings as quantize_findings
from ferrule.report import findings as report_findings
from ferrule.run import findings as run_findings
from ferrule.schedule import findings as schedule_findings
from ferrule.targets import findings as target_findings

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            *codegen_findings.RULES,
            *onnx_findings.RULES,
            *schedule_findings.RULES,
            *tflite_findings.RULES,
            *map_findings.RULES,
            *data_findings.RULES,
            *quantize_findings.RULES,
            *report_findings.RULES,
            *run_findings.RULES,
            *target_findings.RULES,
        ),
        key=lambda rule: rule.code,
    )
)
"""All rules, in the order of their codes."""


def rule_called(name: str) -> Rule | None:
    """The rule of a code or slug, in any case; None where there is none."""
    wanted = name.strip().lower()
    return next((rule for rule in RULES if wanted in (rule.code.lower(), rule.slug)), None)
