# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Bytes that are not in a file of the file system: Python file objects and URLs, under a path that all readers accept."""

import contextlib
import ctypes
import datetime
import hashlib
import io
import itertools
import operator
import os
import posixpath
import re
import threading
import urllib.parse
import weakref

from limequat import packed, signals, structs
from limequat._library import Handle, addresses, answer, keep_cause
from limequat.errors import Error, InvalidArgument, IoError, NoPermission, NotFound, WrongState
from limequat.needs import needed

_URL = re.compile(r"[a-z][a-z0-9+.\-]*(::[a-z][a-z0-9+.\-]*)*://", re.IGNORECASE)
_COMPRESSED = re.compile(r"\.(gz|xz|bz2|zst|lzma)$", re.IGNORECASE)

# What fsspec needs in addition, by scheme.
_PACKAGES = {"root": "fsspec-xrootd", "s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs", "sftp": "paramiko",
             "ssh": "paramiko", "hdfs": "pyarrow", "gdrive": "gdrive-fsspec", "oci": "ocifs"}

_numbers = itertools.count(1)
# By number, which the library hands back; an address of Python might be another object's by then.
_readers: "weakref.WeakValueDictionary[int, Source]" = weakref.WeakValueDictionary()
_TYPES = dict(structs.ReadCallbacks._fields_)


class Source(Handle, os.PathLike):
    """A file object or a URL that can be read like a path: by :func:`limequat.read`, open, verify, info, convert (from), ...

        >>> with fsspec.open("s3://bucket/conf.ildg") as file:
        ...     u = lq.read(file)                         # a single call makes it automatically
        >>> source = lq.Source("https://example.org/conf.ildg")
        >>> lq.open(source).fields["gauge"][4:5]          # asks the server for one time slice

    file           a Python object with read(), seek() and tell() that returns bytes (io, fsspec, gzip, obstore, XRootD,
                   ...), and is not read elsewhere at the same time; or a URL: http, https and WebDAV (dav, davs, webdav,
                   webdavs) with Python alone, file, and the addresses of fsspec if it is installed ("s3://...", "root://...")
    name           its name in messages, whose suffix helps to recognise the format; by default the name of the object or
                   the URL, without .gz and similar suffixes
    request_bytes  preferred size of one read, if that many bytes are needed: for a file object its attribute of this
                   name, otherwise any size
    size           of the file, in bytes
    requests       number of reads that the library has made so far, and
    bytes_read     the bytes that they returned

    With several ranks, each creates one for the same bytes, all in the same order. Objects that cannot seek are refused:
    read all of it first, lq.read(io.BytesIO(file.read())). Nothing can be written to a source. Raises InvalidArgument (no such
    object, a text file), NotFound, IoError; ImportError if a URL needs fsspec.
    """

    def __init__(self, file, name=None, request_bytes=None):
        address = shown(file) if isinstance(file, str) else getattr(file, "address", None)
        self._secrets = secrets_of(file) if isinstance(file, str) else getattr(file, "secrets", ())
        self._is_mine = address is not None
        self._file = open_url(file) if isinstance(file, str) else file
        self._lock = threading.Lock()
        self.requests = self.bytes_read = 0
        self._text = None
        try:
            self.size = size_of(self._file, shown(file))
            if request_bytes is None:
                request_bytes = getattr(self._file, "request_bytes", 0)
            if name is not None and (not isinstance(name, str) or not name or "/" in name or "\0" in name):
                raise InvalidArgument(f"name is {name!r}, expected the name of a file without its folder")
            self._number = next(_numbers)
            _readers[self._number] = self
            try:
                self._create(address if self._is_mine and name is None else name or _name_of(file), request_bytes)
            except WrongState:  # another source has this address at the moment
                self._create(_name_of(file), request_bytes)
        except BaseException:
            self.free()
            raise
        self._path = os.fsdecode(answer("lq_callback_file_path", self))
        if self._is_mine and name is None and self._path != address:
            addresses[self._path] = address

    def _create(self, name, request_bytes):
        # The functions are kept alive by this module.
        table = structs.ReadCallbacks(ctypes.sizeof(structs.ReadCallbacks), self.size, os.fsencode(name),
                                      modified_of(self._file), request_bytes, 0, _read_at, _failure, _TYPES["free"](),
                                      self._number)
        super().__init__("lq_callback_file_free", "lq_callback_file_create", ctypes.byref(table))

    file = property(lambda self: self._file, doc="the object that is read, or None")

    def __fspath__(self):
        return self._path

    def __repr__(self):
        return f"<limequat.Source {self._path}>"

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.free()

    def free(self):
        """Releases the object; a URL is closed. Files opened from it can no longer be read."""
        if self._as_parameter_:
            super().free()
        if getattr(self, "_number", None) is not None:
            _readers.pop(self._number, None)
            addresses.pop(getattr(self, "_path", None), None)
        file, self._file = getattr(self, "_file", None), None
        if file is not None and self._is_mine:
            with contextlib.suppress(Exception):
                file.close()

    close = free

    def _read(self, offset, address, count):
        """Fills memory from an offset on; returns the number of bytes read."""
        with self._lock:
            if self._file is None:
                raise ValueError("the source was closed")
            self._file.seek(offset)
            done = 0
            # A view copies blocks; an array of ctypes would be assigned byte by byte.
            target = memoryview((ctypes.c_ubyte * count).from_address(address)).cast("B")
            for data in pieces_of(self._file, count):
                target[done:done + len(data)] = data
                done += len(data)
            self.requests += 1
            self.bytes_read += done
            return done


@_TYPES["read_at"]
def _read_at(number, offset, address, count):
    source = _readers.get(number)
    try:
        if source is None:
            raise ValueError("the source was closed")
        with signals.deferred.ended_by_signals():
            return source._read(offset, address, count)
    except signals.SignalArrived:
        return -1
    except BaseException as error:
        found = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
        words = without_secrets(found, () if source is None else source._secrets)
        if words == found or not isinstance(error, Exception):
            keep_cause(error)
        if source is not None:
            source._text = ctypes.create_string_buffer(words.replace("\0", " ").encode("utf-8", "replace"))
        return -(getattr(error, "errno", None) or 1) if isinstance(error, OSError) else -1


@_TYPES["failure"]
def _failure(number):
    source = _readers.get(number)
    return ctypes.addressof(source._text) if source is not None and source._text is not None else None


class _HeldText(str):
    """The path of a source, which keeps the source alive."""

    source = None


def is_url(path):
    """True if a text is an address, and no file of that name exists here."""
    return isinstance(path, str) and not isinstance(path, _HeldText) and _URL.match(path) is not None and not os.path.exists(path)


def is_elsewhere(path):
    """True for a file object or an address."""
    return is_url(path) or not isinstance(path, (str, bytes, os.PathLike)) and hasattr(path, "read")


def parts_of(url, of_server=False):
    """The parts of a URL, ``of_server`` of one that names a host. Raises InvalidArgument if it is none, and does not say what it
    contains: the part with the password may be the wrong one."""
    try:
        parts = urllib.parse.urlsplit(url)
        is_good = url.isprintable() and not (of_server and (parts.port, re.search(r"[\s\\]", parts.netloc))[1])
    except ValueError:
        is_good = False
    if not is_good:
        raise InvalidArgument(f"this is no address: {url.partition(':')[0]}://... (with control characters, or without "
                              "[USER:PASSWORD@]HOST[:PORT] after //)")
    return parts


def shown(path):
    """Its name in messages: a URL without user, password and query, which may hold a signature."""
    if not isinstance(path, str):
        return repr(path)
    try:
        parts = urllib.parse.urlsplit(path)
    except ValueError:
        parts = parts_of(path)  # raises
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def secrets_of(url):
    """What no message may show of a URL: user and password, and its query."""
    parts = parts_of(url)
    password = parts.password or ""
    known = (parts.netloc.rpartition("@")[0], parts.query, password, urllib.parse.unquote(password))
    return tuple(sorted(filter(None, set(known)), key=len, reverse=True))


def without_secrets(words, secrets):
    """Words of other libraries, which may quote the whole URL."""
    for secret in secrets:
        words = words.replace(secret, "...")
    return words


def path_of(path):
    """The path for an argument to be read: of a new source for a file object or URL, otherwise the argument itself."""
    if isinstance(path, Source):
        held = _HeldText(os.fspath(path))
        held.source = path
        return held
    if not is_elsewhere(path):
        return path
    if isinstance(path, str) and path.lower().startswith("file://"):
        return _local(path)
    return path_of(Source(opened(path) if isinstance(path, str) else path))


def path_to_read(path):
    """The same for functions that only read: a compressed file, or a member of an archive, also becomes a source."""
    return path_of(Source(packed.opened(path)) if packed.is_packed(path) else path)


def opened(path):
    """A file object with an ``address``, of a URL or a packed file; a compressed file at a URL is decompressed."""
    if packed.is_packed(path):
        return packed.opened(path)
    file = open_url(path)
    name = shown(path)
    file = packed.unpacked(file, name, size_of(file, name)) if packed.is_compressed_name(name) else file
    return file if hasattr(file, "address") else Addressed(file, name)


def source_of(path):
    """The source that a path of :func:`path_of` keeps alive, or None."""
    return path.source if isinstance(path, _HeldText) else None


def open_url(url):
    """A file object that reads a URL."""
    scheme = parts_of(url).scheme.lower()
    if scheme in ("http", "https", "dav", "davs", "webdav", "webdavs"):
        from limequat.urls import HttpFile
        return HttpFile(url)
    if scheme == "file":
        return open(_local(url), "rb")
    address, package = shown(url), _PACKAGES.get(scheme)
    fsspec = needed("fsspec", f"reading {address}", "fsspec" if package is None else f"fsspec and {package}")
    try:
        from limequat.fsspec_files import opened_by
        return opened_by(fsspec, url, address, secrets_of(url))
    except BaseException as error:
        if isinstance(error, Error) or not isinstance(error, Exception):
            raise
        raise _told(error, address, secrets_of(url), package) from None  # its traceback would show the URL


def _told(error, address, secrets, package):
    """An exception of fsspec, or of what it opens files with, as one of ours."""
    words = without_secrets(f"{error}".strip() or type(error).__name__, secrets)
    if isinstance(error, FileNotFoundError) or "no such file" in words.lower():
        return NotFound(f"{address}: there is no such file: {words}", path=address)
    if isinstance(error, PermissionError):
        return NoPermission(f"{address}: the server refuses: {words}; give the credentials that it wants in the way of "
                            f"{package or 'its package of fsspec'}", path=address)
    if isinstance(error, (ImportError, ValueError)):
        remedy = f": pip install {package}" if package is not None and isinstance(error, ImportError) else ""
        return InvalidArgument(f"{address}: fsspec cannot open it: {words}{remedy}", path=address)
    return IoError(f"{address}: cannot open: {type(error).__name__}: {words}", path=address)


class Addressed:
    """A file object and its name in messages."""

    def __init__(self, file, address, secrets=()):
        self._file, self.address, self.secrets = file, address, secrets

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._file.close()


def _local(url):
    parts = urllib.parse.urlsplit(url)
    if parts.netloc not in ("", "localhost"):
        raise InvalidArgument(f"{url}: a file on another machine, {parts.netloc}; give an address by which it can be reached (https://, root://)")
    from urllib.request import url2pathname  # which loads a client of HTTP
    return url2pathname(parts.path)


def pieces_of(file, count):
    """The next ``count`` bytes of a file object, or fewer at its end, in the pieces that it returns."""
    while count > 0:
        data = file.read(count)
        data = memoryview(b"" if data is None else data)  # objects return whatever has bytes: bytearray, arrays
        if data.nbytes == 0:
            return
        if data.nbytes > count:
            raise ValueError(f"read({count}) returned {data.nbytes} bytes")
        count -= data.nbytes
        yield data.cast("B")


def number_of(version):
    """A number that serves as the time of a file of which only a text tells the version, such as an ETag; 0 for none."""
    return int.from_bytes(hashlib.blake2b(version.encode("utf-8", "replace"), digest_size=8).digest(), "little") >> 1 if version else 0


def modified_of(file):
    """The modification time of a file object in nanoseconds since 1970, or a number that represents it; 0: not known."""
    modified = getattr(file, "modified", 0)
    if isinstance(modified, datetime.datetime):
        return int(modified.timestamp() * 1e9)
    return modified if isinstance(modified, int) else 0


def size_of(file, name):
    """The number of bytes of a file object; refuses objects that cannot seek."""
    if isinstance(file, io.TextIOBase):
        raise InvalidArgument(f"{name} is a text file: open it in binary mode, \"rb\"")
    if getattr(file, "closed", False) is True:
        raise InvalidArgument(f"{name} is closed: open it again")
    missing = [name for name in ("read", "seek", "tell") if not callable(getattr(file, name, None))]
    if missing:
        raise InvalidArgument(f"{name} has no {missing[0]}(), expected a path, a URL or a binary file object")
    if not _can(file, "readable"):
        raise InvalidArgument(f"{name} was not opened for reading")
    if not _can(file, "seekable"):
        raise InvalidArgument(f"{name} cannot seek, which reading a part of a file needs: read it whole first, "
                              "io.BytesIO(file.read())")
    file.seek(0, os.SEEK_END)
    told = file.tell()
    try:
        size = operator.index(told)
    except TypeError:
        size = -1
    if size < 0:
        raise InvalidArgument(f"{name}: tell() returned {told!r}, expected the number of bytes")
    return size


def _can(file, name):
    """What a file object says of itself: readable, seekable. One that cannot say so (a member of a tar archive that is read as a
    stream) cannot do it."""
    try:
        return getattr(file, name, lambda: True)()
    except AttributeError:
        return False


def _name_of(file):
    """A name for the file of an object or a URL."""
    if isinstance(file, str):
        name = posixpath.basename(urllib.parse.unquote(urllib.parse.urlsplit(file).path))
    else:
        given = getattr(file, "address", None) or getattr(file, "name", None) or getattr(file, "path", None) or getattr(file, "full_name", None)
        name = posixpath.basename(os.fsdecode(given)) if isinstance(given, (str, bytes, os.PathLike)) else ""
    name = _COMPRESSED.sub("", name.replace("\0", "").replace("/", ""))
    return name or "file"
