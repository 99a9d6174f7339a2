# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files of a header and one field: NERSC, MILC, openQCD and .mod in PyQUDA, PyLatticeIO, latqcdtools and lyncs.io."""

import itertools

import latqcdtools_rules as latqcdtools
import lyncs_rules as lyncs
import numpy as np
import pyquda_rules as pyquda
import pytest
from conftest import CUBE, TEXTS, as_stored, noise
from refused import Refused

import limequat as lq

PRECISIONS = ("double", "single")


@pytest.mark.parametrize("texts", TEXTS)
@pytest.mark.parametrize("layout", ["3x3", "two-rows"])
@pytest.mark.parametrize("precision", PRECISIONS)
def test_nersc_files_with_any_texts(tmp_path, links, precision, layout, texts):
    path = tmp_path / "c.nersc"
    lq.write(path, links, precision=precision, layout=layout, metadata=TEXTS[texts])
    expected = as_stored(links, precision)
    found, header = pyquda.nersc(path)
    # The third row is another program's cross product of the first two.
    assert np.allclose(found, expected, rtol=0, atol=1e-14 if layout == "two-rows" and precision == "double" else 1e-6)
    assert np.array_equal(found[..., :2, :], expected[..., :2, :])
    assert np.array_equal(latqcdtools.nersc(path)[..., :2, :], expected[..., :2, :])
    if texts == "equals":
        kept = lq.open(path).fields[0].metadata
        assert kept["note"] == TEXTS[texts]["note"]
        assert "CREATOR = x=y\n" in kept["nersc-header"] and "SEQUENCE_NUMBER = 7\n" in kept["nersc-header"]
        assert "ENSEMBLE_LABEL" in kept and kept["ENSEMBLE_LABEL"] == TEXTS[texts]["ENSEMBLE_LABEL"]
        assert header["SEQUENCE_NUMBER"] == "7"


def test_nersc_texts_come_through_a_second_conversion(tmp_path, cube):
    lq.write(tmp_path / "a.nersc", cube, metadata=TEXTS["equals"])
    lq.convert(tmp_path / "a.nersc", tmp_path / "b.ildg")
    lq.convert(tmp_path / "b.ildg", tmp_path / "c.nersc")
    first, last = (lq.open(tmp_path / name).fields[0].metadata for name in ("a.nersc", "c.nersc"))
    assert last == first and TEXTS["equals"]["note"] in first.values()
    pyquda.nersc(tmp_path / "c.nersc")


@pytest.mark.parametrize("between", ["ildg", "milc", "openqcd", "hirep", "fnal", "qlattice", "raw", "hdf5"])
def test_nersc_files_out_of_any_format(tmp_path, links, between):
    middle, last = tmp_path / f"middle.{between}", tmp_path / "last.nersc"
    lq.write(middle, links, format=between)
    lq.convert(middle, last, to="nersc", allow_loss=True)
    assert np.array_equal(pyquda.nersc(last)[0], links)
    assert np.array_equal(latqcdtools.nersc(last), links)


def test_nersc_digits_are_those_of_the_source(tmp_path, cube):
    plaquette = f"{lq.plaquette(cube).average:.12f}"
    lq.write(tmp_path / "a.ildg", cube, metadata={"plaquette": plaquette, "link_trace": f"{lq.link_trace(cube):.12f}"})
    lq.convert(tmp_path / "a.ildg", tmp_path / "b.nersc")
    assert pyquda.nersc(tmp_path / "b.nersc")[1]["PLAQUETTE"] == plaquette.rstrip("0")


def test_milc_files_of_single_precision(tmp_path, links):
    lq.write(tmp_path / "c.milc", links, precision="single")
    assert np.array_equal(pyquda.milc(tmp_path / "c.milc"), as_stored(links, "single"))


def test_milc_files_of_double_precision_are_for_other_programs(tmp_path, cube):
    lq.write(tmp_path / "c.milc", cube)
    with pytest.raises(Refused, match="Broken magic"):
        pyquda.milc(tmp_path / "c.milc")


def test_openqcd_files(tmp_path, cube):
    lq.write(tmp_path / "c.openqcd", cube, format="openqcd")
    assert np.array_equal(pyquda.openqcd(tmp_path / "c.openqcd"), cube)


def test_heads_of_openqcd_files(tmp_path, links):
    lq.write(tmp_path / "c.openqcd", links, format="openqcd")
    extents, plaquette = lyncs.openqcd_head(tmp_path / "c.openqcd")
    t, z, y, x = links.shape[:4]
    assert extents == [t, x, y, z]
    assert np.isclose(plaquette, lq.plaquette(links).average, rtol=1e-12)


def test_vectors_of_distillation(tmp_path):
    """PyLatticeIO reads eigenvectors in single precision, by time slice and number."""
    vectors = noise((1, 3)).astype(np.complex64)
    lq.write(tmp_path / "v.mod", vectors, kind="spinor", format="mod")
    assert np.array_equal(pyquda.time_slices(tmp_path / "v.mod")[0], vectors[..., 0, :])
    assert vectors.shape[:4] == CUBE[::-1]


@pytest.mark.parametrize("old, new", [(b"PLAQUETTE = 0.", b"PLAQUETTE = 1."), (b"CREATOR = ", b"CREATOR == "), (b"BIG\n", b"BUG\n"),
                                      (b"CHECKSUM = ", b"CHECKSUM = 1")])
def test_the_rules_refuse_what_the_programs_refuse(tmp_path, cube, old, new):
    lq.write(tmp_path / "c.nersc", cube)
    data = (tmp_path / "c.nersc").read_bytes()
    assert old in data
    (tmp_path / "spoilt.nersc").write_bytes(data.replace(old, new, 1))
    pyquda.nersc(tmp_path / "c.nersc")
    with pytest.raises(Refused):
        pyquda.nersc(tmp_path / "spoilt.nersc")


def test_no_line_of_a_nersc_header_has_two_signs_whatever_the_text(tmp_path, cube):
    pieces = ("=", " ", "%", "%3D", "a", "\n", "\t", "=\n", "é", "")
    for number, parts in enumerate(itertools.product(pieces, repeat=2)):
        text = "".join(parts) * 5
        if not text.strip():
            continue
        path = tmp_path / f"{number}.nersc"
        lq.write(path, cube, metadata={"odd=name": text, "PLAIN": "x" + text})
        assert lq.open(path).fields[0].metadata["odd=name"] == text
        pyquda.nersc(path)
