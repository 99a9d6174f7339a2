# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fields as xarray and as mapped memory have them, against the arrays that were written."""

import pathlib
import sys

import numpy as np
import pytest
from conftest import LATTICE, SHAPE, random_field

import limequat as lq

GOOD = pathlib.Path(__file__).parents[2] / "tests" / "golden" / "good"


def test_a_missing_xarray_is_said_with_the_remedy(gauge_file, monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with lq.open(gauge_file) as file, pytest.raises(ImportError, match="to_xarray.. needs xarray.*pip install xarray"):
        file.to_xarray()


def test_a_data_set_has_named_dimensions_and_coordinates(gauge_file, links):
    pytest.importorskip("xarray")
    with lq.open(gauge_file) as file:
        u = file.to_xarray(slices=None)["gauge"]
        assert file.to_xarray(None).attrs["format"] == "ildg"
    assert u.dims == ("t", "z", "y", "x", "mu", "row", "column") and u.shape == links.shape
    assert list(u.mu.values) == ["x", "y", "z", "t"] and list(u.t.values) == list(range(LATTICE[3]))
    assert np.array_equal(u.sel(t=2, mu="z"), links[2, :, :, :, 2])
    assert u.attrs["kind"] == "gauge"


def test_without_dask_all_is_read_at_once(gauge_file, links, monkeypatch):
    pytest.importorskip("xarray")
    monkeypatch.setitem(sys.modules, "dask.array", None)
    with lq.open(gauge_file) as file:
        assert isinstance(file.fields[0].to_xarray().data, np.ndarray)
        with pytest.raises(ImportError, match="needs dask"):
            file.fields[0].to_xarray(slices=2)


def test_dask_reads_the_slices_that_are_asked_for(gauge_file, links, monkeypatch):
    pytest.importorskip("xarray")
    pytest.importorskip("dask.array")
    asked, read = [], lq.FieldView.read
    monkeypatch.setattr(lq.FieldView, "read", lambda self, region, **more: asked.append(region) or read(self, region, **more))
    with lq.open(gauge_file) as file:
        u = file.to_xarray()["gauge"]
        assert u.chunks[0] == (1,) * SHAPE[0] and not asked
        assert np.array_equal(u[3].compute(), links[3])
        assert [region[3] for region in asked] == [slice(3, 4)]
        assert np.allclose(file.fields[0].to_xarray(slices=2).sum("t").compute(), links.sum(axis=0), rtol=1e-14)
        late = u[0]
    with pytest.raises(lq.WrongState):
        late.compute()


@pytest.mark.parametrize("slices", [0, -1, 1.5, True, "all"])
def test_chunks_of_no_slices_are_refused(gauge_file, slices):
    pytest.importorskip("xarray")
    pytest.importorskip("dask.array")
    with lq.open(gauge_file) as file, pytest.raises(lq.InvalidArgument, match="the number of time slices"):
        file.to_xarray(slices)


def test_every_kind_has_names_and_fields_of_one_name_their_numbers(tmp_path):
    pytest.importorskip("xarray")
    path = tmp_path / "a.lime"
    fields = [random_field((4, 3)), random_field((4, 3), seed=2), random_field((4, 4, 3, 3)),
              random_field((7,), np.float64), random_field((2,), np.float64)]
    with lq.create(path) as file:
        for field in fields:
            file.write("field", field, kind="generic" if field.dtype.kind == "f" else None)
    with lq.open(path) as file:
        views, data = list(file.fields), file.to_xarray(None)
        assert views[2].to_xarray(None).dims[4:] == ("sink_spin", "source_spin", "sink_color", "source_color")
        assert views[3].to_xarray(None).dims == ("t", "z", "y", "x", "n")
    assert len(data) == len(fields)
    for array, field in zip(data.values(), fields):
        assert np.array_equal(array, field)


def test_fields_of_several_lattices_are_no_data_set(tmp_path):
    pytest.importorskip("xarray")
    pytest.importorskip("h5py")
    path = tmp_path / "a.h5"
    with lq.hdf5.open(path, "w") as h:
        h.write_field("a", random_field((4, 3)))
        h.write_field("b", random_field((4, 3))[1:])
    with lq.open(path) as file:
        with pytest.raises(lq.Unsupported, match="one by one"):
            file.to_xarray(None)
        assert file.fields["b"].to_xarray(None).sizes["t"] == SHAPE[0] - 1


def test_a_part_of_a_lattice_has_the_coordinates_of_the_lattice():
    pytest.importorskip("xarray")
    with lq.open(GOOD / "lime" / "hypercube.lime") as file:
        field = file.fields[0].to_xarray(None)
    assert list(field.x.values) == [1, 2] and list(field.t.values) == [2]


def test_a_box_of_one_rank_is_no_labelled_field(gauge_file):
    pytest.importorskip("xarray")
    with lq.open(gauge_file, grid=lq.Grid(LATTICE)) as file, pytest.raises(lq.Unsupported, match="opened with a grid"):
        file.to_xarray()


def test_numbers_in_order_are_mapped(gauge_file, links):
    with lq.open(gauge_file) as file:
        mapped = file.fields["gauge"].memmap()
        private = file.fields["gauge"].memmap("c")
    assert isinstance(mapped, np.memmap) and mapped.dtype.str == ">c16" and np.array_equal(mapped, links)
    assert not mapped.flags.writeable
    private[0] = 0
    assert np.array_equal(lq.read(gauge_file), links)


@pytest.mark.parametrize("name", ["raw", pytest.param("milc", marks=pytest.mark.skipif(
    sys.byteorder != "little", reason="files of MILC are written little-endian"))])
def test_numbers_in_the_order_of_this_machine_are_mapped(tmp_path, links, name):
    path = tmp_path / "a.file"
    lq.write(path, links, format=name, **({"layout": f"{sys.byteorder} t z y x mu row column reim"} if name == "raw" else
                                          {"precision": "single"}))
    with lq.open(path) as file:
        mapped = file.fields[0].memmap()
    assert mapped.dtype.isnative and np.array_equal(mapped, lq.read(path))


@pytest.mark.parametrize("format", sorted({f.name for f in lq.formats() if f.name != "sion"}))
def test_what_is_mapped_is_what_is_read(tmp_path, links, format):
    """Whatever the format: the same numbers, or a sentence."""
    path = tmp_path / "a.file"
    try:
        lq.write(path, links, format=format)
    except lq.Error:
        pytest.skip(f"{format} takes no such field")
    with lq.open(path) as file:
        try:
            mapped = file.fields[0].memmap()
        except lq.Unsupported as error:
            assert "cannot be mapped" in str(error) and error.path == str(path)
            return
    assert np.array_equal(mapped, lq.read(path))


def test_maps_of_other_files_and_modes_are_refused(tmp_path, gauge_file, links):
    with lq.open(gauge_file) as file:
        with pytest.raises(lq.InvalidArgument, match="mode"):
            file.fields[0].memmap("r+")
        lq.write(gauge_file, 2 * links, force=True)
        with pytest.raises(lq.WrongState, match="not the file that was opened"):
            file.fields[0].memmap()
    with pytest.raises(lq.WrongState, match="closed"):
        file.fields[0].memmap()
