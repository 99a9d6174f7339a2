# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Observables against numpy."""

import numpy as np
import pytest
from conftest import random_links

import limequat as lq


def plane(u, mu, nu):
    """Average of Re Tr / 3 over the plaquettes of a plane of a [t, z, y, x, mu, 3, 3] field."""
    def ahead(field, direction):
        return np.roll(field, -1, axis=u.ndim - 4 - direction)
    one, two = u[..., mu, :, :], u[..., nu, :, :]
    loops = np.einsum("...ab,...bc,...dc,...ad->...", one, ahead(two, mu), ahead(one, nu).conj(), two.conj())
    return loops.real.mean() / u.shape[-1]


@pytest.mark.parametrize("shape", [(5, 3, 2, 4, 4), (4, 6, 2), (3, 4, 2, 3)])
def test_the_plaquette_is_that_of_numpy(shape):
    u = random_links(shape)
    time = shape[-1] - 1
    spatial = [plane(u, mu, nu) for nu in range(time) for mu in range(nu)]
    temporal = [plane(u, mu, time) for mu in range(time)]
    measured = lq.plaquette(u)
    assert measured.average == pytest.approx(np.mean(spatial + temporal), abs=1e-14)
    assert measured.temporal == pytest.approx(np.mean(temporal), abs=1e-14)
    assert measured.spatial == pytest.approx(np.mean(spatial) if spatial else 0, abs=1e-14)


def test_the_link_trace_is_that_of_numpy(links):
    assert lq.link_trace(links) == pytest.approx(np.einsum("...aa->...", links).real.mean() / 3, abs=1e-15)


def test_the_distance_from_unitarity_is_that_of_numpy(links):
    u = links * 1.001
    gap = np.abs(np.einsum("...ab,...cb->...ac", u, u.conj()) - np.eye(3)).max(axis=(-1, -2))
    measured = lq.unitarity(u)
    assert measured.largest == pytest.approx(gap.max())
    assert measured.mean == pytest.approx(gap.mean())
    assert measured.largest_determinant == pytest.approx(np.abs(np.linalg.det(u) - 1).max())


def test_single_precision_is_measured_too(links):
    assert lq.plaquette(links.astype(np.complex64)).average == pytest.approx(lq.plaquette(links).average, abs=1e-6)


def test_what_is_no_gauge_field_is_refused(links):
    with pytest.raises(lq.InvalidArgument):
        lq.plaquette(links[..., 0, :, :])
    with pytest.raises(lq.InvalidArgument):
        lq.plaquette(links.real)


def test_generation_is_reproducible():
    u = lq.generate((4, 4, 4, 4), beta=6.0, sweeps=10, seed=7)
    assert u.shape == (4, 4, 4, 4, 4, 3, 3) and lq.unitarity(u).largest < 1e-13
    assert np.array_equal(u, lq.generate((4, 4, 4, 4), beta=6.0, sweeps=10, seed=7))
    assert not np.array_equal(u, lq.generate((4, 4, 4, 4), beta=6.0, sweeps=10, seed=8))
    assert 0.5 < lq.plaquette(u).average < 0.7


def test_su2_is_generated_too():
    assert lq.generate((2, 2, 2, 4), beta=2.3, sweeps=2, colors=2).shape == (4, 2, 2, 2, 4, 2, 2)


@pytest.mark.parametrize("lattice", [[], (4, 0, 4, 4)])
def test_impossible_lattices_are_refused(lattice):
    with pytest.raises(lq.InvalidArgument):
        lq.generate(lattice)
