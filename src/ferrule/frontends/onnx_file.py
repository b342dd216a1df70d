"""ONNX bytes to a model, safe on hostile files."""

from __future__ import annotations

import difflib
import math
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from ferrule.diagnostics import Finding, Level, Refusal
from ferrule.frontends.onnx_findings import (
    BAD_GRAPH,
    BAD_TENSOR,
    EXTERNAL_DATA,
    IR_VERSION,
    NO_FILE,
    NOT_FINITE,
    NOT_ONNX,
    OPSET,
    WRONG_FORMAT,
)

OLDEST_OPSET = 7
MAX_CONSTANT_BYTES = 1 << 31
MAX_FILE_BYTES = 1 << 31
EXPORTS = {
    ".h5": "a Keras file",
    ".keras": "a Keras file",
    ".hdf5": "a Keras file",
    ".pt": "a PyTorch file",
    ".pth": "a PyTorch file",
    ".pb": "a TensorFlow graph",
    ".mlmodel": "a Core ML file",
}
READ_ERRORS = (Exception,)
"""Protobuf and onnx_ir raise errors of many kinds on hostile bytes; all mean that the file cannot be read."""


def read_bytes(path: Path) -> bytes:
    """Return the content of a model file; Refusal FER130, FER132 where it cannot be taken."""
    where = f"`{path}`"
    ending = path.suffix.lower()
    if ending in EXPORTS:
        raise Refusal(
            WRONG_FORMAT.at(
                "model",
                f"{where} is {EXPORTS[ending]}; it must be exported first",
                stage="import",
                help=[
                    "Keras: python -m tf2onnx.convert --keras MODEL --output model.onnx",
                    'PyTorch: torch.onnx.export(model, sample, "model.onnx")',
                ],
            )
        )
    try:
        if path.is_dir():
            raise Refusal(NO_FILE.at("model", f"{where} is a folder, not a model file", stage="import"))
        size = path.stat().st_size
        if size == 0:
            raise Refusal(NO_FILE.at("model", f"{where} is empty", stage="import"))
        if size > MAX_FILE_BYTES:
            raise Refusal(NO_FILE.at("model", f"{where} is larger than {MAX_FILE_BYTES} bytes", stage="import"))
        return path.read_bytes()
    except OSError as error:
        raise Refusal(NO_FILE.at("model", f"{where} cannot be read: {error.strerror}", stage="import")) from None


def read_onnx(data: bytes, folder: Path, findings: list[Finding]) -> ir.Model:
    """Return the model of these bytes, constants loaded and checked; notes go to `findings`.

    `folder` holds external data. Refusal FER131 to FER136, FER140.
    """
    proto = _parse(data)
    _check_versions(proto, findings)
    problems: list[Finding] = []
    _check_initializers(proto.graph, folder, problems)
    if problems:
        raise Refusal(*problems)
    _load_external(proto, folder)
    if proto.ir_version > onnx.IR_VERSION:
        proto.ir_version = onnx.IR_VERSION
    check_order(proto.graph)
    try:
        return ir.serde.deserialize_model(proto)
    except READ_ERRORS as error:
        raise Refusal(NOT_ONNX.at("model", f"the model cannot be read: {_short(error)}", stage="import")) from None


def _parse(data: bytes) -> onnx.ModelProto:
    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(data)
    except READ_ERRORS:
        raise Refusal(
            NOT_ONNX.at(
                "model",
                f"{_what(data)} and does not decode as an ONNX model ({len(data)} bytes)",
                stage="import",
                notes=["either it is another kind of file, or it was cut off"],
                help=["export the network again"],
            )
        ) from None
    if not proto.HasField("graph") or not (proto.graph.node or proto.graph.output or proto.graph.input):
        raise Refusal(
            NOT_ONNX.at("model", f"{_what(data)} and holds no graph", stage="import", help=["export the network again"])
        )
    return proto


def _what(data: bytes) -> str:
    known = {
        b"\x89PNG": "is a PNG picture",
        b"\xff\xd8\xff": "is a JPEG picture",
        b"PK\x03\x04": "is a ZIP archive",
        b"\x89HDF": "is an HDF5 file, such as Keras writes",
    }
    for magic, what in known.items():
        if data.startswith(magic):
            return f"the file {what}"
    return "the file is a TFLite model" if data[4:8] == b"TFL3" else "the file has no known beginning"


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _check_versions(proto: onnx.ModelProto, findings: list[Finding]) -> None:
    newest = onnx.defs.onnx_opset_version()
    versions = [o.version for o in proto.opset_import if o.domain in ("", "ai.onnx")]
    version = max(versions, default=0)
    if not OLDEST_OPSET <= version <= newest and any(n.domain in ("", "ai.onnx") for n in proto.graph.node):
        raise Refusal(
            OPSET.at(
                "model",
                f"the file uses opset {version}; opsets {OLDEST_OPSET} to {newest} are read",
                stage="import",
                help=["export with opset_version=17"],
            )
        )
    if proto.ir_version > onnx.IR_VERSION:
        message = f"IR version {proto.ir_version} is newer than {onnx.IR_VERSION}, read all the same"
        findings.append(IR_VERSION.at("model", message, level=Level.NOTE, stage="import"))


def _element_bytes(tensor: onnx.TensorProto) -> float | None:
    kinds = onnx.TensorProto
    sizes = {
        kinds.FLOAT: 4, kinds.UINT8: 1, kinds.INT8: 1, kinds.UINT16: 2, kinds.INT16: 2, kinds.INT32: 4,
        kinds.INT64: 8, kinds.BOOL: 1, kinds.FLOAT16: 2, kinds.DOUBLE: 8, kinds.UINT32: 4, kinds.UINT64: 8,
        kinds.BFLOAT16: 2, kinds.INT4: 0.5, kinds.UINT4: 0.5,
    }  # fmt: skip
    return {int(k): v for k, v in sizes.items()}.get(int(tensor.data_type))


def _check_initializers(graph: onnx.GraphProto, folder: Path, problems: list[Finding]) -> None:
    """Sizes before memory is taken, external places inside the folder, finite values."""
    for tensor in graph.initializer:
        problem = _tensor_problem(tensor, folder)
        if problem is not None:
            problems.append(problem)
        if len(problems) >= 20:
            return


def _tensor_problem(tensor: onnx.TensorProto, folder: Path) -> Finding | None:
    name = tensor.name or "(unnamed)"

    def bad(why: str) -> Finding:
        return BAD_TENSOR.at(name, f"constant `{name}` {why}", stage="import")

    element = _element_bytes(tensor)
    if element is None:
        label = onnx.TensorProto.DataType.Name(tensor.data_type) if tensor.data_type in range(30) else tensor.data_type
        return bad(f"has type {label}, which no program has")
    if any(d < 0 for d in tensor.dims):
        return bad(f"has a negative dimension: {list(tensor.dims)}")
    count = math.prod(tensor.dims)
    wanted = math.ceil(count * element)
    if wanted > MAX_CONSTANT_BYTES:
        return bad(f"would take {wanted} bytes: {list(tensor.dims)[:8]}")
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        return _external_problem(tensor, name, wanted, folder)
    if tensor.HasField("raw_data"):
        if len(tensor.raw_data) != wanted:
            return bad(f"of shape {list(tensor.dims)} needs {wanted} bytes and has {len(tensor.raw_data)}")
        floats = {onnx.TensorProto.FLOAT: "<f4", onnx.TensorProto.DOUBLE: "<f8", onnx.TensorProto.FLOAT16: "<f2"}
        kind = {int(k): v for k, v in floats.items()}.get(int(tensor.data_type))
        if kind and not np.isfinite(np.frombuffer(tensor.raw_data, kind)).all():
            return _not_finite(name, np.frombuffer(tensor.raw_data, kind))
        return None
    given = max(len(tensor.float_data), len(tensor.int32_data), len(tensor.int64_data), len(tensor.double_data))
    given = max(given, len(tensor.uint64_data))
    packed = math.ceil(count / 2) if element == 0.5 else count
    if given not in (packed, count):
        return bad(f"of shape {list(tensor.dims)} needs {count} values and has {given}")
    if len(tensor.float_data) and not np.isfinite(np.asarray(tensor.float_data)).all():
        return _not_finite(name, np.asarray(tensor.float_data))
    return None


def _not_finite(name: str, values: np.ndarray) -> Finding | None:
    if np.isnan(values).any():
        return NOT_FINITE.at(name, f"constant `{name}` holds NaN", stage="import")
    if values.size > 1:  # a single infinity is a usual bound of Clip or Pad
        return NOT_FINITE.at(name, f"constant `{name}` holds infinity", stage="import")
    return None


def _external_problem(tensor: onnx.TensorProto, name: str, wanted: int, folder: Path) -> Finding | None:
    entries = {e.key: e.value for e in tensor.external_data}
    place = entries.get("location", "")

    def bad(why: str) -> Finding:
        return EXTERNAL_DATA.at(name, f"the data of constant `{name}` {why}", stage="import")

    try:
        root = folder.resolve()
        target = (root / place).resolve()
        if not place or Path(place).is_absolute() or root not in target.parents:
            return bad(f"lie at `{place}`, outside the model's folder")
        if not target.is_file():
            return bad(f"lie in `{place}`, which is missing")
        offset, length = int(entries.get("offset", "0")), int(entries.get("length", str(wanted)))
        if offset < 0 or length != wanted or offset + length > target.stat().st_size:
            return bad(f"need {wanted} bytes at {offset} of `{place}`, which is too short")
    except (OSError, ValueError):
        return bad(f"cannot be found at `{place[:80]}`")
    return None


def _load_external(proto: onnx.ModelProto, folder: Path) -> None:
    for tensor in proto.graph.initializer:
        if tensor.data_location != onnx.TensorProto.EXTERNAL:
            continue
        entries = {e.key: e.value for e in tensor.external_data}
        element = _element_bytes(tensor) or 1
        wanted = math.ceil(math.prod(tensor.dims) * element)
        with (folder.resolve() / entries["location"]).open("rb") as file:
            file.seek(int(entries.get("offset", "0")))
            tensor.raw_data = file.read(wanted)
        tensor.data_location = onnx.TensorProto.DEFAULT
        del tensor.external_data[:]


def model_bytes(model: ir.Model) -> bytes:
    """The model as the bytes of an ONNX file."""
    proto: bytes = ir.serde.serialize_model(model).SerializeToString(deterministic=True)
    return proto


def nearest(name: str, names: list[str]) -> list[str]:
    """The existing names most like a wanted one, at most three."""
    return difflib.get_close_matches(name, names, 3, 0.5)


def check_order(graph: onnx.GraphProto) -> None:
    """Put the nodes into an order in which values are made before they are read; Refusal FER140 where there is none."""
    made = {i.name for i in graph.input} | {i.name for i in graph.initializer}
    made |= {s.values.name for s in graph.sparse_initializer}
    problems: list[Finding] = []
    producer: dict[str, Any] = {}
    for index, node in enumerate(graph.node):
        for name in filter(None, node.output):
            if name in producer or name in made:
                problems.append(
                    BAD_GRAPH.at(label(node, index), f"makes `{name}`, which exists already", stage="import")
                )
            producer[name] = node
    everything = [*made, *producer]
    for index, node in enumerate(graph.node):
        for name in _reads(node):
            if name not in producer and name not in made:
                close = nearest(name, everything)
                notes = [f"nearest existing values: {', '.join(close)}"] if close else []
                message = f"reads `{name}`, which nothing makes"
                problems.append(BAD_GRAPH.at(label(node, index), message, stage="import", notes=notes))
    if problems:
        raise Refusal(*problems[:20])
    ordered, waiting = [], list(graph.node)
    while waiting:
        rest = []
        for node in waiting:
            if all(n in made for n in _reads(node)):
                ordered.append(node)
                made.update(node.output)
            else:
                rest.append(node)
        if len(rest) == len(waiting):
            names = ", ".join(label(n, 0) for n in rest[:4])
            raise Refusal(BAD_GRAPH.at(label(rest[0], 0), f"waits for itself in a circle: {names}", stage="import"))
        waiting = rest
    if [id(n) for n in ordered] != [id(n) for n in graph.node]:
        copies = [onnx.NodeProto.FromString(n.SerializeToString()) for n in ordered]
        del graph.node[:]
        graph.node.extend(copies)


def _reads(node: onnx.NodeProto) -> list[str]:
    return [n for n in node.input if n]


def label(node: onnx.NodeProto, index: int) -> str:
    """How a message calls a node."""
    return node.name or f"{node.op_type}#{index}"
