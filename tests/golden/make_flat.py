#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""usage: make_flat.py [--check]

Writes good/FORMAT and bad/FORMAT for the formats whose files are a header and the numbers of one field, from their
pages in docs/formats and nothing else, with what a reader must find beside each file in NAME.expect:
  format NAME                    what the file is recognised as
  field NAME KIND LATTICE NUMBERS PRECISION
  sum TEXT                       the sums that the header states
  status ok|absent|mismatch      of these
  plaquette X                    stated, as an average of Re tr / N
  measured X                     of the links
  number X,Y,Z,T K VALUE         number K of a site in the order of memory
  text NAME TEXT                 a text of the field begins so
  rule NAME                      a finding of verify
  code NAME, message TEXT        bad files: how reading ends
"""
import itertools
import math
import pathlib
import random
import struct
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
LATTICE = (2, 4, 2, 2)  # x, y, z, t
SITES = [(x, y, z, t) for t in range(2) for z in range(2) for y in range(4) for x in range(2)]  # x fastest
LATTICE_TEXT = "x".join(map(str, LATTICE))


def product(a, b):
    n = len(a)
    return [[sum(a[i][k] * b[k][j] for k in range(n)) for j in range(n)] for i in range(n)]


def special_unitary(n, rng):
    """Rows made orthonormal one after the other, the last one for the determinant."""
    rows = []
    for _ in range(n):
        row = [complex(rng.random() - 0.5, rng.random() - 0.5) for _ in range(n)]
        for other in rows:
            overlap = sum(r * o.conjugate() for r, o in zip(row, other))
            row = [r - overlap * o for r, o in zip(row, other)]
        norm = math.sqrt(sum(r.real * r.real + r.imag * r.imag for r in row))
        rows.append([r / norm for r in row])
    phase = determinant(rows).conjugate()
    rows[-1] = [phase * r for r in rows[-1]]
    return rows


def determinant(m):
    if len(m) == 1:
        return m[0][0]
    return sum((-1) ** j * m[0][j] * determinant([row[:j] + row[j + 1:] for row in m[1:]]) for j in range(len(m)))


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


class Gauge:
    """Links U[site, mu] as matrices of complex numbers, mu = x, y, z, t."""

    def __init__(self, colors=3, seed=1, precision=8):
        rng = random.Random(seed)
        self.colors, self.precision = colors, precision
        self.links = {(x, mu): special_unitary(colors, rng) for x in SITES for mu in range(4)}
        if precision == 4:
            for key, u in self.links.items():
                self.links[key] = [[complex(single(c.real), single(c.imag)) for c in row] for row in u]

    def numbers(self, x, mu, rows=None):
        return [part for row in self.links[x, mu][:rows] for c in row for part in (c.real, c.imag)]

    def up(self, x, mu, step=1):
        return tuple((c + step) % n if d == mu else c for d, (c, n) in enumerate(zip(x, LATTICE)))

    def plaquette(self):
        total = 0
        for x, mu in itertools.product(SITES, range(4)):
            for nu in range(mu + 1, 4):
                a = product(self.links[x, mu], self.links[self.up(x, mu), nu])
                b = product(self.links[x, nu], self.links[self.up(x, nu), mu])
                total += sum((p * q.conjugate()).real for r, s in zip(a, b) for p, q in zip(r, s))
        return total / (6 * len(SITES) * self.colors)

    def link_trace(self):
        total = sum(u[k][k].real for u in self.links.values() for k in range(self.colors))
        return total / (4 * len(SITES) * self.colors)

    def packed(self, order, rows=None):
        """x fastest, mu = x, y, z, t."""
        values = [v for x in SITES for mu in range(4) for v in self.numbers(x, mu, rows)]
        return pack(values, order, self.precision)

    def expect(self, format_name, status, **others):
        """What is the same in all files; `measured` where the links are in the file."""
        numbers = 8 * self.colors ** 2
        text = f"format {format_name}\nfield gauge gauge {LATTICE_TEXT} {numbers} {name_of(self.precision)}\n"
        text += f"status {status}\n"
        for x, k in (((1, 3, 0, 1), 2), ((0, 2, 1, 0), numbers - 3), ((1, 0, 1, 1), numbers // 2 + 1)):
            per = numbers // 4
            text += f"number {','.join(map(str, x))} {k} {self.numbers(x, k // per)[k % per]!r}\n"
        text += "".join(f"{key} {value}\n" for key, value in others.items())
        return text


def name_of(precision):
    return "single" if precision == 4 else "double"


def pack(values, order, precision):
    return struct.pack(f"{order}{len(values)}{'f' if precision == 4 else 'd'}", *values)


def words_of(data, order):
    return struct.unpack(f"{order}{len(data) // 4}I", data)


def rotated(value, by):
    return ((value << by) | (value >> (32 - by))) & 0xffffffff if by else value


# NERSC

def nersc_header(datatype, floating, lines):
    head = ["BEGIN_HEADER", "HDR_VERSION = 1.0", f"DATATYPE = {datatype}", "STORAGE_FORMAT = 1.0"]
    head += [f"DIMENSION_{d + 1} = {n}" for d, n in enumerate(LATTICE)]
    head += lines + [f"BOUNDARY_{d} = PERIODIC" for d in (1, 2, 3, 4)] + ["ENSEMBLE_ID = golden"]
    head += [f"FLOATING_POINT = {floating}"] if floating else []
    return "\n".join(head + ["END_HEADER", ""])


def nersc(gauge, floating="IEEE64BIG", rows=None, datatype="4D_SU3_GAUGE_3x3", plaquette=None, checksum=None, change=None):
    order = "<" if "LITTLE" in floating or floating == "IEEE64" else ">"
    data = gauge.packed(order, rows)
    total = sum(words_of(data, order)) & 0xffffffff if checksum is None else checksum
    stated = gauge.plaquette() if plaquette is None else plaquette
    text = nersc_header(datatype, floating, [f"LINK_TRACE = {gauge.link_trace():.12f}",
                                             f"PLAQUETTE = {stated:.12f}", f"CHECKSUM = {total:x}"])
    if change:
        text = change(text)
    return text.encode() + data, f"nersc {total:08x}"


def nersc_files():
    for word, floating in itertools.product((4, 8), ("BIG", "LITTLE")):
        gauge = Gauge(seed=word, precision=word)
        data, total = nersc(gauge, f"IEEE{8 * word}{floating}")
        yield f"nersc/{8 * word}_{floating.lower()}.nersc", data, gauge.expect(
            "nersc", "ok", sum=total, plaquette=f"{gauge.plaquette():.12f}", measured=repr(gauge.plaquette()),
            text="nersc-header ENSEMBLE_ID = golden")
    gauge = Gauge()
    full = lambda **others: gauge.expect("nersc", "ok", measured=repr(gauge.plaquette()), **others)
    data, total = nersc(gauge, rows=2, datatype="4D_SU3_GAUGE")
    yield "nersc/two_rows.nersc", data, full(sum=total)
    data, total = nersc(gauge, "IEEE64")
    yield "nersc/byte_order_not_named.nersc", data, full(sum=total, rule="nersc-floating-point")
    two = Gauge(colors=2, seed=5)
    data, total = nersc(two, datatype="4D_SU2_GAUGE_2x2")
    yield "nersc/su2.nersc", data, two.expect("nersc", "ok", sum=total, measured=repr(two.plaquette()))
    four = Gauge(colors=4, seed=6)
    data, total = nersc(four, datatype="4D_SU4_GAUGE_4x4")
    yield "nersc/su4.nersc", data, four.expect("nersc", "ok", sum=total, measured=repr(four.plaquette()))
    without = lambda *keys: lambda text: "".join(
        line for line in text.splitlines(True) if not line.startswith(keys))
    data, total = nersc(gauge, change=without("HDR_VERSION", "BOUNDARY"))
    yield "nersc/lines_missing.nersc", data, full(sum=total, rule="nersc-line-missing")
    data, _ = nersc(gauge, change=without("CHECKSUM"))
    yield "nersc/no_checksum.nersc", data, gauge.expect("nersc", "absent", measured=repr(gauge.plaquette()))
    data, total = nersc(gauge, change=lambda text: text.replace("\n", "\r\n").replace(" = ", "="))
    yield "nersc/carriage_returns.nersc", data, full(sum=total)
    data, total = nersc(gauge, plaquette=2 * gauge.plaquette())
    yield "nersc/plaquette_twice.nersc", data, full(sum=total, rule="plaquette")
    data, _ = nersc(gauge, checksum=0x12345678)
    yield "nersc/checksum_wrong.nersc", data, gauge.expect("nersc", "mismatch", sum="nersc 12345678", rule="checksum")


def nersc_bad():
    gauge = Gauge()
    data, _ = nersc(gauge)
    yield "nersc/data_cut.nersc", data[:-1], "code truncated\nmessage announces a file of\n"
    yield "nersc/header_cut.nersc", data[:100], "code truncated\nmessage END_HEADER\n"
    for name, code, key, other in (("small_matrices", "unsupported", "GAUGE_3x3", "GAUGE_SMALL"),
                                   ("extent_negative", "malformed", "DIMENSION_3 = 2", "DIMENSION_3 = -2"),
                                   ("extent_zero", "malformed", "DIMENSION_3 = 2", "DIMENSION_3 = 0"),
                                   ("extent_missing", "malformed", "DIMENSION_4 = 2\n", ""),
                                   ("extents_overflow", "too_large", "_1 = 2", "_1 = 4000000000000000000"),
                                   ("numbers_of_128_bits", "malformed", "IEEE64BIG", "IEEE128BIG")):
        data, _ = nersc(gauge, change=lambda text: text.replace(key, other, 1))
        yield f"nersc/{name}.nersc", data[:2000], f"code {code}\n"


# MILC

def milc_sums(data, order):
    sum29 = sum31 = 0
    for i, word in enumerate(words_of(data, order)):
        sum29 ^= rotated(word, i % 29)
        sum31 ^= rotated(word, i % 31)
    return sum29, sum31


def milc(gauge, order, magic=20103, sums=None, layout=0):
    data = gauge.packed(order)
    sums = milc_sums(data, order) if sums is None else sums
    head = struct.pack(f"{order}5i64si2I", magic, *LATTICE, b"Thu Apr 14 17:20:32 2022", layout, *sums)
    return head + data, "milc {:08x}/{:08x}".format(*sums)


def milc_files():
    gauge = Gauge(seed=2, precision=4)
    for order, name in (("<", "little"), (">", "big")):
        data, sums = milc(gauge, order)
        yield f"milc/version_5_{name}.milc", data, gauge.expect(
            "milc", "ok", sum=sums, measured=repr(gauge.plaquette()), text="milc-time-stamp Thu Apr 14")
    double = Gauge(seed=3)
    data, sums = milc(double, "<", 20104)
    yield "milc/double.milc", data, double.expect("milc", "ok", sum=sums, measured=repr(double.plaquette()))
    data, _ = milc(gauge, "<", sums=(0, 0))
    yield "milc/sums_zero.milc", data, gauge.expect("milc", "absent", rule="milc-sums-missing")
    data, _ = milc(gauge, "<", sums=(1, 2))
    yield "milc/sums_wrong.milc", data, gauge.expect("milc", "mismatch", rule="checksum")
    head = struct.pack(">5i2f", 59354, *LATTICE, 6.0, 0.125)
    yield "milc/version_1.milc", head + gauge.packed(">"), gauge.expect(
        "milc", "absent", measured=repr(gauge.plaquette()))


def milc_bad():
    gauge = Gauge(seed=2, precision=4)
    data, _ = milc(gauge, "<", layout=1)
    yield "milc/order_1.milc", data[:500], "code unsupported\nmessage order 1\n"
    data, _ = milc(gauge, "<")
    yield "milc/data_cut.milc", data[:-4], "code truncated\n"
    yield "milc/header_cut.milc", data[:50], "code truncated\n"
    yield "milc/extent_zero.milc", data[:8] + bytes(4) + data[12:200], "code malformed\nmessage extent 0 in y\n"


# FNAL

def fnal(values, elements, order="<", word=4, lattice=LATTICE, layout=0):
    return struct.pack(f"{order}9i", 0x71626434, 1018886400, word, elements, *lattice, layout) + pack(values, order, word)


def fnal_files():
    gauge = Gauge(seed=4, precision=4)
    for order, name in (("<", "little"), (">", "big")):
        values = [v for x in SITES for mu in range(4) for v in gauge.numbers(x, mu)]
        yield f"fnal/gauge_{name}.fnal", fnal(values, 72, order), gauge.expect(
            "fnal", "absent", measured=repr(gauge.plaquette()))
    for elements, name, kind in ((18, "ks-propagator", "generic"), (288, "wilson-propagator", "generic"),
                                 (24, "spinor", "spinor"), (2, "smearing", "generic"), (5, "field", "generic")):
        word = 8 if elements == 24 else 4
        values = [float(k % 1000) for k in range(elements * len(SITES))]
        at = SITES.index((1, 2, 0, 1)) * elements + 1
        yield f"fnal/{name.replace('-', '_')}.fnal", fnal(values, elements, ">", word), (
            f"format fnal\nfield {name} {kind} {LATTICE_TEXT} {elements} {name_of(word)}\nstatus absent\n"
            f"number 1,2,0,1 1 {values[at]!r}\n")


def fnal_bad():
    yield "fnal/three_bytes.fnal", fnal([], 18, word=4)[:8] + struct.pack("<i", 3) + bytes(60), "code malformed\n"
    yield "fnal/no_elements.fnal", fnal([], 0), "code malformed\nmessage elements per site 0\n"
    yield "fnal/order_1.fnal", fnal([], 18, layout=1), "code unsupported\n"
    yield "fnal/data_cut.fnal", fnal([1.0] * 100, 18), "code truncated\n"


# openQCD

def points():
    """Coordinates t, x, y, z with z fastest."""
    return itertools.product(range(LATTICE[3]), range(LATTICE[0]), range(LATTICE[1]), range(LATTICE[2]))


def openqcd(gauge, plaquette=None):
    values = []
    for t, x, y, z in points():
        if (t + x + y + z) % 2 == 1:
            for mu in (3, 0, 1, 2):
                values += gauge.numbers((x, y, z, t), mu) + gauge.numbers(gauge.up((x, y, z, t), mu, -1), mu)
    stated = 3 * gauge.plaquette() if plaquette is None else plaquette
    return struct.pack("<4id", LATTICE[3], *LATTICE[:3], stated) + pack(values, "<", 8)


def openqcd_block(values_of, kind, lower, check, block=(2, 2, 2, 2)):
    """The file of a block: extents of lattice and block and its first site as t, x, y, z; the odd points, all points."""
    values = []
    for t, x, y, z in itertools.product(*(range(lo, lo + n) for lo, n in zip(lower, block))):
        if kind == "spinor" or (t + x + y + z) % 2 == 1:
            values += values_of(x, y, z, t)
    head = struct.pack("<12i", LATTICE[3], *LATTICE[:3], *block, *lower)
    return head + check + pack(values, "<", 8)


def attached(numbers):
    """Numbers of the links in the directions +t, -t, +x, ... at an odd point."""
    up = Gauge.up
    return lambda x, y, z, t: [v for mu in (3, 0, 1, 2)
                               for site in ((x, y, z, t), up(None, (x, y, z, t), mu, -1)) for v in numbers(site, mu)]


BLOCKS = [(0, 0, 0, 0), (0, 0, 2, 0)]  # first sites t, x, y, z of the two blocks, in their order


def openqcd_links(seed, numbers):
    rng = random.Random(seed)
    return {(x, mu): [rng.random() - 0.5 for _ in range(numbers)] for x in SITES for mu in range(4)}


def action_of(momenta):
    """- tr X X over all links, which is half of -2 tr X X."""
    total = []
    for c1, c2, c3, c4, c5, c6, c7, c8 in momenta.values():
        x = [[1j * (c1 + c2), c3 + 1j * c4, c5 + 1j * c6],
             [-c3 + 1j * c4, 1j * (c2 - 2 * c1), c7 + 1j * c8],
             [-c5 + 1j * c6, -c7 + 1j * c8, 1j * (c1 - 2 * c2)]]
        total.append(-sum(product(x, x)[k][k].real for k in range(3)))
    return math.fsum(total)


def u1_plaquette(angles):
    up, total = (lambda x, mu: Gauge.up(None, x, mu)), []
    for x, mu in itertools.product(SITES, range(4)):
        for nu in range(mu + 1, 4):
            total.append(math.cos(angles[x, mu][0] + angles[up(x, mu), nu][0]
                                  - angles[up(x, nu), mu][0] - angles[x, nu][0]))
    return math.fsum(total) / (6 * len(SITES))


def openqcd_fields(links):
    """All odd points of the lattice, z fastest."""
    values_of = attached(lambda site, mu: links[site, mu])
    return pack([v for t, x, y, z in points() if (t + x + y + z) % 2 == 1 for v in values_of(x, y, z, t)], "<", 8)


def openqcd_family_files():
    """Momenta, openQ*D's links of U(1), and block sets."""
    head = struct.pack("<4i", LATTICE[3], *LATTICE[:3])
    momenta = openqcd_links(21, 8)
    action = struct.pack("<d", action_of(momenta))
    expect = (f"format openqcd\nfield momenta generic {LATTICE_TEXT} 32 double\nstatus ok\n"
              f"number 1,3,0,1 2 {momenta[(1, 3, 0, 1), 0][2]!r}\nnumber 0,3,0,0 31 {momenta[(0, 3, 0, 0), 3][7]!r}\n")
    yield "openqcd/momenta.openqcd", head + action + openqcd_fields(momenta), expect
    for k, lower in enumerate(BLOCKS):
        yield f"openqcd/momenta_b{k}", openqcd_block(
            attached(lambda site, mu: momenta[site, mu]), "links", lower, action), expect
    wrong = struct.pack("<d", action_of(momenta) * (1 + 1e-9))
    yield "openqcd/momenta_action_wrong.openqcd", head + wrong + openqcd_fields(momenta), (
        expect.replace("status ok", "status mismatch") + "rule checksum\n")

    angles = openqcd_links(22, 1)
    plaquette = u1_plaquette(angles)
    expect = (f"format openqcd\nfield u1 generic {LATTICE_TEXT} 4 double\nstatus absent\n"
              f"number 1,3,0,1 2 {angles[(1, 3, 0, 1), 2][0]!r}\nnumber 0,2,1,0 3 {angles[(0, 2, 1, 0), 3][0]!r}\n")
    yield "openqcd/u1.openqcd", head + struct.pack("<d", plaquette) + openqcd_fields(angles), expect
    yield "openqcd/u1_plaquette_wrong.openqcd", head + struct.pack("<d", plaquette - 0.01) + openqcd_fields(angles), (
        expect + "rule plaquette\n")
    gauge = Gauge(seed=23)
    yield "openqcd/gauge_and_u1.openqcd", openqcd(gauge) + struct.pack("<d", plaquette) + openqcd_fields(angles), (
        gauge.expect("openqcd", "absent", plaquette=repr(gauge.plaquette()), measured=repr(gauge.plaquette())))

    expect = gauge.expect("openqcd", "absent", plaquette=repr(gauge.plaquette()), measured=repr(gauge.plaquette()))
    for k, lower in enumerate(BLOCKS):
        yield f"openqcd/blocks_b{k}", openqcd_block(
            attached(gauge.numbers), "links", lower, struct.pack("<d", 3 * gauge.plaquette())), expect
    rng = random.Random(24)
    spinors = {x: [rng.random() - 0.5 for _ in range(24)] for x in SITES}
    norm = math.fsum(v * v for spinor in spinors.values() for v in spinor)
    for k, lower in enumerate(BLOCKS):
        yield f"openqcd/spinor_b{k}", openqcd_block(
            lambda *x: spinors[x], "spinor", lower, struct.pack("<id", 0, norm)), (
            f"format openqcd\nfield spinor spinor {LATTICE_TEXT} 24 double\nstatus ok\n"
            f"number 1,3,0,1 5 {spinors[1, 3, 0, 1][5]!r}\nnumber 0,1,1,0 23 {spinors[0, 1, 1, 0][23]!r}\n")


def openqcd_family_bad():
    gauge = Gauge(seed=23)
    block = lambda k, value: openqcd_block(attached(gauge.numbers), "links", BLOCKS[k], struct.pack("<d", value))
    yield "openqcd/block_missing_b0", block(0, 1.0), "code truncated\nmessage block 1 is missing\n"
    for k in range(2):
        yield f"openqcd/blocks_of_two_sets_b{k}", block(k, 1.0 + k), (
            f"code malformed\nmessage is not block {1 - k} of this set: it states another check value\n")
    yield "openqcd/block_renamed", block(1, 1.0), "code unsupported\nmessage this is block 1 of 2\n"
    data = block(0, 1.0)
    yield "openqcd/block_outside", data[:40] + struct.pack("<i", 1) + data[44:], "code unknown_format\n"
    momenta = openqcd_links(21, 8)
    head = struct.pack("<4id", LATTICE[3], *LATTICE[:3], 0.5)
    yield "openqcd/action_of_less_than_its_momenta.openqcd", head + openqcd_fields(momenta), "code unknown_format\n"
    yield "openqcd/u1_plaquette_of_two.openqcd", head[:16] + struct.pack("<d", 2) + openqcd_fields(
        openqcd_links(22, 1)), "code unknown_format\n"
    yield "openqcd/u1_of_noise.openqcd", head + bytes(k * 37 % 251 for k in range(32 * len(SITES))), (
        "code unknown_format\n")


def openqcd_files():
    gauge = Gauge(seed=7)
    expect = lambda g, **others: g.expect("openqcd", "absent", measured=repr(g.plaquette()), **others)
    yield "openqcd/periodic.openqcd", openqcd(gauge), expect(gauge, plaquette=repr(gauge.plaquette()))
    yield "openqcd/plaquette_thrice.openqcd", openqcd(gauge, gauge.plaquette()), expect(gauge, rule="plaquette")
    for x in SITES:
        if x[3] == LATTICE[3] - 1:
            gauge.links[x, 3] = [[0j] * 3 for _ in range(3)]
    yield "openqcd/open_boundaries.openqcd", openqcd(gauge), expect(gauge, plaquette=repr(gauge.plaquette()),
                                                                   rule="open-boundary")
    rng = random.Random(8)
    spinors = {x: [rng.random() - 0.5 for _ in range(24)] for x in SITES}
    values = [v for t, x, y, z in points() for v in spinors[x, y, z, t]]
    norm = math.fsum(v * v for v in values)
    lattice = (LATTICE[3], *LATTICE[:3])
    for name, head in (("spinor_28", struct.pack("<5id", *lattice, 0, norm)),
                       ("spinor_24", struct.pack("<4id", *lattice, norm))):
        yield f"openqcd/{name}.openqcd", head + pack(values, "<", 8), (
            f"format openqcd\nfield spinor spinor {LATTICE_TEXT} 24 double\nstatus ok\n"
            f"number 1,3,0,1 5 {spinors[1, 3, 0, 1][5]!r}\nnumber 0,1,1,0 23 {spinors[0, 1, 1, 0][23]!r}\n")
    half = struct.pack("<5id", 2, 2, 2, 2, 1, 192.0) + pack([1.0] * 24 * 8, "<", 8)
    yield "openqcd/even_points_only.openqcd", half, (
        "format openqcd\nfield spinor spinor 2x2x1x2 24 double\nstatus ok\nrule openqcd-even-points\n"
        "number 1,0,0,1 5 1.0\n")
    head = struct.pack("<5id", *lattice, 0, norm * (1 + 1e-9))
    yield "openqcd/spinor_norm_wrong.openqcd", head + pack(values, "<", 8), (
        f"format openqcd\nfield spinor spinor {LATTICE_TEXT} 24 double\nstatus mismatch\nrule checksum\n")


def openqcd_bad():
    data = openqcd(Gauge(seed=7))
    yield "openqcd/one_byte_more.openqcd", data + b"\0", "code unknown_format\n"
    yield "openqcd/plaquette_of_four.openqcd", data[:16] + struct.pack("<d", 4.0) + data[24:], "code unknown_format\n"
    yield "openqcd/odd_extent.openqcd", struct.pack("<4id", 2, 3, 2, 2, 1.0) + bytes(576 * 24), "code unknown_format\n"


# HiRep

def hirep(gauge, quaternions=False, behind=b"", plaquette=None):
    values = []
    for t, x, y, z in points():
        for mu in (3, 0, 1, 2):
            u = gauge.links[(x, y, z, t), mu]
            values += ([u[0][0].real, u[1][0].imag, u[1][0].real, u[0][0].imag] if quaternions
                       else gauge.numbers((x, y, z, t), mu))
    stated = gauge.plaquette() if plaquette is None else plaquette
    return struct.pack(">5id", gauge.colors, LATTICE[3], *LATTICE[:3], stated) + pack(values, ">", 8) + behind


def hirep_files():
    for colors in (2, 3):
        gauge = Gauge(colors, seed=9)
        expect = gauge.expect("hirep", "absent", plaquette=repr(gauge.plaquette()), measured=repr(gauge.plaquette()))
        yield f"hirep/su{colors}.hirep", hirep(gauge), expect
        if colors == 2:
            yield "hirep/quaternions.hirep", hirep(gauge, True), expect
        yield f"hirep/four_fermion_su{colors}.hirep", hirep(gauge, behind=bytes(16 * len(SITES))), (
            expect + "rule hirep-four-fermion\n")


def hirep_bad():
    data = hirep(Gauge(2, seed=9))
    yield "hirep/one_byte_less.hirep", data[:-1], "code unknown_format\n"
    yield "hirep/plaquette_of_two.hirep", data[:20] + struct.pack(">d", 2.0) + data[28:], "code unknown_format\n"
    yield "hirep/links_of_noise.hirep", data[:28] + bytes(k * 37 % 251 for k in range(len(data) - 28)), (
        "code unknown_format\n")


# DDalphaAMG

def ddalphaamg(gauge, order="<", plaquette=None):
    values = [v for x in SITES for mu in (3, 2, 1, 0) for v in gauge.numbers(x, mu)]
    stated = 3 * gauge.plaquette() if plaquette is None else plaquette
    return struct.pack(order + "4id", *reversed(LATTICE), stated) + pack(values, order, 8)


def ddalphaamg_files():
    gauge = Gauge(seed=11)
    measured = repr(gauge.plaquette())
    for name, order in (("little", "<"), ("big", ">")):
        yield f"ddalphaamg/{name}.ddalphaamg", ddalphaamg(gauge, order), gauge.expect(
            "ddalphaamg", "absent", plaquette=measured, measured=measured)


def ddalphaamg_bad():
    data = ddalphaamg(Gauge(seed=11))
    yield "ddalphaamg/one_byte_less.ddalphaamg", data[:-1], "code unknown_format\n"
    yield "ddalphaamg/plaquette_of_four.ddalphaamg", data[:16] + struct.pack("<d", 4.0) + data[24:], "code unknown_format\n"


# Qlattice

def qlattice(data, multiplicity, size, crc=None):
    crc = zlib.crc32(data) if crc is None else crc
    text = "BEGIN_FIELD_HEADER\nfield_version = 1.0\n"
    text += "".join(f"total_site[{d}] = {n}\n" for d, n in enumerate(LATTICE))
    text += f"multiplicity = {multiplicity}\nsizeof(M) = {size}\nfield_crc32 = {crc:08X}\nEND_HEADER\n"
    return text.encode() + data, f"crc32 {crc:08x}"


def qlattice_files():
    for word in (4, 8):
        gauge = Gauge(seed=10 + word, precision=word)
        data, crc = qlattice(gauge.packed(">"), 72, word)
        yield f"qlattice/gauge_{8 * word}.field", data, gauge.expect("qlattice", "ok", sum=crc,
                                                                   measured=repr(gauge.plaquette()))
    gauge = Gauge(seed=18)
    data, crc = qlattice(gauge.packed(">"), 4, 144)
    yield "qlattice/gauge_of_matrices.field", data, gauge.expect("qlattice", "ok", sum=crc)
    values = [k / 8 for k in range(6 * len(SITES))]
    at = SITES.index((1, 3, 1, 0)) * 6 + 5
    line = f"format qlattice\nfield field generic {LATTICE_TEXT} 6 double\n"
    data, crc = qlattice(pack(values, ">", 8), 3, 16)
    yield "qlattice/complex.field", data, line + f"status ok\nsum {crc}\nnumber 1,3,1,0 5 {values[at]!r}\n"
    data, _ = qlattice(pack(values, ">", 8), 3, 16, crc=1)
    yield "qlattice/crc_wrong.field", data, line + "status mismatch\nrule checksum\n"


def qlattice_bad():
    data, _ = qlattice(bytes(64), 1, 3)
    yield "qlattice/elements_of_three_bytes.field", data, "code unsupported\n"
    data, _ = qlattice(bytes(64), 1, 8)
    yield "qlattice/data_cut.field", data, "code truncated\n"
    yield "qlattice/extent_zero.field", data.replace(b"total_site[2] = 2", b"total_site[2] = 0"), "code malformed\n"


# Raw

RAW_EXTENTS = dict(x=LATTICE[0], y=LATTICE[1], z=LATTICE[2], t=LATTICE[3], mu=4, mu_txyz=4, row=3, column=3, reim=2, spin=4,
                   color=3, sink_spin=4, source_spin=4, sink_color=3, source_color=3)
RAW_MEMORY = {"gauge": "mu row column reim", "propagator": "sink_spin source_spin sink_color source_color reim",
              "spinor": "spin color reim", "generic": "component"}


def raw_numbers(values, kind, order, components=1):
    """The numbers values[x, y, z, t][number in memory] with the axes of `order` from the slowest to the fastest."""
    names, extents = order.split(), dict(RAW_EXTENTS, component=components)
    memory, out = RAW_MEMORY[kind].split(), []
    for digits in itertools.product(*(range(extents[name]) for name in names)):
        at = dict(zip(names, digits))
        if "mu_txyz" in at:
            at["mu"] = (3, 0, 1, 2)[at["mu_txyz"]]
        number = 0
        for name in memory:
            number = number * extents[name] + at[name]
        out.append(values[at["x"], at["y"], at["z"], at["t"]][number])
    return out


def raw_data(values, kind, order, byte_order, precision, components=1):
    return pack(raw_numbers(values, kind, order, components), byte_order, precision)


def raw_text(*lines, end=True):
    return "\n".join(("BEGIN_RAW_FIELD", f"lattice = {LATTICE_TEXT}") + lines + (("END_RAW_FIELD",) if end else ())) + "\n"


def raw_files():
    """Descriptions, and the data that they name in a folder beside them."""
    gauge = Gauge(seed=31)
    links = {x: [v for mu in range(4) for v in gauge.numbers(x, mu)] for x in SITES}
    data = raw_data(links, "gauge", "t z y x mu row column reim", ">", 8)
    yield "raw/data/bridge.bin", data, None
    sums = [0, 0]
    for rank, x in enumerate(SITES):
        crc = zlib.crc32(data[576 * rank:576 * (rank + 1)])
        sums = [s ^ rotated(crc, rank % n) for s, n in zip(sums, (29, 31))]
    lines = ("data = data/bridge.bin", "layout = bridge++", "precision = double")
    measured = repr(gauge.plaquette())
    yield "raw/bridge.raw", raw_text(*lines).encode(), gauge.expect("raw", "absent", measured=measured)
    stated = "checksum = {:08x} {:08x}".format(*sums)
    yield "raw/checksum.raw", raw_text(*lines, stated).encode(), gauge.expect("raw", "ok", measured=measured)
    yield "raw/checksum_wrong.raw", raw_text(*lines, "checksum = 00000001 00000002").encode(), (
        gauge.expect("raw", "mismatch", rule="checksum"))
    numbers = raw_numbers(links, "gauge", "t z y x mu row column reim")
    text = ("data = data/bridge.txt", "layout = bridge++-text", "precision = double")
    yield "raw/data/bridge.txt", "".join(f"{v:.16e}\n" for v in numbers).encode(), None
    yield "raw/bridge_text.raw", raw_text(*text, stated).encode(), gauge.expect("raw", "ok", measured=measured)
    yield "raw/bridge_text_wrong.raw", raw_text(*text, "checksum = 00000001 00000002").encode(), (
        gauge.expect("raw", "mismatch", rule="checksum"))
    # As Bridge++ writes them: fourteen digits behind the point.
    yield "raw/data/rounded.txt", "".join(f"{v:.14e}\n" for v in numbers).encode(), None
    rounded = raw_numbers({x: [float(f"{v:.14e}") for v in links[x]] for x in SITES}, "gauge", "t z y x mu row column reim")
    at = 72 * SITES.index((1, 3, 0, 1))
    yield "raw/bridge_rounded.raw", raw_text(*text).replace("bridge.txt", "rounded.txt").encode(), (
        f"format raw\nfield gauge gauge {LATTICE_TEXT} 72 double\nstatus absent\n"
        f"number 1,3,0,1 5 {rounded[at + 5]!r}\nnumber 1,3,0,1 71 {rounded[at + 71]!r}\n")
    numbers = raw_numbers(links, "gauge", "mu t z y x row column reim")
    spaces = itertools.cycle((" ", "\n", "\t \r\n", "  +"))
    written = "".join(f"{next(spaces) if v >= 0 else ' '}{v!r}" for v in numbers)
    yield "raw/data/by_direction.txt", b"#!" + written.encode() + b" 1.5 \n", None
    yield "raw/by_direction.raw", raw_text("data = data/by_direction.txt", "kind = gauge", "precision = double", "numbers = text",
                                           "order = mu t z y x row column reim", "offset = 2").encode(), (
        gauge.expect("raw", "absent", measured=measured, rule="raw-trailing-bytes"))
    single_links = Gauge(seed=32, precision=4)
    links = {x: [v for mu in range(4) for v in single_links.numbers(x, mu)] for x in SITES}
    for name, order in (("links_apart", "mu_txyz x y z t column row reim"), ("numbers_apart", "reim row column mu t z y x"),
                        ("sites_in_between", "column y t x z reim mu row")):
        yield f"raw/data/{name}.bin", bytes(24) + raw_data(links, "gauge", order, "<", 4), None
        yield f"raw/{name}.raw", raw_text(f"data = data/{name}.bin", "kind = gauge", "precision = single",
                                          "byte_order = little", f"order = {order}", "offset = 24").encode(), (
            single_links.expect("raw", "absent", measured=repr(single_links.plaquette())))
    rng = random.Random(33)
    propagator = {x: [single(rng.random() - 0.5) for _ in range(288)] for x in SITES}
    for name, order, byte_order, precision in (
            ("kyu", "source_spin source_color reim sink_spin sink_color t z y x", ">", 8),
            ("xqcd", "source_spin source_color t z y x sink_spin sink_color reim", "<", 4)):
        yield f"raw/data/{name}.bin", raw_data(propagator, "propagator", order, byte_order, precision), None
        yield f"raw/{name}.raw", raw_text(f"data = data/{name}.bin", f"layout = {name}").encode(), (
            f"format raw\nfield propagator propagator {LATTICE_TEXT} 288 {name_of(precision)}\nstatus absent\n"
            f"number 1,3,0,1 100 {propagator[1, 3, 0, 1][100]!r}\nnumber 0,2,1,0 287 {propagator[0, 2, 1, 0][287]!r}\n"
            "text basis Dirac-Pauli\n")
    values = {x: [rng.random() for _ in range(5)] for x in SITES}
    yield "raw/data/reals.bin", raw_data(values, "generic", "t z y x component", ">", 8, 5) + bytes(3), None
    yield "raw/reals.raw", raw_text("data = data/reals.bin", "kind = generic", "components = 5", "precision = double",
                                    "byte_order = big").encode(), (
        f"format raw\nfield field generic {LATTICE_TEXT} 5 double\nstatus absent\n"
        f"number 1,3,0,1 4 {values[1, 3, 0, 1][4]!r}\nrule raw-trailing-bytes\n")


def raw_bad():
    yield "raw/data/short.bin", bytes(100), None
    spinor = ("data = data/short.bin", "kind = spinor", "precision = double", "byte_order = big")
    yield "raw/data_short.raw", raw_text(*spinor).encode(), "code truncated\nmessage has 100 bytes, but the description\n"
    yield "raw/data_missing.raw", raw_text(*spinor[1:]).encode(), "code not_found\nmessage data_missing.raw.data\n"
    yield "raw/no_end.raw", raw_text(*spinor, end=False).encode(), "code truncated\nmessage END_RAW_FIELD\n"
    yield "raw/no_precision.raw", raw_text(spinor[0], spinor[1], spinor[3]).encode(), "code malformed\nmessage precision\n"
    for name, lines in (("axis_twice", ("order = t z y x spin spin reim",)), ("axis_missing", ("order = t z y x spin color",)),
                        ("lattice_apart", ("order = t z spin y x color reim",)), ("axis_of_links", ("order = t z y x mu reim",)),
                        ("line_misspelt", ("ofset = 24",)), ("colors_many", ("colors = 1000",)),
                        ("checksum_short", ("checksum = 12",))):
        yield f"raw/{name}.raw", raw_text(*spinor, *lines).encode(), "code malformed\n"
    yield "raw/sites_huge.raw", raw_text(spinor[0], "kind = propagator", *spinor[2:], "colors = 64", "spins = 64").encode(), (
        "code unsupported\n")
    yield "raw/lattice_of_three.raw", raw_text(*spinor).replace(LATTICE_TEXT, "4x4x4").encode(), "code malformed\n"
    yield "raw/lattice_huge.raw", raw_text(*spinor).replace(LATTICE_TEXT, "4000000000x4000000000x4x4").encode(), (
        "code too_large\n")
    yield "raw/data/text_short.txt", b"0.5\n" * 2303, None
    yield "raw/text_short.raw", raw_text("data = data/text_short.txt", "layout = bridge++-text", "precision = single").encode(), (
        "code truncated\nmessage are 2303 numbers, but the description states 2304\n")
    yield "raw/numbers_unknown.raw", raw_text(*spinor, "numbers = words").encode(), "code malformed\nmessage text or bytes\n"
    yield "raw/layout_unknown.raw", raw_text(spinor[0], spinor[2], "layout = milc").encode(), "code malformed\nmessage xqcd\n"


GOOD = (raw_files, nersc_files, milc_files, fnal_files, openqcd_files, openqcd_family_files, hirep_files, ddalphaamg_files,
        qlattice_files)
BAD = (raw_bad, nersc_bad, milc_bad, fnal_bad, openqcd_bad, openqcd_family_bad, hirep_bad, ddalphaamg_bad, qlattice_bad)


def main():
    wrong = []
    for folder, makers in (("good", GOOD), ("bad", BAD)):
        for name, data, expect in (file for maker in makers for file in maker()):
            path = HERE / folder / name
            texts = [] if expect is None else [(path.with_suffix(".expect"), expect.encode())]
            for target, contents in [(path, data), *texts]:
                if sys.argv[1:] != ["--check"]:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(contents)
                elif not target.is_file() or target.read_bytes() != contents:
                    wrong.append(f"{target} is not what make_flat.py writes")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
