# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sessions with HDF5 files: groups browsed like folders; small objects, lattice fields and attributes.

    >>> with lq.hdf5.open("run.h5", "a") as h:
    ...     h.push("conf.0010")
    ...     h.write("pion", c, axes={"momentum": None, "t": range(64)})
    ...     h.write_field("gauge", u)
    ...     h.set_attr(".", "beta", 6.0)
    >>> with lq.hdf5.open("run.h5") as h:
    ...     h.ls(), h["conf.0010/pion"], h.attrs("conf.0010"), h["conf.0010/gauge"]

Paths are absolute, or relative to the current group of the session. flush() and the end of the with block write all
changes to the file: all of them or none, whenever the program is killed.
"""

from __future__ import annotations

import ctypes
import warnings
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Literal, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from limequat import structs
from limequat._library import Handle, answer, path_bytes, text_bytes, text_from
from limequat.answers import parse
from limequat.arrays import looks_like_field, require_unmasked
from limequat.communicators import agreed, arguments_of, call_together, group_of
from limequat.display import name_of, table
from limequat.errors import InvalidArgument, NoSuchRecord, WrongState
from limequat.grid import Grid, require_grid
from limequat.options import Options, takes
from limequat.transfer import find_entry, read_request, written

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from limequat.annotations import ArrayIn, Comm, Dtype, Kind, Paths, Region, Target
    from limequat.answers import Answer
    from limequat.option_types import Hdf5Options, FurtherReadOptions, Unpack, WriteOptions

__all__ = ["Entry", "File", "Stat", "open"]

_MODES = {"r": 0, "x": 1, "w": 1, "a": 2}
_KINDS = ("group", "dataset", "type", "link", "other")
_STATUS = ("ok", "absent", "mismatch", "unchecked")
_DTYPES = (np.int32, np.int64, np.uint64, np.float32, np.float64, np.complex64, np.complex128)
_TEXT = len(_DTYPES)


@takes("Hdf5Options")
def open(path: Target, mode: Literal["r", "x", "w", "a"] = "r", *, comm: Optional[Comm] = None,
         **options: "Unpack[Hdf5Options]") -> "File":
    """Opens a session with the file ``path``: a :class:`File`, to be used in a with block.

    mode  "r" reads; "x" creates a new file, "w" also replaces an existing one; "a" appends in place, or creates one
    comm  an mpi4py communicator, a :class:`limequat.Communicator` or Grid: all calls are then collective, with the same
          arguments except arrays of fields. A Grid is also the default of ``grid=`` for fields
    {options}
    """
    return File(path, mode, options, comm)


class Entry(NamedTuple):
    """A member of a group."""

    name: str
    kind: str  # "group", "dataset", "type", "link", "other"
    target: str = ""  # of a link


class Stat(NamedTuple):
    """The facts about an object, without its data."""

    path: str
    kind: str
    type: str
    shape: Tuple[int, ...]
    storage: str
    chunk: Optional[Tuple[int, ...]]
    filters: Tuple[str, ...]
    bytes: int
    unused_bytes: int  # of "/"
    microseconds: Optional[int]  # since 1970
    checksum: str
    layout: str
    object: str
    attributes: int


class File:
    """A session with a file; made by :func:`open`."""

    path: Any
    mode: str

    def __init__(self, path: Target, mode: str = "r", options: Any = (), comm: Optional[Comm] = None) -> None:
        self.path, self.mode, self._group = path, mode, group_of(comm)
        self._grid = comm if isinstance(comm, Grid) else None
        with agreed(self._group):
            if mode not in _MODES:
                raise InvalidArgument(f"mode is {mode!r}, expected one of {', '.join(map(repr, _MODES))}")
            options = dict(options)
            if mode == "w":
                options["overwrite"] = True
            name, how = path_bytes(path), Options("Hdf5Options", options).over(self._group)
        self._handle = Handle("lq_hdf5_free", "lq_hdf5_open", name, _MODES[mode], how)

    def __enter__(self) -> "File":
        return self

    def __exit__(self, kind: object, *exception: object) -> None:
        if kind is None and self._handle:
            self.close()
        else:
            self.discard()

    def __repr__(self) -> str:
        state = f"in {self.pwd}" if self._handle else "closed"
        return f"<session with {name_of(self.path)!r}, mode {self.mode!r}, {state}>"

    def _repr_html_(self) -> str:
        members = [(entry.name, entry.kind, entry.target) for entry in self.ls()] if self._handle and self._group is None else []
        return table(repr(self)[1:-1], ("name", "kind", "target"), members)

    def close(self) -> None:
        """Flushes; a new file gets its name."""
        self._call("lq_hdf5_close")
        self._handle.free()

    def discard(self) -> None:
        """Ends the session and discards changes that were not flushed; a new file does not appear."""
        self._handle.free()

    def flush(self) -> None:
        """Writes all changes so far to the file, all of them or none."""
        self._call("lq_hdf5_flush")

    @property
    def pwd(self) -> str:
        """The current group of the session."""
        return answer("lq_hdf5_pwd", self._open()).decode("utf-8", "surrogateescape")

    def cd(self, path: str) -> None:
        """Goes to a group."""
        self._call("lq_hdf5_cd", lambda: (_path(path),))

    def push(self, path: str) -> None:
        """The same, but creates missing groups; :meth:`pop` returns."""
        self._call("lq_hdf5_push", lambda: (_path(path),))

    def pop(self) -> None:
        """Returns to the group before the last push()."""
        self._call("lq_hdf5_pop")

    def ls(self, path: str = ".") -> List[Entry]:
        """The members of a group in order of name: a list of :class:`Entry`."""
        entries = []
        visit = structs.Hdf5Visit(
            lambda name, kind, target, context: entries.append(Entry(_name(name), _KINDS[kind], _name(target))))
        self._call("lq_hdf5_ls", lambda: (_path(path), visit, None))
        return entries

    def stat(self, path: str = ".") -> Stat:
        """The facts about an object: a :class:`Stat`."""
        facts = structs.Hdf5Facts(struct_size=ctypes.sizeof(structs.Hdf5Facts))
        self._call("lq_hdf5_stat", lambda: (_path(path), ctypes.byref(facts)))
        shape = tuple(facts.extents[:facts.dimensions])
        return Stat(_name(facts.path), _KINDS[facts.kind], _name(facts.type), shape, _name(facts.storage),
                    tuple(facts.chunk[:facts.dimensions]) if facts.is_chunked else None,
                    tuple(filter(None, _name(facts.filters).split(","))), facts.bytes, facts.unused_bytes,
                    facts.microseconds if facts.has_time else None, _name(facts.checksum), _name(facts.layout),
                    _name(facts.object), facts.attributes)

    def exists(self, path: str) -> bool:
        """True if there is such an object."""
        found = ctypes.c_int()
        self._call("lq_hdf5_exists", lambda: (_path(path), ctypes.byref(found)))
        return found.value != 0

    __contains__ = exists

    def keys(self) -> List[str]:
        """Names of the members of the current group, in order."""
        return [entry.name for entry in self.ls()]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __bool__(self) -> bool:
        return True  # also without members

    def mkdir(self, path: str) -> None:
        """Creates a group and its missing parents."""
        self._call("lq_hdf5_mkdir", lambda: (_path(path),))

    def remove(self, path: str) -> None:
        """Removes an object, or a group with its contents. Its space in the file stays unused."""
        self._call("lq_hdf5_remove", lambda: (_path(path),))

    __delitem__ = remove

    def rename(self, old: str, new: str) -> None:
        """Gives the object ``old`` the path ``new``."""
        self._call("lq_hdf5_rename", lambda: (_path(old), _path(new)))

    def copy(self, old: str, new: str) -> None:
        """Copies the small object or group ``old`` to the path ``new``."""
        self._call("lq_hdf5_copy", lambda: (_path(old), _path(new)))

    def write(self, path: str, value: Any, *, axes: Union[Sequence[str], Mapping[str, Any], None] = None,
              replace: bool = False) -> None:
        """Writes a small object ``value``: a number, a text, or an array of them.

        axes     names of the dimensions, or a dict of names and coordinates (None: no coordinates), so that xarray
                 opens the file with them
        replace  replace an object of that name

        Warns if an array has the shape of a field: use :meth:`write_field` for fields.
        """
        _warn_of_field(path, value)
        self._call("lq_hdf5_write", lambda: (_path(path), ctypes.byref(_to_c(value, axes)), int(bool(replace))))

    def read(self, path: str) -> Any:
        """A small object: a number, a text, an array of numbers, or a list of texts."""
        return self.read_checked(path)[0]

    def read_checked(self, path: str) -> Tuple[Any, str]:
        """(object, status): "ok", "absent" or "mismatch", by its SHA-256."""
        value = self._value("lq_hdf5_read", lambda: (_path(path),))
        return _from_c(answer("lq_hdf5_value_array", value).contents), _STATUS[answer("lq_hdf5_value_status", value)]

    def axes(self, path: str) -> Dict[str, Optional[NDArray[Any]]]:
        """Names of the dimensions of a small object, with their coordinates or None: a dict."""
        value = self._value("lq_hdf5_read", lambda: (_path(path),))
        array = answer("lq_hdf5_value_array", value).contents
        if not array.axes:
            return {}
        return {_name(array.axes[d].name): np.array(array.axes[d].coordinates[:array.extents[d]])
                if array.axes[d].coordinates else None for d in range(array.dimensions)}

    @takes("WriteOptions", without=("format", "name", "sync"))
    def write_field(self, path: str, array: ArrayIn, *, kind: Optional[Kind] = None, dims: Optional[int] = None,
                    grid: Optional[Grid] = None, **options: "Unpack[WriteOptions]") -> Answer:
        """Writes a lattice field, which is in the file when this returns; arguments as in :func:`limequat.write`.
        overwrite replaces an object of that name.

        {options}
        """
        return written(grid or self._grid, array, kind, dims, options, "lq_hdf5_write_field",
                       lambda: (self._open(), _path(path)))

    @takes("ReadOptions", without=("field", "index"))
    def read_field(self, path: str, region: Optional[Region] = None, dtype: Optional[Dtype] = None, verify: bool = True,
                   *, grid: Optional[Grid] = None, out: Any = None, **options: "Unpack[FurtherReadOptions]") -> NDArray[Any]:
        """Reads a lattice field; arguments as in :func:`limequat.read`.

        {options}
        """
        name = self.stat(path).path
        catalog, grid = parse(text_from("lq_hdf5_catalog", self._open())), grid or self._grid
        with agreed(require_grid(grid)):
            entry = find_entry(catalog, name[1:] or "/", 0)
            array, field, how, grid = read_request(entry, None, 0, region, dtype, {**options, "verify": verify}, grid,
                                                    out)
        self._call("lq_hdf5_read_field", lambda: (_path(name), grid, field, how))
        return array

    def fields(self) -> List[str]:
        """Paths of all lattice fields."""
        entries = parse(text_from("lq_hdf5_catalog", self._open()))["fields"]
        return ["/" + entry["name"].lstrip("/") for entry in entries]

    def __getitem__(self, path: str) -> Any:
        """A lattice field, or a small object."""
        known = self.stat(path)
        if known.kind != "group" and not known.layout and len(known.shape) < 4:
            return self.read(path)
        if known.path in self.fields():
            return self.read_field(path)
        if known.kind == "group":
            raise NoSuchRecord(f"{self.path}: {known.path} is a group; its members are "
                               + (", ".join(entry.name for entry in self.ls(path)) or "none"), path=str(self.path),
                               record=known.path)
        return self.read(path)

    def __setitem__(self, path: str, value: Any) -> None:
        """Writes a small object, replacing an existing one."""
        self.write(path, value, replace=True)

    def attrs(self, path: str = ".") -> Dict[str, Any]:
        """The attributes of an object: a dict."""
        found = {}

        def visit(name, array, context):
            found[_name(name)] = _from_c(array.contents)

        self._call("lq_hdf5_attributes", lambda: (_path(path), structs.Hdf5VisitAttribute(visit), None))
        return found

    def attr(self, path: str, name: str) -> Any:
        """One attribute of an object."""
        value = self._value("lq_hdf5_attribute", lambda: (_path(path), _path(name)))
        return _from_c(answer("lq_hdf5_value_array", value).contents)

    def set_attr(self, path: str, name: str, value: Any) -> None:
        """Writes an attribute ``name`` of the object ``path``, ``value``, replacing an existing one."""
        self._call("lq_hdf5_set_attribute", lambda: (_path(path), _path(name), ctypes.byref(_to_c(value, None))))

    def del_attr(self, path: str, name: str) -> None:
        """Removes an attribute."""
        self._call("lq_hdf5_remove_attribute", lambda: (_path(path), _path(name)))

    def _open(self):
        if self._handle:
            return self._handle
        raise WrongState(f"{self.path}: this session is over; open the file again", path=str(self.path))

    def _call(self, name, make=tuple):
        call_together(self._group, name, lambda: (self._open(), *make()))

    def _value(self, name, make):
        return Handle("lq_hdf5_value_free", name, *arguments_of(self._group, name, lambda: (self._open(), *make())))


def _warn_of_field(path, value):
    kind = looks_like_field(value) if isinstance(value, np.ndarray) else None
    if kind:
        warnings.warn(f"{path}: an array of shape {list(value.shape)} is stored as plain numbers here; if it is a {kind} field, "
                      "write_field(path, array) stores it as one, which verify, convert and read recognise", stacklevel=3)


def _path(path):
    return text_bytes(path, "a path within the file")


def _name(text):
    return text.decode("utf-8", "surrogateescape")


def _as_array(value):
    """(number in lq_hdf5_type, contiguous array or list of texts, shape)."""
    if isinstance(value, str):
        return _TEXT, [value], ()
    require_unmasked(value)
    values = np.asarray(value)
    if values.dtype.kind == "U":
        return _TEXT, values.ravel().tolist(), values.shape
    if values.dtype.kind == "b" or values.dtype in (np.int8, np.int16, np.uint8, np.uint16):
        values = values.astype(np.int32)
    elif isinstance(value, int) and -1 << 31 <= value < 1 << 31:
        values = np.asarray(value, np.int32)
    elif values.dtype == np.uint32:
        values = values.astype(np.uint64)
    for number, dtype in enumerate(_DTYPES):
        if values.dtype.newbyteorder("=") == dtype:
            return number, np.array(values, dtype, order="C", ndmin=values.ndim), values.shape
    raise InvalidArgument(f"an object of type {values.dtype} cannot be written here; numbers of 32 or 64 bits, complex "
                          "ones and texts can", found=str(values.dtype))


def _to_c(value, axes):
    """The Hdf5Array of a value, which owns what it points to."""
    number, values, shape = _as_array(value)
    if len(shape) > 32:
        raise InvalidArgument(f"an array of {len(shape)} dimensions, expected at most 32")
    array = structs.Hdf5Array(type=number, dimensions=len(shape))
    array.extents[:len(shape)] = shape
    kept = [values]
    if number == _TEXT:
        if any("\0" in text for text in values):
            raise InvalidArgument("a text holds a NUL character")
        texts = (ctypes.c_char_p * max(len(values), 1))(*[text.encode("utf-8", "surrogateescape") for text in values])
        kept.append(texts)
        array.data = ctypes.cast(texts, ctypes.c_void_p)
    else:
        array.data = values.ctypes.data
    if axes is not None:
        array.axes = _axes_to_c(axes, shape, kept)
    array.kept = kept
    return array


def _axes_to_c(axes, shape, kept):
    axes = dict(axes) if hasattr(axes, "keys") else dict.fromkeys(axes)
    if len(axes) != len(shape):
        raise InvalidArgument(f"{len(axes)} axes for {len(shape)} dimensions")
    made = (structs.Hdf5Axis * max(len(axes), 1))()
    for axis, extent, (name, coordinates) in zip(made, shape, axes.items()):
        axis.name = _path(name)
        if coordinates is None:
            continue
        numbers = np.ascontiguousarray(coordinates, np.float64)
        if numbers.shape != (extent,):
            raise InvalidArgument(f"axis {name!r} has {numbers.size} coordinates for an extent of {extent}")
        kept.append(numbers)
        axis.coordinates = numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    kept.append(made)
    return made


def _from_c(array):
    """A copy: a number, a text, an array, or a list of texts."""
    shape = tuple(array.extents[:array.dimensions])
    count = int(np.prod(shape, dtype=np.uint64)) if shape else 1
    if array.type == _TEXT:
        texts = ctypes.cast(array.data, ctypes.POINTER(ctypes.c_char_p))
        found = [_name(texts[i]) for i in range(count)]
        return found if shape else found[0]
    dtype = np.dtype(_DTYPES[array.type])
    values = np.frombuffer(ctypes.string_at(array.data, count * dtype.itemsize) if count else b"", dtype)
    return values.reshape(shape).copy() if shape else values[0]
