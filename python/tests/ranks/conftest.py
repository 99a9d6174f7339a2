# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests that all ranks run together, each in a pytest of its own."""

import shutil
import tempfile

import pytest

MPI = pytest.importorskip("mpi4py.MPI")
COMM = MPI.COMM_WORLD


@pytest.fixture
def shared():
    """A folder of all ranks, as a text."""
    folder = COMM.bcast(tempfile.mkdtemp() if COMM.rank == 0 else None)
    yield folder
    COMM.Barrier()
    if COMM.rank == 0:
        shutil.rmtree(folder)
