"""What can be wrong with a TFLite file."""

from __future__ import annotations

from ferrule.diagnostics import Rule

NOT_TFLITE = Rule(
    "FER101",
    "not-tflite",
    """The file does not hold a TensorFlow Lite model.

A TFLite file carries the identifier `TFL3` in its bytes 4 to 7. Another kind of file (a picture, an archive, a Keras
file) that was renamed to .tflite has not.

Example: `photo.png` renamed to `model.tflite`.

Cure: convert the network with the TFLite converter and give that file.
""",
)
DAMAGED = Rule(
    "FER102",
    "tflite-damaged",
    """The file begins as a TFLite model but cannot be read to its end.

Offsets inside the file point outside it, or a table is not what it must be: the file was cut off or altered.

Example: a download that stopped half-way.

Cure: fetch or convert the file again and compare its size.
""",
)
BAD_TENSOR = Rule(
    "FER103",
    "tflite-bad-tensor",
    """A tensor's description contradicts itself.

Its data is shorter or longer than its shape needs, a dimension is negative, the whole is larger than Ferrule takes, or
its type is one that no program has (string, complex).

Example: shape [1,8,8,16] of int8 with a buffer of 100 bytes.

Cure: convert the network again; if the file comes straight from a converter, report the converter's version.
""",
)
BAD_GRAPH = Rule(
    "FER104",
    "tflite-bad-graph",
    """The operators and tensors do not form a network.

An index points outside the tensor list, a value is made twice or read before it is made, there is no subgraph, or no
output.

Example: an operator that reads tensor 900 of a file with 80 tensors.

Cure: convert the network again.
""",
)
BAD_QUANTIZATION = Rule(
    "FER105",
    "tflite-bad-quantization",
    """A tensor's quantization parameters cannot be right.

A scale is zero, negative, infinite or not a number, the number of scales does not fit the quantized axis, or a zero
point lies outside the type's range.

Example: 16 scales along an axis of length 8.

Cure: quantize the network again.
""",
)
UNSUPPORTED = Rule(
    "FER110",
    "tflite-operator-unsupported",
    """An operator of the file, or this form of it, has no reader in Ferrule.

The finding names the operator and what about it is not supported.

Example: a custom operator such as `TFLite_Detection_PostProcess`.

Cure: cut the network before the operator (`--outputs-at TENSOR`), or export it without.
""",
)
BAD_WEIGHTS = Rule(
    "FER106",
    "tflite-weights-not-finite",
    """A constant holds NaN or infinity.

Every result that depends on it would be NaN as well: training diverged, or the file was altered.

Example: a bias with one NaN after training with a learning rate too high.

Cure: take a checkpoint from before the divergence and convert again.
""",
)

FLOAT_TFLITE = Rule(
    "FER111",
    "tflite-float-calibration",
    """A float TFLite file was given together with calibration data.

Ferrule's quantizer works on ONNX models. A float TFLite file is compiled to float C, or quantized by the TFLite
converter beforehand.

Example: `ferrule deploy float.tflite --calibration calib.npz`.

Cure: give the ONNX export of the network, or an int8 TFLite file.
""",
)

RULES = (NOT_TFLITE, DAMAGED, BAD_TENSOR, BAD_GRAPH, BAD_QUANTIZATION, BAD_WEIGHTS, UNSUPPORTED, FLOAT_TFLITE)
