# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Opens packed files for the library, which looks into those of a folder or a catalogue that should be lattice files."""

import ctypes
import os
import threading
from typing import Any, Dict, Tuple

from limequat import structs
from limequat._library import call
from limequat.errors import Code, Error
from limequat.packed import is_packed, opened
from limequat.sources import Source

_TYPES = dict(structs.Unpacker._fields_)
_lock = threading.Lock()
_given: "Dict[int, Tuple[Any, Any]]" = {}  # texts that the library uses, and the sources of paths, by address
_table: Any = None


def _give(text, source=None):
    held = ctypes.create_string_buffer(text)
    with _lock:
        _given[ctypes.addressof(held)] = held, source
    return ctypes.addressof(held)


@_TYPES["open"]
def _open(_, path, text):
    text[0] = None
    try:
        name = os.fsdecode(ctypes.string_at(path))
        if is_packed(name):
            source = Source(opened(name))
            text[0] = _give(os.fsencode(source), source)
    except BaseException as error:
        text[0] = _give(str(error).replace("\0", " ").encode("utf-8", "surrogateescape"))
        return int(error.code if isinstance(error, Error) else Code.IO)
    return 0


@_TYPES["close"]
def _close(_, text):
    with _lock:
        _, source = _given.pop(text)
    if source is not None:
        source.free()


def require_unpacking():
    """Makes the library judge packed files by their contents."""
    global _table
    if _table is None:
        table = structs.Unpacker(ctypes.sizeof(structs.Unpacker), _open, _close, None)
        call("lq_set_unpacker", ctypes.byref(table))
        _table = table
