# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The reader in one file, tools/read_limequat.py, held against the library: bit for bit, and damage is an error of both."""

import ast
import pathlib
import shutil
import struct
import subprocess
import sys
import zlib

import limequat as lq
import numpy as np
import plain_lime  # noqa: F401  (makes tools importable)
import pytest
import read_limequat
from conftest import random_field, random_links

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
TESTS = REPOSITORY / "tests"
FOLDERS = ("golden/good/lime", "golden/bad/lime", "golden/good/volumes", "golden/good/modes", "golden/bad/modes",
           "golden/good/sion", "golden/bad/sion", "golden/good/squeezed", "conformance/files/ildg",
           "conformance/files/scidac", "conformance/files/modes", "conformance/files/squeezed")
OTHERS = sorted({path.parent for kind in ("golden/good", "conformance/files") for path in (TESTS / kind).glob("*/*")}
                - {TESTS / folder for folder in FOLDERS})
FILES = [path for folder in FOLDERS for path in sorted((TESTS / folder).iterdir()) if path.suffix not in (".expect", ".md")]


def same_bits(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def by_library(path):
    """What the library reads: a list of arrays or streams, or the error."""
    head = path.read_bytes()[:200]
    try:
        if head.startswith(b"sion"):
            with lq.open(path) as file, lq.multifile.open(path) as m:
                keys = [entry["type"] for entry in file.records if ".key." in entry["type"]]
                assert not [f for f in file.findings if f["severity"] == "error"], file.findings
                streams = [file.records[key] for key in keys] if keys else [stream.read() for stream in m]
                return [np.frombuffer(data, np.uint8) for data in streams]
        if b"limequat-modes" in head:
            with lq.modes.open(path) as m:
                return [m[k] for k in range(len(m))]
        with lq.open(path) as file:
            assert not [f for f in file.findings if f["severity"] == "error" and f["code"]], file.findings
            return [field.read() for field in file.fields]
    except (lq.Error, AssertionError) as error:
        return error


def by_one_file(path, kinds=("gauge", "spinor", "propagator", "generic", "mode", "stream")):
    try:
        return [item.read() for item in read_limequat.contents(path) if item.kind in kinds]
    except read_limequat.Damaged as error:
        return error


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_every_file_is_read_as_by_the_library_or_refused_by_both(path):
    theirs, mine = by_library(path), by_one_file(path)
    if isinstance(theirs, Exception):
        assert isinstance(mine, Exception) or mine == [], f"the library says {theirs}"
    elif isinstance(mine, Exception):
        # Of sets of modes with a damaged index the library reads the modes that are left, by their records.
        assert path.parent == TESTS / "golden/bad/modes", mine
    elif not mine:
        assert not theirs or path.suffix == ".sqz"  # of other formats: the files are restored, below
    else:
        assert len(mine) == len(theirs)
        for one, other in zip(mine, theirs):
            assert same_bits(one, other)


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".sqz" and not path.name.startswith("bad")],
                         ids=lambda path: path.name)
def test_archives_are_restored_byte_for_byte(path, tmp_path):
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.mkdir()
    theirs.mkdir()
    restored = [pathlib.Path(one) for one in read_limequat.restore(path, mine)]
    lq.unsqueeze(path, theirs / "out")
    expected = sorted(theirs.iterdir())
    assert [one.read_bytes() for one in sorted(restored)] == [one.read_bytes() for one in expected]
    with pytest.raises(FileExistsError):
        read_limequat.restore(path, mine)


def test_files_of_a_set_in_folders(tmp_path):
    """volfmt 3: vol0000/NAME, vol0001/NAME, ...; any of them is the whole field."""
    for number in range(4):
        (tmp_path / f"vol{number:04}").mkdir()
        shutil.copy(TESTS / f"golden/good/volumes/gauge.vol{number:04}", tmp_path / f"vol{number:04}/gauge")
    expected = lq.read(TESTS / "golden/good/volumes/gauge.scidac")
    for number in range(4):
        assert same_bits(read_limequat.read(tmp_path / f"vol{number:04}/gauge"), expected)
    (tmp_path / "vol0002/gauge").unlink()
    with pytest.raises(read_limequat.Damaged, match="missing") as caught:
        read_limequat.read(tmp_path / "vol0000/gauge")
    assert caught.value.kind == "truncated"


@pytest.mark.parametrize("folder", OTHERS, ids=lambda folder: folder.parent.name + "-" + folder.name)
def test_other_formats_are_refused(folder):
    for path in folder.iterdir():
        if path.is_file() and path.read_bytes()[:4] != read_limequat.MAGIC:
            with pytest.raises(read_limequat.Damaged):
                read_limequat.contents(path)


@pytest.fixture
def made(tmp_path):
    """A file of each kind, made by the library: by name, with the arrays that it holds."""
    links, spinor = random_links(), random_field((4, 3))
    files = {}
    for precision in ("double", "single"):
        gauge = links.astype("c16" if precision == "double" else "c8")
        files[f"{precision}.ildg"] = [gauge]
        lq.write(tmp_path / f"{precision}.ildg", gauge)
        files[f"{precision}.sqz"] = [gauge]
        lq.squeeze(tmp_path / f"{precision}.ildg", tmp_path / f"{precision}.sqz")
    smooth = np.round(spinor, 2)
    lq.write(tmp_path / "spinor.scidac", smooth)
    lq.squeeze(tmp_path / "spinor.scidac", tmp_path / "spinor.sqz")
    files["spinor.scidac"] = files["spinor.sqz"] = [smooth]
    vectors = [random_field((4, 3), seed=k) for k in range(6)]
    with lq.modes.create(tmp_path / "low.modes", (4, 2, 3, 5), storage="double") as m:
        for k, vector in enumerate(vectors):
            m.append(vector, eigenvalue=k)
    files["low.modes"] = vectors
    streams = [np.frombuffer(bytes(range(256)) * 5 * (task + 1), np.uint8) for task in range(4)]
    for compression in (None, "lz4", "zstd"):
        with lq.multifile.create(tmp_path / f"{compression}.sion", tasks=3, compression=compression) as m:
            for task in range(3):
                m[task].write(streams[task])
            m.write_field("eta", spinor)
        with lq.multifile.append(tmp_path / f"{compression}.sion", tasks=4) as m:  # a second physical file
            m[3].write(streams[3])
        files[f"{compression}.sion"] = [*streams, spinor]
    return tmp_path, files


def test_what_the_library_writes_is_read(made):
    folder, files = made
    for name, arrays in files.items():
        items = [item for item in read_limequat.contents(folder / name) if item.kind != "file"]
        assert len(items) == len(arrays), name
        for item, array in zip(items, arrays):
            assert same_bits(item.read(), array), name
            assert item.shape == array.shape and item.dtype == array.dtype
    assert items[-1].name == "eta"


def test_other_storage_of_modes_and_coefficients(tmp_path):
    vectors = [random_field((4, 3), seed=k) for k in range(4)]
    vectors += [vectors[0] + 0.5 * vectors[2], vectors[1] - vectors[3]]
    for storage in ("double", "single", "fixed16"):
        for basis in (0, 4):
            path = tmp_path / f"{storage}.{basis}.modes"
            block = {"basis": basis, "block": (2, 2, 3, 5)} if basis else {}
            with lq.modes.create(path, (4, 2, 3, 5), storage=storage, **block) as m:
                for k, vector in enumerate(vectors):
                    m.append(vector, eigenvalue=k)
            with lq.modes.open(path) as m:
                for k, item in enumerate(read_limequat.contents(path)):
                    assert item.facts["eigenvalue"] == k
                    found, expected = item.read(), m[k]
                    if basis and k >= basis:  # the order of adding is the reader's
                        assert np.allclose(found, expected, rtol=1e-6 if storage != "double" else 1e-13)
                    else:
                        assert same_bits(found, expected)


def test_frames_of_zstd_of_every_level_are_decoded(tmp_path):
    """Text-like, skewed, constant and random bytes use all kinds of blocks and tables."""
    generator = np.random.default_rng(3)
    pieces = {"skewed": generator.geometric(0.2, 200000).astype(np.uint8).tobytes(),
              "words": b" ".join(generator.choice([b"link", b"plaquette", b"site", b"trace", b"zero"], 30000)),
              "constant": bytes(100000), "random": generator.bytes(100000), "empty": b"", "few": b"ab" * 3,
              "doubles": np.round(generator.normal(size=20000), 3).tobytes()}
    for level in (1, 3, 19):
        path = tmp_path / f"{level}.sion"
        with lq.multifile.create(path, tasks=len(pieces), compression="zstd", level=level) as m:
            for task, data in enumerate(pieces.values()):
                m[task].write(data)
        items = read_limequat.contents(path)
        assert [item.read().tobytes() for item in items] == list(pieces.values())


@pytest.mark.parametrize("name", ["double.ildg", "single.sqz", "spinor.sqz", "low.modes", "None.sion", "zstd.sion"])
def test_a_changed_byte_is_an_error_or_changes_nothing(made, name):
    folder, files = made
    path, original = folder / name, (folder / name).read_bytes()
    generator, noticed = np.random.default_rng(7), 0
    written = np.flatnonzero(np.frombuffer(original, np.uint8))  # a multifile is mostly holes
    for place in generator.choice(written, 150).tolist():
        damaged = bytearray(original)
        damaged[place] ^= 1 << int(generator.integers(8))
        path.write_bytes(damaged)
        try:
            items = [item for item in read_limequat.contents(path) if item.kind != "file"]
            found = [item.read() for item in items]
        except read_limequat.Damaged:
            noticed += 1
            continue
        assert all(same_bits(one, other) for one, other in zip(found, files[name])), f"byte {place}"
    assert noticed > 75


@pytest.mark.parametrize("name", ["double.ildg", "double.sqz", "low.modes", "None.sion"])
def test_a_file_that_was_cut_is_an_error(made, name):
    folder, _ = made
    path, original = folder / name, (folder / name).read_bytes()
    for length in np.linspace(0, len(original) - 400, 40).astype(int).tolist():  # before the last record, with the facts
        path.write_bytes(original[:length])
        with pytest.raises(read_limequat.Damaged):
            for item in read_limequat.contents(path):
                item.read()


@pytest.mark.parametrize("word, value", [(2, 2**60), (5, 2**60), (5, 2**40), (1, 2**61), (7, 2**60), (3, 2**62)])
def test_an_index_with_impossible_sizes_takes_no_memory(tmp_path, word, value):
    """Its sum is right: someone made it so."""
    data = (TESTS / "golden/good/squeezed/conf.sqz").read_bytes()
    index = read_limequat.records_of(data)[-1]
    words = list(struct.unpack(f">{index.length // 8}Q", data[index.offset:index.offset + index.length - 4]))
    words[word] = value
    packed = struct.pack(f">{len(words)}Q", *words)
    end = index.offset + index.length
    (tmp_path / "bad.sqz").write_bytes(data[:index.offset] + packed + struct.pack(">I", zlib.crc32(packed)) + data[end:])
    with pytest.raises(read_limequat.Damaged):
        for item in read_limequat.contents(tmp_path / "bad.sqz"):
            item.read()


def test_damage_is_located_and_can_be_read_on_request(tmp_path, links):
    path = tmp_path / "conf.ildg"
    lq.write(path, links)
    data = bytearray(path.read_bytes())
    data[data.index(links[3].astype(">c16").tobytes()[:64])] ^= 1
    path.write_bytes(data)
    with pytest.raises(read_limequat.Damaged, match="slices 3 ") as caught:
        read_limequat.read(path)
    assert caught.value.kind == "checksum" and str(path) in str(caught.value)
    found = read_limequat.read(path, verify=False)
    assert np.array_equal(found[4:], links[4:]) and not np.array_equal(found[3], links[3])


def test_items_are_chosen_by_number_name_and_name_with_number(tmp_path):
    path, fields = tmp_path / "props.scidac", [random_field((4, 3), seed=k) for k in range(3)]
    with lq.create(path) as file:
        for field in fields:
            file.write("source", field)
    for which, k in ((None, 0), (2, 2), ("1", 1), ("source", 0), ("source:2", 2)):
        assert same_bits(read_limequat.read(path, which), fields[k])
    for which in (3, "source:3", "sink"):
        with pytest.raises(read_limequat.Damaged, match="does not exist|there is no"):
            read_limequat.read(path, which)


def run(*arguments):
    return subprocess.run([sys.executable, REPOSITORY / "tools/read_limequat.py", *arguments], capture_output=True, text=True,
                          timeout=120, check=False)


def test_the_command_line(tmp_path, gauge_file, links):
    listed = run(gauge_file, "--verify")
    assert listed.returncode == 0 and "gauge:0  gauge  5x3x2x4x4x3x3  complex128" in listed.stdout
    assert run(gauge_file, "-o", tmp_path / "out.npy").returncode == 0
    assert same_bits(np.load(tmp_path / "out.npy"), links)
    shutil.copy(TESTS / "golden/bad/lime/one_bit_of_the_data.lime", tmp_path / "bad.lime")
    failed = run(tmp_path / "bad.lime", "-o", tmp_path / "bad.npy")
    assert failed.returncode == 1 and "checksum of the data" in failed.stderr and not (tmp_path / "bad.npy").exists()
    assert run(tmp_path / "bad.lime", "--no-verify", "-o", tmp_path / "bad.npy").returncode == 0
    missing = run(tmp_path / "nowhere")
    assert missing.returncode == 1 and "nowhere: No such file" in missing.stderr
    archive = tmp_path / "conf.sqz"
    lq.squeeze(gauge_file, archive)
    (tmp_path / "out").mkdir()
    assert run(archive, "--restore", tmp_path / "out").returncode == 0
    assert (tmp_path / "out/conf.ildg").read_bytes() == gauge_file.read_bytes()


@pytest.mark.skipif(sys.version_info < (3, 10), reason="sys.stdlib_module_names is of Python 3.10")
def test_it_imports_nothing_but_numpy():
    tree = ast.parse((REPOSITORY / "tools/read_limequat.py").read_text())
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in imported} - sys.stdlib_module_names == {"numpy"}
