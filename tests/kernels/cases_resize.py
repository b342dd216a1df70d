"""Drawn samplings for the band law."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ferrule.ops.resize import COORDINATES, QDQ_BITS, ROUNDINGS, TFLITE_BITS, Resize
from ferrule.program.build import Builder
from ferrule.program.fixed_point import Requant
from ferrule.program.tensor import DType, Quant
from tests.kernels.band_law import Case
from tests.kernels.cases_movement import DTYPES, values_of

ONNX = tuple(c for c in COORDINATES if not c.startswith("tflite"))
TFLITE = tuple(c for c in COORDINATES if c.startswith("tflite"))


@st.composite
def resize(draw: st.DrawFn, mode: str, integer: bool) -> Case:
    """Up and down, any coordinates; 1-D or 2-D, several images."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spatial, build = draw(st.sampled_from([1, 2])), Builder("case")
    shape = (draw(st.integers(1, 2)), *(draw(st.integers(1, 5)) for _ in range(spatial)), draw(st.integers(1, 4)))
    sizes = tuple(draw(st.integers(1, 9)) for _ in range(spatial))
    scheme = draw(st.sampled_from(["tflite", "single", "none"] if mode == "nearest" else ["tflite", "single"]))
    attributes: dict[str, object] = {"coordinates": draw(st.sampled_from(TFLITE if scheme == "tflite" else ONNX))}
    dtype, quant = draw(st.sampled_from(DTYPES)) if mode == "nearest" else DType.FLOAT32, None
    if integer or (mode == "nearest" and scheme == "single"):
        dtype, quant = DType.INT8, Quant.per_tensor(0.1, int(rng.integers(-128, 128)))
        if mode == "linear":
            attributes["bits"] = TFLITE_BITS if scheme == "tflite" else QDQ_BITS
        if scheme == "single":
            attributes["requant"] = Requant.of(rng.uniform(0.3, 2.5), "single")
    if mode == "cubic":
        attributes["exclude_outside"] = draw(st.booleans())
    x = build.input("x", shape, dtype, quant)
    outputs = build.emit(
        Resize,
        (x,),
        name="op",
        quant=None if quant is None else Quant.per_tensor(0.1, int(rng.integers(-128, 128))),
        mode=mode,
        sizes=sizes,
        scales=tuple(o / i for o, i in zip(sizes, shape[1:-1], strict=True)),
        rounding=draw(st.sampled_from(ROUNDINGS)),
        **attributes,  # type: ignore[arg-type]
    )
    return Case(build.finish(outputs), {"x": values_of(rng, shape, dtype)})


CASES = {
    "fr_resize_nearest": resize("nearest", False),
    "fr_resize_s8": resize("linear", True),
    "fr_resize_f32": st.one_of(resize("linear", False), resize("cubic", False)),
}
