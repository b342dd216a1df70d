"""All operators, and which source nodes they read."""

from __future__ import annotations

from collections.abc import Callable

from ferrule.ops import (
    binary,
    concat,
    conv,
    conv_transpose,
    dequantize,
    expand,
    fully_connected,
    lookup,
    pad,
    pool,
    quantize,
    rearrange,
    reduce,
    requantize,
    reshape,
    resize,
    slice,
    softmax,
    tile,
    transpose,
    unary,
)
from ferrule.program.build import Builder
from ferrule.program.op import Op
from ferrule.program.source import OnnxNode, TfliteNode

OPS: tuple[type[Op], ...] = (
    binary.Binary,
    concat.Concat,
    conv.Conv,
    conv_transpose.ConvTranspose,
    dequantize.Dequantize,
    expand.Expand,
    fully_connected.FullyConnected,
    lookup.Lookup,
    pad.Pad,
    pool.Pool,
    quantize.Quantize,
    rearrange.Rearrange,
    reduce.Reduce,
    requantize.Requantize,
    reshape.Reshape,
    resize.Resize,
    slice.Slice,
    softmax.Softmax,
    tile.Tile,
    transpose.Transpose,
    unary.Unary,
)
"""Every operator of a program."""

BY_KIND: dict[str, type[Op]] = {op.kind: op for op in OPS}

OnnxReader = Callable[[OnnxNode, Builder], None]
TfliteReader = Callable[[TfliteNode, Builder], None]

ONNX: dict[str, OnnxReader] = {
    **dict.fromkeys(binary.ONNX_FUNCTIONS, binary.from_onnx),
    **dict.fromkeys(binary.VARIADIC, binary.from_onnx_variadic),
    "Mod": binary.from_onnx_mod,
    "Concat": concat.from_onnx,
    "Conv": conv.from_onnx,
    "Expand": expand.from_onnx,
    "ConvTranspose": conv_transpose.from_onnx,
    "Pad": pad.from_onnx,
    "DepthToSpace": rearrange.from_onnx_depth_to_space,
    "SpaceToDepth": rearrange.from_onnx_space_to_depth,
    "Tile": tile.from_onnx,
    "MaxPool": pool.from_onnx,
    "AveragePool": pool.from_onnx,
    "GlobalMaxPool": pool.from_onnx_global,
    "GlobalAveragePool": pool.from_onnx_global,
    **dict.fromkeys(reduce.ONNX_FUNCTIONS, reduce.from_onnx),
    "Reshape": reshape.from_onnx_reshape,
    "Flatten": reshape.from_onnx_flatten,
    "Squeeze": reshape.from_onnx_squeeze,
    "Unsqueeze": reshape.from_onnx_unsqueeze,
    "Identity": reshape.from_onnx_identity,
    "Dropout": reshape.from_onnx_identity,
    "Resize": resize.from_onnx,
    "Upsample": resize.from_onnx,
    "Slice": slice.from_onnx,
    "Split": slice.from_onnx_split,
    "Softmax": softmax.from_onnx,
    "LogSoftmax": softmax.from_onnx,
    "Transpose": transpose.from_onnx,
    **dict.fromkeys(unary.SIMPLE, unary.from_onnx),
    **dict.fromkeys(unary.DEFAULTS, unary.from_onnx_parameters),
    "Gelu": unary.from_onnx_gelu,
    "IsInf": unary.from_onnx_isinf,
    "Clip": unary.from_onnx_clip,
}
"""ONNX operator of the default domain to its reader."""

TFLITE: dict[str, TfliteReader] = {
    **dict.fromkeys(binary.TFLITE_FUNCTIONS, binary.from_tflite),
    "CONCATENATION": concat.from_tflite,
    "PACK": concat.from_tflite_pack,
    "CONV_2D": conv.from_tflite,
    "DEPTHWISE_CONV_2D": conv.from_tflite,
    "DEQUANTIZE": dequantize.from_tflite,
    "FULLY_CONNECTED": fully_connected.from_tflite,
    "BROADCAST_TO": expand.from_tflite,
    "PAD": pad.from_tflite,
    "DEPTH_TO_SPACE": rearrange.from_tflite_depth,
    "SPACE_TO_DEPTH": rearrange.from_tflite_depth,
    "SPACE_TO_BATCH_ND": rearrange.from_tflite_space_to_batch,
    "BATCH_TO_SPACE_ND": rearrange.from_tflite_batch_to_space,
    "TILE": tile.from_tflite,
    "PADV2": pad.from_tflite,
    "MIRROR_PAD": pad.from_tflite,
    "MAX_POOL_2D": pool.from_tflite,
    "AVERAGE_POOL_2D": pool.from_tflite,
    "QUANTIZE": quantize.from_tflite,
    **dict.fromkeys(reduce.TFLITE_FUNCTIONS, reduce.from_tflite),
    "RESHAPE": reshape.from_tflite,
    "SQUEEZE": reshape.from_tflite,
    "EXPAND_DIMS": reshape.from_tflite,
    "RESIZE_BILINEAR": resize.from_tflite,
    "RESIZE_NEAREST_NEIGHBOR": resize.from_tflite,
    "SPLIT": slice.from_tflite_split,
    "SPLIT_V": slice.from_tflite_split,
    "SLICE": slice.from_tflite_slice,
    "STRIDED_SLICE": slice.from_tflite_strided,
    "UNPACK": slice.from_tflite_unpack,
    "REVERSE_V2": slice.from_tflite_reverse,
    "SOFTMAX": softmax.from_tflite,
    "LOG_SOFTMAX": softmax.from_tflite,
    "TRANSPOSE": transpose.from_tflite,
    "TRANSPOSE_CONV": conv_transpose.from_tflite,
    **dict.fromkeys(unary.TFLITE_FLOAT, unary.from_tflite),
}
"""TFLite builtin operator to its reader."""
