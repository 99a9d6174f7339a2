# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fields in memory with other layouts than the arrays of this package."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from limequat import device, structs
from limequat._library import call
from limequat.errors import InvalidArgument
from limequat.extents import extents_of

if TYPE_CHECKING:
    from limequat.annotations import Extents

_KINDS = ("gauge", "spinor", "propagator", "generic")


class Memory:
    """A field of the box of this rank in memory of another layout, for :func:`limequat.write` and similar functions, and as
    ``out`` of :func:`limequat.read`.

        >>> u = lq.Memory([ux, uy, uz, ut], "quda_host", lattice=[16, 16, 16, 32])
        >>> lq.read("conf.ildg", out=u)

    arrays   an array, or with links=in-arrays one for each direction: numpy, or all on one GPU (CuPy, PyTorch, JAX, Numba);
             C-contiguous, all complex128, complex64, float64 or float32 numbers, of any shape; with norms=in-array int16
             numbers, and at the end the norms of the sites, float32
    layout   a preset or words (docs/guide/memory.md), such as "milc", "quda_native block=4", "halo=1,1,1,1"
    lattice  extents of this rank's box, x, y, z, t
    kind     "gauge", "spinor", "propagator", or "generic" with `numbers` real numbers a site
    places   an array of integers, with places= in the layout ("openqcd", "hirep"): the place of each site or link

    Raises InvalidArgument for arrays that are not such memory, Unsupported for a GPU of another maker; their size and
    location are checked when they are used.
    """

    def __init__(self, arrays: Any, layout: str, lattice: Extents, kind: str = "gauge", *, colors: int = 3,
                 spins: int = 4, numbers: int = 0, places: Any = None) -> None:
        if kind not in _KINDS:
            raise InvalidArgument(f"kind is {kind!r}, expected one of {', '.join(_KINDS)}", found=repr(kind))
        self.arrays = list(arrays) if isinstance(arrays, (list, tuple)) else [arrays]
        self.layout, self.lattice, self.kind = layout, tuple(extents_of(lattice, "lattice")), kind
        self._spec = {"colors": colors, "spins": spins, "numbers": numbers}
        self._has_pointers, self._norms = self._arrays_of(layout)
        kinds = ("int16",) if self._norms is not None else ("complex128", "complex64", "float64", "float32")
        self._seen = [_seen(array, kinds) for array in self.arrays]
        for array in self._seen:
            if array.dtype != self._seen[0].dtype:
                raise InvalidArgument(f"arrays of {self._seen[0].dtype} and of {array.dtype}", found=str(array.dtype))
        self.dtype = self._seen[0].dtype
        self._table = _table_of(places)
        self._places = structs.Places(table=self._table.ctypes.data_as(ctypes.POINTER(ctypes.c_uint64)), entries=self._table.size)
        # They live as long as this object.
        parts = self._seen + ([] if self._norms is None else [self._norms])
        self._pointers = (ctypes.c_void_p * len(parts))(*map(_address, parts))

    def _arrays_of(self, layout):
        """(True if the library takes pointers, the array of norms or None); the norms are removed from the arrays."""
        links = len(self.lattice) if self.kind == "gauge" else 1
        pointers, has_norms = ctypes.c_int(), ctypes.c_int()
        call("lq_memory_arrays", layout.encode(), links, ctypes.byref(pointers), ctypes.byref(has_norms))
        expected = max(pointers.value, 1)
        if len(self.arrays) != expected:
            raise InvalidArgument(f"{len(self.arrays)} arrays, but {layout!r} has {expected}", found=str(len(self.arrays)))
        norms = _seen(self.arrays.pop(), ("float32",)) if has_norms.value else None
        return pointers.value > 0, norms

    def _numbers_of_site(self):
        """Real numbers of a site in one of the arrays."""
        colors, spins = self._spec["colors"], self._spec["spins"]
        if self.kind == "gauge":
            return 2 * colors * colors * len(self.lattice) // len(self.arrays)
        return {"spinor": 2 * spins * colors, "propagator": 2 * (spins * colors) ** 2}.get(self.kind, self._spec["numbers"])

    def __repr__(self) -> str:
        return f"Memory({self.kind}, {self.layout!r}, lattice={list(self.lattice)}, {self.dtype})"

    def to_c(self, array):
        """The lq_field of this memory; ``array`` is the object itself; the interface is that of :class:`Field`."""
        is_complex = self.kind != "generic" or self.dtype.kind == "c"
        numbers_in = min(array.size for array in self._seen) * (2 if self.dtype.kind == "c" else 1)
        if self._norms is not None:
            numbers_in = min(numbers_in, self._norms.size * self._numbers_of_site())
        data = ctypes.addressof(self._pointers) if self._has_pointers else _address(self._seen[0])
        field = structs.Field(kind=_KINDS.index(self.kind), precision=64 if self.dtype.name.endswith(("128", "t64")) else 32,
                              is_complex=int(is_complex), data=data, available=numbers_in, memory=self.layout.encode())
        if self._table.size > 0:
            field.context = ctypes.addressof(self._places)
        if self.kind == "generic":
            field.numbers = self._spec["numbers"]
        else:
            field.colors, field.spins = self._spec["colors"], 0 if self.kind == "gauge" else self._spec["spins"]
        return field

    def require_writeable(self):
        """Refuses memory that cannot be read into."""
        arrays = self._seen + ([] if self._norms is None else [self._norms])
        if any(array.is_read_only if isinstance(array, device.DeviceArray) else not array.flags.writeable for array in arrays):
            raise InvalidArgument("out is read-only memory")


def _table_of(places):
    """The table for the library. A place below 0 becomes one that no memory has."""
    table = np.asarray([] if places is None else places)
    if table.size > 0 and table.dtype.kind not in "iu":
        raise InvalidArgument(f"places are {table.dtype}, expected an array of integers", found=str(table.dtype))
    return np.ascontiguousarray(table.reshape(-1)).astype(np.uint64, copy=False)


def _address(array):
    return array.address if isinstance(array, device.DeviceArray) else array.ctypes.data


def _seen(array, types):
    """A numpy array itself, or the DeviceArray of an array on a GPU."""
    on_device = device.seen(array)
    if on_device is None and not isinstance(array, np.ndarray):
        raise InvalidArgument(f"memory is a {type(array).__name__}, expected an array of numpy, or one on a GPU")
    array = array if on_device is None else on_device
    if array.dtype.name not in types or not array.dtype.isnative:
        raise InvalidArgument(f"memory holds {array.dtype.str}, expected {' or '.join(types)} in native byte order",
                              found=array.dtype.str)
    if on_device is None and not array.flags.c_contiguous:
        raise InvalidArgument("memory is not C-contiguous: each array must be contiguous")
    return array
