# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads files by the rules of PyQUDA (pyquda_io/: nersc.py, lime.py, ildg.py, chroma.py, milc.py, openqcd.py) and of
PyLatticeIO (pylatticeio/: the same files, and eigen.py). The rules are theirs, the code is ours: what they refuse
raises Refused. Links come as [t, z, y, x, mu, row, column]."""

import itertools
import math
import struct
import zlib
from xml.etree import ElementTree

import numpy as np

from refused import Refused, require

TOLERANCE = 1e-9  # math.isclose without further arguments
WORDS = {"D": 8, "F": 4}


def rotated(words, by):
    by = by.astype("<u4")
    return np.bitwise_xor.reduce(words << by | words >> (np.uint32(32) - by))


def sums_29_31(words):
    places = np.arange(len(words), dtype="<u8")
    return int(rotated(words, places % 29)), int(rotated(words, places % 31))


def scidac_sums(sites):
    return sums_29_31(np.array([zlib.crc32(site.tobytes()) for site in sites], "<u4"))


def plaquette(u):
    mean = 0.0
    for mu, nu in itertools.combinations(range(4), 2):
        ahead = [np.roll(u, -1, axis=3 - d) for d in (mu, nu)]
        loops = u[..., mu, :, :] @ ahead[0][..., nu, :, :] @ (u[..., nu, :, :] @ ahead[1][..., mu, :, :]).conj().swapaxes(-1, -2)
        mean += np.trace(loops, axis1=-2, axis2=-1).real.mean() / 18
    return mean


def link_trace(u):
    return np.trace(u, axis1=-2, axis2=-1).real.mean() / 3


def require_su3(u, sigma=1e-6):
    """reunitarize_sigma of both: what single precision may be off."""
    off = abs(np.linalg.norm(u[..., 0, :], axis=-1) - 1).max()
    cross = np.cross(u[..., 0, :], u[..., 1, :]).conj()
    require(max(off, abs(cross - u[..., 2, :]).max()) < 10 * sigma, "links of single precision are no SU(3) matrices")


def nersc(path):
    """nersc.py readGauge: every line of the header splits at "=" into exactly two."""
    with open(path, "rb") as file:
        require(file.readline().decode() == "BEGIN_HEADER\n", "the first line is not BEGIN_HEADER")
        header = {}
        while (line := file.readline().decode()) != "END_HEADER\n":
            parts = line.split("=")
            require(len(parts) == 2, f"too many values to unpack (expected 2): {line!r}")
            header[parts[0].strip()] = parts[1].strip()
        data = file.read()
    extents = [int(header[f"DIMENSION_{d}"]) for d in (1, 2, 3, 4)]
    number = header["FLOATING_POINT"]
    require(number.startswith("IEEE") and number[6:] in ("BIG", "LITTLE", ""), f"Unsupported endian: {number}")
    word = int(number[4:6]) // 8
    rows = {"4D_SU3_GAUGE_3x3": 3, "4D_SU3_GAUGE": 2}.get(header["DATATYPE"])
    require(rows, f"Unsupported datatype: {header['DATATYPE']}")
    shape = (*extents[::-1], 4, rows, 3)
    read = np.frombuffer(data, f"{'>' if number[6:] == 'BIG' else '<'}c{2 * word}", count=math.prod(shape))
    plain = read.astype(f"<c{2 * word}")
    found = int(np.sum(plain.view("<u4"), dtype="<u4"))
    require(int(header["CHECKSUM"], 16) == found, f"CHECKSUM {header['CHECKSUM']}, of the data {found:x}")
    u = plain.reshape(shape).astype("<c16")
    if rows == 2:
        u = np.concatenate([u, np.cross(u[..., 0, :], u[..., 1, :]).conj()[..., None, :]], axis=-2)
    if word == 4:
        require_su3(u)
    # Theirs compares links of single precision after they have made SU(3) matrices of them, and then fails by 1e-9 on
    # its own files, too: that tolerance is for double precision.
    tolerance = TOLERANCE if word == 8 else 1e-5
    for key, measured in (("LINK_TRACE", link_trace(u)), ("PLAQUETTE", plaquette(u))):
        require(math.isclose(float(header[key]), measured, rel_tol=tolerance), f"{key} {header[key]}, of the links {measured}")
    return u, header


class Lime:
    """lime.py: magic and version before anything else, records padded to 8 bytes, an end or a single line feed."""

    def __init__(self, path):
        self.data, self.records, at = open(path, "rb").read(), [], 0
        while self.data[at:at + 8] not in (b"", b"\n"):
            require(self.data[at:at + 6] == b"\x45\x67\x89\xab\x00\x01", f"no record begins at byte {at}")
            length, = struct.unpack(">Q", self.data[at + 8:at + 16])
            name = self.data[at + 16:at + 144].rstrip(b"\0").decode("utf-8")
            self.records.append((name, at + 144, length))
            at += 144 + (length + 7) // 8 * 8

    def record(self, name, index=0):
        named = [self.data[at:at + length] for kind, at, length in self.records if kind == name]
        require(len(named) > index, f"list index out of range: {name} {index}")
        return named[index]

    def xml(self, name, index=0):
        """NULs behind the document are stripped."""
        try:
            return ElementTree.fromstring(self.record(name, index).rstrip(b"\0").decode("utf-8"))
        except ElementTree.ParseError as error:
            raise Refused(f"{name}: {error}") from error


def told(document, name, kind=str):
    found = document.find(name)
    require(found is not None, f"'NoneType' object has no attribute 'text': {name}")
    return kind(found.text)


def sums_of(lime):
    checksum = lime.xml("scidac-checksum")
    return tuple(int(told(checksum, name), 16) for name in ("suma", "sumb"))


def field(data, word, extents, site, sums):
    volume = math.prod(extents)
    read = np.frombuffer(data, f">c{2 * word}", count=volume * math.prod(site))
    if sums is not None:
        found = scidac_sums(read.reshape(volume, -1))
        require(found == sums, f"scidac-checksum {sums}, of the data {found}")
    return read.reshape(*extents[::-1], *site).astype("<c16")


def ildg(path, checksum=True):
    """ildg.py readGauge."""
    lime = Lime(path)
    document = lime.xml("ildg-format")
    space = "{http://www.lqcd.org/ildg}"
    require(told(document, space + "field") == "su3gauge", "field is not su3gauge")
    extents = [told(document, space + axis, int) for axis in ("lx", "ly", "lz", "lt")]
    word = told(document, space + "precision", int) // 8
    u = field(lime.record("ildg-binary-data"), word, extents, (4, 3, 3), sums_of(lime) if checksum else None)
    if word == 4:
        require_su3(u)
    return u


def qio(path, data_type, site, count, spins, checksum=True):
    """chroma.py readQIOGauge, readQIOPropagator, readQIOStaggeredPropagator: colors, spins, typesize, datacount fit."""
    lime = Lime(path)
    file, record = lime.xml("scidac-private-file-xml"), lime.xml("scidac-private-record-xml")
    word = WORDS[told(record, "precision")]
    require(told(record, "colors", int) == 3, "colors is not 3")
    if spins:
        require(told(record, "spins", int) == spins, f"spins is not {spins}")
    require(told(record, "typesize", int) * count == math.prod(site) * 2 * word, "typesize does not fit")
    require(told(record, "datacount", int) == count, f"datacount is not {count}")
    require(told(file, "spacetime", int) == 4, "spacetime is not 4")
    extents = [int(extent) for extent in told(file, "dims").split()]
    return field(lime.record(data_type), word, extents, site, sums_of(lime) if checksum else None)


def qio_gauge(path, **options):
    return qio(path, "ildg-binary-data", (4, 3, 3), 4, 0, **options)


def qio_propagator(path, **options):
    return qio(path, "scidac-binary-data", (4, 4, 3, 3), 1, 4, **options)


def qio_staggered_propagator(path, **options):
    return qio(path, "scidac-binary-data", (3, 3), 1, 0, **options)


def milc(path):
    """milc.py readGauge: the magic number of single precision alone, the time stamp is text."""
    data = open(path, "rb").read()
    orders = [order for order in "<>" if struct.unpack(f"{order}i", data[:4])[0] == 20103]
    require(orders, f"Broken magic {data[:4]!r} in MILC gauge")
    order = orders[0]
    extents = struct.unpack(f"{order}4i", data[4:20])
    data[20:84].decode()
    site_order, *sums = struct.unpack(f"{order}i2I", data[84:96])
    require(site_order == 0, "order is not 0")
    shape = (*extents[::-1], 4, 3, 3)
    read = np.frombuffer(data, f"{order}c8", count=math.prod(shape), offset=96).astype("<c8")
    found = sums_29_31(read.view("<u4"))
    require(tuple(sums) == found, f"sums {sums}, of the data {found}")
    require_su3(read.reshape(shape).astype("<c16"))
    return read.reshape(shape).astype("<c16")


def openqcd(path):
    """openqcd.py readGauge: extents from the last to the first are x, y, z, t (right for equal ones in space alone);
    links of odd sites, +mu and -mu in turn, mu = t, x, y, z; the plaquette is compared."""
    data = open(path, "rb").read()
    extents = struct.unpack("<4i", data[:16])[::-1]
    stated = struct.unpack("<d", data[16:24])[0] / 3
    x_of, y_of, z_of, t_of = extents
    shape = (t_of, x_of, y_of, z_of // 2, 4, 2, 3, 3)
    links = np.frombuffer(data, "<c16", count=math.prod(shape), offset=24).reshape(shape)
    u = np.empty((*extents[::-1], 4, 3, 3), "<c16")
    for t, x, y, z in itertools.product(range(t_of), range(x_of), range(y_of), range(z_of)):
        if (t + x + y + z) % 2 == 0:
            continue
        for place, mu in enumerate((3, 0, 1, 2)):
            back = [t, z, y, x]
            back[3 - mu] = (back[3 - mu] - 1) % extents[mu]
            u[t, z, y, x, mu], u[(*back, mu)] = links[t, x, y, z // 2, place]
    require(math.isclose(stated, plaquette(u), rel_tol=TOLERANCE), f"plaquette {stated}, of the links {plaquette(u)}")
    return u


def time_slices(path):
    """PyLatticeIO's eigen.py readTimeSlice: QDP's map file of (time slice, vector), in single precision."""
    data = open(path, "rb").read()

    def text(at):
        length, = struct.unpack(">i", data[at:at + 4])
        return data[at + 4:at + 4 + length].decode("utf-8"), at + 4 + length

    title, at = text(0)
    require(title == "XXXXQDPLazyDiskMapObjFileXXXX", f"begins with {title!r}")
    require(struct.unpack(">i", data[at:at + 4])[0] == 1, "the version is not 1")
    described, at = text(at + 4)
    document = ElementTree.fromstring(described)
    at = struct.unpack(">2q", data[at:at + 16])[1]
    count, = struct.unpack(">I", data[at:at + 4])
    at, places = at + 4, {}
    for _ in range(count):
        length, = struct.unpack(">i", data[at:at + 4])
        key = struct.unpack(f">{length // 4}i", data[at + 4:at + 4 + length])
        places[key] = struct.unpack(">2q", data[at + 4 + length:at + 20 + length])[1]
        at += 20 + length
    extents = [int(extent) for extent in told(document, "lattSize").split()]
    vectors = told(document, "num_vecs", int)
    shape = (*extents[2::-1], 3)
    return np.array([[np.frombuffer(data, ">c8", count=math.prod(shape), offset=places[t, k]).reshape(shape)
                      for t in range(extents[3])] for k in range(vectors)])
