from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from ferrule.data.arrays import LARGEST_BYTES
from ferrule.data.samples import draw, load_samples
from ferrule.data.spec_file import read_input_spec
from ferrule.diagnostics import Finding, Refusal
from ferrule.program.input_spec import InputSpec, from_toml

F32 = np.dtype(np.float32)
IMAGE = [("img", (1, 3, 4, 6), F32)]
RNG = np.random.default_rng(0)


def refusal(path: Path, interface: Any = IMAGE, *more: Any, **options: Any) -> Finding:
    with pytest.raises(Refusal) as caught:
        load_samples(path, interface, *more, **options)
    assert caught.value.findings[0].stage == "data"
    return caught.value.findings[0]


def saved(folder: Path, name: str = "d.npz", **arrays: Any) -> Path:
    path = folder / name
    np.savez(path, **arrays)
    return path


def test_both_shapes_give_the_same(tmp_path: Path) -> None:
    x = RNG.normal(size=(5, 1, 3, 4, 6)).astype(np.float32)
    for array in (x, x[:, 0]):
        got = load_samples(saved(tmp_path, img=array), IMAGE)
        np.testing.assert_array_equal(got["img"], x)
        np.save(tmp_path / "d.npy", array)
        np.testing.assert_array_equal(load_samples(tmp_path / "d.npy", IMAGE)["img"], x)


def test_a_wider_batch_takes_whole_batches_only(tmp_path: Path) -> None:
    x = RNG.normal(size=(5, 2, 7)).astype(np.float32)
    assert load_samples(saved(tmp_path, a=x), [("a", (2, 7), F32)])["a"].shape == (5, 2, 7)
    assert refusal(saved(tmp_path, a=x[0]), [("a", (2, 7), F32)]).code == "FER403"


def test_several_inputs_and_unused_arrays(tmp_path: Path) -> None:
    interface = [("a", (1, 2), F32), ("b", (1,), np.dtype(np.int64))]
    notes: list[Finding] = []
    path = saved(tmp_path, a=np.zeros((3, 2)), b=np.arange(3)[:, None], other=np.zeros(1))
    got = load_samples(path, interface, notes=notes)
    assert got["a"].dtype == np.float32 and got["b"].dtype == np.int64
    assert [n.code for n in notes] == ["FER413"] and "`other`" in notes[0].message
    assert refusal(saved(tmp_path, a=np.zeros((3, 2)), b=np.zeros((4, 1), int)), interface).code == "FER403"
    missing = refusal(saved(tmp_path, a=np.zeros((3, 2)), bb=np.zeros((4, 1), int)), interface)
    assert (missing.code, missing.node) == ("FER402", "input:b")
    np.save(tmp_path / "one.npy", np.zeros((3, 2)))
    assert refusal(tmp_path / "one.npy", interface).code == "FER402"


def test_one_array_of_another_name(tmp_path: Path) -> None:
    notes: list[Finding] = []
    got = load_samples(saved(tmp_path, x=np.zeros((2, 3, 4, 6), np.float32)), IMAGE, notes=notes)
    assert list(got) == ["img"] and [n.code for n in notes] == ["FER413"]
    assert refusal(saved(tmp_path, x=np.zeros((2, 3, 9, 6), np.float32))).code == "FER402"
    assert refusal(saved(tmp_path, x=np.zeros((2, 3, 4, 6)), y=np.zeros(2))).code == "FER402"


def test_types(tmp_path: Path) -> None:
    notes: list[Finding] = []
    pixels = RNG.integers(0, 256, (2, 3, 4, 6), np.uint8)
    got = load_samples(saved(tmp_path, img=pixels), IMAGE, notes=notes)["img"]
    assert got.dtype == np.float32 and [n.code for n in notes] == ["FER414"]
    np.testing.assert_array_equal(got[:, 0], pixels)
    tokens = [("t", (1, 2), np.dtype(np.int32))]
    assert load_samples(saved(tmp_path, t=np.asarray([[1, 2]], np.int64)), tokens)["t"].dtype == np.int32
    for bad in (np.asarray([[0.5, 1.0]]), np.asarray([[1, 2**40]]), np.asarray([["a", "b"]]), np.ones((1, 2), complex)):
        assert refusal(saved(tmp_path, t=bad), tokens).code == "FER404"
    assert refusal(saved(tmp_path, v=np.asarray([[2**24 + 1]])), [("v", (1, 1), F32)]).code == "FER404"
    assert refusal(saved(tmp_path, v=np.asarray([[1e300]])), [("v", (1, 1), F32)]).code == "FER404"


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite(tmp_path: Path, bad: float) -> None:
    x = np.zeros((3, 3, 4, 6), np.float32)
    x[1, 2, 3, 4] = bad
    finding = refusal(saved(tmp_path, img=x))
    assert finding.code == "FER405" and "sample 1" in finding.message


def test_pixels_channels_last(tmp_path: Path) -> None:
    pixels = RNG.integers(0, 256, (2, 4, 6, 3), np.uint8)
    finding = refusal(saved(tmp_path, img=pixels))
    assert finding.code == "FER412" and "transpose(0, 3, 1, 2)" in " ".join(finding.help)
    spec = InputSpec(width=6, height=4, scale=(1 / 255,), color="bgr")
    got = load_samples(saved(tmp_path, img=pixels), IMAGE, spec)["img"]
    wanted = pixels[..., ::-1].transpose(0, 3, 1, 2)[:, None] / 255
    np.testing.assert_allclose(got, wanted, rtol=1e-6)
    assert refusal(saved(tmp_path, img=pixels), IMAGE, InputSpec(layout="nhwc")).code == "FER411"
    assert refusal(saved(tmp_path, img=pixels), IMAGE, InputSpec(color="grey", color_file="grey")).code == "FER411"


def test_files_that_are_no_data(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.npz").code == "FER400"
    whole = saved(tmp_path, img=np.zeros((2, 3, 4, 6), np.float32)).read_bytes()
    for name, content in {
        "a.npz": b"", "b.npz": b"\x89PNG\r\n\x1a\n", "c.npz": whole[: len(whole) // 2],
        "d.npy": b"\x93NUMPY\x01\x00\xff",
        "e.npy": b"", "f.txt": b"1,2", "g.csv": b"\xff\xfe\x00", "h.csv": b"1,2\n3,x\n", "i.bin": b"12345",
    }.items():  # fmt: skip
        (tmp_path / name).write_bytes(content)
        assert refusal(tmp_path / name).code == "FER401", name
    np.savez(tmp_path / "empty.npz")
    assert refusal(tmp_path / "empty.npz").code == "FER406"
    assert refusal(saved(tmp_path, img=np.zeros((0, 3, 4, 6), np.float32))).code == "FER406"


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_damaged_npz_is_a_finding_or_data(position: int, value: int) -> None:
    import tempfile

    buffer = io.BytesIO()
    np.savez(buffer, img=np.ones((2, 3, 4, 6), np.float32))
    data = bytearray(buffer.getvalue())
    data[position % len(data)] = value
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npz"
        path.write_bytes(data)
        try:
            assert load_samples(path, IMAGE)["img"].shape == (2, 1, 3, 4, 6)
        except Refusal as error:
            assert error.findings[0].code in (
                "FER401",
                "FER402",
                "FER403",
                "FER404",
                "FER405",
                "FER406",
                "FER408",
                "FER412",
            )


def test_objects_are_not_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "o.npy"
    np.save(path, np.asarray([{"a": 1}, None], object), allow_pickle=True)
    assert refusal(path).code == "FER407"
    assert refusal(saved(tmp_path, img=np.asarray([{}, 1], object))).code == "FER407"


def test_sizes_are_checked_before_memory_is_taken(tmp_path: Path) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": (LARGEST_BYTES, 9)})
    (tmp_path / "big.npy").write_bytes(header.getvalue())
    assert refusal(tmp_path / "big.npy").code == "FER408"
    with zipfile.ZipFile(tmp_path / "big.npz", "w") as archive:
        archive.writestr("img.npy", header.getvalue())
    assert refusal(tmp_path / "big.npz").code == "FER408"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": (1000, 1000)})
    (tmp_path / "short.npy").write_bytes(header.getvalue())
    assert refusal(tmp_path / "short.npy").code == "FER401"


def test_fortran_order(tmp_path: Path) -> None:
    x = RNG.normal(size=(2, 3, 4, 6)).astype(np.float32)
    np.testing.assert_array_equal(load_samples(saved(tmp_path, img=np.asfortranarray(x)), IMAGE)["img"][:, 0], x)


def test_csv_and_bin(tmp_path: Path) -> None:
    interface = [("x", (1, 2, 3), F32)]
    x = RNG.normal(size=(4, 6)).astype(np.float32)
    for heading, mark in (("", ","), ("a,b,c,d,e,f\n", ","), ("", ";")):
        text = heading + "\n".join(mark.join(repr(float(v)) for v in row) for row in x) + "\n"
        (tmp_path / "x.csv").write_bytes(text.replace("\n", "\r\n").encode())
        np.testing.assert_array_equal(load_samples(tmp_path / "x.csv", interface)["x"].reshape(4, 6), x)
    (tmp_path / "x.csv").write_text("1,2,3\n")
    assert "line 1" in refusal(tmp_path / "x.csv", interface).message
    (tmp_path / "t.csv").write_text("1,2\n3,4\n")
    assert load_samples(tmp_path / "t.csv", [("t", (1, 2), np.dtype(np.int64))])["t"].tolist() == [[[1, 2]], [[3, 4]]]
    (tmp_path / "x.bin").write_bytes(x.tobytes())
    np.testing.assert_array_equal(load_samples(tmp_path / "x.bin", interface)["x"].reshape(4, 6), x)
    (tmp_path / "x.bin").write_bytes(np.arange(12, dtype="<i2").tobytes())
    got = load_samples(tmp_path / "x.bin", interface, dtype="int16")["x"]
    assert got.dtype == np.float32 and got.reshape(-1).tolist() == list(range(12))
    assert refusal(tmp_path / "x.bin", interface, dtype="object").code == "FER404"


def picture(path: Path, width: int, height: int, mode: str = "RGB") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    shape = (height, width, 3) if mode == "RGB" else (height, width)
    Image.fromarray(np.random.default_rng(len(path.name)).integers(0, 256, shape, np.uint8)).save(path)
    return path


def test_folder_without_description_prints_one(tmp_path: Path) -> None:
    picture(tmp_path / "a.png", 6, 4)
    finding = refusal(tmp_path)
    assert (finding.code, finding.node) == ("FER410", "input:img")
    text = "\n".join(n for n in finding.notes if "=" in n)
    assert from_toml(text) == InputSpec(width=6, height=4)


def test_folder_of_pictures(tmp_path: Path) -> None:
    one, two = picture(tmp_path / "a" / "é 2.png", 6, 4), picture(tmp_path / "b.bmp", 12, 8, "L")
    picture(tmp_path / ".hidden" / "c.png", 6, 4)
    (tmp_path / "notes.txt").write_text("no picture")
    spec = InputSpec(width=6, height=4, scale=(1 / 255,))
    got = load_samples(tmp_path, IMAGE, spec)["img"]
    assert got.shape == (2, 1, 3, 4, 6) and got.dtype == np.float32
    np.testing.assert_allclose(got[0, 0], np.asarray(Image.open(one)).transpose(2, 0, 1) / 255, rtol=1e-6)
    assert (got[1, 0, 0] == got[1, 0, 2]).all() and two.exists()  # grey became three equal channels
    swapped = load_samples(one, IMAGE, InputSpec(width=6, height=4, color="bgr"))["img"]
    np.testing.assert_array_equal(swapped[0, 0], np.asarray(Image.open(one)).transpose(2, 0, 1)[::-1])
    assert refusal(tmp_path, IMAGE, InputSpec(width=5, height=4)).code == "FER411"
    assert refusal(tmp_path, IMAGE, InputSpec()).code == "FER411"
    assert refusal(tmp_path, [*IMAGE, ("other", (1, 2), F32)], spec).code == "FER402"


def test_letterbox_and_crop(tmp_path: Path) -> None:
    Image.new("RGB", (40, 20), (200, 200, 200)).save(tmp_path / "wide.png")
    interface = [("img", (1, 3, 8, 8), F32)]
    boxed = load_samples(tmp_path, interface, InputSpec(width=8, height=8, resize="letterbox", fill=114))["img"][
        0, 0, 0
    ]
    assert boxed[:, 0].tolist() == [114, 114, 200, 200, 200, 200, 114, 114]
    cropped = load_samples(tmp_path, interface, InputSpec(width=8, height=8, resize="crop"))["img"]
    assert (cropped == 200).all()


def test_broken_pictures(tmp_path: Path) -> None:
    spec = InputSpec(width=6, height=4)
    assert refusal(tmp_path, IMAGE, spec).code == "FER406"
    whole = picture(tmp_path / "ok.png", 30, 30).read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    finding = refusal(tmp_path, IMAGE, spec)
    assert finding.code == "FER409" and "cut.png" in finding.message
    (tmp_path / "cut.png").write_bytes(b"not a picture")
    assert refusal(tmp_path, IMAGE, spec).code == "FER409"


def test_description_files(tmp_path: Path) -> None:
    path = tmp_path / "input.toml"
    path.write_bytes(b"\xef\xbb\xbf" + InputSpec(width=6, height=4).to_toml().replace("\n", "\r\n").encode())
    assert read_input_spec(path) == InputSpec(width=6, height=4)
    path.write_text("width = ")
    for place, code in ((path, "FER411"), (tmp_path / "none.toml", "FER400"), (tmp_path, "FER411")):
        with pytest.raises(Refusal) as caught:
            read_input_spec(place)
        assert caught.value.findings[0].code == code


@given(st.integers(1, 500), st.integers(1, 500), st.integers(0, 99))
def test_draw_is_even(count: int, wanted: int, seed: int) -> None:
    index = draw(count, wanted, seed)
    if wanted >= count:
        assert index is None
        return
    assert index is not None and len(index) == wanted
    assert (np.diff(index) > 0).all() and index[0] >= 0 and index[-1] < count
    assert np.abs(index - np.arange(wanted) * count / wanted).max() <= count / wanted + 1
    np.testing.assert_array_equal(index, draw(count, wanted, seed))


def test_drawn_samples(tmp_path: Path) -> None:
    path = saved(tmp_path, v=np.arange(100, dtype=np.float32)[:, None])
    one, two = (load_samples(path, [("v", (1, 1), F32)], None, 10, seed)["v"].reshape(-1) for seed in (0, 1))
    assert len(one) == 10 and one.tolist() != two.tolist()
