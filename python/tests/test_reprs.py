# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""What a prompt and a notebook show of the objects of the package: what they are, in few lines, and nothing that a file could
make markup of."""

import io
import sys
import warnings

import numpy as np
import pytest

import limequat as lq
from limequat import progress


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    u = np.zeros((4, 2, 2, 2, 4, 3, 3), np.complex128)
    u[..., range(3), range(3)] = 1
    lq.write("conf.ildg", u, metadata={"note": "<script>alert(1)</script>"})
    return tmp_path


def objects():
    """Name and object, each shown while it lives."""
    u = lq.read("conf.ildg")
    file = lq.open("conf.ildg")
    yield from {"file": file, "fields": file.fields, "records": file.records, "field": file["gauge"], "grid": lq.Grid([2, 2, 2, 4]),
                "plaquette": lq.plaquette(u), "unitarity": lq.unitarity(u), "verify": lq.verify("conf.ildg"), "info": lq.info("conf.ildg"),
                "validate": lq.validate("conf.ildg"), "diff": lq.diff("conf.ildg", "conf.ildg"), "diagnose": lq.diagnose("conf.ildg"),
                "explain": lq.explain("conf.ildg"), "report": lq.write("again.ildg", u), "formats": lq.formats(),
                "parts": lq.build_parts(), "plan": lq.plan([8, 8, 8, 8], [1, 1, 1, 2]), "file system": lq.file_system_of("."),
                "memory": lq.Memory(np.zeros(32 * 72), "milc", [2, 2, 2, 4]), "source": lq.Source(io.BytesIO(b"x")),
                "copy": lq.copy(["conf.ildg"], "copy.ildg")}.items()
    with lq.create("made.scidac", [2, 2, 2, 4]) as writer:
        yield "writer", writer
        writer.write("gauge", u)
    yield "closed writer", writer
    with lq.write_async("later.ildg", u) as pending:
        yield "pending", pending
    yield "pending that is over", pending
    with lq.modes.create("low.modes", (2, 2, 2, 4)) as modes:
        modes.append(np.zeros((4, 2, 2, 2, 4, 3), complex), eigenvalue=0.5)
        yield "modes writer", modes
    with lq.modes.open("low.modes") as modes:
        yield "modes", modes
    yield "closed modes", modes
    with lq.multifile.create("tasks.sion", streams=2) as writer:
        writer[0].write(b"bytes")
        yield from (("multifile writer", writer), ("out stream", writer[1]))
    with lq.multifile.open("tasks.sion") as reader:
        yield from (("multifile", reader), ("stream", reader[0]), ("window", reader.window()))
    yield "closed multifile", reader
    with lq.correlators.open("store.h5", "a") as store:
        store.append(1, [("pion", {}, np.zeros(4))])
        yield from (("store", store), ("selection", store.select()))


def check(name, shown):
    text = repr(shown)
    assert " object at 0x" not in text, (name, text)
    assert text and "\n" not in text[:60], (name, text)
    if hasattr(shown, "_repr_html_"):
        page = shown._repr_html_()
        assert "<script" not in page and page.count("<table") == page.count("</table"), name
        assert len(page) < 100_000, name


def test_every_object_says_what_it_is(folder):
    seen = [check(name, shown) or name for name, shown in objects()]
    assert len(seen) > 30


def test_sessions_with_hdf5_files_say_where_they_are(folder):
    try:
        session = lq.hdf5.open("c.h5", "w")
    except lq.Unsupported as error:
        pytest.skip(str(error))
    with session:
        session["run/pion"] = np.zeros(4)
        check("session", session)
        assert "run" in session._repr_html_()
        check("stat", session.stat("run/pion"))
        check("entries", session.ls("run"))
    check("closed session", session)


def test_a_catalogue_is_a_table(folder):
    try:
        check("index", lq.index(".", db="x.db"))
    except lq.Unsupported as error:
        pytest.skip(str(error))
    for name, shown in {"find": lq.find(db="x.db"), "scrub": lq.scrub(db="x.db"), "assess": lq.assess(db="x.db"),
                        "report": lq.report_page((), "page.html", db="x.db")}.items():
        check(name, shown)


def test_a_file_of_three_hundred_fields_is_a_screen(folder):
    with lq.create("many.scidac", [2, 2, 2, 4], slice_checksums=False) as out:
        for number in range(300):
            out.write("eigenvector", np.full((4, 2, 2, 2, 4, 3), number, complex))
    with lq.open("many.scidac") as file:
        assert len(str(file).splitlines()) < 50 and "and 280 more fields" in str(file)
        assert "300 fields" in repr(file) and len(repr(file)) < 200
        assert "and 200 more" in file._repr_html_() and len(file._repr_html_()) < 50_000


def test_notebooks_get_no_warning_and_no_red_box(monkeypatch, capsys):
    """tqdm warns where a notebook has no ipywidgets, and writes to stderr, which notebooks show in red."""
    monkeypatch.setattr(progress, "_is_notebook", lambda: True)
    monkeypatch.setattr(progress, "_DELAY", 0)
    for name in [name for name in sys.modules if name.startswith("tqdm")]:
        monkeypatch.delitem(sys.modules, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with progress.shown("reading") as tell:
            for done in range(11):
                tell(done, 10)
    out, err = capsys.readouterr()
    assert err == "" and "reading" in out
