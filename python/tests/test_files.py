# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files opened for looking around, and files of several fields."""

import pathlib
import resource
import struct

import numpy as np
import pytest
from conftest import LATTICE, SHAPE, random_field

import limequat as lq


@pytest.fixture
def sources():
    return [random_field((4, 3), seed=s) for s in range(3)]


@pytest.fixture
def several(tmp_path, sources):
    path = tmp_path / "props.lime"
    with lq.create(path) as file:
        for s, source in enumerate(sources):
            file.write("propagator", source, metadata={"source": str(s)})
        file.write_record("note", "hello")
    return path


def test_a_file_tells_what_is_in_it(gauge_file, links):
    with lq.open(gauge_file) as file:
        assert file.format == "ildg" and file.lattice == LATTICE
        assert "ildg-binary-data" in file.records and "xlf-info" in file.records
        assert file.records["xlf-info"].rstrip(b"\0") == f"plaquette = {lq.plaquette(links).average:.12f}".encode()
        assert file.fields.names() == ["gauge"] and "gauge" in file.fields
        assert "ildg-binary-data" in str(file)


def test_a_field_tells_what_it_is(gauge_file, links):
    view = lq.open(gauge_file).fields["gauge"]
    assert (view.kind, view.shape, view.dtype) == ("gauge", links.shape, links.dtype)
    assert len(view) == SHAPE[0] and view.checksum is not None


@pytest.mark.parametrize("key", [
    np.s_[1:3], np.s_[2], np.s_[-1], np.s_[..., 0, 0], np.s_[1:4, 0, :, 2], np.s_[::2], np.s_[::-1],
    np.s_[4:0:-2, :, 1], np.s_[:, :, :, :, 2], np.s_[3:3], np.s_[0, 0, 0, 0, 0, 0, 0], np.s_[1, ..., 2:],
], ids=str)
def test_indexing_a_field_is_indexing_its_array(gauge_file, links, key):
    part = lq.open(gauge_file).fields[0][key]
    assert part.shape == links[key].shape and np.array_equal(part, links[key])


@pytest.mark.parametrize("key", [5, -6, "t", (0,) * 8, True, None, np.False_, np.s_[..., None], np.s_[0, True]], ids=str)
def test_indices_out_of_range_are_refused(gauge_file, key):
    with pytest.raises(IndexError):
        lq.open(gauge_file).fields[0][key]


def test_a_field_becomes_an_array(gauge_file, links):
    assert np.array_equal(np.asarray(lq.open(gauge_file).fields["gauge"]), links)


def test_verify_raises_on_damage(gauge_file):
    view = lq.open(gauge_file).fields["gauge"]
    view.verify()
    data = bytearray(gauge_file.read_bytes())
    data[view._entry["offset"] + 100] ^= 4
    gauge_file.write_bytes(data)
    with pytest.raises(lq.ChecksumError) as caught:
        view.verify()
    assert caught.value.expected != caught.value.found


def test_fields_of_one_name_are_told_apart_by_number(several, sources):
    file = lq.open(several)
    assert len(file.fields) == 3
    for s, source in enumerate(sources):
        name = file.fields[s].name
        assert np.array_equal(file.fields[name, s][:], source)
        assert np.array_equal(lq.read(several, field=s), source)


def test_records_of_ones_own(several):
    assert lq.read_record(several, "note") == b"hello"
    with pytest.raises(lq.NoSuchRecord):
        lq.read_record(several, "letter")


def test_an_exception_leaves_no_file(tmp_path, sources):
    with pytest.raises(ZeroDivisionError):
        with lq.create(tmp_path / "a.lime", LATTICE) as file:
            file.write("spinor", sources[0])
            1 / 0
    assert not list(tmp_path.iterdir())


def test_a_field_of_another_lattice_is_refused(tmp_path, sources):
    with pytest.raises(lq.InvalidArgument, match="lattice"):
        with lq.create(tmp_path / "a.lime", LATTICE) as file:
            file.write("spinor", sources[0][1:])
    assert not list(tmp_path.iterdir())


def test_a_closed_writer_takes_no_more(tmp_path, sources):
    file = lq.create(tmp_path / "a.lime")
    file.write("spinor", sources[0])
    file.close()
    with pytest.raises(lq.WrongState):
        file.write("spinor", sources[0])
    with pytest.raises(lq.WrongState):
        file.close()


def test_a_box_of_a_lattice_is_read_as_the_box(tmp_path):
    """A hypercube record of QIO: single precision numbers, each the rank of its site, from 1,0,0,2 to 2,3,3,2."""
    path = pathlib.Path(__file__).parents[2] / "tests" / "golden" / "good" / "lime" / "hypercube.lime"
    z, y, x = np.meshgrid(range(4), range(4), (1, 2), indexing="ij")
    ranks = (x + 8 * (y + 4 * (z + 4 * 2)))[np.newaxis].astype(np.float32)
    assert np.array_equal(lq.read(path), ranks)
    assert np.array_equal(lq.read(path, region={"x": slice(2, 3), "t": slice(2, 3)}), ranks[..., 1:])
    with lq.open(path) as f:
        field = f.fields["field"]
        assert field.shape == (1, 4, 4, 2) and field.lower == (2, 0, 0, 1)
        assert np.array_equal(field[0, 1:3], ranks[0, 1:3])
        assert np.array_equal(np.asarray(field), ranks)


def test_an_open_file_stays_the_file_that_it_was(tmp_path):
    path, other = tmp_path / "a.scidac", tmp_path / "b.scidac"
    shape = (4, 4, 4, 4, 4, 3)
    lq.write(path, np.full(shape, 1 + 1j), verify="none", metadata={"note": "x"})
    lq.write(other, np.full(shape, 2 + 2j), verify="none", metadata={"note": "x" * 5000})
    with lq.open(path) as file:
        other.rename(path)
        assert np.all(file.fields[0][:] == 1 + 1j)
        assert file.records["scidac-binary-data"] != lq.read_record(path, "scidac-binary-data")
    assert np.all(lq.read(path) == 2 + 2j)
    with pytest.raises(lq.WrongState):
        file.fields[0].read()


def test_notebooks_show_tables_and_no_markup_of_files(tmp_path, links):
    path = tmp_path / "<b>\x1b[31m.ildg"
    lq.write(path, links, metadata={"xlf-info": "<script>alert(1)</script> & more"})
    with lq.open(path) as file:
        shown = [file._repr_html_(), file.fields[0]._repr_html_(), lq.verify(path)._repr_html_()]
    assert "gauge" in shown[0] and "complex128" in shown[0] and "&lt;b&gt; [31m.ildg" in shown[0]
    assert "&lt;script&gt;alert(1)" in shown[1] and "&amp; more" in shown[1] and "checksum" in shown[1] and str(list(links.shape)) in shown[1]
    assert "sound" in shown[2]
    assert not any("<script" in text or "\x1b" in text for text in shown)


def test_notebooks_show_damage(gauge_file):
    data = bytearray(gauge_file.read_bytes())
    data[len(data) // 2] ^= 1
    gauge_file.write_bytes(data)
    shown = lq.verify(gauge_file)._repr_html_()
    assert "damaged" in shown and "<td" in shown and "checksum" in shown


def test_a_record_is_a_text_or_bytes(tmp_path, links):
    path = tmp_path / "a.lime"
    with lq.create(path, LATTICE) as file:
        file.write("gauge", links)
        for given in (b"abc", bytearray(b"abc"), memoryview(b"abc"), "abc"):
            file.write_record("letters", given)
        for wrong in (5, None, 1.5, [97, 98], links, np.arange(3), {"a": 1}):
            with pytest.raises(TypeError, match="contents of a record"):
                file.write_record("letters", wrong)
        for wrong in ("a\0b", b"letters", 5):
            with pytest.raises(lq.InvalidArgument, match="type of the record"):
                file.write_record(wrong, b"abc")
            with pytest.raises(lq.InvalidArgument, match="name of the field"):
                file.write(wrong, links)
    file = lq.open(path)
    letters = [entry for entry in file.records if entry["type"] == "letters"]
    assert len(letters) == 4 and all(file.records["letters", k] == b"abc" for k in range(4))


@pytest.mark.parametrize("length", [3 << 30, 1 << 62, (1 << 64) - 1])
def test_a_record_that_claims_more_than_there_is_takes_no_memory(tmp_path, length):
    path = tmp_path / "cut.lime"
    header = struct.pack(">IHBBQ128s", 0x456789AB, 1, 0xC0, 0, length, b"big")
    path.write_bytes(header + bytes(64))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with lq.open(path) as file:
        if "big" in file.records:
            with pytest.raises((lq.Truncated, lq.Malformed)):
                file.records["big"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB
