# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Observables of gauge fields in memory, and a generator of configurations."""

from __future__ import annotations

import ctypes
import typing

import numpy as np

from limequat._library import call, text_from
from limequat.answers import parse
from limequat.arrays import Field
from limequat.communicators import agreed
from limequat.errors import InvalidArgument
from limequat.grid import Grid, laid_out, require_grid
from limequat.options import Options, takes

if typing.TYPE_CHECKING:
    from typing import Optional
    from numpy.typing import NDArray
    from limequat.annotations import ArrayIn, Extents
    from limequat.option_types import GenerateOptions, ObservablesOptions, Unpack


class Plaquette(typing.NamedTuple):
    """Averages of Re Tr U_P / N over all plaquettes, over those without and over those with the time direction."""

    average: float
    spatial: float
    temporal: float


class Unitarity(typing.NamedTuple):
    """The distance of links from SU(N): largest and mean over links of max |U U^dagger - 1|, largest |det U - 1|."""

    largest: float
    mean: float
    largest_determinant: float


class WilsonLoop(typing.NamedTuple):
    """Averages of Re Tr W / N over rectangles of r and s steps: over all planes and both orientations, over those without the time
    direction, and with r steps in space and s in time."""

    r: int
    s: int
    average: float
    spatial: float
    temporal: float


class FlowPoint(typing.NamedTuple):
    """A field at a flow time t / a^2: <E> a^4 of the clover and of the plaquette, and the topological charge (None except in
    four dimensions)."""

    time: float
    energy: float
    energy_plaquette: float
    charge: typing.Optional[float]


class Observables(typing.NamedTuple):
    """The result of :func:`observables`. ``flow[0]`` is the field without flow; t0 / a^2 and w0 / a are None if the flow did not reach
    them. With ``open_boundary`` there are only Wilson loops, and ``flow`` is empty."""

    wilson_loops: typing.List[WilsonLoop]
    polyakov_loop: typing.Optional[complex]
    flow: typing.List[FlowPoint]
    t0: typing.Optional[float]
    w0: typing.Optional[float]
    t0_plaquette: typing.Optional[float]
    w0_plaquette: typing.Optional[float]
    open_boundary: bool

    @property
    def charge(self):
        """The topological charge without flow; None if it is not defined."""
        return self.flow[0].charge if self.flow else None

    @property
    def energy(self):
        """<E> a^4 of the clover without flow; None if it is not defined."""
        return self.flow[0].energy if self.flow else None


def plaquette(u: ArrayIn, grid: Optional[Grid] = None) -> Plaquette:
    """The :class:`Plaquette` of a gauge field [t, z, y, x, mu, N, N]; the last dimension (t) is time.

    grid: a :class:`Grid`; u is then this rank's box, and every rank gets the answer for the whole field. Collective."""
    return Plaquette(*_measure("lq_plaquette", u, 3, grid))


def link_trace(u: ArrayIn, grid: Optional[Grid] = None) -> float:
    """The average of Re Tr U / N over the links of a gauge field [t, z, y, x, mu, N, N]; grid as in :func:`plaquette`."""
    return _measure("lq_link_trace", u, 1, grid)[0]


def unitarity(u: ArrayIn, grid: Optional[Grid] = None) -> Unitarity:
    """The :class:`Unitarity` of a gauge field [t, z, y, x, mu, N, N]; grid as in :func:`plaquette`."""
    return Unitarity(*_measure("lq_unitarity", u, 3, grid))


@takes("ObservablesOptions")
def observables(u: ArrayIn, *, grid: Optional[Grid] = None, **options: "Unpack[ObservablesOptions]") -> Observables:
    """Measures Wilson loops 1x1 to 2x2, Polyakov loop, energy density and topological charge along the gradient flow, t0 and w0.

    u     a gauge field [t, z, y, x, mu, N, N] of SU(N), N > 1; in other numbers of dimensions, from two on, without charge
    grid  a :class:`Grid`; u is then this rank's box, and every rank gets the answer for the whole field. Collective.
    {options}

    Returns :class:`Observables`, the same to the last bit on any process grid. The formulas are on the page "Observables" of
    the guide. Raises InvalidArgument (NaN, links that are not in the group, options), Unsupported (flow with open boundaries).
    """
    with agreed(require_grid(grid)):
        array, field, grid = laid_out(u, "gauge", None, grid)
        how = Options("ObservablesOptions", options)
    found = parse(text_from("lq_observables", grid, field.to_c(array), how))
    loop = found["polyakov_loop"]
    return Observables([WilsonLoop(**one) for one in found["wilson_loops"]], loop and complex(loop["re"], loop["im"]),
                       [FlowPoint(**one) for one in found["flow"]],
                       *(found[name] for name in ("t0", "w0", "t0_plaquette", "w0_plaquette", "open_boundary")))


@takes("GenerateOptions")
def generate(lattice: Extents, *, colors: int = 3, grid: Optional[Grid] = None,
             **options: "Unpack[GenerateOptions]") -> NDArray[np.complex128]:
    """Generates a thermalised pure gauge configuration (Wilson action, heat bath with over-relaxation, SU(2) or SU(3)).

    lattice  extents in x, y, z, t order, 2 and up
    colors   2 or 3
    grid     a :class:`Grid` of that lattice: collective, each rank gets its box
    {options}

    The result depends only on the arguments. Returns an array [t, z, y, x, mu, N, N], complex128.
    """
    with agreed(require_grid(grid)):
        whole = Grid(lattice)
        if grid is not None and whole.extents != grid.extents:
            raise InvalidArgument(f"the lattice is {whole.extents}, the lattice of the grid {grid.extents}")
        grid = grid or whole
        u = np.empty(grid.shape + (len(grid.extents), colors, colors), dtype=np.complex128)
        how = Options("GenerateOptions", options)
    call("lq_generate", grid, Field("gauge", u.shape[-3:]).to_c(u), how)
    return u


def density(function, links):
    """The values of a C function at each site of a whole field, complex128 and contiguous: float64 [t, z, y, x]."""
    values = np.empty(links.shape[:-3])
    field = Field("gauge", links.shape[-3:])
    call(function, Grid(values.shape[::-1]), field.to_c(links), values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
    return values


def _measure(function, u, count, grid):
    with agreed(require_grid(grid)):
        array, field, grid = laid_out(u, "gauge", None, grid)
        values = (ctypes.c_double * count)()
    call(function, grid, field.to_c(array), values)
    return list(values)
