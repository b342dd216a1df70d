"""What can go wrong when a project is written."""

from __future__ import annotations

from ferrule.diagnostics import Rule

NOT_OURS = Rule(
    "FER610",
    "output-folder-in-use",
    """The output folder holds a file of yours where Ferrule would write.

Ferrule only writes into files that say in their first line that Ferrule owns them.

Example: `-o .` in a folder with a `README.md` of your project.

Cure: name another folder: `-o build/`.
""",
)
NOT_WRITABLE = Rule(
    "FER611",
    "output-not-writable",
    """The output folder cannot be made or written.

Example: a folder of another user, or a file of that name.

Cure: name another folder with -o, or change its rights.
""",
)
RULES = (NOT_OURS, NOT_WRITABLE)
