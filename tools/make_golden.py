#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Writes tests/golden/good/lime and tests/golden/bad/lime: small files as other programs write them, and files
# with one defect each. NAME.expect contains the expected result of a reader:
#   format NAME                                        what the file is recognised as
#   field NAME KIND LATTICE NUMBERS PRECISION SUMS     one line per field, SUMS or "absent"
#   box LOWER EXTENTS                                  of the field before, if it is not the whole lattice
#   metadata KEY                                       a text of the field before (or of the file, before any field)
#   rule NAME                                          validate must have a finding of this rule
#   code NAME                                          bad files: the error code of a read
#   message TEXT                                       bad files: part of the message
import pathlib
import struct
import sys

from lime_writer import (DECLARATION, MB, ME, checksum, etmc_format, file_info, flagged, header, ildg_format, message,
                         nul, numbers, record, record_info, scidac_sums, volume, weighted_sums)

DIMS = (2, 2, 1, 2)
FILE_XML = ("scidac-file-xml", nul('<?xml version="1.0"?><gauge><id>0</id></gauge>'))
RECORD_XML = ("scidac-record-xml", nul('<?xml version="1.0"?><usqcdInfo><version>1.0</version><plaq>0.5862</plaq>'
                                       '<linktr>0.0125</linktr><info>test</info></usqcdInfo>'))
LFN = ("ildg-data-lfn", nul("lfn://ldg/test/golden/conf.0001"))
GLOBAL = "<recordtype>1</recordtype>"
XLF = ("xlf-info", "plaquette = 0.586200000000\n trajectory nr = 7\n beta = 6.000000000000, kappa = 0.125000000000\n"
                   " time = 1650000000\n hmcversion = 5.2.0\n date = Thu Apr 14 17:20:32 2022\n")


def sums_text(sums):
    return "{:08x}/{:08x}".format(*sums)


class Gauge:
    """A gauge field of random numbers and the records that describe it."""

    def __init__(self, word=8, dims=DIMS, colors=3, seed=1):
        self.dims, self.word, self.colors = dims, word, colors
        self.reals = 2 * len(dims) * colors * colors
        self.data = numbers(volume(dims) * self.reals, word, seed)
        self.sums = scidac_sums(self.data, self.reals * word)
        letter = "F" if word == 4 else "D"
        self.info = record_info(f"QDP_{letter}{colors}_ColorMatrix", letter, colors, 1, 2 * colors**2 * word, len(dims))
        self.format = ildg_format(dims, 8 * word, f"su{colors}gauge") if len(dims) == 4 else None
        self.binary = ("ildg-binary-data", self.data)
        self.checksum = checksum(self.sums)

    def expect(self, sums=None):
        precision = "single" if self.word == 4 else "double"
        lattice = "x".join(map(str, self.dims))
        return f"field gauge gauge {lattice} {self.reals} {precision} {sums or sums_text(self.sums)}\n"

    def qio(self, *extra):
        return message(file_info(self.dims), FILE_XML) + message(
            self.info, RECORD_XML, self.format, *extra, self.binary, self.checksum)


def field_line(name, kind, dims, reals, word, sums):
    precision = "single" if word == 4 else "double"
    return f"field {name} {kind} {'x'.join(map(str, dims))} {reals} {precision} {sums_text(sums) if sums else 'absent'}\n"


def qio_files():
    double, single = Gauge(), Gauge(word=4, seed=2)
    ildg = "format ildg\nmetadata scidac-file-xml\n"
    yield "qio_gauge_double", double.qio(), ildg + double.expect() + "metadata scidac-record-xml\nrule ildg-lfn-missing\n"
    yield ("qio_gauge_single_with_lfn", single.qio(LFN), ildg + single.expect() + "metadata ildg-data-lfn\n")
    two = Gauge(colors=2, seed=3)
    yield "su2_gauge", two.qio(LFN), ildg + two.expect()
    other = Gauge(dims=(2, 1, 2), seed=4)
    body = message(file_info(other.dims), FILE_XML) + message(
        other.info, RECORD_XML, ("scidac-binary-data", other.data), other.checksum)
    yield "gauge_in_three_dimensions", body, "format scidac\n" + other.expect()
    old = record_info("QDP_D3_ColorMatrix", "D", 3, 4, 144, 4, "<globaldata>0</globaldata>")
    private = ("scidac-private-file-xml", nul(
        f"{DECLARATION}<scidacFile><version>1.0</version><spacetime>4</spacetime><dims>2 2 1 2 </dims>"
        "<multifile>1</multifile></scidacFile>"))
    yield ("private_xml_of_version_1_0", message(private, FILE_XML) + message(
        old, RECORD_XML, double.format, LFN, double.binary, double.checksum), ildg + double.expect())


def qio_other_records():
    ramp = b"".join(numbers_of([rank]) for rank in range(16))
    info = record_info("QDP_F_Real", "F", 0, 0, 4, 1)
    sums = (0x0C8E3834, 0x0C8E3834)  # published: docs/formats/scidac.md 11
    yield ("vector_16_sites", message(file_info((4, 4)), FILE_XML) + message(
        info, RECORD_XML, ("scidac-binary-data", ramp), checksum(sums)),
        "format scidac\n" + field_line("field", "generic", (4, 4), 1, 4, sums))

    ranks = [x + 8 * (y + 4 * (z + 4 * 2)) for z in range(4) for y in range(4) for x in (1, 2)]
    box = record_info("QDP_F_Real", "F", 0, 0, 4, 1,
                      "<recordtype>2</recordtype><spacetime>4</spacetime><hyperlower>1 0 0 2 </hyperlower>"
                      "<hyperupper>2 3 3 2 </hyperupper>")
    sums = (0x42836B09, 0x0CB18463)  # published
    yield ("hypercube", message(file_info((8, 4, 4, 4)), FILE_XML) + message(
        box, RECORD_XML, ("scidac-binary-data", numbers_of(ranks)), checksum(sums)),
        "format scidac\n" + field_line("field", "generic", (8, 4, 4, 4), 1, 4, sums) + "box 1x0x0x2 2x4x4x1\n")

    info = record_info("QDP_F_Real", "F", 0, 0, 12, 1, GLOBAL)
    field = record_info("QDP_F_Real", "F", 0, 0, 4, 1)
    yield ("global_record_then_field", message(file_info((4, 4)), FILE_XML) + message(
        info, RECORD_XML, ("scidac-binary-data", numbers_of([0, 1, 2])), checksum((0x343A3571, 0x343A3571))) + message(
        field, RECORD_XML, ("scidac-binary-data", ramp), checksum((0x0C8E3834, 0x0C8E3834))),
        "format scidac\nrule scidac-global-record\n" + field_line("field", "generic", (4, 4), 1, 4, (0x0C8E3834, 0x0C8E3834)))

    constant = numbers_of([1]) * 58
    sums = scidac_sums(constant, 4)
    assert sums[0] == 0 and sums[1] != 0
    info = record_info("QDP_F_Real", "F", 0, 0, 4, 1)
    yield ("checksum_zero_is_a_checksum", message(file_info((58, 1, 1, 1)), FILE_XML) + message(
        info, RECORD_XML, ("scidac-binary-data", constant), checksum(sums)),
        "format scidac\n" + field_line("field", "generic", (58, 1, 1, 1), 1, 4, sums))


def quda_vector(subset, parity, dims, seed):
    """A vector as QUDA writes it: `subset` "parity" halves the extent in x, "full" leaves the other parity zero."""
    data = numbers(volume(dims) * 24, 4, seed)
    info = record_info("QUDA_FNs4Nc3_ColorSpinorField", "F", 3, 4, 96, 1)
    text = ("scidac-record-xml", nul(
        f"{DECLARATION}<qudaWilsonColorSpinorField><version>BETA</version><type>vector</type><info>"
        f"<subset>{subset}</subset><parity>{parity}</parity><nColor>3</nColor><nSpin>4</nSpin></info>"
        "</qudaWilsonColorSpinorField>"))
    sums = scidac_sums(data, 96)
    return message(file_info(dims), FILE_XML) + message(
        info, text, ("scidac-binary-data", data), checksum(sums)), sums


def milc_eigenvector(dims, packed):
    """A file of one staggered eigenvector as MILC writes it; packed: even sites in a lattice of half the time."""
    data = numbers(volume(dims) * 6, 4, 31)
    info = record_info("USQCD_F3_ColorVector", "F", 3, 0, 24, 1)
    title = ("scidac-file-xml", nul(f"{DECLARATION}<info><title>KS eigenvalues and vectors</title><Nvecs>1</Nvecs>"
                                    + ("<format>Packed</format>" if packed else "") + "</info>"))
    sums = scidac_sums(data, 24)
    return message(file_info(dims), title) + message(
        info, RECORD_XML, ("scidac-binary-data", data), checksum(sums)), sums


def subset_files():
    dims = (4, 2, 2, 2)
    body, sums = quda_vector("full", "even", dims, 32)
    yield ("quda_vector_of_even_sites_inflated", body,
           "format scidac\nrule scidac-subset\n" + field_line("field", "generic", dims, 24, 4, sums))
    body, sums = quda_vector("full", "full", dims, 33)
    yield "quda_vector", body, "format scidac\n" + field_line("field", "generic", dims, 24, 4, sums)
    body, sums = milc_eigenvector(dims, packed=False)
    yield "milc_eigenvector", body, "format scidac\n" + field_line("spinor", "spinor", dims, 6, 4, sums)
    dims = (4, 2, 2, 1)
    body, sums = milc_eigenvector(dims, packed=True)
    yield ("milc_packed_eigenvector", body,
           "format scidac\nrule scidac-subset\n" + field_line("spinor", "spinor", dims, 6, 4, sums))
    dims = (2, 2, 2, 2)
    for parity in ("even", "odd"):
        body, sums = quda_vector("parity", parity, dims, 34)
        yield (f"quda_vector_of_{parity}_sites", body,
               "format scidac\nrule scidac-subset\n" + field_line("field", "generic", dims, 24, 4, sums))


def numbers_of(values):
    return b"".join(struct.pack(">f", v) for v in values)


def chroma_files():
    dims = (2, 1, 1, 1)
    for word, letter in ((8, "D"), (4, "F")):
        data = numbers(volume(dims) * 288, word, 5)
        sums = scidac_sums(data, 288 * word)
        info = record_info("Lattice", letter, 3, 4, 288 * word, 1)
        yield (f"chroma_propagator_{8 * word}", message(file_info(dims), FILE_XML) + message(
            info, RECORD_XML, ("scidac-binary-data", data), checksum(sums)),
            "format scidac\n" + field_line("propagator", "propagator", dims, 288, word, sums))
    dims, body, expect = (2, 2, 1, 1), b"", "format scidac\n"
    for seed in (6, 7, 8):
        data = numbers(volume(dims) * 24, 4, seed)
        sums = scidac_sums(data, 96)
        info = record_info("USQCD_F3_DiracFermion", "F", 3, 4, 96, 1)
        body += message(info, RECORD_XML, ("scidac-binary-data", data), checksum(sums))
        expect += field_line("spinor", "spinor", dims, 24, 4, sums)
    yield "three_spinors", message(file_info(dims), FILE_XML) + body, expect


def tmlqcd_files():
    gauge = Gauge(seed=9)
    pretty = ("ildg-format", gauge.format[1].rstrip(b"\0").replace(b"><", b">\n  <"))
    padded = ("scidac-checksum", checksum(gauge.sums, "{:08x}")[1].rstrip(b"\0").replace(b"><", b">\n  <"))
    yield ("tmlqcd_gauge", message(XLF) + message(pretty, gauge.binary, padded),
           "format ildg\nmetadata xlf-info\n" + gauge.expect() + "rule ildg-lfn-missing\n")

    dims = (2, 2, 2, 3)
    data = [numbers(volume(dims) * 24, 4, seed) for seed in (10, 11)]
    sums = [scidac_sums(d, 96) for d in data]
    info = ("inverter-info", "solver = CG\n epssq = 1.0e-18\n noiter = 100\n")
    start = message(("propagator-type", "DiracFermion_Sink")) + message(
        XLF, ("gauge-scidac-checksum-copy", gauge.checksum[1].rstrip(b"\0")))
    lines = [field_line("spinor", "spinor", dims, 24, 4, s) for s in sums]
    head = "format scidac\nmetadata propagator-type\nmetadata gauge-scidac-checksum-copy\nmetadata inverter-info\n"
    yield ("tmlqcd_propagator", start + message(info, etmc_format(dims, 32)) + message(
        ("scidac-binary-data", data[0]), checksum(sums[0], "{:08x}")), head + lines[0])
    yield ("tmlqcd_two_flavours", start + message(info, etmc_format(dims, 32, 2)) + b"".join(
        message(("scidac-binary-data", d), checksum(s)) for d, s in zip(data, sums)), head + "".join(lines))
    yield ("tmlqcd_precision_from_length", start + message(info, etmc_format(dims, 64)) + message(
        ("scidac-binary-data", data[0]), checksum(sums[0])), head + lines[0] + "rule field-precision\n")
    odd = (2, 2, 3, 2)  # printed as 2 2 2 2
    yield ("tmlqcd_prints_lx_for_lz", start + message(info, etmc_format((2, 2, 2, 2), 32)) + message(
        ("scidac-binary-data", data[0]), checksum(sums[0])), head + field_line("spinor", "spinor", odd, 24, 4, sums[0]))
    yield ("tmlqcd_eigenvector_without_flags", flagged(0, ("xlf-info", "eigenvalue = 1.0e-3\n")) + flagged(
        ME, ("eospinor-binary-data", data[0][:192])), "format lime\nmetadata xlf-info\nrule lime-message-begin\n")


def grid_files():
    gauge = Gauge(seed=12)
    metadata = ("grid-format", "<?xml version=\"1.0\"?>\n<FieldMetaData>\n  <nd>4</nd>\n  <link_trace>0.0125</link_trace>\n"
                               "  <plaquette>0.5862</plaquette>\n</FieldMetaData>\n")
    norm = ("FieldNormMetaData", "<?xml version=\"1.0\"?>\n<FieldNormMetaData>\n  <norm2>1</norm2>\n</FieldNormMetaData>\n")
    private = file_info(gauge.dims, separator=" \n", version="1")
    info = record_info("GRID_D_LorentzVector4_ColourMatrix3", "D", 3, 4, 144, 4)
    form = ("ildg-format", gauge.format[1].replace(b"<version>1.0<", b"<version>1<"))
    yield ("grid_gauge", message(metadata, norm, private, FILE_XML) + message(
        info, RECORD_XML, form, LFN, gauge.binary, norm, gauge.checksum),
        "format ildg\nmetadata grid-format\n" + gauge.expect() + "metadata ildg-data-lfn\nmetadata FieldNormMetaData\n")
    dims = (2, 2, 1, 1)
    data = numbers(volume(dims) * 24, 8, 13)
    sums = scidac_sums(data, 192)
    info = record_info("GRID_D_SpinColourVector4_3", "D", 3, 4, 192, 1)
    yield ("grid_field_in_ildg_binary_data", message(file_info(dims, separator=" \n", version="1"), FILE_XML) + message(
        metadata, RECORD_XML, info, ("ildg-binary-data", data), norm, checksum(sums)),
        "format scidac\n" + field_line("field", "generic", dims, 24, 8, sums) + "rule scidac-record-order\n")


def deviating_files():
    gauge = Gauge(word=4, seed=14)
    records = (file_info(gauge.dims), FILE_XML, gauge.info, RECORD_XML, gauge.format, LFN, gauge.binary, gauge.checksum)
    plain = "format ildg\n" + gauge.expect()
    yield "no_flags_at_all", flagged(0, *records), plain + "rule lime-message-begin\n"
    yield "every_record_a_message", flagged(MB | ME, *records), plain + "rule ildg-one-message\n"
    yield "every_record_begins_a_message", flagged(MB, *records), plain + "rule lime-message-end\n"
    body = gauge.qio(LFN)
    bare = message(gauge.format, LFN, gauge.binary, ("scidac-checksum", gauge.checksum[1].rstrip(b"\0") + b"\n\n"))
    assert len(bare) > len(bare.rstrip(b"\0"))
    yield "missing_final_padding", bare.rstrip(b"\0"), plain + "rule lime-padding-missing\n"
    yield "trailing_newline", body + b"\n", plain + "rule lime-trailing-bytes\n"
    yield "trailing_old_contents", body + gauge.data[100:1000], plain + "rule lime-trailing-bytes\n"
    yield ("capital_lfn", gauge.qio(("ildg-data-LFN", LFN[1])), plain + "metadata ildg-data-lfn\nrule ildg-lfn-spelling\n")
    yield ("zero_length_record", gauge.qio(LFN, ("empty-note", b"")), plain + "metadata empty-note\n")
    spaced = ("ildg-format", nul(gauge.format[1].decode().rstrip("\0").replace("su3gauge", " su3gauge ").replace(
        "<lx>2</lx>", "<lx> 2 </lx>\n").replace("<lt>", "\n<lt>\t")))
    yield "white_space_in_xml", message(spaced, LFN, gauge.binary, gauge.checksum), plain
    prefixed = ("ildg-format", "<i:ildgFormat xmlns:i='http://www.lqcd.org/ildg'><i:lt>2</i:lt><i:lz>1</i:lz>"
                               "<i:ly>2</i:ly><i:lx>2</i:lx><i:remark a='1'/><i:precision>32</i:precision>"
                               "<i:field>su3gauge</i:field></i:ildgFormat>")
    yield ("xml_prefixes_and_any_order", message(prefixed, LFN, gauge.binary, gauge.checksum),
           plain + "rule ildg-format-schema\n")
    yield ("description_and_data_in_different_messages", message(gauge.format) + message(XLF) + message(gauge.binary)
           + message(gauge.checksum), plain + "rule ildg-one-message\n")
    yield ("description_behind_the_data", message(gauge.binary, gauge.checksum, LFN, gauge.format),
           plain + "metadata ildg-data-lfn\nrule ildg-record-order\n")
    yield "several_unrelated_messages", message(("note", "one")) + message(("note", "two"), ("note", "three")) + body + \
        message(("log", "behind")), "format ildg\nmetadata note\nmetadata log\n" + gauge.expect()
    yield ("reserved_bits_and_padding", record("xlf-info", "abc", MB | ME | 0x3F, filler=b"x", reserved=7) + body,
           plain + "rule lime-reserved-bits\nrule lime-padding-nonzero\n")
    yield ("type_of_128_characters", record("t" * 128, "abc", MB | ME) + body, plain + "rule lime-type-unterminated\n")


def checksum_files():
    gauge = Gauge(word=4, seed=15)
    head = "format ildg\n"
    yield ("checksum_in_capitals_with_0x", message(gauge.format, LFN, gauge.binary, checksum(gauge.sums, "0x{:X}")),
           head + gauge.expect())
    yield "checksum_absent", message(gauge.format, LFN, gauge.binary), head + gauge.expect("absent") + \
        "rule scidac-checksum-missing\n"
    empty = ("scidac-checksum", nul(f"{DECLARATION}<scidacChecksum><version>1.0</version></scidacChecksum>"))
    yield "checksum_without_sums", message(gauge.format, LFN, gauge.binary, empty), head + gauge.expect("absent") + \
        "rule scidac-checksum-empty\n"
    declared = record_info("QDP_D3_ColorMatrix", "D", 3, 1, 144, 4)
    yield ("precision_declared_wrong", message(file_info(gauge.dims), FILE_XML) + message(
        declared, RECORD_XML, ("scidac-binary-data", gauge.data), gauge.checksum),
        "format scidac\n" + gauge.expect() + "rule field-precision\n")
    site, half = gauge.reals * 4, volume(gauge.dims) // 2
    sums = [scidac_sums(gauge.data[:half * site], site),
            scidac_sums(gauge.data[half * site:], site, range(half, 2 * half))]
    lines = "".join("{} {:08x} {:08x}\n".format(i, *s) for i, s in enumerate(sums))
    slices = ("limequat-slices", "limequat-slices 1.0 2\n" + lines)
    yield "slices", gauge.qio(LFN, XLF, slices), head + gauge.expect() + "slices 2\n"
    weights = [weighted_sums(gauge.data[:half * site], site, range(half)),
               weighted_sums(gauge.data[half * site:], site, range(half, 2 * half))]
    total = [sums[0][0] ^ sums[1][0], sums[0][1] ^ sums[1][1], *((a + b) % 2**64 for a, b in zip(*weights))]
    weighted = "".join("{} {:08x} {:08x} {:016x} {:016x}\n".format(i, *values) for i, values in (
        (0, sums[0] + weights[0]), (1, sums[1] + weights[1]), ("total", total)))
    yield ("slices_with_weights", gauge.qio(LFN, XLF, ("limequat-slices", "limequat-slices 1.1 2\n" + weighted)),
           head + gauge.expect() + "slices 2\n")
    wrong = ("limequat-slices", slices[1].replace(f"{sums[0][0]:08x}", f"{sums[0][0] ^ 1:08x}"))
    yield "slices_contradict_the_checksum", gauge.qio(LFN, wrong), head + gauge.expect() + \
        "slices 2\nrule limequat-slices-contradict\n"
    torn = ("limequat-slices", "limequat-slices 1.0 2\n0 12345678\n")
    yield "slices_malformed", gauge.qio(LFN, torn), head + gauge.expect() + "slices 0\nrule limequat-slices-malformed\n"
    named = gauge.qio(LFN, ("limequat-name", "smeared links"))
    yield "field_with_a_name", named, head + gauge.expect().replace("field gauge ", "field smeared%20links ")
    yield "plain_records", message(("note", "one")) + message(("bytes", b"\0\1\2\3"), ("note", "two")), \
        "format lime\nmetadata note\n"


def bad_containers():
    gauge = Gauge(word=4, seed=16)
    body = gauge.qio(LFN)
    yield "empty", b"", "code unknown_format\nmessage the file is empty\n"
    yield "three_bytes", body[:3], "code unknown_format\nmessage begins with\n"
    yield "not_lime", b"SIMPLE  =                    T\n", "code unknown_format\nmessage FITS\n"
    yield "magic_of_first_record", b"\x44" + body[1:], "code malformed\nrule lime-magic\nmessage 45 67 89 ab\n"
    second = body.index(b"\x45\x67\x89\xab", 4)
    yield ("magic_of_second_record", body[:second] + b"\x45\x67\x89\xaa" + body[second + 4:],
           "code malformed\nrule lime-magic\nmessage 45 67 89 aa\n")
    last = body.rindex(b"\x45\x67\x89\xab")
    yield ("magic_of_last_record", body[:last] + b"\xba\x98\x76\x54" + body[last + 4:],
           "code malformed\nrule lime-magic\nmessage no record header here\n")
    yield "header_cut", body[:last + 100], "code truncated\nrule lime-header-truncated\nmessage 100 bytes into\n"
    yield "first_header_cut", body[:60], "code truncated\nrule lime-header-truncated\nmessage 60 bytes into\n"
    yield "data_cut", body[:last - 1000], "code truncated\nrule lime-payload-truncated\nmessage the file ends after\n"
    yield "cut_before_checksum", body[:last], "code truncated\nrule lime-message-truncated\nmessage inside a message\n"
    note = record("note", "abc", MB | ME)
    for name, length, code, rule in (
            ("length_2_to_the_63", 1 << 63, "malformed", "lime-length"),
            ("length_all_ones", (1 << 64) - 1, "malformed", "lime-length"),
            ("length_wraps_with_header", (1 << 64) - 144, "malformed", "lime-length"),
            ("length_just_below_2_to_the_63", (1 << 63) - 1, "truncated", "lime-payload-truncated"),
            ("length_one_past_the_end", len(body) + 1, "truncated", "lime-payload-truncated")):
        yield name, note + header("note", length, MB | ME) + body, f"code {code}\nrule {rule}\n"
    yield ("length_too_small", record("note", b"x" * 304, MB, length=8) + record("note", "y", ME) + body,
           "code malformed\nrule lime-magic\nmessage no record header here\n")
    yield "version_2", record("note", "abc", MB | ME, version=2) + body, "code malformed\nrule lime-version\nmessage version 2\n"
    yield "no_field", message(("note", "no lattice here")), "code no_such_record\nmessage no field\n"


def with_records(gauge, **changed):
    """A QIO file in which some records are replaced (or omitted, by None)."""
    records = dict(file=file_info(gauge.dims), file_text=FILE_XML, info=gauge.info, text=RECORD_XML, form=gauge.format,
                   lfn=LFN, data=gauge.binary, sums=gauge.checksum)
    records.update(changed)
    first = [records[k] for k in ("file", "file_text") if records[k]]
    second = [records[k] for k in ("info", "text", "form", "lfn", "data", "sums") if records[k]]
    return (message(*first) if first else b"") + message(*second)


def bad_xml():
    gauge = Gauge(word=4, seed=17)

    def edited(pair, old, new):
        assert old.encode() in pair[1]
        return pair[0], pair[1].replace(old.encode(), new.encode())

    form, info, private = gauge.format, gauge.info, file_info(gauge.dims)
    for name, changes, expect in (
        ("ildg_format_not_closed", dict(form=("ildg-format", form[1][:200])), "malformed ildg-format"),
        ("ildg_format_other_root", dict(form=edited(form, "ildgFormat", "otherFormat")), "malformed ildg-format"),
        ("ildg_format_without_lt", dict(form=edited(form, "<lt>2</lt>", "")), "malformed ildg-format"),
        ("ildg_format_empty", dict(form=("ildg-format", b"")), "malformed ildg-format"),
        ("ildg_precision_16", dict(form=edited(form, ">32<", ">16<")), "malformed ildg-format"),
        ("ildg_extent_zero", dict(form=edited(form, "<lx>2<", "<lx>0<")), "malformed ildg-format"),
        ("ildg_extent_negative", dict(form=edited(form, "<lx>2<", "<lx>-2<")), "malformed ildg-format"),
        ("ildg_extents_overflow", dict(form=edited(edited(form, "<lx>2<", "<lx>4611686018427387904<"), "<ly>2<",
                                                   "<ly>4611686018427387904<")), "malformed ildg-format"),
        ("ildg_lattice_wrong", dict(info=None, form=edited(form, "<lt>2<", "<lt>3<")), "malformed field-length"),
        ("lattices_contradict", dict(form=edited(edited(form, "<lz>1<", "<lz>2<"), "<lt>2<", "<lt>1<")),
         "malformed field-contradiction"),
        ("file_xml_not_closed", dict(file=(private[0], private[1][:100])), "malformed scidac-private-file-xml"),
        ("file_dims_without_numbers", dict(file=edited(private, "2 2 1 2 ", "a b c d")),
         "malformed scidac-private-file-xml"),
        ("file_dims_nine", dict(file=edited(private, "2 2 1 2 ", "1 1 1 1 1 1 1 1 1 ")),
         "malformed scidac-private-file-xml"),
        ("file_spacetime_contradicts", dict(file=edited(private, "<spacetime>4<", "<spacetime>3<")),
         "malformed scidac-private-file-xml"),
        ("file_is_part_of_a_volume", dict(file=file_info(gauge.dims, volfmt=2)), "unsupported scidac-volume-name"),
        ("record_xml_not_xml", dict(info=(info[0], b"typesize = 72\0")), "malformed scidac-private-record-xml"),
        ("record_type_7", dict(info=edited(info, "<recordtype>0<", "<recordtype>7<")),
         "malformed scidac-private-record-xml"),
        ("record_without_typesize", dict(info=edited(info, "<typesize>72</typesize>", "")),
         "malformed scidac-private-record-xml"),
        ("record_typesize_overflows", dict(form=None, info=edited(info, ">72<", ">99999999999999999999<")),
         "malformed scidac-private-record-xml"),
        ("record_site_size_wrong", dict(form=None, info=edited(info, ">72<", ">80<")), "malformed field-length"),
        ("no_description", dict(form=None, info=None), "malformed field-undescribed"),
        ("no_lattice", dict(form=None, file=None, file_text=None), "malformed scidac-private-file-missing"),
        ("checksum_not_hexadecimal", dict(sums=edited(gauge.checksum, "<suma>", "<suma>xyz")),
         "malformed scidac-checksum"),
        ("checksum_of_nine_digits", dict(sums=checksum((0x123456789, 1))), "malformed scidac-checksum"),
        ("checksum_xml_not_closed", dict(sums=(gauge.checksum[0], gauge.checksum[1][:80])), "malformed scidac-checksum"),
        ("data_of_length_zero", dict(data=("ildg-binary-data", b"")), "malformed field-length"),
    ):
        code, rule = expect.split()
        yield name, with_records(gauge, **changes), f"code {code}\nrule {rule}\n"
    deep = "<a>" * 100 + "</a>" * 100
    yield ("xml_nested_too_deep", with_records(gauge, form=("ildg-format", deep)), "code malformed\nrule ildg-format\n")
    bomb = "<!DOCTYPE b [<!ENTITY a 'aaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]><ildgFormat><field>&b;</field></ildgFormat>"
    yield "xml_entities", with_records(gauge, form=("ildg-format", bomb)), "code malformed\nrule ildg-format\n"
    box = record_info("QDP_F3_ColorMatrix", "F", 3, 1, 72, 4,
                      "<recordtype>2</recordtype><hyperlower>0 0 0 1 </hyperlower><hyperupper>1 1 0 2 </hyperupper>")
    yield ("hypercube_outside_the_lattice", with_records(gauge, form=None, info=box),
           "code malformed\nrule scidac-hypercube\n")


def bad_data():
    gauge = Gauge(word=4, seed=18)
    body = gauge.qio(LFN)
    at = body.index(gauge.data) + 1000
    yield ("one_bit_of_the_data", body[:at] + bytes([body[at] ^ 1]) + body[at + 1:],
           "code checksum_mismatch\nmessage " + sums_text(gauge.sums) + "\n")
    zeros = body[:at] + bytes(512) + body[at + 512:]
    yield "block_of_zeros", zeros, "code checksum_mismatch\nmessage " + sums_text(gauge.sums) + "\n"
    other = Gauge(word=4, seed=19)
    yield ("checksum_of_another_field", with_records(gauge, sums=other.checksum),
           "code checksum_mismatch\nmessage " + sums_text(other.sums) + "\n")


def all_files():
    """(path below tests/golden, contents) of every file."""
    good = (qio_files, qio_other_records, subset_files, chroma_files, tmlqcd_files, grid_files, deviating_files, checksum_files)
    bad = (bad_containers, bad_xml, bad_data)
    for folder, makers in (("good", good), ("bad", bad)):
        for maker in makers:
            for name, contents, expect in maker():
                yield f"{folder}/lime/{name}.lime", contents
                yield f"{folder}/lime/{name}.expect", expect.encode()


def write(root):
    for name, contents in all_files():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(contents)


def check(root):
    """The names of files that are missing, differ, or are not expected."""
    wanted = dict(all_files())
    held = {str(path.relative_to(root)) for path in root.glob("*/lime/*")}
    differing = [name for name in wanted if name in held and (root / name).read_bytes() != wanted[name]]
    return sorted(held.symmetric_difference(wanted)) + differing


if __name__ == "__main__":
    golden = pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden"
    if sys.argv[1:] == ["--check"]:
        wrong = check(golden)
        sys.exit("differ from what make_golden.py writes: " + ", ".join(wrong) if wrong else 0)
    write(golden)
