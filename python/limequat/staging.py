# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Copies files between folders and file systems, checksummed in transit."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, Iterable, Optional, Union

from limequat import fetching
from limequat._library import call, path_bytes, take_text, target_bytes
from limequat.answers import parse
from limequat.communicators import agreed, group_of
from limequat.errors import Unsupported
from limequat.options import Options, takes
from limequat.sources import is_elsewhere

if TYPE_CHECKING:
    from limequat.annotations import Comm, Path, Target
    from limequat.answers import Answer
    from limequat.grid import Grid
    from limequat.option_types import CopyOptions, Unpack


@takes("CopyOptions", verb="copy")
def copy(sources: Union[Path, Iterable[Path]], target: Target, *, comm: Optional[Comm] = None, **options: "Unpack[CopyOptions]") -> Answer:
    """Copies files, checksummed in transit; a multifile is copied with all its physical files.

    {options}

    comm: a communicator or Grid whose ranks share the work. ``sources`` is a path or a list of paths; ``target`` a folder, a name, or ``"NAME:REST"``, which is below the folders
    that the site profile calls NAME. Returns a dict: ``files`` written, ``bytes``, ``moved_bytes`` (an interrupted copy
    had moved the others), ``present_files``, ``seconds``, ``findings``. Raises Exists, NotFound, NoSpace,
    WrongState, ChecksumError, IoError.

    Sources may also be URLs, binary file objects and members of tar archives (``"ensemble.tar/conf.ildg"``), copied by one process. An
    interrupted copy is resumed if the file on the server is still the same. If the server states a digest (Repr-Digest, Digest,
    Content-MD5, the ETag of an object of S3 in one part), the file gets its name only after its own digest has been compared;
    ``digests`` has these by name.
    """
    is_one = isinstance(sources, (str, bytes, os.PathLike)) or is_elsewhere(sources)
    given: Any = sources
    named = [given] if is_one else list(given)
    group = group_of(comm)
    if any(map(fetching.is_copied_here, named)):
        if group is not None and group.size > 1:
            raise Unsupported("files of URLs and file objects are copied by one process, without comm=")
        return fetching.copy_from(named, target, _copy, options)
    return _copy(named, target, options, group)


def _copy(sources, target, options, group=None):
    text = ctypes.c_void_p()
    with agreed(group):
        paths = [path_bytes(one) for one in sources]
        target, how = target_bytes(target), Options("CopyOptions", options).over(group)
    call("lq_copy", (ctypes.c_char_p * len(paths))(*paths), len(paths), target, how, ctypes.byref(text))
    return parse(take_text(text))
