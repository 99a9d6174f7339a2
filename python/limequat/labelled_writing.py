# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes arrays of xarray as fields: axes are found by their names, and dask arrays are computed slice by slice."""

from __future__ import annotations

import collections
import ctypes
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from limequat import structs
from limequat.arrays import described, exactly
from limequat.errors import Error, InvalidArgument
from limequat.memory import Memory
from limequat.options import takes
from limequat.placement import SITE_AXES, lattice_axes
from limequat.writer import create

if TYPE_CHECKING:
    from limequat.annotations import Target
    from limequat.answers import Answer
    from limequat.option_types import Unpack, WriteOptions

_KEPT = 3  # blocks of the slowest axis in memory: formats may want those before and after
_BLOCK_BYTES = 64 << 20  # a chunk of dask up to this size is computed as a whole, and not once for each of its layers


@takes("WriteOptions", without=("progress",))
def to_limequat(array: Any, path: Target, **options: "Unpack[WriteOptions]") -> Answer:
    """Writes an xarray.DataArray as the field of a new file. ``array.limequat.to_file(path, ...)`` is the same.

    array  dimensions x, y, z, t (or the first of these, on lattices of fewer dimensions) and those of a site: mu, row, column;
           spin, color; sink_spin, source_spin, sink_color, source_color; n; or none, in any order. Labels of mu ("t", "x", ...)
           identify the links

    Options (:func:`limequat.write` says more); name is by default the name of the array, and attributes are not written as texts:
    {options}

    An array of dask is computed layer by layer along its slowest lattice axis (time slices), or by its chunks of several layers, if
    these have up to 64 MiB; three such blocks are in memory. Only for formats in which that axis is the fastest (raw orders such as
    "x y z t ...") is all of it computed first. Other arrays are loaded as a whole.

    Returns the report of :func:`limequat.write`. Raises InvalidArgument if dimensions are missing, unknown or labelled in
    another order, and what :func:`limequat.write` raises; an exception during the computation is raised again. Then no new file
    appears, and an existing one stays.
    """
    ordered, kind, dims = _in_order(array)
    name, texts = str(options.pop("name", None) or _name_of(array) or _NAMES[kind]), options.pop("metadata", None)
    if not _is_lazy(ordered.data):
        with create(path, **options) as writer:
            return writer.write(name, np.asarray(ordered.values), kind=kind, metadata=texts, dims=dims)
    rows = _ComputedRows(ordered.data, kind, dims, path)
    try:
        with create(path, **options) as writer:
            report = writer.write(name, rows, kind=kind, metadata=texts)
            rows.require_computed()
            return report
    except Error:  # perhaps because of numbers that were not computed
        rows.require_computed()
        raise


_NAMES = {"gauge": "gauge", "spinor": "spinor", "propagator": "propagator", "generic": "field"}


def _name_of(array):
    """The name of an array, unless dask generated it."""
    return None if array.name == getattr(array.data, "name", None) else array.name


def _is_lazy(numbers):
    return hasattr(numbers, "dask") and hasattr(numbers, "compute")


def _in_order(array):
    """(the array with the axes of a field, the kind of field, dimensions of the lattice)."""
    dims = list(getattr(array, "dims", ()))
    if not hasattr(array, "transpose") or not hasattr(array, "coords") or not dims:
        raise InvalidArgument(f"a {type(array).__name__} was given, expected an xarray.DataArray with named dimensions",
                              found=type(array).__name__)
    names = lattice_axes(8)
    lattice = lattice_axes(max((8 - names.index(name) for name in dims if name in names), default=4))
    missing = [name for name in lattice if name not in dims]
    if missing:
        shown = ", ".join(map(str, dims))
        raise InvalidArgument(f"the array has the dimensions {shown}, and not {', '.join(missing)}: a field has all of "
                              f"{', '.join(lattice)}",
                              expected=", ".join(lattice), found=shown)
    site = [name for name in dims if name not in lattice]
    kind = next((kind for kind, axes in SITE_AXES.items() if sorted(axes) == sorted(map(str, site))), None)
    kind = "generic" if kind is None and site in ([], ["n"]) else kind
    if kind is None:
        raise InvalidArgument(_odd_site(site), expected="; ".join(map(", ".join, SITE_AXES.values())) + "; n; none",
                              found=", ".join(map(str, site)))
    for name in lattice:
        _require_consecutive(array, name)
    ordered = array.transpose(*lattice, *SITE_AXES.get(kind, site))
    return (_directions_in_order(ordered, lattice) if kind == "gauge" else ordered), kind, len(lattice)


def _odd_site(site):
    """A sentence about dimensions that no site has."""
    shown = ", ".join(map(str, site))
    near = max(SITE_AXES, key=lambda kind: len(set(SITE_AXES[kind]) & set(site)))
    axes = SITE_AXES[near]
    lacking, others = [name for name in axes if name not in site], [str(name) for name in site if name not in axes]
    if len(lacking) == len(axes):
        return (f"the dimensions {shown} do not fit any field: select one of each (isel), or give them the names of a site "
                "(rename): mu, row, column; spin, color; sink_spin, source_spin, sink_color, source_color; n")
    lacks = f"{', '.join(lacking)} missing" if lacking else ""
    extra = f"{', '.join(others)} too many: select one of each (isel)" if others else ""
    wrong = "; ".join(filter(None, (lacks, extra)))
    return f"the dimensions {shown} are not those of a {near} field, {', '.join(axes)}: {wrong}"


def _require_consecutive(array, name):
    """Refuses sites whose order differs from their labels, if these are numbers."""
    labels = np.asarray(array.coords[name].values) if name in array.coords else np.empty(0)
    if labels.ndim == 1 and labels.dtype.kind in "iu" and np.any(np.diff(labels.astype(np.int64)) != 1):
        raise InvalidArgument(f"the labels of dimension {name} are not consecutive: sort the array by them (sortby), or drop them "
                              f"(drop_vars), if the sites are in order", found=name)


def _directions_in_order(array, lattice):
    """Links in the order x, y, z, t, if their labels state another order."""
    wanted = list("xyzt"[:len(lattice)])
    if array.sizes["mu"] != len(lattice):
        raise InvalidArgument(f"dimension mu has {array.sizes['mu']} links, the lattice {len(lattice)} directions",
                              expected=str(len(lattice)), found=str(array.sizes["mu"]))
    labels = [str(label) for label in array.coords["mu"].values] if "mu" in array.coords else []
    if not labels or labels == wanted or labels == [str(number) for number in range(len(labels))]:
        return array
    if sorted(labels) != sorted(wanted):
        raise InvalidArgument(f"the labels of dimension mu are {', '.join(labels)}, expected {', '.join(wanted)}, in any order",
                              expected=", ".join(wanted), found=", ".join(labels))
    return array.isel(mu=[labels.index(direction) for direction in wanted])


class _ComputedRows(Memory):
    """A field whose layers dask computes when the library requests rows of sites in them."""

    def __init__(self, numbers, kind, dims, path):
        self._path = path
        site, self._field, _ = described(np.empty((1,) * dims + numbers.shape[dims:], numbers.dtype), kind, dims)
        self.kind, self.lattice, self.dtype, self._site_bytes = kind, tuple(numbers.shape[:dims][::-1]), site.dtype, site.nbytes
        self.site = self._field.site
        self._numbers, self._kept, self._whole, self._failure = numbers, collections.OrderedDict(), None, None
        self._fetch = structs.RowFetch(self._fill)

    def __repr__(self):
        return f"rows of {self._numbers!r}"

    def to_c(self, array):
        """The lq_field that requests rows."""
        field = self._field.without_data()
        field.fetch_rows = ctypes.cast(self._fetch, ctypes.c_void_p).value
        return field

    def require_computed(self):
        """Raises the exception that ended a computation."""
        if self._failure is not None:
            raise self._failure

    def _fill(self, x, dimensions, axis, sites, row, context):
        """Copies a row of sites; after a failure nothing, and no file appears."""
        try:
            ctypes.memset(row, 0, sites * self._site_bytes)
            if self._failure is not None:
                return
            place = [x[d] for d in range(dimensions)]
            index = [slice(first, first + 1) for first in reversed(place)]
            index[dimensions - 1 - axis] = slice(place[axis], place[axis] + sites)
            layers = self._layers(index[0], axis == dimensions - 1 and sites > 1)
            numbers = np.ascontiguousarray(layers[(slice(None), *index[1:])])
            ctypes.memmove(row, numbers.ctypes.data, sites * self._site_bytes)
        except BaseException as failure:
            self._failure = failure

    def _layers(self, wanted, is_across):
        """The layers ``wanted`` of the slowest axis, computed now or earlier."""
        if self._whole is None and is_across:
            self._whole = self._computed(self._numbers)
        if self._whole is not None:
            return self._whole[wanted]
        begin, end = self._block_with(wanted.start)
        if begin not in self._kept:
            while len(self._kept) >= _KEPT:
                self._kept.popitem(last=False)
            self._kept[begin] = self._computed(self._numbers[begin:end])
        self._kept.move_to_end(begin)
        return self._kept[begin][wanted.start - begin:wanted.stop - begin]

    def _block_with(self, layer):
        """(first layer, end) of the block that is computed together with a layer."""
        extents = self._numbers.chunks[0]
        end, extent = next((end, extent) for end, extent in zip(itertools.accumulate(extents), extents) if layer < end)
        begin = end - extent
        layer_bytes = self._site_bytes * int(np.prod(self.lattice[:-1], dtype=np.int64))
        return (begin, end) if (end - begin) * layer_bytes <= _BLOCK_BYTES else (layer, layer + 1)

    def _computed(self, part):
        numbers = exactly(part.compute(), self.dtype, self._path).astype(self.dtype, copy=False)
        if numbers.shape != part.shape:
            raise InvalidArgument(f"dask computed an array of shape {list(numbers.shape)}, but had promised {list(part.shape)}",
                                  expected=str(list(part.shape)), found=str(list(numbers.shape)))
        return numbers
