"""What can be wrong with samples, pictures and labels."""

from __future__ import annotations

from ferrule.diagnostics import Rule

NOT_FOUND = Rule(
    "FER400",
    "data-not-found",
    """The file or folder with the data cannot be opened.

It does not exist or may not be read.

Example: a path with a typing error.

Cure: check the path; quote it where it holds spaces.
""",
)
NOT_READ = Rule(
    "FER401",
    "data-not-read",
    """The data file cannot be read.

Its ending is not one that Ferrule knows, it was cut off, or its content is of another kind than its name says.

Example: a picture renamed to `.npz`.

Cure: save arrays with `numpy.savez("calib.npz", NAME=array)`, NAME being the input's name in the model.
""",
)
NAMES = Rule(
    "FER402",
    "data-names",
    """The arrays of a file are not named as the model's inputs.

A file of several arrays is matched by the names that the model itself uses.

Example: the file holds `images` and `labels`, and the input is called `input`.

Cure: `numpy.savez("calib.npz", input=images)`.
""",
)
SHAPE = Rule(
    "FER403",
    "data-shape",
    """An array does not have the shape of the input.

It is [N, *shape]: N samples, each of the input's whole shape. Where the input's first dimension is 1, [N, *shape[1:]]
is taken as well.

Example: [32, 3, 224, 224] for an input of [1, 3, 192, 192].

Cure: bring the samples to the input's size the way it is done on the device.
""",
)
TYPE = Rule(
    "FER404",
    "data-type",
    """An array's element type cannot become that of the input without loss.

Whole numbers become float where they are exactly representable, floats become float32; nothing else is converted.

Example: fractions for an input of token numbers.

Cure: `array.astype("int64")`, after a look at why it is not.
""",
)
NOT_FINITE = Rule(
    "FER405",
    "data-not-finite",
    """An array holds NaN or infinity.

Ranges and comparisons would be meaningless.

Example: a sensor log with gaps written as NaN.

Cure: leave those samples out: `x = x[numpy.isfinite(x).all(axis=tuple(range(1, x.ndim)))]`.
""",
)
EMPTY = Rule(
    "FER406",
    "data-empty",
    """There are no samples.

The file or folder is there, but empty.

Example: a folder in which no file has the ending of a picture.

Cure: give 30 to 200 samples such as the device will see.
""",
)
PICKLED = Rule(
    "FER407",
    "data-pickled",
    """The file holds Python objects.

Reading them would run code from the file, so it is not done.

Example: arrays of unequal length saved as one array of type `object`.

Cure: save plain arrays: `numpy.savez("calib.npz", NAME=numpy.stack(list_of_arrays))`.
""",
)
TOO_LARGE = Rule(
    "FER408",
    "data-too-large",
    """The data would take more memory than is sensible.

Sizes are read from the header before any memory is taken. A header that claims more than the file holds is damaged.

Example: 50000 pictures as one float array.

Cure: save fewer samples; 200 are plenty for calibration.
""",
)
PICTURE = Rule(
    "FER409",
    "picture-not-read",
    """A picture cannot be decoded.

The file is cut off, is no picture, or has more pixels than is sensible.

Example: a download that stopped half-way.

Cure: remove it or replace it.
""",
)
NO_DESCRIPTION = Rule(
    "FER410",
    "pictures-without-description",
    """Pictures are given without a description of how they become the input.

Resizing, colour order and normalisation decide about the result, and nothing about them is guessed. The finding prints
a description to start from, with what the model's shape tells.

Example: `--calibration images/` for an input of [1, 3, 96, 96].

Cure: save the printed text as `input.toml`, correct it to what training did, and add `--input-spec input.toml`.
""",
)
DESCRIPTION = Rule(
    "FER411",
    "input-description",
    """The input description contradicts itself or the model.

A field is unknown, a value does not fit, or width, height, colours or layout give another shape than the input's.

Example: `layout = "nhwc"` for an input of [1, 3, 96, 96].

Cure: correct the field that the finding names.
""",
)
CHANNELS_LAST = Rule(
    "FER412",
    "data-channels-last",
    """Pictures lie channels last, and the input takes channels first.

The numbers would fit after a transposition, but whether they also need scaling or another colour order is not known.

Example: uint8 [100, 96, 96, 3] for a float input of [1, 3, 96, 96].

Cure: describe them with `--input-spec input.toml`, or save them as the model takes them:
`x.transpose(0, 3, 1, 2).astype("float32")`, with training's normalisation.
""",
)
OTHER_NAME = Rule(
    "FER413",
    "data-other-name",
    """An array of another name was taken, or arrays were left unused.

A model of one input and a file of one array leave no doubt which is meant.

Example: the file holds `x`, and the input is called `input_1`.

Cure: none needed; name the array as the input to be rid of the note.
""",
)
CONVERTED = Rule(
    "FER414",
    "data-converted",
    """Whole numbers were converted to float.

Each is exactly representable. Where they are pixels, the model must be one that takes 0 to 255.

Example: uint8 pixels for a float input of a model that normalises inside.

Cure: none needed if the model takes these values; else describe them with `--input-spec`.
""",
)
LABELS = Rule(
    "FER415",
    "labels-unfit",
    """The labels do not fit the metric or the samples.

top1 takes `labels` [N], miou `masks` [N, H, W], map50 and map50_95 `boxes` [N, M, 5] as class, x1, y1, x2, y2 in pixels
with class -1 in empty rows.

Example: 100 samples and 90 labels.

Cure: save one row of labels for every sample, in the same order.
""",
)

RULES = (
    NOT_FOUND, NOT_READ, NAMES, SHAPE, TYPE, NOT_FINITE, EMPTY, PICKLED, TOO_LARGE, PICTURE, NO_DESCRIPTION,
    DESCRIPTION, CHANNELS_LAST, OTHER_NAME, CONVERTED, LABELS,
)  # fmt: skip
