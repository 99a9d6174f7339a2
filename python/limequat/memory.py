# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fields in memory that is not laid out as the arrays of this package are."""

import ctypes

import numpy as np

from limequat import structs
from limequat._library import call
from limequat.errors import InvalidArgument

_KINDS = ("gauge", "spinor", "propagator", "generic")


class Memory:
    """A field of the box of this rank in memory of another layout, for :func:`limequat.write` and its siblings, and as
    ``out`` of :func:`limequat.read`.

        >>> u = lq.Memory([ux, uy, uz, ut], "quda_host", lattice=[16, 16, 16, 32])
        >>> lq.read("conf.ildg", out=u)

    arrays   an array, or with links=in-arrays one for each direction: numpy, C-contiguous, all complex128, complex64,
             float64 or float32 numbers, of any shape
    layout   a preset or words (docs/guide/memory.md), such as "milc", "quda_native block=4", "halo=1,1,1,1"
    lattice  extents of what this rank has, x, y, z, t
    kind     "gauge", "spinor", "propagator", or "generic" with `numbers` real numbers a site
    places   an array of integers, with places= in the layout ("openqcd", "hirep"): the place of each site or link

    Raises InvalidArgument for arrays that are no such memory; whether they are large enough is seen when they are used.
    """

    def __init__(self, arrays, layout, lattice, kind="gauge", *, colors=3, spins=4, numbers=0,
                 places=None):
        if kind not in _KINDS:
            raise InvalidArgument(f"kind is {kind!r}, expected one of {', '.join(_KINDS)}", found=repr(kind))
        self.arrays = list(arrays) if isinstance(arrays, (list, tuple)) else [arrays]
        self.layout, self.lattice, self.kind = layout, tuple(int(extent) for extent in lattice), kind
        call("lq_memory_check", layout.encode())
        for array in self.arrays:
            _require_memory(array, self.arrays[0])
        self.dtype = self.arrays[0].dtype
        self._spec = {"colors": colors, "spins": spins, "numbers": numbers}
        self._table = _table_of(places)
        self._places = structs.Places(table=self._table.ctypes.data, entries=self._table.size)
        # Used where there are several; they live as long as this object.
        self._pointers = (ctypes.c_void_p * len(self.arrays))(*(array.ctypes.data for array in self.arrays))

    def __repr__(self):
        return f"Memory({self.kind}, {self.layout!r}, lattice={list(self.lattice)}, {self.dtype})"

    def to_c(self, array):
        """The lq_field of this memory; ``array`` is the object itself, as what a :class:`Field` is asked for."""
        is_complex = self.kind != "generic" or self.dtype.kind == "c"
        numbers_in = min(array.size for array in self.arrays) * (2 if self.dtype.kind == "c" else 1)
        data = ctypes.addressof(self._pointers) if len(self.arrays) > 1 else self.arrays[0].ctypes.data
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
        if not all(array.flags.writeable for array in self.arrays):
            raise InvalidArgument("out is read-only memory")


def _table_of(places):
    """The table as the library takes it. A place below 0 becomes one that no memory has."""
    table = np.asarray([] if places is None else places)
    if table.size > 0 and table.dtype.kind not in "iu":
        raise InvalidArgument(f"places are {table.dtype}, expected an array of integers", found=str(table.dtype))
    return np.ascontiguousarray(table.reshape(-1)).astype(np.uint64, copy=False)


def _require_memory(array, first):
    if not isinstance(array, np.ndarray):
        raise InvalidArgument(f"memory is a {type(array).__name__}, expected an array of numpy")
    if array.dtype.name not in ("complex128", "complex64", "float64", "float32") or not array.dtype.isnative:
        raise InvalidArgument(f"memory holds {array.dtype.str}, expected complex128, complex64, float64 or float32 in native "
                              "byte order", found=array.dtype.str)
    if not array.flags.c_contiguous:
        raise InvalidArgument("memory is not C-contiguous: a description is of one piece of memory for each array")
    if array.dtype != first.dtype:
        raise InvalidArgument(f"arrays of {first.dtype} and of {array.dtype}", found=str(array.dtype))
