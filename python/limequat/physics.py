# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Observables of gauge fields in memory, and a generator of configurations."""

import ctypes
import typing

import numpy as np

from limequat._library import Grid, call
from limequat.arrays import Field, described
from limequat.errors import InvalidArgument
from limequat.options import Options, takes

if typing.TYPE_CHECKING:
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


def plaquette(u):
    """The :class:`Plaquette` of a gauge field [t, z, y, x, mu, N, N]; the last dimension (t) is time."""
    return Plaquette(*_measure("lq_plaquette", u, 3))


def link_trace(u):
    """The average of Re Tr U / N over the links of a gauge field [t, z, y, x, mu, N, N]."""
    return _measure("lq_link_trace", u, 1)[0]


def unitarity(u):
    """The :class:`Unitarity` of a gauge field [t, z, y, x, mu, N, N]."""
    return Unitarity(*_measure("lq_unitarity", u, 3))


@takes("GenerateOptions")
def generate(lattice, *, colors=3, **options: "Unpack[GenerateOptions]"):
    """A thermalised pure gauge configuration (Wilson action, heat bath with over-relaxation, SU(2) or SU(3)).

    lattice  extents in x, y, z, t order, 2 and up
    colors   2 or 3
    {options}

    The result depends on the arguments alone. Returns an array [t, z, y, x, mu, N, N], complex128.
    """
    lattice = [int(extent) for extent in lattice]
    if not lattice or min(lattice) < 1:
        raise InvalidArgument(f"lattice is {lattice}, expected positive extents in x, y, z, t order")
    u = np.empty(tuple(lattice[::-1]) + (len(lattice), colors, colors), dtype=np.complex128)
    how = Options("GenerateOptions", options)
    call("lq_generate", Grid(lattice), Field("gauge", u.shape[-3:]).to_c(u), how)
    return u


def _measure(function, u, count):
    array, field, extents = described(u, "gauge")
    values = (ctypes.c_double * count)()
    call(function, Grid(extents), field.to_c(array), values)
    return list(values)
