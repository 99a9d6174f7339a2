# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Converts, compares and extracts whole folders of files in one call: runs the program ``lq``, whose JSON is the answer."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

from limequat import signals
from limequat._library import library_path
from limequat.answers import Judgement, parse
from limequat.arrays import region_text
from limequat.errors import BY_CODE, InvalidArgument, IoError, Unsupported

if TYPE_CHECKING:
    from limequat.annotations import Paths, Region, Target


def convert_below(folders: Paths, target: Target, *, to: str, precision: Optional[str] = None, field: Optional[str] = None,
                  region: Union[Region, str, None] = None, layout: Optional[str] = None, metadata: Optional[Mapping[str, str]] = None,
                  skip_existing: bool = False, overwrite: bool = False, dry_run: bool = False, allow_loss: bool = False,
                  accept_damage: bool = False, threads: int = 0) -> Judgement:
    """Converts all lattice files below ``folders`` (one or several folders, or files) into the folder ``target``, as
    ``lq convert DIR DIR2 --to FORMAT`` does: the tree is kept, several files are converted at a time, a failure does not stop the others.

    to             the format of the new files
    skip_existing  complete existing files stay; use it to resume an interrupted call
    dry_run        reads and compares everything, writes nothing
    threads        files and blocks at a time, 0 for one for each core
    others         as in :func:`limequat.convert`

    Returns a dict, true if ``ok``: ``files`` (the report of :func:`limequat.convert` with its ``source``, or ``path`` and ``error``,
    for each), ``summary`` (``converted``, ``skipped``, ``failed``, ``foreign``, ``bytes``), ``messages`` (of ``lq``).
    Raises InvalidArgument, NotFound; Unsupported if the program lq is not installed.
    """
    if not isinstance(to, str):
        raise InvalidArgument(f"to is {to!r}, expected the name of a format: lq.formats() lists them")
    return _run("convert", [*_paths(folders), _path(target)], to=to, precision=precision, field=field, region=region_text(region),
                layout=layout, metadata=metadata, skip_existing=skip_existing, overwrite=overwrite, dry_run=dry_run,
                allow_loss=allow_loss, accept_damage=accept_damage, threads=threads)


def diff_below(a: Target, b: Target, *, tolerance: float = 0, field: Optional[str] = None, threads: int = 0) -> Judgement:
    """Compares the files below the folder ``a`` with those of the same names below ``b``, as ``lq diff DIR DIR2`` does; suffixes of
    formats may differ.

    tolerance      absolute differences up to this are ignored
    field, threads as above

    Returns a dict, true if ``ok``, that is, if all are the same: ``files`` (an answer of :func:`limequat.diff` for each pair),
    ``summary`` (``same``, ``different``, ``failed``, ``unpaired``), ``messages``. Raises likewise.
    """
    for folder in (a, b):
        if not os.path.isdir(folder):
            raise InvalidArgument(f"{os.fsdecode(folder)}: diff_below() compares folders; lq.diff() compares files", path=os.fsdecode(folder))
    return _run("diff", [_path(a), _path(b)], tolerance=float(tolerance), field=field, threads=threads)


def extract_below(folders: Paths, target: Optional[Target] = None, *, slice: str, to: Optional[str] = None, overwrite: bool = False,
                  dry_run: bool = False, threads: int = 0) -> Judgement:
    """Writes one slice of the lattice of each file below ``folders``, as ``lq extract --slice t=5 DIR`` does.

    slice   "t=5", "t=4:8"
    target  the folder of the new files; default: the name of ``folders`` with the slice, "b600.t5"
    to      their format; default: the format of each file
    overwrite, dry_run, threads as in :func:`convert_below`

    Returns and raises the same as :func:`convert_below`.
    """
    if not isinstance(slice, str):
        raise InvalidArgument(f'slice is {slice!r}, expected a text such as "t=5"')
    return _run("extract", [*_paths(folders), *([] if target is None else [_path(target)])], slice=slice, to=to, overwrite=overwrite,
                dry_run=dry_run, threads=threads)


def _path(path):
    given = os.fsdecode(path)
    return "./" + given if given.startswith("-") else given


def _paths(folders):
    return [_path(one) for one in ([folders] if isinstance(folders, (str, bytes, os.PathLike)) else folders)]


def _program():
    """The lq of this installation: in a wheel, next to the library, or on the path."""
    folders = (pathlib.Path(__file__).parent / "bin", pathlib.Path(library_path()).resolve().parent.parent / "bin")
    found = next((folder / "lq" for folder in folders if os.access(folder / "lq", os.X_OK)), None) or shutil.which("lq")
    if found is None:
        raise Unsupported("the program lq, which this call runs, is not installed with this package: wheels have it, and so has an "
                          "installation by CMake (PREFIX/bin on the PATH)")
    return os.fspath(found)


def _done(words: Any) -> Any:
    """A program that has ended. A signal that ends the call ends the program as Ctrl-C does, so that it takes back what it has begun."""
    with signals.deferred:
        program = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            with signals.deferred.ended_by_signals():
                output = program.communicate()
        except signals.SignalArrived:
            program.send_signal(signal.SIGINT)
            output = program.communicate()
        return subprocess.CompletedProcess(words, program.returncode, *output)


def _run(verb: str, paths: Any, **options: Any) -> Judgement:
    words = [_program(), verb, "--json"]
    for name, value in options.items():
        argument = "--" + name.replace("_", "-")
        if isinstance(value, Mapping):
            words += [f"{argument}={key}={text}" for key, text in value.items()]
        elif value is True:
            words.append(argument)
        elif value not in (None, False):
            words.append(f"{argument}={value}")
    try:
        done = _done([*words, "--", *paths])
    except (OSError, ValueError) as error:  # a name with NUL
        raise InvalidArgument(f"lq {verb}: {error}") from None
    rows = [parse(line) for line in done.stdout.decode("utf-8", "replace").splitlines()]
    messages = [line.partition(": ")[2] if line.startswith("lq: ") else line for line in done.stderr.decode("utf-8", "replace").splitlines()]
    summary = rows.pop().summary if rows and "summary" in rows[-1] else None
    if done.returncode < 0:
        raise IoError(f"lq {verb} was ended by signal {-done.returncode}")
    if summary is None and done.returncode != 0 and len(rows) <= 1:
        told = rows[0].get("error") if rows else None
        kind = BY_CODE.get(told["code"], InvalidArgument) if told else InvalidArgument
        raise kind(messages[0] if messages else f"lq {verb} ended with {done.returncode}", path=told["path"] if told else None)
    return Judgement(ok=done.returncode == 0, files=rows, summary=summary, messages=messages)
