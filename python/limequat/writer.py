# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files of several fields."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union, overload

from limequat._library import WriterHandle, call, take_text, target_bytes, text_bytes
from limequat.answers import parse
from limequat.arrays import keeps_texts, site_shape_text
from limequat.communicators import agreed, call_together
from limequat.display import name_of
from limequat.errors import InvalidArgument, WrongState
from limequat.extents import extents_of
from limequat.grid import Grid, laid_out, require_grid
from limequat.options import Options, mapping_of, metadata_array, takes

if TYPE_CHECKING:
    from limequat.annotations import ArrayIn, Extents, Kind, Target
    from limequat.answers import Answer
    from limequat.files import FieldView
    from limequat.option_types import Unpack, WriteOptions
    from limequat.region_writing import RegionWriter


@overload
def create(path: Target, lattice: Optional[Extents] = None, *, grid: Optional[Grid] = None,
           **options: "Unpack[WriteOptions]") -> "Writer": ...


@overload
def create(path: Target, lattice: None = None, *, like: "Union[FieldView, ArrayIn]", grid: Optional[Grid] = None,
           kind: Optional[str] = None, dims: Optional[int] = None, **options: "Unpack[WriteOptions]") -> "RegionWriter": ...


@takes("WriteOptions", without=("progress",))
def create(path: Target, lattice: Optional[Extents] = None, *, like: "Union[FieldView, ArrayIn, None]" = None,
           grid: Optional[Grid] = None, kind: Optional[str] = None, dims: Optional[int] = None,
           **options: "Unpack[WriteOptions]") -> "Union[Writer, RegionWriter]":
    """Starts the new file ``path`` of several fields: a :class:`Writer`, to be used in a with block. With ``like`` a file of one field
    that is written region by region: a :class:`RegionWriter`, for which ``field[0:8] = array`` gives time slices 0 to 7.

    lattice  extents x, y, z, t; default: those of the grid, or of the first field
    grid     a :class:`Grid`: collective, as are the calls of the writer; each rank passes arrays of its own box
    like     a field of an open file (``lq.open(...)["gauge"]``), or an array [t, z, y, x, ...], with a grid of this rank's box: the new
             field has its lattice, the kind of its sites and the type of its numbers. kind, dims: for an array, as in
             :func:`limequat.write`

    Options of the file and of each field (:func:`formats` lists the formats):
    {options}
    """
    if like is None:
        if kind is not None or dims is not None:
            raise InvalidArgument(f"{name_of(path)}: kind and dims describe an array passed as like=, or to Writer.write()",
                                  path=str(path))
        return Writer(path, lattice, grid=grid, **options)
    if lattice is not None:
        raise InvalidArgument(f"{name_of(path)}: like determines the lattice: omit lattice={lattice!r}", path=str(path))
    from limequat.region_writing import RegionWriter
    return RegionWriter(path, like, grid=grid, kind=kind, dims=dims, **options)


class Writer:
    """A new file of several fields; it appears when the with block ends, and not if an exception ends it."""

    path: Any

    @takes("WriteOptions", without=("progress",))
    def __init__(self, path: Any, lattice: Optional[Extents] = None, *, grid: Optional[Grid] = None,
                 **options: Any) -> None:
        self.path, self._handle, self._grid, self._closed = path, None, grid, False
        self._group = require_grid(grid)
        with agreed(self._group):
            self._path, self._options = target_bytes(path), Options("WriteOptions", options)
            self._keeps_texts = keeps_texts(path, options.get("format"))
            if lattice is not None and grid is not None and tuple(extents_of(lattice, "lattice")) != grid.extents:
                raise InvalidArgument(f"{self.path}: the lattice is {extents_of(lattice, 'lattice')}, the lattice of the "
                                      f"grid {grid.extents}", path=str(self.path))
        if lattice is not None or grid is not None:
            self._start(grid if lattice is None else grid or Grid(lattice))

    def __repr__(self) -> str:
        lattice = " of " + "x".join(map(str, self._grid.extents)) if self._grid is not None else ""
        return f"<writer of the file {name_of(self.path)!r}{lattice}, {'closed' if self._closed else 'open'}>"

    def _start(self, grid):
        self._grid = grid
        self._handle = WriterHandle(self._path, grid, self._options)

    def write(self, name: str, array: ArrayIn, *, kind: Optional[Kind] = None,
              metadata: Optional[Mapping[str, str]] = None, dims: Optional[int] = None) -> Answer:
        """Appends a field; arguments as in :func:`limequat.write`. Returns its report."""
        self._require_open()
        with agreed(self._group):
            array, field, grid = laid_out(array, kind, dims, self._grid if self._group else None)
            texts = metadata_array({**mapping_of(metadata, "metadata"), **(site_shape_text(field) if self._keeps_texts else {})})
            named, report = text_bytes(name, "the name of the field"), ctypes.c_void_p()
            if self._grid is not None and grid.local != self._grid.local:
                raise InvalidArgument(f"{self.path}: field {name!r} has the lattice {grid.local}, the file has "
                                      f"{self._grid.local}", path=str(self.path), record=name)
        if self._handle is None:
            self._start(grid)
        call("lq_writer_write", self._handle, named, field.to_c(array), texts, len(texts) if texts is not None else 0,
             ctypes.byref(report))
        return parse(take_text(report))

    def write_record(self, type: str, contents: Union[str, bytes, bytearray, memoryview]) -> None:
        """Appends a record of that ``type`` with ``contents``: a text, bytes, a bytearray or a memoryview."""
        self._require_open()

        def arguments():
            if self._handle is None:
                raise WrongState(f"{self.path}: give the lattice to create(), or write a field before a record",
                                 path=str(self.path))
            if not isinstance(contents, (str, bytes, bytearray, memoryview)):
                kind = contents.__class__.__name__
                raise TypeError(f"the contents of a record are of type {kind}, expected a text or bytes"
                                + ("; tobytes() makes bytes of an array" if hasattr(contents, "tobytes") else ""))
            data = contents.encode() if isinstance(contents, str) else bytes(contents)
            return self._handle, text_bytes(type, "the type of the record"), data, len(data)

        call_together(self._group, "lq_writer_record", arguments)

    def close(self) -> None:
        """Completes the file, and raises its errors."""
        self._require_open()
        self._closed = True
        if self._handle is None:
            raise WrongState(f"{self.path}: closed before anything was written", path=str(self.path))
        try:
            call("lq_writer_close", self._handle)
        finally:
            self._handle.free()

    def abandon(self) -> None:
        """Discards the file."""
        self._closed = True
        if self._handle is not None:
            self._handle.free()

    def _require_open(self):
        if self._closed:
            raise WrongState(f"{self.path}: the writer is already closed", path=str(self.path))

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, kind: object, value: object, traceback: object) -> None:
        if self._closed:
            return
        if kind is None:
            self.close()
        else:
            self.abandon()
