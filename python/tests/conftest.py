# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fields with known numbers; [t, z, y, x] lattices of extents that all differ."""

import numpy as np
import pytest

LATTICE = (4, 2, 3, 5)  # x, y, z, t
SHAPE = LATTICE[::-1]


def random_field(site, dtype=np.complex128, seed=1):
    """Gaussian numbers on the lattice."""
    generator = np.random.default_rng(seed)
    values = generator.normal(size=SHAPE + site)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * generator.normal(size=SHAPE + site)
    return values.astype(dtype)


def random_links(shape=SHAPE + (4,), seed=1):
    """Random SU(3) links around 1, so that their plaquette is no noise."""
    generator = np.random.default_rng(seed)
    m = generator.normal(size=shape + (3, 3)) + 1j * generator.normal(size=shape + (3, 3))
    q, r = np.linalg.qr(np.eye(3) + 0.2 * m)
    diagonal = np.diagonal(r, axis1=-2, axis2=-1)
    q = q * (diagonal / abs(diagonal))[..., None, :]
    return q / np.linalg.det(q)[..., None, None] ** (1 / 3)


@pytest.fixture
def links():
    """A gauge field [t, z, y, x, mu, 3, 3]."""
    return random_links()


@pytest.fixture
def gauge_file(tmp_path, links):
    """An ILDG file of `links`."""
    import limequat as lq

    path = tmp_path / "conf.ildg"
    lq.write(path, links, metadata={"xlf-info": f"plaquette = {lq.plaquette(links).average:.12f}"})
    return path
