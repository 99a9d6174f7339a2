# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every failure is an Error and the built-in exception that belongs to it."""

import errno
import os
import pickle
import stat
import subprocess
import sys

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


def test_errors_of_the_system_are_told_as_python_tells_them(tmp_path):
    with pytest.raises(OSError) as caught:
        lq.read(tmp_path / "missing.ildg")
    try:
        open(tmp_path / "missing.ildg")
    except OSError as of_python:
        for fact in ("errno", "filename", "strerror"):
            assert str(getattr(caught.value, fact)) == str(getattr(of_python, fact))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.filename, again.errno) == (caught.value.filename, errno.ENOENT)


def damaged(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    lq.read(path)


def closed(path):
    file = lq.open(path)
    file.close()
    file.fields[0].read()


def with_wrong_header(path):
    path.write_bytes(path.read_bytes()[:8] + b"\xff" * 8 + path.read_bytes()[16:])
    lq.read(path)


def cut(path):
    path.write_bytes(path.read_bytes()[:-5000])
    lq.read(path)


def of_no_format(path):
    path.write_bytes(bytes(1000))
    lq.read(path)


def of_wrong_shape(path):
    lq.write(path, np.zeros((2, 2, 2, 2, 5, 3, 3), complex))


# What is tried with a good file of a gauge field, what is raised, and the facts that are not None.
FAILURES = [
    (damaged, lq.ChecksumError, {"path", "record", "expected", "found"}),
    (closed, lq.WrongState, {"path"}),
    (with_wrong_header, lq.Malformed, {"path", "offset"}),
    (cut, lq.Truncated, {"path", "offset"}),
    (of_no_format, lq.UnknownFormat, {"path"}),
    (of_wrong_shape, lq.InvalidArgument, {"found"}),
    (lambda path: lq.read(path, field="spinor"), lq.NoSuchRecord, {"path", "record", "expected", "found"}),
    (lambda path: lq.write(path, lq.read(path)), lq.Exists, {"path", "errno"}),
    (lambda path: lq.read(path.parent / "no"), lq.NotFound, {"path", "errno"}),
    (lambda path: lq.read(path.parent), lq.Error, {"path"}),
    (lambda path: lq.unsqueeze(path, path.parent / "b"), lq.Unsupported, {"path"}),
    (lambda path: lq.write("/dev/full/a.ildg", lq.read(path)), lq.Error, {"path", "errno"}),
]


@pytest.mark.parametrize("attempt, kind, facts", FAILURES)
def test_what_happened_is_in_the_attributes(gauge_file, attempt, kind, facts):
    with pytest.raises(kind) as caught:
        attempt(gauge_file)
    error = caught.value
    assert {name for name in facts if getattr(error, name) is None} == set(), vars(error)
    assert str(error) and (error.path is None or error.path in str(error))


FULL = """
import resource, sys, numpy, limequat as lq
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
try:
    lq.write(sys.argv[1], numpy.zeros((4, 4, 4, 4, 4, 3, 3), complex))
except lq.Error as error:
    print(isinstance(error, OSError), error.errno, error.path is not None)
"""


def test_a_file_that_may_not_grow_is_an_error_of_the_system(tmp_path):
    result = subprocess.run([sys.executable, "-c", FULL, tmp_path / "a.ildg"], capture_output=True, text=True)
    assert result.stdout.split() == ["True", str(errno.ENOSPC), "True"], result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() == 0 and not os.path.exists("/usr/bin/setpriv"), reason="root may do everything")
def test_a_folder_without_permission_is_a_permission_error(tmp_path):
    code = "import sys, limequat as lq\ntry:\n    lq.read(sys.argv[1])\nexcept PermissionError as error:\n    print(error.errno, error.path)"
    path = tmp_path / "conf.ildg"
    path.write_bytes(b"")
    path.chmod(0)
    if os.geteuid() == 0:
        drop = ["/usr/bin/setpriv", "--bounding-set", "-all", "--inh-caps", "-all"]
    else:
        drop = []
    result = subprocess.run([*drop, sys.executable, "-c", code, path], capture_output=True, text=True)
    assert result.stdout.split() == [str(errno.EACCES), str(path)], result.stderr


@pytest.mark.parametrize("wrong", ["new.modes", b"new.modes", 1, 2 ** 63, 1.5, [], np.zeros(3), object()])
def test_what_the_library_did_not_make_is_no_handle(wrong):
    # ctypes takes texts and numbers as addresses.
    for use in (lambda: len(lq.modes.Writer("new.modes", wrong, None)), lambda: lq.checkpoints.Checkpoint(wrong, None)):
        with pytest.raises(lq.InvalidArgument, match="expected an object that the library made"):
            use()


@pytest.mark.parametrize("wrong", ["beta", ["beta"], 6.1, lq])
def test_metadata_without_names_are_refused(tmp_path, wrong):
    links = np.zeros((2, 2, 2, 2, 4, 3, 3), complex)
    lq.write(tmp_path / "old.ildg", links)
    for use in (lambda path: lq.write(path, links, metadata=wrong), lambda path: lq.write_async(path, links, metadata=wrong).wait(),
                lambda path: lq.set_metadata(tmp_path / "old.ildg", wrong, output=path),
                lambda path: lq.ildg.document(tmp_path / "old.ildg", metadata=wrong),
                lambda path: lq.create(path, like=links, metadata=wrong)):
        with pytest.raises(lq.InvalidArgument, match="metadata is .*, expected a dict"):
            use(tmp_path / "new.ildg")
    assert [path.name for path in tmp_path.iterdir()] == ["old.ildg"]


REPLACING = {
    "set_metadata": lambda source, name: lq.set_metadata(source, {"beta": "6"}, output=name, overwrite=True),
    "manifest": lambda source, name: lq.manifest(source.parent, name, overwrite=True),
    "references": lambda source, name: lq.references([source], name, overwrite=True),
    "index": lambda source, name: lq.index(source.parent, db=name),
    "write": lambda source, name: lq.write(name, lq.read(source), format="ildg", overwrite=True),
}


@pytest.mark.parametrize("what", ("fifo", "dangling", "device"))
@pytest.mark.parametrize("call", REPLACING)
def test_what_is_no_file_is_never_replaced(tmp_path, gauge_file, call, what):
    """The place of a pipe or of /dev/null is not for a file, whatever overwrite says; nor is where a link leads to nowhere."""
    name = tmp_path / "target.json"
    if what == "fifo":
        os.mkfifo(name)
    elif what == "dangling":
        os.symlink(tmp_path / "nowhere", name)
    else:
        try:
            os.mknod(name, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        except OSError as error:
            pytest.skip(str(error))
    before = os.lstat(name)
    with pytest.raises(lq.InvalidArgument):
        REPLACING[call](gauge_file, name)
    after = os.lstat(name)
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)
    assert sorted(os.listdir(tmp_path)) == sorted([gauge_file.name, name.name])
