# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Files that become one Zarr array: finds them, reads their headers, and compares them."""

import dataclasses
import os

from limequat._library import path_bytes
from limequat.errors import InvalidArgument, IoError, NoPermission, NoSuchRecord, NotFound, UnknownFormat, Unsupported, \
    WrongState
from limequat.packed import is_packed
from limequat.placement import identity_of, place, require_readable
from limequat.questions import info, metadata_of
from limequat.trajectories import natural, suffixes, trajectory_of
from limequat.sources import Source, is_elsewhere, shown
from limequat.transfer import field_name, find_entry


@dataclasses.dataclass
class Member:
    """A file, and the placements of its fields by name of the variable."""

    path: str
    identity: tuple
    format: str
    trajectory: object
    placed: dict
    facts: dict


def looked_at(files, field):
    """(members, files of folders that are not lattice files, the deepest folder that contains all)."""
    named = [files] if isinstance(files, (str, bytes, os.PathLike)) else list(files)
    given = [_absolute(one["path"] if isinstance(one, dict) else one) for one in named]
    inside = {path: _below(path) for path in given if os.path.isdir(path)}
    _require_once([name for path in given for name in inside.get(path, [path])])
    members, skipped = [], []
    for path in given:
        for name in inside.get(path, [path]):
            member = look(name, field, in_folder=path in inside)
            skipped += [name] if member is None else []
            members += [] if member is None else [member]
    if not members:
        where = given[0] if given else "no file was named"
        raise NotFound(f"{where}: there is no lattice file to refer to", path=given[0] if given else None)
    folders = [os.path.dirname(member.path) for member in members]
    return members, skipped, given[0] if len(given) == 1 and inside else os.path.commonpath(folders)


def _absolute(path):
    if isinstance(path, Source) or is_elsewhere(path):
        raise Unsupported(f"{shown(path)}: references can only be made to files of the file system; prefix= says where readers find them")
    return _text_of(os.path.abspath(os.fsdecode(path_bytes(path))))


def _require_once(paths):
    paths = sorted(paths)
    twice = next((path for path, following in zip(paths, paths[1:]) if path == following), None)
    if twice is not None:
        raise InvalidArgument(f"{twice}: this file is named twice", path=twice)


def _below(folder):
    """The files in a folder and below, by their names; names with a leading dot belong to writers."""
    def refuse(error):
        raise NoPermission(f"{error.filename}: cannot list this folder: {error.strerror}", path=error.filename,
                           errno=error.errno)

    found = []
    for here, below, names in os.walk(folder, onerror=refuse):
        below[:] = [name for name in below if not name.startswith(".")]
        for path in (os.path.join(here, name) for name in names if not name.startswith(".")):
            if os.path.islink(path) and not os.path.exists(path) and _has_suffix(path):
                raise NotFound(f"{path}: this symbolic link is dangling", path=path)
            if os.path.isfile(path):
                found.append(path)
    return sorted(found, key=natural)


def _catalog_of(path, in_folder):
    """The contents of a file. None: it was found in a folder and is skipped, because it is not a lattice file and has no such
    name, or because it is a part of another one."""
    if in_folder and path.lower().endswith(".raw.data"):
        return None
    try:
        catalog = info(path)
    except UnknownFormat:
        if in_folder and not _has_suffix(path):
            return None
        raise
    if in_folder and catalog["format"] == "hdf5" and not catalog["fields"]:
        return None  # HDF5 holds anything: correlators, results
    files = catalog.get("files") or [path]
    return None if in_folder and os.path.abspath(files[0]) != path and catalog["format"] != "raw" else catalog


def _has_suffix(path):
    """True if a file has the name of a lattice file."""
    return any(path.lower().endswith(suffix) for suffix in suffixes())


def _text_of(path):
    """A path as a text."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        shown = path.encode("utf-8", "backslashreplace").decode()
        raise Unsupported(f"{shown}: the name has bytes that are not UTF-8, but references are texts: rename the file",
                          path=path) from None
    return path


def look(path, field, in_folder=False):
    """The member of an array for a file; None for a file in a folder that is skipped."""
    if is_packed(path):
        if in_folder:
            return None
        raise Unsupported(f"{path}: this is compressed or in an archive; references show the bytes of a file as they are: unpack it first",
                          path=path)
    try:
        before = identity_of(path)
    except FileNotFoundError:
        if in_folder:
            raise WrongState(f"{path}: this file vanished while the folder was being read", path=path) from None
        raise NotFound(f"{path}: there is no such file", path=path) from None
    except OSError as error:
        raise IoError(f"{path}: cannot examine it: {error.strerror}", path=path, errno=error.errno) from None
    if not os.path.isfile(path):
        raise InvalidArgument(f"{path}: this is not a regular file, so references to its parts are impossible", path=path)
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
        raise WrongState(f"{path}: this file vanished while it was being read", path=path) from None
    if after != before:
        raise WrongState(f"{path}: this file changed while it was being read: a program is writing to it", path=path)
    if len(held) > 1:
        raise Unsupported(f"{path}: its fields are in several files, {', '.join(held)}: name one of them (field=)", path=path)
    (physical, identity), = held.items()
    facts = {name: {**_texts_of(entry), "kind": entry["spec"]["kind"], "field": entry["name"], **placed[name].facts}
             for name, entry in entries.items()}
    return Member(_text_of(os.path.abspath(physical)), identity, catalog["format"],
                  trajectory_of(path, catalog, next(iter(entries.values()))), placed, facts)


# Attributes by which readers change numbers or their meaning.
_MEANINGFUL = {"scale_factor", "add_offset", "missing_value", "units", "calendar", "dtype", "coordinates", "grid_mapping", "bounds"}


def _texts_of(entry):
    """The texts of a field as attributes without a meaning for readers."""
    return {f"text {name}" if name in _MEANINGFUL or name.startswith("_") else name: text
            for name, text in metadata_of(entry).items()}


def _chosen(catalog, field):
    """The requested entries of a catalog by name of the variable."""
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
        name = entry["name"] if names.count(entry["name"]) == 1 else f"{entry['name']}[{same}]"
        found[_variable_name(name, found)] = entry
    return found


_AXES = {"config", "x", "y", "z", "t", "mu", "row", "column", "spin", "color", "n"}


def _variable_name(name, taken):
    """A name for an array in a Zarr group: not a path, and not the name of an axis."""
    name = name.replace("/", ".").lstrip(".") or "field"
    while name in taken or name in _AXES or name.startswith("__"):
        name = "field_" + name.lstrip("_")
    return name


def require_alike(members):
    """Refuses files whose fields are stored differently from the first one."""
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
           ("precision", lambda one: one.dtype.newbyteorder("=").name),
           ("byte order", lambda one: "big" if one.dtype.str[0] == ">" else "little"),
           ("order of directions", lambda one: one.directions), ("first site", lambda one: list(one.lower.values())))


def _mixed(member, first, what, mine, its):
    return InvalidArgument(f"{member.path}: it does not fit into one array with {first.path}: {what}: {mine}, there {its}; make "
                           "separate references for each kind of files", path=member.path, expected=str(its),
                           found=str(mine))


def _require_one_lattice(member):
    """Refuses a file whose fields need axes of the same name with other coordinates."""
    known = {}
    for name, placed in member.placed.items():
        for axis, labels in placed.coordinates().items():
            other, said = known.setdefault(axis, (name, labels.tolist()))
            if said != labels.tolist():
                raise Unsupported(f"{member.path}: the fields {other!r} and {name!r} have different coordinates along {axis}: "
                                  "name the fields that belong together (field=)", path=member.path, record=name)
