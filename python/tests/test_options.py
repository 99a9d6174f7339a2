# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every option is everywhere: nothing here names an option of a table by hand, so that a new row is tested as it is."""

import inspect
import json
import os
import re
import shutil
import subprocess

import numpy as np
import pytest

import limequat as lq
from limequat._library import text_from
from limequat.options import Options, default_of

TABLES = json.loads(text_from("lq_options_json"))
ROWS = [(table, row) for table in TABLES for row in table["options"]]
LQ = os.environ.get("LQ_PROGRAM") or shutil.which("lq")


def function_named(path):
    found = lq
    for part in path.split("."):
        found = getattr(found, part)
    return found


# What a function says of itself stands in other words: parts of arrays, or what makes no sense beside streams or where
# nobody waits.
LEFT_OUT = {"write_async": {"progress"}, "read_async": {"progress"}, "create": {"progress"},
            "multifile.Writer.write_field": {"format", "name", "sync", "overwrite"},
            "multifile.Reader.read_field": {"field", "index"}}

# Functions that `lq` calls otherwise.
VERBS = {"defragment": "defrag", "report_page": "report", "ildg.document": "ildg", "ildg.check": "ildg", "ildg.lfn": "ildg"}


def ids(pair):
    return f"{pair[0]['name']}.{pair[1]['name']}"


@pytest.mark.parametrize("pair", ROWS, ids=ids)
def test_every_option_is_a_keyword_of_python(pair):
    table, row = pair
    for path in table["functions"]:
        verb = VERBS.get(path, path)
        is_of_other_verbs = verb in table["verbs"] and row["verbs"] and verb not in row["verbs"]
        if row["name"] in LEFT_OUT.get(path, ()) or is_of_other_verbs:
            continue
        function = function_named(path)
        parameter = inspect.signature(function).parameters[row["name"]]
        assert row["name"] in function.__doc__
        if parameter.default not in (None, inspect.Parameter.empty) and row["kind"] != "choice":
            assert parameter.default == default_of(row)


@pytest.mark.parametrize("pair", ROWS, ids=ids)
def test_every_option_is_an_argument_of_lq(pair):
    table, row = pair
    verbs = row["verbs"]
    if not verbs:
        assert row["not_in_lq"] or not table["verbs"]
        return
    if LQ is None:
        pytest.skip("there is no program lq")
    for verb in verbs:
        text = subprocess.run([LQ, verb, "--help"], check=True, capture_output=True, text=True).stdout
        for argument in row["arguments"]:
            name = argument["names"][0]
            assert f"{name} " in text or f"{name}," in text or f"{name}\n" in text, f"{verb} lacks {name}"
        for alias in row["aliases"]:
            assert f"-{alias.replace('_', '-')} " in text or f"-{alias.replace('_', '-')}," in text


@pytest.mark.parametrize("pair", [p for p in ROWS if p[0]["c_name"]], ids=ids)
def test_every_option_is_set_by_name_in_c(pair):
    table, row = pair
    values = {"flag": [True, False], "count": [4096], "whole": [2], "real": [0.5], "text": ["abc"],
              "choice": row["choices"]}
    for value in values.get(row["kind"], []):
        struct = Options(table["name"], {row["name"]: value}).struct
        held = getattr(struct, row["members"][0]["name"])
        if row["kind"] == "choice":
            assert isinstance(held, int)
        else:
            assert held == (value.encode() if isinstance(value, str) else value)


@pytest.mark.parametrize("pair", [p for p in ROWS if p[0]["c_name"] and p[1]["kind"] in ("count", "whole", "real", "choice")],
                         ids=ids)
def test_what_an_option_cannot_be_is_told_with_what_is_expected(pair):
    table, row = pair
    with pytest.raises(lq.InvalidArgument, match=row["name"]):
        Options(table["name"], {row["name"]: "surely not"})
    with pytest.raises(lq.InvalidArgument, match=row["name"]):
        Options(table["name"], {row["name"]: object()})


def test_defaults_are_those_of_the_init_function():
    for table in (t for t in TABLES if t["c_name"]):
        plain = Options(table["name"]).struct
        for row in table["options"]:
            if row["default"] and row["kind"] in ("flag", "count", "whole", "real"):
                assert getattr(plain, row["members"][0]["name"]) == default_of(row), ids((table, row))


def test_older_names_work(tmp_path, links):
    path = tmp_path / "a.ildg"
    lq.write(path, links)
    with pytest.raises(lq.Exists):
        lq.write(path, links)
    lq.write(path, links, force=True)
    lq.write(path, links, overwrite=True)
    with pytest.raises(TypeError, match="force is an older name of overwrite"):
        lq.write(path, links, overwrite=True, force=True)
    with lq.multifile.create(tmp_path / "m.sion", tasks=2) as m:
        assert len(m) == 2
    with lq.multifile.create(tmp_path / "m.sion", streams=3, force=True) as m:
        assert len(m) == 3


def test_unknown_names_get_a_suggestion(tmp_path, links):
    with pytest.raises(TypeError, match="did you mean 'overwrite'"):
        lq.write(tmp_path / "a.ildg", links, overwrit=True)


def test_what_python_lacked_does_what_it_says(tmp_path, links):
    path = tmp_path / "a.ildg"
    plain = tmp_path / "b.ildg"
    lq.write(plain, links, slice_checksums=False)
    report = lq.write(path, links, measure=True, sync="none", threads=2, alignment=4096, memory_bytes=1 << 22, verify=True)
    assert report.checksum_status == "ok"
    assert lq.info(path).fields[0].plaquette == pytest.approx(lq.plaquette(links).average)
    assert os.path.getsize(path) > os.path.getsize(plain)
    assert lq.info(plain).fields[0].plaquette is None
    assert np.array_equal(lq.read(path, threads=1, verify="checksum"), links)
    assert np.array_equal(lq.read(path, verify=False), links)


def test_documentation_describes_each_argument_once():
    places = [lq, lq.hdf5, lq.hdf5.File, lq.modes, lq.modes.Writer, lq.multifile, lq.multifile.Writer, lq.File, lq.FieldView, lq.Checkpoints]
    found = 0
    for place in places:
        for name, function in vars(place).items():
            text = inspect.getdoc(function) if callable(function) and not isinstance(function, type) else None
            described = [each for each in re.findall(r"^([a-z_]+)  +\S", text or "", re.MULTILINE)]
            found += len(described)
            assert len(described) == len(set(described)), (place, name, described)
    assert found > 300


def test_progress_is_told(tmp_path, links):
    told = []
    lq.write(tmp_path / "a.ildg", links)
    lq.convert(tmp_path / "a.ildg", tmp_path / "b.scidac", progress=lambda done, total: told.append((done, total)))
    assert told and told[-1][0] == told[-1][1]


def test_windows_keep_records_whole(tmp_path):
    with lq.multifile.create(tmp_path / "m.sion", streams=2) as m:
        m[0].write(b"x" * 24)
        m[1].write(b"y" * 16)
    with lq.multifile.open(tmp_path / "m.sion", record_bytes=8) as m:
        assert m.window().read() == b"x" * 24 + b"y" * 16
