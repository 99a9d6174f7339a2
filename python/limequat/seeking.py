# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""What file objects of known size that are only read have in common."""

import collections
import io
import os

END_BYTES = 32768        # of the beginning and of the end, that are kept
_SMALL_BYTES = 32768     # what small reads elsewhere ask for
_KEPT_BYTES = 64 << 20   # that are kept, so that what is read twice is fetched once
_STREAM_AFTER = 3        # reads of this number, each where the last one ended, are a file that is read to its end
_AHEAD_BYTES = 8 << 20   # fetched at once of such a file


class ReadOnlyFile(io.RawIOBase):
    """A binary file object over ``_size`` bytes; a subclass says how ``_read(begin, end)`` gets those from one place to another."""

    _position, _size = 0, 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self._position

    def seek(self, offset, whence=os.SEEK_SET):
        bases = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}
        if whence not in bases:
            raise ValueError(f"seek from {whence!r}, expected 0, 1 or 2")
        if bases[whence] + offset < 0:
            raise ValueError(f"seek to byte {bases[whence] + offset}")
        self._position = bases[whence] + offset
        return self._position

    def read(self, size=-1):
        if self.closed:
            raise ValueError("read of a closed file")
        begin = self._position
        end = self._size if size is None or size < 0 else min(begin + size, self._size)
        if begin >= end:
            return b""
        data = self._read(begin, end)
        self._position = begin + len(data)
        return data

    def readinto(self, buffer):
        data = self.read(len(buffer))
        buffer[:len(data)] = data
        return len(data)

    def _read(self, begin, end):
        raise NotImplementedError


class FileInParts(ReadOnlyFile):
    """A file that is far away: each ``_fetch(begin, end)`` of a subclass is a request. The beginning and the end are kept, because headers and
    checksums are there, small reads fetch some more, and a large one is one request for its bytes."""

    request_bytes = 64 << 20

    def __init__(self):
        super().__init__()
        self._sequential, self._fetched_to = 0, None
        self._ends, self._blocks = {}, collections.OrderedDict()  # by offset, the oldest first
        self._kept_bytes = 0

    def _fetch(self, begin, end):
        raise NotImplementedError

    def _fetch_next(self, begin, end):
        """Bytes of a file that is read to its end; possibly more of them."""
        return self._fetch(begin, min(max(end, begin + _AHEAD_BYTES), self._size))

    def _read(self, begin, end):
        pieces = self._kept(begin, end)
        begin += sum(map(len, pieces))
        if begin < end:
            self._sequential = self._sequential + 1 if begin == self._fetched_to else 0
            pieces.append(self._read_new(begin, end))
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _read_new(self, begin, end):
        """Fetches new bytes. A small read also fetches some more, or all of the end of the file."""
        last = max(self._size - END_BYTES, 0)
        if end - begin < _SMALL_BYTES and begin >= last:
            self._ends[last] = block = self._fetch(last, self._size)
            return block[begin - last:end - last]
        upto = min(max(end, begin + _SMALL_BYTES), self._size)
        data = self._fetch_next(begin, upto) if self._sequential >= _STREAM_AFTER else self._fetch(begin, upto)
        self._keep(begin, data)
        return data[:end - begin]

    def _kept(self, begin, end):
        """The bytes of these that have been fetched, from the first one on, in consecutive blocks."""
        pieces = []
        while begin < end:
            for offset, block in (*self._ends.items(), *self._blocks.items()):
                if offset <= begin < offset + len(block):
                    pieces.append(block[begin - offset:end - offset])
                    begin += len(pieces[-1])
                    break
            else:
                break
        return pieces

    def _keep(self, begin, data):
        """Keeps a block while there is space for it; the oldest are dropped first."""
        self._fetched_to = begin + len(data)
        if len(data) > _KEPT_BYTES:
            return
        self._kept_bytes += len(data) - len(self._blocks.pop(begin, b""))
        self._blocks[begin] = data
        while self._kept_bytes > _KEPT_BYTES:
            self._kept_bytes -= len(self._blocks.popitem(last=False)[1])
