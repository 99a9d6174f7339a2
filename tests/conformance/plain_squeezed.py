# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A naive reader of squeezed files in plain Python, written from docs/formats/squeezed.md alone; it shares no line with the
library, nor with what makes the conformance files.

    originals_of(archive) -> [(name, bytes)]: the file that was squeezed, or those of a set, in their order

Raises Damaged with a kind: truncated, malformed, checksum. Frames of zstd are read where their blocks are stored as they are
or repeat one byte, as those of the conformance files; others are Unreadable."""

import math
import re
import struct
import zlib

import plain_ildg


class Damaged(Exception):
    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Unreadable(Exception):
    pass


def require(condition, message, kind="malformed"):
    if not condition:
        raise Damaged(kind, message)


class Bits:
    """Bits of a stream, the lowest of each byte first."""

    def __init__(self, data):
        self.number, self.at, self.size = int.from_bytes(data, "little"), 0, 8 * len(data)

    def take(self, count):
        require(self.at + count <= self.size, "a stream is too short")
        value = (self.number >> self.at) & ((1 << count) - 1)
        self.at += count
        return value


class Code:
    """A canonical prefix code; section 5.3."""

    def __init__(self, lengths):
        self.symbols, code = {}, 0
        for length in range(1, 12):
            for symbol in sorted(lengths):
                if lengths[symbol] == length:
                    self.symbols[length, code] = symbol
                    code += 1
            code <<= 1

    def read(self, bits):
        code = 0
        for length in range(1, 12):
            code = 2 * code + bits.take(1)
            if (length, code) in self.symbols:
                return self.symbols[length, code]
        raise Damaged("malformed", "bits that are no code")


class Links:
    """The links of a tile; section 5."""

    def __init__(self, data):
        _, self.reals, size, big = data[:4]
        require(self.reals in (18, 12), f"links of {self.reals} reals")
        self.order = ">" if big else "<"
        self.word, self.real = ("Q", "d") if size == 8 else ("I", "f")
        self.bits, self.mantissa, self.half = (64, 52, 1022) if size == 8 else (32, 23, 126)
        self.most = data[8:11]
        lengths = struct.unpack(">4Q", data[12:44])
        at, self.codes = 44, []
        for _ in range(6):
            used = [s for s in range(256) if data[at + s // 8] >> (s % 8) & 1]
            nibbles = Bits(data[at + 32:at + 32 + (len(used) + 1) // 2])
            self.codes.append(Code({symbol: nibbles.take(4) for symbol in used}))
            at += 32 + (len(used) + 1) // 2
        self.streams = []
        for length in lengths:
            self.streams.append(data[at:at + length])
            at += length
        require(at == len(data), "the streams are longer or shorter than the tile")

    def number(self, word):
        return struct.unpack("=" + self.real, struct.pack("=" + self.word, word))[0]

    def word_of(self, number):
        return struct.unpack("=" + self.word, struct.pack("=" + self.real, number))[0]

    def ordinal(self, word):
        signed = word - (1 << self.bits) if word >> (self.bits - 1) else word
        return signed if signed >= 0 else signed ^ ((1 << (self.bits - 1)) - 1)

    def from_ordinal(self, value):
        return (value if value >= 0 else value ^ ((1 << (self.bits - 1)) - 1)) % (1 << self.bits)

    def numbers_of(self, count):
        symbols, kept, self.low, whole = Bits(self.streams[0]), Bits(self.streams[1]), Bits(self.streams[2]), 0
        result = []
        for begin in range(0, count, 64):
            batch = []
            for _ in range(min(64, count - begin)):
                choice = self.codes[0].read(symbols)
                if choice == 96:
                    batch.append(None)
                    continue
                pairs = [self.codes[k].read(symbols) for k in (1, 1, 2, 2, 3, 4) + ((5, 5, 5) if self.reals == 18 else ())]
                nibbles = [n for pair in pairs for n in (pair & 15, pair >> 4)]
                batch.append({"choice": choice, "exponents": nibbles[:8], "residuals": nibbles[8:],
                              "kept": [kept.take(self.mantissa + 1) for _ in range(8)]})
            there = [link for link in batch if link]
            for link in there:
                link["kept"] = [self.kept(bits, n) for bits, n in zip(link["kept"], link["exponents"])]
                link["steps"] = self.rebuild(link)
                link["predicted"] = next(link["steps"])
            for k in range(10 if self.reals == 18 else 4):
                for link in there:
                    exact = self.correct(link["predicted"], link["residuals"][k], 0 if k < 2 else 1 if k < 4 else 2)
                    try:
                        link["predicted"] = link["steps"].send(exact)
                    except StopIteration as end:
                        link["numbers"] = end.value
            for link in batch:
                if link:
                    result.append(struct.pack(self.order + str(self.reals) + self.real, *link["numbers"]))
                else:
                    size = self.reals * self.bits // 8
                    result.append(self.streams[3][whole:whole + size])
                    whole += size
        require(whole == len(self.streams[3]), "links are left over")
        return b"".join(result)

    def kept(self, bits, steps):
        exponent = self.low.take(11 if self.bits == 64 else 8) if steps == 15 else self.half - steps
        sign, mantissa = bits >> self.mantissa, bits & ((1 << self.mantissa) - 1)
        return self.number(sign << (self.bits - 1) | exponent << self.mantissa | mantissa)

    def correct(self, predicted, symbol, group):
        word = self.word_of(predicted)
        exponent = (word >> self.mantissa) & ((1 << (self.bits - 1 - self.mantissa)) - 1)
        count = min(max(self.half - exponent, 0), 24, self.most[group])
        low = self.low.take(count)
        if symbol == 15:
            symbol = self.low.take(self.low.take(6))
        above = -(symbol + 1) // 2 if symbol % 2 else symbol // 2
        return self.number(self.from_ordinal(self.ordinal(word) + above * 2**count + low))

    @staticmethod
    def rebuild(link):
        """Yields predictions, is sent the exact numbers; section 5.1."""
        choice, p = link["choice"], link["kept"]
        i, d, s, r = choice // 16, choice // 4 % 4, -1 if choice & 2 else 1, -1 if choice & 1 else 1
        rest = 1 - (((p[0] * p[0] + p[1] * p[1]) + p[2] * p[2]) + (p[3] * p[3] + p[4] * p[4]))
        x = yield s * math.sqrt(rest if rest > 0 else 0.0)
        a = p[:5]
        a.insert(i, x)
        norms = [a[2 * c] * a[2 * c] + a[2 * c + 1] * a[2 * c + 1] for c in range(3)]
        k = 1 if norms[1] > norms[0] else 0
        k = 2 if norms[2] > norms[k] else k
        left, right = [c for c in range(3) if c != k]
        m, o = (left, right) if d < 2 else (right, left)
        y, ro, io = p[5:]
        rk, ik, rm, im, rao, iao = a[2 * k], a[2 * k + 1], a[2 * m], a[2 * m + 1], a[2 * o], a[2 * o + 1]
        pivot, mine = rk * rk + ik * ik, rm * rm + im * im
        qr, qi = rao * ro + iao * io, rao * io - iao * ro
        gr, gi = rm * qr - im * qi, rm * qi + im * qr
        gx, gy = (gi, gr) if d & 1 else (gr, gi)
        big = mine + pivot
        c = ((big * y) * y + (2 * gy) * y) + ((qr * qr + qi * qi) + pivot * ((ro * ro + io * io) - 1))
        inside = gx * gx - big * c
        x = yield (r * math.sqrt(inside if inside > 0 else 0.0) - gx) / big
        rb, ib = (y, x) if d & 1 else (x, y)
        sr = (rm * rb + im * ib) + (rao * ro + iao * io)
        si = (rm * ib - im * rb) + (rao * io - iao * ro)
        b = [0.0] * 6
        b[2 * m:2 * m + 2], b[2 * o:2 * o + 2] = [rb, ib], [ro, io]
        predicted = (si * ik - sr * rk) / pivot, -(sr * ik + si * rk) / pivot
        b[2 * k] = yield predicted[0]
        b[2 * k + 1] = yield predicted[1]
        numbers = a + b
        if len(link["residuals"]) == 10:
            for j in range(3):
                u, v = 2 * ((j + 1) % 3), 2 * ((j + 2) % 3)
                numbers.append((yield (a[u] * b[v] - a[u + 1] * b[v + 1]) - (a[v] * b[u] - a[v + 1] * b[u + 1])))
                numbers.append((yield -((a[u] * b[v + 1] + a[u + 1] * b[v]) - (a[v] * b[u + 1] + a[v + 1] * b[u]))))
        return numbers


def unshuffled(frame, size):
    """Section 4: the first bytes of all numbers, then the second ones, out of a frame of zstd."""
    magic, descriptor = struct.unpack_from("<IB", frame)
    require(magic == 0xFD2FB528, "no frame of zstd")
    if descriptor & 0x1F:
        raise Unreadable("a frame with a sum or a dictionary")
    content = {0: 1 if descriptor & 0x20 else 0, 1: 2, 2: 4, 3: 8}[descriptor >> 6]
    at, last, planes = 5 + (0 if descriptor & 0x20 else 1) + content, 0, b""
    while not last:
        head = int.from_bytes(frame[at:at + 3], "little")
        last, kind, length = head & 1, head >> 1 & 3, head >> 3
        if kind > 1:
            raise Unreadable("a block that is compressed")
        planes += frame[at + 3:at + 3 + length] if kind == 0 else frame[at + 3:at + 4] * length
        at += 3 + (length if kind == 0 else 1)
    count = len(planes) // size
    return bytes(planes[byte * count + k] for k in range(count) for byte in range(size))


def tile_of(data, length):
    """Section 4: the bytes of the original in a tile."""
    way, reals, size = data[:3]
    require(way in (0, 1, 2), f"a tile in the way {way}")
    if way == 1:
        original = Links(data).numbers_of(length // (reals * size))
    else:
        original = data[8:] if way == 0 else unshuffled(data[8:], size)
    require(len(original) == length, f"a tile gives {len(original)} bytes")
    require(zlib.crc32(original) == int.from_bytes(data[4:8], "big"), "a tile with another CRC-32", "checksum")
    return original


def segment_of(archive, fields, sizes):
    """Section 3.3: the bytes of a segment."""
    length, place, crc, tile_bytes, _, _ = fields
    end = place + (sum(sizes) if tile_bytes else length)
    require(end <= len(archive), "a segment beyond the end of the archive", "truncated")
    if tile_bytes == 0:
        require(zlib.crc32(archive[place:end]) == crc, "verbatim bytes with another CRC-32", "checksum")
        return archive[place:end]
    original = b""
    for size in sizes:
        original += tile_of(archive[place:place + size], min(tile_bytes, length - len(original)))
        place += size
    require(len(original) == length, "more or fewer bytes in tiles than the segment has")
    return original


def segments_of(archive, index):
    require(zlib.crc32(index[:-4]) == int.from_bytes(index[-4:], "big"), "the index has another CRC-32")
    words = struct.unpack(f">{(len(index) - 4) // 8}Q", index[:-4])
    require(words[0] == 1, f"version {words[0]} of the index")
    at, segments = 2, []
    for _ in range(words[1]):
        tiles = words[at + 5]
        segments.append(segment_of(archive, words[at:at + 6], words[at + 6:at + 6 + tiles]))
        at += 6 + tiles
    require(at == len(words), "the index is longer than its segments")
    return segments


def originals_of(archive):
    try:
        records, _ = plain_ildg.records_of(archive)
    except ValueError as error:
        raise Damaged("truncated", str(error)) from error
    require(records[0]["type"] == "limequat-squeezed", "no archive")
    require(records[-1]["type"] == "limequat-squeezed-index", "there is no index", "truncated")
    head = plain_ildg.children_of(archive, records[0])
    last = records[-1]
    segments = segments_of(archive, archive[last["offset"]:last["offset"] + last["data_length"]])
    original = b"".join(segments)
    require(len(original) == int(head["bytes"]), f"segments of {len(original)} bytes, the original has {head['bytes']}")
    if head["version"] == "1":
        return [(head["name"], original)]
    files = [line.split(" ") for line in head["files"].splitlines()]
    require(head["version"] == "2" and all(re.fullmatch(r"[^\s/]+", end) for _, end in files), "the files of the set")
    require(len({end for _, end in files}) == len(files), "two files with one name")
    require(sum(int(size) for size, _ in files) == len(original), "files together longer or shorter than the original")
    begins, found, at = set(), [], 0
    for segment in segments:
        begins.add(at)
        at += len(segment)
    at = 0
    for size, end in files:
        require(at in begins, "a segment goes beyond the end of its file")
        found.append((head["name"] + end, original[at:at + int(size)]))
        at += int(size)
    return found
