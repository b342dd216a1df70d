"""Arrays in .npz, .npy, .csv and .bin files, read safely."""

from __future__ import annotations

import csv
import io
import math
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ferrule.data.findings import EMPTY, NOT_FOUND, NOT_READ, PICKLED, TOO_LARGE, TYPE
from ferrule.diagnostics import Refusal, Rule

Array = npt.NDArray[Any]
LARGEST_BYTES = 1 << 31
"""Most bytes that one file's arrays may take together."""
BROKEN = (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error, SyntaxError, KeyError, NotImplementedError,
          RuntimeError, OverflowError, TypeError)  # fmt: skip
"""What zipfile and numpy raise on damaged bytes."""


def refuse(rule: Rule, message: str, *cure: str, node: str = "model") -> Refusal:
    """A Refusal with one finding of the data stage."""
    return Refusal(rule.at(node, message, stage="data", help=cure))


def existing(path: Path) -> Path:
    """The path, if something readable is there; Refusal FER400."""
    try:
        if path.exists():
            return path
    except (OSError, ValueError):
        pass
    raise refuse(NOT_FOUND, f"`{path}` does not exist")


def read_npz(path: Path) -> dict[str, Array]:
    """All arrays of an .npz by name; Refusal FER401, FER406, FER407, FER408."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [m for m in archive.infolist() if m.filename.endswith(".npy")]
            if not members:
                raise refuse(EMPTY, f"`{path}` holds no arrays")
            if sum(m.file_size for m in members) > LARGEST_BYTES:
                raise _too_large(path, sum(m.file_size for m in members))
            found: dict[str, Array] = {}
            for member in members:
                with archive.open(member) as file:
                    found[member.filename.removesuffix(".npy")] = _read_array(file, member.file_size, path)
            return found
    except BROKEN as error:
        raise refuse(NOT_READ, f"`{path}` is no readable .npz file: {_short(error)}") from None


def read_npy(path: Path) -> Array:
    """The array of an .npy file; Refusal FER401, FER407, FER408."""
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise _too_large(path, size)
        with path.open("rb") as file:
            return _read_array(file, size, path)
    except BROKEN as error:
        raise refuse(NOT_READ, f"`{path}` is no readable .npy file: {_short(error)}") from None


def _read_array(file: IO[bytes], size: int, path: Path) -> Array:
    """One array in NumPy's format of `size` bytes in all; the header is checked before memory is taken."""
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
        header = 10
    elif version == (2, 0):
        shape, fortran, dtype = np.lib.format.read_array_header_2_0(file)
        header = 12
    else:
        raise ValueError(f"version {version} of the format is not read")
    if dtype.hasobject:
        raise refuse(PICKLED, f"`{path}` holds Python objects, which are not read")
    wanted = math.prod(shape) * dtype.itemsize
    if any(d < 0 for d in shape) or wanted > LARGEST_BYTES:
        raise _too_large(path, wanted)
    if wanted > size - header:
        raise ValueError(f"its header claims {wanted} bytes, and it holds {size}")
    data = file.read(wanted)
    if len(data) != wanted:
        raise ValueError(f"it ends {wanted - len(data)} bytes early")
    array = np.frombuffer(data, dtype)
    return array.reshape(shape[::-1]).T if fortran else array.reshape(shape)


def _too_large(path: Path, size: int) -> Refusal:
    return refuse(TOO_LARGE, f"the arrays of `{path}` would take {size} bytes; at most {LARGEST_BYTES} are read")


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__


def read_csv(path: Path, columns: int) -> Array:
    """Rows of numbers as float64 `[N, columns]`; a first line without numbers is a heading. Refusal FER401."""
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES // 8:
            raise _too_large(path, size)
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise refuse(NOT_READ, f"`{path}` is no text file: {_short(error)}") from None
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    rows: list[list[float]] = []
    for line, cells in enumerate(csv.reader(io.StringIO(text), delimiter=delimiter), 1):
        if not any(c.strip() for c in cells):
            continue
        try:
            numbers = [float(c) for c in cells]
        except ValueError:
            if line == 1:
                continue
            raise refuse(NOT_READ, f"line {line} of `{path}` holds something that is no number") from None
        if len(numbers) != columns:
            raise refuse(NOT_READ, f"line {line} of `{path}` has {len(numbers)} numbers; one sample has {columns}")
        rows.append(numbers)
    return np.asarray(rows, np.float64).reshape(len(rows), columns)


def read_bin(path: Path, shape: tuple[int, ...], dtype: str) -> Array:
    """Samples of raw little-endian values, one after the other, as `[N, *shape]`; Refusal FER401, FER404, FER408."""
    try:
        kind = np.dtype(dtype).newbyteorder("<")
    except TypeError:
        kind = np.dtype(object)
    if kind.hasobject or kind.kind not in "fiub":
        raise refuse(TYPE, f"`{dtype}` is no element type", "--dtype float32 (or int8, uint8, int16, int32, int64)")
    each = math.prod(shape) * kind.itemsize
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise _too_large(path, size)
        data = path.read_bytes()
    except OSError as error:
        raise refuse(NOT_FOUND, f"`{path}` cannot be read: {error.strerror}") from None
    if each == 0 or len(data) % each:
        raise refuse(
            NOT_READ, f"`{path}` has {len(data)} bytes, no multiple of a sample's {each} ({dtype} {list(shape)})"
        )
    return np.frombuffer(data, kind).reshape(-1, *shape).astype(kind.newbyteorder("="))
