# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Lattice files for xarray: ``xarray.open_dataset("conf.ildg", engine="limequat")``, and ``array.limequat.to_file(...)``.

xarray finds the engine by the entry point of the package. Files are opened when numbers are needed and closed again, so that
thousands may be open as datasets, and numbers of several files are read by several threads at once.
"""

import os
import stat

import numpy as np
import xarray
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from limequat import labelled
from limequat.errors import Error, InvalidArgument, Unsupported, WrongState
from limequat.files import open as open_file
from limequat.labelled_writing import to_limequat
from limequat.placement import identity_of
from limequat.questions import info
from limequat.sources import shown


class LimequatBackendEntrypoint(BackendEntrypoint):
    """The engine "limequat" of xarray."""

    description = "Lattice fields: ILDG, SciDAC, NERSC, MILC, openQCD, HiRep, HDF5 and others"
    url = "https://docs.xarray.dev/en/stable/internals/how-to-add-new-backend.html"

    def open_dataset(self, filename_or_obj, *, drop_variables=None, field=None, slices=1, verify=True):
        """An xarray.Dataset of the fields of a file, whose numbers are read when they are needed.

        drop_variables  names of variables that are left out
        field           name of the field, or (name, index), or a list of these; default: all
        slices          so many time slices make a chunk where xarray asks for the file's own chunks (chunks={}, open_mfdataset)
        verify          compare the checksums of what is read: of time slices, where the file has such; of a field that is read as
                        a whole always

        Raises Unsupported where the fields are of several lattices, WrongState, when numbers are read, if the file is not the one
        that was opened, and what :func:`limequat.open` raises.
        """
        path = _path_of(filename_or_obj)
        if isinstance(slices, bool) or not isinstance(slices, int) or slices < 1:
            raise InvalidArgument(f"slices is {slices!r}, expected how many time slices make a chunk", found=repr(slices))
        identities = _identities(path)
        with open_file(path) as file:
            identities.update((name, identity_of(name)) for name in file.catalog.get("files") or ())
            dataset = labelled.dataset_of(file, _views(file, field),
                                          lambda view: _lazy(view, path, identities, slices, verify))
        _require_same(path, identities)
        dropped = [drop_variables] if isinstance(drop_variables, str) else list(drop_variables or ())
        dataset = dataset.drop_vars(dropped, errors="ignore")
        dataset.encoding["source"] = path
        return dataset

    def guess_can_open(self, filename_or_obj):
        """Whether this is a local file with fields, by its content."""
        try:
            path = _path_of(filename_or_obj)
            return stat.S_ISREG(os.stat(path).st_mode) and bool(info(path)["fields"])
        except (Error, OSError, TypeError, ValueError):
            return False


def _path_of(given):
    if isinstance(given, (str, bytes, os.PathLike)):
        if "://" in os.fsdecode(given):
            raise Unsupported(f"{shown(os.fsdecode(given))}: this engine opens local files; lq.references(..., "
                              "prefix=...) makes references to files elsewhere")
        return os.path.abspath(os.path.expanduser(os.fsdecode(given)))
    raise InvalidArgument(f"a {type(given).__name__} was given, expected the path of a file", found=type(given).__name__)


def _identities(path):
    try:
        return {path: identity_of(path)}
    except OSError:
        return {}  # opening it tells why


def _views(file, field):
    if field is None:
        return list(file.fields)
    return [file.fields[one] for one in (field if isinstance(field, list) else [field])]


def _lazy(view, path, identities, slices, verify):
    numbers = _Numbers(path, view, identities, verify)
    array = labelled.labelled(view, indexing.LazilyIndexedArray(numbers))
    array.encoding = {"preferred_chunks": {array.dims[0]: min(slices, view.shape[0])}, "source": path}
    return array


class _Numbers(BackendArray):
    """The numbers of a field in a file that is opened when they are read."""

    def __init__(self, path, view, identities, verify):
        self.shape, self.dtype = view.shape, np.dtype(view.dtype)
        self._path, self._field, self._identities, self._verify = path, (view.name, view.index), identities, verify

    def __getitem__(self, key):
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._read)

    def _read(self, key):
        _require_same(self._path, self._identities)
        with open_file(self._path) as file:
            numbers = file.fields[self._field].part(key, self._verify)
        _require_same(self._path, self._identities)  # nor was it changed meanwhile
        return numbers


def _require_same(path, identities):
    """Refuses a file that is not the one that was opened."""
    for name, identity in identities.items():
        try:
            is_same = identity_of(name) == identity
        except OSError:
            is_same = False
        if not is_same:
            raise WrongState(f"{name}: this is not the file that was opened as a dataset: it was replaced, changed or removed "
                             "since; open the dataset again", path=path)


@xarray.register_dataarray_accessor("limequat")
class LimequatAccessor:
    """``array.limequat`` of an xarray.DataArray."""

    def __init__(self, array):
        self._array = array

    def to_file(self, path, **options):
        """Writes the array as a field; see :func:`limequat.to_limequat`."""
        return to_limequat(self._array, path, **options)
