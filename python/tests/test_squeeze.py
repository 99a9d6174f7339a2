# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Archives, and a second decoder of them, written from docs/formats/squeezed.md alone."""

import math
import struct
import zlib

import numpy as np
import pytest

import limequat as lq


class Bits:
    """Bits of a stream, the lowest of each byte first."""

    def __init__(self, data):
        self.number, self.at, self.size = int.from_bytes(data, "little"), 0, 8 * len(data)

    def take(self, count):
        assert self.at + count <= self.size
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
        raise AssertionError("no code")


class Tile:
    """The links of a tile; sections 4 and 5."""

    def __init__(self, data):
        self.way, self.reals, size, big = data[:4]
        assert self.way == 1 and self.reals in (18, 12)
        self.order = ">" if big else "<"
        self.word, self.real = ("Q", "d") if size == 8 else ("I", "f")
        self.bits, self.mantissa, self.half = (64, 52, 1022) if size == 8 else (32, 23, 126)
        self.crc = int.from_bytes(data[4:8], "big")
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
        assert at == len(data)

    def number(self, word):
        return struct.unpack("=" + self.real, struct.pack("=" + self.word, word))[0]

    def word_of(self, number):
        return struct.unpack("=" + self.word, struct.pack("=" + self.real, number))[0]

    def ordinal(self, word):
        signed = word - (1 << self.bits) if word >> (self.bits - 1) else word
        return signed if signed >= 0 else signed ^ ((1 << (self.bits - 1)) - 1)

    def from_ordinal(self, value):
        return (value if value >= 0 else value ^ ((1 << (self.bits - 1)) - 1)) % (1 << self.bits)

    def links(self, count):
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
        assert whole == len(self.streams[3])
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


def restored(archive):
    """The original file out of an archive; sections 2 and 3."""
    records, at = [], 0
    while at < len(archive):
        length, name = struct.unpack(">Q", archive[at + 8:at + 16])[0], archive[at + 16:at + 144].rstrip(b"\0")
        records.append((name, archive[at + 144:at + 144 + length]))
        at += 144 + length + -length % 8
    assert records[0][0] == b"limequat-squeezed" and records[-1][0] == b"limequat-squeezed-index"
    index = records[-1][1]
    assert zlib.crc32(index[:-4]) == int.from_bytes(index[-4:], "big")
    words = struct.unpack(f">{(len(index) - 4) // 8}Q", index[:-4])
    assert words[0] == 1
    at, original = 2, b""
    for _ in range(words[1]):
        length, place, crc, tile_bytes, numbers, tiles = words[at:at + 6]
        sizes, at = words[at + 6:at + 6 + tiles], at + 6 + tiles
        if tile_bytes == 0:
            original += archive[place:place + length]
            assert zlib.crc32(archive[place:place + length]) == crc
            continue
        end = len(original) + length
        for size in sizes:
            tile = Tile(archive[place:place + size])
            count = min(tile_bytes, end - len(original)) // ((numbers >> 16) * (numbers >> 8 & 255))
            links = tile.links(count)
            assert zlib.crc32(links) == tile.crc
            original += links
            place += size
        assert len(original) == end
    return original


@pytest.fixture(name="links")
def links_fixture():
    return lq.generate([4, 4, 4, 4], sweeps=2, hot_start=True)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_a_second_decoder_restores_the_original(tmp_path, links, precision):
    lq.write(tmp_path / "conf.ildg", links, precision=precision)
    original = (tmp_path / "conf.ildg").read_bytes()
    answer = lq.squeeze(tmp_path / "conf.ildg", tmp_path / "conf.sqz")
    assert answer["original_bytes"] == len(original)
    archive = (tmp_path / "conf.sqz").read_bytes()
    assert answer["archive_bytes"] == len(archive) < 0.5 * len(original)
    assert restored(archive) == original


def test_links_that_are_not_in_the_group_and_third_rows_that_are_missing(tmp_path, links):
    damaged = np.array(links)
    damaged.reshape(-1, 3, 3)[17] = 0
    damaged.reshape(-1, 3, 3)[400, 1, 1] += 0.25
    damaged.reshape(-1, 3, 3)[600, 2, 0] = float("nan")
    lq.write(tmp_path / "damaged.ildg", damaged)
    lq.squeeze(tmp_path / "damaged.ildg", tmp_path / "damaged.sqz")
    assert restored((tmp_path / "damaged.sqz").read_bytes()) == (tmp_path / "damaged.ildg").read_bytes()

    lq.write(tmp_path / "conf.nersc", links, layout="two-rows")
    answer = lq.squeeze(tmp_path / "conf.nersc", tmp_path / "conf.sqz")
    assert answer["format"] == "nersc"
    original = (tmp_path / "conf.nersc").read_bytes()
    assert restored((tmp_path / "conf.sqz").read_bytes()) == original
    assert len(original) < 1024 * 12 * 8 + 4096


def test_an_archive_is_read_like_its_original_and_restored(tmp_path, links):
    lq.write(tmp_path / "conf.ildg", links)
    lq.squeeze(tmp_path / "conf.ildg", tmp_path / "conf.sqz")
    assert np.array_equal(lq.read(tmp_path / "conf.sqz"), links)
    lq.unsqueeze(tmp_path / "conf.sqz", tmp_path / "back.ildg", verify="read_back")
    assert (tmp_path / "back.ildg").read_bytes() == (tmp_path / "conf.ildg").read_bytes()
    with pytest.raises(lq.Exists):
        lq.unsqueeze(tmp_path / "conf.sqz", tmp_path / "back.ildg")
    with pytest.raises(lq.Unsupported):
        lq.squeeze(tmp_path / "conf.sqz", tmp_path / "twice.sqz")
