#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""usage: make_files.py [--check]

Writes tests/conformance/files: small files of every format, precision and byte order, bad ones with one defect each,
and expectations.json, which says what a reader must find in each (docs/reference/conformance.md). The bytes come from
the pages in docs/formats, by the same plain Python that makes the golden files; no library of lattice fields is used."""

import json
import math
import pathlib
import random
import struct
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
FILES = HERE / "files"
sys.path[:0] = [str(HERE.parent / "golden"), str(HERE.parent.parent / "tools")]

import lime_writer as lime  # noqa: E402
import make_flat as flat  # noqa: E402
import hdf5_files as hdf5  # noqa: E402
import local_files as local  # noqa: E402
import squeezed_files as squeezed  # noqa: E402
from made_files import keep  # noqa: E402
from make_golden_modes import SetOfModes  # noqa: E402
from make_golden_vectors import desc, place  # noqa: E402

LATTICE = flat.LATTICE
SITE = (1, 3, 0, 1)
PRECISIONS = {"single": 4, "double": 8}
ORDERS = {"big": ">", "little": "<"}


class Field:
    """What a site holds, and the numbers of all sites, x fastest."""

    def __init__(self, kind, values, colors=3, spins=0, word=8, plaquette=None):
        self.kind, self.colors, self.spins, self.word, self.plaquette = kind, colors, spins, word, plaquette
        self.numbers, self.lattice = len(values) // len(flat.SITES), LATTICE
        self.values = values

    @classmethod
    def of_links(cls, gauge):
        values = [v for x in flat.SITES for mu in range(4) for v in gauge.numbers(x, mu)]
        return cls("gauge", values, gauge.colors, 0, gauge.precision, gauge.plaquette())

    @classmethod
    def of_noise(cls, kind, numbers, seed, word=8, colors=3, spins=4):
        stream = random.Random(seed)
        values = [stream.random() - 0.5 for _ in range(numbers * len(flat.SITES))]
        return cls(kind, values if word == 8 else [flat.single(v) for v in values], colors, spins, word)

    def packed(self, order):
        return flat.pack(self.values, order, self.word)

    def at(self, site):
        first = flat.SITES.index(site) * self.numbers
        return self.values[first:first + self.numbers]


def good(name, format_name, field, data, *, byte_order="big", checksum=None, stated=None, fields=1, exact=True, why=""):
    """A file and what is expected of it; `stated`: the plaquette that the file says it has."""
    return name, data, {
        "file": name, "format": format_name, "verdict": "accept", "lattice": list(field.lattice), "fields": fields,
        "kind": field.kind, "colors": field.colors, "spins": field.spins, "numbers": field.numbers,
        "precision": 8 * field.word, "byte_order": byte_order, "checksum": checksum, "plaquette": field.plaquette,
        "stated_plaquette": stated, "site": {"at": list(SITE), "numbers": field.at(SITE), "exact": exact}, "why": why}


def bad(name, format_name, data, defect, why):
    return name, data, {"file": name, "format": format_name, "verdict": "reject", "defect": defect, "why": why}


def beside(made, **others):
    """An entry with further files that belong to it: {name: data}."""
    name, data, expectation = made
    folder = name.rsplit("/", 1)[0]
    expectation["with"] = [f"{folder}/{other}" for other in others]
    return name, data, expectation, {f"{folder}/{other}": bytes_ for other, bytes_ in others.items()}


def scidac_text(sums):
    return {"kind": "scidac", "value": "{:08x}/{:08x}".format(*sums)}


# LIME, SciDAC, ILDG

FILE_XML = ("scidac-file-xml", lime.nul("conformance"))
RECORD_XML = ("scidac-record-xml", lime.nul("conformance"))
LFN = ("ildg-data-lfn", lime.nul("lfn://conformance/1"))


def letter(field):
    return "F" if field.word == 4 else "D"


def scidac_file(field, datatype, colors, spins, count, *extra, kind="scidac-binary-data", data=None, sums=None):
    payload = field.packed(">") if data is None else data
    sums = lime.scidac_sums(payload, field.numbers * field.word) if sums is None else sums
    info = lime.record_info(datatype, letter(field), colors, spins, field.numbers * field.word // count, count)
    return lime.message(lime.file_info(LATTICE), FILE_XML) + lime.message(
        info, RECORD_XML, *extra, (kind, payload), lime.checksum(sums)), sums


def qio_gauge(gauge, **options):
    field = Field.of_links(gauge)
    ildg = lime.ildg_format(LATTICE, 8 * gauge.precision, f"su{gauge.colors}gauge")
    return scidac_file(field, f"QDP_{letter(field)}{gauge.colors}_ColorMatrix", gauge.colors, 1, 4, ildg, LFN,
                       kind="ildg-binary-data", **options)


def lime_files():
    for precision, word in PRECISIONS.items():
        gauge = flat.Gauge(seed=30 + word, precision=word)
        field = Field.of_links(gauge)
        data, sums = qio_gauge(gauge)
        yield good(f"ildg/qio_{precision}.ildg", "ildg", field, data, checksum=scidac_text(sums),
                   why="records of QIO: descriptions of SciDAC and of ILDG")
        payload = field.packed(">")
        plain = lime.ildg_format(LATTICE, 8 * word)[1].rstrip(b"\0")
        xlf = ("xlf-info", f"plaquette = {gauge.plaquette():.12f}\n trajectory nr = 7\n")
        sums = lime.scidac_sums(payload, 72 * word)
        padded = lime.checksum(sums, "{:08x}")[1].rstrip(b"\0")
        yield good(f"ildg/tmlqcd_{precision}.ildg", "ildg", field, lime.message(xlf) + lime.message(
            ("ildg-format", plain), ("ildg-binary-data", payload), ("scidac-checksum", padded)),
            checksum=scidac_text(sums), stated=float(f"{gauge.plaquette():.12f}"), why="records of tmLQCD")
        yield good(f"ildg/no_checksum_{precision}.ildg", "ildg", field, lime.message(
            lime.ildg_format(LATTICE, 8 * word), ("ildg-binary-data", payload)), why="nothing but ILDG asks for")
        for kind, numbers, datatype, spins in (("spinor", 24, f"USQCD_{letter(field)}3_DiracFermion", 4),
                                               ("propagator", 288, "Lattice", 4)):
            other = Field.of_noise(kind, numbers, 40 + word, word)
            data, sums = scidac_file(other, datatype, 3, spins, 1)
            yield good(f"scidac/{kind}_{precision}.scidac", "scidac", other, data, checksum=scidac_text(sums))
    two = flat.Gauge(colors=2, seed=39)
    data, sums = qio_gauge(two)
    yield good("ildg/su2_double.ildg", "ildg", Field.of_links(two), data, checksum=scidac_text(sums))
    yield from mode_files()
    yield from bad_lime()


def mode_files():
    for storage, word in (("single", 4), ("double", 8), ("fixed16", 4)):
        made = SetOfModes([(0.125, 1e-9), (-0.25, None)], dims=LATTICE, storage=storage)
        if storage == "fixed16":
            values = []
            site = struct.Struct(">f24h")
            for magnitude, *integers in site.iter_unpack(made.data(0)):
                values += [magnitude * i / 32767 for i in integers]
        else:
            values = list(struct.unpack(f">{24 * len(flat.SITES)}{'f' if word == 4 else 'd'}", made.data(0)))
        field = Field("spinor", values, 3, 4, word)
        # Read in single precision, a number in fixed point is rounded once more.
        yield good(f"modes/{storage}.modes", "modes", field, made.bytes(), checksum=scidac_text(made.sums(0)), fields=2,
                   exact=storage != "fixed16", why="two vectors; the first one is described")
    made = SetOfModes([(0.125, 1e-9), (-0.25, None)], dims=LATTICE, sums=False)
    values = list(struct.unpack(f">{24 * len(flat.SITES)}d", made.data(0)))
    yield good("modes/double_version_1_0.modes", "modes", Field("spinor", values, 3, 4, 8), made.bytes(),
               checksum=scidac_text(made.sums(0)), fields=2, why="version 1.0: its description has no sum")
    made = SetOfModes([(0.125, 1e-9), (-0.25, None)], dims=LATTICE)
    yield bad("modes/bad_letter_of_the_description.modes", "modes", made.bytes().replace(b"hermitian", b"hermitiam"),
              "malformed", "a letter of the description is another: its sum is wrong")
    yield bad("modes/bad_number_of_the_description.modes", "modes", made.bytes().replace(b"<ls>1<", b"<ls>2<"),
              "malformed", "a number of the description is another: its sum is wrong")


def bad_lime():
    gauge = flat.Gauge(seed=38)
    data, _ = qio_gauge(gauge)
    at = data.index(b"ildg-binary-data")
    changed = bytearray(data)
    changed[at + 128 + 1000] ^= 4
    yield bad("ildg/bad_bit_flipped.ildg", "ildg", bytes(changed), "checksum", "one bit of the data is another")
    yield bad("ildg/bad_checksum.ildg", "ildg", qio_gauge(gauge, sums=(1, 2))[0], "checksum", "sums of other data")
    yield bad("ildg/bad_data_cut.ildg", "ildg", data[:at + 3000], "truncated", "the file ends within the data")
    yield bad("ildg/bad_between_records.ildg", "ildg", data[:data.index(b"scidac-checksum") - 16], "truncated",
              "the file ends behind the data: the message is not ended, the checksum is missing")
    wrong = data.replace(b"<precision>64</precision>", b"<precision>32</precision>").replace(b"<lx>2</lx>", b"<lx>6</lx>")
    yield bad("ildg/bad_extents_contradict.ildg", "ildg", wrong.replace(b"<dims>2 4 2 2", b"<dims>4 4 4 4"), "malformed",
              "the lengths of the data fit neither description")
    yield bad("ildg/bad_no_data.ildg", "ildg", data[:data.index(b"ildg-binary-data") - 16], "truncated",
              "a field is described, and the file ends")
    length = bytearray(data)
    length[at - 8:at] = struct.pack(">Q", 2**62)
    yield bad("ildg/bad_length_of_a_record.ildg", "ildg", bytes(length), "truncated",
              "a record of 2^62 bytes: nothing may be reserved for it")
    spinor = Field.of_noise("spinor", 24, 50)
    data, _ = scidac_file(spinor, "USQCD_D3_DiracFermion", 3, 4, 1, data=spinor.packed(">")[:-192])
    yield bad("scidac/bad_one_site_less.scidac", "scidac", data, "malformed", "data of one site less than the lattice has")


# Formats of a header and the numbers of one field

def named(text):
    kind, value = text.split()
    return {"kind": kind, "value": value}


def nersc_files():
    for precision, word in PRECISIONS.items():
        for order in ORDERS:
            gauge = flat.Gauge(seed=60 + word, precision=word)
            stated = float(f"{gauge.plaquette():.12f}")
            for rows, datatype, name in ((None, "4D_SU3_GAUGE_3x3", "3x3"), (2, "4D_SU3_GAUGE", "two_rows")):
                data, total = flat.nersc(gauge, f"IEEE{8 * word}{order.upper()}", rows, datatype)
                yield good(f"nersc/{name}_{precision}_{order}.nersc", "nersc", Field.of_links(gauge), data,
                           byte_order=order, checksum=named(total), stated=stated, exact=rows is None,
                           why="" if rows is None else "the third row is the complex conjugate of row 0 x row 1")
    gauge = flat.Gauge(seed=68)
    data, _ = flat.nersc(gauge)
    yield bad("nersc/bad_plaquette_twice.nersc", "nersc", flat.nersc(gauge, plaquette=2 * gauge.plaquette())[0],
              "plaquette", "the plaquette in the header is twice that of the links, whose checksum is right")
    yield bad("nersc/bad_checksum.nersc", "nersc", flat.nersc(gauge, checksum=0x12345678)[0], "checksum",
              "the sum in the header is another")
    yield bad("nersc/bad_data_cut.nersc", "nersc", data[:-1], "truncated", "one byte less than the header promises")
    yield bad("nersc/bad_header_cut.nersc", "nersc", data[:100], "truncated", "the header does not end")
    for name, old, new, why in (("extent_negative", "DIMENSION_3 = 2", "DIMENSION_3 = -2", "an extent of -2"),
                                ("extent_missing", "DIMENSION_4 = 2\n", "", "three extents"),
                                ("extents_overflow", "_1 = 2", "_1 = 4000000000000000000", "more sites than 2^63"),
                                ("numbers_of_128_bits", "IEEE64BIG", "IEEE128BIG", "no such numbers")):
        changed = flat.nersc(gauge, change=lambda text: text.replace(old, new, 1))[0]
        yield bad(f"nersc/bad_{name}.nersc", "nersc", changed[:1500], "malformed", why)


def milc_files():
    for order, sign in ORDERS.items():
        for precision, word, magic in (("single", 4, 20103), ("double", 8, 20104)):
            gauge = flat.Gauge(seed=70 + word, precision=word)
            data, sums = flat.milc(gauge, sign, magic)
            yield good(f"milc/version_5_{precision}_{order}.milc", "milc", Field.of_links(gauge), data, byte_order=order,
                       checksum=named(sums), why="" if word == 4 else "magic 20104: GLU's way to say double precision")
        gauge = flat.Gauge(seed=74, precision=4)
        head = struct.pack(f"{sign}5i2f", 59354, *LATTICE, 6.0, 0.125)
        yield good(f"milc/version_1_single_{order}.milc", "milc", Field.of_links(gauge), head + gauge.packed(sign),
                   byte_order=order)
    yield good("milc/sums_zero.milc", "milc", Field.of_links(gauge), flat.milc(gauge, "<", sums=(0, 0))[0],
               byte_order="little", why="sums of zero say that none were taken")
    data, _ = flat.milc(gauge, "<")
    yield bad("milc/bad_sums.milc", "milc", flat.milc(gauge, "<", sums=(1, 2))[0], "checksum", "sums of other data")
    yield bad("milc/bad_data_cut.milc", "milc", data[:-4], "truncated", "a number less than the header promises")
    yield bad("milc/bad_extent_zero.milc", "milc", data[:8] + bytes(4) + data[12:200], "malformed", "an extent of 0")


def fnal_files():
    for order, sign in ORDERS.items():
        for precision, word in PRECISIONS.items():
            gauge = flat.Gauge(seed=80 + word, precision=word)
            field = Field.of_links(gauge)
            yield good(f"fnal/gauge_{precision}_{order}.fnal", "fnal", field, flat.fnal(field.values, 72, sign, word),
                       byte_order=order)
        spinor = Field.of_noise("spinor", 24, 90, 4)
        yield good(f"fnal/spinor_single_{order}.fnal", "fnal", spinor, flat.fnal(spinor.values, 24, sign, 4),
                   byte_order=order)
    data = flat.fnal([], 18)
    yield bad("fnal/bad_no_data.fnal", "fnal", data, "truncated", "a header alone")
    yield bad("fnal/bad_no_elements.fnal", "fnal", flat.fnal([], 0), "malformed", "no elements for each site")
    yield bad("fnal/bad_three_bytes.fnal", "fnal", data[:8] + struct.pack("<i", 3) + bytes(60), "malformed",
              "numbers of three bytes")


def openqcd_files():
    gauge = flat.Gauge(seed=100)
    whole = flat.openqcd(gauge)
    yield good("openqcd/gauge.openqcd", "openqcd", Field.of_links(gauge), whole, byte_order="little",
               stated=gauge.plaquette(), why="links at odd points only, z fastest; the header has three times the plaquette")
    spinor = Field.of_noise("spinor", 24, 101)
    norm = math.fsum(v * v for v in spinor.values)
    values = [v for t, x, y, z in flat.points() for v in spinor.at((x, y, z, t))]
    lattice = (LATTICE[3], *LATTICE[:3])
    for name, head in (("spinor_28", struct.pack("<5id", *lattice, 0, norm)),
                       ("spinor_24", struct.pack("<4id", *lattice, norm))):
        yield good(f"openqcd/{name}.openqcd", "openqcd", spinor, head + flat.pack(values, "<", 8), byte_order="little",
                   checksum={"kind": "norm", "value": repr(norm)}, why=f"a header of {name[-2:]} bytes: told by the size")
    head = struct.pack("<5id", *lattice, 0, norm * (1 + 1e-9))
    yield bad("openqcd/bad_norm.openqcd", "openqcd", head + flat.pack(values, "<", 8), "checksum", "another square norm")
    yield bad("openqcd/bad_one_byte_more.openqcd", "openqcd", whole + b"\0", "unknown", "a byte behind the links")
    yield bad("openqcd/bad_plaquette_of_four.openqcd", "openqcd", whole[:16] + struct.pack("<d", 4.0) + whole[24:], "unknown",
              "no plaquette is 4: this is no header of openQCD")


def openqcd_sets():
    """Two blocks, any of which stands for the set."""
    gauge = flat.Gauge(seed=105)
    spinor = Field.of_noise("spinor", 24, 106)
    norm = math.fsum(v * v for v in spinor.values)
    check = struct.pack("<d", 3 * gauge.plaquette())
    links = [flat.openqcd_block(flat.attached(gauge.numbers), "links", lower, check) for lower in flat.BLOCKS]
    spinors = [flat.openqcd_block(lambda *x: spinor.at(x), "spinor", lower, struct.pack("<id", 0, norm)) for lower in flat.BLOCKS]
    for k in range(2):
        set_of = lambda name, files: {f"{name}{k}_b{1 - k}": files[1 - k]}
        yield beside(good(f"openqcd/gauge_blocks{k}_b{k}", "openqcd", Field.of_links(gauge), links[k], byte_order="little",
                          stated=gauge.plaquette(), why="a block of two; its neighbour has some of its links"),
                     **set_of("gauge_blocks", links))
        yield beside(good(f"openqcd/spinor_blocks{k}_b{k}", "openqcd", spinor, spinors[k], byte_order="little",
                          checksum={"kind": "norm", "value": repr(norm)}, why="a block of two"), **set_of("spinor_blocks", spinors))
    yield bad("openqcd/bad_block_alone_b0", "openqcd", links[0], "truncated", "the other block of the set is missing")
    other = flat.openqcd_block(flat.attached(gauge.numbers), "links", flat.BLOCKS[1], struct.pack("<d", 1.0))
    yield beside(bad("openqcd/bad_blocks_of_two_sets_b0", "openqcd", links[0], "malformed",
                     "the other block states another plaquette"), bad_blocks_of_two_sets_b1=other)
    outside = links[0][:40] + struct.pack("<i", 1) + links[0][44:]
    yield bad("openqcd/bad_block_outside_b0", "openqcd", outside, "unknown", "a block that begins within a block")


RAW_ORDERS = {"gauge": "mu t z y x row column reim", "spinor": "t z y x spin color reim",
              "propagator": "source_spin source_color reim sink_spin sink_color t z y x"}


def raw_files():
    """A description, and the numbers in a file of its name with .data behind it."""
    for kind, numbers in (("gauge", 72), ("spinor", 24), ("propagator", 288)):
        for precision, word in PRECISIONS.items():
            for order, sign in ORDERS.items():
                field = (Field.of_links(flat.Gauge(seed=130 + word, precision=word)) if kind == "gauge"
                         else Field.of_noise(kind, numbers, 131 + word, word))
                data = flat.raw_data({x: field.at(x) for x in flat.SITES}, kind, RAW_ORDERS[kind], sign, word)
                name = f"{kind}_{precision}_{order}"
                text = flat.raw_text(f"kind = {kind}", f"precision = {precision}", f"byte_order = {order}",
                                     f"order = {RAW_ORDERS[kind]}").encode()
                yield beside(good(f"raw/{name}.raw", "raw", field, text, byte_order=order,
                                  why="" if kind == "spinor" else "some axes are slower than those of the lattice"),
                             **{f"{name}.raw.data": data})
    lines = ["kind = spinor", "precision = single", "byte_order = big"]
    for name, changed, defect, why in (
            ("data_short", lines, "truncated", "fewer numbers than described"),
            ("no_precision", [lines[0], lines[2]], "malformed", "a line that must be there"),
            ("axis_twice", [*lines, "order = t z y x spin spin reim"], "malformed", "an axis is named twice"),
            ("lattice_apart", [*lines, "order = t z spin y x color reim"], "malformed", "the axes of the lattice are apart")):
        yield beside(bad(f"raw/bad_{name}.raw", "raw", flat.raw_text(*changed).encode(), defect, why),
                     **{f"bad_{name}.raw.data": bytes(100)})
    yield beside(bad("raw/bad_no_end.raw", "raw", flat.raw_text(*lines, end=False).encode(), "truncated",
                     "the description does not end"), **{"bad_no_end.raw.data": bytes(4 * 24 * len(flat.SITES))})


def mod_file(field, slices=None, wrong_crc=False, wrong_map=False):
    """One vector in an object file of QDP++ (docs/formats/mod.md)."""
    text = (f"<?xml version=\"1.0\"?>\n<MODMetaData>\n  <id>eigenVecsTimeSlice</id>\n"
            f"  <lattSize>{' '.join(map(str, LATTICE))}</lattSize>\n  <decay_dir>3</decay_dir>\n"
            f"  <num_vecs>1</num_vecs>\n</MODMetaData>\n")
    head = desc(b"XXXXQDPLazyDiskMapObjFileXXXX") + struct.pack(">i", 1) + desc(text.encode())
    body, keys, sums = b"", [], []
    data = field.packed(">")
    size = len(data) // LATTICE[3]
    for t in range(LATTICE[3] if slices is None else slices):
        record = data[t * size:][:size]
        sums.append(zlib.crc32(record))
        keys.append(desc(struct.pack(">ii", t, 0)) + place(len(head) + 16 + len(body)))
        body += record + struct.pack(">I", sums[-1] ^ wrong_crc)
    table = struct.pack(">I", len(keys)) + b"".join(keys)
    whole = head + place(len(head) + 16 + len(body)) + body
    return whole + table + struct.pack(">I", zlib.crc32(table) ^ wrong_map), sums


def mod_files():
    for precision, word in PRECISIONS.items():
        vector = Field.of_noise("spinor", 6, 140 + word, word, spins=1)
        data, sums = mod_file(vector)
        yield good(f"mod/vector_{precision}.mod", "mod", vector, data,
                   checksum={"kind": "crc32", "value": "/".join(f"{crc:08x}" for crc in sums)},
                   why="a record for each time slice, and a map of them behind")
    yield bad("mod/bad_slice_missing.mod", "mod", mod_file(vector, 1)[0], "malformed", "a time slice is missing")
    yield bad("mod/bad_slice_crc.mod", "mod", mod_file(vector, wrong_crc=True)[0], "checksum", "another CRC-32 of a slice")
    yield bad("mod/bad_map_crc.mod", "mod", mod_file(vector, wrong_map=True)[0], "malformed", "another CRC-32 of the map")
    yield bad("mod/bad_no_map.mod", "mod", data[:data.index(struct.pack(">II", 8, 0)) - 4], "truncated",
              "the program that wrote it ended before it wrote the map")


def hirep_files():
    for colors in (2, 3):
        gauge = flat.Gauge(colors, seed=110)
        for name, data in ((f"su{colors}", flat.hirep(gauge)),
                           *((("su2_quaternions", flat.hirep(gauge, True)),) if colors == 2 else ())):
            yield good(f"hirep/{name}.hirep", "hirep", Field.of_links(gauge), data, stated=gauge.plaquette(),
                       exact="quaternions" not in name, why="t slowest, z fastest; links t, x, y, z")
    yield bad("hirep/bad_one_byte_less.hirep", "hirep", data[:-1], "unknown", "no size that HiRep writes")
    yield bad("hirep/bad_plaquette_of_two.hirep", "hirep", data[:20] + struct.pack(">d", 2.0) + data[28:], "unknown",
              "no plaquette is 2: this is no header of HiRep")


def ddalphaamg_files():
    gauge = flat.Gauge(seed=115)
    data = flat.ddalphaamg(gauge)
    yield good("ddalphaamg/little_endian.ddalphaamg", "ddalphaamg", Field.of_links(gauge), data, byte_order="little", stated=gauge.plaquette(),
               exact=True, why="t slowest, x fastest; links t, z, y, x; the header of openQCD")
    yield bad("ddalphaamg/bad_one_byte_less.ddalphaamg", "ddalphaamg", data[:-1], "unknown", "no size that DDalphaAMG writes")


def qlattice_files():
    for precision, word in PRECISIONS.items():
        gauge = flat.Gauge(seed=120 + word, precision=word)
        data, crc = flat.qlattice(gauge.packed(">"), 72, word)
        yield good(f"qlattice/gauge_{precision}.field", "qlattice", Field.of_links(gauge), data, checksum=named(crc))
    yield bad("qlattice/bad_crc.field", "qlattice", flat.qlattice(gauge.packed(">"), 72, 8, crc=1)[0], "checksum",
              "another CRC-32")
    yield bad("qlattice/bad_data_cut.field", "qlattice", data[:-8], "truncated", "a number less than the header promises")
    yield bad("qlattice/bad_extent_zero.field", "qlattice", data.replace(b"total_site[2] = 2", b"total_site[2] = 0"),
              "malformed", "an extent of 0")


def hdf5_files():
    yield from hdf5.hdf5_files(sys.modules[__name__])


def openqcd_local():
    yield from local.local_files(sys.modules[__name__])


def squeezed_files():
    yield from squeezed.squeezed_files(sys.modules[__name__])


MAKERS = (lime_files, nersc_files, milc_files, fnal_files, openqcd_files, openqcd_sets, openqcd_local, hirep_files, ddalphaamg_files, qlattice_files, raw_files,
          mod_files, hdf5_files, squeezed_files)


def outputs():
    """{path below files: bytes}"""
    made, expectations = {}, []
    for maker in MAKERS:
        for name, data, expectation, *others in maker():
            for more in others:
                made.update(more)
            expectation["bytes"], expectation["crc32"] = len(data), f"{zlib.crc32(data):08x}"
            made[name] = data
            expectations.append(expectation)
    lines = ",\n".join(" " + json.dumps(expectation) for expectation in expectations)
    made["expectations.json"] = f'{{"version": 1, "files": [\n{lines}\n]}}\n'.encode()
    return made


def main():
    return keep(outputs(), FILES, [path for path in FILES.rglob("*") if path.is_file()])


if __name__ == "__main__":
    sys.exit(main())
