# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Plain datasets of HDF5 files, read as fields: the file does not state their meaning, the caller does."""

import numpy as np

from limequat.arrays import KINDS, described, memory_for, region_box
from limequat.errors import InvalidArgument, NoSuchRecord, Unsupported

_LATTICE = ("t", "z", "y", "x")
_SITES = {"gauge": ("mu", "row", "column"), "spinor": ("spin", "color"),
          "propagator": ("sink_spin", "source_spin", "sink_color", "source_color"), "generic": ("component",)}


def plain(path, catalog):
    """The Stat of each dataset that is not part of a field."""
    if catalog["format"] != "hdf5":
        return []
    from limequat import hdf5  # which needs modules that need this one

    known = {"/" + entry["name"].lstrip("/") for entry in catalog["fields"]}
    with hdf5.open(path) as file:
        stats = [file.stat(entry["type"]) for entry in catalog["records"]]
    return [one for one in stats if one.kind == "dataset" and one.path not in known]


def read_as(path, name, as_, region=None, dtype=None, grid=None, out=None):
    """The array of a dataset as a field; see :func:`limequat.read`."""
    if grid is not None:
        raise Unsupported(f"{path}: a plain dataset is read by one process; write it as a field first, with limequat.write", path=str(path))
    if not isinstance(name, str):
        raise InvalidArgument(f"as_ is given, but field is {name!r}: name the dataset, such as \"/conf/u\"", found=repr(name))
    kind, order = _meaning(as_)
    from limequat import hdf5

    with hdf5.open(path) as file:
        if not file.exists(name) or file.stat(name).kind != "dataset":
            raise NoSuchRecord(f"{path}: there is no dataset {name!r}", path=str(path), record=name)
        values = file.read(name)
    array = _in_order(np.asarray(values), kind, order, f"{path}: dataset {name!r}")
    if array.dtype.kind not in "fc":
        raise InvalidArgument(f"{path}: dataset {name!r} holds {array.dtype}, not a field: expected real or complex numbers",
                              path=str(path), record=name, found=str(array.dtype))
    array, field, extents = described(array, kind, 4)
    lower, sizes = region_box(region, extents) or ([0] * len(extents), list(extents))
    target, _ = memory_for(field, sizes, dtype, out)
    target[...] = array[tuple(slice(a, a + n) for a, n in zip(lower[::-1], sizes[::-1]))]
    return target


def _meaning(as_):
    """(kind, words of the axes in the file or None) of as_."""
    if as_ in KINDS:
        return as_, None
    words = tuple(as_.split()) if isinstance(as_, str) else ()
    for kind, site in _SITES.items():
        wanted = set(_LATTICE) | set(site)
        if len(set(words)) == len(words) and set(words) - {"reim"} == wanted:
            return kind, words
    if set(words) - {"reim"} == set(_LATTICE) and len(set(words)) == len(words):
        return "generic", words
    raise InvalidArgument(f"as_ is {as_!r}, expected one of {', '.join(KINDS)}, or all axes of one of them, slowest first, such as "
                          "\"mu t z y x row column\", with \"reim\" where real and imaginary parts are numbers of their own", found=repr(as_))


def _in_order(array, kind, order, what):
    """The array [t, z, y, x, site...], complex if its last axis is re/im."""
    site = _SITES[kind]
    if order is None:
        if array.dtype.kind == "f" and kind != "generic" and array.ndim == 5 + len(site) and array.shape[-1] == 2:
            return _paired(array)
        return array
    if array.ndim != len(order):
        raise InvalidArgument(f"{what} has the shape {list(array.shape)}, but {len(order)} axes are named: {' '.join(order)}",
                              expected=" ".join(order), found=str(list(array.shape)))
    wanted = [axis for axis in (*_LATTICE, *site) if axis in order] + (["reim"] if "reim" in order else [])
    array = array.transpose([order.index(axis) for axis in wanted])
    if "reim" in order and (array.shape[-1] != 2 or array.dtype.kind != "f"):
        raise InvalidArgument(f"{what}: its axis reim has {array.shape[-1]} numbers of {array.dtype}, expected 2 real ones")
    return _paired(array) if "reim" in order else array


def _paired(array):
    """Complex numbers of an array whose last axis is re/im."""
    array = np.ascontiguousarray(array)
    return array.view(np.complex64 if array.dtype.itemsize == 4 else np.complex128)[..., 0]
