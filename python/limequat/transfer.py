# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""read and write: one field, one call."""

import ctypes
from ctypes import c_int64, c_void_p

from limequat import structs
from limequat._library import FileHandle, Grid, call, options, path_bytes, take_text, text_from
from limequat.answers import parse
from limequat.arrays import described, memory_for, only_this_process, region_box, site_of
from limequat.errors import BY_CODE, InvalidArgument, Malformed, NoSuchRecord

_PRECISIONS = {None: 0, "single": 32, "double": 64}
_VERIFY = {"none": 0, "checksum": 1, "read-back": 2}
_STRATEGIES = {"auto": 0, "direct": 1, "shared": 2, "pull": 3, "messages": 4}


def read(path, field=None, region=None, dtype=None, grid=None, verify=True, *, strategy="auto", aggregators=0,
         chunk_bytes=0):
    """Reads a field of a file into a new array.

    path    the file; the format is recognised from its content
    field   name of the field ("gauge"), or (name, index) where names repeat; default: the first
    region  part of the lattice: {"t": slice(0, 8)}; default: all of it
    dtype   complex128, complex64, float64 or float32; default: as in the file
    grid    not yet supported
    verify  compare with the checksum in the file while reading
    strategy, aggregators, chunk_bytes
            as in :func:`limequat.write`

    Returns an array: gauge [t, z, y, x, mu, N, N] with mu in x, y, z, t order, row, column; spinor
    [t, z, y, x, spin, color]; propagator [t, z, y, x, sink spin, source spin, sink color, source color];
    other fields [t, z, y, x] or [t, z, y, x, number]. A lattice of other dimensions has as many axes.

    Raises NotFound, NoPermission, UnknownFormat, Malformed, Truncated, ChecksumError, NoSuchRecord,
    InvalidArgument and others derived from Error.
    """
    only_this_process(grid)
    name, index = field_name(field)
    route = route_members(strategy, aggregators, chunk_bytes)
    file = FileHandle(path)
    return read_entry(file, find_entry(catalog_of(file), name, index), name, index, region, dtype, verify, route)


def catalog_of(file):
    """What is in an open file."""
    return parse(text_from("lq_file_catalog", file))


def read_entry(file, entry, name, index, region, dtype, verify, route=None):
    """Reads the field of an open file that `entry` of its catalog describes."""
    array, field, how, grid = read_request(entry, name, index, region, dtype, verify, route)
    call("lq_file_read", file, grid, field, ctypes.byref(how))
    return array


def read_request(entry, name, index, region, dtype, verify, route=None):
    """(array, its lq_field, ReadOptions, Grid) to read what `entry` of a catalog describes."""
    extents = entry["lattice"]
    box = region_box(region, extents) or _stored_part(entry)
    array, memory = memory_for(site_of(entry["spec"]), box[1] if box else extents, dtype)
    how = options(structs.ReadOptions, field=name.encode() if name else None, index=index, verify=int(bool(verify)),
                  **(route or {}))
    if box:
        how.region_lower, how.region_extents = _int64s(box[0]), _int64s(box[1])
        how.region_dimensions = len(extents)
    return array, memory.to_c(array), how, Grid(box[1] if box else extents)


def write(path, array, *, kind=None, format=None, precision=None, metadata=None, verify="checksum", grid=None,
          force=False, dims=None, strategy="auto", aggregators=0, chunk_bytes=0):
    """Writes an array as one field to a new file, which appears under its name only when it is complete.

    array      [t, z, y, x, ...]: gauge [..., mu, N, N], spinor [..., 4, 3], propagator [..., 4, 4, 3, 3]; any
               strides and byte order; complex128 or complex64, for kind="generic" float64 or float32 too
    kind       "gauge", "spinor", "propagator", "generic"; default: from the shape, on a lattice of four dimensions
               (or of dims=). Write [t, z, y, x, n] or [t, z, y, x] of your own with kind="generic"
    format     "ildg", "scidac", ... (:func:`formats` lists all); default: from the suffix of the path
    precision  of the numbers in the file, "single" or "double"; default: as in the array
    metadata   dict of texts, for example {"xlf-info": "plaquette = 0.5862"}
    verify     "none", "checksum" (stored in the file), or "read-back" (and the file is read again and compared)
    grid       not yet supported
    force      replace an existing file
    dims       lattice dimensions, where kind= does not tell them; default 4
    strategy   how sites get from memory to the file: "auto", "direct", "shared", "pull", "messages"; matters where
               there are several ranks
    aggregators, chunk_bytes
               how many ranks touch the file, and how much they assemble at a time; 0: chosen

    Returns a report: ``bytes``, ``seconds``, ``checksum``, ``format``, ``strategy``, ...
    Raises Exists, NoPermission, NoSpace, InvalidArgument, Unsupported and others derived from Error; then no new
    file appears, and an existing one stays.
    """
    only_this_process(grid)
    array, field, extents = described(array, kind, dims)
    route = route_members(strategy, aggregators, chunk_bytes)
    how, keep = write_options(format, precision, metadata, verify, force, route)
    report = c_void_p()
    how.report_json = ctypes.pointer(report)
    call("lq_write", path_bytes(path), Grid(extents), field.to_c(array), ctypes.byref(how))
    del keep
    return parse(take_text(report))


def route_members(strategy, aggregators, chunk_bytes):
    """The members of option structs that say how sites travel."""
    if strategy not in _STRATEGIES:
        raise InvalidArgument(f"strategy is {strategy!r}, expected one of {', '.join(map(repr, _STRATEGIES))}",
                              found=repr(strategy))
    for name, value in (("aggregators", aggregators), ("chunk_bytes", chunk_bytes)):
        if not isinstance(value, int) or not 0 <= value < 1 << 63:
            raise InvalidArgument(f"{name} is {value!r}, expected a number from 0", found=repr(value))
    return {"strategy": _STRATEGIES[strategy], "aggregators": aggregators, "chunk_bytes": chunk_bytes}


def write_options(format, precision, metadata, verify, force, route=None):
    """(WriteOptions, what must live as long as they do)."""
    if precision not in _PRECISIONS:
        raise InvalidArgument(f"precision is {precision!r}, expected 'single' or 'double'", found=repr(precision))
    if verify not in _VERIFY:
        raise InvalidArgument(f"verify is {verify!r}, expected 'none', 'checksum' or 'read-back'", found=repr(verify))
    how = options(structs.WriteOptions, format=format.encode() if format else None, precision=_PRECISIONS[precision],
                  verify=_VERIFY[verify], overwrite=int(bool(force)), **(route or {}))
    texts = metadata_array(metadata)
    if texts is not None:
        how.metadata, how.metadata_count = texts, len(texts)
    return how, texts


def metadata_array(metadata):
    """A dict of texts as the array that C wants; None when there are none."""
    if not metadata:
        return None
    for name, text in metadata.items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise InvalidArgument(f"metadata[{name!r}] is {text!r}, expected texts: str(...) makes one")
        if "\0" in name + text:
            raise InvalidArgument(f"metadata[{name!r}] holds a NUL character")
    return (structs.Metadata * len(metadata))(*[(n.encode(), t.encode()) for n, t in metadata.items()])


def field_name(field):
    """(name or None, index) of a field given as None, name, index, or (name, index)."""
    if field is None:
        return None, 0
    if isinstance(field, str):
        return field, 0
    if isinstance(field, int) and not isinstance(field, bool) and field >= 0:
        return None, field
    if isinstance(field, tuple) and len(field) == 2 and isinstance(field[0], str) and isinstance(field[1], int) \
            and field[1] >= 0:
        return field
    raise InvalidArgument(f"field is {field!r}, expected a name, a number from 0, or (name, number)")


def find_entry(catalog, name, index):
    """The entry of the catalog for a field; NoSuchRecord lists what there is, damage that hides it comes first."""
    entries = [entry for entry in catalog["fields"] if name is None or entry["name"] == name]
    if index < len(entries):
        return entries[index]
    for finding in catalog["findings"]:
        if finding["severity"] == "error":  # the field may be in the part that is damaged
            raise BY_CODE.get(finding["code"], Malformed)(
                f"{catalog['path']}: {finding['message']}", path=catalog["path"], record=finding["record"] or None,
                offset=finding["offset"], expected=finding["expected"] or None, found=finding["found"] or None)
    wanted = f"field {name!r} number {index}" if name else f"field number {index}"
    there = ", ".join(entry["name"] for entry in catalog["fields"]) or "no field"
    raise NoSuchRecord(f"{catalog['path']}: {wanted} was asked for, but there is: {there}", path=catalog["path"],
                       record=name, expected=wanted, found=there)


def _stored_part(entry):
    """(lower, extents) of the sites that a field stores; None for the whole lattice."""
    stored = entry.get("stored")  # fields of checkpoints are whole
    if stored is None or stored["extents"] == entry["lattice"]:
        return None
    return stored["lower"], stored["extents"]


def _int64s(values):
    return (c_int64 * len(values))(*values)
