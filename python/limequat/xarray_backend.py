# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Lattice files for xarray: ``xarray.open_dataset("conf.ildg", engine="limequat")``, and ``array.limequat.to_file(...)``.

xarray finds the engine by the entry point of the package. Files are opened when numbers are needed and closed again, so
thousands may be open as datasets, and several threads can read several files concurrently. A URL or a file object is opened
once and stays open, because reading its headers again would cost requests.
"""

import contextlib
import os
import stat
import threading

import numpy as np
import xarray
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from limequat import labelled
from limequat.errors import Error, InvalidArgument, WrongState
from limequat.files import open as open_file
from limequat.labelled_writing import to_limequat
from limequat.packed import is_packed
from limequat.placement import identity_of
from limequat.questions import info
from limequat.sources import Source, is_url, modified_of, path_of, shown


class LimequatBackendEntrypoint(BackendEntrypoint):
    """The engine "limequat" of xarray."""

    description = "Lattice fields: ILDG, SciDAC, NERSC, MILC, openQCD, HiRep, HDF5 and others"
    url = "https://docs.xarray.dev/en/stable/internals/how-to-add-new-backend.html"

    def open_dataset(self, filename_or_obj, *, drop_variables=None, field=None, slices=1, verify=True):
        """An xarray.Dataset of the fields of a file; numbers are read when they are needed.

        filename_or_obj a path, or a URL, a binary file object or a :class:`limequat.Source`, which stays open
        drop_variables  names of variables that are left out
        field           name of the field, or (name, index), or a list of these; default: all
        slices          number of time slices in a chunk if xarray uses the file's own chunks (chunks={}, open_mfdataset)
        verify          compare the checksums of the data read: of time slices, if the file has such; of a field that is read as a
                        whole always

        Raises Unsupported if the fields have different lattices, WrongState, when numbers are read, if the file is not the one
        that was opened, and what :func:`limequat.open` raises.
        """
        place = _place_of(filename_or_obj)
        if isinstance(slices, bool) or not isinstance(slices, int) or slices < 1:
            raise InvalidArgument(f"slices is {slices!r}, expected the number of time slices in a chunk", found=repr(slices))
        with place.opened() as file:
            place.remember(file)
            dataset = labelled.dataset_of(file, _views(file, field), lambda view: _lazy(view, place, slices, verify))
        dropped = [drop_variables] if isinstance(drop_variables, str) else list(drop_variables or ())
        dataset = dataset.drop_vars(dropped, errors="ignore")
        dataset.encoding["source"] = place.name
        return dataset

    def guess_can_open(self, filename_or_obj):
        """True if this is a local file with fields, by its content."""
        try:
            place = _place_of(filename_or_obj)
            return isinstance(place, _LocalFile) and stat.S_ISREG(os.stat(place.name).st_mode) and not is_packed(place.name) and bool(info(place.name)["fields"])
        except (Error, OSError, TypeError, ValueError):
            return False


def _place_of(given):
    if isinstance(given, Source) or callable(getattr(given, "read", None)):
        return _OpenedOnce(given)
    if not isinstance(given, (str, bytes, os.PathLike)):
        raise InvalidArgument(f"a {type(given).__name__} was given, expected the path of a file, a URL or a binary file object",
                              found=type(given).__name__)
    path = os.fsdecode(given)
    if is_url(path) and not path.lower().startswith("file://"):
        return _OpenedOnce(path)
    return _LocalFile(os.path.abspath(os.path.expanduser(os.fsdecode(path_of(path)))))


class _LocalFile:
    """A file that is opened when numbers are read, and refused if it is not the one that was opened as a dataset."""

    def __init__(self, name):
        self.name, self._identities = name, {}

    @contextlib.contextmanager
    def opened(self):
        self._require_same()
        if not self._identities and os.path.exists(self.name):  # before it is opened: what has the name afterwards may be another
            self._identities = {self.name: identity_of(self.name)}
        with open_file(self.name) as file:
            yield file
        self._require_same()  # nor was it changed meanwhile

    def remember(self, file):
        """Remembers this file; called while it is open for the first time."""
        self._identities = {**{name: identity_of(name) for name in file.catalog.get("files") or ()}, **self._identities}

    def _require_same(self):
        for name, identity in self._identities.items():
            try:
                is_same = identity_of(name) == identity
            except OSError:
                is_same = False
            if not is_same:
                raise WrongState(f"{name}: this is not the file that was opened as a dataset: it was replaced, changed or removed "
                                 "since; open the dataset again", path=self.name)


class _OpenedOnce:
    """A file at a URL or a file object, opened once in each process; a server reports changes while it is open, size and date
    show them later."""

    def __init__(self, given, seen=None):
        self.name, self._given, self._seen = os.fspath(given) if isinstance(given, Source) else shown(given), given, seen
        self._lock, self._source, self._file = threading.RLock(), None, None

    def __reduce__(self):
        return _OpenedOnce, (self._given, self._seen)

    @contextlib.contextmanager
    def opened(self):
        with self._lock:  # one request after the other
            if self._file is None:
                self._open()
            yield self._file

    def _open(self):
        source = self._given if isinstance(self._given, Source) else Source(self._given)
        seen = source.size, modified_of(source.file)
        if self._seen not in (None, seen):
            if source is not self._given:
                source.free()
            raise WrongState(f"{self.name}: this is not the file that was opened as a dataset: it was replaced or changed since; "
                             "open the dataset again", path=self.name)
        self._source, self._file, self._seen = source, open_file(source), seen

    def remember(self, file):
        """Remembers this file; the server says if it has changed."""


def _views(file, field):
    if field is None:
        return list(file.fields)
    return [file.fields[one] for one in (field if isinstance(field, list) else [field])]


def _lazy(view, place, slices, verify):
    numbers = _Numbers(place, view, verify)
    array = labelled.labelled(view, indexing.LazilyIndexedArray(numbers))
    array.encoding = {"preferred_chunks": {array.dims[0]: min(slices, view.shape[0])}, "source": place.name}
    return array


class _Numbers(BackendArray):
    """The numbers of a field in a file that is opened when they are read."""

    def __init__(self, place, view, verify):
        self.shape, self.dtype = view.shape, np.dtype(view.dtype)
        self._place, self._field, self._verify = place, (view.name, view.index), verify

    def __getitem__(self, key):
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._read)

    def _read(self, key):
        with self._place.opened() as file:
            return file.fields[self._field].part(key, self._verify)


@xarray.register_dataarray_accessor("limequat")
class LimequatAccessor:
    """``array.limequat`` of an xarray.DataArray."""

    def __init__(self, array):
        self._array = array

    def to_file(self, path, **options):
        """Writes the array as a field; see :func:`limequat.to_limequat`."""
        return to_limequat(self._array, path, **options)
