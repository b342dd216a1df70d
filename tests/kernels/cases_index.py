"""Drawn picks, scatters, choices and casts for the band law."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ferrule.ops.arg_extreme import ArgExtreme
from ferrule.ops.cast import Cast
from ferrule.ops.cumsum import CumSum
from ferrule.ops.gather import Gather
from ferrule.ops.one_hot import OneHot
from ferrule.ops.reverse_sequence import ReverseSequence
from ferrule.ops.scatter import REDUCTIONS, Scatter
from ferrule.ops.top_k import TopK
from ferrule.ops.trilu import Trilu
from ferrule.ops.where import Where
from ferrule.program.build import Builder
from ferrule.program.tensor import DType
from tests.kernels.band_law import Case
from tests.kernels.cases_movement import DTYPES, one, shapes, values_of

INDEX = (DType.INT32, DType.INT64)


class Draft:
    """A program of one op in the making; any input may turn out constant."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        self.build = Builder("case")
        self.values: dict[str, np.ndarray] = {}

    def add(self, value: np.ndarray, *, constant: bool | None = None) -> str:
        """Make a value an input or a constant."""
        constant = self.draw(st.booleans()) if constant is None else constant
        name = f"x{len(self.build.tensors)}"
        if constant:
            return self.build.constant(value, name)
        self.values[name] = value
        return self.build.input(name, value.shape, DType.of(value))

    def done(self, outputs: tuple[str, ...]) -> Case:
        """The case."""
        return Case(self.build.finish(outputs), self.values)


@st.composite
def gather(draw: st.DrawFn) -> Case:
    """Any axis, batch axes, any rank of indices, also beyond the axis."""
    draft, shape = Draft(draw), draw(shapes(max_rank=5, most=100))
    axis = draw(st.integers(0, len(shape) - 1))
    batch = draw(st.integers(0, axis))
    where = (*shape[:batch], *draw(st.lists(st.integers(1, 3), max_size=2)))
    index = draft.rng.integers(-shape[axis] - 1, shape[axis] + 1, where).astype(draw(st.sampled_from(INDEX)).numpy)
    x = draft.add(values_of(draft.rng, shape, draw(st.sampled_from(DTYPES))))
    return draft.done(draft.build.emit(Gather, (x, draft.add(index)), name="op", axis=axis, batch=batch))


@st.composite
def where(draw: st.DrawFn) -> Case:
    """Three tensors of any rank that broadcast."""
    draft, full, dtype = Draft(draw), draw(shapes(most=200)), draw(st.sampled_from(DTYPES))

    def part() -> tuple[int, ...]:
        return tuple(d if draw(st.booleans()) else 1 for d in full[draw(st.integers(0, len(full))) :])

    mask = draft.add(draft.rng.integers(0, 2, part()).astype(bool))
    first = full if draw(st.booleans()) else part()
    names = (mask, draft.add(values_of(draft.rng, first, dtype)), draft.add(values_of(draft.rng, part(), dtype)))
    return draft.done(draft.build.emit(Where, names, name="op"))


@st.composite
def cast(draw: st.DrawFn) -> Case:
    """Every pair of types, with the ends of each range and what is no number."""
    draft, shape = Draft(draw), draw(shapes(max_rank=4, most=100))
    source, target = draw(st.sampled_from(tuple(DType)[:7])), draw(st.sampled_from(tuple(DType)[:7]))
    value = values_of(draft.rng, shape, source)
    if source.is_float:
        special = [
            0.5,
            -0.5,
            127.9,
            128,
            -129,
            255.5,
            256,
            2.0**31,
            -(2.0**31),
            2.0**63,
            -(2.0**63),
            1e30,
            np.nan,
            np.inf,
        ]
        value = np.where(draft.rng.random(shape) < 0.5, draft.rng.choice(special, shape), value * 100).astype(
            np.float32
        )
    elif draw(st.booleans()):
        value = draft.rng.integers(0, 3, shape).astype(source.numpy)
    return draft.done(draft.build.emit(Cast, (draft.add(value, constant=False),), name="op", dtype=target.value))


@st.composite
def scatter(draw: st.DrawFn) -> Case:
    """Every reduction, repeated indices."""
    draft, reduction = Draft(draw), draw(st.sampled_from(REDUCTIONS))
    slices, inner, count = (draw(st.integers(1, 6)) for _ in range(3))
    dtype = draw(
        st.sampled_from(DTYPES if reduction == "none" else (DType.FLOAT32, DType.INT8, DType.INT32, DType.INT64))
    )
    index = draft.rng.integers(-slices, slices, count).astype(draw(st.sampled_from(INDEX)).numpy)
    x = draft.add(values_of(draft.rng, (slices, inner), dtype))
    names = (x, draft.add(index), draft.add(values_of(draft.rng, (count, inner), dtype)))
    return draft.done(draft.build.emit(Scatter, names, name="op", reduction=reduction))


@st.composite
def one_hot(draw: st.DrawFn) -> Case:
    """Any axis and type."""
    draft, shape = Draft(draw), draw(shapes(max_rank=4, most=40))
    depth, dtype = draw(st.integers(1, 5)), draw(st.sampled_from(DTYPES))
    index = draft.rng.integers(-depth - 1, depth + 1, shape).astype(draw(st.sampled_from(INDEX)).numpy)
    axis = draw(st.integers(0, len(shape)))
    numbers = {"axis": axis, "depth": depth, "dtype": dtype.value, "on": 3.0, "off": -2.0}
    name = draft.add(index, constant=False)
    return draft.done(draft.build.emit(OneHot, (name,), name="op", negative=draw(st.booleans()), **numbers))


@st.composite
def cumsum(draw: st.DrawFn) -> Case:
    """Any axis, either direction."""
    draft, shape = Draft(draw), draw(shapes(most=100))
    value = values_of(draft.rng, shape, draw(st.sampled_from((DType.FLOAT32, DType.INT32, DType.INT64))))
    flags = {"exclusive": draw(st.booleans()), "reverse": draw(st.booleans())}
    name, axis = draft.add(value, constant=False), draw(st.integers(0, len(shape) - 1))
    return draft.done(draft.build.emit(CumSum, (name,), name="op", axis=axis, **flags))


@st.composite
def trilu(draw: st.DrawFn) -> Case:
    """Either triangle, any diagonal."""
    return one(draw, Trilu, draw(shapes(min_rank=2)), upper=draw(st.booleans()), diagonal=draw(st.integers(-6, 6)))


@st.composite
def reverse_sequence(draw: st.DrawFn) -> Case:
    """Any two axes, lengths beyond the axis."""
    draft, shape = Draft(draw), draw(shapes(min_rank=2, max_rank=5, most=100))
    time, batch = draw(st.permutations(range(len(shape))))[:2]
    lengths = draft.rng.integers(-1, shape[time] + 2, shape[batch]).astype(draw(st.sampled_from(INDEX)).numpy)
    x = draft.add(values_of(draft.rng, shape, draw(st.sampled_from(DTYPES))))
    return draft.done(draft.build.emit(ReverseSequence, (x, draft.add(lengths)), name="op", time=time, batch=batch))


def few(draw: st.DrawFn, draft: Draft, shape: tuple[int, ...]) -> np.ndarray:
    """Values of any type with many equals."""
    dtype = draw(st.sampled_from((DType.FLOAT32, DType.INT8, DType.UINT8, DType.INT16, DType.INT32, DType.INT64)))
    value = draft.rng.integers(0 if dtype is DType.UINT8 else -3, 4, shape).astype(dtype.numpy)
    if dtype.is_float and draw(st.booleans()):
        value = np.where(draft.rng.random(shape) < 0.2, np.float32(np.inf), value)
    return value


@st.composite
def arg_extreme(draw: st.DrawFn) -> Case:
    """Any axis, with equals."""
    draft, shape = Draft(draw), draw(shapes(most=150))
    x, axis = draft.add(few(draw, draft, shape), constant=False), draw(st.integers(0, len(shape) - 1))
    flags = {name: draw(st.booleans()) for name in ("largest", "last", "keep")}
    dtype = draw(st.sampled_from(["int32", "int64"]))
    return draft.done(draft.build.emit(ArgExtreme, (x,), name="op", axis=axis, dtype=dtype, **flags))


@st.composite
def top_k(draw: st.DrawFn) -> Case:
    """Any axis, with equals."""
    draft, shape = Draft(draw), draw(shapes(max_rank=4, most=100))
    x, axis = draft.add(few(draw, draft, shape), constant=False), draw(st.integers(0, len(shape) - 1))
    count, dtype = draw(st.integers(1, shape[axis])), draw(st.sampled_from(["int32", "int64"]))
    largest = draw(st.booleans())
    return draft.done(draft.build.emit(TopK, (x,), name="op", axis=axis, count=count, largest=largest, dtype=dtype))


CASES = {
    "fr_arg_extreme": arg_extreme(),
    "fr_top_k": top_k(),
    "fr_gather_slices": gather(),
    "fr_where": where(),
    "fr_cast": cast(),
    "fr_scatter": scatter(),
    "fr_one_hot": one_hot(),
    "fr_cumsum": cumsum(),
    "fr_trilu": trilu(),
    "fr_reverse_sequence": reverse_sequence(),
}
