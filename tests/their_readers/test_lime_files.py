# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""LIME files of ours in PyQUDA, PyLatticeIO, latqcdtools, nthmc and lyncs.io."""

import latqcdtools_rules as latqcdtools
import lyncs_rules as lyncs
import numpy as np
import pyquda_rules as pyquda
import pytest
from conftest import TEXTS, as_stored, noise
from refused import Refused

import limequat as lq

PRECISIONS = ("double", "single")
# Options that change what lies in the file, or beside it.
CHOICES = {"plain": {}, "measured": {"measure": True}, "no-slices": {"slice_checksums": False}, "undated": {"time_stamps": False}}


def read_by_all(path, expected, checksum=True):
    assert np.array_equal(pyquda.ildg(path, checksum), expected)
    assert np.array_equal(pyquda.qio_gauge(path, checksum=checksum), expected)
    assert np.array_equal(latqcdtools.lime(path), expected)
    found, said = lyncs.ildg(path)
    assert np.array_equal(found, expected)
    return said


@pytest.mark.parametrize("texts", TEXTS)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_ildg_files_with_any_texts(tmp_path, links, precision, texts):
    path = tmp_path / "c.ildg"
    lq.write(path, links, precision=precision, metadata=TEXTS[texts])
    said = read_by_all(path, as_stored(links, precision))
    assert said["precision"] == {"double": "64", "single": "32"}[precision]
    if texts == "generated":
        assert (said["trajectory nr"], said["group"]) == ("7", "SU(3)")


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_ildg_files_with_any_choices(tmp_path, cube, precision, choice):
    path = tmp_path / "c.ildg"
    lq.write(path, cube, precision=precision, **CHOICES[choice])
    read_by_all(path, as_stored(cube, precision))


def test_ildg_files_without_checksums_where_their_reader_can_be_told(tmp_path, cube):
    path = tmp_path / "c.ildg"
    lq.write(path, cube, verify="none")
    read_by_all(path, cube, checksum=False)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_gauge_fields_in_scidac_files(tmp_path, links, precision):
    lq.write(tmp_path / "c.scidac", links, precision=precision)
    expected = as_stored(links, precision)
    assert np.array_equal(latqcdtools.lime(tmp_path / "c.scidac"), expected)
    assert np.array_equal(pyquda.qio(tmp_path / "c.scidac", "scidac-binary-data", (4, 3, 3), 4, 0), expected)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("site, read", [((4, 4, 3, 3), pyquda.qio_propagator), ((1, 1, 3, 3), pyquda.qio_staggered_propagator)],
                         ids=["wilson", "staggered"])
def test_propagators(tmp_path, site, read, precision):
    numbers = noise(site)
    lq.write(tmp_path / "p.scidac", numbers, kind="propagator", precision=precision)
    assert np.array_equal(read(tmp_path / "p.scidac").reshape(numbers.shape), as_stored(numbers, precision))


def test_files_of_several_fields_have_what_each_of_them_needs(tmp_path, cube):
    with lq.create(tmp_path / "several.scidac") as file:
        file.write("source", noise((4, 3)))
        file.write("prop", noise((4, 4, 3, 3)))
        file.write("gauge", cube)
    assert np.array_equal(latqcdtools.lime(tmp_path / "several.scidac"), cube)  # the last one
    lime = pyquda.Lime(tmp_path / "several.scidac")
    for number in range(3):
        record = lime.xml("scidac-private-record-xml", number)
        assert record.find("date").text and record.find("typesize").text
        pyquda.told(lime.xml("scidac-checksum", number), "suma")


def test_what_lq_generates_and_converts(tmp_path, links):
    """Through the program's own texts, and out of formats that have none."""
    first = tmp_path / "first.ildg"
    lq.write(first, links, metadata=TEXTS["generated"])
    for between in ("nersc", "milc", "openqcd", "hirep", "fnal", "qlattice", "raw", "hdf5"):
        middle, last = tmp_path / f"middle.{between}", tmp_path / f"last_of_{between}.ildg"
        lq.convert(first, middle, to=between, allow_loss=True)
        lq.convert(middle, last, to="ildg", allow_loss=True)
        read_by_all(last, links)


def test_a_date_that_is_given_is_kept_and_otherwise_it_is_always_the_same(tmp_path, cube):
    for name, texts in (("a", {}), ("b", {}), ("dated", TEXTS["lfn"])):
        lq.write(tmp_path / name, cube, format="ildg", metadata=texts)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    dates = {name: pyquda.told(pyquda.Lime(tmp_path / name).xml("scidac-private-record-xml"), "date") for name in ("a", "dated")}
    assert dates == {"a": "Thu Jan  1 00:00:00 1970 UTC", "dated": TEXTS["lfn"]["date"]}


def test_modes_are_lime_records(tmp_path):
    """Sets of modes have types of their own, which these readers pass over; the vectors are where the records say."""
    vectors = [noise((4, 3), seed) for seed in range(2)]
    with lq.modes.create(tmp_path / "m.modes", (4, 4, 4, 6)) as modes:
        for number, vector in enumerate(vectors):
            modes.append(vector, eigenvalue=0.5 + number)
    lime = pyquda.Lime(tmp_path / "m.modes")
    for number, vector in enumerate(vectors):
        data = lime.record("limequat-mode-data", number)
        assert np.array_equal(pyquda.field(data, 8, (4, 4, 4, 6), (4, 3), None), vector)


@pytest.mark.parametrize("spoil, rule", [
    (lambda data: data.replace(b"<date>", b"<dato>"), latqcdtools.lime),
    (lambda data: data.replace(b"</ildgFormat>", b"</ildgFormat\0"), lambda path: lyncs.ildg(path)),
    (lambda data: data.replace(b"<colors>3", b"<colors>4"), pyquda.qio_gauge),
    (lambda data: data.replace(b"<suma>", b"<suma>1"), pyquda.ildg),
], ids=["date", "nul", "colors", "sum"])
def test_the_rules_refuse_what_the_programs_refuse(tmp_path, cube, spoil, rule):
    lq.write(tmp_path / "c.ildg", cube)
    (tmp_path / "spoilt.ildg").write_bytes(spoil((tmp_path / "c.ildg").read_bytes()))
    rule(tmp_path / "c.ildg")
    with pytest.raises(Refused):
        rule(tmp_path / "spoilt.ildg")
