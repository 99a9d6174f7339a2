# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The Python samples of README.md and docs/guide; run by guide_test.sh in a folder with a file conf.ildg.
# [first]
import limequat as lq

u = lq.read("conf.ildg")  # ndarray [t, z, y, x, mu, 3, 3], complex128, checksum verified
print(u.shape, lq.plaquette(u).average)
lq.write("copy.lime", u, format="ildg", precision="single", metadata={"xlf-info": "from Python"}, overwrite=True)
# [/first]

# [background]
with lq.write_async("next.ildg", u, overwrite=True) as writing:  # u is read-only until the block ends
    trace = lq.link_trace(u)
print(writing.report.strategy, trace)

reading = lq.read_async("next.ildg")
print(lq.plaquette(u).average)
v = reading.wait()  # the array
# [/background]
assert (u == v).all()

# [errors]
try:
    lq.read("conf.0020.ildg")
except FileNotFoundError as error:  # lq.NotFound is both lq.Error and FileNotFoundError
    print(error)
# [/errors]

# [verify]
verdict = lq.verify("conf.ildg")
print(verdict.ok, verdict.findings)
# [/verify]
assert verdict.ok

# [protect]
lq.protect("conf.ildg")  # writes conf.ildg.lq-parity
with open("conf.ildg", "r+b") as file:  # a disk goes bad
    file.seek(5000)
    file.write(b"damaged")
print(lq.verify("conf.ildg").verdict)  # "damaged"
lq.repair("conf.ildg", "restored.ildg")
# [/protect]
assert lq.verify("restored.ildg")
import os
os.replace("restored.ildg", "conf.ildg")
os.remove("conf.ildg.lq-parity")

# [truth]
if not lq.verify("conf.ildg"):
    print("damaged")
if lq.validate("conf.ildg") and lq.diff("conf.ildg", "next.ildg"):
    print("keeps the rules of its format, and has the same numbers as next.ildg")
# [/truth]
assert lq.validate("conf.ildg") and lq.diff("conf.ildg", "next.ildg")

# [views]
import numpy

lq.repartition("conf.ildg", "conf.set", to="t=block:4", overwrite=True)
with lq.View("conf.set", "t=block:2", 1) as view:  # the second half of the time slices
    half = numpy.frombuffer(view.read(), ">c16")
# [/views]
assert (half.reshape(-1, *u.shape[1:]) == u[len(u) // 2:]).all()

# [lazy]
with lq.open("conf.ildg") as file:
    print(file)  # its fields and records; no data have been read
    gauge = file.fields["gauge"]
    slices = gauge[4:8]  # four time slices are read, and verified if the file has sums of slices
    links_in_t = gauge[..., 3, :, :]
    part = gauge.read(region={"t": slice(0, 2), "x": slice(2, 6)}, dtype="complex64")
    mapped = gauge.memmap()  # the bytes of the file as an array, ">c16"; takes no memory
# [/lazy]
assert (slices == u[4:8]).all() and (links_in_t == u[..., 3, :, :]).all() and (mapped == u).all()
assert part.shape == (2, 8, 8, 4, 4, 3, 3)

import gzip
import pathlib

pathlib.Path("conf.ildg.gz").write_bytes(gzip.compress(pathlib.Path("conf.ildg").read_bytes(), 1))
# [object]
with gzip.open("conf.ildg.gz") as packed:
    v = lq.read(packed)
# [/object]
assert (v == u).all()

# [url]
def slice_at(url):
    with lq.open(url) as file:
        return file.fields["gauge"][4:5]  # three requests: the beginning, the end, and the bytes of this time slice
# [/url]
assert (slice_at(pathlib.Path("conf.ildg").resolve().as_uri()) == u[4:5]).all()

# [mapping]
with lq.open("conf.ildg") as file:
    for name, field in file.items():  # names; "spinor:0", "spinor:1", ... where one repeats
        print(name, field.shape)
    every_fourth = file["gauge"][::4]
    chosen = file["gauge"][[0, 3, 7]]  # three time slices; a mask works too: [times > 5]
# [/mapping]
assert (every_fourth == u[::4]).all() and (chosen == u[[0, 3, 7]]).all()

# [shapes]
smeared = numpy.random.rand(16, 8, 8, 8, 2, 5)  # [t, z, y, x, ...] of anything
lq.write("smeared.scidac", smeared, kind="generic", metadata={"kappa": 0.125, "steps": 20}, overwrite=True)
with lq.open("smeared.scidac") as file:
    field = file["field"]
    print(field.shape, float(field.metadata["kappa"]), int(field.metadata["steps"]))
# [/shapes]
assert (lq.read("smeared.scidac") == smeared).all()

# [names]
from limequat.compat import pyquda_io as io  # instead of: import pyquda_io as io

latt_size, gauge = io.readILDGGauge("conf.ildg")  # [mu, t, z, y, x, row, column]
io.writeNERSCGauge("conf.nersc", latt_size, gauge)
# [/names]
assert latt_size == [8, 8, 8, 16] and (gauge == numpy.moveaxis(u, 4, 0)).all()

# [out]
buffer = numpy.empty(u.shape, u.dtype)  # once, for all configurations
for path in ("conf.ildg", "next.ildg"):
    lq.read(path, out=buffer)
# [/out]
assert (buffer == u).all()

a, b, c, d = (numpy.ascontiguousarray(u[..., mu, :, :]) for mu in range(4))  # of each direction: its even sites, then the odd
# [memory]
v = lq.Memory([a, b, c, d], "quda_host", lattice=[8, 8, 8, 16])  # of this rank; x, y, z, t
lq.read("conf.ildg", out=v)
# [/memory]
even = numpy.indices(u.shape[:4]).sum(axis=0) % 2 == 0
assert (a.reshape(-1, 3, 3)[:even.sum()] == u[even][:, 0]).all()

with lq.multifile.create("run.sion", tasks=4, overwrite=True) as m:
    for task in range(4):
        m[task].write(f"stream {task}")
# [multifile]
with lq.multifile.open("run.sion") as m:
    print(m.tasks, m[3].size)
    data = m[3].read()
# [/multifile]
assert data == b"stream 3"

for old in (*pathlib.Path().glob(".killed.sion*"), *pathlib.Path().glob("rescued.sion*")):
    old.unlink()  # of an earlier run of this file
try:
    with lq.multifile.create("killed.sion", overwrite=True) as m:
        m.write(b"kept")
        m[0].flush()
        raise KeyboardInterrupt
except KeyboardInterrupt:
    pass
# [repair]
import glob

for left in glob.glob(".killed.sion.*"):
    print(lq.multifile.repair(left, output="rescued.sion", overwrite=True))
# [/repair]
with lq.multifile.open("rescued.sion") as m:
    assert m[0].read() == b"kept"


def labelled():
    # [xarray]
    with lq.open("conf.ildg") as file:
        links = file.to_xarray()["gauge"]  # dimensions t, z, y, x, mu, row, column
        trace = links.sel(mu="x").isel(t=slice(0, 4))  # with dask, nothing has been read yet
        print(trace.mean(dim=("t", "z", "y", "x")).values)
        # [/xarray]
        assert numpy.allclose(trace.values, u[:4, ..., 0, :, :])


def plain_hdf5():
    import h5py

    with h5py.File("plain.h5", "w") as file:
        file["conf/u"] = u
    # [plain]
    with lq.open("plain.h5") as file:
        for dataset in file.datasets:
            print(dataset.path, dataset.shape, dataset.type)
    links = lq.read("plain.h5", "conf/u", as_="gauge")  # or its axes: as_="mu t z y x row column"
    # [/plain]
    assert (links == u).all()


def pictures():
    # [plot]
    lq.plot.layout("conf.ildg").savefig("layout.png")
    lq.plot.plaquette(u).savefig("plaquette.png")
    lq.plot.damage("conf.ildg").savefig("damage.png")
    # [/plot]
    # [planes]
    q = lq.charge_density(u)  # [t, z, y, x]; smooth the links first
    lq.plot.field(q, "xt", at={"y": 3, "z": 4}, name="charge density").savefig("charge.png")
    # [/planes]


def name_the_engine():
    """What an installed package says about itself, in the folder of this test."""
    import pathlib
    import sys

    facts = pathlib.Path("facts/limequat-1.dist-info")
    facts.mkdir(parents=True, exist_ok=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: limequat\nVersion: 1\n")
    (facts / "entry_points.txt").write_text("[xarray.backends]\nlimequat = limequat.xarray_backend:LimequatBackendEntrypoint\n")
    sys.path.insert(0, "facts")


def engine():
    import dask.array
    import xarray

    # [engine]
    data = xarray.open_dataset("conf.ildg", engine="limequat")  # nothing has been read
    links_in_t = data.gauge.sel(mu="t", t=slice(0, 3)).values  # four time slices are read
    ensemble = xarray.open_mfdataset(["conf.ildg", "next.ildg"], engine="limequat", combine="nested", concat_dim="config")
    trace = sum(ensemble.gauge.isel(row=k, column=k).real for k in range(3)).mean(("t", "z", "y", "x", "mu")) / 3
    print(trace.compute().values)  # by dask, time slice by time slice
    # [/engine]
    assert (links_in_t == u[:4, ..., 3, :, :]).all() and numpy.allclose(trace.values, lq.link_trace(u))

    # [to-limequat]
    conjugate = ensemble.gauge.isel(config=0).conj().rename(row="column", column="row")  # of dask, its axes in another order
    lq.to_limequat(conjugate, "conjugate.ildg", metadata={"xlf-info": "from dask"}, overwrite=True)  # computed slice by slice
    # [/to-limequat]
    assert (lq.read("conjugate.ildg") == u.conj().swapaxes(-1, -2)).all()

    # [regions]
    with lq.open("conf.ildg") as file, lq.create("doubled.ildg", like=file["gauge"]) as field:
        for t in range(field.shape[0]):
            field[t] = file["gauge"][t] * 2  # the file appears, with its checksums, when all sites were given
    # [/regions]
    assert (lq.read("doubled.ildg") == u * 2).all()
    os.remove("doubled.ildg")


def referred():
    import fsspec
    import xarray
    import zarr

    if not hasattr(zarr.storage, "FsspecStore"):
        raise ImportError("references are read here by zarr 3")
    # [references]
    lq.references(["conf.ildg", "next.ildg"], "ensemble.json", config=[10, 20], overwrite=True)
    # [/references]
    # [read-references]
    system = fsspec.filesystem("reference", fo="ensemble.json", asynchronous=True)
    ensemble = xarray.open_zarr(zarr.storage.FsspecStore(system, read_only=True), consolidated=False)
    links = ensemble.gauge.sel(config=20)  # [t, z, y, x, mu, row, column], read where they are, without Limequat
    # [/read-references]
    assert (links.values == u).all()
    # [check-references]
    if not lq.check_references("ensemble.json"):
        print(lq.check_references("ensemble.json").changed)  # which files were moved or changed since
    # [/check-references]
    assert lq.check_references("ensemble.json")


try:
    import xarray
except ImportError:
    pass
else:
    name_the_engine()

# [vtk]
density = lq.plaquette_density(u)
print(lq.topological_charge(u), density.mean())
lq.export_vtk("conf.pvd", {"charge density": lq.charge_density(u), "plaquette": density}, overwrite=True)
# [/vtk]
assert abs(density.mean() - lq.plaquette(u).average) < 1e-12

# [observables]
small = lq.generate((4, 4, 4, 8), beta=6.0, sweeps=20)
found = lq.observables(small, flow_steps=20, flow_step=0.05)
print(found.polyakov_loop, found.charge, found.flow[-1].charge)
print(found.t0, found.w0)  # None: not reached within this flow
# [/observables]
assert abs(found.wilson_loops[0].average - lq.plaquette(small).average) < 1e-14 and found.flow[-1].energy < found.energy

for part_of_the_guide in (labelled, plain_hdf5, engine, referred, pictures):
    try:
        part_of_the_guide()
    except ImportError as missing:
        print(missing)
