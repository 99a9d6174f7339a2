# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sets of vectors of QUDA, MILC, Hadrons, QDP++ and eigen-comp, made by tools/make_golden_vectors.py from
docs/formats/vectors.md, mod.md and eigen-comp.md: every number says which vector, s, site and component it is, so that no
reader is needed to know what must come out; numbers of 16 bits are decoded by plain readers here, which also take files
for other programs apart."""

import pathlib
import shutil
import struct
import zlib

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
         ("hadrons_five_dimensions_odd_sites.bin", {"parity": "odd"}, 2, 1, 2, 24), ("hadrons_folder", {}, 3, None, 1, 24),
         ("chroma.mod", {}, 3, None, 1, 6), ("chroma_weights_of_slices.mod", {}, 2, None, 1, 6),
         ("eigen_comp", {}, 2, 1, 2, 24), ("eigen_comp_blocks_in_s", {"lattice": LATTICE}, 2, 1, 2, 24)]
FAMILY = {"hadrons": "grid", "chroma": "mod", "eigen": "eigen-comp"}


@pytest.mark.parametrize("name, said, count, parity, ls, numbers", FILES, ids=[file[0] for file in FILES])
def test_numbers_are_where_they_belong(name, said, count, parity, ls, numbers, tmp_path):
    program = name.split("_")[0].split(".")[0]
    family = FAMILY.get(program, program)
    has_values = program != "quda" and "slices" not in name
    with lq.modes.open(GOOD / name, **said) as modes:
        assert modes.family == family
        check(modes, count, parity, ls, numbers)
        values = [(0.125 if family == "grid" else 0.25) * (k + 1) if has_values else 0.0 for k in range(count)]
        assert modes.eigenvalues.tolist() == values
        assert [k for k, _ in modes.ahead()] == list(range(count))
    lq.modes.convert(GOOD / name, tmp_path / "set.modes", **said)
    with lq.modes.open(tmp_path / "set.modes") as modes:
        assert modes.family == "modes"
        check(modes, count, parity, ls, numbers)
        assert modes.eigenvalues.tolist() == values
        assert modes.parameters.get("eigenvalues") == (None if has_values else "not known")


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
    with pytest.raises(lq.InvalidArgument, match="parity"):
        lq.modes.open(GOOD / "hadrons_even_sites.bin")
    with pytest.raises(lq.InvalidArgument, match="ls"):
        lq.modes.open(GOOD / "quda_wilson.quda", ls=2)
    with pytest.raises(lq.Malformed):
        lq.modes.open(BAD / "quda_other_colors.quda")
    with pytest.raises(lq.Error):
        lq.modes.open(BAD / "hadrons_dimension_zero.bin")
    with pytest.raises(lq.NotFound, match="v0.bin"):
        lq.modes.open(tmp_path)
    with pytest.raises(lq.Unsupported, match="set of modes first"):
        lq.modes.convert(GOOD / "milc.eigen", tmp_path / "x", format="quda")
    with pytest.raises(lq.InvalidArgument, match="modes, quda, milc, grid, grid-folder, mod"):
        lq.modes.convert(GOOD / "milc.eigen", tmp_path / "x", format="girt")
    with pytest.raises(lq.InvalidArgument, match="lattice"):
        lq.modes.open(GOOD / "eigen_comp_blocks_in_s")
    with pytest.raises(lq.InvalidArgument, match="do not fill"):
        lq.modes.open(GOOD / "eigen_comp_blocks_in_s", lattice=(4, 2, 2, 8))
    assert not (tmp_path / "x").exists()


def test_damage_is_found_on_the_way(tmp_path):
    data = bytearray((GOOD / "quda_wilson.quda").read_bytes())
    data[-2000] ^= 1
    (tmp_path / "damaged").write_bytes(data)
    with pytest.raises(lq.ChecksumError):
        lq.modes.convert(tmp_path / "damaged", tmp_path / "set.modes")
    assert not (tmp_path / "set.modes").exists()


def fixed(words, group):
    """Numbers of eigen-comp.md 4, in single precision, step by step."""
    values = []
    for at in range(0, len(words), group + 1):
        most = np.float32(np.float64(1.4142135623730950488) ** (int(words[at]) - 32767))
        values += [-most + (np.float32(u) + np.float32(0.5)) * (most + most) / np.float32(65536)
                   for u in words[at + 1:at + group + 1]]
    return np.array(values, dtype=np.float32)


def test_numbers_of_16_bits_are_those_of_the_page():
    """A second reader: eigen_comp_16 has 2 vectors of the basis in single precision, 10 in 16 bits, 3 vectors."""
    node, block, ls, single, basis, vectors = (4, 2, 2, 2), (2, 2, 2, 2), 2, 2, 12, 3
    site, half = 8 // 2 * 2 * 2, 2 * 2 * 2  # odd places of a block, those of one s
    expected_sets = [np.zeros((4, 2, 2, 2, 2, 24), np.float32) for _ in range(vectors)]
    for number in range(2):
        data = (GOOD / f"eigen_comp_16/{number:02}/{number:010}.compressed").read_bytes()
        floats = np.frombuffer(data, "<f4", 2 * single * site * 24).reshape(2, single, site * 24)
        at = floats.nbytes
        words = np.frombuffer(data, "<u2", 2 * (basis - single) * site * 25, at)
        at += words.nbytes
        numbers = fixed(words, 24).reshape(2, basis - single, site * 24)
        assert not numbers[0, 0, :24].any()  # the group of zeros
        for j in range(vectors):
            for b in range(2):
                factors = np.frombuffer(data, "<f4", 2 * single, at)
                at += factors.nbytes
                more = np.frombuffer(data, "<u2", 2 * (basis - single) * 11 // 10, at)
                at += more.nbytes
                factors = np.concatenate([factors, fixed(more, 10)])
                total = np.zeros(site * 24, np.float32)
                for i in range(basis):
                    one = floats[b, i] if i < single else numbers[b, i - single]
                    re, im = factors[2 * i], factors[2 * i + 1]
                    total[0::2] = (re * one[0::2] - im * one[1::2]) + total[0::2]
                    total[1::2] = (re * one[1::2] + im * one[0::2]) + total[1::2]
                total = total.reshape(ls, half, 24)
                place = 0
                for t in range(2):
                    for z in range(2):
                        for y in range(2):
                            expected_sets[j][number * 2 + t, z, y, b] = total[:, place]
                            place += 1
        assert at == len(data)
    with lq.modes.open(GOOD / "eigen_comp_16") as modes:
        assert modes.storage == "single" and modes.eigenvalues.tolist() == [1.0, 2.0, 3.0]
        for j in range(vectors):
            found = np.ascontiguousarray(modes[j]).view(np.float32).reshape(4, 2, 2, 2, 2, 24)
            assert found.tobytes() == expected_sets[j].tobytes()


def test_folders_of_eigen_comp_are_whole_or_told(tmp_path):
    with pytest.raises(lq.ChecksumError, match="0000000001.compressed"):
        lq.modes.convert(BAD / "eigen_comp_damaged", tmp_path / "x")
    with pytest.raises(lq.Truncated, match="there is no 01/0000000001.compressed"):
        lq.modes.open(BAD / "eigen_comp_file_missing")
    shutil.copytree(GOOD / "eigen_comp", tmp_path / "folder")
    (tmp_path / "folder" / "eigen-values.txt").unlink()
    with lq.modes.open(tmp_path / "folder") as modes:
        assert modes.parameters["eigenvalues"] == "not known"
    assert not (tmp_path / "x").exists()


def test_object_files_are_whole_or_told(tmp_path):
    for name, kind, words in (("mod_not_closed.mod", lq.Truncated, "before it wrote the map"),
                              ("mod_slice_missing.mod", lq.Malformed, "3 time slices of 4"),
                              ("mod_map_damaged.mod", lq.Malformed, "the map has the checksum")):
        with pytest.raises(kind, match=words):
            lq.modes.convert(BAD / name, tmp_path / "x")
    with pytest.raises(lq.ChecksumError):
        lq.modes.convert(BAD / "mod_slice_damaged.mod", tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("name, word", [("chroma.mod", 4), ("chroma_weights_of_slices.mod", 8)])
def test_object_files_of_ours_hold_what_those_of_the_program_do(name, word, tmp_path):
    lq.modes.convert(GOOD / name, tmp_path / "set.modes")
    lq.modes.convert(tmp_path / "set.modes", tmp_path / "back.mod", format="mod")
    ours, theirs = (objects_of(path, word) for path in (tmp_path / "back.mod", GOOD / name))
    assert ours[1] == theirs[1]
    assert ours[0].split("<Weights>")[1] == theirs[0].split("<Weights>")[1]
    with lq.modes.open(tmp_path / "back.mod") as modes, lq.modes.open(GOOD / name) as there:
        assert modes.eigenvalues.tolist() == there.eigenvalues.tolist() and modes.storage == there.storage


def objects_of(path, word):
    """The text, and the data by key, of an object file (mod.md 2)."""
    data, at = path.read_bytes(), 0

    def desc(at):
        (length,) = struct.unpack_from(">i", data, at)
        return data[at + 4:at + 4 + length], at + 4 + length

    magic, at = desc(0)
    assert magic == b"XXXXQDPLazyDiskMapObjFileXXXX" and data[at:at + 4] == b"\0\0\0\1"
    text, at = desc(at + 4)
    (begin,) = struct.unpack_from(">Q", data, at + 8)
    (count,) = struct.unpack_from(">I", data, begin)
    at, objects = begin + 4, {}
    for _ in range(count):
        key, at = desc(at)
        (where,) = struct.unpack_from(">Q", data, at + 8)
        at += 16
        size = 16 * 6 * word
        objects[struct.unpack(">ii", key)] = data[where:where + size]
        assert struct.unpack_from(">I", data, where + size) == (zlib.crc32(data[where:where + size]),)
    assert struct.unpack_from(">I", data, at) == (zlib.crc32(data[begin:at]),)
    return text.decode(), objects


@pytest.mark.parametrize("name, said", [("hadrons.bin", {}), ("hadrons_even_sites.bin", {"parity": "even"}),
                                        ("hadrons_five_dimensions_odd_sites.bin", {"parity": "odd"})])
def test_files_for_grid_are_those_of_grid(name, said, tmp_path):
    lq.modes.convert(GOOD / name, tmp_path / "set.modes", **said)
    lq.modes.convert(tmp_path / "set.modes", tmp_path / "back.bin", format="grid")
    lq.modes.convert(tmp_path / "set.modes", tmp_path / "folder", format="grid-folder")
    ours, theirs = (records_of(path) for path in (tmp_path / "back.bin", GOOD / name))
    assert [kind for kind, _ in ours] == [kind for kind, _ in theirs]
    for (kind, data), (_, other) in zip(ours, theirs):
        if kind in ("ildg-binary-data", "scidac-record-xml", "scidac-checksum"):
            assert data == other or kind == "scidac-checksum" and sums_of(data) == sums_of(other)
        if kind == "grid-format":
            assert data.split(b"<dimension>")[1].split() [:1] == other.split(b"<dimension>")[1].split()[:1]
    norms = [data for kind, data in ours if kind == "FieldNormMetaData"]
    data = [data for kind, data in ours if kind == "ildg-binary-data"]
    with lq.modes.open(tmp_path / "back.bin", **said) as modes:
        number = ">f4" if modes.storage == "single" else ">f8"
        for text, numbers in zip(norms, data):
            exact = float(np.sum(np.frombuffer(numbers, number).astype(np.float64) ** 2))
            assert float(text.split(b"<norm2>")[1].split(b"<")[0]) == pytest.approx(exact, rel=1e-12)
        with lq.modes.open(tmp_path / "folder", **said) as folder:
            assert folder.family == modes.family == "grid" and len(folder) == len(modes)
            for k in range(len(modes)):
                assert np.array_equal(folder[k], modes[k])


def sums_of(text):
    return [int(text.split(b"<sum%c>" % letter)[1].split(b"<")[0], 16) for letter in b"ab"]


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
