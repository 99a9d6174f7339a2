# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fields with a plaquette that is neither noise nor one, and the texts that programs put beside them."""

import pathlib
import sys

import numpy as np
import pytest

import limequat as lq

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

CUBE, BOX = (4, 4, 4, 6), (4, 6, 2, 8)  # AnalysisToolbox and the openQCD reader of PyQUDA know cubes only

# What comes with fields: nothing, a program's own words, and what is hard to put into a line.
TEXTS = {
    "no-texts": {},
    "generated": {"xlf-info": "trajectory nr = 7\n beta = 6.000000000000\n group = SU(3)\n"},
    "lfn": {"ildg-data-lfn": "lfn://ldg/x/y", "date": "Thu Apr 14 17:20:32 2022 UTC"},
    "equals": {"ENSEMBLE_LABEL": "beta=6.0 kappa=0.13", "note": "a = b == c\nd = 100 %\n",
               "nersc-header": "CREATOR = x=y\nSEQUENCE_NUMBER = 7\n"},
}


@pytest.fixture(scope="session", params=[CUBE, BOX], ids=["cube", "box"])
def links(request):
    """A gauge field after a few sweeps [t, z, y, x, mu, row, column]."""
    return lq.generate(request.param, beta=6.0, sweeps=2, seed=3)


@pytest.fixture(scope="session")
def cube():
    return lq.generate(CUBE, beta=6.0, sweeps=2, seed=4)


def noise(site, seed=1, shape=CUBE[::-1]):
    """Complex numbers of normal distribution, [t, z, y, x] + site."""
    generator = np.random.default_rng(seed)
    return generator.normal(size=shape + site) + 1j * generator.normal(size=shape + site)


def as_stored(array, precision):
    return array.astype(np.complex64).astype(np.complex128) if precision == "single" else array
