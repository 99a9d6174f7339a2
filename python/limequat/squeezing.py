# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Stores files in half of their bytes, and restores them byte for byte."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Optional

from limequat._library import call, path_bytes, reading_bytes, take_text
from limequat.answers import parse
from limequat.communicators import agreed, group_of
from limequat.options import Options, takes

if TYPE_CHECKING:
    from limequat.annotations import Comm, Path, Target
    from limequat.answers import Answer
    from limequat.grid import Grid
    from limequat.option_types import SqueezeOptions, Unpack


def _done(function, source, target, comm, options):
    text, group = ctypes.c_void_p(), group_of(comm)
    with agreed(group):
        source, target, how = reading_bytes(source), path_bytes(target), Options("SqueezeOptions", options).over(group)
    call(function, source, target, how, ctypes.byref(text))
    return parse(take_text(text))


@takes("SqueezeOptions", verb="squeeze")
def squeeze(source: Path, target: Target, *, comm: Optional[Comm] = None, **options: "Unpack[SqueezeOptions]") -> Answer:
    """Makes an archive of a file: links of SU(3) take less than half of their bytes and are restored bit for bit.

    {options}

    comm: a communicator or Grid whose ranks share the work. ``target`` can be read like ``source``, and ``unsqueeze`` restores that byte for byte. Returns a dict: ``format`` of
    the original, ``original_bytes``, ``archive_bytes``, ``squeezed_bytes`` (bytes of the original in tiles),
    ``tiles``, ``seconds``. Raises Exists, NotFound, NoSpace, Unsupported (several files, no contiguous field).
    """
    return _done("lq_squeeze", source, target, comm, options)


@takes("SqueezeOptions", verb="unsqueeze")
def unsqueeze(source: Path, target: Target, *, comm: Optional[Comm] = None, **options: "Unpack[SqueezeOptions]") -> Answer:
    """Restores the original file of an archive, byte for byte.

    {options}

    comm as in :func:`squeeze`. Returns what ``squeeze`` returns. Raises Exists, NotFound, NoSpace, Malformed, Truncated, ChecksumError,
    Unsupported (it is not an archive).
    """
    return _done("lq_unsqueeze", source, target, comm, options)
