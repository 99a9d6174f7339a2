# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Quantities of gauge fields at each site, computed a few time slices at a time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from limequat.errors import InvalidArgument
from limequat.physics import density as measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["charge_density", "plaquette_density", "topological_charge"]

_BYTES_AT_ONCE = 64 << 20  # of the time slices that are measured together


def plaquette_density(u: NDArray[Any]) -> NDArray[Any]:
    """The mean of Re Tr U_P / N over the plaquettes at each site that go forward, x to x+mu to x+mu+nu, mu < nu.

    u  a gauge field [t, z, y, x, mu, N, N] (or of two or three dimensions): an array, a memmap, or a field of an open file, whose
       time slices are read when they are needed

    Returns float64 [t, z, y, x]; its mean is ``plaquette(u).average``. Holds some time slices in addition: two, or as many more as have
    64 MiB, and their copy. Raises InvalidArgument.
    """
    _require_gauge(u, (2, 3, 4))
    return _by_slices("lq_plaquette_density", u, below=0, above=1)


def charge_density(u: NDArray[Any]) -> NDArray[Any]:
    """The topological charge density by its clover definition, of each site.

    q(x) = Tr(F_xy F_zt - F_xz F_yt + F_xt F_yz) / (4 pi^2), that is epsilon Tr F F / (32 pi^2) with epsilon_xyzt = 1, where
    F = (C - C^dagger) / 8i and C is the sum of the four plaquettes in a plane that begin and end at x. Its trace is not removed. Nothing is
    smeared: on configurations of a simulation noise dominates; cool or flow them first (:func:`observables` does).

    u  a gauge field [t, z, y, x, mu, N, N] of four dimensions, as in :func:`plaquette_density`

    Returns float64 [t, z, y, x]. Holds some time slices in addition: three, or as many more as have 64 MiB, and their copy. Raises
    InvalidArgument.
    """
    _require_gauge(u, (4,))
    density = _by_slices("lq_charge_density", u, below=1, above=1)
    return density / 2 if u.shape[-1] == 1 else density  # phases count twice (_links)


def topological_charge(u: NDArray[Any]) -> float:
    """The sum of :func:`charge_density` over all sites: a float; an integer up to discretisation effects if ``u`` is smooth."""
    return math.fsum(charge_density(u).ravel())


def _require_gauge(u, allowed):
    """InvalidArgument if u is not a gauge field in that number of dimensions."""
    shape = tuple(getattr(u, "shape", ()))
    dims = len(shape) - 3
    if dims not in allowed or shape[-3] != dims or shape[-1] != shape[-2] or 0 in shape:
        wanted = "[t, z, y, x, mu, N, N] with mu = x, y, z, t" if allowed == (4,) else "[t, z, y, x, mu, N, N], or one of 2 or 3 dimensions"
        raise InvalidArgument(f"an array of shape {list(shape)}, expected a gauge field {wanted}", found=str(list(shape)))


def _by_slices(function, u, below, above):
    """The density of each time slice, which depends on the links of the given number of slices below and above it."""
    times, around = len(u), below + above
    slice_bytes = 16 * math.prod(u.shape[1:])
    at_once = max(1, _BYTES_AT_ONCE // slice_bytes - around)
    if times <= at_once + around:
        return measure(function, _links([u[t] for t in range(times)]))
    result = np.empty(u.shape[:-3])
    for begin in range(0, times, at_once):
        end = min(begin + at_once, times)
        # A separate lattice; the slices at its ends, which have wrong neighbours, are omitted.
        slab = _links([u[t % times] for t in range(begin - below, end + above)])
        result[begin:end] = measure(function, slab)[below:below + end - begin]
    return result


def _links(slices):
    links = np.stack([np.asarray(one) for one in slices])
    if links.dtype.kind not in "fc":
        raise InvalidArgument(f"links of type {links.dtype}, expected real or complex numbers", found=str(links.dtype))
    # The library has no gauge fields of U(1): phases are stored twice, on the diagonal of 2x2 matrices.
    return links * np.eye(2, dtype=np.complex128) if links.shape[-1] == 1 else links.astype(np.complex128)
