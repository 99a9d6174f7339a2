# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""One rank gives a wrong argument to a collective call: it fails on all ranks, and none waits for another for ever.

Every function and method of the package is in one of the tables here, so that a new one is not forgotten.
"""

import inspect
import types

import numpy as np
import pytest
from mpi4py import MPI

import limequat as lq
from limequat.hdf5 import File as Hdf5File
from limequat.modes import Set as ModesSet
from limequat.modes import Writer as ModesWriter
from limequat.multifile import Reader as MultifileReader
from limequat.multifile import Writer as MultifileWriter
from test_over_mpi import COMM, LATTICE, field, same_error

pytestmark = pytest.mark.skipif(COMM.size == 1, reason="one rank is all ranks")
BAD_RANK = COMM.size - 1


def bad(wrong, right):
    """What this rank gives."""
    return wrong if COMM.rank == BAD_RANK else right


# A call each, with something wrong on one rank; `c` has what it needs. Arguments of the wrong type are worst: they are
# noticed on the way to C.
COLLECTIVE = {
    "Grid": lambda c: lq.Grid(bad([4, None], LATTICE), comm=COMM),
    "Writer": lambda c: lq.Writer(bad(5, c.new), grid=c.grid),
    "Writer.write": lambda c: c.writer.write(bad(7, "u"), c.u),
    "Writer.write_record": lambda c: c.writer.write_record("answer", bad(5, b"x")),
    "RegionWriter": lambda c: lq.RegionWriter(c.new, bad("u", c.u), grid=c.grid),
    "RegionWriter.close": lambda c: closed_with_holes(c),
    "convert": lambda c: lq.convert(c.conf, bad(None, c.new), comm=COMM),
    "copy": lambda c: lq.copy(bad([c.conf, 3], [c.conf]), c.new, comm=COMM),
    "create": lambda c: lq.create(c.new, bad("wide", None), grid=c.grid),
    "diff": lambda c: lq.diff(c.conf, c.conf, tolerance=bad("much", 0.1), comm=COMM),
    "export_virtual": lambda c: lq.export_virtual(bad(b"\0", c.conf), c.new, comm=COMM),
    "generate": lambda c: lq.generate(bad((4, 4), LATTICE), sweeps=1, grid=c.grid),
    "info": lambda c: lq.info(bad(3.5, c.conf), comm=COMM),
    "inspect": lambda c: lq.inspect(bad(3.5, c.conf), comm=COMM),
    "link_trace": lambda c: lq.link_trace(bad("u", c.u), grid=c.grid),
    "open": lambda c: lq.open(bad(None, c.conf), grid=c.grid),
    "observables": lambda c: lq.observables(c.u, flow_step=bad("far", 0.01), grid=c.grid),
    "plaquette": lambda c: lq.plaquette(bad(c.u[:0], c.u), grid=c.grid),
    "protect": lambda c: lq.protect(bad([c.conf, 3], [c.conf]), comm=COMM),
    "read": lambda c: lq.read(c.conf, bad(-1, None), grid=c.grid),
    "read_async": lambda c: lq.read_async(c.conf, region=bad(3, None), grid=c.grid),
    "repartition": lambda c: lq.repartition(c.conf, c.new, extents=bad([4, "a"], None), to="t=block:2", comm=COMM),
    "squeeze": lambda c: lq.squeeze(c.conf, bad(1, c.new), comm=COMM),
    "unitarity": lambda c: lq.unitarity(bad(None, c.u), grid=c.grid),
    "unsqueeze": lambda c: lq.unsqueeze(c.conf, c.new, threads=bad("many", 1), comm=COMM),
    "verify": lambda c: lq.verify(c.conf, progress=bad(5, None), comm=COMM),
    "write": lambda c: lq.write(c.new, c.u, metadata=bad({"a": 1}, None), grid=c.grid),
    "write_async": lambda c: lq.write_async(c.new, bad(c.u.real.astype("int8"), c.u), grid=c.grid),
    "File": lambda c: lq.File(bad({}, c.conf), grid=c.grid),
    "FieldView.read": lambda c: c.file.fields[0].read(dtype=bad("int8", None)),
    "Checkpoints": lambda c: lq.Checkpoints(bad(5, c.new), comm=COMM),
    "Checkpoints.save": lambda c: c.checkpoints.save(bad("soon", 2), fields={"u": c.u}, grid=c.grid),
    "Checkpoints.save_async": lambda c: c.checkpoints.save_async(2, state=bad({"x": object()}, {"x": 1})),
    "Checkpoints.reject": lambda c: c.checkpoints.reject(c.checkpoint, bad(5, "of no use")),
    "Checkpoint.read_field": lambda c: c.checkpoint.read_field(bad(5, "u"), grid=c.grid),
    "Checkpoint.streams": lambda c: c.checkpoint.streams(record_bytes=bad("all", 1)),
    "View.read_all": lambda c: c.view.read_all(chunk_bytes=bad("4", 4), comm=COMM),
    "View.write_all": lambda c: c.view.write_all(bad("text", bytes(c.view.size)), comm=COMM),
    "hdf5.open": lambda c: lq.hdf5.open(c.run, bad("z", "r"), comm=COMM),
    "hdf5.File": lambda c: Hdf5File(bad(5, c.run), comm=c.grid),
    "hdf5.File.cd": lambda c: c.h.cd(bad(5, "/")),
    "hdf5.File.push": lambda c: c.h.push(bad(None, "/")),
    "hdf5.File.ls": lambda c: c.h.ls(bad(5, "/")),
    "hdf5.File.stat": lambda c: c.h.stat(bad(5, "/")),
    "hdf5.File.exists": lambda c: c.h.exists(bad("a\0", "/")),
    "hdf5.File.mkdir": lambda c: c.h.mkdir(bad(5, "/m")),
    "hdf5.File.remove": lambda c: c.h.remove(bad(5, "/x")),
    "hdf5.File.rename": lambda c: c.h.rename("/x", bad(5, "/y")),
    "hdf5.File.copy": lambda c: c.h.copy(bad(5, "/x"), "/z"),
    "hdf5.File.write": lambda c: c.h.write("/w", bad(object(), 1.0)),
    "hdf5.File.read": lambda c: c.h.read(bad(5, "/x")),
    "hdf5.File.read_checked": lambda c: c.h.read_checked(bad(5, "/x")),
    "hdf5.File.axes": lambda c: c.h.axes(bad(5, "/x")),
    "hdf5.File.write_field": lambda c: c.h.write_field(bad(5, "/f"), c.u),
    "hdf5.File.read_field": lambda c: c.h.read_field("/u", region=bad(4, None)),
    "hdf5.File.attrs": lambda c: c.h.attrs(bad(5, "/")),
    "hdf5.File.attr": lambda c: c.h.attr("/", bad(5, "beta")),
    "hdf5.File.set_attr": lambda c: c.h.set_attr("/", "beta", bad(object(), 6.0)),
    "hdf5.File.del_attr": lambda c: c.h.del_attr("/", bad(5, "beta")),
    "modes.open": lambda c: lq.modes.open(c.low, ls=bad("s", 1), grid=c.grid),
    "modes.Set": lambda c: ModesSet(bad(5, c.low), grid=c.grid),
    "modes.Set.read": lambda c: c.modes.read(bad("first", 0)),
    "modes.Set.ahead": lambda c: list(c.modes.ahead(bad("first", 0))),
    "modes.create": lambda c: lq.modes.create(c.new, LATTICE, storage=bad("int", "double"), grid=c.grid),
    "modes.append": lambda c: lq.modes.append(c.low, sync=bad(7, None), grid=c.grid),
    "modes.convert": lambda c: lq.modes.convert(c.low, c.new, first=bad("first", 0), comm=COMM),
    "modes.Writer.append": lambda c: c.modes_writer.append(field(4, 3)[c.grid.slices], eigenvalue=1, residual=bad("r", 1)),
    "multifile.open": lambda c: lq.multifile.open(bad(5, c.sion), comm=COMM),
    "multifile.create": lambda c: lq.multifile.create(c.new, streams=bad("s", 1), comm=COMM),
    "multifile.append": lambda c: lq.multifile.append(c.sion, streams=bad("s", 1), comm=COMM),
    "multifile.Reader": lambda c: MultifileReader(bad(5, c.sion), comm=COMM),
    "multifile.Reader.read_field": lambda c: c.sion_reader.read_field(bad(5, "u"), grid=c.grid),
    "multifile.Writer.write_field": lambda c: c.sion_writer.write_field(bad(5, "u"), c.u, grid=c.grid),
}


def closed_with_holes(c):
    """One rank has not given all of its sites."""
    region = lq.create(c.new, like=c.u, grid=c.grid)
    given = bad(slice(1, None), slice(None))
    region[given] = c.u[given]
    return region.close()


# Collective calls without an argument that may be wrong; the communicator itself, without which nobody can be told.
WITHOUT_ARGUMENTS = {
    "Checkpoints.close", "Checkpoints.forget_marks", "Checkpoints.load_newest", "Checkpoints.prune", "Checkpoints.test",
    "Checkpoints.wait", "Communicator", "Communicator.free", "File.close", "FieldView.verify", "Grid.free", "Pending.cancel", "Pending.test",
    "Pending.wait", "Writer.abandon", "Writer.close", "hdf5.File.close", "hdf5.File.discard", "hdf5.File.fields",
    "hdf5.File.flush", "hdf5.File.keys", "hdf5.File.pop", "modes.Set.close", "modes.Writer.close", "multifile.Reader.close",
    "multifile.Writer", "multifile.Writer.close", "multifile.Writer.discard", "modes.Writer", "Pending",
}

# What each process does for itself.
LOCAL = {
    "Checkpoint", "check_manifest", "list_checkpoints", "manifest", "set_metadata", "assess", "build_parts", "defragment", "diagnose", "explain", "extract", "file_system_of", "find", "formats", "index", "pack",
    "element_at", "partition_of", "place_of", "plan", "read_record", "repair", "report_page", "scrub", "verify_below", "unpack", "validate", "watch_stalls", "Files",
    "Findings", "Judgement", "Answer", "Verification", "Memory", "Field", "Plaquette", "Unitarity", "Observables", "FlowPoint", "WilsonLoop", "Stall", "Code", "FieldView",
    "FieldView.memmap", "FieldView.to_xarray", "File.to_xarray", "View", "ildg.check", "ildg.document", "ildg.lfn",
    "multifile.repair", "multifile.verify", "multifile.Stream", "multifile.Reader.window", "multifile.Writer.write",
    "hdf5.Entry", "hdf5.Stat", "FieldView.part", "File.get", "File.items", "File.keys", "File.values", "Source",
    "RegionWriter.abandon", "RegionWriter.write", "charge_density", "check_references", "convert_below", "diff_below", "extract_below",
    "export_vtk", "plaquette_density", "references", "to_limequat", "topological_charge",
    *("View." + name for name in ("close", "read", "readable", "readall", "readinto", "readline", "readlines", "seek",
                                  "seekable", "sync", "tell", "truncate", "writable", "write", "writelines", "fileno", "flush",
                                  "isatty")),
}

CLASSES = {"Checkpoint": lq.Checkpoint, "Checkpoints": lq.Checkpoints, "Communicator": lq.Communicator, "Grid": lq.Grid,
           "Writer": lq.Writer, "RegionWriter": lq.RegionWriter, "File": lq.File, "FieldView": lq.FieldView,
           "Pending": lq.Pending, "View": lq.View, "hdf5.File": Hdf5File, "modes.Set": ModesSet, "modes.Writer": ModesWriter,
           "multifile.Reader": MultifileReader, "multifile.Writer": MultifileWriter}


def exported():
    """Names of all functions, classes and public methods of classes whose calls may be collective."""
    for prefix, module in (("", lq), ("hdf5.", lq.hdf5), ("modes.", lq.modes), ("multifile.", lq.multifile), ("ildg.", lq.ildg)):
        for name in module.__all__:
            item = getattr(module, name)
            if callable(item) and not (inspect.isclass(item) and issubclass(item, BaseException)):
                yield prefix + name
    for prefix, kind in CLASSES.items():
        for name, item in inspect.getmembers(kind, callable):
            if not name.startswith("_"):
                yield f"{prefix}.{name}"


def test_every_function_is_in_a_table():
    known = set(COLLECTIVE) | WITHOUT_ARGUMENTS | LOCAL
    assert set(exported()) - known == set() and known - set(exported()) == set()


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    """Files of every kind, and what has them open."""
    folder = COMM.bcast(str(tmp_path_factory.mktemp("there")) if COMM.rank == 0 else None)
    c = types.SimpleNamespace(grid=lq.Grid(LATTICE, comm=COMM), new=f"{folder}/new", conf=f"{folder}/conf.ildg",
                              run=f"{folder}/run.h5", low=f"{folder}/low.modes", sion=f"{folder}/run.sion")
    c.u = field(4, 3, 3)[c.grid.slices]
    lq.write(c.conf, c.u, grid=c.grid)
    with lq.modes.create(c.low, LATTICE, grid=c.grid) as m:
        m.append(field(4, 3)[c.grid.slices], eigenvalue=1)
    with lq.multifile.create(c.sion, comm=COMM) as m:
        m.write_field("u", c.u, grid=c.grid)
    c.file, c.modes, c.sion_reader = lq.open(c.conf, grid=c.grid), lq.modes.open(c.low, grid=c.grid), lq.multifile.open(c.sion, comm=COMM)
    c.checkpoints = lq.Checkpoints(f"{folder}/checkpoints", comm=COMM)
    c.checkpoints.save(1, fields={"u": c.u}, streams=[b"x"], grid=c.grid)
    c.checkpoint = c.checkpoints.load_newest()
    c.view = lq.View(c.conf, f"t=block:{COMM.size}", COMM.rank, writable=True)
    c.writer = lq.create(f"{folder}/written.lime", grid=c.grid)
    c.modes_writer = lq.modes.create(f"{folder}/written.modes", LATTICE, grid=c.grid)
    c.sion_writer = lq.multifile.create(f"{folder}/written.sion", comm=COMM)
    try:
        c.h = lq.hdf5.open(c.run, "w", comm=c.grid)
        c.h.write("/x", 1.0)
        c.h.set_attr("/", "beta", 6.0)
        c.h.write_field("/u", c.u)
    except lq.Unsupported:
        c.h = None
    yield c
    for one in (c.checkpoints.close, c.writer.abandon, c.modes_writer.close, c.sion_writer.discard, c.h and c.h.close):
        if one:
            one()


@pytest.mark.parametrize("name", COLLECTIVE)
def test_a_wrong_argument_on_one_rank_fails_on_all(there, name):
    if there.h is None and name.startswith("hdf5"):
        pytest.skip("no HDF5 library")
    error = same_error(lq.Error, lambda: COLLECTIVE[name](there))
    assert error.rank == BAD_RANK
    COMM.Barrier()


# Of each a call that is right but for an option that there is not.
WITH_OPTIONS = {
    "read": lambda c, more: lq.read(c.conf, grid=c.grid, **more),
    "write": lambda c, more: lq.write(c.new, c.u, grid=c.grid, **more),
    "verify": lambda c, more: lq.verify(c.conf, comm=COMM, **more),
    "convert": lambda c, more: lq.convert(c.conf, c.new, comm=COMM, **more),
    "create": lambda c, more: lq.create(c.new, grid=c.grid, **more),
    "modes.append": lambda c, more: lq.modes.append(c.low, grid=c.grid, **more),
    "modes.Set.ahead": lambda c, more: list(c.modes.ahead(**more)),
    "multifile.create": lambda c, more: lq.multifile.create(c.new, comm=COMM, **more),
    "generate": lambda c, more: lq.generate(LATTICE, grid=c.grid, **more),
    "observables": lambda c, more: lq.observables(c.u, grid=c.grid, **more),
}


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_an_unknown_option_on_one_rank_fails_on_all(there, name):
    error = same_error(lq.InvalidArgument, lambda: WITH_OPTIONS[name](there, bad({"sinc": "full"}, {})))
    assert error.rank == BAD_RANK and "sinc" in error.sentence
    COMM.Barrier()


def test_what_the_ranks_agree_on_is_right_afterwards(there):
    """No call of the others left anything behind."""
    assert np.array_equal(lq.read(there.conf, grid=there.grid), there.u)
    assert MPI.COMM_WORLD.allreduce(1) == COMM.size
