# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions: each is an :class:`Error` and the built-in exception that Python users expect."""

from __future__ import annotations

import enum
import errno
import os
from typing import Any, Optional



class Code(enum.IntEnum):
    """The numbers of lq_status in limequat.h."""

    OK = 0
    INVALID_ARGUMENT = 10
    RANKS_DISAGREE = 11
    WRONG_STATE = 12
    UNSUPPORTED = 13
    NOT_FOUND = 20
    EXISTS = 21
    NO_PERMISSION = 22
    NO_SPACE = 23
    IO = 24
    UNKNOWN_FORMAT = 30
    MALFORMED = 31
    TRUNCATED = 32
    CHECKSUM_MISMATCH = 33
    NO_SUCH_RECORD = 34
    OUT_OF_MEMORY = 40
    TOO_LARGE = 41
    COMMUNICATION = 50
    INTERNAL = 90


class Error(Exception):
    """Any failure of Limequat; str() is the message, the attributes are the facts.

    code      a :class:`Code`
    path      the file concerned, or None
    record    type of the record or name of the field concerned, or None
    offset    byte in the file, or None
    rank      the rank that failed, or None
    expected  the expected value, or None
    found     the actual value, or None
    errno     the number that the system reported, or its number for this failure; or None

    Subclasses of OSError also have ``filename`` and ``strerror``.
    """

    code = Code.INTERNAL
    sentence: str
    path: Any
    record: Optional[str]
    offset: Optional[int]
    rank: Optional[int]
    expected: Optional[str]
    found: Optional[str]
    errno: Any
    _usual_errno: Optional[int] = None

    def __init__(self, sentence: str = "", *, path: Any = None, record: Optional[str] = None,
                 offset: Optional[int] = None, rank: Optional[int] = None, expected: Optional[str] = None,
                 found: Optional[str] = None, errno: Optional[int] = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.path, self.record, self.offset, self.rank = path, record, offset, rank
        self.expected, self.found, self.errno = expected, found, errno or self._usual_errno
        if isinstance(self, OSError):
            _tell_of_the_system(self, path)

    def __str__(self) -> str:
        return self.sentence

    def __reduce__(self):
        facts = ("path", "record", "offset", "rank", "expected", "found", "errno")
        return _again, (type(self), self.sentence, {name: getattr(self, name) for name in facts})


def _tell_of_the_system(error: OSError, path):
    """The attributes of OSError."""
    error.filename, error.strerror = path, os.strerror(error.errno) if error.errno else ""


def _again(kind, sentence, facts):
    """An Error that comes from another process."""
    return kind(sentence, **facts)


class InvalidArgument(Error, ValueError):
    """An argument is invalid."""

    code = Code.INVALID_ARGUMENT


class RanksDisagree(Error, ValueError):
    """Arguments that must be the same on all ranks differ."""

    code = Code.RANKS_DISAGREE


class WrongState(Error, RuntimeError):
    """A call at the wrong time, for example after closing."""

    code = Code.WRONG_STATE


class Unsupported(Error, NotImplementedError):
    """Something this version cannot do."""

    code = Code.UNSUPPORTED


class NotFound(Error, FileNotFoundError):
    """No such file or folder."""

    code, _usual_errno = Code.NOT_FOUND, errno.ENOENT


class Exists(Error, FileExistsError):
    """A file of that name exists; overwrite=True replaces it."""

    code, _usual_errno = Code.EXISTS, errno.EEXIST


class NoPermission(Error, PermissionError):
    """The system does not allow it."""

    code, _usual_errno = Code.NO_PERMISSION, errno.EACCES


class NoSpace(Error, OSError):
    """The disk or quota is full."""

    code, _usual_errno = Code.NO_SPACE, errno.ENOSPC


class IoError(Error, OSError):
    """Reading or writing failed."""

    code = Code.IO


class UnknownFormat(Error, ValueError):
    """Not a file of any known format."""

    code = Code.UNKNOWN_FORMAT


class Malformed(Error, ValueError):
    """The file breaks the rules of its format."""

    code = Code.MALFORMED


class Truncated(Error, EOFError):
    """The file ends before it should."""

    code = Code.TRUNCATED


class ChecksumError(Error):
    """The data have changed since they were written."""

    code = Code.CHECKSUM_MISMATCH


class NoSuchRecord(Error, KeyError):
    """No record or field of that name."""

    code = Code.NO_SUCH_RECORD


class OutOfMemory(Error, MemoryError):
    """Not enough memory."""

    code = Code.OUT_OF_MEMORY


class TooLarge(Error, OverflowError):
    """Does not fit a format or a limit."""

    code = Code.TOO_LARGE


class CommunicationError(Error, RuntimeError):
    """MPI failed."""

    code = Code.COMMUNICATION


class InternalError(Error, RuntimeError):
    """A bug in Limequat; please report it."""

    code = Code.INTERNAL


BY_CODE = {
    int(kind.code): kind
    for kind in (InvalidArgument, RanksDisagree, WrongState, Unsupported, NotFound, Exists, NoPermission, NoSpace,
                 IoError, UnknownFormat, Malformed, Truncated, ChecksumError, NoSuchRecord, OutOfMemory, TooLarge,
                 CommunicationError, InternalError)
}
