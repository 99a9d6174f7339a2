# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The file of layout.c, byte by byte: every record against the layout of the specification, computed here.
"""usage: layout_test.py COMMAND...  (which is given a file name)"""
import itertools
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

EXTENT = 8


def payload(mapping):
    """Sites in the order of the file, its slowest dimension first; a site is its coordinates."""
    sites = bytearray()
    for place in itertools.product(range(EXTENT), repeat=4):
        site = [0] * 4
        for dimension, x in zip(mapping, place):
            site[dimension] = x
        sites += bytes(site)
    return bytes(sites)


def records(data):
    """Types and payloads."""
    at = 0
    while at < len(data):
        magic, version, flags, reserved, length, kind = struct.unpack_from(">IHBBQ128s", data, at)
        assert (magic, version, flags, reserved) == (0x456789AB, 1, 0xC0, 0), f"header at {at}"
        at += 144
        yield kind.rstrip(b"\0").decode(), data[at:at + length]
        at += length + -length % 8
    assert at == len(data), "the file ends with its last record"


def main():
    expected = {mapping: payload(mapping) for mapping in itertools.permutations(range(4))}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "layout.lime"
        subprocess.run(sys.argv[1:] + [str(path)], check=True, timeout=280)
        seen = set()
        for kind, data in records(path.read_bytes()):
            mapping, grid = re.fullmatch(r"(\d{4}) of (\d+x\d+x\d+x\d+)", kind).groups()
            assert data == expected[tuple(map(int, mapping))], kind
            seen.add((mapping, grid))
    grids = {grid for _, grid in seen}
    assert len(seen) == 24 * len(grids), "every mapping on every grid"
    print(len(grids), "grids,", len(seen), "records, as the format says")


main()
