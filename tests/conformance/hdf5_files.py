# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The HDF5 files of make_files.py, by docs/formats/hdf5.md and h5py.

Their bytes depend on the version of HDF5 below h5py, so they are made anew with 1.10 alone; elsewhere they are taken as
they lie in the folder, with what the table says of them."""

import hashlib
import io
import json
import struct

try:
    import h5py
    import numpy as np
    import make_hdf5 as golden
    CAN_MAKE = h5py.version.hdf5_version_tuple[:2] == (1, 10)
except ImportError:
    CAN_MAKE = False


def array_of(field, site, word=8):
    """The numbers as (t, z, y, x, site), complex."""
    x, y, z, t = field.lattice
    values = np.array(field.values, dtype=f"<f{word}").view(f"<c{2 * word}")
    return values.reshape((t, z, y, x) + site)


def file_of(write):
    """The bytes of the file that write(file) fills."""
    memory = io.BytesIO()
    with h5py.File(memory, "w", libver="earliest") as file:
        write(file)
    return memory.getvalue()


def put(group, name, data, site, **properties):
    """A dataset whose elements are arrays: `site` has their dimensions, outermost first; numpy has them behind the lattice."""
    element = h5py.h5t.py_create(data.dtype, logical=True)
    for extents in reversed(site):
        element = h5py.h5t.array_create(element, extents)
    lead = data.ndim - sum(len(extents) for extents in site)
    space = h5py.h5s.create_simple(data.shape[:lead])
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_obj_track_times(False)  # the same bytes each time
    made = h5py.h5d.create(group.id, name.encode(), element, space, properties)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(data), mtype=element)
    return h5py.Dataset(made)


def native(data, lattice, kind, change=None, **storage):
    def write(file):
        golden.set_text(file, "limequat", "native 1")
        dataset = file.create_dataset("field", data=data, track_times=False, **storage)
        golden.mark_native(dataset, data, lattice, kind)
        if change:
            change(dataset)
    return file_of(write)


def native_sums(data, lattice):
    pairs, _ = golden.scidac_sums(data, lattice)
    a = b = 0
    for pair in pairs:
        a, b = a ^ pair[0], b ^ pair[1]
    return {"kind": "scidac", "value": f"{a:08x}/{b:08x}"}


def qlua_sum(data, lattice):
    """XOR over sites of SHA-256; data x first."""
    total = 0
    for x in np.ndindex(*lattice):
        numbers = data[x].astype(data.dtype.newbyteorder("<")).tobytes()
        total ^= int.from_bytes(hashlib.sha256(struct.pack("<5q", 4, *x) + numbers).digest(), "big")
    return total.to_bytes(32, "big")


def put_qlua(group, name, data, lattice, kind, site):
    """As QLUA has it: x first, big-endian."""
    data = np.ascontiguousarray(data.transpose((3, 2, 1, 0) + tuple(range(4, data.ndim))))
    made = put(group, name, data.astype(data.dtype.newbyteorder(">")), site)
    golden.set_text(made, ".kind", kind)
    made.attrs.create(".time", 1767323045000000, dtype="<i8")
    digest = h5py.h5a.create(made.id, b".sha256", h5py.h5t.array_create(h5py.h5t.STD_U8LE, (32,)),
                             h5py.h5s.create(h5py.h5s.SCALAR))
    digest.write(np.frombuffer(qlua_sum(data, lattice), dtype=np.uint8),
                 mtype=h5py.h5t.array_create(h5py.h5t.NATIVE_UINT8, (32,)))
    return made.attrs[".sha256"].tobytes().hex()


def pyquda(links, lattice):
    def write(file):
        group = file.create_group("LatticeColorMatrix")
        for name, value in (("Annotation", "conformance"), ("Lattice", " ".join(map(str, lattice))), ("Spin", "4"),
                            ("Color", "3")):
            group.attrs[name] = value
        for mu, name in enumerate("XYZT"):
            data = np.ascontiguousarray(links[..., mu, :, :])
            dataset = group.create_dataset(name, data=data, track_times=False)
            dataset.attrs["sum29"], dataset.attrs["sum31"] = golden.pyquda_sums(data)
    return file_of(write)


def lyncs(data):
    def write(file):
        dataset = file.create_dataset("gauge", data=data, track_times=False)
        for name, value in (("_lyncs_io", "0.2"), ("created", "2026-01-02 03:04:05"), ("type", "<class 'numpy.ndarray'>"),
                            ("shape", data.shape), ("dtype", str(data.dtype)), ("fortran_order", False),
                            ("nbytes", data.nbytes)):
            dataset.attrs[name] = value
    return file_of(write)


def made(tools):
    """Entries; `tools` has good, bad, Field, Gauge and the lattice of make_files.py."""
    good, bad, lattice = tools.good, tools.bad, tools.LATTICE
    blocks = {"chunks": (1, 2, 2, 2, 4, 3), "shuffle": True, "compression": "gzip", "fletcher32": True}
    for precision, word in tools.PRECISIONS.items():
        field = tools.Field.of_links(tools.flat.Gauge(seed=150 + word, precision=word))
        links = array_of(field, (4, 3, 3), word)
        yield good(f"hdf5/native_gauge_{precision}.h5", "hdf5", field, native(links, lattice, "gauge"), byte_order="little",
                   checksum=native_sums(links, lattice), why="one dataset, t slowest; its attributes say what it is")
        digests = []
        data = file_of(lambda file: digests.extend(
            put_qlua(file.require_group("cfg"), str(mu), links[..., mu, :, :], lattice, "LatticeColorMatrix", ((3, 3),))
            for mu in range(4)))
        yield good(f"hdf5/qlua_gauge_{precision}.h5", "hdf5", field, data,
                   checksum={"kind": "sha256", "value": "/".join(digests)},
                   why="a dataset for each direction, x slowest")
        data = file_of(lambda file: put(file, "gauge", links, ((3, 3),)))
        yield good(f"hdf5/qdp_gauge_{precision}.h5", "hdf5", field, data, byte_order="little",
                   why="elements are matrices, four for each site; no attributes")
        spinor = tools.Field.of_noise("spinor", 24, 160 + word, word)
        colors = array_of(spinor, (4, 3), word)
        yield good(f"hdf5/native_spinor_{precision}.h5", "hdf5", spinor, native(colors, lattice, "spinor", **blocks),
                   byte_order="little", checksum=native_sums(colors, lattice),
                   why="chunks that are blocks of the lattice; shuffle, deflate and Fletcher32")
        data = file_of(lambda file: put_qlua(file, "psi", colors, lattice, "LatticeDiracFermion", ((4,), (3,))))
        sums = {"kind": "sha256", "value": h5py.File(io.BytesIO(data))["psi"].attrs[".sha256"].tobytes().hex()}
        yield good(f"hdf5/qlua_spinor_{precision}.h5", "hdf5", spinor, data, checksum=sums, why="elements are arrays of arrays")
    quark = tools.Field.of_noise("propagator", 288, 170, 4)
    data = file_of(lambda file: put(file, "quark", array_of(quark, (4, 4, 3, 3), 4), ((4, 4), (3, 3))))
    yield good("hdf5/qdp_propagator_single.h5", "hdf5", quark, data, byte_order="little", why="elements are arrays of arrays")
    yield good("hdf5/pyquda_gauge_double.h5", "hdf5", field, pyquda(links, lattice), byte_order="little",
               checksum={"kind": "pyquda", "value": "/".join(
                   ",".join(golden.pyquda_sums(np.ascontiguousarray(links[..., mu, :, :]))) for mu in range(4))},
               why="a group with a dataset for each direction")
    yield good("hdf5/lyncs_gauge_double.h5", "hdf5", field, lyncs(links), byte_order="little",
               why="nothing says which dimension is which: they are taken as t, z, y, x, mu, row, column")
    plain = native(links, lattice, "gauge")
    place = plain.index(links.tobytes())
    changed = bytearray(plain)
    changed[place + 1000] ^= 4
    yield bad("hdf5/bad_bit_flipped.h5", "hdf5", bytes(changed), "checksum", "one bit of the data is another")
    wrong = native(links, lattice, "gauge", lambda dataset: dataset.attrs.__setitem__("checksum", "00000001/00000002"))
    yield bad("hdf5/bad_checksum.h5", "hdf5", wrong, "checksum", "sums of other data")
    yield bad("hdf5/bad_data_cut.h5", "hdf5", plain[:place + 3000], "truncated", "the file ends within the data")
    yield bad("hdf5/bad_superblock.h5", "hdf5", plain[:8] + b"\x09" + plain[9:], "malformed", "a superblock of version 9")
    packed = bytearray(native(colors, lattice, "spinor", **blocks))
    with h5py.File(io.BytesIO(bytes(packed))) as file:
        chunk = file["field"].id.get_chunk_info(1)
    packed[chunk.byte_offset + chunk.size // 2] ^= 1
    yield bad("hdf5/bad_chunk.h5", "hdf5", bytes(packed), "malformed",
              "one bit of a chunk that is filtered is another: it cannot be decoded")


def hdf5_files(tools):
    if CAN_MAKE:
        yield from made(tools)
        return
    for entry in json.loads((tools.FILES / "expectations.json").read_text())["files"]:
        if entry["format"] == "hdf5":
            yield entry["file"], (tools.FILES / entry["file"]).read_bytes(), entry
