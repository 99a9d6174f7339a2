# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fields for xarray: dimensions with names, read slice by slice if dask is installed."""

import numpy as np

from limequat.errors import InvalidArgument, Unsupported
from limequat.needs import loaded, needed
from limequat.placement import axes_of, directions_of


def dimensions(view):
    """Names of the axes of a field."""
    return axes_of(view.kind, view.ndim - len(view.site_shape), view.site_shape)


def coordinates(view):
    """Labels of the axes of a field: numbers of sites, and the directions of links."""
    labels = {name: np.arange(first, first + extent)
              for name, first, extent in zip(dimensions(view), view.lower, view.shape)}
    directions = directions_of(view.kind, len(view.lower), view.site_shape)
    return {**labels, "mu": list(directions)} if directions else labels


def facts(view):
    """The facts about a field, without its numbers, as attributes."""
    return {"kind": view.kind, **view.metadata}


def data_array(view, slices="auto"):
    """An xarray.DataArray of a field; see :meth:`limequat.FieldView.to_xarray`."""
    return labelled(view, _numbers(view, slices))


def labelled(view, numbers):
    """An xarray.DataArray of ``numbers`` with the axes and texts of a field."""
    xarray = needed("xarray", "to_xarray()")
    needed("limequat.xarray_backend", "to_xarray()")  # arrays have an accessor from here on
    return xarray.DataArray(numbers, coordinates(view), dimensions(view), view.name, facts(view))


def dataset(file, slices="auto"):
    """An xarray.Dataset of all fields of a file; see :meth:`limequat.File.to_xarray`."""
    return dataset_of(file, list(file.fields), lambda view: view.to_xarray(slices))


def dataset_of(file, views, make):
    """An xarray.Dataset of the DataArrays that ``make`` makes of fields of a file."""
    xarray = needed("xarray", "to_xarray()")
    lattices = {(view.lower, view.lattice, view.shape[:len(view.lower)]) for view in views}
    if len(lattices) > 1:
        raise Unsupported(f"{file.path}: its fields have different lattices, {sorted(v[1] for v in lattices)}: "
                          "take them one by one, fields[...].to_xarray()", path=str(file.path))
    names = [view.name for view in views]
    variables = {view.name if names.count(view.name) == 1 else f"{view.name}[{view.index}]": make(view)
                 for view in views}
    sites = {name for array in variables.values() for name in array.dims}
    for name in sites:  # "n" may be a different number for each field
        extents = {array.sizes[name] for array in variables.values() if name in array.dims}
        if len(extents) > 1:
            variables = {key: array.rename({name: f"{name} of {key}"}) if name in array.dims else array
                         for key, array in variables.items()}
    return xarray.Dataset(variables, attrs={"format": file.format, **file.metadata})


def _numbers(view, slices):
    """The numbers of a field: read now, or when dask needs them."""
    if slices is None:
        return view.read()
    if slices == "auto":
        try:
            loaded("dask.array")
        except ImportError:
            return view.read()
        slices = 1
    dask_array = needed("dask.array", "to_xarray(slices=...)", package="dask")
    if isinstance(slices, bool) or not isinstance(slices, int) or slices < 1:
        raise InvalidArgument(f"slices is {slices!r}, expected the number of time slices in a chunk, 'auto' or None",
                              found=repr(slices))
    # One handle is used by one thread at a time; asarray=False: what is indexed gives arrays.
    return dask_array.from_array(view, chunks=(slices, *view.shape[1:]), name=False, lock=view.lock, asarray=False,
                                 meta=np.empty((0,) * view.ndim, view.dtype))
