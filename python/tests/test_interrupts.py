# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Real signals while the library works: the work would take hours, or its file would be there, if it were not ended."""

import mmap
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import limequat as lq
from limequat import needs, signals
from plain_lime import HEADER

PROGRESS = (True, False, None, lambda done, total: None)


class AtWork:
    """Sends a signal to this process once it has been in one call of the library for a while."""

    def __init__(self, number=signal.SIGINT, times=1):
        self._number, self._times, self._over = number, times, threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def _watch(self):
        for _ in range(self._times):
            seen = 0
            while seen < 20 and not self._over.is_set():
                seen = seen + 1 if signals.deferred.is_within else 0
                time.sleep(0.005)
            if not self._over.is_set():
                os.kill(os.getpid(), self._number)

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *exception):
        self._over.set()
        self._thread.join()


def sparse_gauge_file(path, extents):
    """An ILDG file of a large lattice, whose numbers take no room on the disk."""
    small = path.with_name("small")
    lq.write(small, np.zeros((2, 2, 2, 2, 4, 3, 3), complex), format="ildg", slice_checksums=False)
    raw, place = small.read_bytes(), 0
    small.unlink()
    with open(path, "wb") as file:
        while True:
            magic, version, flags, reserved, length, name = HEADER.unpack_from(raw, place)
            data = raw[place + HEADER.size:place + HEADER.size + length]
            place += HEADER.size + length + (-length) % 8
            if name.startswith(b"ildg-binary-data"):
                break
            for axis, value in zip(("lx", "ly", "lz", "lt"), extents):
                data = data.replace(f"<{axis}>2<".encode(), f"<{axis}>{value}<".encode())
            data = data.replace(b"<dims>2 2 2 2 <", f"<dims>{' '.join(map(str, extents))} <".encode())
            file.write(HEADER.pack(magic, version, flags, reserved, len(data), name) + data + bytes(-len(data) % 8))
        size = 576 * int(np.prod(extents))
        file.write(HEADER.pack(magic, version, flags | 0x40, reserved, size, name))  # the last one of its message
        payload = file.tell()
        file.write(np.tile(np.eye(3, dtype=">c16"), (40000, 1, 1)).tobytes())  # links, as far as anybody looks at first
        file.truncate(payload + size)
    return path


@pytest.fixture(scope="module")
def huge(tmp_path_factory):
    """450 GB, which nothing reads in the time that a test has."""
    return sparse_gauge_file(tmp_path_factory.mktemp("huge") / "huge.ildg", (128, 128, 128, 384))


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """1.2 GB, to be made something of."""
    return sparse_gauge_file(tmp_path_factory.mktemp("large") / "large.ildg", (32, 32, 32, 64))


def unfilled(shape):
    """Room for numbers that takes no memory until it is used."""
    size = int(np.prod(shape)) * 16
    room = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000))
    return np.frombuffer(room, complex).reshape(shape)


def indexed(folder, path):
    lq.index(folder, db=path, threads=1)
    return path


ENDLESS = {
    "verify": lambda c, progress: lq.verify(c.huge, progress=progress),
    "diagnose": lambda c, progress: lq.diagnose(c.huge, progress=progress),
    "scrub": lambda c, progress: lq.scrub(db=indexed(c.huge.parent, c.folder / "a.db"), progress=progress),
    "diff": lambda c, progress: lq.diff(c.huge, c.huge, progress=progress),
    "read": lambda c, progress: lq.read(c.huge, out=unfilled((384, 128, 128, 128, 4, 3, 3)), verify=False, progress=progress),
}

MAKING = {
    "convert": lambda c, progress: lq.convert(c.large, c.folder / "new.scidac", accept_damage=True, progress=progress),
    "compress": lambda c, progress: lq.convert(c.large, c.folder / "new.h5", filters="shuffle,deflate:9", dataset_chunk="slice", accept_damage=True,
                                               threads=1, progress=progress),
    "copy": lambda c, progress: lq.copy(c.large, c.folder / "new.ildg", progress=progress),
    "write": lambda c, progress: lq.write(c.folder / "new.lime", unfilled((64, 32, 32, 32, 4, 3, 3)), progress=progress),
    "squeeze": lambda c, progress: lq.squeeze(c.large, c.folder / "new.sqz", progress=progress),
}


class Context:
    def __init__(self, huge, large, folder):
        self.huge, self.large, self.folder = huge, large, folder


@pytest.fixture
def context(huge, large, tmp_path):
    return Context(huge, large, tmp_path)


def interrupted(work):
    with pytest.raises(KeyboardInterrupt):
        with AtWork():
            work()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("progress", PROGRESS, ids=("bar", "silence", "None", "function"))
@pytest.mark.parametrize("verb", ENDLESS)
def test_ctrl_c_ends_what_would_go_on(context, verb, progress):
    interrupted(lambda: ENDLESS[verb](context, progress))


@pytest.mark.parametrize("progress", PROGRESS, ids=("bar", "silence", "None", "function"))
@pytest.mark.parametrize("verb", MAKING)
def test_ctrl_c_leaves_no_file(context, verb, progress):
    try:
        interrupted(lambda: MAKING[verb](context, progress))
    except lq.Unsupported as error:
        pytest.skip(str(error))
    left = [name for name in os.listdir(context.folder) if not name.endswith((".lq-copy", ".lq-copied"))]
    assert left == []


def test_ctrl_c_ends_the_generator():
    interrupted(lambda: lq.generate([8, 8, 8, 8], sweeps=10**9, threads=1))
    interrupted(lambda: lq.generate([8, 8, 8, 8], sweeps=10**9, after_sweep=lambda sweep: None))


def test_ctrl_c_ends_waiting_for_a_transfer(context):
    pending = lq.read_async(context.huge, out=unfilled((384, 128, 128, 128, 4, 3, 3)), verify=False)
    interrupted(pending.wait)


def test_an_index_is_ended_between_its_files(context, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for k in range(20000):
        os.link(context.large, folder / f"{k}.ildg")
    with pytest.raises(KeyboardInterrupt):
        with AtWork():
            for _ in range(100):  # as often as it takes to be met at work
                lq.index(folder, db=tmp_path / "a.db", threads=1)
                os.unlink(tmp_path / "a.db")


def interrupted_after(seconds, work):
    """How long the work went on after Ctrl-C."""
    sent = []
    timer = threading.Timer(seconds, lambda: (sent.append(time.monotonic()), os.kill(os.getpid(), signal.SIGINT)))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        return time.monotonic() - sent[0]
    finally:
        timer.cancel()
        timer.join()


HELPED = {
    "verify": lambda folder, here: lq.verify([folder / "huge.ildg"] * 3),
    "manifest": lambda folder, here: lq.manifest(folder, here / "new.sha256"),
    "sums": lambda folder, here: lq.manifest(folder, here / "new.sha256", verify=False),
    "check_manifest": lambda folder, here: lq.check_manifest(here / "old.sha256", folder=folder),
}


@pytest.mark.parametrize("verb", HELPED)
def test_ctrl_c_ends_the_threads_of_a_call(huge, tmp_path, verb):
    """They read files that take hours; what waits its turn does not begin."""
    (tmp_path / "old.sha256").write_text(f"{'0' * 64}  huge.ildg\n")
    for seconds in (0.1, 0.6):
        assert interrupted_after(seconds, lambda: HELPED[verb](huge.parent, tmp_path)) < 10
    assert os.listdir(tmp_path) == ["old.sha256"]


def test_ctrl_c_lets_lq_take_back_what_it_began(large, tmp_path):
    """For this process alone, as a debugger or a kernel sends it: not for its terminal."""
    folder = tmp_path / "many"
    folder.mkdir()
    for k in range(200):
        os.link(large, folder / f"{k}.ildg")

    def work():
        lq.convert_below(folder, tmp_path / "new", to="scidac", accept_damage=True)

    def when_it_writes():
        while not list(tmp_path.glob("new/.*")):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=when_it_writes)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    sender.join()
    assert list(tmp_path.glob("new/.*")) == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_waits_for_an_import(tmp_path, monkeypatch):
    """A package as asyncio is: half imported, it cannot be imported again in the same process."""
    package = tmp_path / "slowly"
    package.mkdir()
    (package / "part.py").write_text("__all__ = ['number']\nnumber = 5\n")
    (package / "__init__.py").write_text("import os, signal\nfrom .part import *\nif os.environ.pop('INTERRUPT', ''):\n"
                                         "    os.kill(os.getpid(), signal.SIGINT)\nnumbers = part.number\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("INTERRUPT", "1")
    with pytest.raises(KeyboardInterrupt):
        needs.needed("slowly", "this test")
    assert needs.needed("slowly", "this test").numbers == 5


def test_a_handler_that_raises_nothing_is_called_and_the_work_goes_on(context):
    called = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: called.append(number))
    try:
        with AtWork(signal.SIGUSR1):
            lq.convert(context.large, context.folder / "new.lime", accept_damage=True)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert (context.folder / "new.lime").exists() and called in ([signal.SIGUSR1], [])


def test_what_any_handler_raises_ends_the_work(context):
    def too_long(number, frame):
        raise TimeoutError("too long")

    before = signal.signal(signal.SIGALRM, too_long)
    try:
        with pytest.raises(TimeoutError, match="too long"):
            with AtWork(signal.SIGALRM):
                lq.verify(context.huge)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_handlers_are_those_of_the_program_within_its_functions(context):
    def progress(done, total):
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        lq.verify(context.huge, progress=progress)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_leave_signals_alone(gauge_file):
    found = []
    thread = threading.Thread(target=lambda: found.append(bool(lq.verify(gauge_file))))
    thread.start()
    thread.join()
    assert found == [True] and signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGHUP, signal.SIGINT))
def test_what_ends_the_process_leaves_no_file(large, tmp_path, number):
    """As batch systems and launchers end programs that have no handler."""
    work = f"import limequat as lq; print('begins', flush=True); lq.convert({str(large)!r}, 'new.scidac', accept_damage=True)"
    program = subprocess.Popen([sys.executable, "-c", work], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert program.stdout.readline() == b"begins\n"
    while not os.listdir(tmp_path):
        time.sleep(0.01)
    program.send_signal(number)
    assert program.wait(60) == -number
    assert os.listdir(tmp_path) == []
