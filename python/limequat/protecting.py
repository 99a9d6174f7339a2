# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Parity next to files: what is damaged or lost later is found, and comes back."""

import ctypes
import os
from typing import TYPE_CHECKING

from limequat._library import call, path_bytes, take_text
from limequat.answers import parse
from limequat.communicators import agreed, group_of
from limequat.options import Options, takes

if TYPE_CHECKING:
    from limequat.option_types import ProtectOptions, Unpack


@takes("ProtectOptions", verb="protect")
def protect(paths, *, comm=None, **options: "Unpack[ProtectOptions]"):
    """Writes sidecars with sums of every block and Reed-Solomon parity next to files, which stay as they are.

    {options}

    paths: a path or a sequence of paths, of files or folders. comm: a communicator or Grid whose ranks share the work.
    ``verify`` compares files with their sidecars, and ``repair`` restores what is damaged or lost. Returns a dict:
    ``sidecars`` (paths), ``files`` (dicts of ``path``, ``sidecar``, ``bytes``, ``state``, ``missing``, and ``damaged`` and
    ``lost``, ranges of bytes as dicts of ``offset`` and ``length``), ``bytes`` of the files, ``sidecar_bytes``,
    ``stretch_bytes`` (a stretch of so many bytes comes back in each window of ``window_bytes``), ``lost_files`` (so many
    lost files of each sidecar come back), ``ok`` (with check: all files are intact), ``seconds``, ``findings``. States are "intact", "damaged" (all of it comes back), "lost" (not all of
    it does), "changed" (written anew since), "unproven", "unprotected". Raises ChecksumMismatch (a file
    disagrees with its own checksums, or with an older sidecar and nothing proves it: no sidecar is written), Truncated, Malformed, Exists, NotFound, NoSpace, InvalidArgument.
    """
    text, group = ctypes.c_void_p(), group_of(comm)
    with agreed(group):
        names = [path_bytes(one) for one in ([paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths)]
        how = Options("ProtectOptions", options).over(group)
    call("lq_protect", (ctypes.c_char_p * len(names))(*names), len(names), how, ctypes.byref(text))
    return parse(take_text(text))
