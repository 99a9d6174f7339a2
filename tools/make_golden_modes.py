#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Writes tests/golden/good/modes and tests/golden/bad/modes: sets of modes, and sets with one defect each, in plain Python, based only
# on docs/formats/modes.md. NAME.expect contains the expected result of a reader:
#   mode EIGENVALUE_RE EIGENVALUE_IM RESIDUAL|- SUMA/SUMB   a mode that is listed
#   rule NAME                                               a finding
"""usage: make_golden_modes.py [--check]"""

import math
import pathlib
import struct
import sys

from lime_writer import DECLARATION, MB, ME, numbers, record, scidac_sums, volume, weighted_sums
from made_files import keep

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden"
HEAD = 144


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def sealed(data):
    return data + struct.pack(">Q", fnv1a(data))


def fixed16(values, per_site):
    """Sites in fixed point of a list of numbers."""
    data = b""
    for first in range(0, len(values), per_site):
        site = values[first:first + per_site]
        largest = max(map(abs, site))
        magnitude = struct.unpack(">f", struct.pack(">f", largest))[0]
        if magnitude < largest:
            magnitude = struct.unpack(">f", struct.pack(">I", struct.unpack(">I", struct.pack(">f", magnitude))[0] + 1))[0]
        scaled = [x * 32767 / magnitude for x in site]
        integers = [int(math.copysign(math.floor(abs(x) + 0.5), x)) for x in scaled]
        data += struct.pack(f">f{per_site}h", magnitude, *integers) + b"\0" * (2 * (per_site % 2))
    return data


class SetOfModes:
    """A set on a lattice; `modes` are (eigenvalue, residual or None). With coherence = (basis, extents of a block,
    errors) those with an error are coefficients."""

    def __init__(self, modes, *, dims=(2, 2, 1, 3), room=4, storage="double", per_site=24, parity="both", ls=1,
                 kind=("spinor", 3, 4), parameters="", coherence=None, sums=True):
        self.modes = modes
        self.sites = (dims[0] // (1 if parity == "both" else 2),) + tuple(dims[1:])
        self.per_site, self.storage, self.room = per_site * ls, storage, room
        self.site_bytes = {"double": 8 * self.per_site, "single": 4 * self.per_site,
                           "fixed16": 4 * (1 + (self.per_site + 1) // 2)}[storage]
        self.basis, block, self.errors = coherence or (0, self.sites, {})
        self.blocks_of_sites = tuple(n // b for n, b in zip(self.sites, block))
        extents = "".join(f"{n} " for n in dims)
        version, coherent = ("1.1" if sums else "1.0"), ""
        if coherence:
            version, words = ("2.1" if sums else "2.0"), "".join(f"{n} " for n in block)
            coherent = f"<basis>{self.basis}</basis><block>{words}</block><tolerance>0.5</tolerance>"
        self.document = (
            f"{DECLARATION}<limequatModes><version>{version}</version><lattice>{extents}</lattice><parity>{parity}</parity>"
            f"<ls>{ls}</ls><kind>{kind[0]}</kind><colors>{kind[1]}</colors><spins>{kind[2]}</spins>"
            f"<numbers>{per_site}</numbers><complex>{1 - per_site % 2}</complex><storage>{storage}</storage>"
            f"<operator>hermitian Wilson</operator>{coherent}{parameters}")
        self.document += (f"<fnv1a>{fnv1a(self.document.encode()):016x}</fnv1a>" if sums else "") + "</limequatModes>"
        self.slices = self.sites[-1]
        self.entry_bytes = 56 + 24 * self.slices + (8 if coherence else 0)
        self.places = {}  # offsets of the data of modes and blocks

    def shape(self, k):
        """(extents, bytes of a site) of the data of a mode."""
        if k not in self.errors:
            return self.sites, self.site_bytes
        return self.blocks_of_sites, 2 * self.basis * (8 if self.storage == "double" else 4)

    def data(self, k):
        if k in self.errors:
            extents, site_bytes = self.shape(k)
            size = 8 if self.storage == "double" else 4
            return numbers(volume(extents) * site_bytes // size, size, 100 + k)
        count = volume(self.sites) * self.per_site
        if self.storage != "fixed16":
            return numbers(count, 8 if self.storage == "double" else 4, 100 + k)
        return fixed16(list(struct.unpack(f">{count}d", numbers(count, 8, 100 + k))), self.per_site)

    def sums(self, k):
        return scidac_sums(self.data(k), self.shape(k)[1])

    def entry(self, k, offset):
        data, (eigenvalue, residual) = self.data(k), self.modes[k]
        body = struct.pack(">QQdddII", k, offset, eigenvalue.real, eigenvalue.imag,
                           math.nan if residual is None else residual, *self.sums(k))
        extents, site_bytes = self.shape(k)
        slices = extents[-1]
        per_slice = volume(extents) // slices
        for t in range(slices):
            part = data[t * per_slice * site_bytes:(t + 1) * per_slice * site_bytes]
            ranks = range(t * per_slice, (t + 1) * per_slice)
            body += struct.pack(">IIQQ", *scidac_sums(part, site_bytes, ranks), *weighted_sums(part, site_bytes, ranks))
        body += bytes(24 * (self.slices - slices))
        if self.basis:
            body += struct.pack(">d", self.errors.get(k, math.nan))
        return sealed(body)

    def blocks(self):
        """(room, first, count) of each block."""
        room, first = self.room, 0
        while True:
            count = min(room, len(self.modes) - first)
            yield room, first, count
            first, room = first + count, 2 * room
            if first == len(self.modes):
                return

    def bytes(self):
        blocks = list(self.blocks())
        entries, following = {}, {}
        for _ in range(2):  # once to find the offsets, once to use them
            body = record("limequat-modes", self.document, MB)
            for number, (room, first, count) in enumerate(blocks):
                at = len(body) + HEAD
                self.places[f"block {number}"] = at
                following[number - 1] = at
                held = b"".join(entries.get(k, b"") for k in range(first, first + count))
                block = sealed(struct.pack(">QQQQQ", self.entry_bytes, room, first, count, following.get(number, 0)))
                body += record("limequat-modes-index", block + held.ljust(room * self.entry_bytes, b"\0"),
                               ME if number == 0 else MB | ME)
                for k in range(first, first + count):
                    self.places[f"mode {k}"] = len(body) + HEAD
                    entries[k] = self.entry(k, len(body) + HEAD)
                    kind = "limequat-mode-coefficients" if k in self.errors else "limequat-mode-data"
                    body += record(kind, self.data(k), MB) + record("limequat-mode", entries[k], ME)
        return body

    def expect(self, modes=None):
        lines = ""
        for k, (eigenvalue, residual) in enumerate(self.modes[:modes]):
            known = "-" if residual is None else repr(float(residual))
            lines += "mode {!r} {!r} {} {:08x}/{:08x}\n".format(float(eigenvalue.real), float(eigenvalue.imag), known,
                                                              *self.sums(k))
        return lines


THREE = [(0.125, 1e-9), (-0.3 + 0.5j, None), (1 / 3, 2.5e-8)]


def good():
    """(name, bytes, expect)"""
    for name, made in {
            "three_modes": SetOfModes(THREE),
            "no_modes": SetOfModes([]),
            "index_in_three_blocks": SetOfModes([(k / 7, 0.0) for k in range(4)], room=1, storage="single"),
            "fixed_point": SetOfModes(THREE, storage="fixed16"),
            "fixed_point_of_an_odd_number": SetOfModes(THREE, storage="fixed16", per_site=5, kind=("generic", 0, 0)),
            "odd_sites_with_ls": SetOfModes(THREE[:2], dims=(4, 2, 2, 2), parity="odd", ls=2, storage="single"),
            "coefficients": SetOfModes([(k / 7, 0.0) for k in range(5)], dims=(2, 2, 1, 4), storage="single", room=2,
                                       coherence=(2, (2, 1, 1, 2), {2: 0.25, 4: 0.0})),
            "three_modes_of_version_1.0": SetOfModes(THREE, sums=False),
            "coefficients_of_version_2.0": SetOfModes(
                [(k / 7, 0.0) for k in range(5)], dims=(2, 2, 1, 4), storage="single", room=2,
                coherence=(2, (2, 1, 1, 2), {2: 0.25, 4: 0.0}), sums=False),
            "parameters": SetOfModes(THREE[:1], parameters=(
                "<parameter><name>kappa</name><type>real</type><value>0.125</value></parameter>"
                "<parameter><name>steps</name><type>integer</type><value>-30</value></parameter>"
                "<parameter><name>shift</name><type>complex</type><value>1 -2.5</value></parameter>"
                "<parameter><name>solver</name><type>text</type><value>a &lt;b&gt;</value></parameter>")),
    }.items():
        yield name, made.bytes(), made.expect()


def changed(data, at, value):
    return data[:at] + value + data[at + len(value):]


def bad():
    made = SetOfModes(THREE)
    whole, all_modes = made.bytes(), made.expect()
    block = made.places["block 0"]
    damaged = all_modes + "rule modes-index-damaged\n"
    yield "sum_of_the_block", changed(whole, block + 40, b"12345678"), damaged
    yield "sum_of_an_entry", changed(whole, block + 48 + made.entry_bytes + 20, b"xx"), damaged
    yield "more_modes_than_room", changed(whole, block, sealed(struct.pack(">QQQQQ", made.entry_bytes, 4, 0, 9, 0))), damaged
    yield ("block_that_leads_to_itself", changed(whole, block, sealed(
        struct.pack(">QQQQQ", made.entry_bytes, 4, 0, 3, block))), damaged)
    yield "cut_in_the_last_mode", whole[:made.places["mode 2"] + 50], made.expect(2) + "rule modes-truncated\n"
    yield "cut_behind_the_index", whole[:made.places["mode 0"] - HEAD], "rule modes-truncated\n"
    overlapping = SetOfModes(THREE)
    overlapping.bytes()
    entry = bytearray(overlapping.entry(1, overlapping.places["mode 0"]))
    yield ("modes_in_the_same_place", changed(whole, block + 48 + made.entry_bytes, bytes(entry)),
           made.expect(1) + "rule modes-entry\n")
    without = SetOfModes(THREE, sums=False).bytes()
    yield "no_lattice", without.replace(b"<lattice>2 2 1 3 </lattice>", b"<lattice>2 2 1 0 </lattice>"), "rule modes-head\n"
    yield "sum_of_the_description", whole.replace(b"<storage>double<", b"<storage>single<"), "rule modes-head\n"
    yield "letter_of_the_description", whole.replace(b"<operator>hermitian", b"<operator>hermitiam"), "rule modes-head\n"
    yield "no_sum_of_the_description", without.replace(b"<version>1.0<", b"<version>1.1<"), "rule modes-head\n"
    yield "sum_in_version_1.0", whole.replace(b"<version>1.1<", b"<version>1.0<"), "rule modes-head\n"
    coherent = SetOfModes(THREE, coherence=(1, (1, 2, 1, 1), {1: 0.25}))
    whole = coherent.bytes()
    block_of_none = SetOfModes(THREE, coherence=(1, (1, 2, 1, 1), {1: 0.25}), sums=False).bytes()
    block_of_none = block_of_none.replace(b"<block>1 2 1 1 </block>", b"<block>1 2 1 2 </block>")
    yield "blocks_that_do_not_divide", block_of_none, "rule modes-head\n"
    coherent.errors = {0: 0.5, 1: 0.25}
    entry = coherent.entry(0, coherent.places["mode 0"])
    coherent.errors = {1: 0.25}
    yield ("coefficients_within_the_basis", changed(whole, coherent.places["block 0"] + 48, entry),
           coherent.expect() + "rule modes-index-damaged\n")
    yield "an_unknown_storage", without.replace(b"<storage>double<", b"<storage>triple<"), "rule modes-head\n"


def outputs():
    """{path below tests/golden: bytes}"""
    made = {}
    for folder, files in (("good", good()), ("bad", bad())):
        for name, data, expect in files:
            made[f"{folder}/modes/{name}.modes"] = data
            made[f"{folder}/modes/{name}.expect"] = expect.encode()
    return made


def main():
    there = [path for folder in ("good", "bad") for path in (GOLDEN / folder / "modes").glob("*")]
    return keep(outputs(), GOLDEN, there)


if __name__ == "__main__":
    sys.exit(main())
