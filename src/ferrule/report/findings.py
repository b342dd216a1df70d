"""What can go wrong when something is told."""

from __future__ import annotations

from ferrule.diagnostics import Rule

NOT_EXPLAINED = Rule(
    "FER640",
    "nothing-to-explain",
    """What was given to `explain` is neither a rule, nor a log file, nor a message that is known.

Rules are called by code or slug. Messages of ST's tools are recognised by their fixed words; names and numbers in them
do not matter.

Example: `ferrule explain FER999`.

Cure: give the line as the tool printed it, in quotes, or the whole log as a file.
""",
)
RULES = (NOT_EXPLAINED,)
