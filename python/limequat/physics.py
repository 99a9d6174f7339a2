# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Observables of gauge fields in memory, and a generator of configurations."""

from __future__ import annotations

import ctypes
import typing

import numpy as np

from limequat._library import call
from limequat.arrays import Field
from limequat.communicators import agreed
from limequat.errors import InvalidArgument
from limequat.grid import Grid, laid_out, require_grid
from limequat.options import Options, takes

if typing.TYPE_CHECKING:
    from typing import Optional
    from numpy.typing import NDArray
    from limequat.annotations import ArrayIn, Extents
    from limequat.option_types import GenerateOptions, Unpack


class Plaquette(typing.NamedTuple):
    """Averages of Re Tr U_P / N over all plaquettes, those without and those with the time direction."""

    average: float
    spatial: float
    temporal: float


class Unitarity(typing.NamedTuple):
    """How far links are from SU(N): largest and mean over links of max |U U^dagger - 1|, largest |det U - 1|."""

    largest: float
    mean: float
    largest_determinant: float


def plaquette(u: ArrayIn, grid: Optional[Grid] = None) -> Plaquette:
    """The :class:`Plaquette` of a gauge field [t, z, y, x, mu, N, N]; the last dimension (t) is time.

    grid: a :class:`Grid`; u is this rank's box then, and the answer that of the whole field on every rank. Collective."""
    return Plaquette(*_measure("lq_plaquette", u, 3, grid))


def link_trace(u: ArrayIn, grid: Optional[Grid] = None) -> float:
    """The average of Re Tr U / N over the links of a gauge field [t, z, y, x, mu, N, N]; grid as in :func:`plaquette`."""
    return _measure("lq_link_trace", u, 1, grid)[0]


def unitarity(u: ArrayIn, grid: Optional[Grid] = None) -> Unitarity:
    """The :class:`Unitarity` of a gauge field [t, z, y, x, mu, N, N]; grid as in :func:`plaquette`."""
    return Unitarity(*_measure("lq_unitarity", u, 3, grid))


@takes("GenerateOptions")
def generate(lattice: Extents, *, colors: int = 3, grid: Optional[Grid] = None,
             **options: "Unpack[GenerateOptions]") -> NDArray[np.complex128]:
    """A thermalised pure gauge configuration (Wilson action, heat bath with over-relaxation, SU(2) or SU(3)).

    lattice  extents in x, y, z, t order, 2 and up
    colors   2 or 3
    grid     a :class:`Grid` of that lattice: collective, each rank gets its box
    {options}

    The result depends on the arguments alone. Returns an array [t, z, y, x, mu, N, N], complex128.
    """
    with agreed(require_grid(grid)):
        whole = Grid(lattice)
        if grid is not None and whole.extents != grid.extents:
            raise InvalidArgument(f"the lattice is {whole.extents}, that of the grid {grid.extents}")
        grid = grid or whole
        u = np.empty(grid.shape + (len(grid.extents), colors, colors), dtype=np.complex128)
        how = Options("GenerateOptions", options)
    call("lq_generate", grid, Field("gauge", u.shape[-3:]).to_c(u), how)
    return u


def _measure(function, u, count, grid):
    with agreed(require_grid(grid)):
        array, field, grid = laid_out(u, "gauge", None, grid)
        values = (ctypes.c_double * count)()
    call(function, grid, field.to_c(array), values)
    return list(values)
