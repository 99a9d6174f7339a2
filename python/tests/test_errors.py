# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every failure is an Error and the built-in exception that belongs to it."""

import pickle

import numpy as np
import pytest

import limequat as lq

TABLE = [
    (lq.InvalidArgument, 10, ValueError), (lq.RanksDisagree, 11, ValueError), (lq.WrongState, 12, RuntimeError),
    (lq.Unsupported, 13, NotImplementedError), (lq.NotFound, 20, FileNotFoundError),
    (lq.Exists, 21, FileExistsError), (lq.NoPermission, 22, PermissionError), (lq.NoSpace, 23, OSError),
    (lq.IoError, 24, OSError), (lq.UnknownFormat, 30, ValueError), (lq.Malformed, 31, ValueError),
    (lq.Truncated, 32, EOFError), (lq.ChecksumError, 33, lq.Error), (lq.NoSuchRecord, 34, KeyError),
    (lq.OutOfMemory, 40, MemoryError), (lq.TooLarge, 41, OverflowError), (lq.CommunicationError, 50, RuntimeError),
    (lq.InternalError, 90, RuntimeError),
]


@pytest.mark.parametrize("kind, code, builtin", TABLE)
def test_kinds_have_codes_and_built_in_parents(kind, code, builtin):
    assert issubclass(kind, lq.Error) and issubclass(kind, builtin)
    assert kind.code == code == lq.Code(code)


@pytest.mark.parametrize("kind", [kind for kind, _, _ in TABLE])
def test_facts_are_attributes_and_the_sentence_is_the_text(kind):
    error = kind("it went wrong", path="a.lime", record="note", offset=8, rank=3, expected="1", found="2", errno=28)
    assert str(error) == "it went wrong"
    assert (error.path, error.record, error.offset, error.rank) == ("a.lime", "note", 8, 3)
    assert (error.expected, error.found, error.errno) == ("1", "2", 28)


def test_a_path_with_a_nul_is_refused_and_not_cut(tmp_path):
    other = tmp_path / "conf"
    other.write_text("precious")
    with pytest.raises(lq.InvalidArgument):
        lq.write(f"{other}\0.ildg", np.zeros((2, 2, 2, 2, 4, 3, 3), complex), force=True)
    assert other.read_text() == "precious"


def test_errors_travel_between_processes():
    error = pickle.loads(pickle.dumps(lq.ChecksumError("damaged", path="a.lime", expected="1", found="2")))
    assert (str(error), error.path, error.expected, error.found) == ("damaged", "a.lime", "1", "2")
    assert pickle.loads(pickle.dumps(lq.NoSpace("full", errno=28))).errno == 28


def test_every_code_but_ok_has_a_class():
    assert {int(kind.code) for kind, _, _ in TABLE} == {int(code) for code in lq.Code} - {0}


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        lq.read(tmp_path / "missing.ildg")
    assert isinstance(caught.value, lq.NotFound)
    assert caught.value.path == str(tmp_path / "missing.ildg") and caught.value.errno == 2


def test_a_file_of_something_else(tmp_path):
    path = tmp_path / "holiday.jpg"
    path.write_bytes(b"\xff\xd8\xff\xe0" + bytes(1000))
    with pytest.raises(lq.UnknownFormat):
        lq.read(path)


def test_a_file_that_ends_early(gauge_file):
    gauge_file.write_bytes(gauge_file.read_bytes()[:-5000])
    with pytest.raises(EOFError):
        lq.read(gauge_file)


def test_a_field_that_is_not_there(gauge_file):
    with pytest.raises(KeyError) as caught:
        lq.read(gauge_file, field="spinor")
    assert "gauge" in str(caught.value) and caught.value.record == "spinor"
    with pytest.raises(lq.NoSuchRecord):
        lq.read(gauge_file, field=("gauge", 1))


def test_a_folder_that_is_not_there(tmp_path, links):
    with pytest.raises(FileNotFoundError):
        lq.write(tmp_path / "nowhere" / "a.ildg", links)


def test_an_unknown_format_name(tmp_path, links):
    with pytest.raises(lq.Error):
        lq.write(tmp_path / "a.ildg", links, format="tiff")
