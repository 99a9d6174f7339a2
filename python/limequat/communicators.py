# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Communicators of mpi4py for the library, and errors that are the same on all ranks.

liblimequat_mpi is used if it is next to liblimequat (or LIMEQUAT_MPI_LIBRARY names it) and is linked to the MPI that
mpi4py has loaded; a wheel has several, for Open MPI, MPICH and the standard ABI, and the one that fits is used. This is
checked before it is loaded, because two MPIs in one process disturb each other. Otherwise the library sends and receives
through the methods of the communicator (operations.py).
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import pathlib
import re
import sys
import warnings
from typing import TYPE_CHECKING, Any

from limequat import structs
from limequat._library import Handle, address_of, answer, call, library_path, require_types
from limequat.errors import Code, Error, InvalidArgument, NotFound, WrongState
from limequat.operations import table_over

if TYPE_CHECKING:
    from limequat.annotations import Comm

_METHODS = ("Dup", "Free", "Get_rank", "Get_size", "Isend", "Irecv")


class Communicator(Handle):
    """The ranks of an mpi4py communicator, which is duplicated, so the library's messages never mix with yours. Collective.

    Every function with ``comm=`` accepts an mpi4py communicator, one of these, or a :class:`Grid`. One of these serves many
    calls, whereas a plain communicator is duplicated for each. All ranks must delete theirs in the same order. An object of
    another package is accepted if it has Dup, Free, Get_rank, Get_size, Isend(buffer, dest, tag) and Irecv(buffer, source,
    tag), which return an object with Test(), Cancel() and Free(). Raises InvalidArgument (an intercommunicator, not a
    communicator).

    is_native  True if the library calls MPI itself; otherwise it calls the methods of the communicator, which costs some
               microseconds for each message
    """

    def __init__(self, comm: Any) -> None:
        mpi: Any = sys.modules.get("mpi4py.MPI")
        is_mpi = mpi is not None and isinstance(comm, mpi.Comm)
        if not is_mpi and not all(callable(getattr(comm, name, None)) for name in _METHODS):
            raise InvalidArgument(f"comm is {comm!r}, expected a communicator of mpi4py, a Communicator or a Grid")
        if is_mpi:
            if mpi.Is_finalized():
                raise WrongState("MPI: already finalised; nothing collective can follow")
            _warn_of_lonely_ranks(mpi)
            if comm == mpi.COMM_NULL or comm.Is_inter():
                raise InvalidArgument("comm is " + ("MPI.COMM_NULL: call on the ranks that are in the communicator"
                                      if comm == mpi.COMM_NULL else "an intercommunicator: merge it first (Merge)"))
        library = _library_over(mpi) if is_mpi else None
        self.is_native = library is not None
        if library is None:
            self._by_methods(comm)
        else:
            self._native(library, mpi, comm)

    def _by_methods(self, comm):
        table, forget = table_over(comm)
        try:
            super().__init__("lq_communicator_free", "lq_communicator_create", ctypes.byref(table))
        except BaseException:
            forget()
            raise

    def _native(self, library, mpi, comm):
        create = library.lq_communicator_mpi
        # A pointer of Open MPI, a number of MPICH.
        handle = ctypes.c_void_p if mpi._sizeof(mpi.Comm) == ctypes.sizeof(ctypes.c_void_p) else ctypes.c_uint
        create.argtypes, create.restype = [handle, ctypes.POINTER(ctypes.c_void_p)], ctypes.c_int
        super().__init__("lq_communicator_free", create, mpi._handleof(comm))

    @property
    def rank(self) -> int:
        """Number of this process, from 0."""
        return answer("lq_communicator_rank", self)

    @property
    def size(self) -> int:
        """Number of processes."""
        return answer("lq_communicator_size", self)



def group_of(comm):
    """The Communicator for the comm= or grid= of a caller; None for this process alone."""
    if comm is None or isinstance(comm, Communicator):
        return comm
    return comm.communicator if hasattr(comm, "communicator") else Communicator(comm)


@contextlib.contextmanager
def agreed(group):
    """Collective. If the block fails on any rank, it fails on all, with the error of the lowest such rank: for code before a
    collective call that may fail on one rank only."""
    failure = None
    try:
        yield
    except BaseException as error:
        if group is None or group.size == 1:
            raise
        failure = error
    if group is None or group.size == 1:
        return
    try:
        call("lq_communicator_agree", group, None if failure is None else ctypes.byref(_told(failure)))
    except Error as error:
        if failure is None:
            raise
        if isinstance(failure, Exception):
            raise error from failure
        raise failure from error


def arguments_of(group, name, make):
    """Collective. What make() returns, which is what a function of the library takes first: on all ranks, or the error of
    the one on which it cannot be made."""
    with agreed(group):
        arguments = make()
        if group is not None and group.size > 1:
            require_types(name, arguments)
        return arguments


def call_together(group, name, make):
    """Collective. Calls a function of the library with what make() returns on each rank."""
    call(name, *arguments_of(group, name, make))


_CODES = ((MemoryError, Code.OUT_OF_MEMORY), (NotImplementedError, Code.UNSUPPORTED), (Exception, Code.INVALID_ARGUMENT),
          (BaseException, Code.INTERNAL))


def _told(failure):
    """An exception in the form in which the library passes it to other ranks."""
    told = structs.Failure(struct_size=ctypes.sizeof(structs.Failure), offset=-1)
    if isinstance(failure, Error):
        told.status, told.sentence = int(failure.code), _bytes(failure.sentence)
        told.path, told.record = _bytes(failure.path), _bytes(failure.record)
        told.expected, told.found = _bytes(failure.expected), _bytes(failure.found)
        told.offset, told.system_errno = -1 if failure.offset is None else failure.offset, failure.errno or 0
    else:
        told.status = next(int(code) for kind, code in _CODES if isinstance(failure, kind))
        told.sentence = _bytes(f"{type(failure).__name__}: {failure}")
    return told


def _bytes(text):
    return None if text is None else str(text).encode("utf-8", "surrogateescape").replace(b"\0", b"\\0")


def _candidates():
    """Where liblimequat_mpi may be."""
    named = os.environ.get("LIMEQUAT_MPI_LIBRARY")
    if named is not None:
        return [pathlib.Path(named)] if named else []
    core = pathlib.Path(library_path())
    return [path for folder in (core.parent, core.resolve().parent)
            for path in (folder / "liblimequat_mpi.so", folder / "liblimequat_mpi.so.1", *sorted(folder.glob("liblimequat_mpi-*.so")))]


@functools.lru_cache(maxsize=None)
def _library_over(mpi):
    """The liblimequat_mpi for the MPI of that module of mpi4py, or None. A library named by LIMEQUAT_MPI_LIBRARY must exist;
    a warning says why it cannot be used."""
    named = os.environ.get("LIMEQUAT_MPI_LIBRARY")
    paths = {candidate.resolve(): None for candidate in _candidates() if candidate.is_file()}  # names may lead to one
    if named and not paths:
        raise NotFound(f"LIMEQUAT_MPI_LIBRARY is {named}, but there is no such library", path=named)
    for path in paths:
        library, reason = _of_that_mpi(path, mpi)
        if library is not None:
            return library
        if named:
            warnings.warn(f"LIMEQUAT_MPI_LIBRARY={named} cannot be used: {reason}. Messages go through mpi4py instead",
                          RuntimeWarning, stacklevel=levels_to_the_caller())
    return None


def _of_that_mpi(path, mpi):
    """(the library, None) where it is linked to the MPI that mpi4py uses, else (None, why not)."""
    # It contains the names of the libraries that it needs, as text.
    needed = {name.decode() for name in re.findall(rb"\0(lib[\w.+-]*mpi[\w.+-]*\.so[\w.]*)(?=\0)", path.read_bytes())}
    needed = {name for name in needed if not name.startswith("liblimequat")}
    mine = _name_of(mpi)
    if not any(_is_loaded(name) for name in needed):
        return None, f"it was built for {', '.join(sorted(needed)) or 'no MPI'}, but mpi4py uses {mine}"
    library = ctypes.CDLL(str(path))
    try:
        if address_of(library, "MPI_Comm_dup") != address_of(ctypes.CDLL(mpi.__file__), "MPI_Comm_dup"):
            return None, f"it uses a different MPI from mpi4py, which uses {mine}"
        if address_of(library, "lq_communicator_free") != address_of(None, "lq_communicator_free"):
            return None, f"it belongs to another Limequat than {library_path()}"
    except AttributeError:  # mpi4py finds its MPI by other means
        return None, "mpi4py finds its MPI by other means than links"
    return library, None


def _name_of(mpi):
    return mpi.Get_library_version().strip("\0").split(",")[0].splitlines()[0]


def _is_loaded(name):
    try:
        ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        return True
    except OSError:
        return False


# Variables of launchers: how many processes were started, and the number of this one.
_LAUNCHERS = (("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"), ("PMI_SIZE", "PMI_RANK"),
              ("MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"))


@functools.lru_cache(maxsize=None)
def _warn_of_lonely_ranks(mpi):
    """Once: the launcher of another MPI than that of mpi4py makes N programs of one rank each."""
    if mpi.COMM_WORLD.Get_size() > 1:
        return
    for size, rank in _LAUNCHERS:
        processes = os.environ.get(size, "")
        if processes.isdigit() and int(processes) > 1 and os.environ.get(rank, "0") == "0":
            warnings.warn(f"{processes} processes were started ({size}={processes}), but MPI.COMM_WORLD has one: each process "
                          f"works alone. The launcher belongs to a different MPI from mpi4py, which uses {_name_of(mpi)}: start "
                          "this program with the mpirun of that MPI, or install mpi4py for the MPI of the launcher",
                          RuntimeWarning, stacklevel=levels_to_the_caller())
            return


def levels_to_the_caller():
    """The stacklevel of a warning of who calls this, so that it names the line of the program."""
    frame, level = sys._getframe(1), 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith("limequat."):
        frame, level = frame.f_back, level + 1
    return level
