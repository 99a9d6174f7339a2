# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sessions with HDF5 files; h5py and xarray look at them, too, where they are there."""

import os
import pathlib
import signal
import warnings

import numpy as np
import pytest
from conftest import LATTICE, random_field, random_links

import limequat as lq

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/good/hdf5"

try:
    with lq.hdf5.open(GOLDEN / "qlua-layout-2x4x2x6.h5"):
        pass
except lq.Unsupported:
    pytest.skip("built without HDF5", allow_module_level=True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data.h5"


OBJECTS = {
    "int": -7, "large": 1 << 40, "float": 2.5, "single": np.float32(0.5), "complex": 1 + 2j, "text": "some t\u00e4xt",
    "bool": True, "vector": np.arange(5.0), "matrix": np.arange(6, dtype=np.int64).reshape(2, 3),
    "cube": np.arange(24, dtype=np.complex64).reshape(2, 3, 4), "unsigned": np.array([1, 2], np.uint64),
    "big": np.arange(3, dtype=">f8"), "strided": np.arange(10.0)[::2], "empty": np.zeros(0),
    "texts": ["a", "", "longer"],
}


def equal(found, expected):
    return np.array_equal(np.asarray(found), np.asarray(expected))


def test_objects_come_back(path):
    with lq.hdf5.open(path, "x") as h:
        for name, value in OBJECTS.items():
            h.write(f"/all/{name}", value)
            if np.size(value):
                h.set_attr("/all", name, value)
        assert not path.exists()
    with lq.hdf5.open(path) as h:
        for name, value in OBJECTS.items():
            found, status = h.read_checked(f"all/{name}")
            assert equal(found, value) and status == "ok", name
        attributes = h.attrs("all")
        assert set(attributes) == set(OBJECTS) - {"empty"}
        assert all(equal(attributes[name], OBJECTS[name]) for name in attributes)
        assert h.attr("all", "int") == -7


def test_h5py_reads_them(path):
    h5py = pytest.importorskip("h5py")
    with lq.hdf5.open(path, "x") as h:
        for name, value in OBJECTS.items():
            h.write(name, value)
            if np.size(value):
                h.set_attr("/", name, value)
    with h5py.File(path) as f:
        for name, value in OBJECTS.items():
            found = f[name][()]
            if name.startswith("text"):
                found = found.decode() if np.isscalar(value) else [text.decode() for text in found]
            assert equal(found, value), name
        assert f.attrs["float"] == 2.5 and f.attrs["text"].decode() == OBJECTS["text"]


def test_what_h5py_wrote_is_read(path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as f:
        f["a/vector"] = np.arange(4.0)
        f["a/zipped"] = f.create_dataset("z", data=np.arange(100), chunks=(10,), compression="gzip", shuffle=True)
        f["a/complex"] = 1 - 2j
        f["a/text"] = "variable length"
        f["a/flag"] = True
        f["a"].attrs["list"] = [1, 2, 3]
        f["soft"] = h5py.SoftLink("/a/vector")
    with lq.hdf5.open(path) as h:
        assert equal(h["a/vector"], np.arange(4.0)) and equal(h["soft"], np.arange(4.0))
        assert equal(h["a/zipped"], np.arange(100)) and h["a/complex"] == 1 - 2j
        assert h["a/text"] == "variable length" and h["a/flag"] == 1
        assert equal(h.attr("a", "list"), [1, 2, 3])
        known = h.stat("a/zipped")
        assert known.storage == "chunked" and known.chunk == (10,) and known.filters == ("shuffle", "deflate")
        assert [entry for entry in h.ls("/")] == [
            ("a", "group", ""), ("soft", "dataset", "/a/vector"), ("z", "dataset", "")]


def test_tables_open_in_xarray(path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    table = np.arange(6.0).reshape(2, 3)
    with lq.hdf5.open(path, "x") as h:
        h.write("corr/pion", table, axes={"momentum": [0, 1], "t": None})
        h.write("corr/rho", 2 * table, axes=["momentum", "t"])
        assert equal(h.axes("corr/pion")["momentum"], [0, 1]) and h.axes("corr/pion")["t"] is None
    with xarray.open_dataset(path, group="corr", engine="h5netcdf") as data:
        assert data["pion"].dims == ("momentum", "t") and equal(data["momentum"], [0, 1])
        assert equal(data["rho"], 2 * table)


def test_the_tree_is_browsed(path):
    with lq.hdf5.open(path, "x") as h:
        h.push("a/b")
        h["x"] = 1
        h["x"] = 2
        assert h.pwd == "/a/b" and h["x"] == 2 and "x" in h and "y" not in h
        h.pop()
        h.cd("a")
        h.rename("b/x", "../y")
        h.copy("/y", "z")
        assert [entry.name for entry in h.ls()] == ["b", "z"] == h.keys() == list(h) and len(h) == 2
        h.cd("b")
        assert h and len(h) == 0 and list(h) == []
        h.cd("..")
        del h["b"]
        assert not h.exists("/a/b")
        assert h.stat("/y").bytes == 4 and h.stat("/y").type == "int32"
        h.set_attr("z", "n", 3)
        h.del_attr("z", "n")
        assert h.attrs("z").keys() == {"sha256", ".time"}
        with pytest.raises(lq.NoSuchRecord, match="there is no"):
            h["nowhere"]
        with pytest.raises(lq.NoSuchRecord, match="is a group"):
            h["/a"]
        with pytest.raises(lq.Exists):
            h.write("z", 1)


def test_what_is_not_closed_does_not_appear(path):
    with pytest.raises(ValueError):
        with lq.hdf5.open(path, "x") as h:
            h["x"] = 1
            raise ValueError
    assert not path.exists()
    with lq.hdf5.open(path, "w") as h:
        h["x"] = 1
    with pytest.raises(lq.Exists):
        lq.hdf5.open(path, "x").close()
    with lq.hdf5.open(path, "a") as h:
        h["y"] = 2
        h.flush()
        h["z"] = 3
        h.discard()
    with lq.hdf5.open(path) as h:
        assert [entry.name for entry in h.ls()] == ["x", "y"]
        with pytest.raises(lq.WrongState):
            h["z"] = 1
    with pytest.raises(lq.WrongState):
        h.ls()


def test_wrong_arguments(path):
    with pytest.raises(lq.InvalidArgument, match="mode"):
        lq.hdf5.open(path, "rw")
    with lq.hdf5.open(path, "x") as h:
        for value in (object(), np.zeros(2, "M8[s]"), "a\0b", np.zeros(2, np.longdouble), np.ma.masked_less(np.arange(3.0), 1)):
            with pytest.raises((lq.InvalidArgument, TypeError)):
                h.write("x", value)
        with pytest.raises(lq.InvalidArgument):
            h.write("x", np.zeros((2, 3)), axes=["t"])
        with pytest.raises(lq.InvalidArgument):
            h.write("x", np.zeros(2), axes={"t": [1, 2, 3]})
        with pytest.raises(lq.InvalidArgument):
            h.cd(3)


def test_files_of_others():
    with lq.hdf5.open(GOLDEN / "qlua-layout-2x4x2x6.h5") as h:
        assert equal(h["scalar/vecint"], [7, -8, 9]) and h["scalar/string"] == "hello"
        assert h.read_checked("scalar/vecreal")[1] == "ok"
        assert h.stat("cfg/0").layout == "qlua" and h.stat("cfg/0").microseconds == 1400000000000000
    with lq.hdf5.open(GOLDEN / "qdpxx-objects-4x2x2x6.h5") as h:
        assert h["scalar/ull"] == 1234567890123 and equal(h["scalar/double_1d"], np.arange(5) / 2)


@pytest.mark.parametrize("layout", ["native", "qdp", "qlua"])
def test_fields_come_back(path, layout, links):
    spinor = random_field((4, 3))
    with lq.hdf5.open(path, "x") as h:
        h.write_field("/cfg/u", links, layout=layout)
    with lq.hdf5.open(path, "a") as h:
        h.write_field("/props/s", spinor, precision="double", layout=layout)
        assert equal(h["/cfg/u"], links)
    with lq.hdf5.open(path) as h:
        assert equal(h.read_field("/cfg/u"), links) and equal(h["/props/s"], spinor)
        assert equal(h.read_field("/cfg/u", region={"t": slice(1, 3)}), links[1:3])
        assert set(h.fields()) == {"/cfg/u", "/props/s"}
    assert equal(lq.read(path, "cfg/u"), links)


def test_a_field_is_replaced(path, links):
    other = random_links(seed=5)
    for mode in ("x", "a"):
        with lq.hdf5.open(path, mode) as h:
            if mode == "x":
                h.write_field("u", other)
            with pytest.raises(lq.Exists):
                h.write_field("u", links)
            h.write_field("u", links, overwrite=True)
            assert equal(h["u"], links)
            h.write_field("u", other, overwrite=True)
        with lq.hdf5.open(path) as h:
            assert equal(h["u"], other) and h.fields() == ["/u"]


def test_an_append_that_is_killed_loses_nothing(path):
    with lq.hdf5.open(path, "x") as h:
        h["first"] = 1
    child = os.fork()
    if child == 0:
        h = lq.hdf5.open(path, "a")
        h["second"] = 2
        h.flush()
        h["third"] = 3
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    with lq.hdf5.open(path, "a") as h:
        assert [entry.name for entry in h.ls()] == ["first", "second"]


def test_one_appends_and_others_read(path):
    h5py = pytest.importorskip("h5py")
    with lq.hdf5.open(path, "w") as h:
        h.write("first", 1.0)
    with lq.hdf5.open(path, "a") as h:
        h.write("second", 2.0)
        with pytest.raises(OSError):
            lq.hdf5.open(path, "a")
        with h5py.File(path) as file:
            assert list(file) == ["first"]
        h.flush()
        with h5py.File(path) as file:
            assert list(file) == ["first", "second"]
    with lq.hdf5.open(path, "a") as h:
        assert h["second"] == 2.0


def test_an_array_of_the_shape_of_a_field_is_stored_as_numbers_with_a_warning(tmp_path):
    links = random_links()
    with lq.hdf5.open(tmp_path / "s.h5", "w") as session:
        with pytest.warns(UserWarning, match=r"write_field\(path, array\)"):
            session.write("gauge", links)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            session.write("pion", links[0, 0, 0, 0])
            session.write("real", links.real)
            session.write_field("field", links)
    with lq.hdf5.open(tmp_path / "s.h5") as session:
        assert np.array_equal(session.read("gauge"), links)
