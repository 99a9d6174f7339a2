#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Writes the HDF5 files of tests/golden that no other program wrote, with h5py, by docs/formats/hdf5.md: the native
# layout, the layouts of PyQUDA, lyncs.io and Hadrons, storage of all kinds, and bad files with what is expected of
# them (.expect: the code of the error, the rule). The bytes depend on the version of HDF5 in h5py, so nobody compares
# them; what they hold is compared by hdf5_golden_test.cpp. Files of QDP++, QLUA and LaLiBe come from these programs.
#
# Element number k of a site with S = ((t 16 + z) 16 + y) 16 + x is n - (n + 1/2) i with n = S stride + k, where the
# stride is the number of elements of the site (36 for color matrices), real elements are n.
"""usage: make_hdf5.py [FOLDER]"""

import pathlib
import struct
import sys
import zlib

import h5py
import numpy as np


def site_numbers(lattice):
    """S of all sites, t first."""
    x, y, z, t = lattice
    at = np.indices((t, z, y, x))
    return ((at[0] * 16 + at[1]) * 16 + at[2]) * 16 + at[3]


def elements(lattice, site, dtype=np.complex128, stride=None, first=0):
    count = int(np.prod(site, dtype=int))
    n = site_numbers(lattice)[..., None] * (stride or count) + first + np.arange(count)
    values = n - 1j * (n + 0.5) if np.issubdtype(dtype, np.complexfloating) else n
    return values.astype(dtype).reshape(site_numbers(lattice).shape + tuple(site))


def fixed(text):
    """A text as QDP++ needs it: fixed length, UTF-8, NUL at the end."""
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(len(text.encode()) + 1)
    kind.set_cset(h5py.h5t.CSET_UTF8)
    return np.array(text.encode(), dtype=f"S{len(text.encode()) + 1}"), kind


def set_text(target, name, text):
    value, kind = fixed(text)
    space = h5py.h5s.create(h5py.h5s.SCALAR)
    attribute = h5py.h5a.create(target.id, name.encode(), kind, space)
    attribute.write(value, mtype=kind)


def rotated(word, by):
    return ((word << by) | (word >> (32 - by))) & 0xFFFFFFFF if by else word


def scidac_sums(data, lattice):
    """Of each time slice: the pair, and the weighted sums; data t first."""
    sites = data.reshape(int(np.prod(lattice)), -1)
    per_slice = int(np.prod(lattice[:3]))
    pairs, weights = [], []
    for t in range(lattice[3]):
        a = b = plain = weighted = 0
        for rank in range(t * per_slice, (t + 1) * per_slice):
            crc = zlib.crc32(sites[rank].tobytes())
            a ^= rotated(crc, rank % 29)
            b ^= rotated(crc, rank % 31)
            plain += crc
            weighted += (rank + 1) * crc
        pairs.append((a, b))
        weights.append((plain % 2**64, weighted % 2**64))
    return pairs, weights


SITE_NAMES = {"gauge": ["mu", "row", "column"], "spinor": ["spin", "color"],
              "propagator": ["sink_spin", "source_spin", "sink_color", "source_color"], "generic": ["n"]}


def mark_native(dataset, data, lattice, kind, sums=True, texts=set_text):
    site_rank = data.ndim - 4
    dataset.attrs["limequat_layout"] = np.int32(1)
    texts(dataset, "kind", kind)
    texts(dataset, "dimensions", ",".join(["t", "z", "y", "x"] + SITE_NAMES[kind][:site_rank]))
    dataset.attrs["extents"] = np.array(lattice, dtype=np.int32)
    texts(dataset, "site_order", "x fastest")
    texts(dataset, "precision", "single" if data.dtype.itemsize in (4,) or data.dtype == np.complex64 else "double")
    texts(dataset, "created", "2026-01-02T03:04:05Z")
    dataset.attrs[".time"] = np.int64(1767323045000000)
    texts(dataset, "creator", "make_hdf5.py")
    if kind == "gauge":
        texts(dataset, "gauge_group", f"SU({data.shape[-1]})")
        dataset.attrs["colors"] = np.int32(data.shape[-1])
    if not sums:
        return
    pairs, weights = scidac_sums(data, lattice)
    a = b = 0
    for pair in pairs:
        a, b = a ^ pair[0], b ^ pair[1]
    texts(dataset, "checksum", f"{a:08x}/{b:08x}")
    dataset.attrs["slice_checksums"] = np.array(pairs, dtype=np.uint32)
    dataset.attrs["slice_weights"] = np.array(weights, dtype=np.uint64)


def variable(target, name, text):
    target.attrs[name] = text


def native_contiguous(path):
    lattice = (2, 3, 2, 4)
    with h5py.File(path, "w", libver=("v108", "v110")) as file:
        set_text(file, "limequat", "native 1")
        set_text(file, "ensemble", "test")
        data = elements(lattice, (4, 3, 3), np.complex64)
        gauge = file.create_dataset("configurations/0010/gauge", data=data)
        mark_native(gauge, data, lattice, "gauge")
        set_text(gauge, "note", "hello")
        gauge.attrs["beta"] = 6.25
        gauge.attrs["seeds"] = np.array([3, -5], dtype=np.int16)
        data = elements(lattice, (3,), np.float32)
        mark_native(file.create_dataset("three", data=data), data, lattice, "generic", sums=False)
        data = elements((2, 1, 1, 2), (4, 4, 3, 3), np.complex64)
        mark_native(file.create_dataset("quark", data=data), data, (2, 1, 1, 2), "propagator")


def native_variable_texts(path):
    """Texts as h5py writes them when nothing else is said."""
    lattice = (2, 3, 2, 4)
    with h5py.File(path, "w") as file:
        data = elements(lattice, (), np.float64)
        action = file.create_dataset("action", data=data)
        mark_native(action, data, lattice, "generic", texts=variable)
        action.attrs["parts"] = ["gauge", "fermion"]
    # In files of HDF5 1.8 and later, many attributes of one object lie in a heap.
    with h5py.File(path.with_name("native-dense-texts.h5"), "w", libver=("v108", "v110")) as file:
        action = file.create_dataset("action", data=data)
        mark_native(action, data, lattice, "generic", texts=variable)
        for k in range(40):
            action.attrs[f"note{k}"] = f"text {k}"


def native_chunked(path):
    lattice = (3, 2, 3, 5)
    with h5py.File(path, "w", libver=("v108", "v110")) as file:
        data = elements(lattice, (4, 3), np.complex128)
        spinor = file.create_dataset("spinor", data=data, chunks=(2, 2, 2, 2, 4, 3), shuffle=True, compression="gzip",
                                     compression_opts=6, fletcher32=True)
        mark_native(spinor, data, lattice, "spinor")
        data = elements(lattice, (), np.float64)
        plain = file.create_dataset("plain", shape=data.shape, dtype=data.dtype, chunks=(1, 3, 2, 3))
        plain[3] = data[3]  # the other slices are never written
        data[[0, 1, 2, 4]] = 0
        mark_native(plain, data, lattice, "generic")
        never = file.create_dataset("never", shape=data.shape, dtype=np.float32)
        mark_native(never, np.zeros(data.shape, np.float32), lattice, "generic")
        scale = file.create_dataset("t", data=np.arange(lattice[3]))
        scale.make_scale("t")
        spinor.dims[0].attach_scale(scale)


def native_latest(path):
    """Indexes of chunks as HDF5 1.10 and later write them when they may."""
    lattice = (3, 2, 3, 5)
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        data = elements(lattice, (2,), np.float32)
        for name, arguments in {
                "single": {"chunks": data.shape}, "fixed": {"chunks": (2, 2, 2, 2, 2)},
                "extensible": {"chunks": (1, 3, 2, 3, 2), "maxshape": (None,) + data.shape[1:]},
                "tree": {"chunks": (2, 3, 1, 3, 2), "maxshape": (None, None) + data.shape[2:]},
                "filtered": {"chunks": (2, 2, 2, 2, 2), "compression": "gzip"},
                "one_filtered": {"chunks": data.shape, "compression": "gzip"}}.items():
            mark_native(file.create_dataset(name, data=data, **arguments), data, lattice, "generic", sums=False)


def behind_user_block(path):
    lattice = (2, 2, 2, 2)
    with h5py.File(path, "w", userblock_size=512) as file:
        data = elements(lattice, (3,), np.float32)
        mark_native(file.create_dataset("contiguous", data=data), data, lattice, "generic", sums=False)
        chunked = file.create_dataset("chunked", data=data, chunks=(1, 2, 2, 2, 3))
        mark_native(chunked, data, lattice, "generic", sums=False)


def filters_of_others(path):
    lattice = (2, 2, 2, 2)
    with h5py.File(path, "w") as file:
        data = elements(lattice, (3,), np.float32)
        lzf = file.create_dataset("lzf", data=data, chunks=(1, 2, 2, 2, 3), compression="lzf", shuffle=True)
        mark_native(lzf, data, lattice, "generic", sums=False)
        skipped = file.create_dataset("skipped", data=data, chunks=(1, 2, 2, 2, 3), compression="gzip")
        skipped.id.write_direct_chunk((0, 0, 0, 0, 0), data[0].tobytes(), filter_mask=1)
        mark_native(skipped, data, lattice, "generic", sums=False)
        filled = file.create_dataset("filled", shape=data.shape, dtype=data.dtype, chunks=(1, 2, 2, 2, 3), fillvalue=7)
        mark_native(filled, data, lattice, "generic", sums=False)
        split = file.create_dataset("split", data=data, chunks=(1, 2, 2, 2, 2))
        mark_native(split, data, lattice, "generic", sums=False)


def pyquda_sums(data):
    words = data.reshape(int(np.prod(data.shape[:4])), -1).view(np.uint32)
    a = b = 0
    for rank, site in enumerate(words):
        word = int(np.bitwise_xor.reduce(site))
        a ^= rotated(word, rank % 29)
        b ^= rotated(word, rank % 31)
    return f"{a:08x}", f"{b:08x}"


def pyquda_group(file, kind, lattice, datasets, spin=4, color=3):
    group = file.create_group(kind)
    group.attrs["Annotation"] = "made by make_hdf5.py"
    group.attrs["Lattice"] = " ".join(map(str, lattice))
    group.attrs["Spin"] = str(spin)
    group.attrs["Color"] = str(color)
    for name, data in datasets.items():
        dataset = group.create_dataset(name, data=data)
        dataset.attrs["sum29"], dataset.attrs["sum31"] = pyquda_sums(data)


def pyquda(path):
    lattice = (2, 3, 2, 4)
    small = (2, 1, 2, 2)
    with h5py.File(path, "w") as file:
        links = {name: elements(lattice, (3, 3), np.complex64, 36, 9 * mu) for mu, name in enumerate("XYZT")}
        links["R"] = elements(lattice, (3, 3), np.complex64, 36)
        pyquda_group(file, "LatticeColorMatrix", lattice, links)
        pyquda_group(file, "LatticeSpinColorVector", lattice,
                     {str(k): elements(lattice, (4, 3), np.complex128, 12) for k in range(2)})
        pyquda_group(file, "LatticeSpinColorMatrix", small, {"S": elements(small, (4, 4, 3, 3), np.complex64)})
        pyquda_group(file, "LatticeColorVector", small, {"0": elements(small, (3,), np.complex128)})
        pyquda_group(file, "LatticeReal", small, {"0": elements(small, (), np.float64)})
        pyquda_group(file, "LatticeInt", small, {"0": elements(small, (), np.int32)})


def lyncs(path):
    lattice = (2, 2, 2, 3)
    with h5py.File(path, "w") as file:
        for name, data in {"gauge": elements(lattice, (4, 3, 3), np.complex64),
                           "spinor": elements(lattice, (4, 3), np.complex128),
                           "table": np.arange(12.0).reshape(3, 4)}.items():
            dataset = file.create_dataset(name, data=data)
            dataset.attrs["_lyncs_io"] = "0.2"
            dataset.attrs["created"] = "2026-01-02 03:04:05"
            dataset.attrs["type"] = "<class 'numpy.ndarray'>"
            dataset.attrs["shape"] = data.shape
            dataset.attrs["dtype"] = str(data.dtype)
            dataset.attrs["fortran_order"] = False
            dataset.attrs["nbytes"] = data.nbytes


def hadrons(path):
    pair = np.dtype([("re", "<f8"), ("im", "<f8")])
    single = np.dtype([("re", "<f4"), ("im", "<f4")])
    with h5py.File(path, "w") as file:
        file.attrs["_Grid_dataset_threshold"] = np.array([6], dtype=np.uint32)
        for k, gamma in enumerate(["Gamma5", "GammaX"]):
            group = file.create_group(f"meson/meson_{k}")
            for name in ("gamma_snk", "gamma_src"):
                group.attrs.create(name, np.array([gamma.encode()], dtype=f"S{len(gamma)}"))
            corr = np.zeros(8, dtype=pair)
            corr["re"], corr["im"] = np.arange(8) + k, -np.arange(8)
            group.create_dataset("corr", data=corr, chunks=(8,), fletcher32=True)
        group = file.create_group("pi")
        group.attrs.create("nt", np.array([4], dtype=np.int32))
        matrix = np.zeros((4, 3, 2), dtype=single)
        matrix["re"] = np.arange(24).reshape(4, 3, 2)
        group.create_dataset("a2aMatrix", data=matrix, chunks=(4, 2, 2), fletcher32=True)


def small_objects(path):
    with h5py.File(path, "w") as file:
        file["text"] = "variable"
        file["texts"] = np.array(["one", "zwei", "drei"], dtype=h5py.string_dtype())
        file["flag"] = np.array([True, False])
        file["half"] = np.array([1.5], dtype=np.float16)
        file["record"] = np.array([(1, 2.5)], dtype=[("n", "<i4"), ("x", ">f8")])
        file["packed"] = np.arange(10, dtype=np.int16)
        file["empty"] = h5py.Empty("f8")
        file["none"] = np.zeros((0, 3))
        file.create_dataset("opaque", data=np.void(b"\x01\x02\x03"))
        file.create_dataset("list", shape=(2,), dtype=h5py.vlen_dtype(np.int32))
        # Nothing tells how its sites run.
        file["field"] = np.zeros((2, 2, 2, 2), dtype=np.complex64)
        file.attrs["numbers"] = np.arange(6, dtype=">i8").reshape(2, 3)
        file.attrs["colour"] = h5py.Empty("S4")
        file.attrs["complex"] = 1.5 - 2j
        file.attrs["choice"] = np.array(2, dtype=h5py.enum_dtype({"RED": 1, "BLUE": 2}, basetype="i2"))
        file.attrs["link"] = file["text"].ref


def links(path):
    with h5py.File(path, "w") as file:
        inner = file.create_group("a/b")
        inner["up"] = file["a"]  # a circle of hard links
        inner["root"] = file["/"]
        inner["data"] = np.arange(3.0)
        file["again"] = inner["data"]
        file["soft"] = h5py.SoftLink("/a/b/data")
        file["relative"] = h5py.SoftLink("a/../a/./b/data")
        file["nowhere"] = h5py.SoftLink("/no/such/place")
        file["circle"] = h5py.SoftLink("/circle")
        file["first"] = h5py.SoftLink("second")
        file["second"] = h5py.SoftLink("first")
        file["elsewhere"] = h5py.ExternalLink("other.h5", "/data")


def compact(path):
    lattice = (2, 2, 2, 2)
    data = elements(lattice, (2,), np.float64)
    with h5py.File(path, "w") as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple(data.shape)
        made = h5py.h5d.create(file.id, b"compact", h5py.h5t.IEEE_F64LE, space, properties)
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, data)
        mark_native(file["compact"], data, lattice, "generic", sums=False)


GOOD = {"native-contiguous": native_contiguous, "native-variable-texts": native_variable_texts, "native-chunked": native_chunked, "native-latest": native_latest,
        "native-compact": compact, "native-behind-user-block": behind_user_block,
        "native-filters-of-others": filters_of_others, "pyquda": pyquda, "lyncs-io": lyncs, "hadrons": hadrons,
        "small-objects": small_objects, "links": links}


# Bad files: what is made, the code that reading the first field ends with, the rule that is broken.

LATTICE = (2, 2, 2, 2)


def one_field(path, change=None, **arguments):
    data = elements(LATTICE, (3,), np.float32)
    with h5py.File(path, "w", libver=("v108", "v110")) as file:
        dataset = file.create_dataset("field", data=data, **arguments)
        mark_native(dataset, data, LATTICE, "generic")
        if change:
            change(file, dataset)
        return dataset.id.get_offset()


def patched(path, place, value):
    one_field(path)
    bytes_of_file = bytearray(path.read_bytes())
    bytes_of_file[place:place + len(value)] = value
    path.write_bytes(bytes_of_file)


def truncated(path):
    one_field(path)
    path.write_bytes(path.read_bytes()[:-100])


def only_signature(path):
    path.write_bytes(b"\x89HDF\r\n\x1a\n")


def data_outside(path):
    offset = one_field(path)
    old = path.read_bytes()
    place = old.index(struct.pack("<QQ", offset, 16 * 12))
    changed = bytearray(old)
    changed[place:place + 8] = struct.pack("<Q", 1 << 40)
    # Headers of version 2 have a checksum, which the library compares.
    path.write_bytes(with_header_checksum(changed, place))


def lookup3(data):
    """Bob Jenkins' hash, as HDF5 uses it for metadata."""
    def rot(x, k):
        return ((x << k) | (x >> (32 - k))) & 0xFFFFFFFF
    mask = 0xFFFFFFFF
    a = b = c = (0xDEADBEEF + len(data)) & mask
    at, left = 0, len(data)
    while left > 12:
        x, y, z = struct.unpack_from("<III", data, at)
        a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
        a = ((a - c) & mask) ^ rot(c, 4); c = (c + b) & mask
        b = ((b - a) & mask) ^ rot(a, 6); a = (a + c) & mask
        c = ((c - b) & mask) ^ rot(b, 8); b = (b + a) & mask
        a = ((a - c) & mask) ^ rot(c, 16); c = (c + b) & mask
        b = ((b - a) & mask) ^ rot(a, 19); a = (a + c) & mask
        c = ((c - b) & mask) ^ rot(b, 4); b = (b + a) & mask
        at, left = at + 12, left - 12
    if left == 0:
        return c
    x, y, z = struct.unpack("<III", bytes(data[at:]) + bytes(12 - left))
    a, b, c = (a + x) & mask, (b + y) & mask, (c + z) & mask
    c = ((c ^ b) - rot(b, 14)) & mask
    a = ((a ^ c) - rot(c, 11)) & mask
    b = ((b ^ a) - rot(a, 25)) & mask
    c = ((c ^ b) - rot(b, 16)) & mask
    a = ((a ^ c) - rot(c, 4)) & mask
    b = ((b ^ a) - rot(a, 14)) & mask
    c = ((c ^ b) - rot(b, 24)) & mask
    return c


def with_header_checksum(data, inside):
    """The checksum of the object header of version 2 around a place made anew."""
    begin = data.rindex(b"OHDR", 0, inside)
    flags = data[begin + 5]
    at = begin + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    size_bytes = 1 << (flags & 3)
    size = int.from_bytes(data[at:at + size_bytes], "little")
    end = at + size_bytes + size
    assert begin < inside < end
    data[end:end + 4] = struct.pack("<I", lookup3(data[begin:end]))
    return bytes(data)


def set_attribute(name, value):
    def change(_, dataset):
        del dataset.attrs[name]
        dataset.attrs[name] = value
    return lambda path: one_field(path, change)


def wrong_checksum(path):
    def change(_, dataset):
        dataset.attrs["checksum"] = "00000000/00000000"
    one_field(path, change)


def half_a_group(path):
    with h5py.File(path, "w") as file:
        links_there = {name: elements(LATTICE, (3, 3), np.complex64, 36, 9 * mu) for mu, name in enumerate("XYZ")}
        pyquda_group(file, "LatticeColorMatrix", LATTICE, links_there)
        del file["LatticeColorMatrix/X"], file["LatticeColorMatrix/Y"]


def external_storage(path):
    with h5py.File(path, "w") as file:
        dataset = file.create_dataset("field", shape=(2, 2, 2, 2, 3), dtype="f4",
                                      external=[("/etc/hostname", 0, h5py.h5f.UNLIMITED)])
        mark_native(dataset, elements(LATTICE, (3,), np.float32), LATTICE, "generic", sums=False)


def virtual_storage(path):
    with h5py.File(path, "w") as file:
        layout = h5py.VirtualLayout(shape=(2, 2, 2, 2, 3), dtype="f4")
        layout[:] = h5py.VirtualSource("other.h5", "field", shape=(2, 2, 2, 2, 3))
        dataset = file.create_virtual_dataset("field", layout)
        mark_native(dataset, elements(LATTICE, (3,), np.float32), LATTICE, "generic", sums=False)


def too_many_chunks(path):
    with h5py.File(path, "w") as file:
        dataset = file.create_dataset("field", shape=(1 << 20, 1 << 14, 1, 1), dtype="f4", chunks=(1, 1, 1, 1))
        dataset.attrs["limequat_layout"] = np.int32(1)
        dataset.attrs["kind"] = "generic"
        dataset.attrs["extents"] = np.array([1, 1, 1 << 14, 1 << 20])


def damaged_chunk(path):
    one_field(path, chunks=(1, 2, 2, 2, 3), compression="gzip", fletcher32=True)
    with h5py.File(path, "r") as file:
        place = file["field"].id.get_chunk_info(1).byte_offset
    old = bytearray(path.read_bytes())
    old[place + 9] ^= 0x10
    path.write_bytes(old)


BAD = {
    "truncated": (truncated, "truncated", "hdf5-file"),
    "only-signature": (only_signature, "truncated", "hdf5-file"),
    "superblock-version": (lambda path: patched(path, 8, b"\x09"), "unsupported", "hdf5-file"),
    "size-of-offsets": (lambda path: patched(path, 9, b"\x05"), "malformed", "hdf5-file"),
    "size-of-lengths": (lambda path: patched(path, 10, b"\xff"), "malformed", "hdf5-file"),
    "superblock-checksum": (lambda path: patched(path, 44, b"\x00\x00"), "malformed", "hdf5-file"),
    "data-outside": (data_outside, "malformed", "hdf5-field"),
    "native-version": (set_attribute("limequat_layout", np.int32(2)), "no_such_record", "hdf5-native-shape"),
    "native-kind": (set_attribute("kind", "gauge"), "no_such_record", "hdf5-native-shape"),
    "native-kind-is-a-number": (set_attribute("kind", 5), "no_such_record", "hdf5-native-shape"),
    "native-extents": (set_attribute("extents", np.array([2, 2, 2, 3])), "no_such_record", "hdf5-native-shape"),
    "native-negative-extents": (set_attribute("extents", np.array([2, 2, 2, -2])), "no_such_record",
                                "hdf5-native-shape"),
    "native-many-extents": (set_attribute("extents", np.ones(9, dtype=int)), "no_such_record", "hdf5-native-shape"),
    "native-site-order": (set_attribute("site_order", "t fastest"), "no_such_record", "hdf5-native-shape"),
    "wrong-checksum": (wrong_checksum, "checksum_mismatch", "hdf5-native-slices"),
    "half-a-group": (half_a_group, "no_such_record", "hdf5-half-a-group"),
    "external-storage": (external_storage, "no_such_record", "hdf5-field"),
    "virtual-storage": (virtual_storage, "no_such_record", "hdf5-field"),
    "too-many-chunks": (too_many_chunks, "no_such_record", "hdf5-field"),
    "damaged-chunk": (damaged_chunk, "malformed", None),
}


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    for folder in ("good", "bad"):
        (root / folder / "hdf5").mkdir(parents=True, exist_ok=True)
    for name, make in GOOD.items():
        make(root / "good" / "hdf5" / f"{name}.h5")
    for name, (make, code, rule) in BAD.items():
        path = root / "bad" / "hdf5" / f"{name}.h5"
        make(path)
        lines = [f"code {code}"] + ([f"rule {rule}"] if rule else [])
        path.with_suffix(".expect").write_text("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    main()
