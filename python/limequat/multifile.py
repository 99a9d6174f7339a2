# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Multifiles: a stream of bytes per task, thousands of them in a few files, in the format of SIONlib.

    >>> with lq.multifile.create("run.sion", tasks=4) as m:
    ...     m[3].write(b"...")
    ...     m.write_field("gauge", u)
    >>> with lq.multifile.open("run.sion") as m:
    ...     m.tasks, m[3].size, m[3].read()
    ...     u = m.read_field("gauge")

A set appears under its name when the with block ends. :func:`repair` makes a set of the leftovers of an interrupted
program, .NAME.xxxxxxxx.
"""

from __future__ import annotations

import ctypes
import io
from typing import TYPE_CHECKING, Any, Iterator, Optional

from limequat._library import Handle, call, path_bytes, take_text, text_bytes, text_from
from limequat.answers import Judgement, parse
from limequat.communicators import agreed, group_of
from limequat.display import brief, name_of, table
from limequat.errors import InvalidArgument, WrongState
from limequat.grid import require_grid
from limequat.options import Options, takes
from limequat.transfer import read_request, written

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from limequat.annotations import ArrayIn, Comm, Dtype, Kind, Path, Region, Target
    from limequat.answers import Answer
    from limequat.grid import Grid
    from limequat.option_types import (
        MultifileOptions,
        MultifileReadOptions,
        FurtherReadOptions,
        RepairOptions,
        Unpack,
        WriteOptions,
    )

__all__ = ["Reader", "Stream", "Writer", "append", "create", "open", "repair", "verify"]


@takes("MultifileReadOptions")
def open(path: Path, *, comm: Optional[Comm] = None, **options: "Unpack[MultifileReadOptions]") -> "Reader":
    """Opens the set ``path`` for reading: a :class:`Reader`. Any program may have written it, on any number of ranks.

    comm  an mpi4py communicator, a :class:`limequat.Communicator` or Grid: collective; the tasks are distributed over its
          ranks, and each reads its own
    {options}
    """
    return Reader(path, comm=comm, **options)


@takes("MultifileOptions")
def create(path: Target, *, comm: Optional[Comm] = None, **options: "Unpack[MultifileOptions]") -> "Writer":
    """Starts the new set ``path``: a :class:`Writer`, to be used in a with block.

    comm  an mpi4py communicator, a :class:`limequat.Communicator` or Grid: collective; each rank has its own streams,
          and those of rank 0 are the first tasks
    {options}

    tasks is another name for streams, force for overwrite.
    """
    return Writer("lq_multifile_create", path, options, comm)


@takes("MultifileOptions")
def append(path: Target, *, streams: Any = None, comm: Optional[Comm] = None,  # type: ignore[misc]
           **options: "Unpack[MultifileOptions]") -> "Writer":
    """Opens a set written by this library for appending: a :class:`Writer` with ``streams`` streams (default: the existing
    ones). The first streams continue the existing tasks; any others become new tasks. Only expected_bytes (for new tasks),
    level, sync and buffer_bytes of the options are used. comm: as in :func:`create`; ``streams`` then counts the streams of
    this rank, by default the tasks that :func:`open` assigns to it.

    {options}
    """
    comm = group_of(comm)
    if streams is None:
        with open(path, comm=comm) as there:
            streams = len(there.mine)
    return Writer("lq_multifile_append", path, {**options, "streams": streams}, comm)


def verify(path: Path) -> Judgement:
    """Compares every chunk of the set ``path`` with its record: a dict with "sound", "chunks_checked", "damage" and the
    "set", true if sound."""
    sound, text = ctypes.c_int(), ctypes.c_void_p()
    call("lq_multifile_verify", path_bytes(path), ctypes.byref(sound), ctypes.byref(text))
    return parse(take_text(text), Judgement)


@takes("RepairOptions")
def repair(path: Path, *, output: Optional[Target] = None, **options: "Unpack[RepairOptions]") -> Judgement:
    """Recovers the files of an interrupted writer: every chunk whose write had finished, each verified. `path` is the
    set, or one of its temporary files. With `output` a copy of that name is repaired, and the original files are unchanged.

    {options}

    Returns a dict with the recovered data, true if nothing was lost."""
    text = ctypes.c_void_p()
    call("lq_multifile_repair", path_bytes(path), None if output is None else path_bytes(output),
         Options("RepairOptions", options), ctypes.byref(text))
    return parse(take_text(text), Judgement)


_NO_FIELD = {"kind": "generic", "colors": 0, "spins": 0, "links": 0, "numbers": 1, "complex": False, "precision": "double"}


class Reader:
    """A set that is open for reading; ``m[task]`` is the stream of a task.

    mine  the tasks assigned to this rank, a range; on one rank all. Iterating gives their streams
    """

    path: Any
    mine: range
    info: Answer

    @takes("MultifileReadOptions")
    def __init__(self, path: Path, *, comm: Optional[Comm] = None, **options: Any) -> None:
        self.path, self._handle = path, None
        group = group_of(comm)
        with agreed(group):
            path, how = path_bytes(path), Options("MultifileReadOptions", options).over(group)
        self._handle = Handle("lq_multifile_reader_free", "lq_multifile_open", path, how)
        first, count = ctypes.c_int64(), ctypes.c_int64()
        call("lq_multifile_share", self._handle, ctypes.byref(first), ctypes.byref(count), None, None)
        self.mine = range(first.value, first.value + count.value)
        text = ctypes.c_void_p()
        call("lq_multifile_info", self._handle, ctypes.byref(text))
        self.info = parse(take_text(text))

    @property
    def tasks(self) -> int:
        """Number of tasks of the set."""
        return self.info["tasks"]

    @property
    def fields(self) -> Any:
        """The facts about each field: a list of dicts with "name", "spec", "lattice", "processes" (the process grid of its
        writer), "bytes", "checksum" and "metadata"."""
        return parse(text_from("lq_multifile_fields", self._open_handle()))

    @takes("ReadOptions", without=("field", "index"))
    def read_field(self, name: str, *, region: Optional[Region] = None, dtype: Optional[Dtype] = None,
                   grid: Optional[Grid] = None, verify: bool = True, out: Any = None,
                   **options: "Unpack[FurtherReadOptions]") -> NDArray[Any]:
        """Reads a field into a new array; arguments and result as in :func:`limequat.read`. Any process grid.

        {options}
        """
        with agreed(require_grid(grid)):
            handle, named = self._open_handle(), text_bytes(name, "the name of the field")
            entry = next((one for one in self.fields if one["name"] == name), None)
            if entry is None:  # the library knows why
                entry = {"lattice": grid.extents if grid else [1], "spec": _NO_FIELD}
                region = dtype = out = None
            array, field, how, grid = read_request(entry, None, 0, region, dtype, {**options, "verify": verify}, grid, out)
        call("lq_multifile_read_field", handle, named, grid, field, how)
        return array

    def window(self) -> Stream:
        """The concatenated streams of all tasks; on several ranks this rank's window of them."""
        return Stream(self, -1)

    def __repr__(self) -> str:
        state = f"{self.tasks} streams" if self._handle else "closed"
        return f"<multifile {name_of(self.path)!r}: {state}>"

    def _repr_html_(self) -> str:
        return table(repr(self)[1:-1], ("", "value"), [(name, brief(value)) for name, value in self.info.items()])

    def __len__(self) -> int:
        return self.tasks

    def __getitem__(self, task: int) -> Stream:
        if not -self.tasks <= task < self.tasks:
            raise IndexError(f"{self.path}: task {task} does not exist; the set has tasks 0 to {self.tasks - 1}")
        return Stream(self, task % self.tasks)

    def __iter__(self) -> Iterator[Stream]:
        return (self[task] for task in self.mine)

    def close(self) -> None:
        """Closes the set; its streams can no longer be read."""
        if self._handle is not None:
            self._handle.free()
        self._handle = None

    def _open_handle(self):
        if self._handle is None:
            raise WrongState(f"{self.path}: the set is closed", path=str(self.path))
        return self._handle

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, kind: object, value: Any, traceback: Any) -> None:
        self.close()


class Stream(io.RawIOBase):
    """The stream of one task, a binary file for reading; you can wrap it in io.BufferedReader or io.TextIOWrapper."""

    def __init__(self, reader, task):
        super().__init__()
        self._reader, self.task, self._position = reader, task, 0
        size = ctypes.c_uint64()
        if task < 0:
            call("lq_multifile_share", reader._open_handle(), None, None, None, ctypes.byref(size))
        else:
            call("lq_multifile_size", reader._open_handle(), task, ctypes.byref(size))
        self.size = size.value

    def __repr__(self) -> str:
        return f"<{'all streams' if self.task < 0 else f'stream {self.task}'} of {self._reader!r}, {self.size} bytes>"

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}[whence]
        if not 0 <= base + offset <= self.size:
            raise InvalidArgument(f"cannot seek to byte {base + offset} of a stream of {self.size}")
        self._position = base + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        got = ctypes.c_uint64()
        into = (ctypes.c_char * len(view)).from_buffer(view) if len(view) else None
        call("lq_multifile_read", self._reader._open_handle(), self.task, self._position, into, len(view),
             ctypes.byref(got))
        self._position += got.value
        return got.value

    def read(self, size: int = -1) -> bytes:
        """Reads bytes from the current position: all of them, or at most `size`."""
        left = self.size - self._position
        data = bytearray(left if size is None or size < 0 else min(size, left))
        del data[self.readinto(data):]
        return bytes(data)


class Writer:
    """A set being written; ``m[stream]`` is one of its streams. It appears when the with block ends; after an exception
    use :func:`repair` on its files."""

    path: Any
    streams: int

    def __init__(self, function: Any, path: Path, options: Any, comm: Optional[Comm] = None) -> None:
        group = group_of(comm)
        with agreed(group):
            name, how = path_bytes(path), Options("MultifileOptions", options).over(group)
        self.path, self.streams, self._closed = path, how.struct.streams, False
        self._handle = Handle("lq_multifile_writer_free", function, name, how)

    def __repr__(self) -> str:
        return f"<writer of the multifile {name_of(self.path)!r}: {self.streams} streams{', closed' if self._closed else ''}>"

    def __len__(self) -> int:
        return self.streams

    def __getitem__(self, stream: int) -> OutStream:
        if not 0 <= stream < self.streams:
            raise IndexError(f"{self.path}: stream {stream} does not exist; there are streams 0 to {self.streams - 1}")
        return OutStream(self, stream)

    def write(self, data: Any) -> int:
        """Writes ``data`` to the first stream."""
        return self[0].write(data)

    @takes("WriteOptions", without=("format", "name", "sync", "overwrite"))
    def write_field(self, name: str, array: ArrayIn, *, kind: Optional[Kind] = None, dims: Optional[int] = None,  # type: ignore[misc]
                    grid: Optional[Grid] = None, **options: "Unpack[WriteOptions]") -> Answer:
        """Writes a field next to the streams; arguments as in :func:`limequat.write`, the grid over all ranks of the set.
        Returns its report.

        {options}
        """
        return written(grid, array, kind, dims, options, "lq_multifile_write_field",
                       lambda: (self._open_handle(), text_bytes(name, "the name of the field")))

    def close(self) -> None:
        """Completes and publishes the set, and raises its errors."""
        self._finish("lq_multifile_close")

    def discard(self) -> None:
        """Removes the set completely."""
        self._finish("lq_multifile_discard")

    def _finish(self, function):
        handle, self._closed = self._open_handle(), True
        try:
            call(function, handle)
        finally:
            handle.free()

    def _open_handle(self):
        if self._closed:
            raise WrongState(f"{self.path}: the set is already closed", path=str(self.path))
        return self._handle

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, kind: object, value: Any, traceback: Any) -> None:
        if self._closed:
            return
        if kind is None:
            self.close()
        else:
            self._closed = True
            self._handle.free()


class OutStream:
    """A stream being written."""

    def __init__(self, writer, stream):
        self._writer, self._stream = writer, stream

    def __repr__(self) -> str:
        return f"<stream {self._stream} of {self._writer!r}>"

    def write(self, data: Any) -> int:
        """Appends bytes, anything with the buffer protocol (an array), or text as UTF-8; returns the number of bytes."""
        view = memoryview(data.encode() if isinstance(data, str) else data)
        raw: Any = bytes(view) if not view.c_contiguous or view.readonly else view.cast("B")
        pointer = raw if isinstance(raw, bytes) else (ctypes.c_char * len(raw)).from_buffer(raw) if len(raw) else None
        call("lq_multifile_write", self._writer._open_handle(), self._stream, pointer, len(raw))
        return len(raw)

    def flush(self) -> None:
        """Writes everything so far to the file, so that it survives the end of this process."""
        call("lq_multifile_flush", self._writer._open_handle(), self._stream)

    @property
    def task(self) -> int:
        """Its number in the set."""
        return self._told()[0]

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._told()[1]

    def _told(self):
        task, size = ctypes.c_int64(), ctypes.c_uint64()
        call("lq_multifile_stream", self._writer._open_handle(), self._stream, ctypes.byref(task), ctypes.byref(size))
        return task.value, size.value
