# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that are killed before any change of a name: every file is the old one or the new one, whole, and the next run ends well.

What the library writes is in tests/fault; bags and images are in test_whole_ensembles.py and test_pictures.py."""

import shutil

import numpy as np
import pytest

import killing
import limequat as lq
from conftest import random_links

LINKS = random_links(shape=(2, 2, 2, 4, 4), seed=1)


def beta(folder):
    assert lq.verify(folder / "a.ildg").verdict == "sound" and np.array_equal(lq.read(folder / "a.ildg"), LINKS)
    return "beta=6.5" if b"6.5" in (folder / "a.ildg").read_bytes() else "none"


def listed(folder):
    if not (folder / "m.txt").exists():
        return "none"
    text = (folder / "m.txt").read_text()
    assert text.endswith("\n")
    return "two" if "b.ildg" in text else "one"


def referred(folder):
    if not (folder / "r.json").exists():
        return "none"
    assert lq.check_references(folder / "r.json")
    return "two" if "b.ildg" in (folder / "r.json").read_text() else "one"


def made(folder, number):
    data = folder / "data"
    data.mkdir(exist_ok=True)
    for name in "ab"[:number]:
        if not (data / f"{name}.ildg").exists():
            lq.write(data / f"{name}.ildg", LINKS)
    return data


def list_files(folder, number):
    lq.manifest(made(folder, number), folder / "m.txt", overwrite=True)


def refer(folder, number):
    data = made(folder, number)
    lq.references(sorted(data.glob("*.ildg")), folder / "r.json", overwrite=True)


def change(folder, number):
    lq.set_metadata(folder / "a.ildg", {"beta": "6.5"})


# What is there before, the work, the state that is there, and its names before and after.
WRITERS = {
    "new manifest": (lambda f: None, lambda f: list_files(f, 1), listed, "none", "one"),
    "replaced manifest": (lambda f: list_files(f, 1), lambda f: list_files(f, 2), listed, "one", "two"),
    "new references": (lambda f: None, lambda f: refer(f, 1), referred, "none", "one"),
    "replaced references": (lambda f: refer(f, 1), lambda f: refer(f, 2), referred, "one", "two"),
    "changed texts": (lambda f: lq.write(f / "a.ildg", LINKS), lambda f: change(f, 1), beta, "none", "beta=6.5"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_killed_program_leaves_the_old_or_the_new_file(tmp_path, name):
    before, work, state, old, new = WRITERS[name]
    seen = set()
    for number in range(1, 60):
        folder = tmp_path / str(number)
        folder.mkdir()
        before(folder)
        is_killed = killing.is_killed(lambda: work(folder), number)
        seen.add(state(folder))
        work(folder)
        assert state(folder) == new
        shutil.rmtree(folder)
        if not is_killed:
            break
    assert number > 2 and not is_killed and seen == {old, new}
