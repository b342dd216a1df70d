"""Operators that pick, place, choose and fold, against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ferrule.program.op import OpError
from tests.oracles.onnx_node import compare, read_node, reference_node

quick = settings(max_examples=20, deadline=None, derandomize=True)


def ints(*values: int) -> np.ndarray:
    """A vector of indices."""
    return np.asarray(values, np.int64)


def ramp(*shape: int, dtype: type = np.float32) -> np.ndarray:
    """Distinct values."""
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


@quick
@given(st.data())
def test_gather(data: st.DataObject) -> None:
    """Any axis, any rank of indices, negative ones, constant or computed."""
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    length = shape[axis]
    where = data.draw(st.lists(st.integers(1, 3), max_size=2))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    index = rng.integers(-length, length, where).astype(data.draw(st.sampled_from([np.int64, np.int32])))
    constant = data.draw(st.sampled_from([[], [1], [0], [0, 1]]))
    compare("Gather", [ramp(*shape), index], {"axis": axis}, constant=constant)


def test_gather_of_evenly_spaced_indices_is_a_slice() -> None:
    """So that it only carries bytes."""
    kinds = [op.kind for op in read_node("Gather", [ramp(6, 2), ints(4, 2, 0)], {"axis": 0}, 17, constant=[1]).ops]
    assert kinds == ["slice"]


def test_gather_outside() -> None:
    """A constant index beyond the axis is refused."""
    with pytest.raises(OpError, match="outside"):
        reference_node("Gather", [ramp(3), ints(3)], {}, 17, constant=[1])


def test_gather_elements() -> None:
    """Constant indices."""
    rng = np.random.default_rng(0)
    for axis in (0, 1, -1):
        length = (4, 3, 5)[axis]
        compare("GatherElements", [ramp(4, 3, 5), rng.integers(-length, length, (2, 3, 5) if axis else (6, 3, 5))],
                {"axis": axis}, constant=[1])  # fmt: skip


def test_gather_nd() -> None:
    """With and without batch axes."""
    compare("GatherND", [ramp(2, 3, 4), np.asarray([[0, 1], [-1, 2]])], constant=[1])
    compare("GatherND", [ramp(2, 3, 4), np.asarray([[[0, 1, 2]], [[1, -1, 0]]])], constant=[1])
    compare("GatherND", [ramp(2, 3, 4), np.asarray([[1], [-1]])], {"batch_dims": 1}, constant=[1])


@quick
@given(st.data())
def test_where(data: st.DataObject) -> None:
    """All three broadcast."""
    full = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))

    def part() -> list[int]:
        return [d if data.draw(st.booleans()) else 1 for d in full[data.draw(st.integers(0, len(full))) :]]

    compare("Where", [rng.integers(0, 2, part()).astype(bool), ramp(*part()), -ramp(*part())])


TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9}


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_cast(source: str, target: str) -> None:
    """Every pair; floats within the target's range, integers beyond it."""
    if source == "float32":
        values = np.asarray(
            [0, -0.0, 0.5, 1.5, 2.999, 100.7, 3] + ([-1.9, -100.2] if target[0] != "u" else []), np.float32
        )
    else:
        values = np.asarray([0, 1, 2, 77, 127, -1, -128, 300, 70000, 2**31, -(2**40)]).astype(source)
    compare("Cast", [values], {"to": TYPES[target]})


def test_cast_saturates() -> None:
    """Beyond the range, where onnxruntime is undefined."""
    x = np.asarray([1e10, -1e10, 1e30, -1e30, np.nan, np.inf], np.float32)
    (got,) = reference_node("Cast", [x], {"to": TYPES["int32"]}, 17)
    assert got.tolist() == [2**31 - 1, -(2**31), 2**31 - 1, -(2**31), 0, 2**31 - 1]
    (got,) = reference_node("Cast", [x], {"to": TYPES["int64"]}, 17)
    assert got.tolist() == [10**10, -(10**10), 2**63 - 1, -(2**63), 0, 2**63 - 1]


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "min", "max"])
def test_scatter(reduction: str) -> None:
    """Elements and slices, negative indices, repeated ones."""
    rng = np.random.default_rng(1)
    updates = rng.standard_normal((2, 3)).astype(np.float32)
    x = rng.standard_normal((4, 3)).astype(np.float32)
    index = np.asarray([[0, 1, -1], [2, 1, 3]] if reduction != "none" else [[0, 1, -1], [2, 0, 2]])
    compare("ScatterElements", [x, index, updates], {"axis": 0, "reduction": reduction}, opset=18, constant=[1],
            tolerance=1e-6)  # fmt: skip
    index = np.asarray([[1], [1]] if reduction != "none" else [[-1], [0]])
    compare("ScatterND", [x, index, updates], {"reduction": reduction}, opset=18, constant=[1], tolerance=1e-6)


def test_one_hot() -> None:
    """Any axis; indices beyond the depth mark nothing."""
    values = np.asarray([2, 5], np.float32)
    for axis in (-1, 0, 1):
        compare("OneHot", [np.asarray([[0, 3], [-1, 9]]), np.asarray(4), values], {"axis": axis}, constant=[1, 2])
    compare("OneHot", [np.asarray([1, 2], np.float32), np.asarray(3.0, np.float32), values], constant=[1, 2])


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_cumsum(exclusive: int, reverse: int) -> None:
    """Float and integer, any axis."""
    for dtype in (np.float32, np.int32, np.int64):
        x = np.random.default_rng(0).integers(-9, 9, (2, 3, 4)).astype(dtype)
        for axis in (0, 1, -1):
            given_attributes = {"exclusive": exclusive, "reverse": reverse}
            compare("CumSum", [x, np.asarray(axis)], given_attributes, opset=14, constant=[1], tolerance=1e-6)


def test_trilu() -> None:
    """Both triangles, diagonals beyond the matrix."""
    for upper in (0, 1):
        for k in (-9, -1, 0, 2, 9):
            compare("Trilu", [ramp(2, 3, 4) + 1, np.asarray(k)], {"upper": upper}, constant=[1])
        compare("Trilu", [ramp(3, 3) + 1], {"upper": upper})


def test_reverse_sequence() -> None:
    """Either order of axes."""
    compare("ReverseSequence", [ramp(4, 3, 2), ints(1, 4, 2)], {"time_axis": 0, "batch_axis": 1})
    compare("ReverseSequence", [ramp(3, 4, 2), ints(1, 4, 2)], {"time_axis": 1, "batch_axis": 0})


def test_folded() -> None:
    """Values that are known once shapes are."""
    compare("Shape", [ramp(2, 3, 4)])
    compare("Shape", [ramp(2, 3, 4)], {"start": -2, "end": 3})
    compare("Size", [ramp(2, 3)])
    compare("ConstantOfShape", [ints(2, 3)], {"value": np.asarray([7], np.int32)}, constant=[0])
    compare("ConstantOfShape", [ints(2, 3)], constant=[0])
    compare("Range", [np.asarray(2), np.asarray(11), np.asarray(3)], constant=[0, 1, 2])
    compare("Range", [np.asarray(v, np.float32) for v in (5, 1, -0.75)], constant=[0, 1, 2])
    compare("EyeLike", [ramp(3, 4)], {"k": 1, "dtype": 7})
    compare("NonZero", [np.asarray([[1, 0, 2], [0, 0, 3]])], constant=[0])
    with pytest.raises(OpError, match="run time"):
        reference_node("NonZero", [ramp(3)], {}, 17)
