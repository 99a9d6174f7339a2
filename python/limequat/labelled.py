# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fields as xarray knows them: dimensions with names, read slice by slice where dask is there."""

import numpy as np

from limequat.errors import InvalidArgument, Unsupported
from limequat.needs import needed

_SITE = {"gauge": ("mu", "row", "column"), "spinor": ("spin", "color"),
         "propagator": ("sink_spin", "source_spin", "sink_color", "source_color")}


def dimensions(view):
    """Names of the axes of a field: those of datasets in the native layout of HDF5 files (formats/hdf5.md 3.1)."""
    lattice = view.ndim - len(view.site_shape)
    names = [("x", "y", "z", "t")[d] if d < 4 else f"x{d + 1}" for d in reversed(range(lattice))]
    axes = len(view.site_shape)
    return (*names, *_SITE.get(view.kind, ("n",) if axes == 1 else tuple(f"n{k + 1}" for k in range(axes))))


def data_array(view, slices="auto"):
    """An xarray.DataArray of a field; see :meth:`limequat.FieldView.to_xarray`."""
    xarray = needed("xarray", "to_xarray()")
    names = dimensions(view)
    coordinates = {name: np.arange(first, first + extent) for name, first, extent in zip(names, view.lower, view.shape)}
    if "mu" in names and view.shape[names.index("mu")] <= 4:
        coordinates["mu"] = list("xyzt"[:view.shape[names.index("mu")]])
    facts = {"kind": view.kind, **view.metadata}
    return xarray.DataArray(_numbers(view, slices), coordinates, names, view.name, facts)


def dataset(file, slices="auto"):
    """An xarray.Dataset of all fields of a file; see :meth:`limequat.File.to_xarray`."""
    xarray = needed("xarray", "to_xarray()")
    views = list(file.fields)
    lattices = {(view.lower, view.lattice, view.shape[:len(view.lower)]) for view in views}
    if len(lattices) > 1:
        raise Unsupported(f"{file.path}: its fields are of several lattices, {sorted(v[1] for v in lattices)}: "
                          "take them one by one, fields[...].to_xarray()", path=str(file.path))
    names = [view.name for view in views]
    variables = {view.name if names.count(view.name) == 1 else f"{view.name}[{view.index}]": view.to_xarray(slices)
                 for view in views}
    sites = {name for array in variables.values() for name in array.dims}
    for name in sites:  # "n" of one field may be another number than that of the next
        extents = {array.sizes[name] for array in variables.values() if name in array.dims}
        if len(extents) > 1:
            variables = {key: array.rename({name: f"{name} of {key}"}) if name in array.dims else array
                         for key, array in variables.items()}
    return xarray.Dataset(variables, attrs={"format": file.format, **file.metadata})


def _numbers(view, slices):
    """The numbers of a field: read now, or when dask wants them."""
    if slices is None:
        return view.read()
    if slices == "auto":
        try:
            import dask.array
        except ImportError:
            return view.read()
        slices = 1
    dask_array = needed("dask.array", "to_xarray(slices=...)", package="dask")
    if isinstance(slices, bool) or not isinstance(slices, int) or slices < 1:
        raise InvalidArgument(f"slices is {slices!r}, expected how many time slices make a chunk, 'auto' or None",
                              found=repr(slices))
    # One handle is used by one thread at a time; asarray=False: what is indexed gives arrays.
    return dask_array.from_array(view, chunks=(slices, *view.shape[1:]), name=False, lock=view.lock, asarray=False,
                                 meta=np.empty((0,) * view.ndim, view.dtype))
