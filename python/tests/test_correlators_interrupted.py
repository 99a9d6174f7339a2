# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Appends to correlator stores that are killed, interrupted, or meet errors of the system: whole, or not there at all."""

import contextlib
import errno
import os
import random
import resource
import signal
import time

import numpy as np
import pytest

import limequat as lq

COUNT, EXTENT = 40, 4000  # 1.28 MB an append: several calls of the system
store_of = lq.correlators.open


def arrays(configuration, generation=0):
    base = np.arange(EXTENT, dtype=float)
    return [("c", {"k": k}, base + 1000.0 * configuration + 0.01 * k + 1e6 * generation) for k in range(COUNT)]


def require_whole(path, generations=(0,)):
    """Numbers of the configurations, each with all of its correlators of one generation."""
    with store_of(path) as store:
        values = [c.value for c in store.configurations]
        found = {c: [] for c in values}
        for c, series, array in store.select():
            assert array is not None, (c, series)
            found[c].append(array)
        for c, members in found.items():
            assert len(members) == COUNT
            assert any(all(np.array_equal(a, b) for a, (_, _, b) in zip(members, arrays(c, g))) for g in generations), c
        return values


@contextlib.contextmanager
def forked(work):
    """A process of its own that does `work` and is gone afterwards, with the reading end of a pipe to which it may write."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            work(writing)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    try:
        yield child, reading
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def test_sixty_kills_at_any_moment_lose_nothing(tmp_path):
    path, rng, known, torn = tmp_path / "run.h5", random.Random(4), 0, 0

    def work(writing):
        with store_of(path, "a", sync=rng.random() < 0.2) as store:
            os.write(writing, b"s")
            for c in range(len(store), len(store) + 1000):
                store.append(c, arrays(c))
                os.write(writing, b"a")

    with store_of(tmp_path / "clock.h5", "a", sync=False) as store:
        start = time.monotonic()
        for c in range(3):
            store.append(c, arrays(c))
        one = (time.monotonic() - start) / 3
    for kill in range(60):
        with forked(work) as (child, reading):
            assert os.read(reading, 1) == b"s"
            time.sleep(rng.random() * 4 * one)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            acknowledged = b""
            while part := os.read(reading, 4096):
                acknowledged += part
        size = path.stat().st_size
        with store_of(path) as store:
            assert known + len(acknowledged) <= len(store) <= known + len(acknowledged) + 1
            known, torn = len(store), torn + (size > store.sizes.file)
            for c in {0, known // 2, known - 1} if known else ():
                assert [np.array_equal(store.read(c, "c", k=k), v) for _, labels, v in arrays(c) for k in [labels["k"]]] == [True] * COUNT
    assert require_whole(path) == list(range(known)) and known > 10 and torn > 2
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "r") as file:
        assert sum(map(len, file["appends"].values())) == known


def test_readers_see_old_or_new_states_while_a_program_appends(tmp_path):
    path = tmp_path / "run.h5"
    with store_of(path, "a", sync=False) as store:
        store.append(0, arrays(0))

    def work(_):
        with store_of(path, "a", sync=False) as store:
            for c in range(1, 60):
                store.append(c, arrays(c))
                store.append(0, arrays(0, c), replace=True)

    seen = set()
    with forked(work) as (child, _):
        with store_of(path) as reader:
            while os.waitpid(child, os.WNOHANG) == (0, 0):
                reader.refresh()
                first = reader.select(configurations=[0]).array()[0]
                generation = round(first[0, 0] / 1e6)
                assert all(np.array_equal(a, b) for a, (_, _, b) in zip(first, arrays(0, generation)))
                newest = reader.configurations[-1].value
                if newest:
                    assert np.array_equal(reader.read(newest, "c", k=7), arrays(newest)[7][2])
                seen.add(generation)
                with store_of(path) as another:
                    assert len(another) >= len(reader)
    assert len(seen) > 3 and require_whole(path, range(60)) == list(range(60))


def test_a_second_writer_is_refused_or_waits(tmp_path):
    path = tmp_path / "run.h5"
    with store_of(path, "a") as store:
        for mode in ("a",):
            with pytest.raises(lq.IoError, match="another program appends.*wait=SECONDS"):
                store_of(path, mode)
        start = time.monotonic()
        with pytest.raises(lq.IoError):
            store_of(path, "a", wait=0.1)
        assert time.monotonic() - start >= 0.1
        store.append(1, arrays(1))
        with store_of(path) as reader:
            assert len(reader) == 1

    def work(first, step):
        def inner(_):
            for c in range(first, 60, step):
                with store_of(path, "a", wait=60, sync=False) as store:
                    store.append(c, arrays(c))
        return inner

    with forked(work(2, 2)) as (a, _), forked(work(3, 2)) as (b, _):
        assert [os.waitpid(child, 0)[1] for child in (a, b)] == [0, 0]
    assert sorted(require_whole(path)) == list(range(1, 60))


def test_two_writers_that_make_a_store_at_the_same_moment_make_one(tmp_path):
    for attempt in range(10):
        path = tmp_path / f"run{attempt}.h5"

        def work(first):
            def inner(_):
                with store_of(path, "a", wait=60, sync=False) as store:
                    store.append(first, {"c": 1.0 * first})
            return inner

        with forked(work(1)) as (a, _), forked(work(2)) as (b, _), forked(work(3)) as (c, _):
            assert [os.waitpid(child, 0)[1] for child in (a, b, c)] == [0, 0, 0]
        with store_of(path) as store:
            assert sorted(store.ensemble("c")) == [1, 2, 3]
    assert len(os.listdir(tmp_path)) == 10


def test_a_writer_without_locks_notices_the_other_one(tmp_path, monkeypatch):
    path = tmp_path / "run.h5"
    monkeypatch.setattr(lq.correlators.StoreFile, "_lock", lambda self: True)
    with store_of(path, "a") as first, store_of(path, "a") as second:
        first.append(1, arrays(1))
        second.append(2, arrays(2))  # takes the state of the file before it appends
        first.append(3, arrays(3))
        monkeypatch.setattr(lq.correlators.StoreFile, "refresh", lambda self: 0)  # both at once
        with pytest.raises(lq.IoError, match="another program wrote"):
            second.append(4, arrays(4))
        monkeypatch.undo()
    assert require_whole(path) == [1, 2, 3]


def test_a_name_that_refers_to_another_file_is_not_appended_to(tmp_path):
    path = tmp_path / "run.h5"
    with store_of(path, "a") as store:
        store.append(1, arrays(1))
        path.rename(tmp_path / "moved.h5")
        with pytest.raises(lq.IoError, match="another file"):
            store.append(2, arrays(2))
    assert require_whole(tmp_path / "moved.h5") == [1] and not path.exists()


def test_a_fork_does_not_append_with_the_store_of_its_parent(tmp_path):
    path = tmp_path / "run.h5"
    with store_of(path, "a") as store:
        def work(writing):
            try:
                store.append(1, arrays(1))
            except lq.WrongState:
                os.write(writing, b"refused")
        with forked(work) as (_, reading):
            assert os.read(reading, 10) == b"refused"
        store.append(2, arrays(2))
    assert require_whole(path) == [2]


FAILURES = {"disk full": lambda: OSError(errno.ENOSPC, "x"), "quota": lambda: OSError(errno.EDQUOT, "x"), "broken": lambda: OSError(errno.EIO, "x"),
            "Ctrl-C": KeyboardInterrupt}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("is_after", [False, True])
def test_an_error_at_every_call_of_the_system_leaves_the_old_or_the_new_state(tmp_path, monkeypatch, failure, is_after):
    """The k-th call fails, before or after it was done; the same store goes on, and so does a new one."""
    counts = set()
    for k in range(1, 40):
        path = tmp_path / f"{k}.h5"
        with store_of(path, "a") as store:
            store.append(1, arrays(1))
            calls = 0

            def failing(real):
                def call(*arguments):
                    nonlocal calls
                    calls += 1
                    if calls == k and not is_after:
                        raise FAILURES[failure]()
                    result = real(*arguments)
                    if calls == k and is_after:
                        raise FAILURES[failure]()
                    return result
                return call

            with monkeypatch.context() as patch:
                for name in ("pwrite", "fsync", "pread", "fstat", "stat"):
                    patch.setattr(os, name, failing(getattr(os, name)))
                try:
                    store.append(2, arrays(2))
                    is_done = True
                except (lq.Error, KeyboardInterrupt) as error:
                    is_done = False
                    wanted = KeyboardInterrupt if failure == "Ctrl-C" else lq.NoSpace if failure in ("disk full", "quota") else lq.IoError
                    assert isinstance(error, (wanted, lq.IoError, lq.NoSpace)), error
            state = require_whole(path)
            assert state in ([[1, 2]] if is_done else [[1], [1, 2]])
            counts.add((is_done, len(state)))
            store.append(3, arrays(3))
            if len(state) == 1:
                store.append(2, arrays(2))
        assert sorted(require_whole(path)) == [1, 2, 3]
        if calls < k:
            break
    assert calls < k and {(False, 1), (True, 2)} <= counts, (calls, counts)


def test_a_limit_of_the_file_size_is_no_space(tmp_path):
    path = tmp_path / "run.h5"
    with store_of(path, "a") as store:
        store.append(1, arrays(1))
        size = path.stat().st_size

    def work(writing):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 500_000, size + 500_000))
        with store_of(path, "a") as store:
            try:
                store.append(2, arrays(2))
            except lq.NoSpace as error:
                os.write(writing, str(error).encode())

    with forked(work) as (child, reading):
        told = os.read(reading, 1000).decode()
        os.waitpid(child, 0)
    assert "nothing of it is in the store" in told and str(path) in told
    assert path.stat().st_size == size and require_whole(path) == [1]


def test_no_permission_is_said(tmp_path):
    path = tmp_path / "run.h5"
    store_of(path, "a").close()
    path.chmod(0o444)
    tmp_path.chmod(0o555)

    def work(writing):
        if os.getuid() == 0:
            os.setuid(65534)
        for name in ("run.h5", "new.h5"):
            try:
                store_of(tmp_path / name, "a")
            except lq.NoPermission as error:
                os.write(writing, b"p" if name in str(error) else b"?")

    for folder in list(tmp_path.parents)[:3]:  # which pytest made, for this user only
        if os.getuid() == 0 and not folder.stat().st_mode & 1:
            folder.chmod(0o711)
    with forked(work) as (child, reading):
        os.waitpid(child, 0)
        assert os.read(reading, 10) == b"pp"
    tmp_path.chmod(0o755)
