# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Manifests: the digest of every file below a folder, written and checked in the same pass that verifies lattice files.

The files are those of ``sha256sum`` and of BagIt (RFC 8493), which other programs check, too.
"""

import argparse
import contextlib
import datetime
import hashlib
import json
import os
import re
import stat
import sys
from typing import Callable, List, Optional, Union

from limequat import publishing
from limequat.answers import Judgement
from limequat.errors import (ChecksumError, Code, Error, Exists, InvalidArgument, IoError, Malformed, NotFound, Truncated,
                             UnknownFormat, Unsupported)
from limequat.helpers import Helpers
from limequat.packed import is_packed
from limequat.partitions import partition_of
from limequat.questions import info, usable_cores
from limequat.questions import verify as verify_file
from limequat.remedies import in_arguments
from limequat.sources import Source

_Path = Union[str, "os.PathLike[str]"]
_Progress = Optional[Callable[[int, int], object]]
_DIGITS = {"md5": 32, "sha1": 40, "sha256": 64, "sha512": 128}
_NAME = re.compile(r"^manifest-(\w+)\.txt$")
_TAGS = re.compile(r"^tagmanifest-(\w+)\.txt$")
_BLOCK = 1 << 20
_BAG = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
_OURS = re.compile(r"^(lq-catalogue\.db.*|tagmanifest-\w+\.txt|manifest-\w+\.txt)$")
_TEMPORARY = re.compile(r"^\..*\.[0-9a-f]{8}$|^\..*\.lq-journal$")
_BAD = ("unproven", "damaged", "incomplete", "unreadable")


class _Hashed:
    """A file that is summed while it is being read: bytes in the order of reading, after any bytes that were skipped."""

    def __init__(self, path, algorithm, helpers=None):
        self._helpers = helpers
        self.name = os.fspath(path)
        self._file = open(path, "rb", buffering=0)  # noqa: SIM115: the reader is a file itself
        self._digest = hashlib.new(algorithm)
        self._summed = 0
        self._at = 0
        status = os.fstat(self._file.fileno())
        self._status = (status.st_size, status.st_mtime_ns)
        self.size = status.st_size

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._file.close()

    def seek(self, offset, whence=0):
        self._at = offset if whence == 0 else (self._at if whence == 1 else self.size) + offset
        return self._at

    def tell(self):
        return self._at

    def read(self, count=-1):
        count = self.size - self._at if count is None or count < 0 else count
        pieces, left = [], count
        while left > 0:
            self._require_time()
            data = os.pread(self._file.fileno(), left, self._at + count - left)
            if not data:
                break
            pieces.append(data)
            left -= len(data)
        data = b"".join(pieces)
        # Gaps of this size are headers; what is further away is summed later.
        if self._at <= self._summed + _BLOCK and self._at + len(data) > self._summed:
            if self._at > self._summed:
                self._sum_to(self._at)
            self._digest.update(memoryview(data)[self._summed - self._at:])
            self._summed = self._at + len(data)
        self._at += len(data)
        return data

    def _require_time(self):
        if self._helpers is not None and self._helpers.is_over:
            raise IoError(f"{self.name}: the program interrupted the call", path=self.name)

    def _sum_to(self, end):
        while self._summed < end:
            self._require_time()
            data = os.pread(self._file.fileno(), min(_BLOCK, end - self._summed), self._summed)
            if not data:
                raise IoError(f"{self.name}: it became shorter while it was being read", path=self.name)
            self._digest.update(data)
            self._summed += len(data)

    def hexdigest(self):
        """The digest of all bytes; unread ones are read now."""
        self._sum_to(self.size)
        status = os.fstat(self._file.fileno())
        if (status.st_size, status.st_mtime_ns) != self._status:
            raise IoError(f"{self.name}: it was written to while it was being read; try again later", path=self.name)
        return self._digest.hexdigest()


class _Looked:
    """One file: its digest, and its verdict; None for files of other programs."""

    def __init__(self, path, digest, size, verdict=None, sentence=None):
        self.path, self.digest, self.size, self.verdict, self.sentence = path, digest, size, verdict, sentence


def _judged(answer):
    errors = [one["message"] for one in answer.get("findings", ()) if one["severity"] == "error"]
    return answer["verdict"], errors[0] if errors else None


def _look(path, algorithm, verifies, helpers=None):
    """Reads a file once, if its entry consists of this file only."""
    with _Hashed(path, algorithm, helpers) as file:
        verdict = sentence = None
        if verifies:
            try:
                with Source(file, name=os.path.basename(path)) as source:
                    verdict, sentence = _judged(verify_file(source, threads=1))
            except UnknownFormat:
                verdict, sentence = _judged_contents(path)
            except Error:
                verdict = "several files"
            if verdict in (*_BAD, "several files"):
                # The record of a source is alone; the file under its own name also has its neighbours.
                try:
                    verdict, sentence = (None, None) if _is_part(path) else _judged(verify_file(path))
                except UnknownFormat:
                    verdict = None
                except Error as error:
                    verdict, sentence = "unreadable", str(error)
        return _Looked(path, file.hexdigest(), file.size, verdict, sentence)


def _judged_contents(path):
    """Of a file of no format: of its contents, if it is compressed. A damaged stream is damage whatever it contains."""
    if not is_packed(path):
        return None, None
    try:
        return _judged(verify_file(path))
    except (Malformed, Truncated, ChecksumError) as error:
        return "unreadable", str(error)
    except (UnknownFormat, NotFound, Unsupported):  # other contents, an archive, no decoder
        return None, None


def _is_part(path):
    """True for a file of a set that another file describes, with which it is verified: NAME.1a2b3c4d.0000 of NAME."""
    folder, name = os.path.split(path)
    pieces = name.split(".")
    for count in range(len(pieces) - 1, 0, -1):
        described = os.path.join(folder, ".".join(pieces[:count]))
        with contextlib.suppress(Error):
            if not os.path.isfile(described):
                continue
            split = partition_of(described)
            files = [one["path"] for one in split["files"]] if split["is_set"] else info(described)["files"]
            if any(os.path.exists(one) and os.path.samefile(path, one) for one in files):
                return True
    return False


def _files_below(folder, left_out):
    """Regular files, sorted, relative to the folder; and links to folders, which are not followed."""
    files: List[str] = []
    links: List[str] = []
    for here, folders, names in os.walk(folder, onerror=_raise):
        for name in [*folders, *names]:
            path = os.path.join(here, name)
            place = os.path.relpath(path, folder)
            if name in folders:
                if os.path.islink(path):
                    links.append(place)
            elif not left_out(place) and not _TEMPORARY.match(name) and _is_regular(path):
                files.append(place)
    return sorted(files), sorted(links)


def _is_regular(path):
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True  # told when it is opened


def _raise(error):
    raise publishing.kind_of(error)(f"{error.filename}: {error.strerror}", path=error.filename, errno=error.errno) from None


def require_algorithm(algorithm):
    if algorithm not in _DIGITS:
        raise InvalidArgument(f"algorithm is {algorithm!r}, expected one of {', '.join(_DIGITS)}", found=str(algorithm))


def _escaped(name, is_bag):
    """(mark, name) for a line of a manifest: coreutils marks escaped lines, BagIt encodes with percent signs."""
    if is_bag:
        return "", name.replace("%", "%25").replace("\n", "%0A").replace("\r", "%0D")
    if "\n" in name or "\\" in name or "\r" in name:
        return "\\", name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    return "", name


def _unescaped(name, is_marked, is_bag):
    if is_bag:
        return re.sub(r"%(0A|0D|25)", lambda found: chr(int(found[1], 16)), name, flags=re.IGNORECASE)
    if not is_marked:
        return name
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "r": "\r"}.get(found[1], found[1]), name)


def _looks(folder, places, algorithm, verifies, threads, told):
    """The result for each file, in order: a :class:`_Looked`, or the Error."""
    helpers = Helpers(threads or usable_cores())

    def look(place):
        path = os.path.join(folder, place)
        try:
            return _look(path, algorithm, verifies, helpers)
        except Error as error:
            return error
        except OSError as error:
            return publishing.kind_of(error)(f"{path}: {error.strerror}", path=path, errno=error.errno)

    for number, (place, looked) in enumerate(zip(places, helpers.map(look, places)), 1):
        if told is not None:
            told(number, len(places))
        yield place, looked


def manifest(folder: _Path, path: Optional[_Path] = None, *, algorithm: str = "sha256", bag: bool = False, verify: bool = True,
             accept_damage: bool = False, overwrite: bool = False, threads: int = 0, progress: _Progress = None) -> Judgement:
    """Writes the digests of all files below ``folder`` to one text, which ``sha256sum -c`` also reads.

        >>> lq.manifest("b600")                      # b600/manifest-sha256.txt
        >>> lq.check_manifest("b600")                # reads, sums and verifies every file once

    path           the manifest; by default ``manifest-ALGORITHM.txt`` in the folder. Paths in it are relative to its own folder, or,
                   if that is neither the folder nor one above it, to the folder
    algorithm      md5, sha1, sha256 or sha512
    bag            a bag of BagIt (RFC 8493): the folder ``data`` of the folder is its payload, which stays in place;
                   ``bagit.txt``, ``bag-info.txt`` and a manifest of these are written, too
    verify         verify lattice files while they are summed
    accept_damage  give damaged files a digest like any other; otherwise nothing is written, and ChecksumError names the first
    overwrite      replace existing manifests. The manifest is replaced at one moment: before it, a bag is the old one, afterwards the new one
                   (its tag manifests are removed first and written last; other lines of ``bag-info.txt`` stay)
    threads        files that are read at the same time (default: one for each core)
    progress       called with the files done and their number

    Temporary files of writers, manifests and the catalogue of the folder are left out. Returns a dict, true if nothing is
    wrong: ``path``, ``files``, ``bytes``, ``verified`` (lattice files), ``damaged`` (``path``, ``verdict``, ``sentence``), ``links`` to folders, which
    are not followed. Raises NotFound, Exists, ChecksumError, InvalidArgument, IoError (a file that changes while it is
    read), NoPermission, NoSpace.
    """
    require_algorithm(algorithm)
    root = os.fspath(folder)
    if not os.path.isdir(root):
        if os.path.lexists(root):
            raise InvalidArgument(f"{root}: this is a file, expected a folder; name the folder that it is in", path=root)
        raise NotFound(f"{root}: there is no such folder", path=root)
    below = os.path.join(root, "data") if bag else root
    if bag and not os.path.isdir(below):
        raise InvalidArgument(f"{root}: the payload of a bag is in its folder \"data\", which does not exist; make it, and move "
                              "the files into it", path=root)
    if bag and path is not None:
        raise InvalidArgument("the manifest of a bag has a fixed name; omit the path")
    name = f"manifest-{algorithm}.txt"
    target = os.path.join(root, name) if path is None else os.fspath(path)
    if os.path.lexists(target) and not overwrite:
        raise Exists(f"{target}: there is a file of this name already; choose another name, or replace it with overwrite=True", path=target)
    publishing.require_no_data(target)
    own = os.path.relpath(os.path.realpath(target), os.path.realpath(below))
    places, links = _files_below(below, lambda place: place == own or (not bag and os.sep not in place and bool(_OURS.match(place))))
    # Relative to the manifest, if the manifest is in the folder or above it.
    above = os.path.relpath(os.path.realpath(below), os.path.dirname(os.path.realpath(target)))
    prefix = "" if above.split(os.sep)[0] in (os.curdir, os.pardir) else above + "/"
    answer = Judgement(path=target, files=len(places), bytes=0, verified=0, damaged=[], links=links)
    lines = []
    for place, looked in _looks(below, places, algorithm, verify, threads, progress):
        if isinstance(looked, Error):
            raise looked
        if looked.verdict is not None:
            answer["verified"] += 1
        if looked.verdict in _BAD:
            answer["damaged"].append(Judgement(path=looked.path, verdict=looked.verdict, sentence=looked.sentence))
        answer["bytes"] += looked.size
        mark, shown = _escaped(prefix + place, bag)
        lines.append(f"{mark}{looked.digest}  {shown}\n")
    if answer["damaged"] and not accept_damage:
        first = answer["damaged"][0]
        said = first.sentence.removeprefix(first.path + ": ") or "see `lq verify`"
        others = f" ({len(answer['damaged']) - 1} more such files)" if len(answer["damaged"]) > 1 else ""
        raise ChecksumError(f"{first.path}: {first.verdict}: {said}; its digest would present it as intact{others}. Replace it by "
                            "an intact copy, or set accept_damage=True to record it as it is", path=first.path)
    with publishing.told(target):
        texts = _tags(root, algorithm, answer, "".join(lines)) if bag else {target: "".join(lines)}
        stale = [os.path.join(root, name) for name in sorted(os.listdir(root)) if _TAGS.match(name)] if bag and overwrite else []
    with publishing.NewFiles(overwrite, [os.path.join(below, place) for place in places], stale) as new:
        for name, text in texts.items():
            if os.path.lexists(name) and not overwrite:
                raise Exists(f"{name}: there is a file of this name already; replace it with overwrite=True", path=name)
            new.write(name, [text.encode("utf-8", "surrogateescape")])
    publishing.sync_folder(os.path.dirname(target))
    return answer


def _tags(root, algorithm, answer, lines):
    """The texts of a bag by path, in the order in which they are written: the manifest of the tags is optional, and the last."""
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    tags = {"bagit.txt": _BAG,
            "bag-info.txt": f"Bag-Software-Agent: limequat\nBagging-Date: {today}\nPayload-Oxum: {answer['bytes']}.{answer['files']}\n"
                            + _other_information(os.path.join(root, "bag-info.txt")),
            f"manifest-{algorithm}.txt": lines}
    sums = {name: hashlib.new(algorithm, text.encode("utf-8", "surrogateescape")).hexdigest() for name, text in tags.items()}
    for name in os.listdir(root):
        if _NAME.match(name) and name not in tags:
            sums[name] = _look(os.path.join(root, name), algorithm, False).digest
    tags[f"tagmanifest-{algorithm}.txt"] = "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items()))
    return {os.path.join(root, name): text for name, text in tags.items()}


def _other_information(path):
    """The lines of an existing bag-info.txt that do not describe its payload."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        return ""
    entries = re.findall(r"^[^\s:][^:\n]*:[^\n]*(?:\n[ \t][^\n]*)*", text, re.MULTILINE)
    kept = [one for one in entries if one.split(":")[0].strip().lower() not in ("bag-software-agent", "bagging-date", "payload-oxum")]
    return "".join(one.rstrip("\r") + "\n" for one in kept)


def _lines_of(path, is_bag, algorithm):
    """(digest, place) of each line; Malformed."""
    entries = {}
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line.strip():
                continue
            found = re.match(r"^(\\?)([0-9a-fA-F]+)(?: [ *]|[ \t]+)(.+)$", line, re.DOTALL)
            if not found or len(found[2]) != _DIGITS[algorithm]:
                raise Malformed(f"{path}: line {number} is not a digest of {algorithm} and a file name", path=path)
            place = _unescaped(found[3], bool(found[1]), is_bag)
            if os.path.isabs(place) or ".." in place.split("/") or "\0" in place:
                raise Malformed(f"{path}: line {number} names a file outside of the folder", path=path, found=place)
            if entries.setdefault(os.path.normpath(place), found[2].lower()) != found[2].lower():
                raise Malformed(f"{path}: line {number} names a file for the second time, with another digest", path=path)
    return entries


def _manifests_in(root):
    found = sorted(name for name in os.listdir(root) if _NAME.match(name) and _NAME.match(name)[1] in _DIGITS)
    if not found:
        raise NotFound(f"{root}: there is no manifest (manifest-sha256.txt) in this folder; `lq manifest DIR` writes one", path=root)
    # The strongest of several.
    return max(found, key=lambda name: _DIGITS[_NAME.match(name)[1]])


def check_manifest(path: _Path, *, folder: Optional[_Path] = None, algorithm: Optional[str] = None, verify: bool = True,
                   threads: int = 0, progress: _Progress = None) -> Judgement:
    """Compares every file with a manifest, and verifies lattice files in the same pass.

    path       a manifest, or a folder or bag with one
    folder     what its paths are relative to (default: its own folder)
    algorithm  of the digests, if the name does not state it (default: by their length)
    verify, threads, progress   as in :func:`manifest`

    Returns a dict, true if ``ok``: ``files``, ``sound`` (files that agree), ``changed``, ``missing``, ``damaged`` (``path``, ``verdict``,
    ``sentence``), ``unreadable``, ``added``: files below the folder that it does not name, which are an error only in a bag. Raises
    NotFound, Malformed.
    """
    given = os.fspath(path)
    if not os.path.lexists(given):
        raise NotFound(f"{given}: there is no such file or folder", path=given)
    file = os.path.join(given, _manifests_in(given)) if os.path.isdir(given) else given
    root = os.path.dirname(os.path.abspath(file)) if folder is None else os.fspath(folder)
    if algorithm is None:
        named = _NAME.match(os.path.basename(file))
        algorithm = named[1] if named and named[1] in _DIGITS else _algorithm_of(file)
    require_algorithm(algorithm)
    is_bag = folder is None and os.path.exists(os.path.join(root, "bagit.txt"))
    entries = _lines_of(file, is_bag, algorithm)
    answer = Judgement(ok=True, path=file, files=len(entries), sound=0, changed=[], missing=[], damaged=[], unreadable=[], added=[])
    for place, looked in _looks(root, sorted(entries), algorithm, verify, threads, progress):
        if isinstance(looked, NotFound):
            answer["missing"].append(place)
        elif isinstance(looked, Error):
            answer["unreadable"].append(str(looked))
        elif looked.digest != entries[place]:
            answer["changed"].append(place)
        elif looked.verdict in _BAD:
            answer["damaged"].append(Judgement(path=place, verdict=looked.verdict, sentence=looked.sentence))
        else:
            answer["sound"] += 1
    below, prefix = (os.path.join(root, "data"), "data/") if is_bag else (root, "")
    if not is_bag and not _NAME.match(os.path.basename(file)) and entries:
        # A manifest above its folder names the folder.
        shared = os.path.commonpath([os.path.dirname(place) for place in entries])
        below, prefix = os.path.join(root, shared), shared + "/" if shared else ""
    own = os.path.relpath(os.path.realpath(file), os.path.realpath(below))
    places, _ = _files_below(below, lambda one: one == own or (not is_bag and os.sep not in one and bool(_OURS.match(one))))
    answer["added"] = [prefix + place for place in places if prefix + place not in entries]
    if is_bag:
        _check_tags(root, answer)
    wrong = ("changed", "missing", "damaged", "unreadable") + (("added",) if is_bag else ())
    answer["ok"] = not any(answer[name] for name in wrong)
    return answer


def _algorithm_of(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        first = file.readline().lstrip("\\").split()
    by_digits = {digits: name for name, digits in _DIGITS.items()}
    if not first or len(first[0]) not in by_digits:
        raise Malformed(f"{path}: this is not a manifest: its first line has no known digest", path=path)
    return by_digits[len(first[0])]


def _check_tags(root, answer):
    for name in sorted(os.listdir(root)):
        found = _TAGS.match(name)
        if not found or found[1] not in _DIGITS:
            continue
        for place, digest in sorted(_lines_of(os.path.join(root, name), True, found[1]).items()):
            try:
                if _look(os.path.join(root, place), found[1], False).digest != digest:
                    answer["changed"].append(place)
            except FileNotFoundError:
                answer["missing"].append(place)
            except OSError as error:
                answer["unreadable"].append(f"{os.path.join(root, place)}: {error.strerror}")
    info = os.path.join(root, "bag-info.txt")
    if os.path.exists(info):
        with open(info, encoding="utf-8", errors="replace") as file:
            stated = re.search(r"^Payload-Oxum:\s*(\d+)\.(\d+)\s*$", file.read(), re.MULTILINE)
        payload, _ = _files_below(os.path.join(root, "data"), lambda place: False)
        size = sum(_size_of(os.path.join(root, "data", place)) for place in payload)
        if stated and (int(stated[1]), int(stated[2])) != (size, len(payload)):
            answer["unreadable"].append(f"bag-info.txt states {stated[1]} bytes in {stated[2]} files, and there are {size} in {len(payload)}")


def _size_of(path):
    """0 for a file that no longer exists or cannot be queried: reading it gives the error."""
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


_EXIT_CODES = {Code.INVALID_ARGUMENT: 2, Code.EXISTS: 2, Code.CHECKSUM_MISMATCH: 1}
_ENVIRONMENT = (Code.NO_PERMISSION, Code.NO_SPACE, Code.IO)
_DAMAGE = {"incomplete": 5, "unreadable": 3}


def exit_code_of(error):
    """The exit code of ``lq`` for an error."""
    return 4 if error.code in _ENVIRONMENT else _EXIT_CODES.get(error.code, 3)


def main(words):
    """``lq manifest``. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="lq manifest")
    parser.add_argument("path")
    parser.add_argument("-o", "--output")
    parser.add_argument("--algorithm")
    for flag in ("--bag", "--check", "--no-verify", "--accept-damage", "--overwrite", "-q", "--json"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("-j", type=int, default=0)
    options = parser.parse_args(words)
    try:
        if options.check:
            answer = check_manifest(options.path, algorithm=options.algorithm, verify=not options.no_verify, threads=options.j)
        else:
            answer = manifest(options.path, options.output, algorithm=options.algorithm or "sha256", bag=options.bag,
                              verify=not options.no_verify, accept_damage=options.accept_damage, overwrite=options.overwrite,
                              threads=options.j)
    except Error as error:
        print(f"lq: {in_arguments(str(error))}", file=sys.stderr)
        return exit_code_of(error)
    except KeyboardInterrupt:
        return 130
    with contextlib.suppress(BrokenPipeError):
        if options.json:
            print(json.dumps(answer))
        elif options.check:
            _print_check(answer, options.q)
        elif not options.q:
            print(f"{answer.path}: {answer.files} files, {answer.verified} of them verified")
            for link in answer.links:
                print(f"  {link!r} is a link to a folder, which is not followed")
    if not options.check:
        return 0
    return 0 if answer.ok else max([1, *(_DAMAGE.get(one.verdict, 1) for one in answer.damaged)])


def _print_check(answer, is_quiet):
    def shown(name):
        return name.encode("unicode_escape", "surrogateescape").decode() if "\n" in name else name.encode("utf-8", "replace").decode()

    for kind in ("changed", "missing", "unreadable"):
        for one in answer[kind]:
            print(f"{shown(one)}: {kind}" if kind != "unreadable" else shown(one))
    for one in answer.damaged:
        print(f"{shown(one.path)}: {one.verdict}, although it agrees with the manifest: {one.sentence or 'see `lq verify`'}")
    for one in answer.added:
        print(f"{shown(one)}: not in the manifest")
    if not is_quiet or not answer.ok:
        print(f"{answer.path}: {answer.sound} of {answer.files} files as recorded, {len(answer.changed)} changed, "
              f"{len(answer.missing)} missing, {len(answer.damaged)} damaged, {len(answer.added)} more")
