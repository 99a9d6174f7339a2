# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""What people who know h5py and numpy expect: files as mappings, indices of lists, shapes and numbers that come back."""

import pathlib

import limequat as lq
import numpy as np
import plain_lime
import pytest
import read_limequat
from conftest import LATTICE, SHAPE, random_field, random_links

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/good/lime"


@pytest.fixture
def props(tmp_path):
    """A file with a gauge-like field and three spinors."""
    path, spinors = tmp_path / "props.scidac", [random_field((4, 3), seed=k) for k in range(3)]
    with lq.create(path) as file:
        file.write("eta", random_field((4, 3), seed=9))
        for spinor in spinors:
            file.write("spinor", spinor)
    return path, spinors


def test_a_file_is_a_mapping_of_its_fields(props):
    path, spinors = props
    with lq.open(path) as f:
        assert f.keys() == list(f) == ["eta", "spinor:0", "spinor:1", "spinor:2"] and len(f) == 4
        for key in f:
            assert key in f and f[key].name == key.split(":")[0]
        assert np.array_equal(f["spinor:2"][...], spinors[2]) and np.array_equal(f["spinor"][...], spinors[0])
        assert np.array_equal(f["spinor", 1][...], spinors[1]) and np.array_equal(f[3][...], spinors[2])
        assert [key for key, _ in f.items()] == f.keys() and [view.index for view in f.values()] == [0, 0, 1, 2]
        assert {k: v.shape for k, v in dict(f).items()}.keys() == set(f.keys())
        assert "spinor:3" not in f and "sink" not in f and 7 not in f and None not in f
        assert f.get("sink") is None and f.get("eta").name == "eta"
        with pytest.raises(KeyError, match="sink"):
            f["sink"]
        with pytest.raises(lq.NoSuchRecord, match=r"is a record, not a field.*records"):
            f["scidac-private-file-xml"]


def test_a_name_that_looks_numbered_is_itself(tmp_path):
    path, fields = tmp_path / "f.scidac", [random_field((4, 3), seed=k) for k in range(3)]
    with lq.create(path) as file:
        for name, field in zip(("a", "a", "a:1"), fields):
            file.write(name, field)
    with lq.open(path) as f:
        assert np.array_equal(f["a:1"][...], fields[2]) and np.array_equal(f["a", 1][...], fields[1])


def test_a_file_without_fields_is_true_and_empty(tmp_path):
    path = tmp_path / "notes.lime"
    path.write_bytes((GOLDEN / "plain_records.lime").read_bytes())
    with lq.open(path) as f:
        assert f and len(f) == 0 and f.keys() == [] and f.datasets == [] and "note" not in f


INDICES = [np.s_[[0, 2]], np.s_[[4, 0, 0, 3]], np.s_[np.array([-1, 1])], np.s_[:, [0, 2]], np.s_[:, :, :, [3, 0]],
           np.s_[np.array([True, False, True, True, False])], np.s_[[False] * 5], np.s_[[]], np.s_[:, [1], 0],
           np.s_[::-1], np.s_[::-2, 0], np.s_[4:1:-1, :, ::-1], np.s_[..., [2, 0]], np.s_[[1, 3], ..., 2],
           np.s_[2, :, [0, 1]], np.s_[:, [0, 2], :, 3], np.s_[[0, 1], [2, 0]], np.s_[np.int64(2)], np.s_[(1, 2, 0, 3)],
           np.s_[range(1, 4)], np.s_[:, np.array([0, 2], np.uint8)], np.s_[3:1], np.s_[-3:, -1]]


@pytest.mark.parametrize("key", INDICES, ids=str)
def test_indices_are_those_of_numpy(gauge_file, links, key):
    with lq.open(gauge_file) as f:
        found = f["gauge"][key]
        assert found.dtype == links.dtype and found.shape == links[key].shape and np.array_equal(found, links[key])


@pytest.mark.parametrize("key", [np.s_[[0, 5]], np.s_[[-6]], np.s_[[True, False]], np.s_[np.ones((5, 3), bool)], np.s_[[0.5]],
                                 np.s_[[[0, 1], [2, 3]]], np.s_[["a"]], np.s_["t"], np.s_[[[0], [1, 2]]], np.s_[5]], ids=str)
def test_wrong_indices_are_index_errors(gauge_file, key):
    with lq.open(gauge_file) as f, pytest.raises(IndexError):
        f["gauge"][key]


def test_a_list_of_slices_reads_only_those(gauge_file, links):
    """Time slice 2 is damaged; the others are read and verified."""
    data = bytearray(gauge_file.read_bytes())
    data[data.index(links[2].astype(">c16").tobytes()[:64])] ^= 1
    gauge_file.write_bytes(data)
    with lq.open(gauge_file) as f:
        assert np.array_equal(f["gauge"][[0, 1, 4]], links[[0, 1, 4]])
        with pytest.raises(lq.ChecksumError):
            f["gauge"][[0, 2]]


def test_a_part_of_the_lattice_is_indexed_from_where_it_begins():
    with lq.open(GOLDEN / "hypercube.lime") as f:
        whole = f["field"].read()
        assert np.array_equal(f["field"][:, [3, 1], ::-1], whole[:, [3, 1], ::-1])


# Shapes

@pytest.mark.parametrize("name", ["f.scidac", "f.h5", "f.sqz"])
@pytest.mark.parametrize("site", [(2, 5), (2, 1, 3), (4, 4)])
@pytest.mark.parametrize("dtype", [np.complex64, np.float64])
def test_the_axes_of_a_site_come_back(tmp_path, name, site, dtype):
    array = random_field(site, dtype)
    lq.write(tmp_path / name, array, kind="generic", metadata={"note": "kept"}, format="scidac" if name == "f.scidac" else None)
    assert np.array_equal(lq.read(tmp_path / name), array)
    with lq.open(tmp_path / name) as f:
        view = f["field"]
        assert view.shape == array.shape and view.site_shape == site and view.metadata["note"] == "kept"
        assert np.array_equal(view[1:3, ..., 0], array[1:3, ..., 0])
        assert name == "f.sqz" or np.array_equal(view.memmap(), array)
    assert np.array_equal(lq.read(tmp_path / name, region={"t": slice(1, 3)}, out=np.empty_like(array[1:3])), array[1:3])
    if name == "f.scidac":
        assert dict(plain_lime.records(tmp_path / name))["limequat-site-shape"].decode() == " ".join(map(str, site))
        assert read_limequat.read(tmp_path / name).tobytes() == array.tobytes()
        assert read_limequat.read(tmp_path / name).shape == array.shape


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128, np.float32, np.float64])
def test_hdf5_has_the_axes_of_a_site_as_its_own(tmp_path, dtype):
    h5py = pytest.importorskip("h5py")
    array = random_field((2, 5), dtype)
    lq.write(tmp_path / "f.h5", array, kind="generic", dataset_chunk="slice")
    with h5py.File(tmp_path / "f.h5") as file:
        data = file["field"]
        assert data.shape == array.shape and np.array_equal(data[()], array)
        assert data.attrs["dimensions"].decode() == "t,z,y,x,component1,component2"
        assert [file[reference[0]].shape[0] for reference in data.attrs["DIMENSION_LIST"]] == list(array.shape)
    assert lq.verify(tmp_path / "f.h5").verdict == "sound"
    assert lq.validate(tmp_path / "f.h5")


def test_the_dataspace_says_the_axes_of_a_site_in_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    array = random_field((2, 3, 5))
    lq.write(tmp_path / "f.h5", array, kind="generic")
    for text in (None, "5 3 2", "rubbish"):
        with h5py.File(tmp_path / "f.h5", "a") as file:
            del file["field"].attrs["limequat-site-shape"]
            if text:
                file["field"].attrs["limequat-site-shape"] = text
            else:
                file["field"].attrs["note"] = "kept"
        if text is None:
            with h5py.File(tmp_path / "f.h5", "a") as file:
                assert lq.read(tmp_path / "f.h5").shape == array.shape
                file["field"].attrs["limequat-site-shape"] = "x"
        assert np.array_equal(lq.read(tmp_path / "f.h5"), array)
    lq.convert(tmp_path / "f.h5", tmp_path / "f.scidac")
    assert np.array_equal(lq.read(tmp_path / "f.scidac"), array)


@pytest.mark.parametrize("text", ["3 5", "2 5 2", "0 10", "10", "-2 -5", "2 18446744073709551615 5", "2x5", "", "1 " * 40 + "10"])
def test_a_text_that_does_not_fit_the_site_leaves_one_axis(tmp_path, text):
    h5py = pytest.importorskip("h5py")
    array = random_field((10,))
    lq.write(tmp_path / "f.h5", array, kind="generic", metadata={"limequat-site-shape": text})
    assert np.array_equal(lq.read(tmp_path / "f.h5"), array)
    with h5py.File(tmp_path / "f.h5") as file:
        assert file["field"].shape == array.shape and file["field"].attrs["dimensions"].decode() == "t,z,y,x,component"


def test_a_file_of_one_axis_with_the_text_of_before_is_read(tmp_path):
    h5py = pytest.importorskip("h5py")
    array = random_field((10,))
    lq.write(tmp_path / "f.h5", array, kind="generic")
    with h5py.File(tmp_path / "f.h5", "a") as file:
        file["field"].attrs["limequat-site-shape"] = "2 5"
    assert np.array_equal(lq.read(tmp_path / "f.h5"), array.reshape(SHAPE + (2, 5)))


def test_axes_survive_conversions_writers_and_checkpoints(tmp_path):
    array = random_field((2, 5))
    with lq.create(tmp_path / "a.scidac") as file:
        file.write("x", array, kind="generic")
        file.write("y", array[..., 0], kind="generic")
    with lq.open(tmp_path / "a.scidac") as f:
        assert f["x"].shape == SHAPE + (2, 5) and f["y"].shape == SHAPE + (2,)
    lq.convert(tmp_path / "a.scidac", tmp_path / "a.h5", field="x")
    assert np.array_equal(lq.read(tmp_path / "a.h5"), array)
    with lq.multifile.create(tmp_path / "run.sion") as m:
        m.write_field("x", array, kind="generic")
    with lq.multifile.open(tmp_path / "run.sion") as m:
        assert np.array_equal(m.read_field("x"), array)
    with lq.hdf5.open(tmp_path / "s.h5", "w") as h:
        h.write_field("x", array, kind="generic")
    with lq.hdf5.open(tmp_path / "s.h5") as h:
        assert np.array_equal(h.read_field("x"), array)


def test_axes_survive_transfers_in_the_background(tmp_path):
    array = random_field((2, 5))
    with lq.write_async(tmp_path / "a.scidac", array, kind="generic", metadata={"mass": 0.5}):
        pass
    with lq.read_async(tmp_path / "a.scidac") as reading:
        assert np.array_equal(reading.wait(), array)
    with lq.write_async(tmp_path / "a.raw", array, kind="generic"):
        pass
    assert np.array_equal(lq.read(tmp_path / "a.raw"), array.reshape(SHAPE + (10,)))


def test_axes_of_a_site_have_different_names_in_xarray(tmp_path):
    pytest.importorskip("xarray")
    lq.write(tmp_path / "a.scidac", random_field((2, 5)), kind="generic")
    with lq.open(tmp_path / "a.scidac") as f:
        assert f["field"].to_xarray(None).dims == ("t", "z", "y", "x", "n1", "n2")
        assert f.to_xarray()["field"].sizes["n2"] == 5


def test_formats_without_texts_still_take_such_arrays(tmp_path):
    array = random_field((2, 5), np.float64)
    lq.write(tmp_path / "a.raw", array, kind="generic")
    assert np.array_equal(lq.read(tmp_path / "a.raw"), array.reshape(SHAPE + (10,)))


@pytest.mark.parametrize("text", ["3 3", "10 0", "x", "", "10", "-2 -5", "2 5 " * 20])
def test_a_shape_that_does_not_fit_is_ignored(tmp_path, text):
    lq.write(tmp_path / "a.scidac", random_field((10,)), kind="generic", metadata={"limequat-site-shape": text} if text else None)
    assert lq.read(tmp_path / "a.scidac").shape == read_limequat.read(tmp_path / "a.scidac").shape == SHAPE + (10,)


def test_staggered_fields_keep_their_kind(tmp_path):
    propagator, spinor = random_field((3, 3)), random_field((3,))
    for name in ("p.scidac", "p.h5"):
        lq.write(tmp_path / name, propagator, kind="propagator")
        with lq.open(tmp_path / name) as f:
            view = f["propagator"]
            assert view.kind == "propagator" and np.array_equal(view[...], propagator[:, :, :, :, None, None])
    lq.write(tmp_path / "s.scidac", spinor, kind="spinor", dims=4)
    with lq.open(tmp_path / "s.scidac") as f:
        assert f["spinor"].kind == "spinor" and np.array_equal(f["spinor"][...], spinor[:, :, :, :, None])


# Metadata

def test_numbers_in_metadata_come_back_as_texts_of_the_same_numbers(tmp_path):
    given = {"beta": 6.1, "n": -7, "third": 1 / 3, "big": 2**70, "np": np.float64(0.1), "single": np.float32(0.1), "i": np.int8(3),
             "tiny": 5e-324, "text": "as it is"}
    lq.write(tmp_path / "a.ildg", random_links(), metadata=given)
    texts = lq.open(tmp_path / "a.ildg")["gauge"].metadata
    for name, value in given.items():
        if name == "text":
            assert texts[name] == value
        elif isinstance(value, (int, np.integer)):
            assert int(texts[name]) == value
        else:
            assert float(texts[name]) == float(value)
    with lq.create(tmp_path / "b.h5") as file:
        file.write("x", random_field((4, 3)), metadata={"mass": 0.05})
    assert float(lq.open(tmp_path / "b.h5")["x"].metadata["mass"]) == 0.05
    for wrong in (True, None, 1j, [1.0], b"x", np.array([1.0, 2.0])):
        with pytest.raises(lq.InvalidArgument, match="texts or numbers"):
            lq.write(tmp_path / "c.ildg", random_links(), metadata={"x": wrong})


# Plain HDF5

h5py = pytest.importorskip("h5py", reason="h5py makes the files")


@pytest.fixture
def plain(tmp_path):
    links, propagator = random_links(), random_field((4, 4, 3, 3), np.complex64)
    with h5py.File(tmp_path / "plain.h5", "w") as f:
        f["conf/u"], f["beta"], f["conf/x"] = links, 6.0, random_field((2, 5), np.float64)
        f["pairs"] = np.stack((links.real, links.imag), -1)
        f["theirs"] = np.moveaxis(links, 4, 0)
        f["split"] = np.moveaxis(np.stack((propagator.real, propagator.imag)), 0, 0)
        f["numbers"] = np.arange(6)
    return tmp_path / "plain.h5", links, propagator


def test_datasets_are_listed_with_their_shapes(plain):
    path, links, _ = plain
    with lq.open(path) as f:
        assert len(f) == 0 and {one.path: one.shape for one in f.datasets}["/conf/u"] == links.shape
        assert "dataset /conf/u [5, 3, 2, 4, 4, 3, 3] complex128" in str(f)
    with pytest.raises(lq.NoSuchRecord, match=r"as_=.gauge"):
        lq.read(path)
    with lq.open(path) as f:
        for key in ("conf/u", "/conf/u"):
            with pytest.raises(lq.NoSuchRecord, match=r"read.path, '/conf/u', as_=.gauge"):
                f[key]


def test_datasets_are_read_as_fields(plain):
    path, links, propagator = plain
    for name, meaning in (("/conf/u", "gauge"), ("conf/u", "t z y x mu row column"), ("pairs", "gauge"),
                          ("pairs", "t z y x mu row column reim"), ("theirs", "mu t z y x row column")):
        found = lq.read(path, name, as_=meaning)
        assert found.dtype == np.complex128 and np.array_equal(found, links), (name, meaning)
    split = lq.read(path, "split", as_="reim t z y x sink_spin source_spin sink_color source_color")
    assert split.dtype == np.complex64 and np.array_equal(split, propagator)
    part = lq.read(path, "conf/u", as_="gauge", region={"t": slice(1, 3), "x": slice(2, 4)}, dtype="complex64")
    assert part.dtype == np.complex64 and np.array_equal(part, links[1:3, ..., 2:4, :, :, :].astype("c8"))
    out = np.empty_like(links)
    assert lq.read(path, "conf/u", as_="gauge", out=out) is out and np.array_equal(out, links)
    assert lq.read(path, "conf/x", as_="generic").shape == SHAPE + (2, 5)


def test_what_is_no_field_is_explained(plain):
    path, _, _ = plain
    for name, meaning, kind in (("nowhere", "gauge", KeyError), ("conf", "gauge", KeyError), ("numbers", "gauge", lq.InvalidArgument),
                                ("conf/u", "spinor", lq.InvalidArgument), ("conf/u", "mu t", lq.InvalidArgument),
                                ("conf/u", "mu mu t z y x row column", lq.InvalidArgument), (None, "gauge", lq.InvalidArgument),
                                ("conf/u", 5, lq.InvalidArgument), ("beta", "t z y x mu row column", lq.InvalidArgument)):
        with pytest.raises(kind):
            lq.read(path, name, as_=meaning)
    with pytest.raises(lq.Unsupported):
        lq.read(path, "conf/u", as_="gauge", grid=lq.Grid(LATTICE))
