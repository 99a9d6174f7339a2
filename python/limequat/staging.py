# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Copies files between folders and file systems, checksummed in transit."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, Iterable, Optional, Union

from limequat import fetching, manifests
from limequat._library import call, path_bytes, take_text, target_bytes
from limequat.answers import parse
from limequat.communicators import agreed, group_of
from limequat.errors import ChecksumError, InvalidArgument, Unsupported
from limequat.options import Options, takes
from limequat.sources import is_elsewhere
from limequat.unpacking import require_unpacking

if TYPE_CHECKING:
    from limequat.annotations import Comm, Path, Target
    from limequat.answers import Answer
    from limequat.grid import Grid
    from limequat.option_types import CopyOptions, Unpack


@takes("CopyOptions", verb="copy")
def copy(sources: Union[Path, Iterable[Path]], target: Target, *, comm: Optional[Comm] = None, manifest: Optional[str] = None,
         **options: "Unpack[CopyOptions]") -> Answer:
    """Copies files, checksummed in transit; a multifile is copied with all its physical files.

    {options}

    manifest    "md5", "sha1", "sha256" or "sha512": afterwards the folder of the copies has ``manifest-NAME.txt``. One that was copied
                with its folder (of a bag, for example) is compared with the copies, otherwise it is written, with overwrite in
                place of an existing one; lattice files are verified in the same pass. ``manifest`` of the answer is its path

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
    if manifest is not None:
        with agreed(group):
            folder = _folder_of_copies(named, target, manifest)
    if any(map(fetching.is_copied_here, named)):
        if group is not None and group.size > 1:
            raise Unsupported("files of URLs and file objects are copied by one process, without comm=")
        answer = fetching.copy_from(named, target, _copy, options)
    else:
        require_unpacking()
        answer = _copy(named, target, options, group)
    if manifest is not None and not options.get("dry_run"):
        with agreed(group):
            if group is None or group.rank == 0:
                _sum(named, folder, manifest, bool(options.get("overwrite")))
        answer["manifest"] = os.path.join(folder, f"manifest-{manifest}.txt")
    return answer


def _folder_of_copies(named, target, algorithm):
    """Where files of a manifest are: in the copy of a single folder, otherwise in the target."""
    manifests.require_algorithm(algorithm)
    target = os.fsdecode(target)
    is_into, folders = target.endswith(os.sep) or os.path.isdir(target), [os.fsdecode(one) for one in named if _is_folder(one)]
    is_of_folder = len(named) == 1 and len(folders) == 1
    if len(named) == 1 and not is_into and not is_of_folder:
        raise InvalidArgument(f"{target}: manifest= needs a folder as the target; add a slash to make it one", path=target)
    return os.path.join(target, os.path.basename(os.path.normpath(folders[0]))) if is_of_folder and is_into else target


def _is_folder(source):
    return isinstance(source, (str, bytes, os.PathLike)) and os.path.isdir(source)


def _sum(named, folder, algorithm, overwrite):
    name = f"manifest-{algorithm}.txt"
    if len(named) != 1 or not _is_folder(named[0]) or not os.path.exists(os.path.join(os.fsdecode(named[0]), name)):
        manifests.manifest(folder, algorithm=algorithm, overwrite=overwrite)
        return
    path = os.path.join(folder, name)
    answer = manifests.check_manifest(path, algorithm=algorithm)
    if not answer:
        wrong = [f"{kind}: {one}" for kind in ("changed", "missing", "unreadable", "damaged", "added") for one in answer[kind]]
        raise ChecksumError(f"{path}: the copies disagree with the manifest: {'; '.join(wrong[:3])} ({len(wrong)} in all); copy them again, "
                            "or use another source", path=path)


def _copy(sources, target, options, group=None):
    text = ctypes.c_void_p()
    with agreed(group):
        paths = [path_bytes(one) for one in sources]
        target, how = target_bytes(target), Options("CopyOptions", options).over(group)
    call("lq_copy", (ctypes.c_char_p * len(paths))(*paths), len(paths), target, how, ctypes.byref(text))
    return parse(take_text(text))
