# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""File systems: their known properties, and calls that do not return."""

from __future__ import annotations

import atexit
import os
import threading
from typing import TYPE_CHECKING, Callable, NamedTuple, Optional

from limequat import structs
from limequat._library import call, path_bytes, text_from
from limequat.answers import parse

if TYPE_CHECKING:
    from limequat.annotations import Path
    from limequat.answers import Answer


def file_system_of(path: Path) -> Answer:
    """The known properties of the file system of a path: ``file_system`` (its kind), ``block_bytes``, ``stripe_bytes``,
    ``stripe_count``, ``targets``, ``coherent``, ``locks``, ``free_bytes``, ...; None: not reported.

    Raises NotFound, NoPermission, IoError.
    """
    return parse(text_from("lq_file_system_of", path_bytes(path)))


class Stall(NamedTuple):
    """A call of the file system that has not returned; ``str()`` of it is a sentence."""

    call: str       # "write", "read", "sync", "open", "rename", ...
    path: str       # of a file that is not complete, its temporary name
    offset: int
    bytes: int      # 0: the call moves none
    seconds: float  # that it has taken so far
    sentence: str

    def __str__(self):
        return self.sentence


_watching = threading.Lock()
_told = structs.StallTell()  # type: ignore[call-overload]  # kept for as long as the library may call it


def watch_stalls(seconds: float, tell: Optional[Callable[[Stall], None]]) -> None:
    """From now on ``tell(stall)`` is called for every file system call of this process that takes longer than ``seconds``, and
    again each time that the waiting time has doubled; on a separate thread. None ends this.

    If the servers of a file system are gone, a call may block indefinitely. The library cannot end such a call, but it can
    report where it waits: ``stall.call``, ``path``, ``offset``, ``bytes``, ``seconds``. Calls that are already in progress
    are not reported. ``tell`` must not call this function. Raises InvalidArgument unless ``seconds`` is positive.
    """
    global _told

    def told(pointer, context):
        stall = pointer.contents
        tell(Stall(stall.call.decode(), os.fsdecode(stall.path), stall.offset, stall.bytes, stall.seconds,
                   os.fsdecode(stall.sentence)))

    following = structs.StallTell() if tell is None else structs.StallTell(told)
    with _watching:
        call("lq_watch_stalls", seconds, following, None)
        _told = following


# An interpreter that has ended must not be called.
atexit.register(watch_stalls, 1, None)
