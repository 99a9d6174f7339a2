# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The few structures of HDF5 that a correlator store uses, as bytes (docs/formats/correlators.md, section 2).

It supports only what stores need: superblock of version 2, object headers of version 2, groups whose links are in the header, contiguous
datasets of numbers. Integers are little-endian, addresses are counted from the beginning of the file.
"""

import struct

import numpy as np

SIGNATURE = b"\x89HDF\r\n\x1a\n"
SUPERBLOCK_BYTES = 48
UNDEFINED = 0xFFFFFFFFFFFFFFFF
_MASK = 0xFFFFFFFF
_DATASPACE, _LINK_INFO, _DATATYPE, _FILL, _LINK, _LAYOUT, _GROUP_INFO, _ATTRIBUTE = 1, 2, 3, 5, 6, 8, 10, 12


def lookup3(data):
    """The checksum of HDF5's metadata: Jenkins' lookup3 with initial value 0."""
    a = b = c = (0xDEADBEEF + len(data)) & _MASK
    if not data:
        return c
    padded = data + bytes(-len(data) % 12)
    words = struct.unpack(f"<{len(padded) // 4}I", padded)
    for at in range(0, len(words) - 3, 3):
        a, b, c = (a + words[at]) & _MASK, (b + words[at + 1]) & _MASK, (c + words[at + 2]) & _MASK
        for turn in (4, 6, 8, 16, 19, 4):  # each step leaves the three with their names exchanged
            a = ((a - c) & _MASK) ^ _rotated(c, turn)
            c = (c + b) & _MASK
            a, b, c = b, c, a
    a, b, c = (a + words[-3]) & _MASK, (b + words[-2]) & _MASK, (c + words[-1]) & _MASK
    for turn in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - _rotated(b, turn)) & _MASK
        a, b, c = b, c, a
    return b  # seven exchanges of three: what was c last


def _rotated(value, turn):
    return ((value << turn) | (value >> (32 - turn))) & _MASK


def superblock(end, root):
    """The first 48 bytes of a file that ends at `end` and whose root group is at `root`."""
    body = SIGNATURE + struct.pack("<BBBBQQQQ", 2, 8, 8, 0, 0, UNDEFINED, end, root)
    return body + struct.pack("<I", lookup3(body))


def parse_superblock(data):
    """(end of the file, address of the root group); ValueError says what is wrong."""
    if data[:8] != SIGNATURE:
        raise ValueError("it does not begin with the signature of HDF5")
    if len(data) < SUPERBLOCK_BYTES:
        raise ValueError(f"it ends after {len(data)} bytes, within the superblock")
    version, offsets, lengths, _, base, _, end, root = struct.unpack_from("<BBBBQQQQ", data, 8)
    if (version, offsets, lengths, base) != (2, 8, 8, 0):
        raise ValueError(f"a superblock of version {version}, which a correlator store does not have")
    if struct.unpack_from("<I", data, 44)[0] != lookup3(data[:44]):
        raise ValueError("the checksum of the superblock does not agree")
    return end, root


def group(links, attributes=()):
    """The object header of a group: `links` are pairs of a name and the address of an object header."""
    messages = [(_LINK_INFO, struct.pack("<BBQQ", 0, 0, UNDEFINED, UNDEFINED)), (_GROUP_INFO, bytes(2))]
    messages += [(_ATTRIBUTE, _attribute(*attribute)) for attribute in attributes]
    messages += [(_LINK, struct.pack("<BBB", 1, 0, len(name)) + name.encode("ascii") + struct.pack("<Q", address))
                 for name, address in links]
    return _header(messages)


def dataset(dtype, shape, address):
    """The object header of a contiguous dataset whose numbers are at `address`."""
    dtype = np.dtype(dtype)
    size = dtype.itemsize * int(np.prod(shape, dtype=object))
    return _header([(_DATASPACE, _dataspace(shape)), (_DATATYPE, _datatype(dtype)), (_FILL, bytes((3, 0x0A))),
                    (_LAYOUT, struct.pack("<BBQQ", 3, 1, address, size))])


def attribute_of(header, name):
    """The bytes of the attribute `name`, from an object header that starts with it among its messages; ValueError."""
    for kind, body in _messages(header):
        if kind != _ATTRIBUTE:
            continue
        version, _, name_bytes, type_bytes, space_bytes, _ = struct.unpack_from("<BBHHHB", body)
        if version == 3 and body[9:9 + name_bytes].rstrip(b"\0") == name.encode("ascii"):
            return body[9 + name_bytes + type_bytes + space_bytes:]
    raise ValueError(f"its root group has no attribute {name}")


def header_bytes(start):
    """The size of an object header, from its first 10 bytes; ValueError."""
    if len(start) < 10 or start[:4] != b"OHDR" or start[4:6] != b"\x02\x02":
        raise ValueError("no object header as correlator stores have them")
    return 10 + struct.unpack_from("<I", start, 6)[0] + 4


def _header(messages):
    body = b"".join(struct.pack("<BHB", kind, len(data), 0) + data for kind, data in messages)
    header = b"OHDR\x02\x02" + struct.pack("<I", len(body)) + body
    return header + struct.pack("<I", lookup3(header))


def _messages(header):
    if len(header) < header_bytes(header) or struct.unpack("<I", header[-4:])[0] != lookup3(header[:-4]):
        raise ValueError("the checksum of an object header does not agree")
    at, end = 10, len(header) - 4
    while at + 4 <= end:
        kind, size, _ = struct.unpack_from("<BHB", header, at)
        if at + 4 + size > end:
            raise ValueError("a message of an object header is longer than the header")
        yield kind, header[at + 4:at + 4 + size]
        at += 4 + size


def _attribute(name, values):
    """An attribute: a text, or an array of numbers."""
    if isinstance(values, str):
        data = values.encode("utf-8") + b"\0"
        kind, space = struct.pack("<BBBBI", 0x13, 0x10, 0, 0, len(data)), bytes((2, 0, 0, 0))
    else:
        values = np.asarray(values)
        data, kind, space = values.tobytes(), _datatype(values.dtype), _dataspace(values.shape)
    name = name.encode("ascii") + b"\0"
    return struct.pack("<BBHHHB", 3, 0, len(name), len(kind), len(space), 0) + name + kind + space + data


def _dataspace(shape):
    return struct.pack(f"<BBBB{len(shape)}Q", 2, len(shape), 0, 1, *shape) if shape else bytes((2, 0, 0, 0))


def _datatype(dtype):
    if dtype.kind == "c":
        part = np.dtype(f"<f{dtype.itemsize // 2}")
        members = [(b"r", 0), (b"i", part.itemsize)]
        return (struct.pack("<BBBBI", 0x36, 2, 0, 0, dtype.itemsize)
                + b"".join(name + b"\0" + bytes((offset,)) + _datatype(part) for name, offset in members))
    if dtype.kind == "f":
        sign, exponent, bits = {4: (31, 23, 8), 8: (63, 52, 11)}[dtype.itemsize]
        return struct.pack("<BBBBIHHBBBBI", 0x11, 0x20, sign, 0, dtype.itemsize, 0, dtype.itemsize * 8, exponent, bits, 0, exponent,
                           (1 << (bits - 1)) - 1)
    return struct.pack("<BBBBIHH", 0x10, 8 if dtype.kind == "i" else 0, 0, 0, dtype.itemsize, 0, dtype.itemsize * 8)


def links_of(header):
    """Names and addresses of the links of an object header; ValueError."""
    found = []
    for kind, body in _messages(header):
        if kind == _LINK:
            size = body[2]
            found.append((body[3:3 + size].decode("ascii"), struct.unpack_from("<Q", body, 3 + size)[0]))
    return found
