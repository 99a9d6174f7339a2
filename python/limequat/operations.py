# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A communicator as a table of functions: the library sends and receives by the methods of the Python object.

The C functions are created once and stay; they identify a communicator by its number. An exception in one of them is
stored and becomes the cause of the error that the library raises for the failure.
"""

import contextlib
import ctypes
import hashlib
import itertools
import os
import pathlib
import socket
import sys
from ctypes import c_int, c_void_p

from limequat import structs
from limequat._library import keep_cause

_PIECE_BYTES = 1 << 30  # MPI counts in int
_READ, _WRITE = 0x100, 0x200  # PyBUF_READ, PyBUF_WRITE

_memory = ctypes.pythonapi.PyMemoryView_FromMemory
_memory.argtypes, _memory.restype = [c_void_p, ctypes.c_ssize_t, c_int], ctypes.py_object

_TYPES = dict(structs.Operations._fields_)
_numbers = itertools.count(1)
_carriers: dict = {}  # by number, as long as the library has them


class Carrier:
    """Messages by Isend and Irecv of a duplicate of a communicator, and Test of the requests they return."""

    def __init__(self, comm):
        self.comm, self.requests, self.text = comm.Dup(), {}, None
        self.messages = itertools.count(1)

    def start(self, method, address, count, access, other, tag):
        """The number of a message; 0 for an empty one."""
        pieces = [min(_PIECE_BYTES, count - first) for first in range(0, count, _PIECE_BYTES)]
        requests = [method(_memory(address + number * _PIECE_BYTES, size, access), other, tag)
                    for number, size in enumerate(pieces)]
        if not requests:
            return 0
        message = next(self.messages)
        self.requests[message] = requests
        return message

    def is_done(self, message):
        """True if all pieces of a message are done."""
        requests = self.requests[message]
        while requests and requests[0].Test():
            del requests[0]
        if requests:
            return False
        del self.requests[message]
        return True

    def drop(self, message):
        """That message is no longer needed."""
        for request in self.requests.pop(message, ()):
            request.Cancel()
            request.Free()

    def close(self):
        """Frees the duplicate."""
        mpi = sys.modules.get("mpi4py.MPI")
        if mpi is None or not isinstance(self.comm, mpi.Comm) or not mpi.Is_finalized():
            self.comm.Free()


def table_over(comm):
    """(lq_operations over `comm`, a function that removes it if the library refuses it). Collective: `comm` is duplicated."""
    number = next(_numbers)
    carrier = _carriers[number] = Carrier(comm)
    table = structs.Operations(ctypes.sizeof(structs.Operations), carrier.comm.Get_rank(), carrier.comm.Get_size(),
                               _node(), _tags(carrier.comm), _send, _receive, _test, _drop, _failure, _free, number)
    return table, lambda: _free(number)


def _tags(comm):
    """The number of tags, at most what the library uses by default; 0: not known."""
    mpi = sys.modules.get("mpi4py.MPI")
    last = comm.Get_attr(mpi.TAG_UB) if mpi is not None and isinstance(comm, mpi.Comm) else None
    return 0 if last is None else min(last + 1, 1 << 20)


def _node():
    """The same number for processes that share memory and see each other's process numbers."""
    facts = [socket.gethostname()]
    with contextlib.suppress(OSError):
        facts.append(pathlib.Path("/proc/sys/kernel/random/boot_id").read_text())
    for path in ("/proc/self/ns/pid", "/dev/shm"):
        with contextlib.suppress(OSError):
            facts.append(f"{os.stat(path).st_dev} {os.stat(path).st_ino}")
    return int.from_bytes(hashlib.blake2b("\n".join(facts).encode(), digest_size=8).digest(), "little")


def _guarded(kind):
    """A C function from a Python function whose first argument is the communicator; its exception is stored."""
    def make(function):
        def called(number, *arguments):
            carrier = _carriers.get(number)
            try:
                function(carrier, *arguments)
                return 0
            except BaseException as error:
                keep_cause(error)
                words = f"{type(error).__name__}: {error}".encode("utf-8", "replace").replace(b"\0", b" ")
                if carrier is not None:
                    carrier.text = ctypes.create_string_buffer(words)
                return 1
        return kind(called)
    return make


@_guarded(_TYPES["send"])
def _send(carrier, data, count, to, tag, message):
    message[0] = carrier.start(carrier.comm.Isend, data, count, _READ, to, tag)


@_guarded(_TYPES["receive"])
def _receive(carrier, data, count, source, tag, message):
    message[0] = carrier.start(carrier.comm.Irecv, data, count, _WRITE, source, tag)


@_guarded(_TYPES["test"])
def _test(carrier, message, done):
    done[0] = carrier.is_done(message)


@_TYPES["drop"]
def _drop(number, message):
    with contextlib.suppress(Exception):  # it is given up because something failed before
        _carriers[number].drop(message)


@_TYPES["failure"]
def _failure(number):
    text = _carriers[number].text
    return ctypes.addressof(text) if text is not None else None


@_TYPES["free"]
def _free(number):
    carrier = _carriers.pop(number, None)
    if carrier is not None:
        with contextlib.suppress(Exception):  # no caller is left to receive the error
            carrier.close()
