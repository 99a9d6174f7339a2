# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Bars for long work, of tqdm and plain ones, where somebody looks."""

import io
import sys
import types

import numpy
import pytest

import limequat as lq
from limequat import progress


class Terminal(io.StringIO):
    """A stderr that somebody looks at."""

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    """Makes stderr one, when it is called: pytest has its own until a test begins."""

    def become(stderr=None):
        monkeypatch.setattr(sys, "stderr", stderr or Terminal())
        monkeypatch.setattr(progress, "_DELAY", 0)
        return sys.stderr

    return become


def checked(path, **more):
    return lq.verify(path, physics=False, **more)


def test_a_terminal_shows_a_bar_that_goes_away(gauge_file, terminal, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    stderr = terminal()
    assert checked(gauge_file)
    text = stderr.getvalue()
    assert "\rverify: 100% |####" in text and text.endswith(" \r")


def test_where_nobody_looks_nothing_is_shown(gauge_file, terminal):
    stderr = terminal(io.StringIO())
    assert checked(gauge_file) and stderr.getvalue() == ""


def test_false_is_silence_and_true_a_bar(gauge_file, terminal, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    stderr = terminal()
    checked(gauge_file, progress=False)
    assert stderr.getvalue() == ""
    stderr = terminal(io.StringIO())
    checked(gauge_file, progress=True)
    assert "100%" in stderr.getvalue()


def test_what_is_over_soon_shows_no_bar(gauge_file, terminal, monkeypatch):
    stderr = terminal()
    monkeypatch.setattr(progress, "_DELAY", 3600)
    checked(gauge_file)
    assert stderr.getvalue() == ""


def test_a_function_of_ones_own_is_called_instead(gauge_file, terminal):
    told, stderr = [], terminal()
    checked(gauge_file, progress=lambda done, total: told.append((done, total)))
    assert told and told[-1][0] == told[-1][1] and stderr.getvalue() == ""


def interrupt(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("failing, kind", [(lambda done, total: 1 / 0, ZeroDivisionError), (interrupt, KeyboardInterrupt)])
def test_what_the_function_raises_is_raised(gauge_file, links, tmp_path, failing, kind, capfd):
    calls = []

    def counted(*arguments):
        calls.append(arguments)
        failing(*arguments)

    for work in (lambda: lq.read(gauge_file, progress=counted), lambda: checked(gauge_file, progress=counted),
                 lambda: lq.write(tmp_path / "new.ildg", links, progress=counted),
                 lambda: lq.copy(gauge_file, tmp_path / "copy.ildg", progress=counted),
                 lambda: lq.generate([4, 4, 4, 4], sweeps=2, after_sweep=lambda sweep: counted(sweep, 2))):
        calls.clear()
        with pytest.raises(kind):
            work()
        assert len(calls) == 1  # it ended there
    assert capfd.readouterr().err == ""
    assert not (tmp_path / "new.ildg").exists() and not (tmp_path / "copy.ildg").exists()
    assert checked(gauge_file)


def test_an_interrupt_while_a_bar_is_drawn_is_not_lost(gauge_file, terminal, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(progress._PlainBar, "tell", interrupt)
    terminal()
    with pytest.raises(KeyboardInterrupt):
        checked(gauge_file)


def test_what_is_no_function_is_refused(gauge_file):
    with pytest.raises(lq.InvalidArgument, match="progress"):
        checked(gauge_file, progress="yes")


def test_tqdm_is_taken_where_it_is_there(gauge_file, terminal, monkeypatch):
    made = []

    class Bar:
        def __init__(self, total, desc, **options):
            self.total, self.desc, self.n, self.closed = total, desc, 0, False
            made.append(self)

        def update(self, count):
            self.n += count

        def close(self):
            self.closed = True

    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    stderr = terminal()
    checked(gauge_file)
    assert [(bar.desc, bar.n, bar.closed) for bar in made] == [("verify", 100, True)] and stderr.getvalue() == ""


def test_the_real_tqdm_draws(gauge_file, terminal):
    pytest.importorskip("tqdm")
    stderr = terminal()
    checked(gauge_file)
    assert "verify: " in stderr.getvalue() and "%" in stderr.getvalue()


def test_a_notebook_is_somebody_who_looks(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    assert progress._is_interactive()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None))
    assert not progress._is_interactive()


def test_an_error_takes_the_bar_away(gauge_file, tmp_path, terminal, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    data = bytearray(gauge_file.read_bytes())
    data[len(data) // 2] ^= 1
    gauge_file.write_bytes(data)
    stderr = terminal()
    with pytest.raises(lq.ChecksumError):
        lq.convert(gauge_file, tmp_path / "b.ildg")
    assert "convert: " in stderr.getvalue() and stderr.getvalue().endswith(" \r")


def test_a_write_and_a_read_are_told_of_in_bytes(tmp_path):
    u = numpy.zeros((8, 8, 8, 8, 4, 3, 3), complex)
    written, read = [], []
    lq.write(tmp_path / "u.lime", u, block_bytes=65536, threads=1, progress=lambda *now: written.append(now))
    lq.read(tmp_path / "u.lime", block_bytes=65536, threads=1, progress=lambda *now: read.append(now))
    for told in (written, read):
        assert len(told) > 20 and told == sorted(told) and told[-1] == (u.nbytes, u.nbytes)
    with pytest.raises(TypeError, match="progress"):
        lq.write_async(tmp_path / "v.lime", u, progress=print)


def test_a_long_write_shows_a_bar(tmp_path, terminal, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    stderr = terminal()
    lq.write(tmp_path / "u.lime", numpy.zeros((4, 4, 4, 4, 4, 3, 3), complex))
    assert "\rwrite: 100% |####" in stderr.getvalue()
