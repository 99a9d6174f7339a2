# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""read and write, against a plain reader and against what was written."""

import numpy as np
import plain_lime
import pytest
from conftest import LATTICE, SHAPE, random_field

import limequat as lq


def test_links_lie_in_the_file_as_the_format_says(gauge_file, links):
    assert np.array_equal(plain_lime.gauge(gauge_file, links.shape), links)


def test_the_checksum_in_the_report_is_that_of_the_definition(tmp_path, links):
    report = lq.write(tmp_path / "a.ildg", links)
    expected = plain_lime.checksum(plain_lime.payload(tmp_path / "a.ildg", "ildg-binary-data"), 4 * 9 * 16)
    assert (report.checksum.suma, report.checksum.sumb) == expected


def test_a_gauge_field_comes_back(gauge_file, links):
    u = lq.read(gauge_file)
    assert u.dtype == np.complex128 and np.array_equal(u, links)


def test_a_profile_that_is_named_must_be_there(tmp_path, links):
    with pytest.raises(lq.NotFound, match="none.toml"):
        lq.write(tmp_path / "a.ildg", links, profile=tmp_path / "none.toml")
    assert not (tmp_path / "a.ildg").exists()


@pytest.mark.parametrize("site, kind", [((4, 3), "spinor"), ((4, 4, 3, 3), "propagator")])
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_kinds_are_told_by_shape(tmp_path, site, kind, dtype):
    field = random_field(site, dtype)
    report = lq.write(tmp_path / "a.lime", field)
    back = lq.read(tmp_path / "a.lime")
    assert report.spec.kind == kind
    assert back.dtype == dtype and np.array_equal(back, field)


# An array whose last extents look like the spins and colors of another field is nobody's guess: x is 4 or 3 here.
@pytest.mark.parametrize("shape, candidates", [
    ((8, 2, 2, 4, 3), ["'spinor'", "[8, 2, 2]", "'generic'"]),          # one color vector per site: staggered
    ((8, 2, 4, 4, 3, 3), ["'propagator'", "[8, 2]", "'generic'"]),      # one color matrix per site
    ((8, 2, 2, 3, 3, 3), ["'gauge'", "[8, 2, 2]", "'generic'"]),
])
def test_kinds_that_depend_on_extents_are_asked_for(tmp_path, shape, candidates):
    field = np.ones(shape, complex)
    with pytest.raises(lq.InvalidArgument) as caught:
        lq.write(tmp_path / "a.lime", field)
    assert all(word in str(caught.value) for word in candidates) and "kind=" in str(caught.value)
    report = lq.write(tmp_path / "a.lime", field, kind="generic")
    assert list(report.lattice) == list(shape[:4])[::-1]


def test_kinds_on_other_lattices_are_told_by_kind_or_dims(tmp_path):
    staggered, links = np.ones((8, 4, 2, 4, 1, 3), complex), np.ones((5, 3, 2, 2, 2), complex)
    assert lq.write(tmp_path / "a.lime", staggered, kind="spinor").lattice == [4, 2, 4, 8]
    assert lq.write(tmp_path / "b.lime", links, kind="gauge").lattice == [3, 5]
    assert lq.write(tmp_path / "c.lime", links, dims=2).spec.kind == "gauge"


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64, np.float64, np.float32])
@pytest.mark.parametrize("site", [(), (7,)])
def test_generic_fields_come_back(tmp_path, dtype, site):
    field = random_field(site, dtype)
    lq.write(tmp_path / "a.lime", field, kind="generic")
    back = lq.read(tmp_path / "a.lime")
    assert back.dtype == dtype and np.array_equal(back, field)


def test_precision_is_converted(tmp_path, links):
    report = lq.write(tmp_path / "a.ildg", links, precision="single", verify="read-back")
    assert report.read_back and report.spec.precision == "single"
    assert np.array_equal(plain_lime.gauge(tmp_path / "a.ildg", links.shape, ">c8"), links.astype(np.complex64))
    assert lq.read(tmp_path / "a.ildg").dtype == np.complex64
    assert np.array_equal(lq.read(tmp_path / "a.ildg", dtype="complex128"), links.astype(np.complex64))


@pytest.mark.parametrize("view", [
    lambda u: u.astype(">c16"),
    lambda u: np.asfortranarray(u),
    lambda u: np.repeat(u, 2, axis=3)[:, :, :, ::2],
    lambda u: u[::-1][::-1],
], ids=["byte-swapped", "column-major", "strided", "reversed twice"])
def test_any_memory_layout_is_written_right(tmp_path, links, view):
    lq.write(tmp_path / "a.ildg", view(links))
    assert np.array_equal(lq.read(tmp_path / "a.ildg"), links)


@pytest.mark.parametrize("shape", [(6, 4, 2), (3, 5, 2, 3)], ids=["two dimensions", "three dimensions"])
def test_lattices_of_other_dimensions(tmp_path, shape):
    u = np.zeros(shape[:-1] + (len(shape) - 1, 2, 2), dtype=complex)
    u += np.arange(u.size).reshape(u.shape)
    report = lq.write(tmp_path / "a.lime", u, format="scidac", kind="gauge")
    assert tuple(report.lattice) == shape[:-1][::-1]
    assert np.array_equal(lq.read(tmp_path / "a.lime"), u)


@pytest.mark.parametrize("region, part", [
    ({"t": slice(1, 3)}, np.s_[1:3]),
    ({"x": slice(2, None), "z": slice(0, 1)}, np.s_[:, 0:1, :, 2:]),
    ({3: slice(-1, None)}, np.s_[-1:]),
])
def test_a_region_is_read_alone(gauge_file, links, region, part):
    assert np.array_equal(lq.read(gauge_file, region=region), links[part])


@pytest.mark.parametrize("region", [{"w": slice(0, 1)}, {4: slice(0, 1)}, {"t": 1.0}, {"t": 99}, {"t": slice(0, 4, 2)},
                                    {"t": slice(3, 3)}])
def test_impossible_regions_are_explained(gauge_file, region):
    with pytest.raises(lq.InvalidArgument):
        lq.read(gauge_file, region=region)


def test_metadata_travel_along(gauge_file, links):
    assert plain_lime.payload(gauge_file, "xlf-info").rstrip(b"\0") == f"plaquette = {lq.plaquette(links).average:.12f}".encode()


def test_an_existing_file_stays_unless_forced(gauge_file, links):
    before = gauge_file.read_bytes()
    with pytest.raises(FileExistsError):
        lq.write(gauge_file, links * 2)
    assert gauge_file.read_bytes() == before
    lq.write(gauge_file, links * 2, force=True)
    assert np.array_equal(lq.read(gauge_file), links * 2)


def test_without_verification_no_checksum_is_stored(tmp_path, links):
    lq.write(tmp_path / "a.ildg", links, verify="none")
    assert "scidac-checksum" not in [name for name, _ in plain_lime.records(tmp_path / "a.ildg")]


def test_damage_is_noticed_unless_not_asked_for(gauge_file, links):
    data = bytearray(gauge_file.read_bytes())
    place = data.index(plain_lime.payload(gauge_file, "ildg-binary-data"))
    data[place] ^= 1
    gauge_file.write_bytes(data)
    with pytest.raises(lq.ChecksumError) as caught:
        lq.read(gauge_file)
    assert caught.value.expected != caught.value.found
    assert not np.array_equal(lq.read(gauge_file, verify=False), links)


@pytest.mark.parametrize("array, arguments, word", [
    (np.zeros(SHAPE + (4, 3, 3), int), {}, "int64"),
    (np.zeros(SHAPE + (4, 3, 3)), {}, "real"),
    (np.zeros(SHAPE + (3, 3, 3), complex), {}, "[5, 3, 2, 4, 3, 3, 3]"),
    (np.zeros(SHAPE + (4, 3, 2), complex), {"kind": "gauge"}, "gauge"),
    (np.zeros(SHAPE + (4, 3, 3)), {"kind": "gauge"}, "complex"),
    (np.zeros((0, 3, 2, 4, 4, 3, 3), complex), {}, "empty"),
    (np.zeros((2, 2)), {"kind": "generic"}, "dimensions"),
    (np.zeros(SHAPE), {"kind": "scalar"}, "scalar"),
    (np.zeros(SHAPE + (4, 3), complex), {"precision": "half"}, "half"),
    (np.zeros(SHAPE + (4, 3), complex), {"verify": "always"}, "always"),
    (np.zeros(SHAPE + (4, 3), complex), {"metadata": {"a": [1]}}, "'a'"),
])
def test_arrays_and_options_that_cannot_be_are_explained(tmp_path, array, arguments, word):
    with pytest.raises(ValueError, match=".*") as caught:
        lq.write(tmp_path / "a.lime", array, **arguments)
    assert isinstance(caught.value, lq.InvalidArgument) and word in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_a_dtype_that_cannot_hold_the_numbers_is_refused(gauge_file, dtype):
    with pytest.raises(lq.InvalidArgument):
        lq.read(gauge_file, dtype=dtype)


def test_what_is_no_grid_is_refused(gauge_file, links):
    with pytest.raises(lq.InvalidArgument, match="expected a Grid"):
        lq.read(gauge_file, grid=object())
    with pytest.raises(lq.InvalidArgument, match="expected a Grid"):
        lq.write(gauge_file, links, grid=(4, 2, 3, 5))


def test_the_lattice_is_told_in_x_y_z_t_order(tmp_path, links):
    assert tuple(lq.write(tmp_path / "a.ildg", links).lattice) == LATTICE


def test_a_field_is_read_into_a_given_array(gauge_file, links):
    out = np.full(links.shape, np.nan, links.dtype)
    assert lq.read(gauge_file, out=out) is out and np.array_equal(out, links)
    single = np.empty(links.shape, np.complex64)
    with lq.open(gauge_file) as file:
        assert file.fields[0].read(out=single) is single and np.array_equal(single, links.astype(np.complex64))
    part = np.empty((2, *links.shape[1:]), links.dtype)
    assert lq.read_async(gauge_file, region={"t": slice(1, 3)}, out=part).wait() is part
    assert np.array_equal(part, links[1:3])


@pytest.mark.parametrize("wrong, words", [
    (lambda a: a.tolist(), "out is a list"), (lambda a: a[:-1], "of shape"), (lambda a: a.real.copy(), "of float64"),
    (lambda a: a.astype(">c16"), "of >c16"), (lambda a: np.asfortranarray(a), "not contiguous"),
    (lambda a: np.broadcast_to(a, a.shape), "read-only"), (lambda a: a.astype(np.clongdouble), "expected a writeable")])
def test_an_array_that_does_not_fit_is_refused(gauge_file, links, wrong, words):
    with pytest.raises(lq.InvalidArgument, match=words):
        lq.read(gauge_file, out=wrong(links))
    with pytest.raises(lq.InvalidArgument, match="but dtype is"):
        lq.read(gauge_file, out=links.copy(), dtype="complex64")
