# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""limequat.compat.pyquda_io over ranks: each has its box, with t fastest, and files are those of one process."""

import pathlib

import numpy as np
import pytest
from mpi4py import MPI

import limequat as lq
from limequat.compat import pyquda_io

COMM = MPI.COMM_WORLD
LATTICE = [4, 8, 4, 8]  # x, y, z, t
SHAPE = tuple(LATTICE[::-1])
PROCESSES = {1: (1, 1, 1, 1), 2: (1, 1, 1, 2), 3: None, 4: (1, 1, 2, 2), 8: (1, 2, 2, 2)}.get(COMM.size)

pytestmark = pytest.mark.skipif(PROCESSES is None, reason="a process grid that divides the lattice is needed")


@pytest.fixture(autouse=True)
def ranks():
    pyquda_io.init(PROCESSES)
    yield
    pyquda_io.init(None)


def box():
    """[t, z, y, x] of this rank, t fastest."""
    place, rank = {}, COMM.rank
    for axis in (3, 2, 1, 0):
        rank, place[axis] = divmod(rank, PROCESSES[axis])
    counts = [n // p for n, p in zip(LATTICE, PROCESSES)]
    return tuple(slice(place[d] * counts[d], (place[d] + 1) * counts[d]) for d in (3, 2, 1, 0))


def alone(work):
    """work() by rank 0 alone."""
    if COMM.rank == 0:
        pyquda_io.init(None)
        work()
        pyquda_io._RANKS.update(comm=COMM, processes=PROCESSES)
    COMM.Barrier()


KINDS = {"MILCGauge": (), "NERSCGauge": (), "OpenQCDGauge": (), "KYUGauge": (LATTICE,), "KYUPropagator": (LATTICE,),
         "XQCDPropagator": (LATTICE,), "XQCDStaggeredPropagator": (LATTICE,), "NPYGauge": (), "NPYPropagator": ()}


@pytest.mark.parametrize("kind", KINDS)
def test_files_are_those_of_one_process(shared, kind):
    if kind.endswith("Gauge"):
        whole = np.moveaxis(COMM.bcast(lq.generate(LATTICE, sweeps=2) if COMM.rank == 0 else None), 4, 0)
        part = whole[(slice(None), *box())]
    else:
        site = (3, 3) if "Staggered" in kind else (4, 4, 3, 3)
        generator = np.random.default_rng(3)
        whole = generator.normal(size=SHAPE + site) + 1j * generator.normal(size=SHAPE + site)
        part = whole[box()]
    write, read = getattr(pyquda_io, "write" + kind), getattr(pyquda_io, "read" + kind)
    path, plain = f"{shared}/{kind}", f"{shared}/{kind}.alone"
    write(path, LATTICE, part)
    alone(lambda: write(plain, LATTICE, whole))
    assert pathlib.Path(path).read_bytes() == pathlib.Path(plain).read_bytes()
    found = read(path, *KINDS[kind])
    if isinstance(found, tuple):
        assert found[0] == LATTICE
        found = found[1]
    assert found.shape == part.shape and np.allclose(found, part, atol=1e-5)


@pytest.mark.skipif(COMM.size == 1, reason="one rank needs no process grid")
def test_errors_are_the_same_on_all_ranks(shared):
    for work, kind in ((lambda: pyquda_io.readILDGGauge(f"{shared}/nowhere"), lq.NotFound),
                       (lambda: pyquda_io.readKYUGauge(f"{shared}/nowhere", LATTICE), lq.NotFound),
                       (lambda: pyquda_io.writeKYUGauge(f"{shared}/no/folder", LATTICE, np.zeros((4, *part_shape(), 3, 3), complex)), lq.NotFound),
                       (lambda: pyquda_io.init([1, 1, 1, COMM.size + 1]), lq.InvalidArgument)):
        with pytest.raises(kind):
            work()
    assert len(set(COMM.allgather(COMM.rank))) == COMM.size  # nobody is left behind


def part_shape():
    return tuple(one.stop - one.start for one in box())
