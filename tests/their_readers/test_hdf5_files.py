# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""HDF5 files of ours in h5py, h5netcdf and xarray, each where it is installed, and in lyncs.io by its rules."""

import lyncs_rules as lyncs
import numpy as np
import pytest
from conftest import TEXTS, as_stored, noise

import limequat as lq

if not any(one["name"] == "hdf5" for one in lq.formats()):
    pytest.skip("this build has no HDF5", allow_module_level=True)
h5py = pytest.importorskip("h5py", reason="python3-h5py is not installed")

# Filters of which every HDF5 has the decoders; zstd needs a plugin there.
FILTERS = ["", "shuffle,deflate:6", "fletcher32", "shuffle,deflate:1,fletcher32"]
CHUNKED = [{"dataset_chunk": "slice", "filters": filters} for filters in FILTERS] + [{"dataset_chunk": "2x2x2x2"}]
NATIVE = [{}, *CHUNKED, {"time_stamps": False}]


def named(how):
    return ",".join(f"{key}={value}" for key, value in how.items()) or "native"


@pytest.fixture(params=NATIVE, ids=named)
def native(request):
    return {key: value for key, value in request.param.items() if value != ""}


@pytest.mark.parametrize("precision", ["double", "single"])
def test_native_files_in_h5py(tmp_path, links, native, precision):
    lq.write(tmp_path / "c.h5", links, precision=precision, metadata=TEXTS["equals"], **native)
    with h5py.File(tmp_path / "c.h5") as file:
        data = file["gauge"]
        assert data.dtype == (np.complex64 if precision == "single" else np.complex128)
        assert np.array_equal(data[...], as_stored(links, precision))
        assert np.array_equal(data[1:3, 0], as_stored(links, precision)[1:3, 0])  # parts of chunks
        for value in data.attrs.values():
            assert value is not None
    assert lyncs.hdf5_names(h5py.File(tmp_path / "c.h5"))["gauge"] == links.shape


def test_native_files_in_h5netcdf(tmp_path, links, native):
    h5netcdf = pytest.importorskip("h5netcdf", reason="python3-h5netcdf is not installed")
    lq.write(tmp_path / "c.h5", links, **native)
    with h5netcdf.File(tmp_path / "c.h5", "r", phony_dims="sort", **_strings(h5netcdf)) as file:
        data = file["gauge"]
        assert data.dimensions[:4] == ("t", "z", "y", "x")
        assert np.array_equal(data[...], links)
        assert {name: len(file.dimensions[name]) if hasattr(file.dimensions[name], "__len__") else file.dimensions[name]
                for name in data.dimensions} == dict(zip(data.dimensions, links.shape))


def test_native_files_in_xarray(tmp_path, links, native):
    xarray = pytest.importorskip("xarray", reason="python3-xarray is not installed")
    pytest.importorskip("h5netcdf", reason="python3-h5netcdf is not installed")
    lq.write(tmp_path / "c.h5", links, metadata=TEXTS["generated"], **native)
    with xarray.open_dataset(tmp_path / "c.h5", engine="h5netcdf") as data:
        assert data["gauge"].dims[:4] == ("t", "z", "y", "x")
        assert np.array_equal(data["gauge"].values, links)
        assert np.array_equal(data["gauge"].isel(t=slice(1, 3), x=0).values, links[1:3, :, :, 0])


def test_several_fields_are_several_variables(tmp_path, cube):
    xarray = pytest.importorskip("xarray", reason="python3-xarray is not installed")
    pytest.importorskip("h5netcdf", reason="python3-h5netcdf is not installed")
    fields = {"gauge": cube, "prop": noise((4, 4, 3, 3)), "source": noise((4, 3)), "density": noise(()).real}
    with lq.create(tmp_path / "several.h5") as file:
        for name, numbers in fields.items():
            file.write(name, numbers, kind="generic" if name == "density" else None)
    with xarray.open_dataset(tmp_path / "several.h5", engine="h5netcdf") as data:
        assert set(fields) <= set(data.variables)
        for name, numbers in fields.items():
            assert np.array_equal(np.squeeze(data[name].values), numbers), name
    assert set(fields) <= set(lyncs.hdf5_names(h5py.File(tmp_path / "several.h5")))


@pytest.mark.parametrize("layout", ["qdp", "qlua"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_layouts_of_programs_in_h5py(tmp_path, links, layout, precision):
    """Their own readers walk groups and attributes: all of them can be read, and the numbers are there once."""
    lq.write(tmp_path / "c.h5", links, layout=layout, precision=precision)
    arrays = []

    def look(name, item):
        for value in item.attrs.values():
            assert value is not None, name
        if isinstance(item, h5py.Dataset) and item[...].size >= links[..., 0, :, :].size:
            arrays.append(item[...])

    with h5py.File(tmp_path / "c.h5") as file:
        file.visititems(look)
    stored = as_stored(links, precision)
    numbers = sum(np.abs(array).sum() for array in arrays)
    assert np.isclose(numbers, np.abs(stored).sum(), rtol=1e-6)


def test_objects_of_sessions_in_all_three(tmp_path):
    with lq.hdf5.open(tmp_path / "s.h5", "w") as session:
        session.write("corr/pion", np.arange(8.0))
        session.write("corr/mass", 0.25)
        session.write("corr/name", "a text = with signs")
    with h5py.File(tmp_path / "s.h5") as file:
        assert np.array_equal(file["corr/pion"][...], np.arange(8.0)) and file["corr/mass"][()] == 0.25
        assert set(lyncs.hdf5_names(file)) >= {"corr/pion", "corr/mass"}
    xarray = pytest.importorskip("xarray", reason="python3-xarray is not installed")
    pytest.importorskip("h5netcdf", reason="python3-h5netcdf is not installed")
    with xarray.open_dataset(tmp_path / "s.h5", group="corr", engine="h5netcdf", phony_dims="sort") as data:
        assert np.array_equal(data["pion"].values, np.arange(8.0)) and float(data["mass"]) == 0.25


def _strings(h5netcdf):
    """Versions before 1.0 ask how strings are to come."""
    return {"decode_vlen_strings": True} if int(h5netcdf.__version__.split(".")[0]) < 1 else {}
