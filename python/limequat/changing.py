# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Changes texts and names of fields by writing a new file with the same numbers."""

import argparse
import contextlib
import errno
import fcntl
import json
import os
import re
import struct
import sys
from typing import Mapping, Optional, Union
from xml.sax.saxutils import escape

from limequat._library import path_bytes
from limequat.answers import Answer
from limequat.errors import ChecksumError, Error, Exists, InvalidArgument, IoError, Unsupported
from limequat.manifests import exit_code_of
from limequat.options import metadata_texts
from limequat.publishing import kind_of, publish, require_regular, sync_folder, temporary_name
from limequat.questions import convert, diff, info, verify
from limequat.remedies import in_arguments

_Path = Union[str, "os.PathLike[str]"]
_DEDUPE = 0xC0189436  # FIDEDUPERANGE of Linux
_PIECE = 16 << 20  # what file systems share in one call


def set_metadata(path: _Path, metadata: Optional[Mapping[str, object]] = None, *, name: Optional[str] = None,
                 output: Optional[_Path] = None, overwrite: bool = False, allow_loss: bool = False,
                 accept_damage: bool = False) -> Answer:
    """Changes texts of a file, or the name of its field: writes a new file of the same format with the same numbers.

        >>> lq.set_metadata("conf.0010.ildg", {"beta": 6.1, "ildg-data-lfn": "lfn://run/conf.0010"})

    metadata    facts by name, as in ``xlf-info``: existing ones are replaced, others are added; or whole texts by the names
                of their records
    name        of the field
    output      the new file; by default it replaces the old one when it is complete
    overwrite   replace an existing output
    allow_loss, accept_damage  as in :func:`convert`

    Every number is compared with the old file, and with the checksums of both, before the new file gets its name. If the
    file system can share data of files (Btrfs, XFS), both files share their data; otherwise the data are copied.
    Returns a dict: ``path``, ``format``, ``bytes``, ``shared`` (bytes that are on the disk once). Raises InvalidArgument (also of texts that
    contradict the data of an intact file, such as another plaquette), Unsupported (several files, a layout that would not stay,
    or a text that the format cannot store), ChecksumError (the file is damaged), and what :func:`convert` raises.
    """
    if not metadata and name is None:
        raise InvalidArgument("nothing to change: metadata or name is missing")
    texts = metadata_texts(metadata)
    source = os.fsdecode(path_bytes(path))
    target = os.path.realpath(source) if output is None else os.fsdecode(path_bytes(output))
    known = info(source)
    _require_one_file(source, known)
    texts = _with_stated_physics(texts, known)
    if output is not None and os.path.lexists(target) and not overwrite:
        raise Exists(f"{target}: there is a file of this name already; choose another name, or replace it with overwrite=True", path=target)
    require_regular(target)
    temporary = temporary_name(target)
    options = {"format": known["format"], "verify": "read-back", "allow_loss": allow_loss, "accept_damage": accept_damage}
    if name is not None:
        options["name"] = name
    try:
        with open(source, "rb") as old:
            was = os.fstat(old.fileno())
            try:
                convert(source, temporary, metadata=texts, **options)
            except ChecksumError:
                # A text of an intact field may be wrong, and be the one to change: checksums prove its numbers.
                if verify(source, physics="never").verdict != "sound":
                    raise
                options["accept_damage"] = True
                convert(source, temporary, metadata=texts, **options)
            padded = _padded(old.fileno(), known, temporary, texts)
            if padded:
                convert(source, temporary, metadata=padded, overwrite=True, **options)
            if diff(source, temporary)["differing_numbers"] != 0:
                raise ChecksumError(f"{target}: its numbers differ from those of {source}", path=target)
            _require_kept(source, temporary, texts)
            _require_as_sound(source, temporary)
            shared = _share(old.fileno(), known, temporary)
            if not _is_same(was, source):
                raise IoError(f"{source}: another program changed it in the meantime; nothing was changed", path=source)
        made = os.path.getsize(temporary)
        publish(temporary, target, output is None or overwrite)
        sync_folder(os.path.dirname(target))
    except OSError as error:
        if isinstance(error, Error):
            raise
        raise kind_of(error)(f"{target}: {error.strerror}", path=target, errno=error.errno) from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    return Answer(path=target, format=known["format"], bytes=made, shared=shared)


def _texts_in(known):
    """(name, text) of a file and its first field."""
    return [(one["name"], one["text"]) for where in (known, known["fields"][0]) for one in where.get("metadata") or ()]


def _with_stated_physics(texts, known):
    """Writers take these two names for what they measure themselves, so they are added to a text that states them."""
    stated = _texts_in(known)
    for name in ("plaquette", "link_trace"):
        is_stated = any(re.search(rf"\b{name[:4]}", text) for _, text in stated)
        if name in texts and not is_stated and "xlf-info" not in texts:
            old = dict(stated).get("xlf-info", "").rstrip("\n")
            texts["xlf-info"] = f"{old}\n{name} = {texts.pop(name)}\n".lstrip("\n")
    return texts


def _require_kept(source, made, texts):
    """Refuses texts that the format cannot store."""
    known = info(made)
    stored = [text for pair in _texts_in(known) for text in pair]
    for name, value in texts.items():
        if not any(value in text or escape(value) in text for text in stored):
            raise Unsupported(f"{source}: files of format {known['format']} cannot store {name!r} as a text; nothing was changed",
                              path=source)


def _require_as_sound(source, made):
    """Refuses texts that contradict the data, such as a wrong plaquette, unless the old file fails as well."""
    errors = [one["message"] for one in verify(made)["findings"] if one["severity"] == "error"]
    if errors and verify(source).ok:
        raise InvalidArgument(f"{source}: with these texts it would fail verification: {errors[0].removeprefix(made + ': ')}; "
                              "nothing was changed", path=source)


def _require_one_file(path, known):
    if len(known.get("files") or ()) > 1:
        raise Unsupported(f"{path}: this is a set of several files, whose texts cannot be changed alone; `lq convert` writes a new one",
                          path=path)
    if not known["fields"]:
        raise Unsupported(f"{path}: it has no field whose texts could be changed", path=path)


def _is_same(was, path):
    """True if a file is still the same one, and has not been written to."""
    now = os.stat(path)
    return (was.st_dev, was.st_ino, was.st_size, was.st_mtime_ns) == (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns)


def _padded(old, known, path, metadata):
    """The changed texts, one of them followed by blanks, so that the data of a LIME file have the same alignment to blocks as
    in the old file; None if nothing can be shared, or if it is so without blanks."""
    before, after = known["fields"][0], info(path)["fields"][0]
    texts = {one["name"]: one["text"] for one in after.get("metadata") or ()}
    text = texts.get("xlf-info")
    with open(path, "r+b") as file:
        block = _block_of(file)
        shift = (before["offset"] - after["offset"]) % block
        if text is None or shift == 0 or shift % 8 or before["length"] < 2 * block:
            return None
        # The blocks may differ: only a file system that can share blocks compares them at all.
        can_share = _dedupe(old, 0, file.fileno(), block, block) is not None
    # Facts are in the text now; metadata with separate records are passed again.
    own = {name: value for name, value in metadata.items() if name in texts}
    return {**own, "xlf-info": text + " " * shift} if can_share else None


def _block_of(file):
    return os.fstatvfs(file.fileno()).f_bsize or 4096


def _share(old, known, path):
    """Shares blocks of the payloads that have the same alignment; the system compares them once more."""
    shared = 0
    with open(path, "r+b") as file:
        block = _block_of(file)
        for before, after in zip(known["fields"], info(path)["fields"]):
            lengths = {before.get("length"), after.get("length")}
            if len(lengths) != 1 or not before.get("length") or (before["offset"] - after["offset"]) % block:
                continue
            begin = -before["offset"] % block
            end = begin + (before["length"] - begin) // block * block
            for at in range(begin, end, _PIECE):
                count = _dedupe(old, before["offset"] + at, file.fileno(), after["offset"] + at, min(_PIECE, end - at))
                if not count:
                    return shared
                shared += count
    return shared


def _dedupe(source, source_at, target, target_at, length):
    """The number of bytes that the system now shares, 0 if they differ; None: it cannot share any."""
    request = bytearray(struct.pack("=QQHHIqQQiI", source_at, length, 1, 0, 0, target, target_at, 0, 0, 0))
    try:
        fcntl.ioctl(source, _DEDUPE, request)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.ENOTTY, errno.EINVAL, errno.EXDEV, errno.ENOSYS, errno.EPERM, errno.EACCES):
            return None
        raise
    _, _, _, _, _, _, _, done, status, _ = struct.unpack("=QQHHIqQQiI", bytes(request))
    return done if status == 0 else 0


def main(words):
    """``lq set``. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="lq set")
    parser.add_argument("path")
    parser.add_argument("changes", nargs="*")
    parser.add_argument("-o", "--output")
    parser.add_argument("--name")
    for flag in ("--overwrite", "--allow-loss", "--accept-damage", "-q", "--json"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args(words)
    metadata = {}
    for word in options.changes:
        key, equals, value = word.partition("=")
        if not equals or not key:
            print(f"lq: set: {word!r} is not a change; write key=value, such as beta=6.1", file=sys.stderr)
            return 2
        metadata[key] = value
    try:
        made = set_metadata(options.path, metadata, name=options.name, output=options.output, overwrite=options.overwrite,
                            allow_loss=options.allow_loss, accept_damage=options.accept_damage)
    except Error as error:
        print(f"lq: {in_arguments(str(error))}", file=sys.stderr)
        return exit_code_of(error)
    except OSError as error:
        print(f"lq: {error.filename or options.path}: {error.strerror}", file=sys.stderr)
        return 4
    with contextlib.suppress(BrokenPipeError):
        if options.json:
            print(json.dumps(made))
        elif not options.q:
            how = f"{made.shared} bytes shared with the old file" if made.shared else "a copy, compared number by number"
            print(f"{options.output or options.path}: written, {made.format}, {made.bytes} bytes, {how}")
    return 0
