# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A field written region by region: its file appears when all sites have been given."""

import ctypes
import itertools
import mmap
import os
import tempfile
from typing import TYPE_CHECKING

import numpy as np

from limequat._library import Handle, call, take_text, target_bytes
from limequat.answers import parse
from limequat.arrays import described, exactly, keeps_texts, region_box, site_shape_text
from limequat.communicators import agreed
from limequat.errors import InvalidArgument, WrongState
from limequat.files import FieldView
from limequat.grid import require_grid
from limequat.memory import Memory
from limequat.options import Options, takes, with_texts
from limequat.publishing import kind_of
from limequat.transfer import write

if TYPE_CHECKING:
    from limequat.option_types import Unpack, WriteOptions

_KEPT_IN_MEMORY = 64 << 20  # bytes; larger fields wait in a file without a name next to the one that they become


class RegionWriter:
    """A new field whose sites are given region by region, in any order: ``field[0:8] = array`` gives time slices 0 to 7.

    Made by ``lq.create(path, like=...)``; to be used in a with block. The file is written when the block ends, with all checksums,
    and only if every site was given; not if an exception ends the block. If a site is given twice, the last value counts. Until then
    the numbers are in memory, or, if one process has more than 64 MiB of them, in a file without a name in the folder of the new
    one, which needs the same space again.

    With a grid the calls at the beginning and the end are collective; an index is within the box of this rank, and :meth:`write`
    takes any region of the lattice, whose sites are sent to their ranks at the end. If several ranks give a site, the rank whose
    box contains it wins, otherwise the highest rank.

    shape   [t, z, y, x, ...] of the whole lattice, or of this rank's box
    dtype   type of the numbers
    kind    "gauge", "spinor", "propagator" or "generic"
    report  the report of :func:`limequat.write` after the end; None until then
    """

    @takes("WriteOptions", without=("progress",))
    def __init__(self, path, like, *, grid=None, kind=None, dims=None, **options: "Unpack[WriteOptions]"):
        self.path, self.report = path, None
        self._grid, self._closed, self._options, self._file = grid, False, options, None
        self._handle = None  # with several ranks the library keeps the numbers
        group = require_grid(grid)
        with agreed(group):
            how = Options("WriteOptions", options)  # invalid options are reported now
            lattice, site = _description_of(like, kind, dims, () if grid is None else grid.local)
            if grid is not None and tuple(lattice) not in (grid.extents, grid.local):
                raise InvalidArgument(f"{path}: like has the lattice {list(lattice)}, the grid {list(grid.extents)}, and "
                                      f"{list(grid.local)} on this rank", path=str(path), expected=str(list(grid.extents)),
                                      found=str(list(lattice)))
            self._sites, self._site = tuple((lattice if grid is None else grid.local)[::-1]), site
            self._lattice = tuple(lattice if grid is None else grid.extents)
            self.shape, self.dtype, self.kind = self._sites + tuple(site.site), site.dtype, site.kind
            is_shared = group is not None and group.size > 1
            if is_shared:
                target = target_bytes(path)
                if site_shape_text(site) and keeps_texts(path, options.get("format")):
                    how = Options("WriteOptions", with_texts(options, site_shape_text(site)))
            else:
                self._given = np.zeros(self._sites, bool)
                self._numbers = self._room()
        if is_shared:
            self._handle = Handle("lq_region_writer_free", "lq_region_writer_create", target, grid, site.without_data(), how)

    @property
    def ndim(self):
        """Number of axes."""
        return len(self.shape)

    @property
    def missing(self):
        """Sites that were not given yet; with a grid those of this rank's box, and what others gave of it counts from the end on."""
        if self._closed:
            return 0
        if self._handle is not None:
            sites = ctypes.c_uint64()
            call("lq_region_writer_missing", self._handle, ctypes.byref(sites))
            return sites.value
        return int(self._given.size - np.count_nonzero(self._given))

    def _room(self):
        """Memory for all numbers; for a large field in a file that disappears with the program."""
        count = int(np.prod(self.shape, dtype=np.int64))
        if count * self.dtype.itemsize <= _KEPT_IN_MEMORY:
            return np.empty(self.shape, self.dtype)
        folder = os.path.dirname(os.fspath(self.path)) or os.curdir
        try:
            self._file = tempfile.TemporaryFile(dir=folder)
            os.posix_fallocate(self._file.fileno(), 0, count * self.dtype.itemsize)  # a full disk is reported now
            mapped = mmap.mmap(self._file.fileno(), count * self.dtype.itemsize)
        except OSError as error:
            self._release()
            raise kind_of(error)(f"{self.path}: no space for the numbers until the field is complete, "
                                 f"{count * self.dtype.itemsize} bytes in {folder}: {error.strerror}; choose a folder with more space",
                                 path=str(self.path)) from error
        return np.frombuffer(mapped, self.dtype, count).reshape(self.shape)

    def __setitem__(self, key, numbers):
        self._require_open()
        key = self._region(key)
        numbers = self._fitting(numbers, np.broadcast_to(np.empty((), self.dtype), self.shape)[key].shape)
        if self._handle is not None:
            self._give_boxes(key, numbers)
            return
        self._numbers[key] = numbers
        self._given[key] = True

    def write(self, numbers, region=None):
        """Gives the ``numbers`` [t, z, y, x, ...] of the sites of a ``region`` of the whole lattice, such as {"t": slice(0, 8)};
        default: all of it. Local, and with a grid the region may lie in the boxes of other ranks."""
        self._require_open()
        lower, extents = region_box(region, self._lattice) or ((0,) * len(self._lattice), self._lattice)
        numbers = self._fitting(numbers, tuple(extents)[::-1] + tuple(self._site.site))
        if self._handle is not None:
            self._give(lower, extents, numbers)
        else:
            self[tuple(slice(first, first + count) for first, count in zip(lower, extents))[::-1]] = numbers

    def _fitting(self, numbers, shape):
        """An array of numbers of that shape, which become those of the field without loss."""
        numbers = exactly(numbers, self.dtype, self.path)
        if numbers.shape != shape:
            raise InvalidArgument(f"{self.path}: the region has the shape {list(shape)}, the array {list(numbers.shape)}",
                                  path=str(self.path), expected=str(list(shape)), found=str(list(numbers.shape)))
        return numbers

    def _give_boxes(self, key, numbers):
        """The sites of an index in this rank's box, by boxes of it."""
        key += (slice(None),) * (len(self._sites) - len(key))
        axes = [range(count)[part] if isinstance(part, slice) else [part % count] for part, count in zip(key, self._sites)]
        numbers = numbers.reshape([len(axis) for axis in axes] + list(self._site.site))
        steps = [[(axis[0], slice(None))] if len(axis) > 0 and getattr(axis, "step", 1) == 1 else
                 [(place, slice(n, n + 1)) for n, place in enumerate(axis)] for axis in axes]
        for pieces in itertools.product(*steps):
            piece = numbers[tuple(within for _, within in pieces)]
            lower = [first + place for first, (place, _) in zip(self._grid.origin, reversed(pieces))]
            self._give(lower, piece.shape[:len(axes)][::-1], piece)

    def _give(self, lower, extents, numbers):
        numbers = np.ascontiguousarray(numbers, self.dtype)
        places = ctypes.c_int64 * len(extents)
        call("lq_region_writer_write", self._handle, places(*lower), places(*extents), self._site.to_c(numbers))

    def _region(self, key):
        """An index of whole sites: integers and slices on the axes of the lattice."""
        key = key if isinstance(key, tuple) else (key,)
        if Ellipsis in [part for part in key if part is Ellipsis]:
            place = next(number for number, part in enumerate(key) if part is Ellipsis)
            key = key[:place] + (slice(None),) * (self.ndim - len(key) + 1) + key[place + 1:]
        axes = len(self._sites)
        odd = [part for part in key if isinstance(part, bool) or not isinstance(part, (int, np.integer, slice))]
        if odd or len(key) > self.ndim:
            raise InvalidArgument(f"{self.path}: a region is an integer or a slice for each axis of the lattice, not "
                                  f"{(odd or [key])[0]!r}", path=str(self.path))
        if any(part != slice(None) for part in key[axes:]):
            raise InvalidArgument(f"{self.path}: give whole sites: omit the axes after the {axes} of the lattice",
                                  path=str(self.path), found=repr(key[axes:]))
        return key[:axes]

    def close(self):
        """Writes the file and raises its errors. Returns the report of :func:`limequat.write`.

        Raises WrongState if sites are missing: then there is no file, and you may give more.
        """
        self._require_open()
        if self._handle is not None:
            report = ctypes.c_void_p()
            call("lq_region_writer_close", self._handle, ctypes.byref(report))
            self.report = parse(take_text(report))
        else:
            if self.missing:
                first = np.unravel_index(int(np.argmin(self._given)), self._sites)
                raise WrongState(f"{self.path}: {self.missing} of {self._given.size} sites were not given, the first of them "
                                 f"{[int(x) for x in first]} [t, z, y, x]; the file appears when all have been given", path=str(self.path))
            self.report = write(self.path, self._numbers, kind=self.kind, grid=self._grid, dims=len(self._sites), **self._options)
        self.abandon()
        return self.report

    def abandon(self):
        """Discards the file, unless it has already been written."""
        self._closed = True
        self._numbers = self._given = None
        if self._handle is not None:
            self._handle.free()
        self._release()

    def _release(self):
        if self._file is not None:
            self._file.close()
            self._file = None

    def _require_open(self):
        if self._closed:
            raise WrongState(f"{self.path}: the field is already closed", path=str(self.path))

    def __repr__(self):
        state = "closed" if self._closed else f"{self.missing} of {self._given.size} sites missing"
        return f"<new {self.kind} field for {str(self.path)!r}, {list(self.shape)} {self.dtype}, {state}>"

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if self._closed:
            return
        try:
            if kind is None:
                self.close()
        finally:
            self.abandon()


def _description_of(like, kind, dims, local):
    """(extents x, y, z, t, what a site holds) of a field in a file or of an array, possibly of this rank's box `local`."""
    if isinstance(like, FieldView):
        if kind not in (None, like.kind):
            raise InvalidArgument(f"like is a {like.kind} field, not a {kind} field", expected=like.kind, found=str(kind))
        return like.lattice, like._site
    if isinstance(like, Memory):
        raise InvalidArgument("like is described memory, which has no axes: give an array, or a field of an open file")
    _, site, extents = described(like, kind, dims, local)
    return extents, site
