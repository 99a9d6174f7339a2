# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fields in HDF5 files, read with h5py in the order of docs/formats/hdf5.md: of each file the one field it has. Shares
no line with the library, nor with what makes the files."""

import hashlib
import io
import zlib

import h5py
import numpy as np

KINDS = {(4, 3, 3): "gauge", (4, 3): "spinor", (4, 4, 3, 3): "propagator"}


class Found:
    """A field as (t, z, y, x, site), and its sums."""

    def __init__(self, data, byte_order, checksum=None, stored=None):
        self.data, self.byte_order, self.checksum, self.stored = data, byte_order, checksum, stored


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def rotations(words):
    """XOR of words rotated left by their number mod 29, and mod 31."""
    sums = [0, 0]
    for rank, word in enumerate(words):
        for k, period in enumerate((29, 31)):
            by = rank % period
            sums[k] ^= ((word << by) | (word >> (32 - by) if by else 0)) & 0xFFFFFFFF
    return "{:08x}/{:08x}".format(*sums)


def sites_of(data):
    return [data[at].tobytes() for at in np.ndindex(*data.shape[:4])]


def native(file):
    dataset = next(d for d in datasets(file) if "limequat_layout" in d.attrs)
    data = dataset[()]
    stored = dataset.attrs.get("checksum")
    return Found(data, "little", rotations([zlib.crc32(site) for site in sites_of(data)]), stored is not None and text(stored) or None)


def qlua(file):
    """x slowest; datasets 0, 1, ... are directions."""
    found = [d for d in datasets(file) if ".kind" in d.attrs]
    found.sort(key=lambda d: d.name)
    sums, stored = [], []
    for dataset in found:
        data, total = dataset[()], 0
        for x in np.ndindex(*data.shape[:4]):
            at = np.array((4, *x), "<i8").tobytes()
            numbers = data[x].astype(data.dtype.newbyteorder("<")).tobytes()
            total ^= int.from_bytes(hashlib.sha256(at + numbers).digest(), "big")
        sums.append(f"{total:064x}")
        stored.append(bytes(np.array(dataset.attrs[".sha256"], np.uint8)).hex())
    arrays = [d[()].transpose((3, 2, 1, 0) + tuple(range(4, d[()].ndim))) for d in found]
    is_gauge = text(found[0].attrs[".kind"]) == "LatticeColorMatrix"
    data = np.stack(arrays, axis=4) if is_gauge else arrays[0]
    return Found(data, "big", "/".join(sums), "/".join(stored))


def pyquda(file):
    group = file["LatticeColorMatrix"]
    sums, stored = [], []
    for name in "XYZT":
        data = group[name][()]
        words = [int(np.bitwise_xor.reduce(np.frombuffer(site, "<u4"))) for site in sites_of(data)]
        sums.append(rotations(words).replace("/", ","))
        stored.append(",".join(text(group[name].attrs[key]) for key in ("sum29", "sum31")))
    return Found(np.stack([group[name][()] for name in "XYZT"], axis=4), "little", "/".join(sums), "/".join(stored))


def plain(file):
    """Of QDP++ and lyncs.io: dimensions are told by those of the site."""
    return Found(datasets(file)[0][()], "little")


def datasets(file):
    found = []
    file.visititems(lambda _, item: found.append(item) if isinstance(item, h5py.Dataset) else None)
    return found


def layout_of(file):
    marks = {key for dataset in datasets(file) for key in dataset.attrs}
    if "limequat_layout" in marks:
        return native
    if ".kind" in marks:
        return qlua
    return pyquda if "LatticeColorMatrix" in file else plain


def read(data, fail):
    """The field of a file; fail(kind, message) raises what is wrong with it."""
    try:
        with h5py.File(io.BytesIO(data), "r") as file:
            found = layout_of(file)(file)
    except OSError as error:
        said = str(error)
        fail("truncated" if "truncated" in said else "malformed", said)
    values = np.ascontiguousarray(found.data)
    t, z, y, x = values.shape[:4]
    word = values.dtype.itemsize // 2
    numbers = values.astype(values.dtype.newbyteorder("<")).view(f"<f{word}").astype(float).reshape(t * z * y * x, -1)
    return {"format": "hdf5", "lattice": [x, y, z, t], "fields": 1, "kind": KINDS[values.shape[4:]], "colors": 3,
            "gauge": values.shape[4:] == (4, 3, 3), "precision": 8 * word, "byte_order": found.byte_order,
            "checksum": found.checksum, "stored": found.stored, "sites": numbers.tolist(), "stated_plaquette": None}
