"""The demonstration: a U-Net from file to verified C."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ferrule.diagnostics import Refusal
from ferrule.run.findings import NO_DEMO_DATA

TARGET = "stm32n6570-dk"
COLORS = np.array([[40, 44, 52], [224, 108, 117], [152, 195, 121], [97, 175, 239], [229, 192, 123], [198, 120, 221]])
SHOWN, ENLARGE = 6, 2


def example_folder() -> Path:
    """Where the demonstration's files lie; Refusal FER620."""
    named = os.environ.get("FERRULE_EXAMPLES")
    roots = [Path(named)] if named else [Path("examples"), Path(__file__).resolve().parents[2] / "examples"]
    for root in roots:
        if (root / "unet" / "unet.onnx").is_file():
            return root / "unet"
    raise Refusal(NO_DEMO_DATA.at("model", "the demonstration's model and data were not found", stage="demo"))


def run_demo(output: Path, out: Callable[[str], None]) -> int:
    """Deploy the U-Net, print what holds, draw a picture; 0 only if every comparison and the accuracy hold."""
    from ferrule import verbs
    from ferrule.report.summary import interface_lines, memory_line, validation_line
    from ferrule.request import Request

    folder = example_folder()
    request = Request(
        folder / "unet.onnx",
        target=TARGET,
        calibration=folder / "calibration.npz",
        input_spec=folder / "input.toml",
        metric="miou",
        labels=folder / "masks.npz",
        max_drop=0.5,
        output=output,
    )
    out(f"ferrule deploy {request.model} --target {TARGET} --calibration {request.calibration} \\")
    out(f"  --input-spec {request.input_spec} --inputs {folder / 'images.npz'} \\")
    out(f"  --metric miou --labels {request.labels} --max-drop 0.5 -o {output}")
    outcome = verbs.deploy(request, folder / "images.npz", out)
    record = outcome.record
    for line in (*interface_lines(record), *(validation_line(e) for e in record["validation"])):
        out(line)
    for name, value in record["metric"].items():
        out(f"mIoU, {name}: {value:.4f}")
    out(memory_line(record, None, None))
    out(f"picture: {draw(request, folder, output)} (input, truth, the C's mask)")
    out(f"folder: {output}; " + ("all comparisons hold" if outcome.ok else "a comparison FAILED"))
    return 0 if outcome.ok else 1


def draw(request: object, folder: Path, output: Path) -> Path:
    """Input, truth and the C's mask of a few pictures, side by side, as PNG."""
    from PIL import Image

    from ferrule import verbs
    from ferrule.request import Request

    assert isinstance(request, Request)
    arrays, _ = verbs.run(request, folder / "images.npz", False)
    masks = next(iter(arrays.values())).argmax(-3).reshape(-1, 96, 96)
    with np.load(folder / "images.npz", allow_pickle=False) as images, np.load(folder / "masks.npz") as labels:
        pictures, truth = images["input"][:SHOWN], labels["masks"][:SHOWN]
    rows = [
        np.concatenate([pictures[i], COLORS[truth[i] % 6], COLORS[masks[i] % 6]], axis=1) for i in range(len(pictures))
    ]
    sheet = np.concatenate(rows).astype(np.uint8).repeat(ENLARGE, 0).repeat(ENLARGE, 1)
    path = output / "picture.png"
    Image.fromarray(sheet).save(path)
    return path
