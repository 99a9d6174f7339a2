# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""References of kerchunk: lattice files as one Zarr array that xarray, zarr and others read in place.

The references name bytes of files; nothing is copied, and readers do not need Limequat. A field is shown as it is stored: type,
byte order, order of the axes. Fields that are not an array in their file, and files that do not fit into one array, are refused.
"""

from __future__ import annotations

import base64
import contextlib
import json
import operator
import os
import stat
import sys
import urllib.parse
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from limequat._library import version
from limequat.answers import Answer
from limequat.errors import Error, InvalidArgument
from limequat.manifests import exit_code_of
from limequat.remedies import in_arguments
from limequat.zarr_files import FILES, require_output, save
from limequat.zarr_members import looked_at, require_alike

if TYPE_CHECKING:
    from limequat.annotations import Path, Paths


def references(files: Paths, output: Optional[Path] = None, *, field: Optional[str] = None, slices: Optional[int] = 1,
               config: Any = None, prefix: Optional[str] = None, overwrite: bool = False) -> Any:
    """Makes references to the numbers of lattice files, for kerchunk's readers: ``files`` become arrays [config, t, z, y, x, ...].

    files      a file, a folder (all lattice files in it and below, in the order of their numbers), or a list of these, such
               as :func:`find` returns
    output     the file to write, JSON; with the suffix .parq or .parquet a folder in parquet, for millions of references (it
               is written by pyarrow, and read by fsspec with fastparquet). Default: none is written
    field      name of the field, or (name, index), or a list of these; default: all fields, each a variable
    slices     number of indices of the slowest axis of a file (time slices) in a chunk, which is read as a whole: a divisor of
               its extent. None: a chunk is a whole field
    config     labels of the files: whole numbers, one for each. Default: the trajectory numbers in their texts or names, if
               each has one and all differ, otherwise 0, 1, 2, ...; False: no such axis, for a single file
    prefix     a text such as "https://host/folder" that replaces the folder of the files (the given one, or the deepest with
               all of them); "" makes paths relative. Default: absolute paths
    overwrite  replace an existing output

    Chunks are the bytes of the files: dtype states precision and byte order (">c16"), the names and labels of the axes state
    their order: HiRep's are t, x, y, z. Gauge fields have the axes mu, row, column; NERSC files with two rows have two.
    The attribute ``limequat_files`` of the group is a JSON text that lists path, size and mtime_ns of each file, for
    :func:`check_references`.

    Returns the references as a dict ({"version": 1, "refs": {...}}, which fsspec accepts as ``fo``), or, if they are written,
    an answer with ``path``, ``files``, ``variables``, ``references``, ``bytes`` (of the fields), ``skipped`` (files of the
    folders that are not lattice files).

    Warns (RuntimeWarning) of errors in headers that hide no numbers. Raises Unsupported if numbers are not stored as an
    array (archives, chunked or compressed HDF5, sets of several files, other orders), InvalidArgument if files do not fit
    into one array (lattice, precision, byte order), both with the name of the file, Malformed or Truncated for damaged
    files, WrongState if one changes during the call, Exists, NotFound, and what :func:`info` raises.
    """
    target = None if output is None else require_output(output, overwrite)
    members, skipped, root = looked_at(files, field)
    if config is None and isinstance(files, (str, bytes, os.PathLike)) and os.path.isdir(files):
        members.sort(key=lambda member: (member.trajectory is None, member.trajectory or 0))
    require_alike(members)
    labels = _labels(members, config)
    refs = _refs(members, labels, slices, _address(prefix, root))
    found = {"version": 1, "refs": refs}
    if target is None:
        return found
    save(found, target, overwrite, [member.path for member in members])
    names = list(members[0].placed)
    return Answer(path=target, files=len(members), variables=names, skipped=skipped,
                  references=sum(isinstance(value, list) for value in refs.values()),
                  bytes=sum(placed.length for member in members for placed in member.placed.values()))


def _labels(members, config):
    """The labels of axis config; None: there is no such axis."""
    if config is False:
        if len(members) != 1:
            raise InvalidArgument(f"config is False, but there are {len(members)} files, which need this axis")
        return None
    if config is None:
        numbers = [member.trajectory for member in members]
        if None in numbers or len(set(numbers)) != len(numbers):
            numbers = list(range(len(members)))
        return np.array(numbers, "<i8")
    try:
        numbers = [operator.index(number) for number in config]
    except TypeError:
        raise InvalidArgument(f"config is {config!r}, expected whole numbers, one for each file, or False",
                              found=repr(config)) from None
    if len(numbers) != len(members):
        raise InvalidArgument(f"config has {len(numbers)} labels, but there are {len(members)} files",
                              expected=str(len(members)), found=str(len(numbers)))
    try:
        return np.array(numbers, "<i8")
    except OverflowError:
        raise InvalidArgument("config has a label beyond 64 bits", found=repr(config)) from None


def _address(prefix, root):
    """The function that converts the path of a file to its address in references."""
    if prefix is None:
        return lambda path: path
    if not isinstance(prefix, str):
        raise InvalidArgument(f"prefix is {prefix!r}, expected a text such as 'https://host/folder'", found=repr(prefix))
    quoted = urllib.parse.quote if prefix.startswith(("http://", "https://")) else str
    slash = "" if prefix == "" or prefix.endswith("/") else "/"

    def address(path):
        inside = os.path.relpath(path, root)
        if inside.startswith(os.pardir + os.sep):
            raise InvalidArgument(f"{path}: this file is outside {root}, so no prefix applies to it", path=path)
        return prefix + slash + quoted(inside)
    return address


def _refs(members, labels, slices, address):
    """The metadata, numbers in base64, or [address, offset, length], by key of a Zarr group."""
    metadata, chunks, first = {".zgroup": {"zarr_format": 2}}, {}, members[0]
    addresses, ensemble = [address(member.path) for member in members], labels is not None
    metadata[".zattrs"] = _group_facts(members, addresses)
    sizes = {}
    for name, placed in first.placed.items():
        step = step_of(placed, slices, first.path)
        axes = [axis if sizes.setdefault(axis, extent) == extent else f"{axis} of {name}"
                for axis, extent in zip(placed.dims, placed.shape)]
        metadata[f"{name}/.zarray"] = _array(((len(members),) if ensemble else ()) + placed.shape,
                                             ((1,) if ensemble else ()) + (step, *placed.shape[1:]), placed.dtype)
        metadata[f"{name}/.zattrs"] = {**_common_facts(members, name),
                                       "_ARRAY_DIMENSIONS": (["config"] if ensemble else []) + axes}
        chunks.update(_chunks(members, addresses, name, step, ensemble))
    coordinates = {axis: values for placed in first.placed.values() for axis, values in placed.coordinates().items()}
    if labels is not None:
        coordinates["config"] = labels
    for axis, values in coordinates.items():
        metadata[f"{axis}/.zarray"] = _array(values.shape, values.shape, values.dtype)
        metadata[f"{axis}/.zattrs"] = {"_ARRAY_DIMENSIONS": [axis]}
        chunks[f"{axis}/0"] = "base64:" + base64.b64encode(values.tobytes()).decode()
    return {**{key: json.dumps(value) for key, value in metadata.items()}, **chunks}


def step_of(placed, slices, path):
    """The number of indices of the slowest axis in a chunk."""
    extent = placed.shape[0]
    if slices is None:
        return extent
    if isinstance(slices, bool) or not isinstance(slices, int) or slices < 1 or extent % slices:
        divisors = ", ".join(str(number) for number in range(1, extent + 1) if extent % number == 0)
        raise InvalidArgument(f"slices is {slices!r}, but {path} has {extent} along {placed.dims[0]}: chunks have equal size, so "
                              f"slices must be one of {divisors}, or None for all", path=path, expected=divisors,
                              found=repr(slices))
    return slices


def _array(shape, chunks, dtype):
    return {"zarr_format": 2, "shape": list(shape), "chunks": list(chunks), "dtype": dtype.str, "compressor": None,
            "filters": None, "fill_value": None, "order": "C"}


def _chunks(members, addresses, name, step, ensemble):
    """The references of a variable."""
    placed = members[0].placed[name]
    tail = ".0" * (len(placed.shape) - 1)
    count = placed.shape[0] // step
    length = placed.length // count
    found = {}
    for number, (member, address) in enumerate(zip(members, addresses)):
        head, offset = f"{name}/{number}." if ensemble else f"{name}/", member.placed[name].offset
        for k in range(count):
            found[f"{head}{k}{tail}"] = [address, offset + k * length, length]
    return found


def _common_facts(members, name):
    """The texts that are the same in all files."""
    first, *others = (member.facts[name] for member in members)
    return {key: value for key, value in first.items() if all(other.get(key) == value for other in others)}


def _group_facts(members, addresses):
    formats = sorted({member.format for member in members})
    files = [{"path": address, "size": member.identity[2], "mtime_ns": member.identity[3]}
             for member, address in zip(members, addresses)]
    return {"format": ", ".join(formats), "creator": f"limequat {version()}", FILES: json.dumps(files)}


def main(words):
    """``lq export --references``. Returns the exit code."""
    import argparse
    parser = argparse.ArgumentParser(prog="lq export --references")
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--field")
    parser.add_argument("--slices", type=int, default=1)
    parser.add_argument("--prefix")
    parser.add_argument("--overwrite", action="store_true")
    parser.add_argument("-q", "--quiet", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    files = options.files[0] if len(options.files) == 1 and os.path.isdir(options.files[0]) else options.files
    to_pipe = options.output == "-" or os.path.exists(options.output) and stat.S_ISFIFO(os.stat(options.output).st_mode)
    try:
        made = references(files, None if to_pipe else options.output, field=options.field, slices=options.slices or None,
                          prefix=options.prefix, overwrite=options.overwrite)
    except Error as error:
        print("lq:", str(error).replace("overwrite=True", "--overwrite"), file=sys.stderr)
        return exit_code_of(error)
    except ImportError as error:
        print(f"lq: {in_arguments(str(error))}", file=sys.stderr)
        return 4
    with contextlib.suppress(BrokenPipeError):
        if to_pipe:
            with contextlib.nullcontext(sys.stdout) if options.output == "-" else open(options.output, "w", encoding="utf-8") as pipe:
                json.dump(made, pipe)
                pipe.flush()
        elif options.json:
            print(json.dumps(made))
        elif not options.quiet:
            names, plural = ", ".join(made.variables), "s" * (made.files != 1)
            print(f"{made.path}: {made.references} references to {names} of {made.files} file{plural}")
    return 0
