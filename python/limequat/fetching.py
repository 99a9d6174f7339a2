# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fetches files from URLs with the library's copy, which resumes, and compares them with the digest that the server states."""

import base64
import binascii
import contextlib
import hashlib
import json
import os
import posixpath
import re
import sys
import urllib.parse
import zlib

from limequat.answers import Answer
from limequat.errors import BY_CODE, ChecksumError, Error, Exists, InvalidArgument
from limequat.manifests import exit_code_of
from limequat.packed import archive_and_member
from limequat.publishing import give_name, publish, require_regular, sync_folder
from limequat.remedies import in_arguments
from limequat.sources import Source, is_elsewhere, opened, shown
from limequat.units import spelled

_DIGEST = re.compile(r"\s*([A-Za-z0-9-]+)=:?([A-Za-z0-9+/=]+?):?\s*(?:;[^,]*)?$")
_PROFILE_NAME = re.compile(r"[A-Za-z][\w-]*:")
_PIECE = 1 << 20
_ALGORITHMS = {"sha-512": hashlib.sha512, "sha-256": hashlib.sha256, "sha": hashlib.sha1, "sha-1": hashlib.sha1, "md5": hashlib.md5}
_ORDER = ("sha-512", "sha-256", "sha", "sha-1", "md5", "adler32", "crc32")  # what tells most first


def stated_digests(headers, is_whole=False):
    """The digests of a whole file in a server's answer: {algorithm: bytes}. Repr-Digest (RFC 9530), Digest (RFC 3230, which
    XRootD sends), x-goog-hash and x-ms-blob-content-md5 of two clouds, and the ETag of an object that was stored in S3 in one
    part, which is its MD5. Content-MD5 only in an answer with the whole file (is_whole): otherwise it may be that of the part."""
    found = {}
    for field in ("Content-MD5", "x-ms-blob-content-md5"):
        value = _bytes_of("md5", (headers.get(field) or "").strip()) if is_whole or field != "Content-MD5" else None
        if value is not None:
            found.setdefault("md5", value)
    for field in ("Repr-Digest", "Digest", "x-goog-hash"):
        for part in (headers.get(field) or "").split(","):
            match = _DIGEST.match(part)
            if match is None:
                continue
            name, value = match[1].lower(), _bytes_of(match[1].lower(), match[2])
            if value is not None:
                found.setdefault(name, value)
    tag = (headers.get("ETag") or "").strip('"')
    is_s3 = any(name.lower().startswith("x-amz-") for name in headers) or "s3" in (headers.get("Server") or "").lower()
    encrypted = headers.get("x-amz-server-side-encryption", "AES256") != "AES256"
    if is_s3 and not encrypted and re.fullmatch(r"[0-9a-f]{32}", tag):
        found.setdefault("md5", bytes.fromhex(tag))
    return found


def _bytes_of(name, text):
    """A digest of that algorithm in base64, or in hexadecimal as RFC 3230 has some; None if it cannot be one."""
    length = {"sha-512": 64, "sha-256": 32, "sha": 20, "sha-1": 20, "md5": 16, "adler32": 4, "crc32": 4}.get(name)
    if length is None:
        return None
    if name in ("adler32", "crc32") or len(text) == 2 * length:
        with contextlib.suppress(ValueError):
            return int(text, 16).to_bytes(length, "big")
    with contextlib.suppress(binascii.Error, ValueError):
        value = base64.b64decode(text, validate=True)
        return value if len(value) == length else None
    return None


def is_member_of_archive(one):
    """True if it is a member of a tar archive."""
    found = archive_and_member(os.fsdecode(one)) if isinstance(one, (str, bytes, os.PathLike)) else None
    return found is not None and found[1] != ""


def is_copied_here(one):
    """True if this module copies it, and not the library alone."""
    return is_elsewhere(one) or is_member_of_archive(one)


def copy_from(sources, target, copy, options):
    """``copy(paths, target, options)`` of files and URLs, one at a time; what :func:`limequat.copy` returns.

    If the server states a digest, the file gets its name only after the digest has been compared; until then it is called
    ``.NAME.fetched``.
    """
    made = Answer(files=[], bytes=0, moved_bytes=0, present_files=0, seconds=0.0, findings=[], digests={})
    is_folder = os.path.isdir(target) or os.fsdecode(target).endswith("/")
    if len(sources) > 1 and not is_folder:
        raise InvalidArgument(f"{os.fsdecode(target)}: several files need a folder as the target, and there is none of this name")
    if any(map(is_copied_here, sources)) and _PROFILE_NAME.match(os.fsdecode(target)) and not os.path.exists(target):
        raise InvalidArgument(f"{os.fsdecode(target)}: URLs and file objects are copied to a path, not to a name of the site profile")
    for one in sources:
        _add(made, _copy_one(one, target, is_folder, copy, dict(options)))
    return made


def _copy_one(one, target, is_folder, copy, options):
    is_member = is_member_of_archive(one)
    if not is_elsewhere(one) and not is_member:
        return copy([one], target, options)
    name = posixpath.basename(archive_and_member(os.fsdecode(one))[1]) if is_member else _file_name(one)
    options.setdefault("resume", True)
    options.setdefault("block_bytes", 1 << 20)  # only whole blocks are kept when the copy is interrupted
    with Source(opened(one) if is_member else one, name=None if is_member or isinstance(one, str) else name) as source:
        folder, final = (target, os.path.join(os.fsdecode(target), name)) if is_folder else (None, os.fsdecode(target))
        if folder is not None:
            os.makedirs(folder, exist_ok=True)
        digests = getattr(source.file, "find_digests", dict)()
        algorithm = next((known for known in _ORDER if known in digests), None)
        if algorithm is None or options.get("dry_run"):
            made = copy([source], final, options)
        else:
            made = _copy_proven(source, one, final, (algorithm, digests[algorithm]), copy, options)
        if not getattr(source.file, "is_dated", True) and not options.get("dry_run"):
            os.utime(final)  # what served as its time was another number
        return made


def _copy_proven(source, url, final, digest, copy, options):
    """Copies under another name, compares the digest, then gives the name."""
    overwrite, (algorithm, stated) = options.pop("overwrite", False), digest
    if os.path.lexists(final) and not overwrite:
        if os.path.isfile(final) and os.path.getsize(final) == source.size and _digest_of(final, algorithm) == stated:
            return {"files": [], "bytes": 0, "moved_bytes": 0, "present_files": 1, "seconds": 0.0, "findings": [],
                    "digests": {final: f"{algorithm}:{stated.hex()}"}}
        raise Exists(f"{final}: another file of this name already exists; choose another name or overwrite=True", path=final)
    require_regular(final)
    folder, name = os.path.split(final)
    hidden = os.path.join(folder, f".{os.fsencode(name)[:246].decode('utf-8', 'ignore')}.fetched")
    made = copy([source], hidden, {**options, "overwrite": True})
    found = _digest_of(hidden, algorithm)
    if found != stated:
        os.unlink(hidden)
        raise ChecksumError(f"{shown(url)}: the {algorithm} of the received file is {found.hex()}, the server states {stated.hex()}: it was "
                            f"damaged in transit or on the server; nothing was kept: fetch it again", path=shown(url),
                            expected=stated.hex(), found=found.hex())
    _publish(hidden, final, overwrite)
    made["files"] = [final]
    made["digests"] = {final: f"{algorithm}:{found.hex()}"}
    return made


def _publish(hidden, final, overwrite):
    if overwrite:
        publish(hidden, final, True)
    else:
        try:
            give_name(hidden, final)
        except FileExistsError:
            raise Exists(f"{final}: another program gave this name to a file in the meantime; the fetched file is {hidden}",
                         path=final) from None
        with contextlib.suppress(FileNotFoundError):
            os.unlink(hidden)
    sync_folder(os.path.dirname(final))


def _digest_of(path, algorithm):
    if algorithm in ("adler32", "crc32"):
        step, value = (zlib.adler32, 1) if algorithm == "adler32" else (zlib.crc32, 0)
        with open(path, "rb") as file:
            for piece in iter(lambda: file.read(_PIECE), b""):
                value = step(piece, value)
        return value.to_bytes(4, "big")
    digest = _ALGORITHMS[algorithm]()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(_PIECE), b""):
            digest.update(piece)
    return digest.digest()


def _file_name(one):
    """The name of the copy of a URL or file object."""
    path = urllib.parse.unquote(urllib.parse.urlsplit(one).path) if isinstance(one, str) else os.fsdecode(getattr(one, "name", "") or "")
    name = posixpath.basename(path)
    if not name or name in (".", "..") or "\0" in name:
        raise InvalidArgument(f"{shown(one)}: it does not end in a file name; name the copy, not only its folder")
    return name


def _add(made, one):
    for name in ("bytes", "moved_bytes", "present_files", "seconds"):
        made[name] += one[name]
    made["files"] += one["files"]
    made["findings"] += one["findings"]
    made["digests"].update(one.get("digests", {}))



def main(words):
    """``lq copy`` of sources that the library does not copy alone: NAME=VALUE..., --json, -q, "--", SOURCE..., TARGET. Returns the exit code."""
    place = words.index("--")
    sources, target = words[place + 1:-1], words[-1]
    given = dict(word.split("=", 1) for word in words[:place] if "=" in word)
    as_json, is_quiet = "--json" in words[:place], "-q" in words[:place]
    options = {name: _value_of(text) for name, text in given.items() if text not in ("no", "false", "0")}
    from limequat.staging import copy
    try:
        made = copy(sources, target, progress=None if not is_quiet else False, **options)
    except Error as error:
        print("lq: " + re.sub(r"\b(overwrite|resume)=True", r"--\1", error.sentence), file=sys.stderr)
        return exit_code_of(error)
    except (ImportError, OSError) as error:
        print(f"lq: {in_arguments(str(error))}", file=sys.stderr)
        return 4
    with contextlib.suppress(BrokenPipeError):
        if as_json:
            print(json.dumps({"path": target, **made, "dry_run": "dry_run" in options}))
        elif not is_quiet:
            print(f"{target}: {_sentence_of(made, 'dry_run' in options)}")
        sys.stdout.flush()
    for finding in made.findings:
        print(f"lq: {target}: {finding['severity']}: {finding['message']}", file=sys.stderr)
    return max((exit_code_of(BY_CODE[one["code"]]("")) for one in made.findings if one["severity"] == "error"), default=0)


def _value_of(text):
    return True if text in ("yes", "true") else int(text) if text.isdigit() else text


def _sentence_of(made, is_dry):
    text = f"{'would be ' if is_dry else ''}copied: {len(made.files)} file{'s' * (len(made.files) != 1)}, {spelled(made.bytes)}"
    if made.present_files:
        text += f"; already present: {made.present_files}"
    if made.moved_bytes < made.bytes and not is_dry:
        text += f" ({spelled(made.bytes - made.moved_bytes)} of them by an interrupted copy)"
    agreeing = sorted({digest.partition(":")[0] for digest in made.digests.values()})
    return text + (f"; the server's {', '.join(agreeing)} agrees" if agreeing else "") + ("; nothing was written" if is_dry else "")
