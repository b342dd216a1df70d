"""Labels of samples, from any source."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ferrule.data.arrays import LARGEST_BYTES, existing, read_npy, read_npz, refuse
from ferrule.data.findings import LABELS, NOT_READ, PICTURE
from ferrule.diagnostics import Refusal
from ferrule.program.input_spec import InputSpec

Array = npt.NDArray[Any]
KINDS = {"top1": "labels", "miou": "masks", "map50": "boxes", "map50_95": "boxes"}
"""The kind of labels that a metric takes, which is also their name in an .npz."""
RANKS = {"labels": 1, "masks": 3, "boxes": 3}


def load_labels(path: Path, metric: str, *, pictures: Sequence[Path] = (), spec: InputSpec | None = None) -> Array:
    """Return the labels that `metric` takes, one row a sample, in the samples' order.

    `labels` int64 [N]; `masks` int64 [N, H, W]; `boxes` float32 [N, M, 5] as class, x1, y1, x2, y2 in pixels of the
    input, class -1 in empty rows. From an .npz (by these names), .npy, a CSV of labels (one column, or file name and
    label), a folder of PNG masks, a folder of YOLO text files, or a COCO file; the last four belong to `pictures`, and
    `spec` says how those were resized. Refusal FER400, FER401, FER407, FER408, FER415.
    """
    kind = KINDS.get(metric)
    if kind is None:
        raise refuse(LABELS, f"`{metric}` takes no labels; those that do: {', '.join(KINDS)}")
    existing(path)
    ending = path.suffix.lower()
    if ending in (".npz", ".npy"):
        return _checked(_array(path, kind, ending), kind, path)
    if kind == "labels" and ending == ".csv":
        return _classes(path, pictures)
    if kind == "masks" and path.is_dir():
        return _masks(path, pictures, spec)
    if kind == "boxes" and (path.is_dir() or ending == ".json"):
        found = _yolo(path, pictures, spec) if path.is_dir() else _coco(path, pictures, spec)
        return _rows(found)
    raise refuse(LABELS, f"`{path}` is no place for {kind}", f"numpy.savez('labels.npz', {kind}=...)")


def _array(path: Path, kind: str, ending: str) -> Array:
    if ending == ".npy":
        return read_npy(path)
    held = read_npz(path)
    if kind in held:
        return held[kind]
    raise refuse(LABELS, f"`{path}` has no array `{kind}`; it holds {', '.join(sorted(held))}")


def _checked(array: Array, kind: str, path: Path) -> Array:
    if array.ndim != RANKS[kind] or (kind == "boxes" and array.shape[-1] != 5) or array.dtype.kind not in "fiub":
        raise refuse(LABELS, f"the {kind} of `{path}` are {array.dtype} {list(array.shape)}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise refuse(LABELS, f"the {kind} of `{path}` hold NaN or infinity")
    if kind == "boxes":
        return array.astype(np.float32)
    if array.dtype.kind == "f" and (array != np.rint(array)).any():
        raise refuse(LABELS, f"the {kind} of `{path}` are no whole numbers")
    return array.astype(np.int64)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_BYTES // 8:
            raise refuse(LABELS, f"`{path}` is too long")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise refuse(NOT_READ, f"`{path}` is no text file") from None


def _classes(path: Path, pictures: Sequence[Path]) -> Array:
    rows = [[c.strip() for c in row] for row in csv.reader(io.StringIO(_text(path))) if any(c.strip() for c in row)]
    if rows and not _is_whole(rows[0][-1]):
        rows = rows[1:]
    for number, row in enumerate(rows, 1):
        if not _is_whole(row[-1]) or len(row) > 2:
            raise refuse(LABELS, f"row {number} of `{path}` is not `label` or `file,label`: {','.join(row)[:60]}")
    if all(len(row) == 1 for row in rows):
        return np.asarray([int(row[0]) for row in rows], np.int64)
    by_name = {row[0]: int(row[-1]) for row in rows}
    return np.asarray([by_name[_known(p, by_name, path)] for p in pictures], np.int64)


def _is_whole(text: str) -> bool:
    return text.lstrip("-").isdigit()


def _known(picture: Path, names: Mapping[str, object], path: Path) -> str:
    """The key of a picture: the longest end of its path that the labels know, else its stem."""
    parts = picture.parts
    for start in range(len(parts)):
        name = "/".join(parts[start:])
        if name in names:
            return name
    if picture.stem in names:
        return picture.stem
    raise refuse(LABELS, f"`{path}` has no label for `{picture.name}`")


def _masks(path: Path, pictures: Sequence[Path], spec: InputSpec | None) -> Array:
    from PIL import Image, UnidentifiedImageError

    files = {p.stem: p for p in sorted(path.rglob("*.png"))}
    masks = []
    for picture in pictures:
        file = files[_known(picture, files, path)]
        try:
            with Image.open(file) as image:
                size = (spec.width, spec.height) if spec is not None else None
                if size is not None and image.size != size:
                    if spec is None or spec.resize != "stretch":
                        raise refuse(LABELS, f"`{file}` is {image.size}, and the input {size}; save masks in its size")
                    image = image.resize(size, Image.Resampling.NEAREST)  # type: ignore[assignment,arg-type]
                masks.append(np.asarray(image))
        except (OSError, ValueError, SyntaxError, UnidentifiedImageError):
            raise refuse(PICTURE, f"`{file}` cannot be decoded") from None
    if not masks or len({m.shape for m in masks}) > 1 or masks[0].ndim != 2:
        raise refuse(LABELS, f"the masks of `{path}` are not single-channel pictures of one size")
    return np.stack(masks).astype(np.int64)


def _size(picture: Path) -> tuple[int, int]:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(picture) as image:
            return image.width, image.height
    except (OSError, ValueError, SyntaxError, UnidentifiedImageError, Image.DecompressionBombError):
        raise refuse(PICTURE, f"`{picture}` cannot be decoded") from None


def placed(boxes: Array, size: tuple[int, int], spec: InputSpec | None) -> Array:
    """Corners `[M, 4]` in pixels of a picture of `size` (width, height), in pixels of the input it was resized to."""
    if spec is None or spec.width is None or spec.height is None:
        return boxes
    wanted = np.asarray([spec.width, spec.height], np.float64)
    ratio = wanted / np.asarray(size, np.float64)
    if spec.resize != "stretch":
        ratio = np.full(2, ratio.min() if spec.resize == "letterbox" else ratio.max())
    inner = np.maximum(1, np.rint(np.asarray(size) * ratio)) if spec.resize != "stretch" else wanted
    shift = np.floor_divide(wanted - inner, 2)
    moved = boxes * np.tile(inner / np.asarray(size, np.float64), 2) + np.tile(shift, 2)
    return np.asarray(np.clip(moved, 0, np.tile(wanted, 2)))


def _yolo(path: Path, pictures: Sequence[Path], spec: InputSpec | None) -> list[Array]:
    files = {p.stem: p for p in sorted(path.rglob("*.txt"))}
    found = []
    for picture in pictures:
        file = files.get(picture.stem)
        lines = _text(file).splitlines() if file is not None else []  # no file: nothing in the picture
        try:
            rows = np.asarray([[float(v) for v in line.split()[:5]] for line in lines if line.strip()]).reshape(-1, 5)
        except ValueError:
            raise refuse(LABELS, f"`{file}` does not hold lines of `class cx cy width height`") from None
        size = _size(picture)
        half = rows[:, 3:] / 2
        corners = np.concatenate([rows[:, 1:3] - half, rows[:, 1:3] + half], 1) * np.tile(np.asarray(size, float), 2)
        found.append(np.concatenate([rows[:, :1], placed(corners, size, spec)], 1))
    return found


def _coco(path: Path, pictures: Sequence[Path], spec: InputSpec | None) -> list[Array]:
    try:
        data = json.loads(_text(path))
        images = {str(i["file_name"]): (i["id"], (int(i["width"]), int(i["height"]))) for i in data["images"]}
        classes = {c: k for k, c in enumerate(sorted(c["id"] for c in data["categories"]))}
        boxes: dict[Any, list[list[float]]] = {}
        for item in data["annotations"]:
            x, y, width, height = (float(v) for v in item["bbox"])
            boxes.setdefault(item["image_id"], []).append([classes[item["category_id"]], x, y, x + width, y + height])
    except Refusal:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise refuse(LABELS, f"`{path}` is no COCO file of boxes: {type(error).__name__} {error}"[:200]) from None
    found = []
    for picture in pictures:
        key, size = images[_known(picture, images, path)]
        rows = np.asarray(boxes.get(key, []), np.float64).reshape(-1, 5)
        found.append(np.concatenate([rows[:, :1], placed(rows[:, 1:], size, spec)], 1))
    return found


def _rows(found: Sequence[Array]) -> Array:
    most = max((len(rows) for rows in found), default=0)
    boxes = np.zeros((len(found), max(most, 1), 5), np.float32)
    boxes[..., 0] = -1
    for index, rows in enumerate(found):
        boxes[index, : len(rows)] = rows
    return boxes
