# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The file of a correlator store (docs/formats/correlators.md): bytes are only ever added after its end, and one write of 48 bytes,
the superblock, makes them part of it. So an append is in the file completely or not at all, and readers need no lock.
"""

import contextlib
import errno
import fcntl
import os
import stat
import struct
import time
import zlib

import numpy as np

from limequat import correlator_labels, hdf5_bytes, publishing
from limequat._library import path_bytes
from limequat.correlator_directory import VERSION, Piece, directory_text, most_text, parse_directory
from limequat.errors import Error, Exists, IoError, Malformed, Truncated, UnknownFormat, WrongState

ATTRIBUTE = "limequat_correlators"
_MERGED = 1 << 20  # bytes of a write
_IN_FOLDER = 64  # groups of appends in one folder: what an append rewrites stays small
_LOCKED_BYTE = (1 << 63) - 2  # that of docs/formats/journal.md


class StoreFile:
    """The file of a store: its directories, appended to by :meth:`commit`."""

    def __init__(self, path, mode, wait, sync):
        self.name = os.path.abspath(path_bytes(path))  # absolute, because the program may change its folder
        self.path = os.fsdecode(path)
        self.mode, self.sync, self.process = mode, sync, os.getpid()
        self.descriptor = None
        self._open(wait)
        try:
            self.end, self._superblock, self._head, self._is_foreign, self.directories = 0, b"", None, False, []
            self.refresh()
            if mode != "r" and os.fstat(self.descriptor).st_size > self.end:
                os.ftruncate(self.descriptor, self.end)  # what a killed append left
        except BaseException:
            self.close()
            raise

    def close(self):
        """Closes the file and releases the lock."""
        if self.descriptor is not None:
            descriptor, self.descriptor = self.descriptor, None
            os.close(descriptor)

    def require_open(self):
        """WrongState: closed, or opened by the parent of this process."""
        if self.descriptor is None:
            raise WrongState(f"{self.path}: this store is closed; open it again", path=self.path)
        if self.mode != "r" and os.getpid() != self.process:
            raise WrongState(f"{self.path}: opened for appending by another process; open it again in this one", path=self.path)

    # Opening

    def _open(self, wait):
        if self.mode == "x":
            self._create()
        deadline, attempts = time.monotonic() + wait, 0
        flags = (os.O_RDONLY if self.mode == "r" else os.O_RDWR) | os.O_CLOEXEC | os.O_NONBLOCK  # a FIFO does not block
        while True:
            with self._translated("open"):
                try:
                    self.descriptor = os.open(self.name, flags)
                except FileNotFoundError:
                    attempts += 1
                    if self.mode != "a" or attempts > 100:
                        raise
                if self.descriptor is not None and not stat.S_ISREG(os.fstat(self.descriptor).st_mode):
                    self.close()
                    raise UnknownFormat(f"{self.path}: not a correlator store: not a regular file", path=self.path)
            if self.descriptor is None:
                with contextlib.suppress(Exists):  # by another program, in this moment
                    self._create()
                continue
            if self.mode == "r" or (self._lock() and self._has_the_name()):
                return
            self.close()
            if time.monotonic() >= deadline:
                raise IoError(f"{self.path}: another program appends to this store; wait until it has closed it, "
                              "or open with wait=SECONDS", path=self.path, errno=errno.EAGAIN)
            time.sleep(0.02)

    def _create(self):
        """A new store gets its name when it is complete; Exists."""
        place = os.path.realpath(self.name)  # where a link leads that leads nowhere yet
        temporary = publishing.temporary_name(place)
        start = hdf5_bytes.SUPERBLOCK_BYTES
        end = start + len(_root((), 0, Piece(0, 0, 0), 0))
        data = hdf5_bytes.superblock(end, start) + _root((), 0, Piece(0, 0, 0), end)
        with self._translated("create"):
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
            try:
                try:
                    _write_all(descriptor, data, 0)
                    if self.sync:
                        os.fsync(descriptor)
                finally:
                    os.close(descriptor)
                publishing.give_name(temporary, place)
            finally:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
            if self.sync:
                publishing.sync_folder(os.path.dirname(place))

    def _lock(self):
        """Locks the file against other appending programs; returns success. If there are no locks, commit() compares superblocks."""
        try:
            if hasattr(fcntl, "F_OFD_SETLK"):
                fcntl.fcntl(self.descriptor, fcntl.F_OFD_SETLK, struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, _LOCKED_BYTE, 1, 0))
            else:
                fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno not in (errno.EAGAIN, errno.EACCES)
        return True

    def _has_the_name(self):
        try:
            there, ours = os.stat(self.name), os.fstat(self.descriptor)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    # Reading

    def read(self, address, count):
        """Bytes of the file. Truncated: it ends before."""
        data = bytearray()
        with self._translated("read"):
            while len(data) < count:
                part = os.pread(self.descriptor, count - len(data), address + len(data))
                if not part:
                    raise Truncated(f"{self.path}: the file ends at byte {address + len(data)}, expected {count} bytes at byte {address}; "
                                    "copy it again, or restore it", path=self.path, offset=address + len(data))
                if len(part) == count:
                    return part
                data += part
        return bytes(data)

    def advise(self, address, count):
        """Announces that these bytes will be read soon."""
        if hasattr(os, "posix_fadvise"):
            with contextlib.suppress(OSError):
                os.posix_fadvise(self.descriptor, address, count, os.POSIX_FADV_WILLNEED)

    def refresh(self):
        """Reads directories appended since; returns their number."""
        self.require_open()
        superblock, end, root = self._read_superblock()
        if superblock == self._superblock:
            return 0
        size = os.fstat(self.descriptor).st_size
        if size < end:
            raise Truncated(f"{self.path}: the file has {size} bytes, its superblock states {end}; copy it again, or restore it",
                            path=self.path, offset=size, expected=str(end), found=str(size))
        head = self._read_head(root, end)
        added = self._read_chain(head, end)
        self.end, self._superblock, self._head, self._is_foreign = end, superblock, head[:2], head[2] != end
        self.directories += added
        return len(added)

    def _read_superblock(self):
        for attempt in range(20):  # an append may be at it right now
            with self._translated("read"):
                data = os.pread(self.descriptor, hdf5_bytes.SUPERBLOCK_BYTES, 0)
            try:
                return (data, *hdf5_bytes.parse_superblock(data))
            except ValueError as error:
                reason = error
                if data[:8] != hdf5_bytes.SIGNATURE or len(data) < hdf5_bytes.SUPERBLOCK_BYTES:
                    break
            time.sleep(0.005 if attempt < 19 else 0)
        kind = UnknownFormat if data[:8] != hdf5_bytes.SIGNATURE or "which a correlator store does not have" in str(reason) else Malformed
        kind = Truncated if kind is Malformed and len(data) < hdf5_bytes.SUPERBLOCK_BYTES else kind
        raise kind(f"{self.path}: not a correlator store: at byte 0: {reason}", path=self.path, offset=0) from None

    def _read_head(self, root, end):
        """(appends, Piece of the newest directory or None, the end of the file as the head has it)."""
        try:
            if root + 10 > end:
                raise ValueError(f"the root group is outside of the {end} bytes of the file")
            size = hdf5_bytes.header_bytes(self.read(root, 10))
            if root + size > end or size > 65536:
                raise ValueError(f"the root group has {size} bytes, more than the file has")
            body = hdf5_bytes.attribute_of(self.read(root, size), ATTRIBUTE)
        except ValueError as error:
            if isinstance(error, Error):
                raise
            kind = UnknownFormat if "no attribute" in str(error) else Malformed
            raise kind(f"{self.path}: not a correlator store, or one that another program wrote to: at byte {root}: {error}",
                       path=self.path, offset=root) from None
        if len(body) != 48:
            raise Malformed(f"{self.path}: the attribute {ATTRIBUTE} at byte {root} has {len(body)} bytes, expected 48",
                            path=self.path, offset=root)
        version, count, *piece, stated = struct.unpack("<6Q", body)
        if version != VERSION:
            raise UnknownFormat(f"{self.path}: a correlator store of version {version}, expected {VERSION}: a newer Limequat reads it",
                                path=self.path, offset=root, expected=str(VERSION), found=str(version))
        return count, Piece(*piece) if count else None, stated

    def _read_chain(self, head, end):
        """New directories, oldest first."""
        known = self.directories[-1].number if self.directories else -1
        count, piece = head[:2]
        limit, found = end, []
        number = count - 1
        while number > known:
            if piece is None:
                raise Malformed(f"{self.path}: append {number} has no directory", path=self.path)
            text = self.text(piece, limit, f"the directory of append {number}")
            try:
                directory = parse_directory(text, end)
            except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError) as error:
                raise Malformed(f"{self.path}: the directory of append {number} at byte {piece.address} is damaged: {error}",
                                path=self.path, offset=piece.address) from None
            if directory.number != number:
                raise Malformed(f"{self.path}: the directory at byte {piece.address} is that of append {directory.number}, expected "
                                f"{number}", path=self.path, offset=piece.address, expected=str(number), found=str(directory.number))
            found.append(directory)
            limit, piece, number = piece.address, directory.previous, number - 1
        return found[::-1]

    def text(self, piece, limit, what):
        """A compressed text of the file, compared with its sum."""
        if piece.address + piece.bytes > limit:
            raise Malformed(f"{self.path}: {what} is at bytes {piece.address} to {piece.address + piece.bytes}, expected below {limit}",
                            path=self.path, offset=piece.address)
        data = self.read(piece.address, piece.bytes)
        if zlib.crc32(data) != piece.sum:
            raise Malformed(f"{self.path}: {what} at byte {piece.address} is damaged: its CRC-32 is {zlib.crc32(data):08x}, expected "
                            f"{piece.sum:08x}; or another program rewrote the file (h5repack): restore it", path=self.path,
                            offset=piece.address, expected=f"{piece.sum:08x}", found=f"{zlib.crc32(data):08x}")
        inflate = zlib.decompressobj()
        try:
            text = inflate.decompress(data, most_text(len(data)))
        except zlib.error as error:
            raise Malformed(f"{self.path}: {what} at byte {piece.address} cannot be decompressed: {error}", path=self.path,
                            offset=piece.address) from None
        if not inflate.eof:
            raise Malformed(f"{self.path}: {what} at byte {piece.address} is cut, or has more than {most_text(len(data))} bytes", path=self.path,
                            offset=piece.address)
        return text

    # Appending

    def commit(self, added, arrays, sums, series):
        """Appends: `added` is a :class:`Directory` whose addresses are 0, `arrays` and `sums` are those of its blocks, `series` the
        text of the new correlators or None. When this returns, everything is in the file; when it raises, nothing."""
        self.require_open()
        if self.mode == "r":
            raise WrongState(f"{self.path}: opened for reading; open it with mode 'a' to append", path=self.path)
        self._require_unchanged()
        if self._is_foreign:
            raise Malformed(f"{self.path}: a program other than Limequat has written to this store, and an append would lose what it "
                            "added; copy the correlators to a separate store: select().copy(PATH)", path=self.path)
        writes, end, superblock, directory, piece = self._planned(added, arrays, sums, series)
        is_done = False
        try:
            with self._translated("append to"):
                for address, data in writes:
                    _write_all(self.descriptor, data, address)
                if self.sync:
                    os.fsync(self.descriptor)
                os.pwrite(self.descriptor, superblock, 0)  # the append is complete from here on
                is_done = True
                if self.sync:
                    os.fsync(self.descriptor)
        except BaseException:
            if not is_done and self._current_superblock() == self._superblock:
                with contextlib.suppress(OSError):
                    os.ftruncate(self.descriptor, self.end)
            raise
        self.end, self._superblock, self._head = end, superblock, (directory.number + 1, piece)
        self.directories.append(directory)

    def _current_superblock(self):
        with contextlib.suppress(OSError):
            return os.pread(self.descriptor, hdf5_bytes.SUPERBLOCK_BYTES, 0)
        return None

    def _require_unchanged(self):
        if not self._has_the_name():
            raise IoError(f"{self.path}: the name now refers to another file; open the store again", path=self.path)
        if self._current_superblock() != self._superblock:
            raise IoError(f"{self.path}: another program wrote to this store, although it is open for appending here; open it again",
                          path=self.path)

    def _planned(self, added, arrays, sums, series):
        """Everything that is written, with its place: [(address, bytes)], the new end, superblock, directory and its Piece."""
        writes, links, at = [], [], -(-self.end // 8) * 8

        def place(data):
            nonlocal at
            address, size = at, memoryview(data).nbytes
            writes.append((address, data))
            at = -(-(at + size) // 8) * 8
            return address

        def link(name, dtype, shape, address):
            links.append((name, place(hdf5_bytes.dataset(dtype, shape, address))))

        blocks = []
        for index, (block, array, crcs) in enumerate(zip(added.blocks, arrays, sums)):
            placed = block._replace(numbers=place(_bytes_of(array)), sums=place(_bytes_of(crcs)))
            blocks.append(placed)
            link(f"numbers_{index}", array.dtype, array.shape, placed.numbers)
            link(f"sums_{index}", crcs.dtype, crcs.shape, placed.sums)
        table = None
        if series is not None:
            packed = _compressed(series)
            table = Piece(place(packed), len(packed), zlib.crc32(packed))
            link("correlators", "|u1", (len(packed),), table.address)
        number = added.number
        name = f"{number % _IN_FOLDER:02d}"
        text = [("configuration", correlator_labels.to_json(added.configuration))]
        group = at
        directory_header = group + len(hdf5_bytes.group([*links, ("directory", 0)], text))
        siblings, folders = self._links_of(number)
        folder = directory_header + len(hdf5_bytes.dataset("|u1", (0,), 0))
        directory_at = folder + len(hdf5_bytes.group([*siblings, (name, 0)]))
        directory = added._replace(blocks=blocks, series=table, group=group, folder=folder, previous=self._head[1])
        packed = _compressed(directory_text(directory))
        headers = (hdf5_bytes.group([*links, ("directory", directory_header)], text)
                   + hdf5_bytes.dataset("|u1", (len(packed),), directory_at) + hdf5_bytes.group([*siblings, (name, group)]))
        piece = Piece(place(headers + packed) + len(headers), len(packed), zlib.crc32(packed))
        top = place(hdf5_bytes.group([*folders, (f"{number // _IN_FOLDER:06d}", folder)]))
        size = len(_root([("appends", top)], 0, piece, 0))
        end = -(-(at + size) // 8) * 8
        root = place(_root([("appends", top)], number + 1, piece, end))
        writes.append((at, b""))
        return _merged(writes), at, hdf5_bytes.superblock(at, root), directory, piece

    def _links_of(self, number):
        """Links of the folder of an append to those before it, and of the top to folders that are full."""
        first = number - number % _IN_FOLDER
        siblings = [(f"{d.number % _IN_FOLDER:02d}", d.group) for d in self.directories[first:number]]
        folders = [(f"{d.number // _IN_FOLDER:06d}", d.folder) for d in self.directories[_IN_FOLDER - 1:first:_IN_FOLDER]]
        return siblings, folders

    @contextlib.contextmanager
    def _translated(self, what):
        """Translates errors of the system to those of the package."""
        try:
            yield
        except OSError as error:
            if isinstance(error, Error):
                raise
            kind = publishing.kind_of(error)
            hint = "; nothing of it is in the store" if what == "append to" else ""
            raise kind(f"{self.path}: cannot {what} this store: {os.strerror(error.errno or 0)}{hint}", path=self.path,
                       errno=error.errno) from None


def _root(links, count, piece, end):
    """The root group with the head of the store."""
    return hdf5_bytes.group(links, [(ATTRIBUTE, np.array([VERSION, count, *piece, end], "<u8"))])


def _compressed(text):
    packed = zlib.compress(text, 6)
    return packed if len(text) <= most_text(len(packed)) else zlib.compress(text, 0)


def _write_all(descriptor, data, address):
    data = memoryview(data).cast("B") if not isinstance(data, bytes) else memoryview(data)
    while data:
        written = os.pwrite(descriptor, data[:1 << 30], address)
        data, address = data[written:], address + written


def _bytes_of(array):
    return memoryview(np.ascontiguousarray(array)).cast("B")


def _merged(writes):
    """The same with small neighbours in one write, zeros between them; the last one ends the file."""
    merged, held, start = [], bytearray(), 0
    for address, data in writes:
        size = memoryview(data).nbytes
        if held:
            held += bytes(address - start - len(held))
            if len(held) + size >= _MERGED:
                merged.append((start, held))
                held = bytearray()
        if size >= _MERGED:
            merged.append((address, data))
        else:
            start = start if held else address
            held += data
    return merged + ([(start, held)] if held else [])
