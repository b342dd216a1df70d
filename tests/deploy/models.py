"""The shared models, and what to do with each."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ferrule.program.program import Program

SIZES = {"unet_bilinear_sized_op17.onnx": {"input": (1, 3, 96, 96)}}
"""Shapes for files with open dimensions."""
FAULTY = ("mbv2_keras_raw_unproduced_op13.onnx", "mbv2_keras_raw_nooutput_op13.onnx")


def tflite_files(shared: Path) -> list[Path]:
    """All TFLite files of the shared folder."""
    return sorted([*shared.glob("models/**/*.tflite"), *shared.glob("bench/**/*.tflite")])


def onnx_files(shared: Path) -> list[Path]:
    """All healthy ONNX files of models and fixtures."""
    found = [*shared.glob("models/**/*.onnx"), *shared.glob("fixtures/*.onnx")]
    return sorted(f for f in found if f.name not in FAULTY)


def drawn_inputs(program: Program, count: int, seed: int) -> dict[str, np.ndarray]:
    """Seeded samples that differ: smooth pictures of changing brightness, noise, and two extremes."""
    rng = np.random.default_rng(seed)
    found = {}
    for name in program.inputs:
        tensor = program.tensors[name]
        low, high = (-1.0, 1.0) if tensor.dtype.is_float else tensor.dtype.bounds
        rows = []
        for index in range(count):
            share = rng.random(tensor.shape)
            if index % 2:
                share = np.clip(rng.random() + 0.2 * (share - 0.5), 0, 1)
            if index == 0:
                share = np.zeros(tensor.shape)
            if index == 1:
                share = np.ones(tensor.shape)
            rows.append(low + share * (high - low))
        values = np.stack(rows)
        found[name] = (values if tensor.dtype.is_float else np.rint(values)).astype(tensor.dtype.numpy)
    return found
