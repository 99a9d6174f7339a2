# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A second, naive reader of LIME files and of the SciDAC checksum, written from the format pages alone."""

import struct
import zlib

import numpy as np

HEADER = struct.Struct(">IHBBQ128s")


def records(path):
    """(type, payload) of every record."""
    data = path.read_bytes()
    place, found = 0, []
    while place < len(data):
        magic, version, _, _, length, name = HEADER.unpack_from(data, place)
        assert magic == 0x456789AB and version == 1
        place += HEADER.size
        found.append((name.split(b"\0")[0].decode(), data[place:place + length]))
        place += length + (-length) % 8
    return found


def payload(path, name):
    """The payload of the first record of that type."""
    return next(data for kind, data in records(path) if kind == name)


def gauge(path, shape, number=">c16"):
    """The links of an ILDG file."""
    return np.frombuffer(payload(path, "ildg-binary-data"), dtype=number).reshape(shape)


def checksum(data, site_bytes):
    """(suma, sumb) of a payload whose sites are in file order."""
    suma = sumb = 0
    for rank in range(len(data) // site_bytes):
        crc = zlib.crc32(data[rank * site_bytes:(rank + 1) * site_bytes])
        suma ^= _rotated(crc, rank % 29)
        sumb ^= _rotated(crc, rank % 31)
    return f"{suma:08x}", f"{sumb:08x}"


def _rotated(value, by):
    return ((value << by) | (value >> (32 - by))) & 0xFFFFFFFF
