# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A second, naive reader of LIME files and of the SciDAC checksum, written from the format pages alone: that of
tools/read_limequat.py, without what it knows of fields."""

import pathlib
import struct
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import read_limequat  # noqa: E402

HEADER = struct.Struct(">IHBBQ128s")


def records(path):
    """(type, payload) of every record."""
    return [(record.type, bytes(record.payload())) for record in read_limequat.records_of(path.read_bytes())]


def payload(path, name):
    """The payload of the first record of that type."""
    return next(data for kind, data in records(path) if kind == name)


def gauge(path, shape, number=">c16"):
    """The links of an ILDG file."""
    return np.frombuffer(payload(path, "ildg-binary-data"), dtype=number).reshape(shape)


def checksum(data, site_bytes):
    """(suma, sumb) of a payload whose sites are in file order."""
    return tuple(f"{total:08x}" for total in read_limequat.checksum(data, site_bytes))
