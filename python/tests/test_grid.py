# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Grids on one process; tests/ranks has those on several."""

import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import LATTICE, SHAPE

import limequat as lq


def test_without_a_communicator_this_process_has_it_all(gauge_file, links, tmp_path):
    grid = lq.Grid(LATTICE)
    assert (grid.rank, grid.size, grid.communicator) == (0, 1, None)
    assert (grid.extents, grid.local, grid.origin, grid.processes) == (LATTICE, LATTICE, (0, 0, 0, 0), (1, 1, 1, 1))
    assert grid.shape == SHAPE and np.empty(SHAPE)[grid.slices].shape == SHAPE
    assert np.array_equal(lq.read(gauge_file, grid=grid), links)
    lq.write(tmp_path / "a.ildg", links, grid=grid)
    lq.write(tmp_path / "b.ildg", links)
    assert (tmp_path / "a.ildg").read_bytes() == (tmp_path / "b.ildg").read_bytes()


@pytest.mark.parametrize("extents", [[], [0, 4], [4] * 9, "4x", "4 x 4", [4.5], [1 << 63], None])
def test_extents_that_are_none_are_refused(extents):
    with pytest.raises(lq.InvalidArgument, match="extents is"):
        lq.Grid(extents)


def test_processes_must_fit(links):
    with pytest.raises(lq.InvalidArgument, match="2 numbers for 4 extents"):
        lq.Grid(LATTICE, processes=[1, 1])
    with pytest.raises(lq.InvalidArgument, match="start 2 ranks"):
        lq.Grid(LATTICE, processes=[2, 1, 1, 1])


@pytest.mark.parametrize("ranks, match", [
    ("tzyx", "expected an order of dimensions"), (2.5, "expected an order"), ([], "expected an order"), ([[0], [0, 1]], "expected an order"),
    ((0, 1), "expected 4 whole numbers: dimensions"), ((0, 1, 2, 2), "order"), ([[0, 0, 0, 0]], "has the shape"),
    (np.zeros((2, 1, 1, 1), int), "start 2 ranks"), (np.full((1, 1, 1, 1), 3), "does not exist"),
    (lambda rank: (0, 0, 0), "expected 4 whole numbers: the coordinates"), (lambda rank: (0, 0, 0, 1), "expected coordinates in process grid"),
    (lambda rank: None, "none of the 1 ranks holds sites")])
def test_ranks_must_make_sense(ranks, match):
    with pytest.raises(lq.InvalidArgument, match=match):
        lq.Grid(LATTICE, processes=None if isinstance(ranks, np.ndarray) else [1, 1, 1, 1], ranks=ranks)


def test_one_rank_may_have_a_map():
    for ranks in ((3, 2, 1, 0), np.zeros((1, 1, 1, 1), int), lambda rank: (0, 0, 0, rank)):
        assert lq.Grid(LATTICE, processes=[1, 1, 1, 1], ranks=ranks).local == LATTICE
    with pytest.raises(lq.InvalidArgument, match="processes is missing"):
        lq.Grid(LATTICE, ranks=lambda rank: (0, 0, 0, 0))
    with pytest.raises(lq.InvalidArgument, match=r"has the shape \[1, 1, 1, 1\], expected 4 dimensions, \[1, 1, 1, 2\]"):
        lq.Grid(LATTICE, processes=[2, 1, 1, 1], ranks=np.zeros((1, 1, 1, 1), int))
    assert lq.Grid([6], ranks=[0]).processes == (1,)


def test_what_is_no_communicator_is_refused():
    for comm in (0, "world", object()):
        with pytest.raises(lq.InvalidArgument, match="expected a communicator of mpi4py"):
            lq.Grid(LATTICE, comm=comm)
        with pytest.raises(lq.InvalidArgument, match="expected a communicator of mpi4py"):
            lq.verify("a", comm=comm)


def test_an_array_of_another_lattice_is_refused(links, tmp_path):
    with pytest.raises(lq.InvalidArgument, match=r"expected \[5, 3, 2, 2\]"):
        lq.write(tmp_path / "a.ildg", links, grid=lq.Grid((2, 2, 3, 5)))


def in_mpi(code, **environment):
    """Runs code under the launcher of nobody."""
    pytest.importorskip("mpi4py")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("OMPI_COMM", "PMI", "PMIX"))}
    return subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, env={**kept, **environment})


LONELY = "import limequat as lq; from mpi4py import MPI; [lq.Grid([4, 4, 4, 4], comm=MPI.COMM_WORLD) for _ in '12']"


@pytest.mark.parametrize("size, rank", [("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"), ("PMI_SIZE", "PMI_RANK")])
def test_ranks_that_do_not_know_each_other_are_reported_once(size, rank):
    told = in_mpi("import mpi4py; mpi4py.rc.initialize = True\n"
                  f"from mpi4py import MPI; import os; os.environ.update({size}='4', {rank}='0')\n" + LONELY).stderr
    assert told.count("RuntimeWarning") == 1 and f"4 processes were started ({size}=4)" in told and "mpirun" in told, told
    assert told.startswith("<string>:"), told  # the line of the program
    assert "RuntimeWarning" not in in_mpi(LONELY).stderr


def test_intercommunicators_and_none_are_refused():
    told = in_mpi("import limequat as lq; from mpi4py import MPI\n"
                  "try: lq.Grid([4], comm=MPI.COMM_NULL)\nexcept lq.InvalidArgument as error: print(error)").stdout
    assert "MPI.COMM_NULL" in told


def test_a_library_for_mpi_that_is_not_there_is_an_error():
    told = in_mpi("import limequat as lq; from mpi4py import MPI\n"
                  "try: lq.Grid([4], comm=MPI.COMM_WORLD)\nexcept lq.NotFound as error: print(error)",
                  LIMEQUAT_MPI_LIBRARY="/nowhere/liblimequat_mpi.so").stdout
    assert "LIMEQUAT_MPI_LIBRARY is /nowhere/liblimequat_mpi.so" in told


def test_a_library_of_another_mpi_is_reported_and_not_used(tmp_path):
    library = tmp_path / "liblimequat_mpi.so"
    library.write_bytes(b"\x7fELF\0libother_mpi.so.12\0")
    done = in_mpi("import limequat as lq; from mpi4py import MPI; print(lq.Grid([4], comm=MPI.COMM_WORLD).communicator.is_native)",
                  LIMEQUAT_MPI_LIBRARY=str(library))
    assert done.stdout.strip() == "False" and "built for libother_mpi.so.12, but mpi4py uses" in done.stderr, done.stderr


def test_after_mpi_ended_a_communicator_is_refused():
    """MPI itself would end the process."""
    told = in_mpi("from mpi4py import MPI\nimport limequat as lq\nMPI.Finalize()\n"
                  "for call in (lambda: lq.Grid([4], comm=MPI.COMM_WORLD), lambda: lq.verify('x', comm=MPI.COMM_WORLD)):\n"
                  "    try: call()\n    except lq.WrongState as error: print(error)").stdout
    assert told.splitlines() == ["MPI: already finalised; nothing collective can follow"] * 2
