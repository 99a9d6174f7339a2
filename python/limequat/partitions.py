# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files as sets of subfiles, and windows on parts of files."""

from __future__ import annotations

import ctypes
import io
from typing import TYPE_CHECKING, Optional, Tuple

from limequat import structs
from limequat._library import Handle, call, path_bytes, take_text, text_bytes, text_from
from limequat.answers import parse
from limequat.communicators import agreed, call_together, group_of
from limequat.errors import InvalidArgument
from limequat.extents import extents_of
from limequat.options import Options, takes

if TYPE_CHECKING:
    from limequat.annotations import Comm, Extents, Path, Target
    from limequat.answers import Answer
    from limequat.grid import Grid
    from limequat.option_types import RepartitionOptions, Unpack

__all__ = ["View", "element_at", "partition_of", "place_of", "repartition"]


def _array(extents, element_bytes, begin):
    """The selected array for C; no extents: the array of the file."""
    if extents is None:
        if (element_bytes, begin) != (1, 0):
            raise InvalidArgument("element_bytes and begin describe an array: give its extents, too")
        return structs.FileArray()
    extents = extents_of(extents, "extents")
    return structs.FileArray(begin, element_bytes, len(extents), (ctypes.c_int64 * len(extents))(*extents))


@takes("RepartitionOptions", verb="repartition")
def repartition(source: Path, target: Target, *, comm: Optional[Comm] = None,
                **options: "Unpack[RepartitionOptions]") -> Answer:
    """Converts ``source`` to the new ``target``: a file to a set of subfiles, a set to another set, or a set to a file, byte
    for byte.

    {options}

    comm: a communicator or Grid whose ranks share the work. Returns a dict: ``from`` and ``to`` (the partitions), ``files``, ``bytes``,
    ``moved_bytes`` (in this call; an interrupted one had moved the others), ``was_there``, ``seconds``,
    ``findings``. Raises Exists, NotFound, NoSpace, InvalidArgument, Unsupported, Malformed, Truncated, IoError,
    ChecksumError.
    """
    text, group = ctypes.c_void_p(), group_of(comm)
    with agreed(group):
        source, target, how = path_bytes(source), path_bytes(target), Options("RepartitionOptions", options).over(group)
    call("lq_repartition", source, target, how, ctypes.byref(text))
    return parse(take_text(text))


def partition_of(path: Path, *, access: Optional[str] = None, parts: int = 0, extents: Optional[Extents] = None,
                 element_bytes: int = 1, begin: int = 0) -> Answer:
    """How a file is split into subfiles: a dict with ``path``, ``bytes``, ``begin``, ``element_bytes``, ``extents`` (the fastest
    axis first), ``partition`` ("t=block:4", "whole"), ``parts``, ``is_set``, ``files``.

    access   a partition over processes: ``matching`` then says how well both match, ``degree`` from 0 to 1
    parts    with access: ``proposed`` is the partition into this number of subfiles that fits it best
    extents  of an array of the file, if not the array of the set or the sites of a lattice file; with element_bytes, begin

    Raises NotFound, Malformed, Unsupported, InvalidArgument.
    """
    access = None if access is None else text_bytes(access, "access")
    return parse(text_from("lq_partition_of", path_bytes(path), ctypes.byref(_array(extents, element_bytes, begin)), access,
                           parts))


def place_of(partition: str, element: int, extents: Extents) -> Tuple[int, int]:
    """Where element number ``element`` of an array is in a partition of it: (part, number of the element in that part).

    partition  such as "t=block:4,x=cyclic:2"
    element    its number in the array, the fastest axis first; from 0
    extents    of the array, the fastest axis first

    Raises InvalidArgument, TooLarge.
    """
    part, position = ctypes.c_uint64(), ctypes.c_uint64()
    call("lq_partition_place", ctypes.byref(_array(extents, 1, 0)), text_bytes(partition, "partition"), element, ctypes.byref(part),
         ctypes.byref(position))
    return part.value, position.value


def element_at(partition: str, part: int, position: int, extents: Extents) -> int:
    """The number of the element at a place, the inverse of :func:`place_of`.

    partition, extents  as in :func:`place_of`
    part, position      the place: the part, and the number of the element in it; from 0

    Raises InvalidArgument, TooLarge.
    """
    element = ctypes.c_uint64()
    call("lq_partition_element", ctypes.byref(_array(extents, 1, 0)), text_bytes(partition, "partition"), part, position,
         ctypes.byref(element))
    return element.value


class View(io.RawIOBase):
    """A window on part number ``part`` of a partition of a file or set, used like a binary file: read, write, seek, tell.

        >>> with lq.View("conf.set", "t=block:4", 2) as view:
        ...     slices = numpy.frombuffer(view.read(), ">f8")

    Its bytes are those of the part's elements, in the order of the file. Without a partition it is the whole file. Elements
    are the sites of a lattice file, those of a set, or of an array with ``extents`` (the fastest axis first),
    ``element_bytes`` and ``begin``. A view keeps its size. Raises NotFound, Malformed, Truncated, InvalidArgument.
    """

    def __init__(self, path, partition=None, part=0, *, writable=False, extents=None, element_bytes=1, begin=0):
        super().__init__()
        array = _array(extents, element_bytes, begin)
        self._writable = bool(writable)
        self._handle = Handle("lq_view_free", "lq_view_open", path_bytes(path),
                              None if partition is None else text_bytes(partition, "partition"), part, ctypes.byref(array),
                              int(self._writable))
        self.size = self._number("lq_view_size")

    def _number(self, function):
        number = ctypes.c_uint64()
        call(function, self._handle, ctypes.byref(number))
        return number.value

    def readable(self):
        return True

    def writable(self):
        return self._writable

    def seekable(self):
        return True

    def tell(self):
        return self._number("lq_view_tell")

    def seek(self, offset, whence=io.SEEK_SET):
        start = {io.SEEK_SET: 0, io.SEEK_CUR: None, io.SEEK_END: self.size}
        if whence not in start:
            raise InvalidArgument(f"whence is {whence!r}, expected 0, 1 or 2")
        to = offset + (self.tell() if start[whence] is None else start[whence])
        if to < 0:
            raise InvalidArgument(f"byte {to} is before the view")
        call("lq_view_seek", self._handle, to)
        return to

    def readinto(self, buffer):
        """Fills ``buffer``, anything writable; returns the number of bytes read, fewer only at the end of the view."""
        memory, got = memoryview(buffer).cast("B"), ctypes.c_uint64()
        if len(memory) == 0:
            return 0
        call("lq_view_read", self._handle, ctypes.addressof(ctypes.c_char.from_buffer(memory)), len(memory),
             ctypes.byref(got))
        return got.value

    def write(self, data):
        """Writes all of ``data``, which must fit into the view; returns the number of bytes."""
        memory = memoryview(data).cast("B")
        call("lq_view_write", self._handle, bytes(memory) if memory.readonly else
             ctypes.addressof(ctypes.c_char.from_buffer(memory)), len(memory))
        return len(memory)

    def read_all(self, *, comm=None, chunk_bytes=0):
        """Reads all bytes of this rank's view, a bytearray; all ranks of ``comm`` read together, in the order of the disks; collective.

        chunk_bytes  read at a time; 0: 4 MiB
        """
        group, data = group_of(comm), bytearray()

        def arguments():
            data.extend(bytes(self.size))
            memory = (ctypes.c_char * self.size).from_buffer(data) if data else None
            return self._handle, memory, self.size, group, chunk_bytes

        call_together(group, "lq_view_read_all", arguments)
        return data

    def write_all(self, data, *, comm=None, chunk_bytes=0):
        """Writes all bytes of this rank's view; all ranks of ``comm`` write together, in the order of the disks; collective.

        chunk_bytes  of one call to the system; 0: chosen by the type of file system
        data         anything with the buffer protocol, of the size of the view
        """
        group = group_of(comm)

        def arguments():
            memory = memoryview(data).cast("B")
            kept = bytes(memory) if memory.readonly else (ctypes.c_char * len(memory)).from_buffer(memory)
            return self._handle, kept, len(memory), group, chunk_bytes

        call_together(group, "lq_view_write_all", arguments)

    def sync(self):
        """Waits until written data have reached the disk."""
        call("lq_view_sync", self._handle)

    def close(self):
        if not self.closed:
            super().close()
            try:
                call("lq_view_close", self._handle)
            finally:
                self._handle.free()
