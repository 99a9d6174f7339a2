# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Compressed files, and members of tar archives, as files that can be read at any place.

A compressed file is decompressed once, to memory or to a file without a name in TMPDIR; a member of an archive that is not
compressed is read in place. Data that would grow to far more than their own size are refused.
"""

import contextlib
import errno
import io
import os
import posixpath
import re
import shutil
import subprocess
import tarfile
import tempfile

from limequat.errors import Error, InvalidArgument, IoError, Malformed, NoSpace, NotFound, TooLarge, Truncated, Unsupported
from limequat.needs import loaded
from limequat.seeking import ReadOnlyFile

_ARCHIVE = re.compile(r"\.(tar|tgz|txz|tbz2|tzst|tar\.(gz|xz|bz2|zst))(?=/|$)", re.IGNORECASE)
_COMPRESSED = re.compile(r"\.(gz|xz|bz2|zst)$", re.IGNORECASE)
_FSSPEC_MEMBER = re.compile(r"tar://(.+)::([^:]+)$")
_MAGICS = ((b"\x1f\x8b", "gz"), (b"\xfd7zXZ\0", "xz"), (b"BZh", "bz2"), (b"\x28\xb5\x2f\xfd", "zst"))
_PIECE = 1 << 20
_KEPT_IN_MEMORY = 64 << 20
_DECODER_MEMORY = 256 << 20  # of xz and zstd, whose headers may ask for gigabytes
_LARGEST_TEXT = 1 << 20      # of a name or of other texts in front of a member
_SMALL, _RATIO = 1 << 30, 200  # larger than that, and more times the compressed size: no lattice field is like this


def archive_and_member(path):
    """(archive, member) of "ensemble.tar/conf.0100.ildg" or "tar://conf.0100.ildg::ensemble.tar", the member empty if not
    given; None if it is not a file of that kind."""
    match = _FSSPEC_MEMBER.match(path)
    if match is not None and os.path.isfile(match[2]):
        return match[2], match[1]
    for match in _ARCHIVE.finditer(path):
        if os.path.isfile(path[:match.end()]):
            return path[:match.end()], path[match.end() + 1:]
    return None


def is_packed(path):
    """True if a path names a compressed file, an archive or a member of one."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        return False
    path = os.fsdecode(path)
    if archive_and_member(path) is not None:
        return True
    if _COMPRESSED.search(path) is None or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return _compression_of(file) is not None


def is_compressed_name(name):
    """True if a URL has the suffix of a compressed file."""
    return _COMPRESSED.search(name) is not None


def opened(path):
    """The file within a packed file, as a seekable binary file object with an ``address``, which messages show.

    Raises NotFound (no such member: names some existing ones), TooLarge (a bomb), Truncated, Malformed, Unsupported, NoSpace.
    """
    path = os.fsdecode(path)
    found = archive_and_member(path)
    if found is None:
        return unpacked(_open(path), path, os.path.getsize(path))
    archive, member = found
    file = _open(archive)
    try:
        inner = _member_of(file, archive, member)
    except BaseException:
        file.close()
        raise
    inner.address = f"tar://{archive}/{member}"
    return inner


def unpacked(file, name, size):
    """The contents of an open compressed file of the given size; the file itself if it is not compressed."""
    kind = _compression_of(file)
    if kind is None:
        file.seek(0)
        return file
    with contextlib.closing(file):
        room = _spooled(_stream(file, kind, name, size), name)
        room.modified = getattr(file, "modified", 0) or _modified(file)
    room.address = f"{kind}://{_COMPRESSED.sub('', name.partition('://')[2] or name)}"
    return room


def _open(path):
    try:
        return open(path, "rb")
    except OSError as error:
        from limequat.publishing import kind_of
        raise kind_of(error)(f"{path}: cannot open for reading: {error.strerror}", path=path) from error


def _modified(file):
    with contextlib.suppress(OSError, io.UnsupportedOperation, AttributeError):
        return os.fstat(file.fileno()).st_mtime_ns
    return 0


def _compression_of(file):
    file.seek(0)
    start = file.read(6)
    file.seek(0)
    return next((kind for magic, kind in _MAGICS if start.startswith(magic)), None)


class _Stream(io.RawIOBase):
    """The output of a decoder, in order; its errors become those of the package, and a bomb is an error."""

    def __init__(self, decoder, name, size):
        self._decoder, self._name, self._size, self._given = decoder, name, size, 0

    def readable(self):
        return True

    def read(self, count=-1):
        try:
            data = self._decoder.read(_PIECE if count is None or count < 0 else min(count, _PIECE))
        except Error:
            raise
        except EOFError:
            raise Truncated(f"{self._name}: the compressed data end early: the file is truncated; fetch it again", path=self._name) from None
        except OSError as error:
            if error.errno:
                raise IoError(f"{self._name}: cannot read: {error.strerror}", path=self._name, errno=error.errno) from error
            raise self._damaged(error) from error
        except Exception as error:  # each decoder has its own kind: zlib.error, LZMAError, ZstdError
            raise self._damaged(error) from error
        self._given += len(data)
        if self._given > _SMALL and self._given > _RATIO * self._size:
            raise TooLarge(f"{self._name}: its {self._size} bytes become more than {_RATIO} times as many, unlike any lattice field; if "
                           "you trust it, decompress it by hand", path=self._name)
        return data

    def _damaged(self, error):
        return Malformed(f"{self._name}: the compressed data are damaged ({error}); fetch the file again", path=self._name)


def _stream(file, kind, name, size):
    if kind == "gz":
        import gzip
        decoder = gzip.GzipFile(fileobj=file, mode="rb")
    elif kind == "bz2":
        import bz2
        decoder = bz2.BZ2File(file)
    elif kind == "xz":
        decoder = _Xz(file)
    else:
        decoder = _zstd(file, name)
    return _Stream(decoder, name, size)


class _Xz:
    """A decoder of one xz stream after another, of limited memory."""

    def __init__(self, file):
        import lzma
        self._file, self._new = file, lambda: lzma.LZMADecompressor(memlimit=_DECODER_MEMORY)
        self._decoder, self._rest = self._new(), b""

    def read(self, count):
        while True:
            if self._decoder.eof:
                rest = (self._decoder.unused_data or self._file.read(_PIECE)).lstrip(b"\0")
                if not rest:
                    return b""
                self._decoder, self._rest = self._new(), rest
            if self._decoder.needs_input and not self._rest:
                self._rest = self._file.read(_PIECE)
                if not self._rest:
                    raise EOFError
            data, self._rest = self._decoder.decompress(self._rest, count), b""
            if data:
                return data


def _zstd(file, name):
    """A decoder of zstd: of Python from 3.14 on, of a package, or the program."""
    for module in ("compression.zstd", "backports.zstd"):
        with contextlib.suppress(ImportError):
            library = loaded(module)
            return library.ZstdFile(file, options={library.DecompressionParameter.window_log_max: _DECODER_MEMORY.bit_length() - 1})
    with contextlib.suppress(ImportError):
        zstandard = loaded("zstandard")
        return zstandard.ZstdDecompressor(max_window_size=_DECODER_MEMORY).stream_reader(file, read_across_frames=True)
    program = shutil.which("zstd")
    if program is None:
        raise Unsupported(f"{name}: it is compressed by zstd, which needs the package zstandard (pip install zstandard) or the program "
                          "zstd", path=name)
    return _Program([program, "-dcq", f"--memory={_DECODER_MEMORY}"], file)


class _Program:
    """The output of a program that reads a file as its standard input."""

    def __init__(self, words, file):
        with contextlib.ExitStack() as stack:
            try:
                source = file.fileno()
                os.lseek(source, 0, os.SEEK_SET)
            except (OSError, AttributeError, io.UnsupportedOperation):
                copy = stack.enter_context(tempfile.TemporaryFile())
                shutil.copyfileobj(file, copy, _PIECE)
                copy.seek(0)
                source = copy
            self._process = subprocess.Popen(words, stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def read(self, count):
        data = self._process.stdout.read(count)
        if data:
            return data
        words = self._process.stderr.read().decode("utf-8", "replace").strip()
        if self._process.wait() != 0:
            if "unexpected end" in words.lower() or "premature end" in words.lower():
                raise EOFError
            raise ValueError(words or f"zstd ended with {self._process.returncode}")
        return b""

    def __del__(self):
        with contextlib.suppress(Exception):
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()
            self._process.stderr.close()


def _spooled(stream, name):
    """The whole output of a stream, in memory or in a file without a name."""
    room = tempfile.SpooledTemporaryFile(max_size=_KEPT_IN_MEMORY)
    try:
        shutil.copyfileobj(stream, room, _PIECE)
        room.seek(0)
    except OSError as error:
        room.close()
        if isinstance(error, Error) or error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise NoSpace(f"{name}: no space in {tempfile.gettempdir()} for the decompressed file: {error.strerror} (TMPDIR names another folder "
                      "for temporary files)", path=name) from error
    except BaseException:
        room.close()
        raise
    return room


class _Part(ReadOnlyFile):
    """A part of a file."""

    def __init__(self, file, begin, size):
        self._file, self._begin, self._size = file, begin, size

    def _read(self, begin, end):
        self._file.seek(self._begin + begin)
        return self._file.read(end - begin)

    def close(self):
        self._file.close()
        super().close()


class _Header(tarfile.TarInfo):
    """A header that limits the memory for texts before a member."""

    @classmethod
    def frombuf(cls, buf, encoding, errors):
        header = super().frombuf(buf, encoding, errors)
        if header.type in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME,
                           tarfile.GNUTYPE_LONGLINK) and header.size > _LARGEST_TEXT:
            raise TooLarge(f"a name or text of {header.size} bytes in front of a member; unpack it with tar if you trust it")
        return header


def _member_of(file, archive, member):
    """A member of an open archive; if a name repeats, the last one, as tar extracts it."""
    size, kind = os.fstat(file.fileno()).st_size, _compression_of(file)
    stream = None if kind is None else _stream(file, kind, archive, size)
    wanted, found, names, count = posixpath.normpath(member), None, [], 0
    try:
        with tarfile.open(fileobj=file if stream is None else stream, mode="r:" if stream is None else "r|", tarinfo=_Header) as tar:
            for one in tar:
                count += one.isreg()
                if len(names) < 8 and one.isreg():
                    names.append(one.name)
                if member and posixpath.normpath(one.name) == wanted:
                    _require_plain(one, archive)
                    found = one if stream is None else _taken(tar, one, archive)
                tar.members = []  # of a million members none is kept
        while stream is not None and stream.read(_PIECE):
            pass  # up to the sum at its end
    except TooLarge as error:
        raise TooLarge(f"{archive}: {error}" if error.path is None else error.sentence, path=archive) from None
    except Error:
        raise
    except (tarfile.TarError, ValueError) as error:
        if isinstance(found, tarfile.TarInfo):
            _part_of(file, found, archive, size)  # Truncated, if this is the one that is cut
        raise Malformed(f"{archive}: the file is not a tar archive, or a damaged one: {error}; tar tvf shows how far it can be read",
                        path=archive) from error
    if found is None:
        listed = ", ".join(names) + (", ..." if count > len(names) else "")
        raise NotFound(f"{archive}: " + (f"there is no \"{member}\" in it" if member else "this is a tar archive") +
                       (f"; it holds {listed}: name one as {archive}/{names[0]}" if names else "; it contains no file"), path=archive,
                       found=listed)
    return found if stream is not None else _part_of(file, found, archive, size)


def _require_plain(one, archive):
    if one.issparse():
        raise Unsupported(f"{archive}: \"{one.name}\" is stored with holes; unpack it with tar", path=archive, record=one.name)
    if not one.isreg():
        what = "a folder" if one.isdir() else "a link to " + repr(one.linkname) if one.issym() or one.islnk() else "no regular file"
        raise InvalidArgument(f"{archive}: \"{one.name}\" is {what}; name a file", path=archive, record=one.name)


def _taken(tar, one, archive):
    room = _spooled(tar.extractfile(one), archive)  # ReadError where the archive ends early
    room.modified = int(one.mtime * 1e9)
    return room


def _part_of(file, one, archive, size):
    if one.offset_data + one.size > size:
        raise Truncated(f"{archive}: it ends within \"{one.name}\": {size} bytes, expected {one.offset_data + one.size}",
                        path=archive, record=one.name)
    part = _Part(file, one.offset_data, one.size)
    part.modified = int(one.mtime * 1e9)
    return part
