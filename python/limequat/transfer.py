# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""read and write: one field, one call."""

from __future__ import annotations

import ctypes
import re
import warnings
from ctypes import c_int64, c_void_p
from typing import TYPE_CHECKING, Any, Optional, TypeVar, overload

from limequat._library import FileHandle, call, reading_bytes, take_text, target_bytes, text_from
from limequat.answers import parse
from limequat.arrays import SITE_SHAPE, field_of, memory_for, region_box, site_shape_text
from limequat.communicators import agreed, levels_to_the_caller
from limequat.errors import BY_CODE, InvalidArgument, Malformed, NoSuchRecord, Unsupported
from limequat.grid import Grid, laid_out, require_grid
from limequat.options import Options, takes, with_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from limequat.annotations import ArrayIn, Dtype, FieldName, Kind, Path, Region, Target
    from limequat.answers import Answer
    from limequat.option_types import FurtherReadOptions, Unpack, WriteOptions

_Out = TypeVar("_Out")


@overload
def read(path: Path, field: Optional[FieldName] = ..., region: Optional[Region] = ..., dtype: Optional[Dtype] = ...,  # type: ignore[misc]
         grid: Optional[Grid] = ..., verify: bool = ..., *, out: None = ..., as_: Optional[str] = ...,
         **options: "Unpack[FurtherReadOptions]") -> NDArray[Any]: ...


@overload
def read(path: Path, field: Optional[FieldName] = ..., region: Optional[Region] = ..., dtype: Optional[Dtype] = ...,
         grid: Optional[Grid] = ..., verify: bool = ..., *, out: _Out, as_: Optional[str] = ...,
         **options: "Unpack[FurtherReadOptions]") -> _Out: ...


@takes("ReadOptions")
def read(path: Path, field: Optional[FieldName] = None, region: Optional[Region] = None, dtype: Optional[Dtype] = None,
         grid: Optional[Grid] = None, verify: bool = True, *, out: Any = None, as_: Optional[str] = None,
         **options: "Unpack[FurtherReadOptions]") -> Any:
    """Reads a field of a file into a new array, or into ``out``.

    path    the file; the format is recognised from its content
    field   name of the field ("gauge"); if names repeat, "spinor:3" or (name, index); default: the first
    as_     what the plain HDF5 dataset named by ``field`` holds: "gauge", "spinor", "propagator", "generic", or its axes,
            slowest first, such as "mu t z y x row column" (formats/raw.md 3). All of it is read, without a checksum
    region  part of the lattice: {"t": slice(0, 8)}; default: all of it
    dtype   complex128, complex64, float64 or float32; default: as in the file
    grid    a :class:`Grid` of the lattice, or of the region: collective, each rank gets its box, [t, z, y, x] =
            ``grid.shape`` from ``grid.origin`` on; default: this process reads all of it
    out     a C-contiguous array of that shape and of the requested type, which is filled and returned instead of a new
            one. After an error its contents are undefined. Or a :class:`Memory`, which is filled and returned

    Options (docs/reference/options.md says more):
    {options}

    Returns an array: gauge [t, z, y, x, mu, N, N] with mu in x, y, z, t order, row, column; spinor
    [t, z, y, x, spin, color]; propagator [t, z, y, x, sink spin, source spin, sink color, source color];
    other fields [t, z, y, x] or [t, z, y, x, number], or with the axes with which they were written. For lattices of other
    dimensions the array has one axis for each.

    Warns (RuntimeWarning) if no checksum proves the data and they look damaged: zeros, NaN, links off SU(N).
    Raises NotFound, NoPermission, UnknownFormat, Malformed, Truncated, ChecksumError, NoSuchRecord,
    InvalidArgument and others derived from Error.
    """
    if as_ is not None:
        from limequat import datasets  # which needs this module

        return datasets.read_as(path, field, as_, region, dtype, grid, out)
    file, request = open_request(path, field, region, dtype, grid, out, {**options, "verify": verify})
    return finish_read(file, request)


def open_request(path, field, region, dtype, grid, out, options):
    """(file, request): a file opened by all ranks of the grid, and the request for one of its fields."""
    group = require_grid(grid)
    with agreed(group):
        name, index = field_name(field, options)
    file = open_file(path, group, options)
    with agreed(group):
        entry = find_entry(catalog_of(file), name, index)
        return file, read_request(entry, name, index, region, dtype, options, grid, out)


def finish_read(file, request):
    """The array of a request."""
    array, memory, how, grid = request
    report = c_void_p()
    how.struct.report_json = ctypes.addressof(report)
    call("lq_file_read", file, grid, memory, how)
    warn_of(parse(take_text(report)))
    return array


def warn_of(report):
    """Issues the warnings of a report: data that look damaged, although no checksum says so."""
    for sentence in report["warnings"]:
        warnings.warn(sentence, RuntimeWarning, stacklevel=levels_to_the_caller())


def open_file(path, group=None, options=()):
    """An open file, scanned by all ranks of `group` within the limits among `options`."""
    with agreed(group):
        path, limits = reading_bytes(path), Options("Limits", options).over(group)
    return FileHandle(path, limits)


def catalog_of(file):
    """The contents of an open file."""
    return parse(text_from("lq_file_catalog", file))


def read_request(entry, name, index, region, dtype, options, grid=None, out=None):
    """(array, its lq_field, options, Grid) to read what `entry` of a catalog describes, or this rank's box of it."""
    extents = entry["lattice"]
    box = region_box(region, extents) or _stored_part(entry)
    wanted = box[1] if box else extents
    if grid is not None and tuple(wanted) != grid.extents:
        raise InvalidArgument(f"the grid has the lattice {list(grid.extents)}, but {list(wanted)} is to be read (x, y, z, "
                              "t)", expected=str(list(wanted)), found=str(list(grid.extents)))
    array, memory = memory_for(field_of(entry), grid.local if grid else wanted, dtype, out)
    how = Options("ReadOptions", {**options, "field": name, "index": index})
    if box:
        lower, sizes = how.keep(_int64s(box[0])), how.keep(_int64s(box[1]))
        how.struct.region_lower, how.struct.region_extents = ctypes.addressof(lower), ctypes.addressof(sizes)
        how.struct.region_dimensions = len(extents)
    return array, memory.to_c(array), how, grid or Grid(wanted)


@takes("WriteOptions")
def write(path: Target, array: ArrayIn, *, kind: Optional[Kind] = None, grid: Optional[Grid] = None,
          dims: Optional[int] = None, **options: "Unpack[WriteOptions]") -> Answer:
    """Writes an array as one field to a new file, which appears under its name only when it is complete.

    path   the new file; its suffix selects the format if none is given
    array  [t, z, y, x, ...]: gauge [..., mu, N, N], spinor [..., 4, 3], propagator [..., 4, 4, 3, 3]; any
           strides and byte order; complex128 or complex64, for kind="generic" float64 or float32 too. Or a
           :class:`Memory`: memory of another layout
    kind   "gauge", "spinor", "propagator", "generic"; default: from the shape, on a lattice of four dimensions (or of
           dims=). Write [t, z, y, x, n] or [t, z, y, x] of your own with kind="generic"
    grid   a :class:`Grid`: collective, the array of each rank is its box of the lattice, [t, z, y, x] = ``grid.shape``;
           the file is the one that a single process would write. Default: the array is the whole lattice
    dims   lattice dimensions, if kind= does not determine them; default 4

    Options (docs/reference/options.md says more; :func:`formats` lists the formats); metadata is a dict of texts, and force
    is another name for overwrite:
    {options}

    Returns a report: ``bytes``, ``seconds``, ``checksum``, ``format``, ``strategy``, ...
    Raises Exists, NoPermission, NoSpace, InvalidArgument, Unsupported and others derived from Error; then no new
    file appears, and an existing one stays.
    """
    return written(grid, array, kind, dims, options, "lq_write", lambda: (target_bytes(path),))


def written(grid, array, kind, dims, options, function, begin):
    """The report of a function that writes a field; begin() returns its first arguments."""
    with agreed(require_grid(grid)):
        array, field, grid = laid_out(array, kind, dims, grid)
        arguments = (*begin(), grid, field.to_c(array))
        added, report = site_shape_text(field), c_void_p()
        how = Options("WriteOptions", with_texts(options, added))
    how.struct.report_json = ctypes.addressof(report)
    try:
        call(function, *arguments, how)
    except Unsupported as error:
        if not added or SITE_SHAPE not in error.sentence:
            raise
        how = Options("WriteOptions", options)  # the format has no place for it: the site comes back with one axis
        how.struct.report_json = ctypes.addressof(report)
        call(function, *arguments, how)
    return parse(take_text(report))


def field_name(field, options=None):
    """(name or None, index) of a field given as None, name, index, or (name, index), and perhaps an option index."""
    index = (options or {}).pop("index", 0)
    if field is None or isinstance(field, str):
        return field, index
    if isinstance(field, int) and not isinstance(field, bool) and field >= 0:
        return None, field
    if isinstance(field, tuple) and len(field) == 2 and isinstance(field[0], str) and isinstance(field[1], int) \
            and field[1] >= 0:
        return field
    raise InvalidArgument(f"field is {field!r}, expected a name, a number from 0, or (name, number)")


def find_entry(catalog, name, index):
    """The entry of the catalog for a field; NoSuchRecord lists the existing fields; damage that may hide it is raised first."""
    entries = [entry for entry in catalog["fields"] if name is None or entry["name"] == name]
    if index < len(entries):
        return entries[index]
    if name and not entries and index == 0 and (numbered := re.fullmatch(r"(.+):([0-9]+)", name, re.DOTALL)):
        return find_entry(catalog, numbered[1], int(numbered[2]))
    for finding in catalog["findings"]:
        if finding["severity"] == "error":  # the field may be in the part that is damaged
            raise BY_CODE.get(finding["code"], Malformed)(
                f"{catalog['path']}: {finding['message']}", path=catalog["path"], record=finding["record"] or None,
                offset=finding["offset"], expected=finding["expected"] or None, found=finding["found"] or None)
    wanted = " ".join(filter(None, ["field", name and repr(name), index and f"number {index} (from 0)"]))
    there = ", ".join(entry["name"] for entry in catalog["fields"]) or "no field"
    elsewhere = _other_contents(catalog, name) if not catalog["fields"] else ""
    missing = f"there is no {wanted}; " if name or index else ""
    raise NoSuchRecord(f"{catalog['path']}: {missing}the file holds {there}{elsewhere}", path=catalog["path"],
                       record=name, expected=wanted, found=there)


def _other_contents(catalog, name):
    """How a file without fields is read: a multifile, an HDF5 file of plain datasets, or one of records."""
    if catalog["format"] == "sion":
        return "; it is a multifile: limequat.multifile.open reads its streams and fields"
    if not catalog["records"]:
        return ""
    if catalog["format"] != "hdf5":
        return "; limequat.read_record reads its records, which limequat.inspect lists"
    paths = [record["type"] for record in catalog["records"]]
    dataset = next((path for path in paths if name and path.strip("/") == name.strip("/")), paths[0])
    return (f", but plain datasets, which limequat.open lists; if one of them is a field, name it and say what it holds: "
            f"limequat.read(path, {dataset!r}, as_=\"gauge\")")


def _stored_part(entry):
    """(lower, extents) of the sites that a field stores; None for the whole lattice."""
    stored = entry.get("stored")  # absent: a checkpoint, which stores every field completely
    if stored is None or stored["extents"] == entry["lattice"]:
        return None
    return stored["lower"], stored["extents"]


def _int64s(values):
    return (c_int64 * len(values))(*values)
