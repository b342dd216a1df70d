"""What can be wrong with an ONNX file."""

from __future__ import annotations

from ferrule.diagnostics import Rule

NO_FILE = Rule(
    "FER130",
    "no-model-file",
    """The model file cannot be opened.

It does not exist, is a folder, is empty, or may not be read.

Example: a path with a typing error.

Cure: check the path; quote it where it holds spaces.
""",
)
NOT_ONNX = Rule(
    "FER131",
    "not-onnx",
    """The file is not an ONNX model.

Its bytes do not decode as one: it is another kind of file that was renamed, or it was cut off.

Example: `photo.png` renamed to `model.onnx`; a download that stopped half-way.

Cure: export the network again (PyTorch: `torch.onnx.export`, Keras: `tf2onnx`) and give that file.
""",
)
WRONG_FORMAT = Rule(
    "FER132",
    "format-not-read",
    """This file format is not read.

Ferrule reads .onnx and .tflite. Keras (.h5, .keras), PyTorch (.pt, .pth) and TensorFlow (.pb) files hold programs or
pickles of their framework and must be exported there.

Example: `model.h5`.

Cure: Keras: `tf.lite.TFLiteConverter.from_keras_model(model)` or `python -m tf2onnx.convert --keras model.h5 --output
model.onnx`; PyTorch: `torch.onnx.export(model, sample, "model.onnx")`.
""",
)
EXTERNAL_DATA = Rule(
    "FER133",
    "external-data",
    """Weights that lie in a file beside the model cannot be used.

The file is missing, too short, or its place points outside the model's folder.

Example: `model.onnx` was copied without `model.onnx.data`.

Cure: copy both files together, or save the model as one file: `onnx.save(onnx.load("model.onnx"), "one.onnx")`.
""",
)
BAD_TENSOR = Rule(
    "FER134",
    "onnx-bad-tensor",
    """A constant's description contradicts itself.

Its data is shorter or longer than its shape needs, a dimension is negative or enormous, or its type is one that no
program has (string, complex).

Example: an initializer of shape [64,3,3,3] with 100 values.

Cure: export the network again.
""",
)
NOT_FINITE = Rule(
    "FER135",
    "onnx-weights-not-finite",
    """A weight is NaN or infinite.

Every result that depends on it would be NaN as well.

Example: a bias with one NaN after training with a learning rate too high.

Cure: take a checkpoint from before the divergence and export again.
""",
)
OPSET = Rule(
    "FER136",
    "opset-not-supported",
    """The file's operator set is outside the supported range.

Ferrule reads opset 7 and newer, up to the newest that the installed `onnx` package knows.

Example: a model exported with opset 5.

Cure: `onnx.version_converter.convert_version(model, 17)`, or export with `opset_version=17`.
""",
)
BAD_GRAPH = Rule(
    "FER140",
    "onnx-bad-graph",
    """The nodes and values do not form a network.

A node reads a value that nothing makes, a value is made twice, or nodes wait for one another in a circle.

Example: a node input renamed by hand with a typing error.

Cure: the finding names the node and the nearest existing value; correct it or export again.
""",
)
OUTPUT_MISSING = Rule(
    "FER141",
    "output-missing",
    """The graph declares no output.

Tools then drop every node as dead, and say that nothing is generated.

Example: an export that lost its output list.

Cure: declare the wanted tensor: `--outputs-at TENSOR`. The finding lists the values that nothing reads.
""",
)
OUTPUT_UNPRODUCED = Rule(
    "FER142",
    "output-unproduced",
    """A declared output is made by no node.

Often its name differs from the real one by a suffix such as `:0`.

Example: output `dense/Softmax` while the node makes `dense/Softmax:0`.

Cure: take the nearest existing value: `--outputs-at NAME`.
""",
)
OPEN_DIMENSION = Rule(
    "FER143",
    "open-dimension",
    """An input has a dimension without a number.

C needs every size at compile time. A leading open dimension is the batch and is bound to 1; any other must be given.

Example: an input [N, 3, height, width].

Cure: `--shape NAME=1,3,224,224`.
""",
)
BAD_SHAPE_OPTION = Rule(
    "FER144",
    "shape-option",
    """A shape given with --shape does not fit the model.

It names no input, or has another number of dimensions.

Example: `--shape img=1,3` for an input of four dimensions.

Cure: give as many numbers as the input has dimensions.
""",
)
UNSUPPORTED = Rule(
    "FER150",
    "onnx-operator-unsupported",
    """An operator, or this form of it, is not supported.

The finding names the node and what about it has no reader, or which size is only known at run time.

Example: `NonZero`, whose output length depends on the values.

Cure: cut the network before the node (`--outputs-at TENSOR`), or export it in another form.
""",
)
DTYPE = Rule(
    "FER151",
    "onnx-type-unsupported",
    """A value has a type that programs do not have.

Supported are float32 (float16 and float64 constants are converted), int8, uint8, int16, int32, int64 and bool.

Example: an input of type string.

Cure: export with float32 inputs.
""",
)
BATCH_BOUND = Rule(
    "FER152",
    "batch-bound",
    """The open batch dimension was bound to 1.

One sample is computed per call.

Example: an input [N, 3, 96, 96] becomes [1, 3, 96, 96].

Cure: none needed; `--shape NAME=4,3,96,96` sets another batch.
""",
)
DEAD_NODES = Rule(
    "FER153",
    "dead-nodes",
    """Nodes reach no declared output and were left out.

Perhaps another output was meant.

Example: a Softmax behind the declared output `logits`.

Cure: if the last of them was meant, `--outputs-at TENSOR`.
""",
)
IR_VERSION = Rule(
    "FER154",
    "ir-version-new",
    """The file's IR version is newer than the installed `onnx` package knows.

Nothing new in it was met, so the file was read as it stands.

Example: IR version 99.

Cure: none needed; a newer `onnx` package removes the note.
""",
)
UNKNOWN_TENSOR = Rule(
    "FER155",
    "unknown-tensor",
    """A tensor named by --inputs-at or --outputs-at does not exist.

Example: a typing error in the name.

Cure: the finding lists the nearest names; `ferrule analyze MODEL -v` lists all.
""",
)

RULES = (
    NO_FILE, NOT_ONNX, WRONG_FORMAT, EXTERNAL_DATA, BAD_TENSOR, NOT_FINITE, OPSET, BAD_GRAPH, OUTPUT_MISSING,
    OUTPUT_UNPRODUCED, OPEN_DIMENSION, BAD_SHAPE_OPTION, UNSUPPORTED, DTYPE, BATCH_BOUND, DEAD_NODES, IR_VERSION,
    UNKNOWN_TENSOR,
)  # fmt: skip
