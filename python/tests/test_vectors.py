# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sets of vectors of QUDA, MILC and Hadrons, made by tools/make_golden_vectors.py from docs/formats/vectors.md: every
number says which vector, s, site and component it is, so that no reader is needed to know what must come out; and files
for QUDA and MILC taken apart by a plain reader."""

import pathlib
import struct

import numpy as np
import pytest

import limequat as lq

GOOD = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "good" / "vectors"
BAD = GOOD.parents[1] / "bad" / "vectors"
LATTICE = (4, 2, 2, 4)


def expected(k, parity, ls, numbers):
    """[t, z, y, x or h, s, complex number of the site]: number i is ((2 k + s) 64 + rank of the site) 32 + i."""
    lx, ly, lz, lt = LATTICE
    places = np.zeros((lt, lz, ly, lx if parity is None else lx // 2, ls, numbers), dtype=np.float64)
    for t, z, y, h, s, i in np.ndindex(places.shape):
        x = h if parity is None else 2 * h + (y + z + t + parity) % 2
        places[t, z, y, h, s, i] = ((2 * k + s) * 64 + x + lx * (y + ly * (z + lz * t))) * 32 + i
    return places


def check(modes, count, parity, ls, numbers):
    assert len(modes) == count
    assert modes.lattice == LATTICE
    assert modes.ls == ls
    assert modes.parity == {None: "both", 0: "even", 1: "odd"}[parity]
    for k in range(count):
        found = np.ascontiguousarray(modes[k])
        reals = found.view(found.real.dtype).reshape(expected(0, parity, ls, numbers).shape)
        assert np.array_equal(reals, expected(k, parity, ls, numbers))


FILES = [("quda_wilson.quda", {}, 3, None, 1, 24), ("quda_staggered_odd_sites.quda", {}, 2, 1, 1, 6),
         ("quda_two_vectors_with_ls_2.quda", {"ls": 2}, 2, None, 2, 24), ("quda_multigrid.quda", {}, 2, None, 1, 16),
         ("milc.eigen", {}, 3, None, 1, 6), ("milc_packed.eigen", {}, 2, 0, 1, 6),
         ("hadrons.bin", {}, 3, None, 1, 24), ("hadrons_even_sites.bin", {"parity": "even"}, 2, 0, 1, 6),
         ("hadrons_five_dimensions_odd_sites.bin", {"parity": "odd"}, 2, 1, 2, 24), ("hadrons_folder", {}, 3, None, 1, 24)]


@pytest.mark.parametrize("name, said, count, parity, ls, numbers", FILES, ids=[file[0] for file in FILES])
def test_numbers_are_where_they_belong(name, said, count, parity, ls, numbers, tmp_path):
    family = name.split("_")[0].split(".")[0].replace("hadrons", "grid")
    with lq.modes.open(GOOD / name, **said) as modes:
        assert modes.family == family
        check(modes, count, parity, ls, numbers)
        values = {"quda": [0.0] * count, "milc": [0.25 * (k + 1) for k in range(count)],
                  "grid": [0.125 * (k + 1) for k in range(count)]}[family]
        assert modes.eigenvalues.tolist() == values
        assert [k for k, _ in modes.ahead()] == list(range(count))
    lq.modes.convert(GOOD / name, tmp_path / "set.modes", **said)
    with lq.modes.open(tmp_path / "set.modes") as modes:
        assert modes.family == "modes"
        check(modes, count, parity, ls, numbers)
        assert modes.eigenvalues.tolist() == values
        assert modes.parameters.get("eigenvalues") == ("not known" if family == "quda" else None)


def test_values_beside_a_file_of_grid(tmp_path):
    with lq.modes.open(GOOD / "grid_eigenpairs.scidac") as modes:
        check(modes, 2, None, 1, 24)
        assert modes.eigenvalues.tolist() == [0.5, 0.75] and "eigenvalues" not in modes.parameters
    with lq.modes.open(GOOD / "grid_subspace.scidac") as modes:
        check(modes, 2, None, 1, 24)
        assert modes.parameters["eigenvalues"] == "not known"
    with pytest.raises(lq.InvalidArgument, match="1 eigenvalues, but 2 vectors"):
        lq.modes.open(BAD / "grid_one_value_less.scidac")


def test_some_vectors_are_taken(tmp_path):
    lq.modes.convert(GOOD / "quda_wilson.quda", tmp_path / "two.modes", first=1, last=3, storage="double")
    with lq.modes.open(tmp_path / "two.modes") as modes:
        assert len(modes) == 2
        assert np.array_equal(modes[0].view(np.float64).reshape(4, 2, 2, 4, 1, 24), expected(1, None, 1, 24))


@pytest.mark.parametrize("name, storage", [("quda_wilson.quda", "single"), ("quda_staggered_odd_sites.quda", "double"),
                                           ("quda_multigrid.quda", "single")])
def test_files_for_quda_are_those_of_quda(name, storage, tmp_path):
    lq.modes.convert(GOOD / name, tmp_path / "set.modes")
    lq.modes.convert(tmp_path / "set.modes", tmp_path / "back.quda", format="quda")
    ours, theirs = (dict_of(path) for path in (tmp_path / "back.quda", GOOD / name))
    assert ours["scidac-binary-data"] == theirs["scidac-binary-data"]
    assert ours["scidac-record-xml"].rstrip(b"\0") == theirs["scidac-record-xml"].rstrip(b"\0")
    for element in ("datatype", "precision", "colors", "spins", "typesize", "datacount"):
        assert element_of(ours, element) == element_of(theirs, element)
    with lq.modes.open(tmp_path / "back.quda") as modes:
        assert modes.family == "quda" and modes.storage == storage


def test_files_for_milc_are_those_of_milc(tmp_path):
    lq.modes.convert(GOOD / "milc.eigen", tmp_path / "set.modes")
    lq.modes.convert(tmp_path / "set.modes", tmp_path / "back.eigen", format="milc")
    ours, theirs = (records_of(path) for path in (tmp_path / "back.eigen", GOOD / "milc.eigen"))
    for kind in ("scidac-file-xml", "scidac-record-xml", "scidac-binary-data"):
        assert [data.rstrip(b"\0") if "xml" in kind else data for name, data in ours if name == kind] == [
            data.rstrip(b"\0") if "xml" in kind else data for name, data in theirs if name == kind]


def test_what_the_file_does_not_say_is_asked_for(tmp_path):
    with pytest.raises(lq.InvalidArgument, match="--parity"):
        lq.modes.open(GOOD / "hadrons_even_sites.bin")
    with pytest.raises(lq.InvalidArgument, match="--ls"):
        lq.modes.open(GOOD / "quda_wilson.quda", ls=2)
    with pytest.raises(lq.Malformed):
        lq.modes.open(BAD / "quda_other_colors.quda")
    with pytest.raises(lq.Error):
        lq.modes.open(BAD / "hadrons_dimension_zero.bin")
    with pytest.raises(lq.NotFound, match="v0.bin"):
        lq.modes.open(tmp_path)
    with pytest.raises(lq.Unsupported, match="set of modes first"):
        lq.modes.convert(GOOD / "milc.eigen", tmp_path / "x", format="quda")
    with pytest.raises(lq.InvalidArgument, match="modes, quda, milc"):
        lq.modes.convert(GOOD / "milc.eigen", tmp_path / "x", format="grid")
    assert not (tmp_path / "x").exists()


def test_damage_is_found_on_the_way(tmp_path):
    data = bytearray((GOOD / "quda_wilson.quda").read_bytes())
    data[-2000] ^= 1
    (tmp_path / "damaged").write_bytes(data)
    with pytest.raises(lq.ChecksumError):
        lq.modes.convert(tmp_path / "damaged", tmp_path / "set.modes")
    assert not (tmp_path / "set.modes").exists()


def records_of(path):
    """(type, data) of every record, by the layout of docs/formats/lime.md."""
    data, at, records = path.read_bytes(), 0, []
    while at < len(data):
        (length,) = struct.unpack_from(">Q", data, at + 8)
        records.append((data[at + 16:at + 144].rstrip(b"\0").decode(), data[at + 144:at + 144 + length]))
        at += 144 + length + (-length) % 8
    return records


def dict_of(path):
    return dict(records_of(path))


def element_of(records, element):
    text = records["scidac-private-record-xml"].decode()
    return text.split(f"<{element}>")[1].split("<")[0]
