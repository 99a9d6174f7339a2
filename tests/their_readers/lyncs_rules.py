# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads files by the rules of lyncs.io (lyncs_io/lime.py, openqcd.py, hdf5.py). The rules are theirs, the code is ours:
what they refuse raises Refused."""

import math
import re
import struct
from xml.parsers import expat

import numpy as np

from refused import Refused, require

MAGIC = 1164413355


def xml_members(document):
    """xmltodict.parse: expat gets the whole record, so that a NUL behind the document is no XML."""
    members, open_elements, text = {}, [], []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: (open_elements.append(name), text.clear())
    parser.CharacterDataHandler = text.append
    parser.EndElementHandler = lambda name: (members.__setitem__(name, "".join(text)), open_elements.pop())
    try:
        parser.Parse(document, True)
    except expat.ExpatError as error:
        raise Refused(f"ildg-format: {error}") from error
    return members


def xlf_members(text):
    """parse_xlf: each line, and each part of it between commas, that has an equals sign has one."""
    members = {}
    for part in re.split("\n|,", text.decode()):
        sides = part.split("=")
        require(len(sides) <= 2, f"too many values to unpack (expected 2): {part!r}")
        if len(sides) == 2:
            members[sides[0].strip()] = sides[1].strip()
    return members


def ildg(path):
    """head and load of lime.py; returns the links [t, z, y, x, mu, row, column] and what else is said."""
    data, at, said, links = open(path, "rb").read(), 0, {}, None
    while at + 144 < len(data):
        magic, _, _, size, kind = struct.unpack(">lHHQ128s", data[at:at + 144])
        require(magic == MAGIC, f"Not a valid lime file. magic_number = {magic}")
        kind, contents = kind.decode().split("\0")[0], data[at + 144:at + 144 + size]
        if kind == "ildg-format":
            said.update(xml_members(contents))
        elif kind == "xlf-info":
            said.update(xlf_members(contents))
        elif kind == "ildg-binary-data":
            links = contents
        at += 144 + (size + 7) // 8 * 8
    require(said.get("field") == "su3gauge", f"Unknown field type {said.get('field')}")
    shape = (*(int(said[axis]) for axis in ("lt", "lz", "ly", "lx")), 4, 3, 3)
    word = int(said["precision"]) // 4
    return np.frombuffer(links, f">c{word}", count=math.prod(shape)).reshape(shape).astype("<c16"), said


def openqcd_head(path):
    """head of openqcd.py: four extents, then the plaquette times three."""
    *extents, stated = struct.unpack("<4id", open(path, "rb").read(24))
    return extents, stated / 3


def hdf5_names(group, prefix=""):
    """_load of hdf5.py: all groups and datasets by name; an attribute "shape" or "dtype" would replace the true one."""
    import h5py

    names = {}
    for key, value in group.items():
        if isinstance(value, h5py.Dataset):
            require("dtype" not in value.attrs, f"{value.name} has an attribute dtype")
            require(tuple(value.attrs.get("shape", value.shape)) == value.shape, f"{value.name} has another attribute shape")
            names[f"{prefix}{key}"] = value.shape
        else:
            names.update(hdf5_names(value, f"{prefix}{key}/"))
    return names
