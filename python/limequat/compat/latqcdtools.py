# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The readers of configurations of AnalysisToolbox (latqcdtools.interfaces.confReader and .lime), over Limequat.

    >>> from limequat.compat.latqcdtools import ILDGReader    # instead of: from latqcdtools.interfaces.confReader
    >>> gauge = ILDGReader(Ns=8, Nt=4).readConf("conf.0010.ildg")
    >>> gauge.getLink(x, y, z, t, mu), gauge.getPlaquette()

readConf() returns the gaugeField of latqcdtools if that package is installed, otherwise a :class:`GaugeField` with the same names
for access; in both, ``field`` is an array [t, z, y, x, mu, row, column]. Checksums are compared in all formats, plaquette and
link trace if a file states them. Errors are those of :mod:`limequat`.
"""

import importlib
import re
import struct
import zlib

import numpy as np

from limequat import files, physics
from limequat.errors import ChecksumError, InvalidArgument, Malformed, NoSuchRecord, Unsupported

__all__ = ["GaugeField", "ILDGReader", "LIMEMAGIC", "NERSCReader", "confReader", "gaugeField", "limeHeader", "printLimeHeaders",
           "scidacChecksum", "trimNull", "xmlFind"]

LIMEMAGIC = 0x456789AB
_OFF_GROUP = 1e-6


class GaugeField:
    """A gauge field of SU(3) on Ns^3 x Nt sites with periodic boundaries: ``field`` is an array [t, z, y, x, mu, 3, 3]."""

    def __init__(self, Ns, Nt, nproc=1):
        self.Ns, self.Nt, self.nproc = Ns, Nt, nproc
        self.field = np.zeros((Nt, Ns, Ns, Ns, 4, 3, 3), complex)

    def getLink(self, x, y, z, t, mu):
        """The link from a site, a 3x3 array; coordinates outside the lattice wrap around."""
        return self.field[t % self.Nt, z % self.Ns, y % self.Ns, x % self.Ns, mu]

    def setLink(self, other, x, y, z, t, mu):
        """Sets the link to a 3x3 array."""
        self.field[t % self.Nt, z % self.Ns, y % self.Ns, x % self.Ns, mu] = other

    def getPlaquette(self):
        """The average of Re tr U_P / 3."""
        return physics.plaquette(self.field).average

    def getLinkTrace(self):
        """The average of Re tr U / 3."""
        return physics.link_trace(self.field)

    def checkSU3(self):
        """Raises Malformed if a link is further away from SU(3) than 1e-6."""
        found = physics.unitarity(self.field)
        if not max(found.largest, found.largest_determinant) <= _OFF_GROUP:
            raise Malformed(f"a link is {max(found.largest, found.largest_determinant):.3g} away from SU(3)")


def gaugeField(Ns, Nt, nproc=1):
    """A gaugeField of latqcdtools if that is installed, otherwise a :class:`GaugeField`."""
    try:
        kind = importlib.import_module("latqcdtools.physics.gauge").gaugeField
    except ImportError:
        kind = GaugeField
    return kind(Ns, Nt, nproc)


class confReader:
    """The common part of the readers.

    Ns, Nt      extents in space and time; a file of another lattice is an error
    nproc       kept; reading uses one thread

    After reading: gauge, linkTrace, plaquette (None: the file does not state it), precision ("f", "d"), endianness (">", "<"),
    offset (of the data), rows (2 or 3 of each matrix in the file).
    """

    _formats: tuple = ()

    def __init__(self, Ns, Nt, nproc=None):
        for name, value in (("Ns", Ns), ("Nt", Nt)):
            if not isinstance(value, (int, np.integer)) or value < 1:
                raise InvalidArgument(f"{name} is {value!r}, expected a whole number of at least 1", found=repr(value))
        self.Ns, self.Nt, self.Nd, self.Nc, self.nproc = int(Ns), int(Nt), 4, 3, nproc or 1
        self.offset = self.file = self.linkTrace = self.plaquette = self.nrows = self.rows = None
        self.endianness, self.precision = ">", "f"
        self.gauge = gaugeField(self.Ns, self.Nt, self.nproc)

    def getByteSize(self):
        """Bytes of a number."""
        return {"f": 4, "d": 8}[self.precision]

    def checkLatDims(self, Nx, Ny, Nz, Nt):
        """Raises InvalidArgument unless these are the given extents."""
        expected = (self.Ns, self.Ns, self.Ns, self.Nt)
        if (Nx, Ny, Nz, Nt) != expected:
            raise InvalidArgument(f"the lattice is {Nx}x{Ny}x{Nz}x{Nt}, expected {'x'.join(map(str, expected))}: Ns and Nt do not fit "
                                  "the file", expected=str(expected), found=str((Nx, Ny, Nz, Nt)))

    def readHeader(self, fileName):
        """Reads the facts about the first gauge field of the file."""
        with files.open(fileName) as file:
            self._take(file)

    def readConf(self, fileName):
        """The gauge field of a file; the checksum is compared, and so are plaquette and link trace if stated."""
        with files.open(fileName) as file:
            view = self._take(file)
            self.gauge.field = view.read(dtype=np.complex128)
        tolerance = 1e-6 if self.precision == "f" else 1e-9
        for name, stated, found in (("plaquette", self.plaquette, physics.plaquette(self.gauge.field).average),
                                    ("link trace", self.linkTrace, physics.link_trace(self.gauge.field))):
            if stated is not None and not abs(found - stated) <= tolerance:
                raise ChecksumError(f"{fileName}: the {name} of the links is {found:.12g}, the file states {stated:.12g}",
                                    path=str(fileName), expected=str(stated), found=str(found))
        return self.gauge

    def _take(self, file):
        if self._formats and file.format not in self._formats:
            raise Unsupported(f"{file.path}: this is a file of format {file.format}, not of {' or '.join(self._formats)}; limequat.read "
                              "reads it", path=str(file.path))
        entry = next((one for one in file.catalog["fields"] if one["spec"]["kind"] == "gauge"), None)
        if entry is None or entry["spec"]["colors"] != self.Nc or len(entry["lattice"]) != self.Nd:
            raise NoSuchRecord(f"{file.path}: there is no gauge field of SU(3) in four dimensions", path=str(file.path))
        self.checkLatDims(*entry["lattice"])
        self.precision = "f" if entry["spec"]["precision"] == "single" else "d"
        self.endianness = ">" if entry.get("byte_order", "big") == "big" else "<"
        self.linkTrace, self.plaquette, self.offset = entry.get("link_trace"), entry.get("plaquette"), entry.get("offset")
        self.rows = self.nrows = self._rows(entry)
        return file.fields[file.catalog["fields"].index(entry)]

    def _rows(self, entry):
        """Rows of a matrix by the bytes that the field has in the file."""
        whole = self.Ns ** 3 * self.Nt * self.Nd * self.Nc * self.Nc * 2 * self.getByteSize()
        return 2 if 3 * entry["length"] == 2 * whole else 3


class NERSCReader(confReader):
    """Reads archive files of the Gauge Connection."""

    _formats = ("nersc",)


class ILDGReader(confReader):
    """Reads ILDG and SciDAC files."""

    _formats = ("ildg", "scidac")


def limeHeader(mbeg, mend, size, type):
    """The 144 bytes of a record header of LIME.

    mbeg, mend  true: the record begins, or ends, a message. As in latqcdtools one flag is set at most, mbeg first
    size        bytes of data
    type        bytes, at most 127
    """
    if len(type) > 127 or not 0 <= size < 1 << 63:
        raise InvalidArgument(f"a record of type {type!r} and {size} bytes: expected at most 127 bytes of type and less than 2^63")
    return struct.pack(">IHHQ128s", LIMEMAGIC, 1, 1 << 15 if mbeg else 1 << 14 if mend else 0, size, type)


def scidacChecksum(latdata, vol, sitesize):
    """(suma, sumb) of the first ``vol`` sites of ``sitesize`` bytes each, in the order of the lattice."""
    data = memoryview(latdata).cast("B")
    if vol * sitesize > len(data):
        raise InvalidArgument(f"{vol} sites of {sitesize} bytes, but there are {len(data)} bytes")
    crcs = np.array([zlib.crc32(data[at:at + sitesize]) for at in range(0, vol * sitesize, sitesize)], np.uint64)
    sums = []
    for prime in (29, 31):
        shift = (np.arange(vol) % prime).astype(np.uint64)
        turned = ((crcs << shift) | (crcs >> (np.uint64(32) - shift))) & np.uint64(0xFFFFFFFF)
        sums.append(int(np.bitwise_xor.reduce(turned)) if vol else 0)
    return tuple(sums)


def xmlFind(s, xmlTag):
    """The bytes between <xmlTag> and </xmlTag>, which must occur once."""
    tag = re.escape(xmlTag.encode())
    found = re.findall(b"<" + tag + b">([^<]*)</" + tag + b">", s)
    if len(found) != 1:
        raise Malformed(f"the element {xmlTag!r} occurs {len(found)} times, expected once, in {bytes(s)[:200]!r}", record=xmlTag)
    return found[0]


def trimNull(byteString):
    """The bytes before the first NUL."""
    return byteString.split(b"\0", 1)[0]


def printLimeHeaders(filename):
    """Prints type, size and place of each record of a LIME file, and the texts."""
    with files.open(filename) as file:
        for entry in file.records:
            print(f"{entry['type']}: {entry['data_length']} bytes at byte {entry['offset']}")
            if not entry["type"].endswith("binary-data") and entry["data_length"] <= 1 << 20:
                print(f"    {file.records[entry['type'], _number(file, entry)].rstrip(bytes(1)).decode('utf-8', 'replace')}")


def _number(file, entry):
    """Which of the records of its type an entry is."""
    return [other for other in file.records if other["type"] == entry["type"]].index(entry)
