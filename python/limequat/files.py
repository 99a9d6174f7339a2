# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Open files: scanned once; numbers are read only when they are requested."""

from __future__ import annotations

import ctypes
import io
import os
import threading
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Literal, Optional, Tuple

import numpy as np

from limequat import datasets, labelled, structs
from limequat._library import call, text_bytes
from limequat.arrays import field_of
from limequat.communicators import agreed
from limequat.display import name_of, table
from limequat.errors import ChecksumError, InvalidArgument, NoSuchRecord, Unsupported, WrongState
from limequat.grid import require_grid
from limequat.options import takes
from limequat.placement import is_one_file
from limequat.questions import metadata_of, read_record, verify
from limequat.sources import path_to_read, source_of
from limequat.transfer import catalog_of, field_name, find_entry, finish_read, open_file, read_request

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from limequat.annotations import Dtype, FieldName, Path, Region, Slices
    from limequat.answers import Answer
    from limequat.grid import Grid
    from limequat.option_types import FurtherReadOptions, Unpack


def open(path: Path, *, grid: Optional[Grid] = None) -> "File":
    """Opens the file ``path`` for reading: a :class:`File`. With a :class:`Grid` as ``grid`` this call is collective, as are read() and verify()
    of fields: each rank reads its box."""
    return File(path, grid)


class File:
    """A file: ``format``, ``lattice`` (x, y, z, t), ``metadata``, ``fields``, ``records``, ``findings``.

    It is also a mapping of its fields: file["gauge"], file["spinor:3"] (number 3, from 0, of that name), keys(), values(),
    items(), len(file), ``in``, and iteration over the keys, which are names, with a number if a name repeats.
    fields["gauge"], fields["propagator", 3], fields[0] are :class:`FieldView`; records["xlf-info"] is bytes.
    """

    path: Any
    catalog: Answer
    fields: Fields
    records: Records

    def __init__(self, path: Path, grid: Optional[Grid] = None) -> None:
        self.path = path = path_to_read(path)
        self._file = open_file(path, require_grid(grid))
        self.catalog = catalog_of(self._file)
        self.fields = Fields(path, self._file, self.catalog, grid, _identities(self.catalog))
        self.records = Records(path, self._file, self.catalog)

    def close(self) -> None:
        """Closes the file; its contents remain known, but nothing can be read any longer."""
        self._file.free()

    def __enter__(self) -> "File":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def keys(self) -> List[str]:
        """Names of the fields in the order of the file; "NAME:0", "NAME:1", ... if a name repeats."""
        names = self.fields.names()
        seen: Dict[str, int] = {}
        keys = []
        for name in names:
            keys.append(name if names.count(name) == 1 else f"{name}:{seen.setdefault(name, 0)}")
            seen[name] = seen.get(name, 0) + 1
        return keys

    def values(self) -> List["FieldView"]:
        """The fields, a list of :class:`FieldView`."""
        return list(self.fields)

    def items(self) -> List[Tuple[str, "FieldView"]]:
        """(key, field) of each field."""
        return list(zip(self.keys(), self.fields))

    def get(self, key: FieldName, default: Any = None) -> Any:
        """The field of a ``key``, or ``default`` if there is none."""
        return self[key] if key in self else default

    def __getitem__(self, key: FieldName) -> "FieldView":
        try:
            return self.fields[key]
        except NoSuchRecord as error:
            if isinstance(key, str) and key in self.records and self.format != "hdf5":
                raise NoSuchRecord(f"{self.path}: {key!r} is a record, not a field; read it as .records[{key!r}]", path=str(self.path),
                                   record=key) from error
            raise

    def __contains__(self, key: Any) -> bool:
        try:
            if key is None:
                return False
            self.fields[key]
        except (NoSuchRecord, InvalidArgument):
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.fields)

    def __bool__(self) -> bool:
        return True  # also without fields

    @property
    def datasets(self) -> List[Any]:
        """Plain datasets of an HDF5 file, which are not recognised as fields: a list of :class:`limequat.hdf5.Stat` with path,
        type and shape. ``limequat.read(path, dataset, as_="gauge")`` reads one as a field. Empty for other formats."""
        return datasets.plain(self.path, self.catalog)

    @property
    def format(self) -> str:
        """Name of the format."""
        return self.catalog["format"]

    @property
    def lattice(self) -> Optional[Tuple[int, ...]]:
        """Extents x, y, z, t of the first field, or None."""
        return tuple(self.catalog["fields"][0]["lattice"]) if self.catalog["fields"] else None

    @property
    def metadata(self) -> Dict[str, str]:
        """Texts of the file, as a dict; of texts with the same name only the first."""
        return metadata_of(self.catalog)

    @property
    def findings(self) -> List[Answer]:
        """Notable facts about the file."""
        return self.catalog["findings"]

    def to_xarray(self, slices: Slices = "auto") -> Any:
        """An xarray.Dataset of all fields; fields with the same name are called "NAME[0]", "NAME[1]" and so on.

        slices  as in :meth:`FieldView.to_xarray`

        Raises ImportError if xarray is missing, Unsupported if the fields have different lattices.
        """
        return labelled.dataset(self, slices)

    def __repr__(self) -> str:
        lattice = " of " + "x".join(map(str, self.lattice)) if self.lattice else ""
        return f"<file {name_of(self.path)!r}: {self.format}{lattice}, {self.fields!r}>"

    def __str__(self) -> str:
        lines = [f"{name_of(self.path)}: {self.format}"]
        lines += _first([f"  {view.name} [{view.index}] {view.kind} {list(view.shape)} {view.dtype}" for view in self.fields], "fields")
        if self.format == "hdf5" and not self.fields:
            return "\n".join(lines + _first([f"  dataset {one.path} {list(one.shape)} {one.type}" for one in self.datasets], "datasets"))
        records = [f"  record {entry['type']} {entry['data_length']} bytes" for entry in self.catalog["records"]]
        return "\n".join(lines + _first(records, "records"))

    def _repr_html_(self) -> str:
        findings = [(finding["severity"], finding["message"]) for finding in self.findings]
        return (_fields_table(f"{name_of(self.path)}: {self.format}", self.fields)
                + (table("texts", ("name", "text"), self.metadata.items()) if self.metadata else "")
                + (table("worth saying", ("", "finding"), findings) if findings else ""))


def _fields_table(title, fields):
    return table(title, ("field", "number", "kind", "shape", "numbers"),
                 [(view.name, view.index, view.kind, list(view.shape), view.dtype) for view in fields])


def _first(lines, what, most=20):
    """Lines for a screen: at most that many, and the number of the others."""
    return lines if len(lines) <= most else [*lines[:most], f"  ... and {len(lines) - most} more {what}"]


def _names_text(names, what):
    """"2 fields: 'gauge', 'spinor'", each name once."""
    distinct = list(dict.fromkeys(names))
    shown = ", ".join(map(repr, distinct[:4])) + (", ..." if len(distinct) > 4 else "")
    return f"{len(names)} {what}{'' if len(names) == 1 else 's'}" + (f": {shown}" if names else "")


class Fields:
    """The fields of a file, by name, by (name, number from 0), or by number."""

    def __init__(self, path, file, catalog, grid, identities):
        self._path, self._file, self._catalog, self._grid = path, file, catalog, grid
        self._identities, self._lock = identities, threading.Lock()

    def __len__(self) -> int:
        return len(self._catalog["fields"])

    def __iter__(self) -> Iterator["FieldView"]:
        return (self[number] for number in range(len(self)))

    def __contains__(self, name: object) -> bool:
        return any(entry["name"] == name for entry in self._catalog["fields"])

    def __getitem__(self, key: FieldName) -> "FieldView":
        name, index = field_name(key)
        entry = find_entry(self._catalog, name, index)
        named = [other for other in self._catalog["fields"] if other["name"] == entry["name"]]
        number = next(i for i, other in enumerate(named) if other is entry)
        identity = self._identities[entry["file"]]
        if identity is not None and not is_one_file(self._catalog, identity[2]):
            entry = {**entry, "in_order": False}
        return FieldView(self._path, self._file, entry, number, self._grid, self._place_of(entry), self._lock)

    def _place_of(self, entry):
        """(path, identity) of the physical file that holds a field."""
        files, number = self._catalog.get("files") or [self._path], entry["file"]
        return files[number], self._identities[number]

    def __repr__(self) -> str:
        return f"<{_names_text(self.names(), 'field')}>"

    def _repr_html_(self) -> str:
        return _fields_table(_names_text(self.names(), "field"), self)

    def names(self) -> List[str]:
        """Names in the order of the file."""
        return [entry["name"] for entry in self._catalog["fields"]]


class Records:
    """The records of a file: iterating gives their descriptions, indexing by type (and number) their bytes."""

    def __init__(self, path, file, catalog):
        self._path, self._file = path, file
        self._entries, self._holds_streams = catalog["records"], catalog["format"] == "sion"

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self._entries)

    def __repr__(self) -> str:
        return f"<{_names_text([entry['type'] for entry in self._entries], 'record')}>"

    def _repr_html_(self) -> str:
        return table(_names_text([entry["type"] for entry in self._entries], "record"), ("record", "offset", "bytes"),
                     [(entry["type"], entry["offset"], entry["data_length"]) for entry in self._entries])

    def __contains__(self, type: object) -> bool:
        return any(entry["type"] == type for entry in self._entries)

    def __getitem__(self, key: FieldName) -> Any:
        name, index = field_name(key)
        if name is None:
            return self._entries[index]
        if self._holds_streams:
            return read_record(self._path, name, index)
        pieces = []
        sink = structs.Sink(lambda data, count, context: pieces.append(ctypes.string_at(data, count)))
        call("lq_file_read_record", _opened(self._file, self._path), text_bytes(name, "the type"), index, sink, None)
        return b"".join(pieces)


class FieldView:
    """A field in a file; numbers are read when it is indexed: field[8:16] reads only time slices 8 to 15.

    name, index  the name, and the number, from 0, among fields of that name
    lock         held during a read with several threads: one file serves one thread at a time
    """

    name: str
    index: int

    def __init__(self, path, file, entry, index, grid, place, lock):
        self._path, self._file, self._grid, self._place, self.lock = path, file, grid, place, lock
        self._entry, self._site = entry, field_of(entry)
        self.name, self.index = entry["name"], index

    @property
    def kind(self) -> str:
        """One of "gauge", "spinor", "propagator" or "generic"."""
        return self._site.kind

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers in the file."""
        return self._site.dtype

    @property
    def lower(self) -> Tuple[int, ...]:
        """[t, z, y, x] of the first stored site; not zeros for a part of the lattice."""
        return tuple(self._entry["stored"]["lower"])[::-1]

    @property
    def shape(self) -> Tuple[int, ...]:
        """[t, z, y, x, ...] of the stored part: the lattice, or a part of it that begins at ``lower``."""
        return tuple(self._entry["stored"]["extents"])[::-1] + self._site.site

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def lattice(self) -> Tuple[int, ...]:
        """Extents x, y, z, t of the whole lattice."""
        return tuple(self._entry["lattice"])

    @property
    def site_shape(self) -> Tuple[int, ...]:
        """The axes of a site, the last ones of ``shape``."""
        return self._site.site

    @property
    def checksum(self) -> Optional[Dict[str, Any]]:
        """The checksum stored in the file, or None."""
        return self._entry["checksum"]

    @property
    def metadata(self) -> Dict[str, str]:
        """Texts of this field, as a dict."""
        return metadata_of(self._entry)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<{self.kind} field {self.name!r} number {self.index}, {list(self.shape)} {self.dtype}>"

    def _repr_html_(self) -> str:
        facts = [("shape", list(self.shape)), ("numbers", self.dtype),
                 ("checksum", _checksum_text(self.checksum) if self.checksum else "none"), *self.metadata.items()]
        return table(f"{self.kind} field {self.name}, number {self.index}", ("", "value"), facts)

    @takes("ReadOptions", without=("field", "index"))
    def read(self, region: Optional[Region] = None, dtype: Optional[Dtype] = None, verify: bool = True, *,
             out: Any = None, **options: "Unpack[FurtherReadOptions]") -> NDArray[Any]:
        """As :func:`limequat.read`.

        {options}
        """
        with agreed(require_grid(self._grid)):
            file = _opened(self._file, self._path)
            request = read_request(self._entry, self.name, self.index, region, dtype, {**options, "verify": verify},
                                   self._grid, out)
        return finish_read(file, request)

    def _require_whole(self):
        if self._grid is not None:
            raise Unsupported(f"{self._path}: the file was opened with a grid, so that read() gives this rank's box; to read "
                              "slices on one rank, open it without", path=str(self._path), record=self.name)

    def __getitem__(self, key: Any) -> NDArray[Any]:
        return self.part(key)

    def part(self, key: Any, verify: bool = True) -> NDArray[Any]:
        """What ``key`` gives as numpy indexes, with integers, slices of any step, and lists, arrays or masks of sites; only the sites that are needed
        are read, of an index of one list on one axis those in it. With ``verify``, they are verified where the file has checksums
        of them."""
        self._require_whole()
        key = _one_per_axis(key, self.ndim)
        dims = len(self._entry["lattice"])
        key = tuple(_as_index(part, axis, self.shape[axis]) for axis, part in enumerate(key))
        spans = [_span(part, axis, self.shape[axis]) for axis, part in enumerate(key[:dims])]
        if any(box.start == box.stop for box, _ in spans):
            return np.broadcast_to(np.zeros((), self.dtype), self.shape)[key].copy()
        lists = [axis for axis, part in enumerate(key[:dims]) if isinstance(part, np.ndarray)]
        if len(lists) == 1:
            return self._read_runs(spans, lists[0], key, verify)
        return self._read_box([box for box, _ in spans], verify)[tuple(within for _, within in spans) + key[dims:]]

    def _read_box(self, boxes, verify):
        """The sites of slices of the lattice axes, counted from what is stored."""
        dims = len(boxes)
        region = {dims - 1 - axis: slice(first + box.start, first + box.stop)
                  for axis, (first, box) in enumerate(zip(self.lower, boxes))}
        return self.read(region) if verify else self.read(region, verify=False)

    def _read_runs(self, spans, axis, key, verify):
        """The indices of a list along one axis: each run of adjacent ones is read separately."""
        boxes, wanted = [box for box, _ in spans], np.unique(key[axis])
        cuts = np.flatnonzero(np.diff(wanted) > 1) + 1
        pieces = []
        for run in np.split(wanted, cuts):
            boxes[axis] = slice(int(run[0]), int(run[-1]) + 1)
            pieces.append(self._read_box(boxes, verify))
        inside = [within for _, within in spans]
        inside[axis] = np.searchsorted(wanted, key[axis])
        numbers = pieces[0] if len(pieces) == 1 else np.concatenate(pieces, axis)
        return numbers[tuple(inside) + key[len(spans):]]

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.read(), dtype=dtype)

    def to_xarray(self, slices: Slices = "auto") -> Any:
        """An xarray.DataArray with named dimensions: t, z, y, x, then mu, row, column of a gauge field; spin, color; sink_spin,
        source_spin, sink_color, source_color; or n. Its coordinates are those of the sites, its attributes the texts.

        slices  number of time slices in a chunk of dask, which is read when it is needed, and verified if the file has
                checksums of time slices; None: everything is read now; default: 1 if dask is installed, otherwise None

        Raises ImportError if xarray, or dask with slices, is missing; chunks of a closed file raise
        WrongState. Unsupported: the file was opened with a grid.
        """
        self._require_whole()
        return labelled.data_array(self, slices)

    def memmap(self, mode: Literal["r", "c"] = "r") -> NDArray[Any]:
        """The numbers in the file, mapped into memory: a numpy.memmap [t, z, y, x, ...], which allocates no memory and
        outlives the file object. It has the byte order of the file (dtype ">c16" in ILDG files). No checksum is compared; use
        verify().

        mode  "r" (read-only) or "c" (changes stay in memory)

        Raises Unsupported if the numbers are not stored as such an array: chunks, compression, omitted rows, other orders of
        sites; and for file objects and URLs.
        """
        if mode not in ("r", "c"):
            raise InvalidArgument(f"mode is {mode!r}, expected 'r' or 'c': files are not changed in place", found=repr(mode))
        if not self._entry.get("in_order"):
            raise Unsupported(f"{self._path}: the numbers of field {self.name!r} are not stored as an array, so they cannot be mapped; "
                              "read them: [...]", path=str(self._path), record=self.name)
        _opened(self._file, self._path)
        if source_of(self._path) is not None:
            raise Unsupported(f"{self._path}: a file object or a URL cannot be mapped; read it: [...]",
                              path=str(self._path), record=self.name)
        path, identity = self._place
        order: Literal["<", ">"] = ">" if self._entry["byte_order"] == "big" else "<"
        with io.open(path, "rb") as file:
            if _identity(file.fileno()) != identity:
                raise WrongState(f"{path}: this is not the file that was opened: open it again",
                                 path=str(path))
            return np.memmap(file, self.dtype.newbyteorder(order), mode, self._entry["offset"], self.shape)

    def verify(self) -> None:
        """Reads the data of the file and compares them with the stored checksum; raises ChecksumError if they differ."""
        verdicts = verify(self._path, comm=self._grid, physics=False)["fields"]
        mine = [v for v in verdicts if (v["name"], v["index"]) == (self.name, self.index)]
        if not mine:
            raise NoSuchRecord(f"{self._path}: field {self.name!r} number {self.index} could not be verified",
                               path=str(self._path), record=self.name)
        if mine[0]["checksum_status"] == "mismatch":
            found, stored = _checksum_text(mine[0]["computed"]), _checksum_text(mine[0]["stored"])
            raise ChecksumError(f"{self._path}: field {self.name!r} number {self.index}: the checksum of the data is "
                                f"{found}, the file states {stored}: the data are damaged", path=str(self._path),
                                record=self.name, expected=stored, found=found)


def _identity(file):
    """What distinguishes a file, given by path or descriptor, from one that took its name."""
    known = os.stat(file)
    return known.st_dev, known.st_ino, known.st_size


def _identities(catalog):
    """The identities of the physical files; None for one that does not exist under its name."""
    found = []
    for path in catalog.get("files") or [catalog["path"]]:
        try:
            found.append(_identity(path))
        except OSError:
            found.append(None)
    return found


def _opened(file, path):
    """The handle, unless it was closed."""
    if file:
        return file
    raise WrongState(f"{path}: this file is closed; open it again", path=str(path))


def _checksum_text(checksum):
    return f"{checksum['suma']}/{checksum['sumb']}"


def _one_per_axis(key, ndim):
    """An index as a tuple with an entry for each axis."""
    key = key if isinstance(key, tuple) else (key,)
    dots = [place for place, part in enumerate(key) if part is Ellipsis]
    place = dots[0] if dots else len(key)
    before, after = key[:place], key[place + 1:]
    missing = ndim - len(before) - len(after)
    if len(dots) > 1 or missing < 0:
        raise IndexError(f"the index {key} does not fit a field of {ndim} axes")
    return before + (slice(None),) * missing + after


def _as_index(part, axis, extent):
    """A list, an array of integers or a mask as an array of numbers from 0; anything else unchanged."""
    if part is None or isinstance(part, (bool, np.bool_)):
        raise IndexError(f"axis {axis} is indexed by {part!r}, expected an integer, a slice, a list of sites or a mask; "
                         "read the numbers first to add axes: field[...][None]")
    if isinstance(part, (slice, int, np.integer)):
        return part
    if not isinstance(part, (list, tuple, range, np.ndarray)):
        return part
    try:
        chosen = np.asarray(part)
    except ValueError:
        raise IndexError(f"axis {axis} is indexed by lists of different lengths") from None
    if chosen.ndim == 0 and chosen.dtype.kind in "iu":
        return int(chosen)
    if chosen.ndim != 1:
        raise IndexError(f"axis {axis} is indexed by an array of {chosen.ndim} dimensions, expected one: a list of sites, or a mask")
    if chosen.dtype.kind == "b":
        if len(chosen) != extent:
            raise IndexError(f"a mask of {len(chosen)} for axis {axis}, which has {extent} sites")
        return np.flatnonzero(chosen)
    if len(chosen) == 0:
        return chosen.astype(np.intp)
    if chosen.dtype.kind not in "iu":
        raise IndexError(f"axis {axis} is indexed by an array of {chosen.dtype}, expected integers or a mask")
    low, high = int(chosen.min()), int(chosen.max())
    if low < -extent or high >= extent:
        raise IndexError(f"index {low if low < -extent else high} is out of bounds for axis {axis} with {extent} sites")
    return np.where(chosen < 0, chosen + extent, chosen).astype(np.intp)


def _span(part, axis, extent):
    """(slice to be read, index within that) for an integer or slice on a lattice axis."""
    if isinstance(part, np.ndarray):
        if len(part) == 0:
            return slice(0, 0), part
        return slice(int(part.min()), int(part.max()) + 1), part - part.min()
    if isinstance(part, slice):
        chosen = range(extent)[part]
        if len(chosen) == 0:
            return slice(0, 0), part
        low, high = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1])
        return slice(low, high + 1), slice(None, None, chosen.step)
    try:
        site = range(extent)[part]
    except TypeError:
        raise IndexError(f"axis {axis} is indexed by {part!r}, expected an integer or a slice") from None
    except IndexError:
        raise IndexError(f"index {part} is outside axis {axis} with {extent} sites") from None
    return slice(site, site + 1), 0
