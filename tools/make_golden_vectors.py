#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/golden/good/vectors and tests/golden/bad/vectors: sets of vectors as QUDA, MILC and Hadrons write them, in plain
# Python, from docs/formats/vectors.md alone. Every number says where it belongs: number i of a site of vector k is
# number_at(k, s, site, i), whatever the order of the file.
"""usage: make_golden_vectors.py [--check]"""

import itertools
import pathlib
import struct
import sys

from lime_writer import DECLARATION, checksum, file_info, message, nul, record_info, scidac_sums
from made_files import keep

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden"
LATTICE = (4, 2, 2, 4)


def sites(lattice):
    """x, y, z, t with x fastest."""
    return [tuple(reversed(x)) for x in itertools.product(*map(range, reversed(lattice)))]


def number_at(k, s, site, i):
    """Exact in single precision."""
    x, y, z, t = site
    rank = x + LATTICE[0] * (y + LATTICE[1] * (z + LATTICE[2] * t))
    return float(((k * 2 + s) * 64 + rank) * 32 + i)


def packed(values, word):
    return struct.pack(f">{len(values)}{'f' if word == 4 else 'd'}", *values)


def half_x(parity):
    """Sites of one parity, in the order of a lattice of half the extent in x."""
    for h, y, z, t in sites((LATTICE[0] // 2, *LATTICE[1:])):
        yield 2 * h + (y + z + t + parity) % 2, y, z, t


# QUDA: one record, all vectors of a site side by side

def quda(count, spins, colors, word, subset="full", ls=1, places=None, lattice=LATTICE):
    numbers = 2 * spins * colors
    places = sites(LATTICE) if places is None else list(places)
    values = [number_at(k, s, x, i) for x in places for k in range(count) for s in range(ls) for i in range(numbers)]
    data = packed(values, word)
    letter = "F" if word == 4 else "D"
    datatype = f"QUDA_{letter}Ns{spins}Nc{colors}_ColorSpinorField"
    kind = {6: "Staggered", 24: "Wilson"}.get(numbers, "MG")
    halved, parity = ("parity", subset) if subset in ("even", "odd") else ("full", "full")
    text = nul(f"{DECLARATION}<quda{kind}ColorSpinorField>\n<version>BETA</version>\n<type>{datatype}</type>\n<info>\n"
               f"  <subset>{halved}</subset>\n  <parity>{parity}</parity>\n  <nColor>{colors}</nColor>\n"
               f"  <nSpin>{spins}</nSpin>\n</info>\n</quda{kind}ColorSpinorField>\n\n")
    info = record_info(datatype, letter, colors, spins, numbers * word, count * ls)
    sums = scidac_sums(data, numbers * word * count * ls)
    return message(file_info(lattice), ("scidac-file-xml", nul("Dummy user file XML"))) + message(
        info, ("scidac-record-xml", text), ("scidac-binary-data", data), checksum(sums))


# MILC: a record for each staggered vector

def milc_sites(is_packed):
    """Which site is where: packed, even sites of the first half of the times stay, the others take the odd places."""
    x_extent, half = LATTICE[0], LATTICE[3] // 2
    if not is_packed:
        return sites(LATTICE)
    places = sites((*LATTICE[:3], half))
    return [(x, y, z, t) if (x + y + z + t) % 2 == 0 else ((x + 1) % x_extent, y, z, t + half) for x, y, z, t in places]


def milc(count, word, is_packed=False):
    lattice = (*LATTICE[:3], LATTICE[3] // 2) if is_packed else LATTICE
    title = nul(f"{DECLARATION}<info><title>KS eigenvalues and vectors</title><Nvecs>{count}</Nvecs>"
                + ("<format>Packed</format>" if is_packed else "") + "</info>")
    body = message(file_info(lattice), ("scidac-file-xml", title))
    letter = "F" if word == 4 else "D"
    info = record_info(f"USQCD_{letter}3_ColorVector", letter, 3, 0, 6 * word, 1)
    for k in range(count):
        data = packed([number_at(k, 0, x, i) for x in milc_sites(is_packed) for i in range(6)], word)
        text = nul(f"{DECLARATION}<info><eigVal>{0.25 * (k + 1):.18e}</eigVal><resid>{1e-9:e}</resid></info>")
        body += message(info, ("scidac-record-xml", text), ("scidac-binary-data", data),
                        checksum(scidac_sums(data, 6 * word)))
    return body


# Hadrons: a text for the file, then fields as Grid writes them

def elements(values):
    return "".join(f"    <elem>{v}</elem>\n" for v in values)


def grid_vector(k, index, places, whole, numbers, word, ls=1, has_value=True):
    data = packed([number_at(k, s, x, i) for x in places for s in range(ls) for i in range(numbers)], word)
    letter = "F" if word == 4 else "D"
    head = (f'<?xml version="1.0"?>\n<FieldMetaData>\n  <nd>{len(whole)}</nd>\n  <dimension>\n{elements(whole)}'
            f"  </dimension>\n</FieldMetaData>\n")
    text = (f'<?xml version="1.0"?>\n<VecRecord>\n  <index>{index}</index>\n  <eval>{0.125 * (k + 1)!r}</eval>\n'
            "</VecRecord>\n") if has_value else '<?xml version="1.0"?>\n<emptyUserRecord>\n  <dummy>0</dummy>\n</emptyUserRecord>\n'
    info = record_info(f"GRID_{letter}_SpinColourVector4_3" if numbers == 24 else f"GRID_{letter}_ColourVector3", letter,
                       3, numbers // 6, numbers * word, 1)
    norm = '<?xml version="1.0"?>\n<FieldNormMetaData>\n  <norm2>1</norm2>\n</FieldNormMetaData>\n'
    return message(("grid-format", head), ("scidac-record-xml", text), info, ("ildg-binary-data", data),
                   ("FieldNormMetaData", norm), checksum(scidac_sums(data, numbers * word)))


PARAMETERS = ("scidac-file-xml", '<?xml version="1.0"?>\n<eigenPackPar>\n  <operator>mobius</operator>\n</eigenPackPar>\n')


def eigenpack(count, places, whole, numbers, word, ls=1):
    return message(PARAMETERS) + b"".join(
        grid_vector(k, k, places, whole, numbers, word, ls) for k in range(count))


def outputs():
    """{path below tests/golden: bytes}"""
    odd, even = list(half_x(1)), list(half_x(0))
    half = (LATTICE[0] // 2, *LATTICE[1:])
    made = {
        "good/vectors/quda_wilson.quda": quda(3, 4, 3, 4),
        "good/vectors/quda_staggered_odd_sites.quda": quda(2, 1, 3, 8, "odd", places=odd, lattice=half),
        "good/vectors/quda_two_vectors_with_ls_2.quda": quda(2, 4, 3, 4, ls=2),
        "good/vectors/quda_multigrid.quda": quda(2, 2, 4, 4),
        "good/vectors/milc.eigen": milc(3, 4),
        "good/vectors/milc_packed.eigen": milc(2, 8, is_packed=True),
        "good/vectors/hadrons.bin": eigenpack(3, sites(LATTICE), LATTICE, 24, 4),
        "good/vectors/hadrons_even_sites.bin": eigenpack(2, even, LATTICE, 6, 8),
        "good/vectors/hadrons_five_dimensions_odd_sites.bin": eigenpack(2, odd, (2, *LATTICE), 24, 4, ls=2),
        "bad/vectors/quda_other_colors.quda": quda(1, 4, 3, 4).replace(b"<nColor>3<", b"<nColor>7<"),
        "bad/vectors/hadrons_dimension_zero.bin": eigenpack(1, sites(LATTICE), (4, 0, 2, 4), 24, 4),
    }
    bare = b"".join(grid_vector(k, k, sites(LATTICE), LATTICE, 24, 4, has_value=False) for k in range(2))
    values = ('<?xml version="1.0"?>\n<grid>\n  <evals>\n    <elem>0.5</elem>\n    <elem>0.75</elem>\n  </evals>\n</grid>\n')
    made["good/vectors/grid_subspace.scidac"] = bare
    made["good/vectors/grid_eigenpairs.scidac"] = bare
    made["good/vectors/grid_eigenpairs.scidac.evals.xml"] = values.encode()
    made["bad/vectors/grid_one_value_less.scidac"] = bare
    made["bad/vectors/grid_one_value_less.scidac.evals.xml"] = values.replace("    <elem>0.75</elem>\n", "").encode()
    for k in range(3):
        made[f"good/vectors/hadrons_folder/v{k}.bin"] = message(PARAMETERS) + grid_vector(k, k, sites(LATTICE), LATTICE, 24, 4)
    return made


def main():
    there = [path for folder in ("good", "bad") for path in (GOLDEN / folder / "vectors").rglob("*") if path.is_file()]
    return keep(outputs(), GOLDEN, there)


if __name__ == "__main__":
    sys.exit(main())
