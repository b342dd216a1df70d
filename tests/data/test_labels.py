from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ferrule.data.labels import load_labels, placed
from ferrule.data.pictures import pictures_in
from ferrule.diagnostics import Refusal
from ferrule.program.input_spec import InputSpec


def refused(*arguments: Any, **options: Any) -> str:
    with pytest.raises(Refusal) as caught:
        load_labels(*arguments, **options)
    return caught.value.findings[0].code


@pytest.fixture
def pictures(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "images"
    for name in ("a/one.png", "b/two.png"):
        (folder / name).parent.mkdir(parents=True)
        Image.new("RGB", (40, 20)).save(folder / name)
    return pictures_in(folder)


def test_arrays(tmp_path: Path) -> None:
    path = tmp_path / "l.npz"
    np.savez(path, labels=np.asarray([1.0, 2.0]), masks=np.ones((2, 3, 4), np.uint8), boxes=np.zeros((2, 1, 5)))
    assert load_labels(path, "top1").tolist() == [1, 2] and load_labels(path, "top1").dtype == np.int64
    assert load_labels(path, "miou").shape == (2, 3, 4)
    assert load_labels(path, "map50").dtype == load_labels(path, "map50_95").dtype == np.float32
    np.save(tmp_path / "l.npy", np.asarray([3, 4]))
    assert load_labels(tmp_path / "l.npy", "top1").tolist() == [3, 4]


def test_arrays_that_do_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "l.npz"
    for bad in (np.asarray([0.5]), np.asarray([np.nan]), np.zeros((2, 2), int), np.asarray(["x"])):
        np.savez(path, labels=bad)
        assert refused(path, "top1") == "FER415"
    assert refused(path, "miou") == refused(path, "auc") == "FER415"
    assert refused(tmp_path / "none.npz", "top1") == "FER400"
    (tmp_path / "x.npz").write_bytes(b"PK\x03\x04")
    assert refused(tmp_path / "x.npz", "top1") == "FER401"
    assert refused(tmp_path, "top1") == "FER415"


def test_table_of_labels(tmp_path: Path, pictures: list[Path]) -> None:
    path = tmp_path / "l.csv"
    path.write_text("label\n3\n1\n")
    assert load_labels(path, "top1").tolist() == [3, 1]
    path.write_text("file,label\nb/two.png,1\none.png,7\n")
    assert load_labels(path, "top1", pictures=pictures).tolist() == [7, 1]
    path.write_text("file,label\nb/two.png,1\n")
    assert refused(path, "top1", pictures=pictures) == "FER415"
    path.write_text("1\ncat\n")
    assert refused(path, "top1") == "FER415"


def test_folder_of_masks(tmp_path: Path, pictures: list[Path]) -> None:
    folder = tmp_path / "masks"
    folder.mkdir()
    for value, name in enumerate(("one", "two")):
        Image.fromarray(np.full((20, 40), value, np.uint8)).save(folder / f"{name}.png")
    assert load_labels(folder, "miou", pictures=pictures)[:, 0, 0].tolist() == [0, 1]
    spec = InputSpec(width=8, height=6)
    assert load_labels(folder, "miou", pictures=pictures, spec=spec).shape == (2, 6, 8)
    boxed = InputSpec(width=8, height=6, resize="letterbox")
    assert refused(folder, "miou", pictures=pictures, spec=boxed) == "FER415"
    (folder / "two.png").write_bytes(b"\x89PNG")
    assert refused(folder, "miou", pictures=pictures) == "FER409"


def test_boxes_of_yolo_and_coco_agree(tmp_path: Path, pictures: list[Path]) -> None:
    folder = tmp_path / "labels"
    folder.mkdir()
    (folder / "one.txt").write_text("1 0.5 0.5 0.5 0.5\n0 0.25 0.5 0.1 0.2\n")
    coco = tmp_path / "coco.json"
    coco.write_text(
        json.dumps(
            {
                "images": [
                    {"id": 4, "file_name": "one.png", "width": 40, "height": 20},
                    {"id": 9, "file_name": "two.png", "width": 40, "height": 20},
                ],
                "categories": [{"id": 7}, {"id": 3}],
                "annotations": [
                    {"image_id": 4, "category_id": 7, "bbox": [10, 5, 20, 10]},
                    {"image_id": 4, "category_id": 3, "bbox": [8, 8, 4, 4]},
                ],
            }
        )
    )
    for spec in (None, InputSpec(width=80, height=80), InputSpec(width=80, height=80, resize="letterbox")):
        one = load_labels(folder, "map50", pictures=pictures, spec=spec)
        two = load_labels(coco, "map50", pictures=pictures, spec=spec)
        np.testing.assert_allclose(one, two, atol=1e-4)
        assert one[1, :, 0].tolist() == [-1, -1]
    assert load_labels(folder, "map50", pictures=pictures)[0, 0].tolist() == [1, 10, 5, 30, 15]
    (folder / "one.txt").write_text("1 0.5\n")
    assert refused(folder, "map50", pictures=pictures) == "FER415"
    for text in ("[", "[]", '{"images": 3}', "[" * 100000):
        coco.write_text(text)
        assert refused(coco, "map50", pictures=pictures) == "FER415"


@pytest.mark.parametrize(
    ("resize", "wanted"),
    [("stretch", [20, 20, 60, 60]), ("letterbox", [20, 30, 60, 50]), ("crop", [0, 20, 80, 60])],
)
def test_boxes_follow_the_picture(resize: Any, wanted: list[float]) -> None:
    spec = InputSpec(width=80, height=80, resize=resize)
    assert placed(np.asarray([[10, 5, 30, 15.0]]), (40, 20), spec).tolist() == [wanted]
