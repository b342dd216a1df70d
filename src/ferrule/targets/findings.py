"""What can be wrong with a target and its limits."""

from __future__ import annotations

from ferrule.diagnostics import Rule

UNKNOWN_TARGET = Rule(
    "FER520",
    "target-unknown",
    """No chip, board or core of this name is known.

Names are taken in any case, with or without dashes: a series (`stm32n6`), a part number (`STM32N657X0H3Q`), a board
(`STM32N6570-DK`), a bare core (`cortex-m4`), `host`, or the path of a TOML file. The finding shows the three nearest.

Example: `--target stm32n7`.

Cure: take one of the names of `ferrule targets`. For a part that is not listed, take its core and say what it has:
`--target cortex-m4 --ram 128K --flash 512K`.
""",
)
TARGET_FILE = Rule(
    "FER521",
    "target-file-unreadable",
    """The file that describes the target cannot be read.

It is missing, is no text in UTF-8, is larger than one MiB, or is not TOML. The finding shows where reading stopped.

Example: a JSON file given as `--target board.json.toml`.

Cure: correct the place shown. `docs/targets.md` has a complete example to start from.
""",
)
TARGET_FORM = Rule(
    "FER522",
    "target-file-invalid",
    """The file that describes the target is TOML, but not a target.

All that is wrong with it is listed: a key that is missing, unknown or of the wrong type, a size that is none, two
memories at one address, a core that Ferrule does not know.

Example: `size = 512` where `size = "512K"` was meant is accepted and means 512 bytes; `size = "512X"` is refused.

Cure: correct the keys named. `docs/targets.md` lists all of them.
""",
)
UNKNOWN_MEMORY = Rule(
    "FER524",
    "memory-unknown",
    """The target has no memory of this name.

Example: `--memory activations=DTCM` on a chip without tightly coupled memory.

Cure: take one of the names that the finding lists; `ferrule targets NAME` shows them with size and speed.
""",
)
MEMORY_RIGHTS = Rule(
    "FER525",
    "memory-not-writable",
    """Activations were sent to a memory that cannot be written at run time.

Activations change with every run; flash and read-only windows hold constants alone.

Example: `--memory activations=octoFlash`.

Cure: name a RAM for `activations`; flash may hold `weights`.
""",
)
LIMIT_ABOVE = Rule(
    "FER526",
    "limit-above-target",
    """The limit that was given is larger than what the target has; the target's own size counts.

Example: `--target stm32h743 --ram 4M`.

Cure: leave the option out; or describe your board's external memory in a TOML file and give it as
`--target board.toml`; or take a memory of the target that is not used by itself: `--memory activations=NAME`.
""",
)

RULES = (UNKNOWN_TARGET, TARGET_FILE, TARGET_FORM, UNKNOWN_MEMORY, MEMORY_RIGHTS, LIMIT_ABOVE)
