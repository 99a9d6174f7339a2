# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files of several fields."""

import ctypes
from typing import TYPE_CHECKING

from limequat._library import Grid, WriterHandle, call, take_text
from limequat.answers import parse
from limequat.arrays import described, only_this_process
from limequat.errors import InvalidArgument, WrongState
from limequat.options import Options, metadata_array, takes

if TYPE_CHECKING:
    from limequat.option_types import Unpack, WriteOptions


@takes("WriteOptions")
def create(path, lattice=None, *, grid=None, **options: "Unpack[WriteOptions]"):
    """Starts a new file of several fields: a :class:`Writer`, to be used in a with block.

    lattice  extents x, y, z, t; default: those of the first field

    Options of the file and of each field (:func:`formats` lists the formats):
    {options}
    """
    return Writer(path, lattice, grid=grid, **options)


class Writer:
    """A new file of several fields; it appears when the with block ends, and not if an exception ends it."""

    @takes("WriteOptions")
    def __init__(self, path, lattice=None, *, grid=None, **options):
        only_this_process(grid)
        self.path, self._handle, self._lattice, self._closed = path, None, None, False
        self._options = Options("WriteOptions", options)
        if lattice is not None:
            self._start(lattice)

    def _start(self, lattice):
        self._lattice = tuple(int(extent) for extent in lattice)
        self._handle = WriterHandle(self.path, Grid(self._lattice), self._options)

    def write(self, name, array, *, kind=None, metadata=None, dims=None):
        """Appends a field; arguments as in :func:`limequat.write`. Returns its report."""
        self._require_open()
        array, field, extents = described(array, kind, dims)
        if self._handle is None:
            self._start(extents)
        if tuple(extents) != self._lattice:
            raise InvalidArgument(f"{self.path}: field {name!r} has the lattice {tuple(extents)}, the file has "
                                  f"{self._lattice}", path=str(self.path), record=name)
        texts = metadata_array(metadata)
        report = ctypes.c_void_p()
        call("lq_writer_write", self._handle, name.encode(), field.to_c(array), texts,
             len(texts) if texts is not None else 0, ctypes.byref(report))
        return parse(take_text(report))

    def write_record(self, type, contents):
        """Appends a record of text or bytes."""
        self._require_open()
        if self._handle is None:
            raise WrongState(f"{self.path}: give the lattice to create(), or write a field before a record",
                             path=str(self.path))
        data = contents.encode() if isinstance(contents, str) else bytes(contents)
        call("lq_writer_record", self._handle, type.encode(), data, len(data))

    def close(self):
        """Completes the file; errors surface here."""
        self._require_open()
        self._closed = True
        if self._handle is None:
            raise WrongState(f"{self.path}: closed before anything was written", path=str(self.path))
        try:
            call("lq_writer_close", self._handle)
        finally:
            self._handle.free()

    def abandon(self):
        """Leaves no file."""
        self._closed = True
        if self._handle is not None:
            self._handle.free()

    def _require_open(self):
        if self._closed:
            raise WrongState(f"{self.path}: the writer is closed already", path=str(self.path))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if self._closed:
            return
        if kind is None:
            self.close()
        else:
            self.abandon()
