# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""tile(...), tile_by_column(...): links of SU(3) as a tile of a squeezed file, in plain Python by docs/formats/squeezed.md 4 and 5; plainly, with
codes that are no shorter for what is frequent."""

import math
import struct
import zlib

RAW = 96
BATCH = 64
MOST = 24  # low bits at most, of all groups


class Stream:
    """Bits, each byte filled from its lowest one on."""

    def __init__(self):
        self.value, self.size = 0, 0

    def put(self, value, count):
        self.value |= value << self.size
        self.size += count

    def bytes(self):
        return self.value.to_bytes((self.size + 7) // 8, "little")


class Words:
    """Numbers of one precision as integers."""

    def __init__(self, size):
        self.size = size
        self.kinds = ("<Q", "<d") if size == 8 else ("<I", "<f")
        self.mantissa, self.half, self.exponent = (52, 1022, 11) if size == 8 else (23, 126, 8)

    def word(self, number):
        return struct.unpack(self.kinds[0], struct.pack(self.kinds[1], number))[0]

    def rank(self, number):
        """The ordinal: it grows by one from each number to the next one."""
        word, sign = self.word(number), 1 << (8 * self.size - 1)
        return word if word < sign else -(word - sign) - 1

    def field(self, number):
        return self.word(number) >> self.mantissa & ((1 << self.exponent) - 1)


def root_of(x):
    return math.sqrt(x) if x > 0 else 0.0


def column(row, c):
    return row[2 * c], row[2 * c + 1]


def second_row(a, b):
    """The choice d and r, what is kept of b, and the prediction of what is dropped; with k."""
    squares = [re * re + im * im for re, im in (column(a, c) for c in range(3))]
    k = 1 if squares[1] > squares[0] else 0
    k = 2 if squares[2] > squares[k] else k
    left, right = (c for c in range(3) if c != k)
    candidates = [*column(b, left), *column(b, right)]
    d = max(range(4), key=lambda n: abs(candidates[n]))
    m, o = (left, right) if d < 2 else (right, left)
    dropped, y = column(b, m)[::-1] if d % 2 else column(b, m)
    (am, iam), (ao, iao), (bo, ibo) = column(a, m), column(a, o), column(b, o)
    p, qr, qi = squares[k], ao * bo + iao * ibo, ao * ibo - iao * bo
    g = am * qr - iam * qi, am * qi + iam * qr
    gx, gy = g if d % 2 == 0 else g[::-1]
    whole = squares[m] + p
    c = ((whole * y) * y + (2 * gy) * y) + ((qr * qr + qi * qi) + p * ((bo * bo + ibo * ibo) - 1))
    root = root_of(gx * gx - whole * c)
    guesses = {sign: (sign * root - gx) / whole for sign in (1, -1)}
    sign = min(guesses, key=lambda s: abs(guesses[s] - dropped))
    return d, sign, [y, bo, ibo], (dropped, guesses[sign]), (k, m, o)


def rest_of_second(a, b, k, m, o):
    (ak, iak), (am, iam), (ao, iao) = column(a, k), column(a, m), column(a, o)
    (bm, ibm), (bo, ibo) = column(b, m), column(b, o)
    p = ak * ak + iak * iak
    sr = (am * bm + iam * ibm) + (ao * bo + iao * ibo)
    si = (am * ibm - iam * bm) + (ao * ibo - iao * bo)
    return (si * iak - sr * ak) / p, -(sr * iak + si * ak) / p


def third_row(a, b):
    row = []
    for j in range(3):
        (au, iau), (av, iav) = (column(a, (j + n) % 3) for n in (1, 2))
        (bu, ibu), (bv, ibv) = (column(b, (j + n) % 3) for n in (1, 2))
        row += [(au * bv - iau * ibv) - (av * bu - iav * ibu), -((au * ibv + iau * bv) - (av * ibu + iav * bu))]
    return row


class Link:
    """The choice of a link, the numbers that are kept, and (exact, predicted) of the others."""

    def __init__(self, numbers):
        a, b = numbers[:6], numbers[6:12]
        i = max(range(6), key=lambda n: abs(a[n]))
        p = a[:i] + a[i + 1:]
        first = root_of(1 - (((p[0] * p[0] + p[1] * p[1]) + p[2] * p[2]) + (p[3] * p[3] + p[4] * p[4])))
        d, sign, others, second, columns = second_row(a, b)
        self.choice = ((4 * i + d) * 2 + (a[i] < 0)) * 2 + (sign < 0)
        self.kept = p + others
        pairs = [(a[i], -first if a[i] < 0 else first), second]
        pairs += zip(column(b, columns[0]), rest_of_second(a, b, *columns))
        self.pairs = pairs + list(zip(numbers[12:], third_row(a, b)))


class Coded:
    """A link as symbols and bits: `exponents` of kept numbers, and for each residual its low bits and what is above them."""

    def __init__(self, link, words):
        steps = [words.half - words.field(number) for number in link.kept]
        self.exponents = [(step, None) if 0 <= step < 15 else (15, words.half - step) for step in steps]
        self.kept = [(words.word(n) & ((1 << words.mantissa) - 1)) | (words.word(n) >> (8 * words.size - 1)) << words.mantissa
                     for n in link.kept]
        self.residuals = [self.residual(words, *pair) for pair in link.pairs]
        halves = [symbol for symbol, _ in self.exponents] + [min(above, 15) for _, _, above in self.residuals]
        bytes_ = [low + 16 * high for low, high in zip(halves[::2], halves[1::2])]
        self.symbols = [(0, link.choice), *zip((1, 1, 2, 2, 3, 4, 5, 5, 5), bytes_)]

    @staticmethod
    def residual(words, exact, predicted):
        predicted = struct.unpack(words.kinds[1], struct.pack(words.kinds[1], predicted))[0]
        count = min(max(words.half - words.field(predicted), 0), MOST)
        wrong = words.rank(exact) - words.rank(predicted)
        above = wrong >> count
        return count, wrong & ((1 << count) - 1), 2 * above if above >= 0 else -2 * above - 1


def code_of(used):
    """Symbol: (length, bits with the first one lowest); lengths differ by one at most and leave nothing unused."""
    used = sorted(used)
    if not used:
        return {}
    short = len(used).bit_length() - 1
    number_of_short = (2 << short) - len(used)
    code, result = 0, {}
    for place, symbol in enumerate(used):
        length = short if place < number_of_short else short + 1
        if place == number_of_short:
            code *= 2
        if len(used) == 1:
            length = 1
        result[symbol] = length, int(f"{code:0{length}b}"[::-1], 2)
        code += 1
    return result


def lengths_of(code):
    occurring, lengths = Stream(), Stream()
    for symbol in range(256):
        occurring.put(symbol in code, 1)
    for symbol in sorted(code):
        lengths.put(code[symbol][0], 4)
    return occurring.bytes() + lengths.bytes()


def put_batch(low, batch, words):
    for link in batch:
        for _, field in link.exponents:
            if field is not None:
                low.put(field, words.exponent)
    for residuals in zip(*(link.residuals for link in batch)):
        for count, bits, above in residuals:
            low.put(bits, count)
            if above >= 15:
                low.put(above.bit_length(), 6)
                low.put(above, above.bit_length())


def prepared(data, reals, size, big_endian, raw):
    """The links of a tile, coded; None for those that are stored as they are."""
    words, link_bytes, sign = Words(size), reals * size, ">" if big_endian else "<"
    links = [struct.unpack(f"{sign}{reals}{'d' if size == 8 else 'f'}", data[at:at + link_bytes])
             for at in range(0, len(data), link_bytes)]
    return words, [None if n in raw else Coded(Link(list(numbers)), words) for n, numbers in enumerate(links)]


def whole_links(data, link_bytes, raw):
    return b"".join(data[n * link_bytes:(n + 1) * link_bytes] for n in sorted(raw))


def head_of(way, data, reals, size, big_endian):
    return struct.pack(">4BI", way, reals, size, big_endian, zlib.crc32(data)) + bytes([MOST] * 3 + [0])


def tile(data, reals, size, big_endian, raw=()):
    """The tile of these links, those of each link contiguous (way 1); links whose numbers are in `raw` as they are."""
    words, coded = prepared(data, reals, size, big_endian, raw)
    chosen = [[(0, RAW)] if link is None else link.symbols for link in coded]
    codes = [code_of({symbol for link in chosen for code, symbol in link if code == k}) for k in range(6)]
    symbols, kept, low = Stream(), Stream(), Stream()
    for link in chosen:
        for code, symbol in link:
            length, bits = codes[code][symbol]
            symbols.put(bits, length)
    for link in filter(None, coded):
        for number in link.kept:
            kept.put(number, words.mantissa + 1)
    for at in range(0, len(coded), BATCH):
        put_batch(low, [link for link in coded[at:at + BATCH] if link], words)
    streams = [symbols.bytes(), kept.bytes(), low.bytes(), whole_links(data, reals * size, raw)]
    return (head_of(1, data, reals, size, big_endian) + struct.pack(">4Q", *map(len, streams))
            + b"".join(map(lengths_of, codes)) + b"".join(streams))


def runs_of(symbols, code):
    """Four streams, of equally many symbols each, rounded up; empty if there is only one symbol."""
    if len(code) == 1:
        yield from [b""] * 4
        return
    each = -(-len(symbols) // 4)
    for run in range(4):
        stream = Stream()
        for symbol in symbols[run * each:(run + 1) * each]:
            length, bits = code[symbol]
            stream.put(bits, length)
        yield stream.bytes()


def tile_by_column(data, reals, size, big_endian, raw=()):
    """The same in columns (way 3)."""
    words, coded = prepared(data, reals, size, big_endian, raw)
    links = [link for link in coded if link]
    symbols = [[RAW if link is None else link.symbols[0][1] for link in coded], [], [], [], [], []]
    for place in range(1, 10 if reals == 18 else 7):
        kind = (0, 1, 1, 2, 2, 3, 4, 5, 5, 5)[place]
        symbols[kind] += [link.symbols[place][1] for link in links]
    codes = [code_of(set(used)) for used in symbols]
    kept, low = Stream(), Stream()
    for at in range(0, len(links), 8):
        for number in range(8):
            for link in links[at:at + 8]:
                kept.put(link.kept[number], words.mantissa + 1)
    for at in range(0, len(links), BATCH):
        put_batch(low, links[at:at + BATCH], words)
    streams = [stream for used, code in zip(symbols, codes) for stream in runs_of(used, code)]
    streams += [kept.bytes(), low.bytes(), whole_links(data, reals * size, raw)]
    return (head_of(3, data, reals, size, big_endian) + struct.pack(">27I", *map(len, streams))
            + b"".join(map(lengths_of, codes)) + b"".join(streams))
