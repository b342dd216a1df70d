"""What the quantizer has to say."""

from __future__ import annotations

from ferrule.diagnostics import Rule

ALREADY_QUANTIZED = Rule(
    "FER300",
    "already-quantized",
    """The model holds quantized operators and is taken as it is.

Its scales were chosen by whoever made it; quantizing it once more would lose accuracy twice.

Example: a file with `QuantizeLinear` and `DequantizeLinear` nodes, given together with calibration samples.

Cure: none needed; to choose the scales anew, give the float model.
""",
)
BIAS_RANGE = Rule(
    "FER301",
    "bias-range",
    """A bias does not fit 32 bits at the scale of its products.

A bias is stored at input scale times weight scale. Where a channel's weights are tiny and its bias is not, the number
overflows; the channel's weight scale is then raised until it fits, and its weights are stored more coarsely. They
hardly matter there, because the bias is millions of times larger.

Example: a channel with weights around 1e-9 and a bias of 0.5.

Cure: none needed; a channel that was pruned can be removed before export.
""",
)
CONCAT_RANGES = Rule(
    "FER302",
    "concat-ranges",
    """A Concat joins tensors of very different ranges.

One tensor has one scale. If pixels (0 to 640) and scores (0 to 1) share it, the scores keep one or two steps of 256. A
Concat at the end of the network therefore stays float, together with what only moves its data; the parts in front of it
keep scales of their own. In the middle of a network the wide part decides and the narrow part loses accuracy.

Example: the last Concat of a YOLO detector.

Cure: none needed for correct results; declare the parts as separate outputs (`--outputs-at BOXES,SCORES`) to save the
float tail, or divide the boxes by the image size before the Concat.
""",
)
ZERO_RANGE = Rule(
    "FER303",
    "zero-range",
    """A tensor was zero in every calibration sample.

Nothing is known about its range, so a scale of 1/128 was taken. Either the branch is dead, or the samples do not show
what it is there for.

Example: a Relu behind a bias that keeps it negative.

Cure: calibrate with samples in which the branch is alive, or remove it.
""",
)
NOT_FINITE = Rule(
    "FER304",
    "range-not-finite",
    """The float model gives NaN or infinity on a calibration sample.

No scale can be chosen for such a tensor, so the operators around it stay float.

Example: `Log` of zero; a mask made of -infinity in front of a Softmax.

Cure: look at the sample and at the named node; a mask of -30000 serves as well as -infinity.
""",
)
NO_SAMPLES = Rule(
    "FER305",
    "calibration-unusable",
    """The float model cannot be run on the calibration samples.

Samples for an input are missing, have another shape, or onnxruntime refuses the model.

Example: an array of [32, 3, 224, 224] for an input of [1, 3, 192, 192].

Cure: the finding says what the input takes; `ferrule check MODEL --calibration PATH` examines the samples alone.
""",
)
KEPT_FLOAT = Rule(
    "FER306",
    "kept-float",
    """A node stays in float inside a quantized model.

It has no integer form, or an integer form would lose its meaning. Values are converted on the way in and out.

Example: a GRU; a LayerNormalization; a division by a computed tensor.

Cure: none needed for correct results; the report shows what it costs.
""",
)
REWRITTEN = Rule(
    "FER307",
    "rewritten-for-quantization",
    """A node was replaced by an equal one that has an integer form.

The float function is the same. BatchNormalization and constant factors go into the convolution before them, a
BatchNormalization that stands alone becomes a 1x1 depthwise convolution, MatMul with a constant bias becomes Gemm, and
a computed bias becomes an addition.

Example: Conv, BatchNormalization, Relu becomes Conv, Relu.

Cure: none needed.
""",
)
OPSET_RAISED = Rule(
    "FER308",
    "opset-raised",
    """The quantized model has a newer opset than the source.

Scales per channel exist from opset 13 on.

Example: a model of opset 12.

Cure: none needed; export with `opset_version=17` to see the same nodes in both files.
""",
)
NOTHING_TO_QUANTIZE = Rule(
    "FER309",
    "nothing-to-quantize",
    """No node of the model has an integer form worth making.

The result is the float model.

Example: a network that is one Identity, or one GRU.

Cure: none needed.
""",
)

RULES = (
    ALREADY_QUANTIZED, BIAS_RANGE, CONCAT_RANGES, ZERO_RANGE, NOT_FINITE, NO_SAMPLES, KEPT_FLOAT, REWRITTEN,
    OPSET_RAISED, NOTHING_TO_QUANTIZE,
)  # fmt: skip
