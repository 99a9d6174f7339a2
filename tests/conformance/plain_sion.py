#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Reads a multifile by docs/formats/sion.md and nothing else, and compares its logical files with the formula of
# tests/golden/good/sion/README.md. Exits 1 and says what is wrong.
"""usage: plain_sion.py FILE SEED BYTES_OF_TASK_0 BYTES_OF_TASK_1 ..."""
import struct
import sys


def require(holds, what):
    if not holds:
        sys.exit(what)


class Physical:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        require(self.data[:4] == b"sion", f"{path}: magic")
        require(self.data[4] == self.data[7] and self.data[5] == self.data[6], f"{path}: byte order")
        self.order = ">" if self.data[4] else "<"
        self.version, self.block, tasks, self.files, self.number = self.numbers("i", 16, 5)
        require(self.version == 5 and self.block >= 1 and tasks >= 1, f"{path}: header")
        require(self.number < self.files or (self.files, self.number) == (1, 1), f"{path}: file number")
        self.ranks = self.numbers("q", 1076, tasks)
        widths = self.numbers("q", 1076 + 8 * tasks, tasks)
        (blocks,), (tail,) = self.numbers("i", 1076 + 16 * tasks, 1), self.numbers("q", 1080 + 16 * tasks, 1)
        start = -(-(1088 + 16 * tasks) // self.block) * self.block
        skip = sum(widths)
        require(tail == start + blocks * skip, f"{path}: offset of metadata block 2")
        counts = self.numbers("q", tail, tasks)
        require(max(counts) == blocks and min(counts) >= 1, f"{path}: counts")
        self.streams = []
        for task in range(tasks):
            stream = b""
            for chunk in range(counts[task]):
                (used,) = self.numbers("q", tail + 8 * tasks * (1 + chunk) + 8 * task, 1)
                require(0 <= used <= widths[task], f"{path}: used")
                at = start + sum(widths[:task]) + chunk * skip
                stream += self.data[at:at + used]
            self.streams.append(stream)
        self.end = tail + 8 * tasks * (1 + blocks)

    def numbers(self, kind, offset, count):
        return struct.unpack_from(f"{self.order}{count}{kind}", self.data, offset)


def streams_of(path):
    first = Physical(path)
    if first.files == 1:
        return first.streams
    files = [first] + [Physical(f"{path}.{k:06}") for k in range(1, first.files)]
    require([file.number for file in files] == list(range(first.files)), "file numbers")
    (size,) = first.numbers("i", first.end, 1)
    places = first.numbers("i", first.end + 4, 2 * size)
    tasks = list(zip(places[0::2], places[1::2]))
    require([files[f].ranks[t] for f, t in tasks] == list(range(size)), "map")
    return [files[f].streams[t] for f, t in tasks]


def formula(seed, rank, size):
    return bytes((31 * i + 57 * rank + 7 * (i // 256) + 13 * seed) & 255 for i in range(size))


def main():
    path, seed, sizes = sys.argv[1], int(sys.argv[2]), [int(size) for size in sys.argv[3:]]
    streams = streams_of(path)
    require([len(stream) for stream in streams] == sizes, f"sizes {[len(stream) for stream in streams]}")
    for rank, stream in enumerate(streams):
        require(stream == formula(seed, rank, sizes[rank]), f"task {rank} differs")


if __name__ == "__main__":
    main()
