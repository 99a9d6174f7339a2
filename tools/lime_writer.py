# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Writes LIME, SciDAC and ILDG in plain Python, based only on docs/formats: the golden files must not
# come from the library that they test.
import random
import struct
import zlib

MB, ME = 0x80, 0x40
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
ILDG_ROOT = ('<ildgFormat xmlns="http://www.lqcd.org/ildg" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
             'xsi:schemaLocation="http://www.lqcd.org/ildg/filefmt.xsd">')


def header(kind, length, flags, *, magic=0x456789AB, version=1, reserved=0):
    name = kind if isinstance(kind, bytes) else kind.encode()
    return struct.pack(">IHBBQ128s", magic, version, flags, reserved, length, name)


def pad(payload, filler=b"\0"):
    return filler * (-len(payload) % 8)


def record(kind, payload, flags, *, filler=b"\0", **fields):
    data = payload if isinstance(payload, bytes) else payload.encode()
    return header(kind, fields.pop("length", len(data)), flags, **fields) + data + pad(data, filler)


def message(*records):
    """Records (type, payload) with MB on the first and ME on the last."""
    last = len(records) - 1
    return b"".join(record(kind, payload, (MB if i == 0 else 0) | (ME if i == last else 0))
                    for i, (kind, payload) in enumerate(records))


def flagged(flags, *records):
    """The same records, all with the same flags."""
    return b"".join(record(kind, payload, flags) for kind, payload in records)


def nul(text):
    return text.encode() + b"\0"


def file_info(dims, volfmt=0, separator=" ", version="1.1"):
    extents = "".join(f"{n}{separator}" for n in dims)
    return ("scidac-private-file-xml", nul(
        f"{DECLARATION}<scidacFile><version>{version}</version><spacetime>{len(dims)}</spacetime>"
        f"<dims>{extents}</dims><volfmt>{volfmt}</volfmt></scidacFile>"))


def record_info(datatype, precision, colors, spins, typesize, datacount, kind="<recordtype>0</recordtype>"):
    optional = (f"<colors>{colors}</colors>" if colors else "") + (f"<spins>{spins}</spins>" if spins else "")
    return ("scidac-private-record-xml", nul(
        f"{DECLARATION}<scidacRecord><version>1.1</version><date>Thu Apr 14 17:20:32 2022 UTC</date>{kind}"
        f"<datatype>{datatype}</datatype><precision>{precision}</precision>{optional}"
        f"<typesize>{typesize}</typesize><datacount>{datacount}</datacount></scidacRecord>"))


def ildg_format(dims, precision=64, field="su3gauge"):
    x, y, z, t = dims
    return ("ildg-format", nul(
        f"{DECLARATION}{ILDG_ROOT}<version>1.0</version><field>{field}</field><precision>{precision}</precision>"
        f"<lx>{x}</lx><ly>{y}</ly><lz>{z}</lz><lt>{t}</lt></ildgFormat>"))


def etmc_format(dims, precision=64, flavours=1):
    x, y, z, t = dims
    return ("etmc-propagator-format",
            f"{DECLARATION}\n<etmcFormat>\n  <field>diracFermion</field>\n  <precision>{precision}</precision>\n"
            f"  <flavours>{flavours}</flavours>\n  <lx>{x}</lx>\n  <ly>{y}</ly>\n  <lz>{z}</lz>\n  <lt>{t}</lt>\n"
            "</etmcFormat>")


def rotl(value, bits):
    return ((value << bits) | (value >> (32 - bits))) & 0xFFFFFFFF if bits else value


def scidac_sums(data, site_bytes, ranks=None):
    suma = sumb = 0
    for i in range(len(data) // site_bytes):
        rank = i if ranks is None else ranks[i]
        crc = zlib.crc32(data[i * site_bytes:(i + 1) * site_bytes])
        suma ^= rotl(crc, rank % 29)
        sumb ^= rotl(crc, rank % 31)
    return suma, sumb


def weighted_sums(data, site_bytes, ranks):
    """The sum of the CRCs, and of CRC times (rank + 1), both modulo 2^64."""
    crcs = [zlib.crc32(data[i * site_bytes:(i + 1) * site_bytes]) for i in range(len(ranks))]
    return sum(crcs) % 2**64, sum(crc * (rank + 1) for crc, rank in zip(crcs, ranks)) % 2**64


def checksum(sums, style="{:x}"):
    suma, sumb = (style.format(s) for s in sums)
    return ("scidac-checksum", nul(
        f"{DECLARATION}<scidacChecksum><version>1.0</version><suma>{suma}</suma><sumb>{sumb}</sumb></scidacChecksum>"))


def numbers(count, word, seed):
    """`count` big-endian numbers between -1 and 1, the same on every machine."""
    stream = random.Random(seed)
    return struct.pack(f">{count}{'f' if word == 4 else 'd'}", *(stream.uniform(-1, 1) for _ in range(count)))


def volume(dims):
    sites = 1
    for n in dims:
        sites *= n
    return sites
