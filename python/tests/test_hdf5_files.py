# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""HDF5 files of ours as h5py and xarray see them, with sums made anew by hashlib and zlib."""

import hashlib
import struct
import time
import zlib

import numpy as np
import pytest
from conftest import LATTICE, SHAPE, random_field, random_links

import limequat as lq

if not any(one["name"] == "hdf5" for one in lq.formats()):
    pytest.skip("this build has no HDF5", allow_module_level=True)
h5py = pytest.importorskip("h5py")


def rotated(word, by):
    return ((word << by) | (word >> (32 - by))) & 0xFFFFFFFF


def scidac_sum(sites, first=0):
    """Of sites as they lie in the file, [site, bytes]."""
    a = b = 0
    for rank, site in enumerate(sites, first):
        crc = zlib.crc32(site.tobytes())
        a ^= rotated(crc, rank % 29) if rank % 29 else crc
        b ^= rotated(crc, rank % 31) if rank % 31 else crc
    return a, b


def as_bytes(array):
    return np.ascontiguousarray(array).reshape(np.prod(SHAPE), -1).view(np.uint8)


@pytest.mark.parametrize("precision, dtype", [("double", np.complex128), ("single", np.complex64)])
def test_native_is_plain_numbers_with_all_that_is_known(tmp_path, links, precision, dtype):
    path = tmp_path / "a.h5"
    report = lq.write(path, links, precision=precision, metadata={"note": "thermalised"})
    with h5py.File(path) as file:
        data = file["gauge"]
        assert data.dtype == dtype and data.shape == SHAPE + (4, 3, 3) and data.chunks is None
        assert np.array_equal(data[...], links.astype(dtype))
        said = dict(data.attrs)
        a, b = scidac_sum(as_bytes(data[...]))
        assert said["checksum"] == f"{a:08x}/{b:08x}".encode() or said["checksum"] == f"{a:08x}/{b:08x}"
        slices = as_bytes(data[...]).reshape(SHAPE[0], -1, as_bytes(data[...]).shape[1])
        expected = [scidac_sum(one, t * len(one)) for t, one in enumerate(slices)]
        assert np.array_equal(said["slice_checksums"], np.array(expected, np.uint32).reshape(-1))
        assert all(np.ndim(value) <= 1 for value in said.values())  # netCDF refuses files with others
        assert list(said["extents"]) == list(LATTICE)
        texts = {name: h5py.check_string_dtype(data.attrs.get_id(name).dtype) for name in ("kind", "dimensions", "note")}
        assert all(text.length for text in texts.values())
        assert data.attrs["kind"] in (b"gauge", "gauge")
        assert data.attrs["dimensions"] in (b"t,z,y,x,mu,row,column", "t,z,y,x,mu,row,column")
        assert data.attrs["gauge_group"] in (b"SU(3)", "SU(3)")
        assert data.attrs["note"] in (b"thermalised", "thermalised")
        assert abs(data.attrs[".time"] / 1e6 - path.stat().st_mtime) < 60
        assert [d.keys()[0] if d.keys() else None for d in data.dims] is not None
        assert [scale[0].name for scale in data.dims] == ["/t", "/z", "/y", "/x", "/mu", "/row", "/column"]
    assert report.checksum_status == "ok"
    assert np.array_equal(lq.read(path, dtype=dtype), links.astype(dtype))


def test_netcdf_opens_native_files(tmp_path, links):
    netcdf = pytest.importorskip("netCDF4")
    path = tmp_path / "a.h5"
    lq.write(path, links)
    with netcdf.Dataset(path) as file:
        data = file["gauge"]
        assert data.dimensions == ("t", "z", "y", "x", "mu", "row", "column")
        numbers = data[...]
        assert np.array_equal(numbers["r"] + 1j * numbers["i"], links)
        assert data.getncattr("site_order") == "x fastest"


def test_each_further_field_takes_the_same_room(tmp_path):
    field = np.ones((2, 2, 2, 2, 4, 3), np.complex128)

    def size_with(fields):
        path = tmp_path / f"{fields}.h5"
        with lq.create(path) as file:
            for number in range(fields):
                file.write(f"set/{number:03}", field, kind="spinor")
        return path.stat().st_size

    sizes = [size_with(fields) for fields in (50, 100, 150)]
    assert abs((sizes[2] - sizes[1]) - (sizes[1] - sizes[0])) < 16384


def test_xarray_names_the_dimensions(tmp_path, links):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    lq.write(tmp_path / "a.h5", links)
    with xarray.open_dataset(tmp_path / "a.h5", engine="h5netcdf") as data:
        assert data["gauge"].dims == ("t", "z", "y", "x", "mu", "row", "column")
        assert np.array_equal(data["gauge"].values, links)


def test_qdp_has_matrices_as_elements(tmp_path, links):
    propagator = random_field((4, 4, 3, 3))
    with lq.create(tmp_path / "a.h5", LATTICE, layout="qdp") as file:
        file.write("cfg/gauge", links)
        file.write("props/one", propagator, kind="propagator")
        file.write("props/fermion", random_field((4, 3), seed=3), kind="spinor")
    with h5py.File(tmp_path / "a.h5") as file:
        gauge = file["cfg/gauge"]
        assert gauge.shape == SHAPE + (4,)
        assert gauge.id.get_type().get_array_dims() == (3, 3)
        assert gauge.id.get_type().committed() and ".ColorMatrixDouble3" in file
        assert np.array_equal(gauge[...], links)
        assert np.array_equal(file["props/one"][...], propagator)
        fermion = file["props/fermion"]
        assert fermion.shape == SHAPE + (24,) and fermion.dtype == np.float64
        assert np.array_equal(fermion[...].view(np.complex128).reshape(SHAPE + (4, 3)), random_field((4, 3), seed=3))
    assert np.array_equal(lq.read(tmp_path / "a.h5", field="props/one"), propagator)
    assert np.array_equal(lq.read(tmp_path / "a.h5", field="props/fermion").reshape(SHAPE + (4, 3)),
                          random_field((4, 3), seed=3))
    assert np.array_equal(lq.read(tmp_path / "a.h5"), links)


def qlua_sum(values):
    """Of an array whose first four dimensions are x, y, z, t."""
    total = bytes(32)
    little = values.astype(values.dtype.newbyteorder("<"))
    for x in np.ndindex(values.shape[:4]):
        hashed = hashlib.sha256(struct.pack("<5q", 4, *x) + little[x].tobytes()).digest()
        total = bytes(p ^ q for p, q in zip(total, hashed))
    return total


@pytest.mark.parametrize("precision, dtype", [("double", np.complex128), ("single", np.complex64)])
def test_qlua_has_a_dataset_for_each_direction_with_its_sha256(tmp_path, links, precision, dtype):
    path = tmp_path / "a.h5"
    lq.write(path, links, name="cfg", layout="qlua", precision=precision)
    with h5py.File(path) as file:
        assert sorted(file["cfg"]) == ["0", "1", "2", "3"]
        for mu in range(4):
            data = file[f"cfg/{mu}"]
            assert data.shape == LATTICE and data.id.get_type().committed()
            values = data[...]
            assert np.array_equal(values, links[..., mu, :, :].transpose(3, 2, 1, 0, 4, 5).astype(dtype))
            assert bytes(data.attrs[".sha256"]) == qlua_sum(values)
            assert data.attrs[".kind"] in (b"LatticeColorMatrix", "LatticeColorMatrix")
            assert data.id.get_type().get_super().get_member_type(0).get_order() == h5py.h5t.ORDER_BE
    answer = lq.verify(path)
    assert answer and answer["fields"][0]["checksum_status"] == "ok"
    assert np.array_equal(lq.read(path, dtype=dtype), links.astype(dtype))
    with lq.open(path) as file:
        assert np.array_equal(file.fields["cfg"][2, 1, 0, 3], links[2, 1, 0, 3].astype(dtype))
    with h5py.File(path) as file:
        place = file["cfg/2"].id.get_offset()
    with open(path, "r+b") as file:
        file.seek(place + 1000)
        file.write(b"!")
    assert not lq.verify(path)
    with pytest.raises(lq.ChecksumError) as caught:
        lq.read(path)
    assert "of array 2" in str(caught.value)


def padded(values):
    """Each float with four zero bytes behind it."""
    numbers = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).view("<f4").reshape(-1)
    return np.stack([numbers, np.zeros_like(numbers)], axis=-1).tobytes()


def test_single_precision_of_an_old_qlua_is_verified_by_its_own_sum(tmp_path, links):
    path = tmp_path / "old.h5"
    lq.write(path, links, name="cfg", layout="qlua", precision="single")
    with lq.hdf5.open(path, "a", layout="qlua") as file:
        file.write("/vector", np.array([0.5, -2.25], dtype=np.float32))
    with h5py.File(path, "r+") as file:
        for mu in range(4):
            values, total = file[f"cfg/{mu}"][...], bytes(32)
            for x in np.ndindex(values.shape[:4]):
                hashed = hashlib.sha256(struct.pack("<5q", 4, *x) + padded(values[x])).digest()
                total = bytes(p ^ q for p, q in zip(total, hashed))
            file[f"cfg/{mu}"].attrs[".sha256"] = np.frombuffer(total, dtype=np.uint8)
        small = hashlib.sha256(padded(file["vector"][...])).digest()
        file["vector"].attrs[".sha256"] = np.frombuffer(small, dtype=np.uint8)
    answer = lq.verify(path)
    assert answer and answer["fields"][0]["checksum_status"] == "ok"
    assert np.array_equal(lq.read(path, dtype=np.complex64), links.astype(np.complex64))
    with lq.hdf5.open(path) as file:
        assert np.array_equal(file.read("/vector"), [0.5, -2.25])
    with h5py.File(path, "r+") as file:
        file["cfg/1"].attrs[".sha256"] = np.zeros(32, dtype=np.uint8)
    assert not lq.verify(path)


@pytest.mark.parametrize("layout", ["native", "qdp", "qlua"])
@pytest.mark.parametrize("chunk, filters", [("slice", ""), ("slice", "deflate:4"), ("slice", "shuffle,deflate,fletcher32"),
                                            ("slice", "fletcher32"), ("2x2x3x3", ""), ("4x1x2x5", ""),
                                            ("2x2x3x3", "deflate:4"), ("3x1x2x5", "shuffle,deflate,fletcher32")])
def test_chunks_and_filters_are_those_of_the_library(tmp_path, links, layout, chunk, filters):
    lq.write(tmp_path / "a.h5", links, layout=layout, dataset_chunk=chunk, filters=filters, verify="read_back")
    with h5py.File(tmp_path / "a.h5") as file:
        if layout == "qlua":
            values = np.stack([file[f"gauge/{mu}"][...].transpose(3, 2, 1, 0, 4, 5) for mu in range(4)], axis=4)
            data = file["gauge/0"]
        else:
            data = file["gauge"]
            values = data[...]
        assert np.array_equal(values, links)
        assert data.chunks is not None
        assert data.compression == ("gzip" if "deflate" in filters else None)
        assert data.shuffle == ("shuffle" in filters) and data.fletcher32 == ("fletcher32" in filters)
    assert np.array_equal(lq.read(tmp_path / "a.h5"), links)
    assert lq.verify(tmp_path / "a.h5")


@pytest.mark.parametrize("layout", ["native", "qdp", "qlua"])
def test_from_ildg_and_back_every_byte_is_the_same(tmp_path, gauge_file, layout):
    lq.convert(gauge_file, tmp_path / "a.h5", layout=layout)
    lq.convert(tmp_path / "a.h5", tmp_path / "b.ildg")
    assert (tmp_path / "b.ildg").read_bytes() == gauge_file.read_bytes()
    assert lq.diff(gauge_file, tmp_path / "a.h5").same


@pytest.mark.parametrize("layout", ["native", "qdp", "qlua"])
def test_without_time_stamps_equal_fields_are_equal_files(tmp_path, links, layout):
    for name in ("a", "b"):
        lq.write(tmp_path / f"{name}.h5", links, layout=layout, time_stamps=False)
        time.sleep(1.1)  # stamps count seconds
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()


def test_a_damaged_slice_is_named(tmp_path, links):
    path = tmp_path / "a.h5"
    lq.write(path, links)
    with h5py.File(path, "r+") as file:
        file["gauge"][3, 0, 0, 0, 0, 0, 0] += 1
    answer = lq.verify(path)
    assert not answer and answer["fields"][0]["damaged_slices"] == [3]
    with pytest.raises(lq.ChecksumError):
        lq.read(path)


def test_a_file_that_shows_another_one(tmp_path, gauge_file, links):
    lq.export_virtual(gauge_file, tmp_path / "view.h5")
    assert (tmp_path / "view.h5").stat().st_size < 100_000
    with h5py.File(tmp_path / "view.h5") as file:
        assert np.array_equal(file["gauge"][...], links)
    with pytest.raises(lq.Exists):
        lq.export_virtual(gauge_file, tmp_path / "view.h5")


def test_qlua_has_its_sums_whatever_is_asked_for(tmp_path, links):
    lq.write(tmp_path / "a.h5", links, layout="qlua", verify="none")
    with h5py.File(tmp_path / "a.h5") as file:
        assert bytes(file["gauge/1"].attrs[".sha256"]) == qlua_sum(file["gauge/1"][...])
    assert np.array_equal(lq.read(tmp_path / "a.h5"), links)


def test_sites_of_one_number(tmp_path):
    real = random_field((), dtype=np.float64)
    with lq.create(tmp_path / "a.h5", LATTICE) as file:
        file.write("real", real, kind="generic")
        file.write("group/complex", random_field(()), kind="generic")
    with h5py.File(tmp_path / "a.h5") as file:
        assert np.array_equal(file["real"][...], real)
        assert np.array_equal(file["group/complex"][...], random_field(()))


def test_random_links_are_read_from_a_file_of_h5py(tmp_path):
    values = random_links(seed=5)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset("u", data=values)
        data.attrs["limequat_layout"] = np.int32(1)
        data.attrs["kind"] = "gauge"
        data.attrs["dimensions"] = "t,z,y,x,mu,row,column"
        data.attrs["extents"] = np.array(LATTICE, np.int32)
        data.attrs["colors"] = np.int32(3)
    assert np.array_equal(lq.read(tmp_path / "a.h5"), values)
