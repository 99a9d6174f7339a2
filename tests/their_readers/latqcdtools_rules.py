# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads files by the rules of the AnalysisToolbox (latqcdtools/interfaces/confReader.py, lime.py) and of nthmc
(lib/fieldio.py), whose LIME reader the former took over. The rules are theirs, the code is ours: what they refuse
raises Refused. Links come as [t, z, y, x, mu, row, column]."""

import math
import re
import struct

import numpy as np

from pyquda_rules import link_trace, plaquette, scidac_sums
from refused import require

MAGIC = 0x456789AB


def close(a, b):
    """rel_check of latqcdtools."""
    return np.isclose(a, b, rtol=1e-6, atol=1e-14)


def the_only(document, name):
    """xmlFind of both: the element is there exactly once, without attributes, with text alone."""
    found = re.findall(f"<{name}>([^<]*)</{name}>".encode(), document)
    require(len(found) == 1, f"finding record {name} in unsupported xml: {document!r}")
    return found[0]


def before_nul(data):
    return data.split(b"\0", 1)[0]


def nersc(path):
    """NERSCReader: FLOATING_POINT ends with BIG or SMALL; plaquette and link trace to 1e-6; no checksum."""
    data = open(path, "rb").read()
    begin = data.find(b"END_HEADER\n") + 11
    require(begin >= 78, "not in NERSC format")
    header = {}
    for line in data[:begin - 1].split(b"\n")[1:-1]:
        parts = line.split(b"=")
        require(len(parts) > 1, f"list index out of range: {line!r}")
        header[parts[0].strip()] = parts[1].strip()
    extents = [int(header[f"DIMENSION_{d}".encode()]) for d in (1, 2, 3, 4)]
    number = header[b"FLOATING_POINT"]
    require(number.endswith((b"SMALL", b"BIG")), "Unrecognized endianness.")
    require(number.startswith((b"IEEE32", b"IEEE64")), "Unrecognized precision.")
    rows = 3 if header[b"DATATYPE"].endswith(b"3x3") else 2
    shape = (*extents[::-1], 4, rows, 3)
    word = int(number[4:6]) // 4
    u = np.frombuffer(data, f"{'<' if number.endswith(b'SMALL') else '>'}c{word}", count=math.prod(shape), offset=begin)
    u = u.reshape(shape).astype("<c16")
    if rows == 2:
        u = np.concatenate([u, np.cross(u[..., 0, :], u[..., 1, :]).conj()[..., None, :]], axis=-2)
    for key, measured in ((b"LINK_TRACE", link_trace(u)), (b"PLAQUETTE", plaquette(u))):
        if key in header:
            require(close(measured, float(header[key])), f"{key!r} is wrong. Compare: {measured} with {header[key]!r}")
    return u


def lime(path):
    """ILDGReader.readConf and readLattice: all that they look for in each record; the last data of the file count."""
    data, at, told = open(path, "rb").read(), 0, {}
    while at < len(data):
        magic, _, _, size, kind = struct.unpack(">ihHq128s", data[at:at + 144])
        require(magic == MAGIC, f"lime magic number does not match, got {magic}")
        kind, contents = before_nul(kind).decode(), data[at + 144:at + 144 + size]
        document = before_nul(contents)
        if kind in ("scidac-binary-data", "ildg-binary-data"):
            told["type"], told["data"] = kind, contents
        elif kind == "scidac-private-file-xml":
            told["dims"] = [int(extent) for extent in the_only(document, "dims").split()]
            require(len(told["dims"]) == int(the_only(document, "spacetime")), "dims and spacetime differ")
        elif kind == "scidac-private-record-xml":
            for name in ("date", "recordtype", "datatype"):
                the_only(document, name)
            precision = the_only(document, "precision").lower()
            require(precision in (b"f", b"d"), f"unknown precision {precision!r}")
            told["word"] = 8 if precision == b"f" else 16
            for name in ("colors", "typesize", "datacount"):
                told[name] = int(the_only(document, name))
        elif kind == "scidac-checksum":
            told["sums"] = tuple(int(the_only(document, name), 16) for name in ("suma", "sumb"))
        elif kind == "ildg-format":
            require(the_only(document, "field") == b"su3gauge", "unsupported ildg field type")
            bits = int(the_only(document, "precision"))
            require(bits in (32, 64), f"unknown precision {bits}")
            dims = [int(the_only(document, axis)) for axis in ("lx", "ly", "lz", "lt")]
            told.update(word=bits // 4, dims=dims, colors=3, typesize=9 * bits // 4, datacount=4)
        at += 144 + (size + 7) // 8 * 8
    volume = math.prod(told["dims"])
    require(told["colors"] == 3, f"unsupported number of colors: {told['colors']}")
    require(told["datacount"] == len(told["dims"]) == 4, "There should be one link per direction")
    require(told["typesize"] == 9 * told["word"], "incorrect bytes per link")
    require(len(told["data"]) == volume * 4 * told["typesize"], "incorrect lattice size")
    links = np.frombuffer(told["data"], f">c{told['word']}")
    if told["type"] == "scidac-binary-data":
        require("sums" in told, "No SciDAC checksum.")
        found = scidac_sums(links.reshape(volume, -1))
        require(found == told["sums"], f"Checksum error: expected {told['sums']}, computed {found}")
    return links.reshape(*told["dims"][::-1], 4, 3, 3).astype("<c16")
