# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Communicators that are no mpi4py: ranks as threads, whose messages are objects in a list."""

import collections
import gc
import threading

import numpy as np
import pytest
from conftest import LATTICE, random_links

import limequat as lq
from limequat import operations


class Request:
    """Done when done() is true."""

    def __init__(self, done):
        self.done = done

    def Test(self):
        return self.done()

    def Cancel(self):
        self.done = lambda: True

    Free = Cancel


class Threads:
    """What threads of one process say to each other; `broken` is called with each message before it is sent."""

    def __init__(self, size):
        self.size, self.lock, self.broken, self.given_back = size, threading.Lock(), None, 0
        self.sent, self.asked_for = collections.defaultdict(list), collections.Counter()


class Comm:
    """Rank `rank` of them, with the methods that the library needs."""

    def __init__(self, threads, rank, name=()):
        self.threads, self.rank, self.name, self.children = threads, rank, name, 0

    def Get_rank(self):
        return self.rank

    def Get_size(self):
        return self.threads.size

    def Dup(self):
        self.children += 1
        return Comm(self.threads, self.rank, (*self.name, self.children))

    def Free(self):
        with self.threads.lock:
            self.threads.given_back += 1

    def Isend(self, buffer, dest, tag):
        if self.threads.broken:
            self.threads.broken(self.rank)
        with self.threads.lock:
            self.threads.sent[self.name, self.rank, dest, tag].append(bytes(buffer))
        return Request(lambda: True)

    def Irecv(self, buffer, source, tag):
        line = (self.name, source, self.rank, tag)
        with self.threads.lock:
            place = self.threads.asked_for[line]
            self.threads.asked_for[line] += 1

        def done():
            with self.threads.lock:
                there = self.threads.sent[line]
                if len(there) > place and there[place] is not None:
                    assert len(there[place]) == len(buffer)
                    buffer[:], there[place] = there[place], None
                return len(there) > place

        return Request(done)


def on_threads(size, body, threads=None):
    """body(comm) on each of them; what they return, or the exceptions they end with."""
    threads = threads or Threads(size)
    results = [None] * size

    def run(rank):
        try:
            results[rank] = body(Comm(threads, rank))
        except BaseException as error:
            results[rank] = error

    running = [threading.Thread(target=run, args=(rank,), daemon=True) for rank in range(size)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(60)
        assert not thread.is_alive(), "a rank waits for ever"
    return results


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("strategy", ["auto", "messages"])
def test_fields_are_written_and_read(tmp_path, size, strategy):
    u, path = random_links(), tmp_path / "conf.ildg"

    def body(comm):
        grid = lq.Grid(LATTICE, comm=comm)
        assert (grid.rank, grid.size, grid.communicator.is_native) == (comm.rank, size, False)
        lq.write(path, u[grid.slices], grid=grid, strategy=strategy)
        assert np.array_equal(lq.read(path, grid=grid, strategy=strategy), u[grid.slices])
        return lq.plaquette(u[grid.slices], grid).average

    averages = on_threads(size, body)
    assert averages == [pytest.approx(lq.plaquette(u).average)] * size, averages
    lq.write(tmp_path / "alone.ildg", u)
    assert path.read_bytes() == (tmp_path / "alone.ildg").read_bytes()


def test_long_messages_travel_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(operations, "_PIECE_BYTES", 7)
    test_fields_are_written_and_read(tmp_path, 3, "messages")


def test_multifiles_are_written_by_threads(tmp_path):
    def body(comm):
        group = lq.Communicator(comm)
        with lq.multifile.create(tmp_path / "run.sion", comm=group, files=2) as m:
            m.write(b"of rank %d" % comm.rank)
        with lq.multifile.open(tmp_path / "run.sion", comm=group) as m:
            return [stream.read() for stream in m]

    assert on_threads(3, body) == [[b"of rank 0"], [b"of rank 1"], [b"of rank 2"]]


def test_a_wrong_array_of_one_rank_is_an_error_of_all(tmp_path):
    def body(comm):
        grid = lq.Grid(LATTICE, comm=comm)
        lq.write(tmp_path / "a.ildg", np.ones(3) if comm.rank == 1 else random_links()[grid.slices], grid=grid)

    errors = on_threads(3, body)
    assert [type(error) for error in errors] == [lq.InvalidArgument] * 3
    assert len({(str(error), error.rank, error.expected) for error in errors}) == 1 and errors[0].rank == 1
    assert not (tmp_path / "a.ildg").exists()


def failing_with(failure, tmp_path):
    """What each of two ranks gets when sending fails on both after the grids were made."""
    threads = Threads(2)
    ready = threading.Barrier(2)

    def broken(rank):
        raise failure

    def body(comm):
        grid = lq.Grid(LATTICE, comm=comm)
        ready.wait()
        threads.broken = broken
        lq.write(tmp_path / "a.ildg", random_links()[grid.slices], grid=grid)

    # Rank 0 waits for what rank 1 cannot send; it is told so.
    def told(comm):
        if comm.rank == 1:
            try:
                return body(comm)
            finally:
                stop.set()
        original = Comm.Irecv

        def irecv(self, buffer, source, tag):
            request = original(self, buffer, source, tag)
            test = request.done

            def done():
                if stop.is_set():
                    raise failure
                return test()

            request.done = done
            return request

        comm.__class__ = type("Told", (Comm,), {"Irecv": irecv, "Dup": lambda self: _as(type(self), Comm.Dup(self))})
        return body(comm)

    stop = threading.Event()
    return on_threads(2, told, threads)


def _as(kind, comm):
    comm.__class__ = kind
    return comm


def test_exceptions_of_a_communicator_are_the_cause_of_an_error(tmp_path):
    for error in failing_with(OSError("the network is gone"), tmp_path):
        assert isinstance(error, lq.CommunicationError) and "OSError: the network is gone" in str(error)
        assert isinstance(error.__cause__, OSError)


def test_an_interrupt_stays_one(tmp_path):
    for error in failing_with(KeyboardInterrupt(), tmp_path):
        assert isinstance(error, KeyboardInterrupt)


def test_what_was_duplicated_is_given_back():
    threads, before = Threads(2), set(operations._carriers)
    on_threads(2, lambda comm: lq.Grid(LATTICE, comm=comm).size, threads)
    gc.collect()
    assert threads.given_back == 2 and set(operations._carriers) <= before


def test_a_rank_that_is_none_is_refused():
    threads = Threads(2)
    with pytest.raises(lq.InvalidArgument, match="rank 5 of 2"):
        lq.Communicator(Comm(threads, 5))
    assert threads.given_back == 1
