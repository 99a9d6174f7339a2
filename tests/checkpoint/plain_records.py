#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads multifiles as docs/formats/sion.md and sion-records.md lay them out, without the library, and compares streams
with the formula of write_sets.cpp.

plain_records.py PROGRAM_THAT_WRITES_THEM
"""

import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib


def content(task, size):
    return bytes((31 * i + 57 * task + 7 * (i // 256)) % 256 for i in range(size))


def record(data, magic):
    """The fields behind the generation, and the generation; None unless it is a whole record."""
    if len(data) < 64 or data[:4] != magic or zlib.crc32(data[:60]) != struct.unpack_from("<I", data, 60)[0]:
        return None
    version, compression, checksums = struct.unpack_from("<HBB", data, 4)
    assert (version, compression) == (1, 0), (version, compression)
    return data[8:24], checksums, data


class Physical:
    """One physical file."""

    def __init__(self, path, closed=True):
        self.data = data = path.read_bytes()
        assert data[:8] == b"sion\0\0\0\0"
        self.version, self.block, self.tasks, self.files, self.number = struct.unpack_from("<5i", data, 16)
        assert self.version == 5
        self.ranks = struct.unpack_from(f"<{self.tasks}q", data, 1076)
        self.widths = struct.unpack_from(f"<{self.tasks}q", data, 1076 + 8 * self.tasks)
        head = 1088 + 16 * self.tasks
        self.blocks, self.mb2 = struct.unpack_from("<iq", data, head - 12)
        start = -(-head // self.block) * self.block
        assert start - head >= 64, "no room for the set record"
        assert all(width % self.block == 0 for width in self.widths), "chunks are not aligned"
        self.starts = [start + sum(self.widths[:task]) for task in range(self.tasks)]
        self.skip = sum(self.widths)
        self.generation, self.checked, fields = record(data[head:head + 64], b"LQms")
        number, tasks, tables, kept = struct.unpack_from("<4I", fields, 24)
        assert (number, tasks, kept) == (self.number, self.tasks, 128)
        assert tables == zlib.crc32(data[1076:1076 + 16 * self.tasks])
        assert closed == (self.mb2 != 0)
        if closed:
            self.read_table(start)

    def read_table(self, start):
        assert self.mb2 == start + self.blocks * self.skip
        counts = struct.unpack_from(f"<{self.tasks}q", self.data, self.mb2)
        assert max(counts) == self.blocks and min(counts) >= 1
        self.used = []
        for task in range(self.tasks):
            column = [struct.unpack_from("<q", self.data, self.mb2 + 8 * (self.tasks * (1 + k) + task))[0]
                      for k in range(counts[task])]
            self.used.append(column)
        end = self.mb2 + 8 * self.tasks * (1 + self.blocks)
        self.map = None
        if self.number == 0 and self.files > 1:
            size, = struct.unpack_from("<i", self.data, end)
            self.map = [struct.unpack_from("<2i", self.data, end + 4 + 8 * i) for i in range(size)]
            end += 4 + 8 * size
        generation, _, fields = record(self.data[end:end + 64], b"LQmt")
        number, tasks, table_bytes, table, _, self.fields = struct.unpack_from("<IIQ3I", fields, 24)
        assert generation == self.generation
        assert (number, tasks, table_bytes) == (self.number, self.tasks, end - self.mb2)
        assert table == zlib.crc32(self.data[self.mb2:end])
        assert len(self.data) == end + 64

    def stream(self, task):
        """The bytes of a task, every chunk held against its newest record."""
        joined = b""
        for k, used in enumerate(self.used[task]):
            begin = self.starts[task] + k * self.skip
            chunk = self.data[begin:begin + used]
            assert len(chunk) == used <= self.widths[task] - 128
            if used:
                generation, checked, fields = self.newest(begin + self.widths[task] - 128)
                file, local, number, checksum, recorded, position, raw = struct.unpack_from("<4I2QI", fields, 24)
                assert (generation, checked) == (self.generation, 1)
                assert (file, local, number) == (self.number, task, k)
                assert (recorded, position, raw) == (used, len(joined), 0)
                assert checksum == zlib.crc32(chunk)
            joined += chunk
        return joined

    def newest(self, place):
        found = [record(self.data[at:at + 64], b"LQck") for at in (place, place + 64)]
        return max((one for one in found if one), key=lambda one: struct.unpack_from("<Q", one[2], 40)[0])


def check(path, sizes):
    first = Physical(path)
    files = [first] + [Physical(path.with_name(f"{path.name}.{k:06d}")) for k in range(1, first.files)]
    places = first.map or [(0, task) for task in range(first.tasks)]
    assert len(places) == len(sizes) == sum(file.tasks for file in files)
    assert len({file.generation for file in files}) == 1
    for task, (file, local) in enumerate(places):
        assert files[file].ranks[local] == task
        assert files[file].stream(local) == content(task, sizes[task]), f"{path.name}: task {task}"


def lime_records(data):
    """Type and bytes of each record of a LIME file."""
    at = 0
    while at < len(data):
        magic, _, _, size = struct.unpack_from(">IHHQ", data, at)
        assert magic == 0x456789AB
        yield data[at + 16:at + 144].rstrip(b"\0").decode(), data[at + 144:at + 144 + size]
        at += 144 + (size + 7) // 8 * 8
    assert at == len(data)


def check_fields(path, names):
    """The notes of NAME.fields are of the generation of the set, whose tail record knows their number."""
    data = path.with_name(path.name + ".fields").read_bytes()
    notes = [text.decode().splitlines() for kind, text in lime_records(data) if kind == "limequat-checkpoint"]
    generation = Physical(path).generation.hex()
    assert [note[1] for note in notes] == [f"generation = {generation}"] * len(names), notes
    assert [note[5] for note in notes] == [f"name = {name}" for name in names], notes
    payloads = [text for kind, text in lime_records(data) if kind == "scidac-binary-data"]
    assert payloads == [struct.pack(">12d", *[0.25] * 12)] * len(names)
    assert Physical(path).fields == len(names)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.argv[1], name], check=True)
        check(folder / "closed.sion", [0, 5000, 10000, 15000])
        check(folder / "grown.sion", [0, 10000, 10000, 15000, 20000])
        check(folder / "parted.sion", [10 * task for task in range(189)])
        assert [Physical(folder / f"parted.sion.{k:06}").tasks for k in (1, 2)] == [184, 4]
        check(folder / "anew.sion", [0, 10000, 10000, 15000, 20000])
        assert Physical(folder / "anew.sion").files == Physical(folder / "anew.sion").blocks == 1
        for name in ("grown.sion", "anew.sion"):
            check_fields(folder / name, ["one", "another"])
        part, = folder.glob(".left.sion.*")
        unclosed = Physical(part, closed=False)
        assert part.name == f".left.sion.{unclosed.generation[:4].hex()}"


main()
