"""Samples for a model's inputs, from any source."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ferrule.data.arrays import existing, read_bin, read_csv, read_npy, read_npz, refuse
from ferrule.data.findings import (
    CHANNELS_LAST,
    CONVERTED,
    DESCRIPTION,
    EMPTY,
    NAMES,
    NO_DESCRIPTION,
    NOT_FINITE,
    NOT_READ,
    OTHER_NAME,
    SHAPE,
    TYPE,
)
from ferrule.data.pictures import is_picture, pictures_in, read_pictures
from ferrule.diagnostics import Finding, Level, Refusal
from ferrule.program.input_spec import InputSpec, InputSpecError, starting_point

Array = npt.NDArray[Any]
Interface = Sequence[tuple[str, tuple[int, ...], npt.DTypeLike]]
"""Name, shape with batch axis, and element type of each input."""


def load_samples(
    path: Path,
    interface: Interface,
    spec: InputSpec | None = None,
    samples: int | None = None,
    seed: int = 0,
    *,
    dtype: str | None = None,
    notes: list[Finding] | None = None,
) -> dict[str, Array]:
    """Return the samples of each input by name, `[N, *shape]` in the input's type.

    `path` is an .npz, .npy, .csv or .bin file (`dtype`: its element type), a picture or a folder of pictures, for which
    `spec` describes how pixels become values; uint8 arrays of pixels are treated by it as well. `samples` draws so
    many, evenly over the data, by `seed`. Findings that do not stop go to `notes`. Refusal FER400 to FER412.
    """
    said: list[Finding] = [] if notes is None else notes
    existing(path)
    ending = path.suffix.lower()
    if path.is_dir() or is_picture(path):
        return _from_pictures(path, interface, spec, samples, seed)
    if ending == ".npz":
        given = _by_name(read_npz(path), interface, path, said)
    elif ending in (".npy", ".csv", ".bin"):
        name, shape, kind = _only(interface, path)
        if ending == ".npy":
            array = read_npy(path)
        elif ending == ".csv":
            array = read_csv(path, math.prod(shape)).reshape(-1, *shape)
            if np.dtype(kind).kind in "iu" and (array == np.rint(array)).all():
                array = array.astype(np.int64)  # a table of whole numbers, which text does not tell from floats
        else:
            array = read_bin(path, shape, dtype or np.dtype(kind).name)
        given = {name: array}
    else:
        raise refuse(NOT_READ, f"`{path}` ends in {ending or 'nothing'}; .npz, .npy, .csv, .bin and pictures are read")
    problems: list[Finding] = []
    fitted: dict[str, Array] = {}
    for name, shape, kind in interface:
        try:
            fitted[name] = fit(name, given[name], shape, np.dtype(kind), spec, said)
        except Refusal as refusal:
            problems += refusal.findings
    if problems:
        raise Refusal(*problems)
    counts = {name: len(a) for name, a in fitted.items()}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"`{n}` {c}" for n, c in counts.items())
        raise refuse(SHAPE, f"the inputs have different numbers of samples: {told}")
    index = draw(next(iter(counts.values()), 0), samples, seed)
    return fitted if index is None else {name: a[index] for name, a in fitted.items()}


def draw(count: int, wanted: int | None, seed: int) -> Array | None:
    """Indices of `wanted` of `count` samples: one from each of as many equal stretches; None means all."""
    if wanted is None or wanted >= count:
        return None
    edges = np.linspace(0, count, max(wanted, 1) + 1).astype(np.int64)
    offsets = np.random.default_rng(seed).random(len(edges) - 1)
    return edges[:-1] + (offsets * np.diff(edges)).astype(np.int64)


def _only(interface: Interface, path: Path) -> tuple[str, tuple[int, ...], npt.DTypeLike]:
    if len(interface) != 1:
        names = ", ".join(f"`{n}`" for n, _, _ in interface)
        cure = f"numpy.savez('samples.npz', {', '.join(f'{n}=...' for n, _, _ in interface)})"
        raise refuse(NAMES, f"`{path}` holds one array, and the model has {len(interface)} inputs: {names}", cure)
    return interface[0]


def _by_name(held: dict[str, Array], interface: Interface, path: Path, said: list[Finding]) -> dict[str, Array]:
    wanted = [name for name, _, _ in interface]
    missing = [name for name in wanted if name not in held]
    if not missing:
        unused = [name for name in held if name not in wanted]
        if unused:
            text = f"`{path}` also holds {', '.join(f'`{n}`' for n in unused)}, which no input is called"
            said.append(OTHER_NAME.at("model", text, level=Level.NOTE, stage="data"))
        return held
    if len(wanted) == 1 and len(held) == 1:
        (other, array), (name, shape, _) = next(iter(held.items())), interface[0]
        if _as_samples(array, shape) is not None or _is_channels_last(array, shape):
            text = f"`{path}` holds `{other}`, taken for `{name}`"
            said.append(OTHER_NAME.at(f"input:{name}", text, level=Level.NOTE, stage="data"))
            return {name: array}
    findings = []
    for name in missing:
        close = difflib.get_close_matches(name, list(held), 1, 0.6)
        listed = ", ".join(f"`{n}` {list(a.shape)}" for n, a in list(held.items())[:8])
        cure = f"numpy.savez('samples.npz', **{{{name!r}: array}})" + (f"  (is it `{close[0]}`?)" if close else "")
        text = f"`{path}` has no array `{name}`; it holds {listed}"
        findings.append(NAMES.at(f"input:{name}", text, stage="data", help=[cure]))
    raise Refusal(*findings)


def _as_samples(array: Array, shape: tuple[int, ...]) -> Array | None:
    if array.ndim == len(shape) + 1 and array.shape[1:] == shape:
        return array
    if shape[:1] == (1,) and array.ndim == len(shape) and array.shape[1:] == shape[1:]:
        return array[:, None]
    return None


def _is_channels_last(array: Array, shape: tuple[int, ...]) -> bool:
    if len(shape) != 4 or array.ndim not in (4, 5):
        return False
    channels, height, width = shape[1:]
    return array.shape[-3:] == (height, width, channels) and channels in (1, 3, 4)


def fit(
    name: str, array: Array, shape: tuple[int, ...], dtype: np.dtype[Any], spec: InputSpec | None, said: list[Finding]
) -> Array:
    """One input's samples in its shape and type; Refusal FER403 to FER406, FER411, FER412."""
    where = f"input:{name}"
    if spec is not None and spec.source == "image" and array.dtype == np.uint8 and array.ndim >= 3:
        array = described(name, array, shape, dtype, spec)
    ordered = _as_samples(array, shape)
    if ordered is None and _is_channels_last(array, shape):
        text = f"the samples of `{name}` are {list(array.shape)}, channels last; the input is {list(shape)}"
        cure = ["--input-spec input.toml (ferrule explain FER412)", "or save x.transpose(0, 3, 1, 2).astype('float32')"]
        raise refuse(CHANNELS_LAST, text, *cure, node=where)
    if ordered is None:
        batchless = f" or [N{''.join(f', {d}' for d in shape[1:])}]" if shape[:1] == (1,) else ""
        text = (
            f"the samples of `{name}` are {list(array.shape)}; wanted [N{''.join(f', {d}' for d in shape)}]{batchless}"
        )
        raise refuse(SHAPE, text, node=where)
    if ordered.shape[0] == 0:
        raise refuse(EMPTY, f"there are no samples of `{name}`", node=where)
    return _cast(name, ordered, dtype, said)


def _cast(name: str, array: Array, dtype: np.dtype[Any], said: list[Finding]) -> Array:
    where = f"input:{name}"
    if array.dtype.kind not in "fiub":
        raise refuse(TYPE, f"the samples of `{name}` are of type {array.dtype}; the input is {dtype}", node=where)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        bad = int(np.flatnonzero(~np.isfinite(array).reshape(len(array), -1).all(1))[0])
        raise refuse(NOT_FINITE, f"sample {bad} of `{name}` holds NaN or infinity", node=where)
    if array.dtype == dtype:
        return np.ascontiguousarray(array)
    floats = array.dtype.kind == dtype.kind == "f"
    with np.errstate(over="ignore", invalid="ignore"):
        cast = array.astype(dtype)
    exact = bool(np.isfinite(cast).all()) if floats else array.dtype.kind != "f" and bool((cast == array).all())
    if not exact:
        text = f"the samples of `{name}` are {array.dtype} and cannot become {dtype} without loss"
        raise refuse(TYPE, text, node=where)
    if dtype.kind == "f" and not floats:
        text = f"the samples of `{name}` are {array.dtype}, from {array.min()} to {array.max()}, taken as they are"
        said.append(CONVERTED.at(where, text, level=Level.NOTE, stage="data"))
    return np.ascontiguousarray(cast)


def described(name: str, pixels: Array, shape: tuple[int, ...], dtype: np.dtype[Any], spec: InputSpec) -> Array:
    """Pixels `[N, H, W, C]` (or `[N, H, W]`, `[N, 1, H, W, C]`) as the description says, `[N, *shape]`."""
    where = f"input:{name}"
    if pixels.ndim == 3 and spec.color_file == "grey":
        pixels = pixels[..., None]
    if pixels.ndim == 5 and pixels.shape[1] == 1:
        pixels = pixels[:, 0]
    if pixels.ndim != 4:
        return pixels
    try:
        values = spec.tensor(pixels, dtype)
    except InputSpecError as error:
        raise refuse(
            DESCRIPTION, f"the input description does not fit the samples of `{name}`: {error}", node=where
        ) from None
    if shape[:1] != (1,) or values.shape[1:] != shape[1:]:
        text = f"described so, a sample of `{name}` is {[1, *values.shape[1:]]}; the input is {list(shape)}"
        raise refuse(DESCRIPTION, text, "correct width, height, color and layout in the description", node=where)
    return values[:, None]


def _from_pictures(
    path: Path, interface: Interface, spec: InputSpec | None, samples: int | None, seed: int
) -> dict[str, Array]:
    files = pictures_in(path)
    if len(interface) != 1:
        raise refuse(NAMES, f"`{path}` holds pictures for one input, and the model has {len(interface)}")
    name, shape, dtype = interface[0]
    if spec is None:
        start = starting_point(shape).to_toml()
        raise Refusal(
            NO_DESCRIPTION.at(
                f"input:{name}",
                f"how the {len(files)} pictures of `{path}` become `{name}` {list(shape)} is not described",
                stage="data",
                notes=["nothing about pixels is guessed; a description to start from:", *start.splitlines()],
                help=["save it as input.toml, correct it to what training did, and add --input-spec input.toml"],
            )
        )
    index = draw(len(files), samples, seed)
    chosen = files if index is None else [files[i] for i in index]
    return {name: described(name, read_pictures(chosen, spec), shape, np.dtype(dtype), spec)}
