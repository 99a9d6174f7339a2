# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Parity next to files, with which later damage and losses are found and repaired."""

import ctypes
import os
from typing import TYPE_CHECKING, Optional

from limequat._library import call, path_bytes, take_text
from limequat.answers import parse
from limequat.communicators import agreed, group_of
from limequat.options import Options, takes

if TYPE_CHECKING:
    from limequat.annotations import Comm, Paths
    from limequat.answers import Answer
    from limequat.option_types import ProtectOptions, Unpack


@takes("ProtectOptions", verb="protect")
def protect(paths: "Paths", *, comm: "Optional[Comm]" = None, **options: "Unpack[ProtectOptions]") -> "Answer":
    """Writes sidecars with checksums of every block and Reed-Solomon parity next to files, which are not changed.

    {options}

    paths: a path or a sequence of paths, of files or folders. comm: a communicator or Grid whose ranks share the work.
    ``verify`` compares files with their sidecars, and ``repair`` restores what is damaged or lost. Returns a dict:
    ``sidecars`` (paths), ``files`` (dicts of ``path``, ``sidecar``, ``bytes``, ``state``, ``missing``, and ``damaged`` and
    ``lost``, ranges of bytes as dicts of ``offset`` and ``length``), ``bytes`` of the files, ``sidecar_bytes``,
    ``stretch_bytes`` (a damaged stretch of that size in each window of ``window_bytes`` can be restored), ``lost_files`` (number of
    lost files that every sidecar can restore), ``ok`` (with check: all files are intact), ``seconds``, ``findings``. States are "intact",
    "damaged" (can be restored completely), "lost" (only in part), "changed" (rewritten since), "unproven", "unprotected". Raises
    ChecksumError (a file disagrees with its own checksums, or with an older sidecar and nothing proves it: no sidecar is written),
    Truncated, Malformed, Exists, NotFound, NoSpace, InvalidArgument.
    """
    text, group = ctypes.c_void_p(), group_of(comm)
    with agreed(group):
        names = [path_bytes(one) for one in ([paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths)]
        how = Options("ProtectOptions", options).over(group)
    call("lq_protect", (ctypes.c_char_p * len(names))(*names), len(names), how, ctypes.byref(text))
    return parse(take_text(text))
