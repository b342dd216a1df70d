"""Pictures as pixel arrays of the input's size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ferrule.data.arrays import refuse
from ferrule.data.findings import DESCRIPTION, EMPTY, PICTURE
from ferrule.program.input_spec import InputSpec

Array = npt.NDArray[Any]
ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".gif", ".ppm", ".pgm", ".tif", ".tiff", ".webp"})
LARGEST_PIXELS = 1 << 27


def is_picture(path: Path) -> bool:
    """Whether a file's name has the ending of a picture."""
    return path.suffix.lower() in ENDINGS


def pictures_in(path: Path) -> list[Path]:
    """The pictures of a folder and its folders, sorted by path, hidden ones left out; Refusal FER406 where none is."""
    if path.is_file():
        return [path]
    found = [
        p
        for p in path.rglob("*")
        if is_picture(p) and p.is_file() and not any(part.startswith(".") for part in p.relative_to(path).parts)
    ]
    if not found:
        raise refuse(EMPTY, f"`{path}` holds no pictures", f"endings that are read: {', '.join(sorted(ENDINGS))}")
    return sorted(found, key=lambda p: p.relative_to(path).as_posix())


def read_pictures(paths: Sequence[Path], spec: InputSpec) -> Array:
    """Pictures as uint8 `[N, height, width, channels of the file]`, resized as described; Refusal FER409, FER411.

    Pixels are taken as they are stored: no rotation by EXIF, transparency dropped.
    """
    if spec.width is None or spec.height is None:
        raise refuse(DESCRIPTION, "the input description of pictures needs `width` and `height`")
    return np.stack([read_picture(path, spec, (spec.width, spec.height)) for path in paths])


def read_picture(path: Path, spec: InputSpec, size: tuple[int, int]) -> Array:
    """One picture as uint8 `[height, width, channels]` in the order that `color_file` names."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            if image.width * image.height > LARGEST_PIXELS:
                raise refuse(PICTURE, f"`{path}` has {image.width} x {image.height} pixels")
            image.load()
            plain = image.convert("L" if spec.color_file == "grey" else "RGB")
    except (OSError, ValueError, SyntaxError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        said = " ".join(str(error).split())[:120]
        raise refuse(PICTURE, f"`{path}` cannot be decoded: {said}") from None
    pixels = np.asarray(_resized(plain, size, spec), np.uint8)
    if pixels.ndim == 2:
        return pixels[..., None]
    return pixels[..., ::-1] if spec.color_file == "bgr" else pixels


def _resized(image: Any, size: tuple[int, int], spec: InputSpec) -> Any:
    from PIL import Image

    width, height = size
    if image.size == size:
        return image
    if spec.resize == "stretch":
        return image.resize(size, Image.Resampling.BILINEAR)
    ratios = (width / image.width, height / image.height)
    ratio = min(ratios) if spec.resize == "letterbox" else max(ratios)
    inner = (max(1, round(image.width * ratio)), max(1, round(image.height * ratio)))
    scaled = image.resize(inner, Image.Resampling.BILINEAR)
    left, top = (width - inner[0]) // 2, (height - inner[1]) // 2
    canvas = Image.new(image.mode, size, spec.fill if image.mode == "L" else (spec.fill,) * 3)
    canvas.paste(scaled, (left, top))
    return canvas
