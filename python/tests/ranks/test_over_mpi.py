# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Each rank with its own box: the same files, byte for byte, as by one process; the same errors on all ranks."""

import contextlib
import errno
import os
import pathlib

import numpy as np
import pytest
from mpi4py import MPI

import limequat as lq
from test_interrupts import AtWork, sparse_gauge_file

COMM = MPI.COMM_WORLD
LATTICE = (4, 6, 2, 8)  # x, y, z, t
SHAPE = LATTICE[::-1]


def field(*site, dtype=np.complex128, seed=1):
    """The same Gaussian numbers on all ranks, [t, z, y, x, ...]."""
    generator = np.random.default_rng(seed)
    values = generator.normal(size=SHAPE + site)
    return (values + 1j * generator.normal(size=SHAPE + site)).astype(dtype) if np.dtype(dtype).kind == "c" else values


def alone(work):
    """What work() gives on rank 0, which does it alone, for all ranks."""
    result = work() if COMM.rank == 0 else None
    return COMM.bcast(result)


def same_error(kind, work):
    """The error of all ranks, which is the same."""
    with pytest.raises(lq.Error) as caught:
        work()
    facts = (type(caught.value), caught.value.sentence, caught.value.path, caught.value.rank, caught.value.found)
    assert COMM.allgather(facts) == [facts] * COMM.size
    assert isinstance(caught.value, kind)
    return caught.value


@pytest.fixture(scope="module")
def grid():
    """The lattice over all ranks."""
    return lq.Grid(LATTICE, comm=COMM)


def test_any_rank_gives_any_region(grid, shared):
    for number, (kind, site) in enumerate({"gauge": (4, 3, 3), "spinor": (4, 3), "generic": (2, 5)}.items()):
        whole, path = field(*site), f"{shared}/{kind}.lime"
        if kind == "gauge":
            whole = alone(lambda: np.linalg.qr(whole)[0])
        with lq.create(path, like=whole, kind=kind, grid=grid) as new:
            assert new.shape == grid.shape + site and new.missing == np.prod(grid.shape)
            for t in range(SHAPE[0]):
                if (t + 1) % COMM.size == grid.rank:
                    new.write(whole[t:t + 1, ::-1][:, ::-1], region={"t": slice(t, t + 1)})
                elif number == 1:  # what the owner gives counts before it
                    new.write(whole[t:t + 1] * 0, region={"t": slice(t, t + 1)})
            if number == 1:
                mine = whole[grid.slices]
                new[::2, :, ::-1] = mine[::2, :, ::-1]
                new[1::2, :, :, 0] = mine[1::2, :, :, 0]
                new[1::2, :, :, 1:, ...] = mine[1::2, :, :, 1:]
        back = alone(lambda: lq.read(path))
        assert back.shape == whole.shape and np.array_equal(back, whole)
        assert alone(lambda: bool(lq.verify(path))) and new.report["bytes"] == whole.nbytes and new.missing == 0


def test_a_region_that_nobody_gives_is_named_on_all_ranks(grid, shared):
    whole, path = field(4, 3), f"{shared}/holes.lime"
    new = lq.create(path, like=whole, grid=grid)
    if grid.rank == COMM.size - 1:
        new.write(whole[:-1], region={"t": slice(0, -1)})
        with pytest.raises(lq.InvalidArgument, match="shape"):
            new.write(whole[:1], region={"t": slice(0, 2)})
    same_error(lq.WrongState, new.close)
    assert not os.path.exists(path) or COMM.size == 1
    if grid.rank == 0:
        new.write(whole[-1:], region={"t": slice(-1, None)})
    new.close()
    assert np.array_equal(lq.read(path, grid=grid), whole[grid.slices])
    with pytest.raises(lq.WrongState, match="closed already"):
        new.write(whole)
    COMM.Barrier()


def test_the_library_calls_mpi_itself_where_it_can(grid):
    named = os.environ.get("LIMEQUAT_MPI_LIBRARY")
    if named is None:
        pytest.skip("LIMEQUAT_MPI_LIBRARY does not say what is expected")
    assert grid.communicator.is_native == bool(named)


def test_boxes_cover_the_lattice_once(grid):
    assert (grid.rank, grid.size) == (COMM.rank, COMM.size) and grid.extents == LATTICE
    count = np.zeros(SHAPE, int)
    count[grid.slices] += 1
    assert count[grid.slices].shape == grid.shape
    total = np.zeros_like(count)
    COMM.Allreduce(count, total)
    assert (total == 1).all() and int(np.prod(grid.processes)) == COMM.size


def test_a_cartesian_communicator_gives_the_process_grid():
    dims = MPI.Compute_dims(COMM.size, 4)
    cart = COMM.Create_cart(dims)
    grid = lq.Grid(LATTICE, comm=cart)
    assert grid.processes == tuple(dims)
    assert [first // count for first, count in zip(grid.origin, grid.local)] == list(cart.coords)
    same_error(lq.InvalidArgument, lambda: lq.Grid(LATTICE, comm=cart, processes=[7, 1, 1, 1]))
    cart.Free()


def process_grid():
    """x, y, z, t: cut along t, and along x if the number of ranks is even."""
    x = 2 if COMM.size % 2 == 0 else 1
    return (x, 1, 1, COMM.size // x)


def quda(rank):
    """QUDA's default: rank = ((x * Y + y) * Z + z) * T + t, solved for x, y, z, t."""
    _, y, z, t = process_grid()
    return rank // (t * z * y), rank // (t * z) % y, rank // t % z, rank % t


def x_fastest(rank):
    """rank = x + X * (y + Y * (z + Z * t))."""
    x, y, z, _ = process_grid()
    return rank % x, rank // x % y, rank // (x * y) % z, rank // (x * y * z)


def shuffled(rank):
    """An order of no program."""
    return x_fastest(int(np.random.default_rng(7).permutation(COMM.size)[rank]))


def table_of(place):
    """The rank at each place, [t, z, y, x]."""
    table = np.full(process_grid()[::-1], -1)
    for rank in range(COMM.size):
        table[place(rank)[::-1]] = rank
    return table


MAPS = {"t fastest": ((3, 2, 1, 0), quda), "x fastest": ([0, 1, 2, 3], x_fastest), "none": (None, x_fastest),
        "quda's function": (quda, quda), "quda's table": (lambda: table_of(quda), quda), "shuffled": (shuffled, shuffled),
        "shuffled table": (lambda: table_of(shuffled).tolist(), shuffled)}


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("strategy", ["auto", "shared", "messages"])
def test_ranks_are_where_the_map_has_them(shared, name, strategy):
    ranks, place = MAPS[name]
    grid = lq.Grid(LATTICE, comm=COMM, processes=process_grid(), ranks=ranks() if "table" in name else ranks)
    assert tuple(first // count for first, count in zip(grid.origin, grid.local)) == place(COMM.rank)
    u, path, plain = field(4, 3, 3), f"{shared}/mapped.ildg", f"{shared}/alone.ildg"
    lq.write(path, u[grid.slices], grid=grid, strategy=strategy)
    alone(lambda: lq.write(plain, u) and None)
    assert pathlib.Path(path).read_bytes() == pathlib.Path(plain).read_bytes()
    other = lq.Grid(LATTICE, comm=COMM, processes=process_grid()[::-1], ranks=lambda rank: quda(COMM.size - 1 - rank)[::-1])
    for one in (grid, other):
        assert np.array_equal(lq.read(path, grid=one, strategy=strategy), u[one.slices])
    assert lq.plaquette(u[grid.slices], grid) == pytest.approx(lq.plaquette(u))  # neighbours over the borders


def test_a_map_replaces_the_topology_of_a_communicator():
    cart = COMM.Create_cart([COMM.size, 1, 1, 1])  # t, x, y, z
    grid = lq.Grid(LATTICE, comm=cart, processes=[1, 1, 1, COMM.size], ranks=lambda rank: np.roll(cart.Get_coords(rank), -1))
    assert grid.processes == (1, 1, 1, COMM.size) and grid.origin[3] * COMM.size == COMM.rank * LATTICE[3]
    cart.Free()


@pytest.mark.skipif(COMM.size == 1, reason="one rank is all ranks")
def test_a_rank_without_a_place_holds_nothing(shared):
    u, processes = field(4, 3, 3), (1, 1, 1, COMM.size - 1)
    for ranks in (lambda rank: (0, 0, 0, rank - 1) if rank else None, np.arange(1, COMM.size).reshape(-1, 1, 1, 1)):
        grid = lq.Grid(LATTICE, comm=COMM, processes=processes, ranks=ranks, idle_ranks=not callable(ranks))
        assert np.prod(grid.shape) == 0 if COMM.rank == 0 else grid.origin[3] == sum(
            LATTICE[3] // processes[3] + (t < LATTICE[3] % processes[3]) for t in range(COMM.rank - 1))
        lq.write(f"{shared}/u.ildg", u[grid.slices], grid=grid, overwrite=True)
        assert np.array_equal(lq.read(f"{shared}/u.ildg"), u)
    error = same_error(lq.InvalidArgument, lambda: lq.Grid(LATTICE, comm=COMM, processes=processes, ranks=ranks))
    assert "idle_ranks" in error.sentence


@pytest.mark.skipif(COMM.size == 1, reason="one rank is all ranks")
def test_maps_that_put_no_or_two_ranks_at_a_place_fail_on_all():
    last = COMM.size - 1

    def refused(ranks, kind=lq.InvalidArgument):
        return same_error(kind, lambda: lq.Grid(LATTICE, comm=COMM, processes=process_grid(), ranks=ranks)).sentence

    table = table_of(x_fastest)
    twice, other, outside = table.copy(), table.copy(), table.copy()
    twice.flat[-1], outside.flat[-1] = 0, COMM.size
    other.flat[:] = table.ravel()[::-1] if COMM.rank == last else table.ravel()
    assert "rank 0 is at two places" in refused(twice)
    assert f"rank {COMM.size}, at place" in refused(outside)
    assert "does not exist" in refused(np.full_like(table, 1 << 40))
    assert "ranks from number 0 on differs" in refused(other, lq.RanksDisagree)
    assert "have the same coordinates, 0,0,0,0" in refused(lambda rank: (0, 0, 0, 0))
    assert f"(rank {last})" in refused(lambda rank: (0, 0, 0, -1) if rank == last else x_fastest(rank))
    assert "no rank has the coordinates" in refused(lambda rank: None if rank == last else x_fastest(rank))
    assert "differs" in refused((3, 2, 1, 0) if COMM.rank == last else None, lq.RanksDisagree)
    assert "ranks(rank) is 5" in refused(lambda rank: 5 if rank == last else x_fastest(rank))


@pytest.mark.parametrize("name", ["conf.ildg", "conf.scidac", "conf.h5"])
def test_the_file_is_that_of_one_process(shared, grid, name):
    u, path, plain = field(4, 3, 3), f"{shared}/{name}", f"{shared}/alone-{name}"
    options = {"time_stamps": False} if name.endswith(".h5") else {}
    report = lq.write(path, u[grid.slices], grid=grid, **options)
    assert report.ranks == COMM.size
    alone(lambda: lq.write(plain, u, **options) and None)
    assert pathlib.Path(path).read_bytes() == pathlib.Path(plain).read_bytes()
    assert np.array_equal(lq.read(path, grid=grid), u[grid.slices])
    assert np.array_equal(lq.read(path), u)
    with lq.open(path, grid=grid) as file:
        assert np.array_equal(file.fields[0].read(dtype="complex64"), u[grid.slices].astype("complex64"))
        file.fields[0].verify()
        with pytest.raises(lq.Unsupported, match="open it without"):
            file.fields[0][0]
    assert lq.verify(path, comm=grid, physics=False)
    assert lq.info(path, comm=COMM).format == lq.info(path).format


def test_a_region_has_a_grid_of_its_own(shared, grid):
    u, path = field(4, 3, 3), f"{shared}/conf.ildg"
    lq.write(path, u[grid.slices], grid=grid)
    part = lq.Grid([4, 6, 2, 4], comm=grid)
    mine, mine_all = lq.read(path, region={"t": slice(2, 6)}, grid=part), np.empty(grid.shape + (4, 3, 3), complex)
    assert np.array_equal(mine, u[2:6][part.slices])
    assert lq.read(path, grid=grid, out=mine_all) is mine_all and np.array_equal(mine_all, u[grid.slices])
    error = same_error(lq.InvalidArgument, lambda: lq.read(path, grid=grid, out=None if COMM.rank else mine))
    assert "out is of shape" in error.sentence and (COMM.size == 1 or error.rank == 0)
    error = same_error(lq.InvalidArgument, lambda: lq.read(path, region={"t": slice(2, 6)}, grid=grid))
    assert "the grid has the lattice" in error.sentence


def test_transfers_in_the_background(shared, grid):
    u, v, path = field(4, 3, 3), field(4, 3, seed=2), f"{shared}/conf.ildg"
    pending = lq.write_async(path, u[grid.slices].copy(), grid=grid)
    other = lq.write_async(f"{shared}/v.scidac", v[grid.slices].copy(), grid=grid, strategy="messages")
    while not pending.test():
        pass
    assert pending.wait().bytes == u.nbytes and other.wait().bytes == v.nbytes
    first, second = lq.read_async(path, grid=grid), lq.read_async(f"{shared}/v.scidac", grid=grid)
    assert np.array_equal(first.wait(), u[grid.slices]) and np.array_equal(second.wait(), v[grid.slices])
    assert np.array_equal(lq.read(f"{shared}/v.scidac"), v)


@pytest.mark.parametrize("strategy", ["direct", "shared", "messages"])
def test_every_strategy_writes_the_same(shared, grid, strategy):
    u = field(4, 3, 3)
    lq.write(f"{shared}/conf.ildg", u[grid.slices], grid=grid, strategy=strategy)
    assert np.array_equal(lq.read(f"{shared}/conf.ildg", grid=grid, strategy=strategy), u[grid.slices])
    assert np.array_equal(lq.read(f"{shared}/conf.ildg"), u)


def test_several_fields_in_one_file(shared, grid):
    u, v = field(4, 3, 3), field(4, 3, seed=2)
    with lq.create(f"{shared}/a.lime", grid=grid) as file:
        file.write("gauge", u[grid.slices])
        file.write_record("note", "by all")
        file.write("quark", v[grid.slices], metadata={"source": "0"})
    with lq.open(f"{shared}/a.lime", grid=grid) as file:
        assert np.array_equal(file.fields["quark"].read(), v[grid.slices])
        assert file.records["note"] == b"by all"
    assert np.array_equal(lq.read(f"{shared}/a.lime", "gauge"), u)


def test_gauge_fields_are_measured_together(grid):
    whole = lq.generate(LATTICE, sweeps=2)
    mine = lq.generate(LATTICE, sweeps=2, grid=grid)
    assert np.array_equal(mine, whole[grid.slices])
    assert lq.plaquette(mine, grid) == pytest.approx(lq.plaquette(whole))
    assert lq.link_trace(mine, grid) == pytest.approx(lq.link_trace(whole))
    assert lq.unitarity(mine, grid).largest == pytest.approx(lq.unitarity(whole).largest)
    assert lq.observables(mine, grid=grid, flow_steps=2) == lq.observables(whole, flow_steps=2)  # to the last bit


def test_multifiles_have_streams_of_every_rank(shared, grid):
    path, u = f"{shared}/run.sion", field(4, 3, 3)
    with lq.multifile.create(path, comm=COMM, streams=2) as m:
        for k in range(2):
            m[k].write(f"stream {k} of rank {COMM.rank}".encode())
            assert m[k].task == 2 * COMM.rank + k
        m.write_field("gauge", u[grid.slices], grid=grid)
    with lq.multifile.open(path) as m:  # by each process alone
        assert m.tasks == 2 * COMM.size and m.mine == range(2 * COMM.size)
        assert m[2 * COMM.rank + 1].read() == f"stream 1 of rank {COMM.rank}".encode()
        assert np.array_equal(m.read_field("gauge"), u)
    with lq.multifile.append(path, comm=COMM) as m:
        assert len(m) == 2
        m[0].write(" more")
    with lq.multifile.open(path, comm=grid) as m:
        assert list(m.mine) == [2 * COMM.rank, 2 * COMM.rank + 1]
        assert [stream.read() for stream in m] == [f"stream 0 of rank {COMM.rank} more".encode(),
                                                   f"stream 1 of rank {COMM.rank}".encode()]
        assert np.array_equal(m.read_field("gauge", grid=grid), u[grid.slices])
        same_error(lq.NoSuchRecord, lambda: m.read_field("other", grid=grid))


def test_sessions_with_hdf5_files(shared, grid):
    u, path = field(4, 3, 3), f"{shared}/run.h5"
    try:
        with lq.hdf5.open(path, "w", comm=grid) as h:
            h.write_field("gauge", u[grid.slices])
            h.write("pion", [1.0, 2.0])
            h.set_attr("/", "beta", 6.0)
    except lq.Unsupported as error:
        pytest.skip(str(error))
    with lq.hdf5.open(path, comm=grid) as h:
        assert np.array_equal(h["gauge"], u[grid.slices]) and h["pion"].tolist() == [1.0, 2.0]
        assert h.attrs("/")["beta"] == 6.0
    with lq.hdf5.open(path) as h:
        assert np.array_equal(h["gauge"], u)


def test_sets_of_modes(shared, grid):
    vectors = [field(4, 3, seed=k) for k in range(3)]
    with lq.modes.create(f"{shared}/low.modes", LATTICE, grid=grid) as m:
        for k, v in enumerate(vectors[:2]):
            m.append(v[grid.slices], eigenvalue=k)
    with lq.modes.append(f"{shared}/low.modes", grid=grid) as m:
        m.append(vectors[2][grid.slices], eigenvalue=2)
    with lq.modes.open(f"{shared}/low.modes", grid=grid) as m:
        assert all(np.array_equal(v, vectors[k][grid.slices]) for k, v in m.ahead())
        assert np.array_equal(m[1], vectors[1][grid.slices])
    with lq.modes.open(f"{shared}/low.modes") as m:
        assert np.array_equal(m[2], vectors[2])


def test_views_read_and_written_together(shared):
    path = pathlib.Path(shared) / "plain"
    data = bytes(range(64)) * COMM.size
    alone(lambda: path.write_bytes(bytes(len(data))) and None)
    array = {"extents": [len(data)]}
    if COMM.size > 1:
        with lq.View(path, f"x=cyclic:{COMM.size}", COMM.rank, writable=True, **array) as view:
            view.write_all(data[COMM.rank::COMM.size], comm=COMM)
        with lq.View(path, f"x=cyclic:{COMM.size}", COMM.rank, **array) as view:
            assert view.read_all(comm=COMM) == data[COMM.rank::COMM.size]
        COMM.Barrier()
        assert path.read_bytes() == data


def test_files_are_copied_converted_and_compared_together(shared, grid):
    u, path = field(4, 3, 3), f"{shared}/conf.ildg"
    lq.write(path, u[grid.slices], grid=grid)
    assert lq.copy(path, f"{shared}/copy.ildg", comm=COMM).bytes == pathlib.Path(path).stat().st_size
    lq.convert(path, f"{shared}/conf.h5", comm=COMM)
    assert lq.diff(f"{shared}/copy.ildg", f"{shared}/conf.h5", comm=grid).same
    lq.repartition(path, f"{shared}/conf.set", to="t=block:2", comm=COMM)
    lq.repartition(f"{shared}/conf.set", f"{shared}/again.ildg", comm=COMM)
    assert pathlib.Path(f"{shared}/again.ildg").read_bytes() == pathlib.Path(path).read_bytes()


def test_errors_are_the_same_on_all_ranks(shared, grid):
    u = field(4, 3, 3)[grid.slices]
    last = COMM.size - 1
    same_error(FileNotFoundError, lambda: lq.read(f"{shared}/none", grid=grid))
    # One rank alone is wrong, and nobody waits for it.
    wrong = u[..., :2, :] if COMM.rank == last else u
    error = same_error(ValueError, lambda: lq.write(f"{shared}/a.ildg", wrong, grid=grid))
    assert COMM.size == 1 or error.rank == last
    same_error(ValueError, lambda: lq.write(f"{shared}/a.ildg", u[:0] if COMM.rank == last else u, grid=grid))
    same_error(ValueError, lambda: lq.write(f"{shared}/a\0" if COMM.rank == last else f"{shared}/a", u, grid=grid))
    if COMM.size > 1:
        same_error(lq.RanksDisagree, lambda: lq.write(f"{shared}/{COMM.rank}.ildg", u, grid=grid))
        lq.write(f"{shared}/c.ildg", u, grid=grid)
        same_error(ValueError, lambda: lq.read(f"{shared}/c.ildg", dtype=None if COMM.rank else "int8", grid=grid))
        same_error(lq.InvalidArgument, lambda: lq.Grid(LATTICE if COMM.rank else "wide", comm=COMM))
    same_error(lq.InvalidArgument, lambda: lq.Grid(LATTICE, comm=COMM, processes=[COMM.size + 1, 1, 1, 1]))
    same_error(lq.InvalidArgument, lambda: lq.Grid(LATTICE, comm=3))
    with pytest.raises(OSError):
        with lq.create(f"{shared}/b.lime", grid=grid) as file:
            file.write("gauge", u)
            raise OSError("of the program")
    assert not pathlib.Path(f"{shared}/b.lime").exists()


def test_ranks_that_are_left_over_hold_nothing(shared):
    grid = lq.Grid(LATTICE, comm=COMM, processes=[1, 1, 1, 1], idle_ranks=True)
    u = field(4, 3, 3)
    assert grid.shape == (SHAPE if COMM.rank == 0 else (0, 0, 0, 0))
    lq.write(f"{shared}/a.ildg", u[grid.slices], grid=grid)
    assert np.array_equal(lq.read(f"{shared}/a.ildg", grid=grid), u[grid.slices])


def test_a_part_of_the_ranks_is_a_communicator(shared):
    half = COMM.Split(COMM.rank % 2)
    grid = lq.Grid(LATTICE, comm=lq.Communicator(half))
    path, u = f"{shared}/{COMM.rank % 2}.ildg", field(4, 3, 3, seed=COMM.rank % 2)
    lq.write(path, u[grid.slices], grid=grid)
    assert np.array_equal(lq.read(path, grid=grid), u[grid.slices])
    half.Free()


def test_many_grids_are_made_and_dropped(shared):
    for _ in range(300):
        assert lq.Grid([2, 2, 2, 8], comm=COMM).size == COMM.size


def test_a_function_that_raises_ends_the_work_of_all_ranks(grid, shared):
    """On rank 0, where progress is told, by its own exception; on the others by the library's, and no file appears."""
    links = field(4, 3, 3)[grid.slices]
    calls = []

    def enough(done, total):
        calls.append(done)
        raise LookupError("enough")

    for work in (lambda: lq.write(f"{shared}/never.ildg", links, grid=grid, progress=enough),
                 lambda: lq.read(f"{shared}/there.ildg", grid=grid, progress=enough)):
        lq.write(f"{shared}/there.ildg", links, grid=grid, overwrite=True)
        with pytest.raises((LookupError, lq.IoError)) as caught:
            work()
        assert len(calls) == (1 if COMM.rank == 0 else 0)
        assert isinstance(caught.value, LookupError) == (COMM.rank == 0)
        assert COMM.rank == 0 or (caught.value.errno == errno.ECANCELED and caught.value.rank == 0)
        calls.clear()
    COMM.Barrier()
    assert os.listdir(shared) == ["there.ildg"]


def test_an_interrupt_on_one_rank_ends_the_call_of_all(shared):
    """Where it was pressed it is raised; the others get the library's error, and nobody waits for ever."""
    path = pathlib.Path(shared) / "large.ildg"
    alone(lambda: sparse_gauge_file(path, (32, 32, 32, 64)) and None)
    last = COMM.size - 1
    with contextlib.ExitStack() as stack:
        caught = stack.enter_context(pytest.raises((KeyboardInterrupt, lq.IoError)))
        if COMM.rank == last:
            stack.enter_context(AtWork())
        lq.convert(path, f"{shared}/new.scidac", accept_damage=True, comm=COMM, progress=False)
    assert isinstance(caught.value, KeyboardInterrupt) == (COMM.rank == last)
    assert COMM.rank == last or (caught.value.errno == errno.ECANCELED and caught.value.rank == last)
    COMM.Barrier()
    assert os.listdir(shared) == ["large.ildg"]
    assert COMM.allreduce(1) == COMM.size


def test_checkpoints_are_saved_and_loaded_together(grid, shared):
    u = field(4, 3, 3)
    with lq.Checkpoints(f"{shared}/checkpoints", comm=COMM, keep=2) as checkpoints:
        assert checkpoints.load_newest() is None
        for step in (1, 2, 3):
            report = checkpoints.save(step, fields={"u": u[grid.slices] * step}, grid=grid, state={"step": step},
                                      streams=[b"%d of rank %d" % (step, COMM.rank)])
            assert COMM.allgather(report) == [report] * COMM.size
        same_error(lq.RanksDisagree, lambda: checkpoints.save(4, state={"rng": COMM.rank})) if COMM.size > 1 else None
        found = checkpoints.load_newest()
        assert found.step == 3 and found.state == {"step": 3} and found.tasks == COMM.size
        assert np.array_equal(found.read_field("u", grid=grid), u[grid.slices] * 3)
        with found.streams() as streams:
            assert [one.read() for one in streams] == [b"3 of rank %d" % COMM.rank]
    if COMM.rank == 0:
        with lq.Checkpoints(f"{shared}/checkpoints") as checkpoints:
            assert np.array_equal(checkpoints.load_newest().read_field("u"), u * 3)
    COMM.Barrier()
