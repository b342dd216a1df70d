"""How raw data become an input tensor."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Source = Literal["image", "array"]
Resize = Literal["stretch", "letterbox", "crop"]
Color = Literal["rgb", "bgr", "grey"]
Layout = Literal["nchw", "nhwc"]
CType = Literal["float32", "uint8", "int8"]
Numbers = tuple[float, ...]

CHOICES: dict[str, tuple[str, ...]] = {
    "source": ("image", "array"),
    "resize": ("stretch", "letterbox", "crop"),
    "color_file": ("rgb", "bgr", "grey"),
    "color": ("rgb", "bgr", "grey"),
    "layout": ("nchw", "nhwc"),
    "type": ("float32", "uint8", "int8"),
}
EXPLAINED = {
    "source": "image: pictures or pixel arrays; array: values that are the tensor already",
    "width": "pixels of the input tensor",
    "height": "pixels of the input tensor",
    "resize": "stretch | letterbox (whole picture, bars of `fill`) | crop (middle of the picture)",
    "fill": "value of letterbox bars, 0..255",
    "color_file": "rgb | bgr | grey: order of the data; pictures on disk are rgb or grey",
    "color": "rgb | bgr | grey: order that the model was trained with",
    "layout": "nchw | nhwc",
    "scale": "value = (pixel * scale + offset - mean) / std",
    "offset": "one number, or one per channel",
    "mean": "one number, or one per channel, in the model's colour order",
    "std": "one number, or one per channel",
    "type": "float32 | uint8 | int8: what the C takes at its interface",
}
LARGEST_SIDE = 16384
SMALLEST_FACTOR = 1e-12
LUMA = (0.299, 0.587, 0.114)
"""Weights of red, green and blue in grey: ITU-R BT.601, as Pillow and OpenCV take them."""


class InputSpecError(ValueError):
    """An input description contradicts itself; the message is one sentence."""


@dataclass(frozen=True)
class InputSpec:
    """The record of INTERFACE, 'Input description'. `value = (pixel * scale + offset - mean) / std`, per channel.

    `width` and `height` are pixels, None where the data are no pictures. Raises InputSpecError.
    """

    source: Source = "image"
    width: int | None = None
    height: int | None = None
    resize: Resize = "stretch"
    fill: int = 0
    color_file: Color = "rgb"
    color: Color = "rgb"
    layout: Layout = "nchw"
    scale: Numbers = (1.0,)
    offset: Numbers = (0.0,)
    mean: Numbers = (0.0,)
    std: Numbers = (1.0,)
    type: CType = "float32"

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise InputSpecError(f"`{name}` is one of {', '.join(choices)}, not {getattr(self, name)!r}")
        for name in ("width", "height"):
            side = getattr(self, name)
            if side is not None and not 1 <= side <= LARGEST_SIDE:
                raise InputSpecError(f"`{name}` lies between 1 and {LARGEST_SIDE}, not {side}")
        if (self.width is None) != (self.height is None):
            raise InputSpecError("`width` and `height` are given together")
        if not 0 <= self.fill <= 255:
            raise InputSpecError(f"`fill` lies between 0 and 255, not {self.fill}")
        for name in ("scale", "offset", "mean", "std"):
            numbers = getattr(self, name)
            if len(numbers) not in (1, self.channels):
                raise InputSpecError(f"`{name}` has 1 number or {self.channels}, not {len(numbers)}")
            if not np.isfinite(np.float32(numbers)).all():
                raise InputSpecError(f"`{name}` is not finite: {list(numbers)}")
        if min(map(abs, (*self.std, *self.scale))) < SMALLEST_FACTOR:
            raise InputSpecError("`std` and `scale` are not zero")
        if self.color_file == "grey" and self.color != "grey":
            raise InputSpecError("a grey file cannot become a colour input")

    @property
    def channels(self) -> int:
        """Channels of the tensor."""
        return 1 if self.color == "grey" else 3

    def affine(self) -> tuple[Array, Array]:
        """Factor and summand per channel, float64 `[channels]`: `value = pixel * factor + summand`."""
        scale, offset, mean, std = (np.asarray(v, np.float64) for v in (self.scale, self.offset, self.mean, self.std))
        ones = np.ones(self.channels)
        return scale / std * ones, (offset - mean) / std * ones

    @property
    def is_raw(self) -> bool:
        """Whether values are the pixels themselves."""
        factor, summand = self.affine()
        return bool((factor == 1.0).all() and (summand == 0.0).all())

    def tensor(self, pixels: Array, dtype: npt.DTypeLike = np.float32) -> Array:
        """Pixels `[..., H, W, C]` (uint8, in `color_file` order) as the tensor `[..., C, H, W]` or `[..., H, W, C]`.

        Integer tensors are rounded half to even and limited to their type.
        """
        kind = np.dtype(dtype)
        ordered = self._ordered(pixels)
        if self.is_raw and kind == ordered.dtype:
            values = ordered
        else:
            factor, summand = self.affine()
            real = ordered.astype(np.float64) * factor + summand
            if kind.kind in "iu":
                limits = np.iinfo(kind)
                real = np.clip(np.rint(real), limits.min, limits.max)
            values = real.astype(kind)
        placed: Array = np.moveaxis(values, -1, -3) if self.layout == "nchw" else values
        return np.ascontiguousarray(placed)

    def _ordered(self, pixels: Array) -> Array:
        wanted = 1 if self.color_file == "grey" else 3
        if pixels.shape[-1] != wanted:
            raise InputSpecError(f"the data have {pixels.shape[-1]} channels, and `color_file` says {self.color_file}")
        if self.color == self.color_file:
            return pixels
        if self.color == "grey":
            weights = LUMA if self.color_file == "rgb" else LUMA[::-1]
            grey = pixels.astype(np.float64) @ np.asarray(weights)
            return np.asarray(np.rint(grey)[..., None], pixels.dtype)
        swapped: Array = pixels[..., ::-1]
        return swapped

    def with_options(self, **options: str | None) -> InputSpec:
        """The description with fields replaced by command-line texts such as `scale="1/127.5"`; None leaves a field."""
        given = {name: _from_text(name, text) for name, text in options.items() if text is not None}
        return replace(self, **given)

    def to_toml(self) -> str:
        """The description as TOML, every field with a comment; `from_toml` reads it back to an equal record."""
        lines = []
        for item in fields(self):
            value = getattr(self, item.name)
            if value is not None:
                lines.append(f"{item.name} = {_toml(value)}  # {EXPLAINED[item.name]}")
        return "\n".join([*lines, ""])


def from_toml(text: str) -> InputSpec:
    """Read a description; InputSpecError where it is not TOML, a field is unknown, or a value does not fit."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputSpecError(f"it is not TOML: {error}") from None
    return InputSpec(**{name: _checked(name, value) for name, value in data.items()})


def number(text: str) -> float:
    """A number or a fraction, `0.5` or `1/127.5`; InputSpecError where it is none."""
    top, mark, bottom = text.partition("/")
    try:
        return float(top) / float(bottom) if mark else float(top)
    except (ValueError, ZeroDivisionError):
        raise InputSpecError(f"{text!r} is no number") from None


def _checked(name: str, value: object) -> Any:
    if name not in EXPLAINED:
        raise InputSpecError(f"`{name}` is no field; the fields are {', '.join(EXPLAINED)}")
    if name in CHOICES:
        if not isinstance(value, str):
            raise InputSpecError(f"`{name}` is one of {', '.join(CHOICES[name])}")
        return "grey" if value.lower() == "gray" else value.lower()
    if name in ("width", "height", "fill"):
        if isinstance(value, bool) or not isinstance(value, int):
            raise InputSpecError(f"`{name}` is a whole number, not {value!r}")
        return value
    numbers = value if isinstance(value, list) else [value]
    found = []
    for one in numbers:
        if isinstance(one, str):
            found.append(number(one))
        elif isinstance(one, int | float) and not isinstance(one, bool):
            found.append(float(one))
        else:
            raise InputSpecError(f"`{name}` is a number or a list of numbers, not {value!r}")
    return tuple(found)


def _from_text(name: str, text: str) -> Any:
    if name in ("width", "height", "fill"):
        if not text.strip().isdigit():
            raise InputSpecError(f"`{name}` is a whole number, not {text!r}")
        return int(text)
    return _checked(name, text if name in CHOICES else text.split(","))


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return repr(value[0]) if len(value) == 1 else "[" + ", ".join(repr(v) for v in value) + "]"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def starting_point(shape: tuple[int, ...]) -> InputSpec:
    """A description to start from, for an input of this shape: sizes and layout as far as the shape tells."""
    if len(shape) == 4 and shape[-1] in (1, 3) and shape[1] not in (1, 3):
        height, width, channels, layout = shape[1], shape[2], shape[3], "nhwc"
    elif len(shape) == 4:
        channels, height, width, layout = shape[1], shape[2], shape[3], "nchw"
    else:
        return InputSpec(source="array")
    color = "grey" if channels == 1 else "rgb"
    return InputSpec(width=width, height=height, color_file=color, color=color, layout=layout)  # type: ignore[arg-type]
