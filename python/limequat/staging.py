# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files copied between folders and file systems, checksummed while they move."""

import ctypes
import os
from typing import TYPE_CHECKING

from limequat._library import call, path_bytes, take_text
from limequat.answers import parse
from limequat.communicators import agreed, group_of
from limequat.options import Options, takes

if TYPE_CHECKING:
    from limequat.option_types import CopyOptions, Unpack


@takes("CopyOptions", verb="copy")
def copy(sources, target, *, comm=None, **options: "Unpack[CopyOptions]"):
    """Copies files, with checksums of what moves; a multifile goes with all its physical files.

    {options}

    comm: a communicator or Grid whose ranks share the work. ``sources`` is a path or a list of paths; ``target`` a folder, a name, or ``"NAME:REST"``, which is below the folders
    that the site profile calls NAME. Returns a dict: ``files`` written, ``bytes``, ``moved_bytes`` (the others were there
    from an interrupted copy), ``present_files``, ``seconds``, ``findings``. Raises Exists, NotFound, NoSpace,
    WrongState, ChecksumMismatch, IoError.
    """
    text, group = ctypes.c_void_p(), group_of(comm)
    with agreed(group):
        paths = [path_bytes(one) for one in ([sources] if isinstance(sources, (str, bytes, os.PathLike)) else sources)]
        target, how = path_bytes(target), Options("CopyOptions", options).over(group)
    call("lq_copy", (ctypes.c_char_p * len(paths))(*paths), len(paths), target, how, ctypes.byref(text))
    return parse(take_text(text))
