# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Folders converted, compared and cut by one call give what lq says of them, and the files that plain numpy expects."""

import json
import os
import subprocess

import numpy as np
import pytest
from conftest import random_links

import limequat as lq

LQ = os.environ.get("LQ_PROGRAM", "lq")


@pytest.fixture
def tree(tmp_path):
    for number in (1, 2, 3):
        path = tmp_path / "run" / f"r{number % 2}" / f"conf.{number}.ildg"
        path.parent.mkdir(parents=True, exist_ok=True)
        lq.write(path, random_links((4, 2, 2, 2, 4), seed=number))
    (tmp_path / "run" / "README").write_text("text")
    return tmp_path


def said(*words):
    """The JSON of lq."""
    done = subprocess.run([LQ, words[0], "--json", *map(str, words[1:])], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode


def without_times(rows):
    return [{name: value for name, value in one.items() if "seconds" not in name and name not in ("bandwidth", "storage")} for one in rows]


def test_a_tree_is_converted_as_lq_does(tree):
    made = lq.convert_below(tree / "run", tree / "out", to="nersc")
    rows, code = said("convert", tree / "run", tree / "out2", "--to", "nersc")
    assert made and code == 0 and made.summary["converted"] == 3 and made.summary["foreign"] == 1
    there = json.loads(json.dumps(without_times(rows[:-1])).replace(str(tree / "out2"), str(tree / "out")))
    assert {name for one in made.files for name in one} == {name for one in rows[:-1] for name in one}
    assert [(one["path"], one["source"], one["bytes"]) for one in made.files] == [(one["path"], one["source"], one["bytes"]) for one in there]
    for number in (1, 2, 3):
        path = tree / "out" / f"r{number % 2}" / f"conf.{number}.nersc"
        assert np.array_equal(lq.read(path), random_links((4, 2, 2, 2, 4), seed=number))
    again = lq.convert_below(tree / "run", tree / "out", to="nersc", skip_existing=True)
    assert again and again.summary["skipped"] == 3
    dry = lq.convert_below([tree / "run" / "r0", tree / "run" / "r1"], tree / "out3", to="scidac", dry_run=True, metadata={"note": "a=b"})
    assert dry and dry.summary["dry_run"] and not (tree / "out3").exists()


def test_what_fails_is_told_and_the_others_go_on(tree):
    bad = tree / "run" / "r1" / "conf.1.ildg"
    bad.write_bytes(bad.read_bytes()[:5000])
    made = lq.convert_below(tree / "run", tree / "out", to="nersc")
    assert not made and made.summary["failed"] == 1 and made.summary["converted"] == 2
    assert [one["path"] for one in made.files if "error" in one] == [str(bad)] and any("conf.1.ildg" in line for line in made.messages)


def test_trees_are_compared(tree):
    lq.convert_below(tree / "run", tree / "out", to="scidac")
    same = lq.diff_below(tree / "run", tree / "out")
    assert same and same.summary["same"] == 3 and all(one["same"] for one in same.files)
    lq.write(tree / "out" / "r0" / "conf.2.scidac", random_links((4, 2, 2, 2, 4), seed=9), overwrite=True)
    (tree / "out" / "r1" / "conf.3.scidac").unlink()
    other = lq.diff_below(tree / "run", tree / "out")
    rows, code = said("diff", tree / "run", tree / "out")
    assert not other and code != 0 and other.summary == rows[-1]["summary"]
    assert other.summary["different"] == 1 and len(other.summary["unpaired"]) == 1
    assert lq.diff_below(tree / "run" / "r0", tree / "out" / "r0", tolerance=1e3)


def test_slices_are_cut(tree):
    made = lq.extract_below(tree / "run", tree / "cut", slice="t=2")
    assert made and made.summary["converted"] == 3
    found = lq.read(tree / "cut" / "r0" / "conf.2.ildg")
    assert np.array_equal(found, random_links((4, 2, 2, 2, 4), seed=2)[2:3])
    assert lq.extract_below(tree / "run" / "r1", slice="t=0:2").summary["folder"].endswith("r1.t0-2") or (tree / "run").exists()


@pytest.mark.parametrize("call", [
    lambda tree: lq.convert_below(tree / "none", tree / "out", to="nersc"),
    lambda tree: lq.convert_below(tree / "run", tree / "out", to="none"),
    lambda tree: lq.convert_below(tree / "run", tree / "out", to=None),
    lambda tree: lq.convert_below(tree / "run", tree / "o\0ut", to="nersc"),
    lambda tree: lq.diff_below(tree / "run", tree / "run" / "README"),
    lambda tree: lq.extract_below(tree / "run", slice=5),
])
def test_bad_input_is_an_error_of_the_package(tree, call):
    with pytest.raises(lq.Error):
        call(tree)


def test_a_slice_that_no_lattice_has_fails_for_each_file(tree):
    made = lq.extract_below(tree / "run", tree / "cut", slice="q=5")
    assert not made and made.summary["failed"] == 3 and all("error" in one for one in made.files)


def test_names_are_words_and_no_options(tree, monkeypatch):
    monkeypatch.chdir(tree)
    os.rename("run", "--run")
    assert lq.convert_below("--run", "-out", to="nersc") and len(list((tree / "-out").rglob("*.nersc"))) == 3
