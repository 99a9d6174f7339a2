# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Quantities of gauge fields at each site, by numpy, one time slice after the other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from limequat.errors import InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["charge_density", "plaquette_density", "topological_charge"]


def plaquette_density(u: NDArray[Any]) -> NDArray[Any]:
    """The mean of Re Tr U_P / N over the plaquettes at each site that go forward, x to x+mu to x+mu+nu, mu < nu.

    u  a gauge field [t, z, y, x, mu, N, N] (or of two or three dimensions): an array, a memmap, or a field of an open file, whose time
       slices are then read when they are needed

    Returns float64 [t, z, y, x]; its mean is ``plaquette(u).average``. Holds two time slices in addition. Raises InvalidArgument.
    """
    dims, colors = _shape_of(u, (2, 3, 4))
    density = np.empty(u.shape[:dims])
    first = here = _slice(u, 0)
    for t in range(len(density)):
        above = first if t == len(density) - 1 else _slice(u, t + 1)
        links = _Neighbours(dims, {0: here, 1: above})
        density[t] = sum(_trace(links(mu, {}) @ links(nu, {mu: 1}), links(nu, {}) @ links(mu, {nu: 1}))
                         for nu in range(dims) for mu in range(nu)) / (colors * dims * (dims - 1) // 2)
        here = above
    return density


def charge_density(u: NDArray[Any]) -> NDArray[Any]:
    """The topological charge density by its clover definition, of each site.

    q(x) = Tr(F_xy F_zt - F_xz F_yt + F_xt F_yz) / (4 pi^2), that is epsilon Tr F F / (32 pi^2) with epsilon_xyzt = 1, where
    F = (C - C^dagger) / 8i and C is the sum of the four plaquettes in a plane that begin and end at x. Its trace is not removed. Nothing is
    smeared: on configurations as they come from a simulation noise dominates; cool or flow them first.

    u  a gauge field [t, z, y, x, mu, N, N] of four dimensions, as in :func:`plaquette_density`

    Returns float64 [t, z, y, x]. Holds some ten time slices in addition. Raises InvalidArgument.
    """
    _shape_of(u, (4,))
    density = np.empty(u.shape[:4])
    times = len(density)
    first = here = _slice(u, 0)
    below = _slice(u, times - 1) if times > 1 else first
    for t in range(times):
        above = first if t == times - 1 else _slice(u, t + 1)
        density[t] = _charge(_Neighbours(4, {-1: below, 0: here, 1: above}))
        below, here = here, above
    return density


def topological_charge(u: NDArray[Any]) -> float:
    """The sum of :func:`charge_density` over all sites: a float; an integer but for discretisation effects where ``u`` is smooth."""
    return math.fsum(charge_density(u).ravel())


def _shape_of(u, allowed):
    """(dimensions, N) of a gauge field; InvalidArgument."""
    shape = tuple(getattr(u, "shape", ()))
    dims = len(shape) - 3
    if dims not in allowed or shape[-3] != dims or shape[-1] != shape[-2] or 0 in shape:
        wanted = "[t, z, y, x, mu, N, N] with mu = x, y, z, t" if allowed == (4,) else "[t, z, y, x, mu, N, N], or one of 2 or 3 dimensions"
        raise InvalidArgument(f"an array of shape {list(shape)}, expected a gauge field {wanted}", found=str(list(shape)))
    return dims, shape[-1]


def _slice(u, t):
    links = np.asarray(u[t])
    if links.dtype.kind not in "fc":
        raise InvalidArgument(f"links of type {links.dtype}, expected real or complex numbers", found=str(links.dtype))
    return links.astype(np.complex128 if links.dtype.kind == "c" else np.float64)


class _Neighbours:
    """Links near the sites of a time slice; `slices` are those at time -1, 0 and 1 from it, [z, y, x, mu, N, N]."""

    def __init__(self, dims, slices):
        self.dims, self.slices = dims, slices

    def __call__(self, mu, steps):
        """U_mu at the sites so many steps away: {direction: step}."""
        links = self.slices[steps.get(self.dims - 1, 0)][..., mu, :, :]
        for direction, step in steps.items():
            if direction < self.dims - 1 and step:
                links = np.roll(links, -step, self.dims - 2 - direction)
        return links


def _charge(links):
    x, y, z, t = range(4)
    pairs = ((1, (x, y), (z, t)), (-1, (x, z), (y, t)), (1, (x, t), (y, z)))
    return sum(sign * _product_trace(_field_strength(links, *a), _field_strength(links, *b)) for sign, a, b in pairs) / (4 * math.pi ** 2)


def _field_strength(u, m, n):
    """Hermitian, of the plane m, n."""
    clover = u(m, {}) @ u(n, {m: 1}) @ _dagger(u(n, {}) @ u(m, {n: 1}))
    clover += u(n, {}) @ _dagger(u(m, {m: -1, n: 1})) @ _dagger(u(n, {m: -1})) @ u(m, {m: -1})
    clover += _dagger(u(n, {m: -1, n: -1}) @ u(m, {m: -1})) @ u(m, {m: -1, n: -1}) @ u(n, {n: -1})
    clover += _dagger(u(n, {n: -1})) @ u(m, {n: -1}) @ u(n, {m: 1, n: -1}) @ _dagger(u(m, {}))
    return (clover - _dagger(clover)) / 8j


def _dagger(matrices):
    return np.swapaxes(matrices, -1, -2).conj()


def _trace(a, b):
    """Re Tr a b^dagger."""
    return np.einsum("...ij,...ij->...", a, b.conj()).real


def _product_trace(a, b):
    """Tr a b of Hermitian matrices: real."""
    return np.einsum("...ij,...ji->...", a, b).real
