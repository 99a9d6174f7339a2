# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Who may read files that the package itself writes, and their names."""

import os
import stat

import numpy as np
import pytest

import limequat as lq


@pytest.fixture(autouse=True)
def usual_mask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def set_metadata(source, made):
    lq.set_metadata(source, {"beta": 6}, output=made, overwrite=True)


def manifest(source, made):
    lq.manifest(source.parent, made, overwrite=True)


def references(source, made):
    lq.references([source], made, overwrite=True)


def pack(source, made):
    lq.pack(made, [source], overwrite=True)


def image(source, made):
    lq.export_vtk(made, {"density": np.ones((2, 3, 4, 5))}, t=0, overwrite=True)


def selection(source, made):
    made.unlink(missing_ok=True)
    store = source.with_suffix(".h5")
    store.unlink(missing_ok=True)
    with lq.correlators.open(store, "x") as whole:
        whole.append(1, [("c", {}, np.arange(3.0))])
        os.chmod(store, mode_of(source))
        whole.select("c").copy(made)


OF_A_FILE = {set_metadata: "made.ildg", manifest: "made.txt", references: "made.json", pack: "made.sion"}


@pytest.mark.parametrize("write", [*OF_A_FILE, selection], ids=lambda write: write.__name__)
def test_what_is_made_of_a_private_file_is_private(gauge_file, tmp_path_factory, write):
    made = tmp_path_factory.mktemp("made") / OF_A_FILE.get(write, "made.h5")
    for mode in (0o600, 0o640, 0o644):
        os.chmod(gauge_file, mode)
        write(gauge_file, made)
        assert mode_of(made) == mode
        made.unlink()


@pytest.mark.parametrize("write", [*OF_A_FILE, image], ids=lambda write: write.__name__)
def test_a_private_file_is_replaced_by_one(gauge_file, tmp_path_factory, write):
    made = tmp_path_factory.mktemp("made") / OF_A_FILE.get(write, "made.vti")
    for mode in (0o600, 0o666):
        made.write_bytes(b"before")
        os.chmod(made, mode)
        write(gauge_file, made)
        assert made.stat().st_size > 6 and mode_of(made) == mode


def test_references_to_a_private_file_are_private_in_folders_too(gauge_file, tmp_path_factory):
    pytest.importorskip("pyarrow")
    made = tmp_path_factory.mktemp("made") / "made.parq"
    os.chmod(gauge_file, 0o640)
    references(gauge_file, made)
    assert mode_of(made) == 0o750
    references(gauge_file, made)
    assert [path.name for path in made.parent.iterdir()] == ["made.parq"] and lq.check_references(made)


@pytest.mark.parametrize("write", [*OF_A_FILE, image], ids=lambda write: write.__name__)
@pytest.mark.parametrize("letter", ("n", "ö", "格"))
def test_names_may_have_all_bytes_that_they_can_have(gauge_file, tmp_path_factory, write, letter):
    folder = tmp_path_factory.mktemp("made")
    ending = os.path.splitext(OF_A_FILE.get(write, "made.vti"))[1]
    count, rest = divmod(255 - len(ending), len(letter.encode()))
    made = folder / (rest * "n" + count * letter + ending)
    assert len(os.fsencode(made.name)) == 255
    for _ in range(2):
        write(gauge_file, made)
        assert [path.name for path in folder.iterdir()] == [made.name] and made.stat().st_size > 0
