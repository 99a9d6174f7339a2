# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A reader of sidecars with parity by their specification (docs/formats/parity.md), in numpy and plain Python alone: it
knows nothing of the library, and restores a file as the page says."""

import os
import struct
import zlib

import numpy

ENDING = 28


def _tables():
    power, exponent, value = [], {}, 1
    for i in range(255):
        power.append(value)
        exponent[value] = i
        value <<= 1
        if value & 0x100:
            value ^= 0x11D
    return power, exponent


POWER, EXPONENT = _tables()


def product(a, b):
    return 0 if a == 0 or b == 0 else POWER[(EXPONENT[a] + EXPONENT[b]) % 255]


def inverse(a):
    return POWER[-EXPONENT[a] % 255]


# PRODUCTS[a] maps bytes to their products with a.
PRODUCTS = numpy.array([[product(a, b) for b in range(256)] for a in range(256)], dtype=numpy.uint8)


def xxh64(data):
    """XXH64 with seed 0, from its specification."""
    p1, p2, p3, p4, p5 = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579,
                          2870177450012600261)
    mask = (1 << 64) - 1

    def rotated(x, n):
        return ((x << n) | (x >> (64 - n))) & mask

    def one(lane, word):
        return rotated((lane + word * p2) & mask, 31) * p1 & mask

    at, size = 0, len(data)
    if size >= 32:
        lanes = [(p1 + p2) & mask, p2, 0, -p1 & mask]
        words = struct.unpack_from(f"<{size // 32 * 4}Q", data)
        for i in range(0, len(words), 4):
            lanes = [one(lane, word) for lane, word in zip(lanes, words[i:i + 4])]
        at = size // 32 * 32
        total = sum(rotated(lane, n) for lane, n in zip(lanes, (1, 7, 12, 18))) & mask
        for lane in lanes:
            total = ((total ^ one(0, lane)) * p1 + p4) & mask
    else:
        total = p5
    total = (total + size) & mask
    while size - at >= 8:
        total = (rotated(total ^ one(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & mask
        at += 8
    if size - at >= 4:
        total = (rotated(total ^ (struct.unpack_from("<I", data, at)[0] * p1 & mask), 23) * p2 + p3) & mask
        at += 4
    for byte in data[at:]:
        total = rotated(total ^ (byte * p5 & mask), 11) * p1 & mask
    total = (total ^ (total >> 33)) * p2 & mask
    total = (total ^ (total >> 29)) * p3 & mask
    return total ^ (total >> 32)


def block_sum(data):
    return zlib.crc32(data), xxh64(bytes(data))


class Sidecar:
    def __init__(self, path):
        self.folder = os.path.dirname(path)
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.head = self._head(0)
        if self.head is None:
            end = self.bytes[-ENDING:]
            assert end[20:] == b"YTIRAPQL" and zlib.crc32(end[:16]) == struct.unpack("<I", end[16:20])[0]
            self.head = self._head(struct.unpack("<Q", end[:8])[0])

    def _head(self, at):
        if self.bytes[at:at + 8] != b"LQPARITY":
            return None
        version, size = struct.unpack_from("<II", self.bytes, at + 8)
        head = self.bytes[at:at + size]
        if version != 1 or zlib.crc32(head[:-4]) != struct.unpack("<I", head[-4:])[0]:
            return None
        (self.layout, self.block, self.columns, self.parities, self.rows, self.windows, self.window_blocks,
         count) = struct.unpack_from("<IIIIQQQQ", head, 16)
        self.files, place = [], 64
        for _ in range(count):
            size_, modified, first, column, zero, name_bytes, sums = struct.unpack_from("<QqQIIII", head, place)
            assert zero == 0
            name = head[place + 40:place + 40 + name_bytes].decode()
            place += 40 + name_bytes + 16 * sums
            self.files.append({"name": name, "bytes": size_, "modified": modified, "first": first, "column": column})
        assert place == len(head) - 4
        self.page_bytes = 12 + 12 * (self.columns + self.parities) * self.rows
        self.pages_at = size
        self.parity_begin = size + self.windows * self.page_bytes
        self.pages_again_at = self.parity_begin + self.windows * self.parities * self.rows * self.block
        return head

    def page(self, window):
        for begin in (self.pages_at, self.pages_again_at):
            page = self.bytes[begin + window * self.page_bytes:begin + (window + 1) * self.page_bytes]
            if len(page) == self.page_bytes and zlib.crc32(page[:-4]) == struct.unpack("<I", page[-4:])[0]:
                assert struct.unpack("<Q", page[:8])[0] == window
                sums = [struct.unpack_from("<IQ", page, 8 + 12 * i) for i in range((self.columns + self.parities) * self.rows)]
                return sums[:self.columns * self.rows], sums[self.columns * self.rows:]
        raise AssertionError("both copies of a page are damaged")

    def cells(self):
        """{(window, row, column): (file, block)} of all blocks."""
        found = {}
        for number, file in enumerate(self.files):
            for block in range(-(-file["bytes"] // self.block)):
                b = file["first"] + block
                if self.layout == 1:
                    n = b % self.window_blocks
                    cell = b // self.window_blocks, n % self.rows, n // self.rows
                else:
                    cell = b // self.rows, b % self.rows, file["column"]
                found[cell] = number, block
        return found

    def parity(self, window, j, row):
        begin = self.parity_begin + ((window * self.parities + j) * self.rows + row) * self.block
        return self.bytes[begin:begin + self.block]

    def restore(self, contents):
        """The files as they were; ``contents`` are the bytes of each as they are now, None of a lost one. None in the
        place of a file that does not come back."""
        cells = self.cells()
        blocks = {}
        for cell, (number, block) in cells.items():
            begin = block * self.block
            length = min(self.block, self.files[number]["bytes"] - begin)
            now = (contents[number] or b"")[begin:begin + length]
            blocks[cell] = now, length
        restored = [bytearray(file["bytes"]) for file in self.files]
        lost = set()
        for window in range(self.windows):
            sums, parity_sums = self.page(window)
            for row in range(self.rows):
                self._restore_row(window, row, sums, parity_sums, cells, blocks, restored, lost)
        return [None if number in lost else bytes(data) for number, data in enumerate(restored)]

    def _restore_row(self, window, row, sums, parity_sums, cells, blocks, restored, lost):
        good, bad = {}, []
        for column in range(self.columns):
            cell = window, row, column
            if cell not in cells:
                continue
            now, length = blocks[cell]
            if len(now) == length and block_sum(now) == sums[column * self.rows + row]:
                good[column] = now
            else:
                bad.append(column)
        for column, now in good.items():
            self._put(restored, cells[window, row, column], now)
        if not bad:
            return
        parities = [j for j in range(self.parities)
                    if block_sum(self.parity(window, j, row)) == parity_sums[j * self.rows + row]][:len(bad)]
        if len(parities) < len(bad):
            lost.update(cells[window, row, column][0] for column in bad)
            return
        equations = []
        for j in parities:
            left = numpy.frombuffer(self.parity(window, j, row), numpy.uint8).copy()
            for column, now in good.items():
                padded = numpy.frombuffer(now.ljust(self.block, b"\0"), numpy.uint8)
                left ^= PRODUCTS[inverse(j ^ (255 - column))][padded]
            equations.append(([inverse(j ^ (255 - column)) for column in bad], left))
        for i, solution in enumerate(self._solve(equations)):
            cell = window, row, bad[i]
            data = solution.tobytes()[:blocks[cell][1]]
            assert block_sum(data) == sums[bad[i] * self.rows + row], "a restored block has its sums"
            self._put(restored, cells[cell], data)

    @staticmethod
    def _solve(equations):
        """Elimination by Gauss over GF(2^8)."""
        rows = [(list(factors), right.copy()) for factors, right in equations]
        for i in range(len(rows)):
            pivot = next(k for k in range(i, len(rows)) if rows[k][0][i])
            rows[i], rows[pivot] = rows[pivot], rows[i]
            scale = inverse(rows[i][0][i])
            rows[i] = [product(scale, f) for f in rows[i][0]], PRODUCTS[scale][rows[i][1]]
            for k in range(len(rows)):
                factor = rows[k][0][i]
                if k != i and factor:
                    rows[k] = ([a ^ product(factor, b) for a, b in zip(rows[k][0], rows[i][0])],
                               rows[k][1] ^ PRODUCTS[factor][rows[i][1]])
        return [right for _, right in rows]

    def _put(self, restored, place, data):
        number, block = place
        restored[number][block * self.block:block * self.block + len(data)] = data
