# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""What file objects of known size that are only read have in common."""

import io
import os


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
