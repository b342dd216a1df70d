"""What can go wrong when C is built and executed."""

from __future__ import annotations

from ferrule.diagnostics import Rule

NO_COMPILER = Rule(
    "FER601",
    "no-c-compiler",
    """No C compiler was found to build the generated code for the host.

Ferrule looks at the environment variable CC, then for `cc`, `gcc`, `clang`, then for the Python package `ziglang`,
which brings a complete compiler.

Example: a machine with Python alone, where `ziglang` was removed.

Cure: `pip install ziglang`, or install gcc or clang. Where CC names a program that does not exist, unset it.
""",
)
TOOL_FAILED = Rule(
    "FER602",
    "tool-failed",
    """A tool that Ferrule called ended with an error.

The finding shows the tool, its exit code, the whole command and the last lines it printed.

Example: a compiler that rejects a flag of an old version.

Cure: run the shown command by hand; `--keep FOLDER` keeps the intermediate files.
""",
)
RUN_FAILED = Rule(
    "FER603",
    "run-failed",
    """The compiled network did not finish its run.

It crashed, or it found its arena overwritten outside its bounds. That is a fault of Ferrule or of the machine, not of
the model.

Example: exit code 97 of the test program: a guard zone around the arena was touched.

Cure: please report it with the model file.
""",
)
NO_CROSS_COMPILER = Rule(
    "FER604",
    "no-cross-compiler",
    """The compiler that builds for the target's core is not on this machine.

The C itself does not need it: `generate` and `deploy` work without, and `run` and `validate` execute on the host. Only
execution on an emulated core (`--on target`) builds for the target.

Example: `ferrule validate build/ --on target` for a Cortex-M7 without `arm-none-eabi-gcc`.

Cure: install the package that the finding names, or leave `--on target` out.
""",
)
NO_EMULATOR = Rule(
    "FER605",
    "no-emulator",
    """The emulator for the target's core is not on this machine.

Only execution on an emulated core (`--on target`) needs it.

Example: `ferrule validate build/ --on target` without QEMU.

Cure: install the package that the finding names, or leave `--on target` out.
""",
)
NO_DEMO_DATA = Rule(
    "FER620",
    "demo-data-missing",
    """The demonstration's model and data are not here.

They lie in the folder `examples/unet` of Ferrule's source; an installed package does not carry them.

Example: `ferrule demo` from a wheel, outside a checkout.

Cure: run it in a checkout, or set FERRULE_EXAMPLES to a folder that holds `unet/`.
""",
)
RULES = (NO_DEMO_DATA, NO_COMPILER, TOOL_FAILED, RUN_FAILED, NO_CROSS_COMPILER, NO_EMULATOR)
