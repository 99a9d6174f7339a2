# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sets of modes: many vectors on one lattice in one file, each with its eigenvalue.

    >>> with lq.modes.create("low.modes", (16, 16, 16, 32), operator="hermitian Wilson",
    ...                      parameters={"kappa": 0.125}) as m:
    ...     m.append(v, eigenvalue=0.0123, residual=1e-9)
    >>> with lq.modes.open("low.modes") as m:
    ...     len(m), m.eigenvalues, m[0]
    ...     for k, v in m.ahead(): ...

A mode is in the set permanently when append() returns, whenever the program ends. Any vector is read directly,
whatever their number.
"""

from __future__ import annotations

import ctypes
import math
from operator import index as whole
from typing import TYPE_CHECKING, Any, Dict, Iterator, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from limequat import structs
from limequat._library import Handle, answer, call, path_bytes, take_text, text_bytes
from limequat.answers import parse
from limequat.arrays import Field, KINDS, adapted, described, memory_for
from limequat.communicators import agreed, arguments_of, call_together, group_of
from limequat.display import name_of, table
from limequat.errors import InvalidArgument, NoSuchRecord, WrongState
from limequat.extents import extents_of
from limequat.grid import Grid, require_grid
from limequat.options import Options, takes
from limequat.transfer import warn_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from limequat.annotations import ArrayIn, Comm, Dtype, Extents, Parity, Path, Storage, Target
    from limequat.answers import Answer
    from limequat.option_types import FurtherReadOptions, ReadOptions, Unpack, WriteOptions

__all__ = ["Set", "Writer", "append", "convert", "create", "open"]

_STORAGE = {"fixed16": 16, "single": 32, "double": 64}
_PARITY = ("both", "even", "odd")
_ALL = 2**64 - 1
_TOLERANCE = 0.01


def open(path: Path, *, ls: int = 1, parity: Optional[Parity] = None, lattice: Optional[Extents] = None,
         grid: Optional[Grid] = None) -> "Set":
    """Opens the set ``path`` for reading: a :class:`Set`. It may be one of QUDA, MILC, Grid or QDP++ (.mod), a folder v0.bin, ... of
    Hadrons, or one of compressed eigenvectors (eigen-comp).

    ls      extent of the fifth dimension, which files of QUDA do not state
    parity  "even" or "odd", of vectors on half of the sites, which files of Grid do not state
    lattice extents x, y, z, t, which folders of eigen-comp do not always state
    grid    a :class:`limequat.Grid` of the sites of the vectors (half the extent in x for one parity): collective, each
            rank reads its box
    """
    return Set(path, ls=ls, parity=parity, lattice=lattice, grid=grid)


@takes("WriteOptions", without=("format", "name", "precision", "metadata", "measure", "slice_checksums", "layout",
                                "dataset_chunk", "filters", "time_stamps", "protect", "progress"))
def create(path: Target, lattice: Extents, *, grid: Optional[Grid] = None,
           kind: Literal["spinor", "propagator", "generic"] = "spinor", shape: Optional[Sequence[int]] = None,
           dtype: Optional[Dtype] = None, storage: Storage = "double", ls: int = 1, parity: Parity = "both",
           operator: str = "", parameters: Optional[Mapping[str, Union[int, float, complex, str]]] = None,
           room: int = 512, basis: int = 0, block: Optional[Extents] = None, tolerance: float = _TOLERANCE,
           **options: "Unpack[WriteOptions]") -> "Writer":
    """Starts the new set ``path``: a :class:`Writer`. The set exists immediately, without modes; with ``overwrite`` an existing
    file stays until the first mode is in the new set, or until a set without modes is closed.

    lattice     extents x, y, z, t of the gauge field
    kind        "spinor", "propagator" or "generic"
    shape       of a vector at a site: default (4, 3), (4, 4, 3, 3); for "generic" it must be given, and dtype if the
                numbers are real
    storage     "double", "single", or "fixed16": 16-bit integers with errors of at most 1/65000 of the largest number of
                the site
    ls          extent of the fifth dimension; arrays are then [t, z, y, x, s, ...]
    parity      "both", "even", "odd": the sites of the vectors; arrays of one parity have half the extent in x
    operator    its name
    parameters  of operator and solver: a dict of int, float, complex, str
    room        capacity of the first block of the index in modes; the index grows if needed
    basis       local coherence: number of modes stored whole; all later ones are stored as their coefficients in each
                block of sites; 0: store every mode whole
    block       extents x, y, z, t of a block, which divide those of the vectors
    tolerance   maximum error of a mode, relative to its norm; other modes are stored whole, too
    grid        a :class:`limequat.Grid` of the sites of the vectors (half the extent in x for one parity): collective,
                each rank passes arrays of its own box

    {options}
    """
    with agreed(require_grid(grid)):
        site = _site(kind, shape, dtype)
        description, kept = _description(lattice, site, storage, ls, parity, operator, parameters or {}, room)
        _set_coherence(description, basis, block, tolerance)
        grid = _grid_of(path, _sites(description), grid)
        name, how = path_bytes(path), Options("WriteOptions", options)
    handle = Handle("lq_modes_writer_free", "lq_modes_create", name, grid, ctypes.byref(description), how)
    del kept
    return Writer(path, handle, grid)


@takes("WriteOptions", without=("format", "name", "precision", "metadata", "measure", "slice_checksums", "layout",
                                "dataset_chunk", "filters", "time_stamps", "protect", "progress", "overwrite"))
def append(path: Target, *, grid: Optional[Grid] = None, **options: "Unpack[WriteOptions]") -> "Writer":
    """Opens the existing set ``path`` for appending: a :class:`Writer`.

    {options}
    """
    with Set(path, grid=grid) as there:
        grid = there.grid
    with agreed(grid.communicator):
        name, how = path_bytes(path), Options("WriteOptions", options)
    return Writer(path, Handle("lq_modes_writer_free", "lq_modes_append", name, grid, how), grid)


def convert(source: Path, target: Target, *, storage: Optional[Storage] = None, first: int = 0,
            last: Optional[int] = None, overwrite: bool = False, format: Optional[str] = None, ls: int = 1,
            parity: Optional[Parity] = None, lattice: Optional[Extents] = None, basis: int = 0,
            block: Optional[Extents] = None, tolerance: float = _TOLERANCE, strategy: Optional[str] = None,
            comm: Optional[Comm] = None) -> None:
    """Writes a set from modes first to last - 1 of another one, stored as `storage` says (default: unchanged). Warns of
    stored numbers that are NaN or infinite.

    comm        a communicator or Grid whose ranks share the work

    format      of the new set: "modes", or "quda", "milc", "grid", "grid-folder", "mod" for those programs
    ls, parity, lattice  of the source, as in :func:`open`
    basis, block, tolerance  of the new set, as in :func:`create`
    strategy    "direct", "shared" or "messages": how the ranks write the new set; default: the fastest
    """
    group = group_of(comm)
    report = ctypes.c_void_p()
    call_together(group, "lq_modes_convert_reported", lambda: (
        path_bytes(source), path_bytes(target), None if format is None else text_bytes(format, "format"), ls,
        _parity(parity), _extents(lattice), 0 if storage is None else _storage(storage), first,
        _ALL if last is None else last, basis, (ctypes.c_int64 * 8)(*extents_of(block or (), "block")), tolerance,
        Options("WriteOptions", {"overwrite": overwrite, "strategy": strategy}), group, ctypes.byref(report)))
    warn_of(parse(take_text(report)))


class Writer:
    """A set that is open for appending."""

    path: Any

    def __init__(self, path, handle, grid):
        self.path, self._handle, self._grid, self._count = path, handle, grid, None

    def __repr__(self) -> str:
        return f"<writer of the set {name_of(self.path)!r}, {len(self)} modes{'' if self._handle else ', closed'}>"

    def append(self, array: ArrayIn, *, eigenvalue: complex, residual: Optional[float] = None) -> Answer:
        """Appends the vector ``array``, [t, z, y, x, ...]; it is in the set when this returns. Returns a report; warns of
        stored numbers that are NaN or infinite.

        eigenvalue  real or complex
        residual    norm of (operator - eigenvalue) vector, if it is known
        """
        report = ctypes.c_void_p()

        def arguments():
            if not self._handle:
                raise WrongState(f"{self.path}: this writer is closed; modes.append() opens the set again",
                                 path=str(self.path))
            flat, field = _flat(array, self._grid, self.path)
            value = complex(eigenvalue)
            mode = structs.Mode(value.real, value.imag, -1.0 if residual is None else float(residual))
            memory = field.to_c(flat)
            memory.kept = flat
            return self._handle, memory, ctypes.byref(mode), ctypes.byref(report)

        call_together(self._grid.communicator, "lq_modes_writer_append", arguments)
        told = parse(take_text(report))
        warn_of(told)
        return told

    def __len__(self) -> int:
        return self._count if self._count is not None else answer("lq_modes_writer_size", self._handle)

    def close(self) -> None:
        """Closes the set: other programs may append to it from then on. Every appended mode is already in the file."""
        if self._handle:
            call("lq_modes_writer_close", self._handle)
        self._free()

    def _free(self):
        self._count = len(self)
        self._handle.free()

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, kind: object, *exception: object) -> None:
        """An exception leaves a file that was to be replaced, unless the new set has a mode."""
        if kind is None:
            self.close()
        else:
            self._free()


class Set:
    """A set of modes: len(set), set[k] (the vector as an array), ``eigenvalues``, ``residuals`` (nan: not known).

    lattice     extents x, y, z, t of the gauge field; ``sites`` those of the vectors
    grid        the grid with which it was opened
    storage, parity, ls, operator, parameters  as given to :func:`create`
    basis, block, tolerance  local coherence, as given to :func:`create`; basis 0: all modes are stored whole
    errors      upper bound of the error of each mode, relative to its norm, as read in complex128; complex64 rounds
                each number once more, by at most 6e-8 of it. 0 for modes that are stored whole
    family      the program that wrote it: "modes" (this library), "quda", "milc", "grid", "mod" (QDP++), "eigen-comp"
    """

    path: Any
    family: str
    lattice: Tuple[int, ...]
    sites: Tuple[int, ...]
    grid: Grid
    storage: str
    parity: str
    ls: int
    operator: str
    parameters: Dict[str, Union[int, float, complex, str]]
    basis: int
    tolerance: float
    block: Optional[Tuple[int, ...]]
    eigenvalues: NDArray[Any]
    residuals: NDArray[Any]
    errors: NDArray[Any]

    def __init__(self, path: Path, *, ls: int = 1, parity: Optional[Parity] = None, lattice: Optional[Extents] = None,
                 grid: Optional[Grid] = None) -> None:
        self.path = path
        group = require_grid(grid)
        with agreed(group):
            name, side, how = path_bytes(path), _parity(parity), Options("Limits").over(group)
            extents, ls = _extents(lattice), whole(ls)
        self._handle = Handle("lq_modes_free", "lq_modes_open_vectors", name, ls, side, extents, how)
        self.family = answer("lq_modes_family", self._handle).decode()
        known = structs.ModesDescription(struct_size=ctypes.sizeof(structs.ModesDescription))
        call("lq_modes_known", self._handle, ctypes.byref(known))
        self.lattice = tuple(known.lattice[:known.dimensions])
        self.sites = tuple(_sites(known))
        with agreed(group):
            self.grid = _grid_of(path, self.sites, grid)
        self.storage = next(name for name, number in _STORAGE.items() if number == known.storage)
        self.parity, self.ls, self.operator = _PARITY[known.parity], known.ls, known.operator_name.decode()
        self.parameters = {known.parameters[i].name.decode(): _value(known.parameters[i])
                           for i in range(known.parameter_count)}
        self.basis, self.tolerance = known.basis, known.tolerance
        self.block = tuple(known.block[:known.dimensions]) if known.basis else None
        self._site = _site_of(known)
        self._count = answer("lq_modes_size", self._handle)
        modes = [self._mode(k) for k in range(self._count)]
        values = np.array([complex(m.eigenvalue_re, m.eigenvalue_im) for m in modes], dtype=np.complex128)
        self.eigenvalues = values.real.copy() if not values.imag.any() else values
        self.residuals = np.array([math.nan if m.residual < 0 else m.residual for m in modes])
        self.errors = np.array([self._error(k) for k in range(self._count)])

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return (f"<set {name_of(self.path)!r}: {len(self)} modes on {'x'.join(map(str, self.lattice))}, {self.storage}"
                f"{', ' + self.operator if self.operator else ''}>")

    def _repr_html_(self) -> str:
        rows = [(k, self.eigenvalues[k], "" if math.isnan(self.residuals[k]) else self.residuals[k]) for k in range(len(self))]
        return table(repr(self)[1:-1], ("mode", "eigenvalue", "residual"), rows)

    def __getitem__(self, k: int) -> NDArray[Any]:
        with agreed(self.grid.communicator):
            if not isinstance(k, (int, np.integer)):
                raise InvalidArgument(f"the number of a mode is {k!r}, expected an integer")
            if not -len(self) <= k < len(self):
                raise NoSuchRecord(f"{self.path}: mode {k} does not exist; the set has {len(self)} modes, numbered from 0", path=str(self.path))
        return self.read(int(k) % len(self))

    @takes("ReadOptions", without=("field", "index", "region", "limits"))
    def read(self, k: int, dtype: Optional[Dtype] = None, verify: bool = True, *, out: Any = None,
             **options: "Unpack[FurtherReadOptions]") -> NDArray[Any]:
        """Vector number k, [t, z, y, x, ...]; dtype complex128 or complex64, default: as stored. ``out`` as in
        :func:`limequat.read`.

        {options}
        """
        with agreed(self.grid.communicator):
            array, field = memory_for(self._site, self.grid.local, dtype, out)
        call_together(self.grid.communicator, "lq_modes_read", lambda: (
            self._opened(), k, self.grid, field.to_c(array), Options("ReadOptions", {**options, "verify": verify})))
        return array

    @takes("ReadOptions", without=("field", "index", "region", "limits", "progress"))
    def ahead(self, first: int = 0, last: Optional[int] = None, dtype: Optional[Dtype] = None,
              **options: "Unpack[ReadOptions]") -> Iterator[Tuple[int, NDArray[Any]]]:
        """Yields (k, vector) for modes first to last - 1, with numbers of type ``dtype``; reads the next one while you work.

        {options}
        """
        with agreed(self.grid.communicator):
            first, last = whole(first), len(self) if last is None else whole(last)
            how = Options("ReadOptions", options)
            given: Any = options
        if self.family != "modes":  # one by one
            yield from ((k, self.read(k, dtype, **given)) for k in range(first, last))
            return

        def start(k):
            with agreed(self.grid.communicator):
                array, field = memory_for(self._site, self.grid.local, dtype)
                handle = self._opened()
            return Handle("lq_pending_free", "lq_modes_read_async", handle, k, self.grid, field.to_c(array), how), array

        coming: Any = start(first) if first < last else None
        for k in range(first, last):
            (pending, array), coming = coming, start(k + 1) if k + 1 < last else None
            call("lq_pending_wait", pending, None)
            yield k, array

    def close(self) -> None:
        """Closes the file; the facts about the modes remain."""
        self._handle.free()

    def _opened(self):
        if self._handle:
            return self._handle
        raise WrongState(f"{self.path}: this set is closed; open it again", path=str(self.path))

    def _error(self, k):
        error = ctypes.c_double()
        call("lq_modes_error", self._handle, k, ctypes.byref(error))
        return max(error.value, 0.0)

    def _mode(self, k):
        mode = structs.Mode()
        call("lq_modes_mode", self._handle, k, ctypes.byref(mode))
        return mode

    def __enter__(self) -> "Set":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _parity(name):
    if name is None:
        return 0
    if name in _PARITY:
        return _PARITY.index(name)
    raise InvalidArgument(f"parity is {name!r}, expected one of {', '.join(_PARITY)}")


def _extents(lattice):
    if lattice is None:
        return None
    extents = extents_of(lattice, "lattice")
    if len(extents) != 4:
        raise InvalidArgument(f"lattice is {lattice!r}, expected four extents x, y, z, t")
    return (ctypes.c_int64 * 4)(*extents)


def _storage(name):
    if name not in _STORAGE:
        raise InvalidArgument(f"storage is {name!r}, expected one of {', '.join(_STORAGE)}")
    return _STORAGE[name]


def _site(kind, shape, dtype):
    """The Field of a vector for one s."""
    if kind not in KINDS[1:]:
        raise InvalidArgument(f"kind is {kind!r}, expected one of {', '.join(KINDS[1:])}")
    if shape is None:
        if kind == "generic":
            raise InvalidArgument('kind="generic" needs shape=, the shape of a vector at a site')
        shape = (4, 3) if kind == "spinor" else (4, 4, 3, 3)
    is_complex = dtype is None or np.dtype(dtype).kind == "c"
    return Field(kind, tuple(int(extent) for extent in shape), is_complex)


def _description(lattice, site, storage, ls, parity, operator, parameters, room):
    """(lq_modes_description, objects that its pointers refer to)."""
    extents = tuple(extents_of(lattice, "lattice"))
    if not 1 <= len(extents) <= 8:
        raise InvalidArgument(f"a lattice of {len(extents)} dimensions, expected 1 to 8")
    description = structs.ModesDescription()
    call("lq_modes_description_init", ctypes.byref(description), ctypes.sizeof(description))
    description.dimensions = len(extents)
    description.lattice[:len(extents)] = extents
    memory = site.to_c(np.empty(0, site.dtype))
    description.kind, description.is_complex, description.numbers = memory.kind, memory.is_complex, memory.numbers
    if site.kind != "generic":
        description.colors, description.spins = memory.colors, memory.spins
    description.storage, description.parity, description.ls = _storage(storage), _parity(parity), ls
    description.operator_name, description.room = operator.encode(), room
    array = (structs.ModesParameter * len(parameters))(*(_parameter(*pair) for pair in parameters.items()))
    description.parameters, description.parameter_count = array, len(parameters)
    return description, array


def _set_coherence(description, basis, block, tolerance):
    description.basis, description.tolerance = basis, tolerance
    if basis:
        extents = extents_of(block or (), "block")
        if len(extents) != description.dimensions:
            raise InvalidArgument(f"block is {block!r}, expected an extent for each dimension of the lattice")
        description.block[:len(extents)] = extents


def _parameter(name, value):
    parameter = structs.ModesParameter(name=str(name).encode())
    if isinstance(value, (int, np.integer)):
        parameter.type, parameter.integer = 0, int(value)
    elif isinstance(value, (float, np.floating)):
        parameter.type, parameter.re = 1, float(value)
    elif isinstance(value, (complex, np.complexfloating)):
        parameter.type, parameter.re, parameter.im = 2, value.real, value.imag
    elif isinstance(value, str):
        parameter.type, parameter.text = 3, value.encode()
    else:
        raise InvalidArgument(f"parameter {name!r} is {value!r}, expected int, float, complex or str")
    return parameter


def _value(parameter):
    return (parameter.integer, parameter.re, complex(parameter.re, parameter.im),
            (parameter.text or b"").decode())[parameter.type]


def _sites(description):
    """Extents x, y, z, t of the vectors."""
    extents = list(description.lattice[:description.dimensions])
    if description.parity:
        extents[0] //= 2
    return extents


def _site_of(known):
    """The Field of a vector with Ls, and the shape of its part of an array."""
    kind, is_complex = KINDS[known.kind], bool(known.is_complex)
    shape = {"spinor": (known.spins, known.colors),
             "propagator": (known.spins, known.spins, known.colors, known.colors)}.get(kind)
    if shape is None:
        numbers = known.numbers // (2 if is_complex else 1)
        shape = () if numbers == 1 else (numbers,)
    precision = 64 if known.storage == 64 else 32
    if known.ls > 1:
        return Field("generic", (known.ls, *shape), is_complex, precision)
    return Field(kind, shape, is_complex, precision)


def _grid_of(path, sites, grid):
    """The grid of vectors on these sites: the one given, or one of this process alone."""
    if grid is None:
        return Grid(sites)
    if tuple(sites) != grid.extents:
        raise InvalidArgument(f"{path}: the vectors of this set have the lattice {tuple(sites)}, the grid has {grid.extents}",
                              path=str(path))
    return grid


def _flat(array, grid, path):
    """(array, Field) of a vector with the axes of the site after the axes of the lattice."""
    lattice = grid.shape
    array = adapted(array)
    if array.shape[:len(lattice)] != lattice:
        raise InvalidArgument(f"{path}: the vectors of this set have the lattice [t, z, y, x] = {list(lattice)}, the array has "
                              f"the shape {list(array.shape)}", path=str(path))
    flat, field, _ = described(array.reshape(*lattice, math.prod(array.shape[len(lattice):])), "generic", len(lattice),
                               grid.local)
    return flat, field
