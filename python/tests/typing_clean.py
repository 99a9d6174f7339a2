# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A program of a user, with which type checkers must find nothing, however strict they are (test_typing.py). Not run."""

import io
import pathlib

import numpy as np
from numpy.typing import NDArray

import limequat as lq


def average(path: pathlib.Path) -> float:
    u = lq.read(path, dtype="complex128", threads=2)
    plaquette = lq.plaquette(u)
    return plaquette.average + plaquette.spatial + lq.link_trace(u) + lq.unitarity(u).mean


def look(path: str) -> None:
    report = lq.verify(path, physics="never")
    if not report:
        print(report.verdict, [finding["message"] for finding in report["findings"]])
    for finding in lq.validate(path):
        print(finding.message)
    with lq.open(path) as file:
        print(file.format, file.lattice, file.metadata.get("xlf-info", ""))
        for key, field in file.items():
            print(key, field.shape, field.dtype, field[0].size, file[key].metadata)
        print(file.fields["gauge", 0].read({"t": slice(0, 2)}).shape, file.records["xlf-info"])
    print(lq.info(path).complete, lq.diff(path, "other.ildg", tolerance=1e-6), lq.diagnose(path).remedy)
    print(lq.read_record(path, "xlf-info").decode(), lq.file_system_of("."))


def change(path: str) -> None:
    u = lq.generate((4, 4, 4, 8), beta=6.0, sweeps=2, seed=7)
    real: NDArray[np.complex128] = u.conj()
    report = lq.write("new.ildg", u, precision="single", metadata={"note": "a test"}, overwrite=True)
    print(report.bytes + 1, report["checksum"], real.mean())
    lq.write("numbers.scidac", np.zeros((8, 4, 4, 4)), kind="generic", dims=4)
    print(lq.convert(path, pathlib.Path("new.h5"), format="hdf5", verify="read-back").seconds)
    memory = lq.Memory(np.zeros(4 * 4 * 4 * 8 * 72), "milc", [4, 4, 4, 8])
    print(lq.read(path, out=memory).layout, lq.read(io.BytesIO(b"")).ndim, lq.read("https://host/conf.ildg").shape)
    with lq.create("props.scidac", overwrite=True) as out:
        out.write("propagator", u, metadata={"source": "0"})
        out.write_record("note", "text")
    pending = lq.write_async("later.ildg", u)
    if pending.test():
        print(pending.wait())
    grid = lq.Grid([4, 4, 4, 8])
    print(grid.extents[0] + grid.shape[0], grid.rank, u[grid.slices].shape)


def many(folder: str) -> None:
    print(lq.index(folder, db="x.db").files, lq.scrub(db="x.db", since="30d").sound, lq.assess(db="x.db").gaps)
    for one in lq.find("beta=6.0 not damaged", db="x.db", sort="-trajectory", most=10):
        print(one.path, one["trajectory"])
    print(lq.report_page([folder], "page.html", title="mine", overwrite=True).bytes, lq.verify_below([folder]).files)
    print(lq.copy([folder], "backup", resume=True).bytes, lq.repair("killed.sion", "whole.sion").findings)


def sets() -> None:
    with lq.modes.create("low.modes", (4, 4, 4, 8), storage="single", parameters={"kappa": 0.125}) as modes:
        modes.append(np.zeros((8, 4, 4, 4, 4, 3), np.complex64), eigenvalue=0.01, residual=1e-9)
    with lq.modes.open("low.modes") as found:
        print(len(found), found.eigenvalues[0], found[0].shape, [k for k, _ in found.ahead()])
    with lq.hdf5.open("c.h5", "w") as session:
        session["pion"] = np.zeros(8)
        print(session.ls("/")[0].name, session.stat("pion").shape, session.read("pion"), session.attrs())
    with lq.multifile.create("tasks.sion", streams=2) as writer:
        writer[0].write(b"bytes")
    with lq.multifile.open("tasks.sion") as reader:
        print(reader.tasks, reader[0].read())


def errors() -> None:
    try:
        lq.read("none.ildg")
    except lq.NotFound as error:
        print(error.path, error.code, error.filename)
    except lq.Error as error:
        print(error.sentence, error.offset, error.record)


def keep(folder: pathlib.Path) -> None:
    seen = lq.manifest(folder, progress=lambda done, total: print(done, total))
    print(lq.check_manifest(seen["path"], folder=folder).ok, lq.protect([folder], check=True).ok, lq.list_checkpoints(folder))
    found = lq.observables(lq.read(folder / "conf.ildg"), grid=None, flow_steps=2)
    print(found.charge, [point.energy for point in found.flow], found.wilson_loops[0].average)
