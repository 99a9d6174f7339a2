# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Messages of the library name options as C and C++ do; errors, warnings and findings of Python name keywords."""

import os
import pathlib
import re

import numpy as np
import pytest

import limequat as lq
from limequat import options
from limequat.remedies import in_keywords

ROOT = pathlib.Path(__file__).resolve().parents[2]


def links(tmp_path):
    path = tmp_path / "conf.ildg"
    u = np.zeros((4, 2, 2, 2, 4, 3, 3), np.complex128)
    u[..., range(3), range(3)] = 1
    lq.write(path, u)
    return path, u


def test_an_existing_file_is_replaced_by_a_keyword(tmp_path):
    path, u = links(tmp_path)
    for write in (lambda: lq.write(path, u), lambda: lq.convert(path, path)):
        with pytest.raises(lq.Exists) as caught:
            write()
        assert "overwrite=True" in str(caught.value) and "options." not in str(caught.value)


def test_warnings_and_other_errors_name_keywords(tmp_path):
    path, u = links(tmp_path)
    with pytest.warns(RuntimeWarning, match="precision='single'"):
        lq.convert(path, tmp_path / "conf.milc")
    lq.write(tmp_path / "noted.ildg", u, metadata={"note": "mine"})
    with pytest.raises(lq.Unsupported, match="allow_loss=True"):
        lq.convert(tmp_path / "noted.ildg", tmp_path / "other.milc")
    with pytest.raises(lq.InvalidArgument, match=r"dataset_chunk='slice'"):
        lq.write(tmp_path / "conf.h5", u, filters="deflate")
    (tmp_path / "numbers").write_bytes(u.tobytes())
    with pytest.raises(lq.UnknownFormat, match="lattice='8x8x8x16'"):
        lq.diagnose(tmp_path / "numbers")
    (tmp_path / "noise").write_bytes(os.urandom(u.nbytes))
    remedy = lq.diagnose(tmp_path / "noise", lattice="2x2x2x4").remedy
    assert "lattice" in remedy and "options." not in remedy


def test_names_of_files_are_left_alone(tmp_path):
    assert in_keywords("set it (options.threads = 4), or options.measure = false") == "set it (threads=4), or measure=False"
    for text in ("options.threads: cannot open", "/x/options.threads is", 'the file "options.threads"', "my_options.threads",
                 "set options.nonsense = 7"):
        assert in_keywords(text) == text
    with pytest.raises(lq.NotFound) as caught:
        lq.read(tmp_path / "options.threads")
    assert str(tmp_path / "options.threads") in str(caught.value)


def test_every_option_that_a_message_of_the_library_names_exists():
    if not (ROOT / "src").is_dir():
        pytest.skip("the sources are not here")
    named, arguments = set(), set()
    for path in (ROOT / "src").rglob("*.cpp"):
        if path.name.endswith("_test.cpp") or {"cli", "bench"} & set(path.parts):
            continue
        for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', path.read_text(encoding="utf-8")):
            named |= {(path.name, name) for name in re.findall(r"(?<![\w./:-])options\.([a-z_]+)", text)}
            if re.search(r"(?<![\w-])--(overwrite|force|allow-loss|accept-damage|resume|lattice|format|precision)\b", text) and "lq " not in text:
                arguments.add((path.name, text))
    assert len(named) > 10
    assert [one for one in named if one[1] != "idle_ranks" and not options.is_option(one[1])] == []
    assert arguments == set(), "name the member, options.NAME: lq and Python say it in their own words"
