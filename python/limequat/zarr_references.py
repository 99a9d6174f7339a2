# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""References of kerchunk: lattice files as one Zarr array that xarray, zarr and others read where the numbers are, without Limequat.

The references name bytes of files; nothing is copied. A field is shown as its bytes are: type, byte order, order of the axes. What
is no array in its file, and files that do not go into one array, are refused.
"""

import argparse
import base64
import contextlib
import dataclasses
import json
import operator
import os
import shutil
import sys
import tempfile
import urllib.parse

import numpy as np

from limequat._library import path_bytes, version
from limequat.answers import Answer, Judgement
from limequat.errors import Code, Error, Exists, InvalidArgument, IoError, Malformed, NoPermission, NoSuchRecord, NotFound, UnknownFormat, \
    Unsupported, WrongState
from limequat.needs import needed
from limequat.placement import identity_of, place, require_readable
from limequat.questions import info, metadata_of
from limequat.trajectories import natural, suffixes, trajectory_of
from limequat.transfer import field_name, find_entry

_FILES = "limequat_files"  # the attribute that lists the files
_PARQUET = (".parq", ".parquet")
_RECORD = 10000  # references in a file of parquet


@dataclasses.dataclass
class _Member:
    """A file, and by name of a variable the placements of the fields that are shown."""

    path: str
    identity: tuple
    format: str
    trajectory: object
    placed: dict
    facts: dict


def references(files, output=None, *, field=None, slices=1, config=None, prefix=None, overwrite=False):
    """References to the numbers of lattice files, for kerchunk's readers: ``files`` become arrays [config, t, z, y, x, ...].

    files      a file, a folder (all lattice files in it and below, in the order of their numbers), or a list of these, such as
               :func:`find` returns
    output     the file to write, JSON; with the suffix .parq or .parquet a folder in parquet, for millions of references
               (it needs pyarrow, and so do its readers, or fastparquet). Default: none is written
    field      name of the field, or (name, index), or a list of these; default: all fields, each a variable
    slices     how many indices of the slowest axis of a file (time slices) make a chunk, which is read as a whole: a divisor of its
               extent. None: a chunk is all of a field
    config     labels of the files: whole numbers, one for each. Default: the trajectory numbers that their texts or names give,
               where each has one and all differ, else 0, 1, 2, ...; False: no such axis, for a single file
    prefix     a text such as "https://host/folder" that takes the place of the folder of the files (the one that was given, or the
               deepest with all of them); "" makes paths relative. Default: absolute paths
    overwrite  replace an existing output

    Chunks are the bytes of the files: dtype says precision and byte order (">c16"), the names and labels of the axes say their order:
    HiRep's are t, x, y, z. Gauge fields have the axes mu, row, column; files of NERSC with two rows have two. The attribute
    ``limequat_files`` of the group is a JSON text that lists path, size and mtime_ns of each file, for
    :func:`check_references`.

    Returns the references as a dict ({"version": 1, "refs": {...}}, which fsspec takes as ``fo``), or, if they are written, an answer
    with ``path``, ``files``, ``variables``, ``references``, ``bytes`` (of the fields), ``skipped`` (files of the folders that are no
    lattice files).

    Raises Unsupported if numbers are not in a file as in an array (archives, chunked or compressed HDF5, sets of several files, other
    orders), InvalidArgument if files do not go into one array (lattice, precision, byte order), both with the name of the file, Malformed
    or Truncated for damaged files, WrongState if one changes meanwhile, Exists, NotFound, and what :func:`info` raises.
    """
    target = None if output is None else _require_output(output, overwrite)
    members, skipped, root = _looked_at(files, field)
    if config is None and isinstance(files, (str, bytes, os.PathLike)) and os.path.isdir(files):
        members.sort(key=lambda member: (member.trajectory is None, member.trajectory or 0))
    _require_alike(members)
    labels = _labels(members, config)
    refs = _refs(members, labels, slices, _address(prefix, root))
    found = {"version": 1, "refs": refs}
    if target is None:
        return found
    _save(found, target, overwrite)
    names = list(members[0].placed)
    return Answer(path=target, files=len(members), variables=names, skipped=skipped,
                  references=sum(isinstance(value, list) for value in refs.values()),
                  bytes=sum(placed.length for member in members for placed in member.placed.values()))


# --- the files --------------------------------------------------------------------------------------------------------------


def _looked_at(files, field):
    """(members, files of folders that are no lattice files, the folder that all have in common)."""
    given = [files] if isinstance(files, (str, bytes, os.PathLike)) else [one["path"] if isinstance(one, dict) else one for one in files]
    given = [_text_of(os.path.abspath(os.fsdecode(path_bytes(one)))) for one in given]
    _require_once([path for path in given if not os.path.isdir(path)] + [name for path in given if os.path.isdir(path) for name in _below(path)])
    members, skipped = [], []
    for path in given:
        for name in _below(path) if os.path.isdir(path) else [path]:
            member = look(name, field, in_folder=name != path)
            skipped += [name] if member is None else []
            members += [] if member is None else [member]
    if not members:
        named = given[0] if given else "no file was named"
        raise NotFound(f"{named}: there is no lattice file to refer to", path=given[0] if given else None)
    is_folder = len(given) == 1 and os.path.isdir(given[0])
    return members, skipped, given[0] if is_folder else os.path.commonpath([os.path.dirname(member.path) for member in members])


def _require_once(paths):
    paths = sorted(paths)
    twice = next((path for path, following in zip(paths, paths[1:]) if path == following), None)
    if twice is not None:
        raise InvalidArgument(f"{twice}: this file is named twice", path=twice)


def _below(folder):
    """The files in a folder and below, by their names; what begins with a dot belongs to writers."""
    def refuse(error):
        raise NoPermission(f"{error.filename}: cannot list this folder: {error.strerror}", path=error.filename, errno=error.errno)

    found = []
    for here, below, names in os.walk(folder, onerror=refuse):
        below[:] = [name for name in below if not name.startswith(".")]
        for path in (os.path.join(here, name) for name in names if not name.startswith(".")):
            if os.path.islink(path) and not os.path.exists(path) and _has_suffix(path):
                raise NotFound(f"{path}: this symbolic link leads to no file", path=path)
            if os.path.isfile(path):
                found.append(path)
    return sorted(found, key=natural)


def _catalog_of(path, in_folder):
    """What is in a file. None: it is in a folder, and not meant, because it is no lattice file and not called like one, or a part of
    another one."""
    if in_folder and path.lower().endswith(".raw.data"):
        return None
    try:
        catalog = info(path)
    except UnknownFormat:
        if in_folder and not _has_suffix(path):
            return None
        raise
    files = catalog.get("files") or [path]
    return None if in_folder and os.path.abspath(files[0]) != path and catalog["format"] != "raw" else catalog


def _has_suffix(path):
    """Whether a file is called like a lattice file."""
    return any(path.lower().endswith(suffix) for suffix in suffixes())


def _text_of(path):
    """A path that a text can hold."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        shown = path.encode("utf-8", "backslashreplace").decode()
        raise Unsupported(f"{shown}: the name has bytes that are no UTF-8, but references are texts: rename the file", path=path) from None
    return path


def look(path, field, in_folder=False):
    """What references show of a file, a member of their array; None of a file in a folder that is not meant."""
    try:
        before = identity_of(path)
    except FileNotFoundError:
        if in_folder:
            raise WrongState(f"{path}: this file vanished while the folder was looked at", path=path) from None
        raise NotFound(f"{path}: there is no such file", path=path) from None
    except OSError as error:
        raise IoError(f"{path}: cannot look at it: {error.strerror}", path=path, errno=error.errno) from None
    catalog = _catalog_of(path, in_folder)
    if catalog is None:
        return None
    require_readable(catalog)
    entries = _chosen(catalog, field)
    try:
        placed = {name: place(catalog, entry) for name, entry in entries.items()}
        held = {one.path: identity_of(one.path) for one in placed.values()}
        after = identity_of(path)
    except FileNotFoundError:
        raise WrongState(f"{path}: this file vanished while it was looked at", path=path) from None
    if after != before:
        raise WrongState(f"{path}: this file changed while it was looked at: a program writes it", path=path)
    if len(held) > 1:
        raise Unsupported(f"{path}: its fields are in several files, {', '.join(held)}: name one of them (field=)", path=path)
    (physical, identity), = held.items()
    facts = {name: {"kind": entry["spec"]["kind"], "field": entry["name"], **metadata_of(entry), **placed[name].facts}
             for name, entry in entries.items()}
    return _Member(_text_of(os.path.abspath(physical)), identity, catalog["format"],
                   trajectory_of(path, catalog, next(iter(entries.values()))), placed, facts)


def _chosen(catalog, field):
    """By name of a variable the entries of a catalog that are asked for."""
    if field is None:
        entries = list(catalog["fields"])
    else:
        wanted = field if isinstance(field, list) else [field]
        entries = [find_entry(catalog, *field_name(one)) for one in wanted]
    if not entries:
        raise NoSuchRecord(f"{catalog['path']}: this file ({catalog['format']}) holds no field", path=str(catalog["path"]))
    names = [entry["name"] for entry in entries]
    found = {}
    for number, entry in enumerate(entries):
        same = names[:number].count(entry["name"])
        found[_variable_name(entry["name"] if names.count(entry["name"]) == 1 else f"{entry['name']}[{same}]", found)] = entry
    return found


_AXES = {"config", "x", "y", "z", "t", "mu", "row", "column", "spin", "color", "n"}


def _variable_name(name, taken):
    """A name of an array in a group of Zarr: no path, and none of an axis."""
    name = name.replace("/", ".").lstrip(".") or "field"
    while name in taken or name in _AXES or name.startswith("__"):
        name = "field_" + name.lstrip("_")
    return name


# --- one array of all -------------------------------------------------------------------------------------------------------


def _require_alike(members):
    """Refuses files whose fields have other bytes than those of the first."""
    first = members[0]
    for member in members[1:]:
        if list(member.placed) != list(first.placed):
            raise _mixed(member, first, "fields", ", ".join(member.placed), ", ".join(first.placed))
        for name, placed in member.placed.items():
            for what, of in _TRAITS:
                mine, its = of(placed), of(first.placed[name])
                if mine != its:
                    raise _mixed(member, first, f"{what} of {name!r}", mine, its)
    _require_one_lattice(first)


_TRAITS = (("axes", lambda one: ", ".join(one.dims)), ("shape", lambda one: list(one.shape)),
           ("precision", lambda one: one.dtype.newbyteorder("=").name), ("byte order", lambda one: one.dtype.newbyteorder("=").str[0] + one.dtype.str[0]),
           ("order of directions", lambda one: one.directions), ("first site", lambda one: list(one.lower.values())))


def _mixed(member, first, what, mine, its):
    return InvalidArgument(f"{member.path}: it does not go into one array with {first.path}: the {what} are {mine}, there {its}; make "
                           "references of each kind of files by themselves", path=member.path, expected=str(its), found=str(mine))


def _require_one_lattice(member):
    """Refuses a file whose fields need axes of the same name with other coordinates."""
    known = {}
    for name, placed in member.placed.items():
        for axis, labels in placed.coordinates().items():
            other, said = known.setdefault(axis, (name, labels.tolist()))
            if said != labels.tolist():
                raise Unsupported(f"{member.path}: the fields {other!r} and {name!r} have other coordinates along {axis}: name the fields "
                                  "that belong together (field=)", path=member.path, record=name)


def _labels(members, config):
    """The labels of axis config; None: there is no such axis."""
    if config is False:
        if len(members) != 1:
            raise InvalidArgument(f"config is False, but there are {len(members)} files, which need an axis of their own")
        return None
    if config is None:
        numbers = [member.trajectory for member in members]
        if None in numbers or len(set(numbers)) != len(numbers):
            numbers = list(range(len(members)))
        return np.array(numbers, "<i8")
    try:
        numbers = [operator.index(number) for number in config]
    except TypeError:
        raise InvalidArgument(f"config is {config!r}, expected whole numbers, one for each file, or False", found=repr(config)) from None
    if len(numbers) != len(members):
        raise InvalidArgument(f"config has {len(numbers)} labels, but there are {len(members)} files", expected=str(len(members)),
                              found=str(len(numbers)))
    try:
        return np.array(numbers, "<i8")
    except OverflowError:
        raise InvalidArgument("config has a label beyond 64 bits", found=repr(config)) from None


def _address(prefix, root):
    """What makes the address in references out of the path of a file."""
    if prefix is None:
        return lambda path: path
    if not isinstance(prefix, str):
        raise InvalidArgument(f"prefix is {prefix!r}, expected a text such as 'https://host/folder'", found=repr(prefix))
    quoted = urllib.parse.quote if prefix.startswith(("http://", "https://")) else str
    slash = "" if prefix == "" or prefix.endswith("/") else "/"

    def address(path):
        inside = os.path.relpath(path, root)
        if inside.startswith(os.pardir + os.sep):
            raise InvalidArgument(f"{path}: this file is outside {root}, so that no prefix leads to it", path=path)
        return prefix + slash + quoted(inside)
    return address


def _refs(members, labels, slices, address):
    """By key of a Zarr group its metadata, numbers in base64, or [address, offset, length]."""
    metadata, chunks, first = {".zgroup": {"zarr_format": 2}}, {}, members[0]
    addresses = [address(member.path) for member in members]
    metadata[".zattrs"] = _group_facts(members, addresses)
    sizes = {}
    for name, placed in first.placed.items():
        step = step_of(placed, slices, first.path)
        axes = [axis if sizes.setdefault(axis, extent) == extent else f"{axis} of {name}" for axis, extent in zip(placed.dims, placed.shape)]
        ensemble = labels is not None
        metadata[f"{name}/.zarray"] = _array(((len(members),) if ensemble else ()) + placed.shape,
                                             ((1,) if ensemble else ()) + (step, *placed.shape[1:]), placed.dtype)
        metadata[f"{name}/.zattrs"] = {**_common_facts(members, name), "_ARRAY_DIMENSIONS": (["config"] if ensemble else []) + axes}
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
    """How many indices of the slowest axis make a chunk."""
    extent = placed.shape[0]
    if slices is None:
        return extent
    if isinstance(slices, bool) or not isinstance(slices, int) or slices < 1 or extent % slices:
        divisors = ", ".join(str(number) for number in range(1, extent + 1) if extent % number == 0)
        raise InvalidArgument(f"slices is {slices!r}, but {path} has {extent} along {placed.dims[0]}: chunks are of equal size, so that "
                              f"slices is one of {divisors}, or None for all", path=path, expected=divisors, found=repr(slices))
    return slices


def _array(shape, chunks, dtype):
    return {"zarr_format": 2, "shape": list(shape), "chunks": list(chunks), "dtype": dtype.str, "compressor": None, "filters": None,
            "fill_value": None, "order": "C"}


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
    return {"format": ", ".join(formats), "creator": f"limequat {version()}", _FILES: json.dumps(files)}


# --- files of references ----------------------------------------------------------------------------------------------------


def _require_output(output, overwrite):
    """The path to be written, which must be free, or a file of references."""
    path = os.fsdecode(path_bytes(output))
    if os.path.lexists(path) and not overwrite:
        raise Exists(f"{path}: there is a file of this name already; choose another name or ask to overwrite it", path=path)
    if os.path.isdir(path) and not os.path.isfile(os.path.join(path, ".zmetadata")):
        raise Exists(f"{path}: this is a folder, and none of references, which alone are replaced", path=path)
    return path


def _save(found, path, overwrite):
    """Writes references under a temporary name, which becomes `path` when they are complete."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        temporary = tempfile.mkdtemp(prefix="." + os.path.basename(path)[:200] + ".", dir=folder)
    except OSError as error:
        raise _unwritten(path, error) from None
    try:
        made = os.path.join(temporary, "references")
        (_save_parquet if path.endswith(_PARQUET) else _save_json)(found, made)
        _require_output(path, overwrite)
        if os.path.isdir(path):
            os.rename(path, os.path.join(temporary, "old"))
        os.rename(made, path)
    except OSError as error:
        raise error if isinstance(error, Error) else _unwritten(path, error) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _unwritten(path, error):
    kind = {FileNotFoundError: NotFound, PermissionError: NoPermission}.get(type(error), IoError)
    return kind(f"{path}: cannot write the references: {error.strerror}", path=path, errno=error.errno)


def _save_json(found, path):
    with open(path, "x", encoding="utf-8") as file:
        file.write(json.dumps(found))
        file.flush()
        os.fsync(file.fileno())


def _save_parquet(found, path):
    """As kerchunk's format has them: the metadata as JSON, and for each array tables of up to _RECORD chunks in C order."""
    arrow = needed("pyarrow", "references in parquet")
    parquet = needed("pyarrow.parquet", "references in parquet")
    metadata = {key: json.loads(value) for key, value in found["refs"].items() if key.rsplit("/", 1)[-1].startswith(".z")}
    tables = {}
    for key, value in found["refs"].items():
        if key not in metadata:
            tables.setdefault(key.rsplit("/", 1)[0], []).append(value)
    os.mkdir(path)
    for name, values in tables.items():
        os.mkdir(os.path.join(path, name))
        for record in range(0, len(values), _RECORD):
            part = values[record:record + _RECORD]
            # No column that has values for some rows only: readers take a missing one for a value.
            columns = ({"raw": [base64.b64decode(value[7:]) for value in part]} if isinstance(part[0], str) else
                       dict(zip(("path", "offset", "size"), map(list, zip(*part)))))
            parquet.write_table(arrow.table(columns), os.path.join(path, name, f"refs.{record // _RECORD}.parq"), compression="zstd")
    with open(os.path.join(path, ".zmetadata"), "x", encoding="utf-8") as file:
        json.dump({"metadata": metadata, "record_size": _RECORD}, file)


def check_references(references, *, storage_options=None):
    """Looks whether the files that references name are as they were when :func:`references` made them.

    references       the file (JSON), the folder (parquet), or the dict
    storage_options  of fsspec, for addresses that are no paths; of these only the size is compared

    Relative paths are those from the current folder. Returns a dict, true when nothing changed: ``ok``, ``files`` (their number),
    ``changed`` (a list of ``path``, ``problem``). Raises NotFound, Malformed if they are none that Limequat made.
    """
    name, found = _loaded(references)
    try:
        facts = found[".zattrs"]
        files = json.loads((json.loads(facts) if isinstance(facts, str) else facts)[_FILES])
        expected = [(str(one["path"]), int(one["size"]), int(one["mtime_ns"])) for one in files]
    except (KeyError, TypeError, ValueError):
        raise Malformed(f"{name}: these references do not state the files that they were made of ({_FILES}); make them by "
                        "lq.references", path=name) from None
    changed = [Answer(path=path, problem=problem) for path, *was in expected for problem in [_change(path, *was, storage_options)] if problem]
    return Judgement(ok=not changed, files=len(expected), changed=changed)


def _loaded(references):
    """(name, metadata by key) of references."""
    if isinstance(references, dict):
        return "the references", references.get("refs", references)
    path = os.fsdecode(path_bytes(references))
    is_folder = os.path.isdir(path)
    try:
        with open(os.path.join(path, ".zmetadata") if is_folder else path, encoding="utf-8") as file:
            whole = json.load(file)
        found = whole["metadata" if is_folder else "refs"]
        if isinstance(found, dict):
            return path, found
    except FileNotFoundError:
        raise NotFound(f"{path}: there are no such references", path=path) from None
    except OSError as error:
        raise IoError(f"{path}: cannot read the references: {error.strerror}", path=path, errno=error.errno) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise Malformed(f"{path}: this is no file of references", path=path)


def _change(path, size, mtime_ns, storage_options):
    """What became of a file, as a sentence; None: nothing."""
    if "://" in path:
        return _remote_change(path, size, storage_options)
    try:
        known = os.stat(path)
    except FileNotFoundError:
        return "it is not there any more"
    except OSError as error:
        return f"it cannot be looked at: {error.strerror}"
    if known.st_size != size:
        return f"it has {known.st_size} bytes, and had {size}"
    return None if known.st_mtime_ns == mtime_ns else "it was written again, or replaced: its time stamp is another"


def _remote_change(path, size, storage_options):
    fsspec = needed("fsspec", f"a check of {path}")
    try:
        system, inside = fsspec.core.url_to_fs(path, **(storage_options or {}))
        found = system.info(inside).get("size")
    except FileNotFoundError:
        return "it is not there any more"
    except Exception as error:  # of any library of any protocol
        return f"it cannot be looked at: {type(error).__name__}"
    return None if found in (None, size) else f"it has {found} bytes, and had {size}"


# --- lq export --references -------------------------------------------------------------------------------------------------

_EXIT_CODES = {Code.INVALID_ARGUMENT: 2, Code.EXISTS: 2}
_ENVIRONMENT = (Code.NO_PERMISSION, Code.NO_SPACE, Code.IO)


def main(words):
    """``lq export --references``. Returns the exit code."""
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
    try:
        made = references(files, options.output, field=options.field, slices=options.slices or None, prefix=options.prefix,
                          overwrite=options.overwrite)
    except Error as error:
        print(f"lq: {error}", file=sys.stderr)
        if error.code == Code.EXISTS and not options.overwrite:
            print("lq: --overwrite replaces it", file=sys.stderr)
        return 4 if error.code in _ENVIRONMENT else _EXIT_CODES.get(error.code, 3)
    except ImportError as error:
        print(f"lq: {error}", file=sys.stderr)
        return 4
    with contextlib.suppress(BrokenPipeError):
        if options.json:
            print(json.dumps(made))
        elif not options.quiet:
            print(f"{made.path}: {made.references} references to {', '.join(made.variables)} of {made.files} file{'s' * (made.files != 1)}")
    return 0
