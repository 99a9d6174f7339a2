# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A lattice distributed over ranks."""

from __future__ import annotations

import ctypes
import operator
from ctypes import c_int, c_int64
from typing import TYPE_CHECKING, Any, Optional, Tuple

import numpy as np

from limequat import structs
from limequat._library import Handle, answer, call
from limequat.arrays import described
from limequat.communicators import agreed, group_of
from limequat.errors import InvalidArgument
from limequat.extents import extents_of

if TYPE_CHECKING:
    from limequat.annotations import Comm, Extents
    from limequat.communicators import Communicator


class Grid(Handle):
    """A lattice distributed over the ranks of a communicator; each rank has a box of it.

        >>> from mpi4py import MPI
        >>> grid = lq.Grid([48, 48, 48, 96], comm=MPI.COMM_WORLD)
        >>> mine = lq.read("conf.0010.ildg", grid=grid)       # [t, z, y, x, mu, 3, 3] of this rank's box
        >>> mine.shape[:4] == grid.shape

    extents     of the lattice: x, y, z, t
    comm        an mpi4py communicator, a :class:`Communicator` or another Grid; None: this process alone
    processes   ranks in each dimension x, y, z, t; default: those of a Cartesian communicator, or chosen. Extents that
                they do not divide are distributed as evenly as possible
    ranks       the rank at each place of the process grid; default: x advances fastest with the rank, or the last dimension
                of a Cartesian communicator. If given, the topology of such a communicator is not used:

                - an order: the dimensions 0 to 3 for x, y, z, t, fastest first; ``(3, 2, 1, 0)``: t fastest, as in QUDA
                - an array of whole numbers [t, z, y, x]: the rank at each place, the same on all ranks; it gives
                  ``processes``, too
                - a function of a rank that returns its x, y, z, t in the process grid, counted from 0, or None if it
                  holds nothing. It is called for this rank only. Needs ``processes``
    idle_ranks  allow fewer processes than the communicator has; the others hold nothing: the last ranks, or those not
                named by an array in ``ranks``

    Collective over ``comm``. Arrays
    of a field over a grid hold this rank's box: ``whole[grid.slices]``, of shape ``grid.shape + (...)``. All
    ranks must delete their grids in the same order. Raises InvalidArgument (on all ranks, also if a place has no rank or two),
    RanksDisagree, CommunicationError.

    extents, processes  as above
    origin, local       x, y, z, t: the first site of this rank's box, and the extents of the box
    rank, size          number of this process, and number of processes
    communicator        the :class:`Communicator`; None: this process alone
    """

    communicator: Optional[Communicator]
    extents: Tuple[int, ...]
    processes: Tuple[int, ...]
    origin: Tuple[int, ...]
    local: Tuple[int, ...]

    def __init__(self, extents: Extents, comm: Optional[Comm] = None, processes: Optional[Extents] = None, *,
                 ranks: Any = None, idle_ranks: bool = False) -> None:
        self.communicator = group_of(comm)
        with agreed(self.communicator):
            sizes = _int64s(extents, "extents")
            options = structs.GridOptions()
            call("lq_grid_options_init", ctypes.byref(options), ctypes.sizeof(options))
            options.idle_ranks = int(bool(idle_ranks))
            topology = None if ranks is not None else _topology(comm, len(sizes), processes)
            if topology is not None:
                processes, ranks = topology, tuple(reversed(range(len(sizes))))
            if ranks is not None:
                processes = _put_ranks(options, ranks, processes, len(sizes), self.communicator)
            if processes is not None:
                ranks_in = _int64s(processes, "processes")
                if len(ranks_in) != len(sizes):
                    raise InvalidArgument(f"processes has {len(ranks_in)} numbers for {len(sizes)} extents")
                options.processes = ranks_in
        super().__init__("lq_grid_free", "lq_grid_create", sizes, len(sizes), self.communicator,
                         ctypes.byref(options))
        numbers = c_int64 * len(sizes)
        self.extents, dealt, lower, box = tuple(sizes), numbers(), numbers(), numbers()
        call("lq_grid_processes", self, dealt)
        call("lq_grid_local_box", self, lower, box)
        self.processes, self.origin, self.local = tuple(dealt), tuple(lower), tuple(box)

    @property
    def rank(self) -> int:
        """Number of this process, from 0."""
        return answer("lq_grid_rank", self)

    @property
    def size(self) -> int:
        """Number of processes."""
        return answer("lq_grid_size", self)

    @property
    def shape(self) -> Tuple[int, ...]:
        """[t, z, y, x] of this rank's box."""
        return self.local[::-1]

    @property
    def slices(self) -> Tuple[slice, ...]:
        """[t, z, y, x] of this rank's box in an array of the whole lattice."""
        return tuple(slice(first, first + count) for first, count in zip(self.origin[::-1], self.local[::-1]))

    def __repr__(self) -> str:
        lattice, processes = ("x".join(map(str, numbers)) for numbers in (self.extents, self.processes))
        return f"<grid of {lattice} over {processes} ranks; rank {self.rank} has {self.local} from {self.origin} on>"


def _int64s(numbers, name):
    numbers = extents_of(numbers, name)
    if not 1 <= len(numbers) <= 8 or not all(0 < number < 1 << 63 for number in numbers):
        raise InvalidArgument(f"{name} is {numbers}, expected 1 to 8 positive numbers in x, y, z, t order")
    return (c_int64 * len(numbers))(*numbers)


def _topology(comm, dimensions, processes):
    """The process grid of a Cartesian communicator; None for others."""
    dims = getattr(comm, "dims", None)
    if dims is None or isinstance(comm, Handle):
        return None
    if len(dims) != dimensions:
        raise InvalidArgument(f"a Cartesian communicator of {len(dims)} dimensions for a lattice of {dimensions}")
    if processes is not None and list(processes) != list(dims):
        raise InvalidArgument(f"processes is {list(processes)}, but the Cartesian communicator has {list(dims)}")
    return dims


def _put_ranks(options, ranks, processes, dimensions, group):
    """Sets the order, the table or the coordinates of `options`; returns the process grid."""
    if callable(ranks):
        if processes is None:
            raise InvalidArgument("ranks is a function, but processes is missing; give the process grid x, y, z, t")
        place = ranks(0 if group is None else group.rank)
        options.holds_sites = int(place is not None)
        if place is not None:
            options.coordinates = _numbers(place, dimensions, c_int64, "ranks(rank)", "the coordinates of the rank, or None")
        return processes
    try:
        table = np.asarray(ranks)
    except ValueError:  # lists of different lengths
        table = np.empty(0)
    if table.dtype.kind not in "iu" or table.size == 0:
        raise InvalidArgument(f"ranks is {ranks!r}, expected an order of dimensions such as (3, 2, 1, 0), the rank at each "
                              "place [t, z, y, x], or a function of a rank that returns its coordinates")
    if table.ndim == 1 and dimensions > 1:
        options.rank_order = _numbers(ranks, dimensions, c_int, "ranks", "dimensions, fastest first")
        return processes
    expected = table.shape if processes is None else tuple(extents_of(processes, "processes"))[::-1]
    if table.ndim != dimensions or table.shape != expected:
        raise InvalidArgument(f"ranks has the shape {list(table.shape)}, expected {dimensions} dimensions"
                              + ("" if processes is None else f", {list(expected)}") + ": the process grid, t, z, y, x")
    # What does not fit is refused like -1.
    flat = np.ascontiguousarray(np.clip(table.astype(np.int64), -1, 2**31 - 1), np.intc)
    options.ranks = (c_int * flat.size).from_buffer(flat)
    return table.shape[::-1]


def _numbers(values, count, kind, name, what):
    try:
        numbers = [operator.index(value) for value in values]
    except TypeError:
        numbers = []
    if len(numbers) != count or not all(-1 << 31 <= number < 1 << 31 for number in numbers):
        raise InvalidArgument(f"{name} is {values!r}, expected {count} whole numbers: {what}", found=repr(values))
    return (kind * count)(*numbers)


def laid_out(array, kind, dims, grid):
    """(array, Field, Grid) for an array to be written or measured: of the whole lattice, or of this rank's box."""
    if grid is None:
        array, field, extents = described(array, kind, dims)
        return array, field, Grid(extents)
    array, field, extents = described(array, kind, len(grid.extents) if dims is None else dims, grid.local)
    if tuple(extents) != grid.local:
        raise InvalidArgument(f"the array has the lattice {list(extents[::-1])}, expected {list(grid.shape)} [t, z, y, x], "
                              f"this rank's box of the grid", expected=str(list(grid.shape)),
                              found=str(list(extents[::-1])))
    return array, field, grid


def require_grid(grid):
    """Refuses anything except a Grid."""
    if grid is not None and not isinstance(grid, Grid):
        raise InvalidArgument(f"grid is {grid!r}, expected a Grid: lq.Grid(extents, comm=...)")
    return None if grid is None else grid.communicator
