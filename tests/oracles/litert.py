"""Runs a TFLite file with LiteRT's reference kernels."""

from __future__ import annotations

import numpy as np


def interpreter(model: bytes):  # type: ignore[no-untyped-def]
    """An interpreter with the reference kernels that keeps every tensor."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    made = Interpreter(
        model_content=model,
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
        experimental_preserve_all_tensors=True,
        num_threads=1,
    )
    made.allocate_tensors()
    return made


def run(made, inputs: list[np.ndarray]) -> list[np.ndarray]:  # type: ignore[no-untyped-def]
    """Outputs in the file's order for one set of inputs in the file's order."""
    for detail, value in zip(made.get_input_details(), inputs, strict=True):
        made.set_tensor(detail["index"], value)
    made.invoke()
    return [made.get_tensor(d["index"]) for d in made.get_output_details()]


def tensors(made) -> dict[int, np.ndarray]:  # type: ignore[no-untyped-def]
    """Every tensor that LiteRT exposes after a run, by its index in the file."""
    found = {}
    for detail in made.get_tensor_details():
        try:
            found[detail["index"]] = made.get_tensor(detail["index"])
        except ValueError:
            continue
    return found
