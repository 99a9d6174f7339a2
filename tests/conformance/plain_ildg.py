#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A second, naive reader of LIME, SciDAC and ILDG files, written in the order of docs/formats and in nothing but
# plain Python. It shares no line with the library, so that both can be wrong only in different ways.
"""usage: plain_ildg.py FILE [--site X,Y,Z,T]

Prints one JSON object: the records, the fields with lattice, precision and the verdict on their checksum, and the
rules that the file breaks. With --site also the numbers of that site of the first field. Exits 1 when a checksum
differs or a rule is broken."""

import json
import math
import struct
import sys
import xml.etree.ElementTree as ElementTree
import zlib

HEADER = 144


def records_of(data):
    """formats/lime.md 2 to 4: the records, and the rules that the container breaks."""
    records, broken, at, message, inside = [], [], 0, 0, False
    while at < len(data):
        if len(data) - at < HEADER:
            raise ValueError(f"byte {at}: {len(data) - at} bytes are no header")
        magic, version, flags, reserved, length = struct.unpack_from(">IHBBQ", data, at)
        if magic != 0x456789AB or version != 1:
            raise ValueError(f"byte {at}: magic {magic:08x}, version {version}")
        name = data[at + 16:at + HEADER]
        begins, ends = bool(flags & 0x80), bool(flags & 0x40)
        if flags & 0x3F or reserved:
            broken.append(f"byte {at}: reserved bits are set")
        if begins == inside:
            broken.append(f"byte {at}: MB is {int(begins)} {'inside' if inside else 'outside'} a message")
        if b"\0" not in name or name.rstrip(b"\0") != name.split(b"\0")[0]:
            broken.append(f"byte {at}: type {name!r}")
        message += begins
        inside = not ends
        start, end = at + HEADER, at + HEADER + length
        padding = data[end:end + (-length) % 8]
        if end > len(data):
            raise ValueError(f"byte {at}: {length} bytes are more than the file has")
        if padding != bytes((-length) % 8):
            broken.append(f"byte {end}: padding {padding!r}")
        records.append({"type": name.split(b"\0")[0].decode("ascii"), "message": message, "mb": begins, "me": ends,
                        "header_offset": at, "offset": start, "data_length": length})
        at = end + (-length) % 8
    if inside:
        broken.append("the last message is not ended")
    return records, broken


def text_of(data, record):
    return data[record["offset"]:record["offset"] + record["data_length"]].rstrip(b"\0").decode("utf-8")


def children_of(data, record):
    """The texts of a flat document, by element name without namespace."""
    return {child.tag.split("}")[-1]: (child.text or "").strip() for child in
            ElementTree.fromstring(text_of(data, record).encode())}


def rotate(value, bits):
    return ((value << bits) | (value >> (32 - bits))) & 0xFFFFFFFF if bits else value


def checksum_of(data, site_bytes):
    """formats/scidac.md 4.4, for a field that covers its lattice."""
    suma = sumb = 0
    for rank in range(len(data) // site_bytes):
        crc = zlib.crc32(data[rank * site_bytes:(rank + 1) * site_bytes])
        suma ^= rotate(crc, rank % 29)
        sumb ^= rotate(crc, rank % 31)
    return suma, sumb


def slices_of(data, text):
    """formats/scidac.md 5.1"""
    title, *lines = text.splitlines()
    words = title.split()
    if words[:2] != ["limequat-slices", "1.1"] or int(words[2]) != len(lines) - 1:
        raise ValueError(f"limequat-slices begins with {title!r}")
    sums = [tuple(int(digits, 16) for digits in line.split()[1:]) for line in lines]
    total = (0, 0, 0, 0)
    for suma, sumb, plain, weighted in sums[:-1]:
        total = (total[0] ^ suma, total[1] ^ sumb, (total[2] + plain) % 2**64, (total[3] + weighted) % 2**64)
    if lines[-1].split()[0] != "total" or sums[-1] != total:
        raise ValueError(f"limequat-slices ends with {lines[-1]!r}")
    return sums[:-1]


def described_by_scidac(known):
    info = known["record"]
    return {"extents": [int(n) for n in known["file"]["dims"].split()], "datatype": info["datatype"],
            "precision": {"F": 32, "D": 64}[info["precision"]],
            "site_bytes": int(info["typesize"]) * int(info["datacount"])}


def described_by_ildg(known):
    ildg = known["ildg"]
    colors = int(ildg["field"][len("su"):-len("gauge")])
    precision = int(ildg["precision"])
    return {"extents": [int(ildg[n]) for n in ("lx", "ly", "lz", "lt")], "datatype": ildg["field"],
            "precision": precision, "site_bytes": 4 * 2 * colors**2 * precision // 8}


def field_of(record, known):
    """One field from its binary record and what stood before it."""
    scidac = described_by_scidac(known) if "record" in known else None
    ildg = described_by_ildg(known) if "ildg" in known else None
    field = dict(scidac or ildg, offset=record["offset"], broken=[])
    for name in ("extents", "precision", "site_bytes"):
        if scidac and ildg and scidac[name] != ildg[name]:
            field["broken"].append(f"ildg-format and the SciDAC records differ in {name}")
    volume = math.prod(field["extents"])
    if record["data_length"] != volume * field["site_bytes"]:
        field["broken"].append(f"{record['data_length']} bytes, but {volume} sites of {field['site_bytes']} are expected")
    return field


def verify(data, record, field, sums):
    found = checksum_of(data[record["offset"]:record["offset"] + record["data_length"]], field["site_bytes"])
    field["computed"] = "{:08x}/{:08x}".format(*found)
    stored = tuple(int(sums[name], 16) for name in ("suma", "sumb")) if sums else None
    field["stored"] = "{:08x}/{:08x}".format(*stored) if stored else None
    field["verdict"] = "absent" if stored is None else "ok" if stored == found else "mismatch"


def verify_slices(data, record, field, slices):
    """Each slice of the slowest dimension by itself; their XOR is the sum of all."""
    extents = field["extents"]
    sites = record["data_length"] // field["site_bytes"] // extents[-1]
    for number, stored in enumerate(slices):
        suma = sumb = plain = weighted = 0
        for rank in range(number * sites, (number + 1) * sites):
            at = record["offset"] + rank * field["site_bytes"]
            crc = zlib.crc32(data[at:at + field["site_bytes"]])
            suma ^= rotate(crc, rank % 29)
            sumb ^= rotate(crc, rank % 31)
            plain = (plain + crc) % 2**64
            weighted = (weighted + crc * (rank + 1)) % 2**64
        if (suma, sumb, plain, weighted) != stored:
            field["broken"].append(f"slice {number} has other sums than limequat-slices says: {suma:08x}/{sumb:08x}, "
                                   f"{plain:016x}, {weighted:016x}")
    field["slices"] = len(slices)


def parse(data):
    """Everything about a file that holds whole fields: the JSON object that is printed."""
    records, broken = records_of(data)
    fields, known, metadata = [], {}, {}
    for i, record in enumerate(records):
        kind = record["type"]
        if kind == "scidac-private-file-xml":
            known = {"file": children_of(data, record)}
        elif kind == "scidac-private-record-xml":
            known = {"record": children_of(data, record), **{k: v for k, v in known.items() if k == "file"}}
        elif kind == "ildg-format":
            known["ildg"] = children_of(data, record)
        elif kind == "limequat-slices":
            known["slices"] = slices_of(data, text_of(data, record))
        elif kind in ("scidac-binary-data", "ildg-binary-data"):
            field = field_of(record, known)
            following = records[i + 1] if i + 1 < len(records) and not record["me"] else None
            sums = children_of(data, following) if following and following["type"] == "scidac-checksum" else None
            verify(data, record, field, sums)
            if "slices" in known:
                verify_slices(data, record, field, known["slices"])
            fields.append(field)
        elif kind != "scidac-checksum":
            metadata[kind] = text_of(data, record)
    return {"records": records, "fields": fields, "metadata": metadata, "broken": broken}


def numbers_at(data, field, site):
    rank = 0
    for x, extent in zip(reversed(site), reversed(field["extents"])):
        rank = rank * extent + x
    word = field["precision"] // 8
    at = field["offset"] + rank * field["site_bytes"]
    return list(struct.unpack_from(f">{field['site_bytes'] // word}{'f' if word == 4 else 'd'}", data, at))


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    with open(arguments[0], "rb") as file:
        data = file.read()
    answer = parse(data)
    if arguments[1:2] == ["--site"]:
        answer["site"] = numbers_at(data, answer["fields"][0], [int(x) for x in arguments[2].split(",")])
    print(json.dumps(answer))
    bad = answer["broken"] or any(f["broken"] or f["verdict"] == "mismatch" for f in answer["fields"])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
