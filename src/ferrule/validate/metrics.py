"""How good a network's outputs are, in the task's own terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
IOU_STEPS = tuple(round(0.5 + 0.05 * k, 2) for k in range(10))
"""COCO's ten overlaps from 0.5 to 0.95."""
RECALL_POINTS = np.linspace(0.0, 1.0, 101)
LEAST_SCORE = 0.01
NMS_IOU = 0.6
MOST_DETECTIONS = 60


class MetricError(ValueError):
    """Outputs or labels have no form that the metric can use; the message is one sentence."""


@dataclass(frozen=True)
class Detections:
    """What a detector found in one sample, by falling score: classes int64 [K], scores [K], corners [K, 4]."""

    classes: Array
    scores: Array
    boxes: Array


# classification and segmentation


def top1(outputs: Array, labels: Array) -> float:
    """Share of samples whose largest output is the label; `outputs` [N, (1,) classes], `labels` [N]."""
    scores = outputs.reshape(len(outputs), -1)
    if labels.shape != (len(scores),):
        raise MetricError(f"there are {len(scores)} outputs and labels of shape {list(labels.shape)}")
    return float((scores.argmax(1) == labels).mean())


def miou(outputs: Array, masks: Array) -> float:
    """Mean over the classes of intersection by union of all pixels; a class that never occurs counts as 0.

    `outputs` scores [N, (1,) C, H, W] or [N, (1,) H, W, C], `masks` [N, H, W] with class numbers.
    """
    scores = _without_batch(outputs, 4)
    if scores.ndim != 4 or masks.ndim != 3 or len(scores) != len(masks):
        raise MetricError(f"outputs {list(outputs.shape)} and masks {list(masks.shape)} do not belong together")
    if scores.shape[2:] == masks.shape[1:]:
        axis = 1
    elif scores.shape[1:3] == masks.shape[1:]:
        axis = 3
    else:
        raise MetricError(f"outputs {list(outputs.shape)} have another size than masks {list(masks.shape)}")
    predicted, shares = scores.argmax(axis), []
    for index in range(scores.shape[axis]):
        mine, true = predicted == index, masks == index
        shares.append((mine & true).sum() / max(int((mine | true).sum()), 1))
    return float(np.mean(shares))


# detection


def map50(outputs: Array, boxes: Array) -> float:
    """Mean average precision at an overlap of 0.5; see `mean_average_precision`."""
    return mean_average_precision(decode(outputs), boxes, (0.5,), _classes(outputs))


def map50_95(outputs: Array, boxes: Array) -> float:
    """Mean average precision over the overlaps 0.5, 0.55 .. 0.95; see `mean_average_precision`."""
    return mean_average_precision(decode(outputs), boxes, IOU_STEPS, _classes(outputs))


def decode(outputs: Array) -> list[Detections]:
    """The detections of a YOLO head: `[N, (1,) 4 + classes, A]` or `[N, (1,) A, 4 + classes]`, the longer axis being A.

    The first four are centre x, centre y, width, height in pixels; the rest are scores. Scores above 0.01, non-maximum
    suppression per class at an overlap of 0.6, the best 60 of a sample.
    """
    heads = _without_batch(outputs, 3)
    if heads.ndim != 3 or min(heads.shape[1:]) < 5:
        raise MetricError(f"outputs {list(outputs.shape)} are no [N, 4 + classes, boxes]")
    return [_decode_one(head.T if head.shape[0] <= head.shape[1] else head) for head in heads]


def _classes(outputs: Array) -> int:
    return int(min(_without_batch(outputs, 3).shape[1:])) - 4


def _decode_one(rows: Array) -> Detections:
    """Rows `[A, 4 + classes]` of one sample."""
    corners = np.concatenate([rows[:, :2] - rows[:, 2:4] / 2, rows[:, :2] + rows[:, 2:4] / 2], 1)
    classes: list[Array] = []
    kept: list[Array] = []
    for index in range(rows.shape[1] - 4):
        likely = np.flatnonzero(rows[:, 4 + index] > LEAST_SCORE)
        chosen = likely[suppress(corners[likely], rows[likely, 4 + index], NMS_IOU)]
        kept.append(chosen)
        classes.append(np.full(len(chosen), index, np.int64))
    where, kinds = np.concatenate(kept), np.concatenate(classes)
    scores = rows[where, 4 + kinds]
    order = np.argsort(-scores, kind="stable")[:MOST_DETECTIONS]
    return Detections(kinds[order], scores[order], corners[where[order]])


def overlap(one: Array, many: Array) -> Array:
    """Intersection by union of boxes `[A, 4]` with boxes `[B, 4]`, corners, as `[A, B]`."""
    low = np.maximum(one[:, None, :2], many[None, :, :2])
    high = np.minimum(one[:, None, 2:], many[None, :, 2:])
    common = np.clip(high - low, 0, None).prod(-1)
    areas = [np.clip(b[:, 2:] - b[:, :2], 0, None).prod(-1) for b in (one, many)]
    union = areas[0][:, None] + areas[1][None] - common
    return np.asarray(common / (union + 1e-9))


def suppress(boxes: Array, scores: Array, most_overlap: float) -> Array:
    """Indices of boxes `[K, 4]` that no better one overlaps by `most_overlap` or more, best first."""
    rest, kept = np.argsort(scores)[::-1], []
    while len(rest):
        kept.append(rest[0])
        rest = rest[1:][overlap(boxes[rest[:1]], boxes[rest[1:]])[0] < most_overlap]
    return np.asarray(kept, np.int64)


def mean_average_precision(found: Sequence[Detections], boxes: Array, overlaps: Sequence[float], classes: int) -> float:
    """COCO's metric: mean over classes and overlaps of precision at 101 recalls; classes without truth do not count.

    `boxes` [N, M, 5] as class, x1, y1, x2, y2, class -1 in empty rows. Each detection, by falling score, takes the free
    true box that it overlaps most.
    """
    if boxes.ndim != 3 or boxes.shape[-1] != 5 or len(boxes) != len(found):
        raise MetricError(f"{len(found)} samples and boxes {list(boxes.shape)} do not belong together")
    precisions: list[float] = []
    for index in range(classes):
        truth = [rows[rows[:, 0] == index][:, 1:] for rows in boxes]
        if any(len(t) for t in truth):
            precisions += [_average_precision(found, truth, index, step) for step in overlaps]
    return float(np.mean(precisions)) if precisions else float("nan")


def _average_precision(found: Sequence[Detections], truth: Sequence[Array], index: int, least: float) -> float:
    scores: list[float] = []
    hits: list[bool] = []
    for detected, true in zip(found, truth, strict=True):
        free = np.ones(len(true), bool)
        for at in np.flatnonzero(detected.classes == index):
            scores.append(float(detected.scores[at]))
            hits.append(False)
            if len(true):
                shares = overlap(detected.boxes[at : at + 1], true)[0] * free
                best = int(shares.argmax())
                if shares[best] >= least:
                    free[best], hits[-1] = False, True
    order = np.argsort(-np.asarray(scores), kind="stable")
    right = np.cumsum(np.asarray(hits, np.int64)[order]) if hits else np.zeros(0)
    recall = right / sum(map(len, truth))
    precision = right / np.arange(1, len(right) + 1)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    at_recall = np.searchsorted(recall, RECALL_POINTS)
    reached = at_recall < len(recall)
    return (
        float(np.where(reached, envelope[np.minimum(at_recall, max(len(recall) - 1, 0))], 0.0).mean()) if hits else 0.0
    )


# distance between two results


def sqnr(reference: Array, result: Array) -> float:
    """Signal to noise in dB: 10 log10(sum reference^2 / sum (reference - result)^2); infinite when equal."""
    signal = float(np.sum(reference.astype(np.float64) ** 2))
    noise = float(np.sum((reference.astype(np.float64) - result.astype(np.float64)) ** 2))
    if noise == 0.0:
        return float("inf")
    return float(10.0 * np.log10(signal / noise)) if signal > 0.0 else float("-inf")


def cosine(reference: Array, result: Array) -> float:
    """Cosine of the two flattened; 1 where both are zero, 0 where one is."""
    one, two = reference.astype(np.float64).ravel(), result.astype(np.float64).ravel()
    lengths = float(np.linalg.norm(one)), float(np.linalg.norm(two))
    if 0.0 in lengths:
        return 1.0 if lengths == (0.0, 0.0) else 0.0
    return float(np.clip(np.dot(one / lengths[0], two / lengths[1]), -1.0, 1.0))


def relative_rms(reference: Array, result: Array) -> float:
    """Root mean square of the difference by that of the reference; infinite where only the reference is zero."""
    power = float(np.mean(reference.astype(np.float64) ** 2))
    noise = float(np.mean((reference.astype(np.float64) - result.astype(np.float64)) ** 2))
    if power == 0.0:
        return 0.0 if noise == 0.0 else float("inf")
    return float(np.sqrt(noise / power))


METRICS: dict[str, Callable[[Array, Array], float]] = {"top1": top1, "miou": miou, "map50": map50, "map50_95": map50_95}
"""Metrics of INTERFACE's `--metric`: `f(outputs [N, ...], labels) -> value`, larger is better."""


def _without_batch(outputs: Array, rank: int) -> Array:
    """`[N, 1, ...]` as `[N, ...]` of `rank` axes: the model's own batch axis stands behind the samples."""
    return outputs[:, 0] if outputs.ndim == rank + 1 and outputs.shape[1] == 1 else outputs
