#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Writes tests/golden/good/vectors and tests/golden/bad/vectors: sets of vectors as QUDA, MILC, Hadrons, QDP++ and eigen-comp
# write them, in plain Python, based only on docs/formats/vectors.md, mod.md and eigen-comp.md. Every number identifies its place: number i
# of a site of vector k is number_at(k, s, site, i), whatever the order of the file.
"""usage: make_golden_vectors.py [--check]"""

import itertools
import pathlib
import random
import struct
import sys
import zlib

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
    """The place of each site: in packed files, even sites of the first half of the times stay, the others take the odd places."""
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


# QDP++: an object file, a record for each time slice of each vector (mod.md 2, 3)

def desc(data):
    return struct.pack(">i", len(data)) + data


def place(offset):
    """The first eight of 16 bytes have no meaning."""
    return bytes.fromhex("f00df00df00df00d") + struct.pack(">Q", offset)


def mod(count, word, weights=None, slices=LATTICE[3]):
    text = (f'<?xml version="1.0"?>\n<MODMetaData>\n  <id>eigenVecsTimeSlice</id>\n'
            f'  <lattSize>{" ".join(map(str, LATTICE))}</lattSize>\n  <decay_dir>3</decay_dir>\n'
            f'  <num_vecs>{count}</num_vecs>\n{weights or ""}</MODMetaData>\n')
    head = desc(b"XXXXQDPLazyDiskMapObjFileXXXX") + struct.pack(">i", 1) + desc(text.encode())
    body, keys = b"", {}
    for k in range(count):
        for t in range(slices):
            data = packed([number_at(k, 0, (x, y, z, t), i) for x, y, z in sites(LATTICE[:3]) for i in range(6)], word)
            keys[t, k] = len(head) + 16 + len(body)
            body += data + struct.pack(">I", zlib.crc32(data))
    entries = list(keys.items())
    random.Random(5).shuffle(entries)  # the program's map has no order
    table = struct.pack(">I", len(entries)) + b"".join(desc(struct.pack(">ii", *key)) + place(at) for key, at in entries)
    return head + place(len(head) + 16 + len(body)) + body + table + struct.pack(">I", zlib.crc32(table))


def mod_weights(values):
    """As Chroma writes them, a number for each time slice."""
    return "  <Weights>\n" + "".join(f"    <elem>\n      <weights>{' '.join(map(repr, v))}</weights>\n    </elem>\n"
                                    for v in values) + "  </Weights>\n"


# eigen-comp: a folder (eigen-comp.md 2 to 4); files of half of the times, blocks within them, s slowest

NODE, BLOCK, LS = (4, 2, 2, 2), (2, 2, 2, 2), 2


def eigen_comp_metadata(vectors, basis, single, block_ls, crcs, lattice=None):
    blocks = LS // block_ls
    for n, b in zip(NODE, BLOCK):
        blocks *= n // b
    lines = [f"{name}[{d}] = {v}" for name, values in (("s", (*NODE, LS)), ("b", (*BLOCK, block_ls)),
                                                      ("nb", (*(n // b for n, b in zip(NODE, BLOCK)), LS // block_ls)))
             for d, v in enumerate(values)]
    lines += [f"neig = {vectors}", f"nkeep = {basis}", f"nkeep_single = {single}", f"blocks = {blocks}",
              "FP16_COEF_EXP_SHARE_FLOATS = 10", *(f"crc32[{k}] = {crc:X}" for k, crc in enumerate(crcs))]
    if lattice:
        lines += [f"gs[{d}] = {v}" for d, v in enumerate((*lattice, LS))]
    return ("\n".join(lines) + "\n").encode()


def eigen_comp_blocks(block_ls):
    """The blocks of each file: for each, the places (site, s) in the order of the file."""
    for corner in range(0, LATTICE[3], NODE[3]):
        blocks = []
        for s0 in range(0, LS, block_ls):
            for lower in itertools.product(*(range(0, n, b) for n, b in reversed(list(zip(NODE, BLOCK))))):
                t0, z0, y0, x0 = lower
                places = []
                for s in range(s0, s0 + block_ls):
                    for x, y, z, t in sites(BLOCK):
                        site = (x0 + x, y0 + y, z0 + z, corner + t0 + t)
                        if sum(site) % 2 == 1:
                            places.append((site, s))
                blocks.append(places)
        yield blocks


def eigen_comp(block_ls):
    """Basis and vectors alike, all in single precision: vector k is basis k and nothing else."""
    count, files = 2, []
    for blocks in eigen_comp_blocks(block_ls):
        data = b"".join(struct.pack("<24f", *(number_at(k, s, x, i) for i in range(24)))
                        for places in blocks for k in range(count) for x, s in places)
        for j in range(count):
            for _ in blocks:
                data += struct.pack("<4f", *(v for i in range(count) for v in (1.0 * (i == j), 0.0)))
        files.append(data)
    return files, lambda crcs, lattice: eigen_comp_metadata(count, count, count, block_ls, crcs, lattice)


def eigen_comp_16():
    """Numbers of 16 bits, with a group of zeros in each file."""
    chance, files = random.Random(16), []
    vectors, basis, single = 3, 12, 2

    def groups(count, size):
        return b"".join(struct.pack("<H", chance.randrange(32750, 32780))
                        + struct.pack(f"<{size}H", *(chance.randrange(65536) for _ in range(size))) for _ in range(count))

    for blocks in eigen_comp_blocks(LS):
        places = len(blocks[0])
        data = b"".join(struct.pack("<24f", *(chance.uniform(-1, 1) for _ in range(24)))
                        for _ in blocks for _ in range(single * places))
        fixed = groups(len(blocks) * (basis - single) * places, 24)
        data += struct.pack("<H", 0) + fixed[2:]
        for _ in range(vectors * len(blocks)):
            data += struct.pack("<4f", *(chance.uniform(-1, 1) for _ in range(4))) + groups(2 * (basis - single) // 10, 10)
        files.append(data)
    return files, lambda crcs, lattice: eigen_comp_metadata(vectors, basis, single, LS, crcs, lattice)


def eigen_comp_folder(folder, made, lattice=LATTICE, values="2\n2.5E-01\n5.0E-01\n"):
    files, metadata = made
    outputs = {f"{folder}/metadata.txt": metadata([zlib.crc32(data) for data in files], lattice),
               f"{folder}/eigen-values.txt": values.encode()}
    for k, data in enumerate(files):
        outputs[f"{folder}/{k:02}/{k:010}.compressed"] = data
    return outputs


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
    even_values = [[0.25 * (k + 1)] * LATTICE[3] for k in range(3)]
    made["good/vectors/chroma.mod"] = mod(3, 4, mod_weights(even_values))
    made["good/vectors/chroma_weights_of_slices.mod"] = mod(2, 8, mod_weights([[1.5, 2.5, 3.5, 4.5], [5.5, 6.5, 7.5, 8.5]]))
    made["bad/vectors/mod_not_closed.mod"] = mod(1, 4)[:-600]
    made["bad/vectors/mod_slice_missing.mod"] = mod(1, 4, slices=3)
    whole = mod(1, 4)
    made["bad/vectors/mod_slice_damaged.mod"] = whole[:400] + bytes([whole[400] ^ 1]) + whole[401:]
    made["bad/vectors/mod_map_damaged.mod"] = whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:]
    made |= eigen_comp_folder("good/vectors/eigen_comp", eigen_comp(LS))
    made |= eigen_comp_folder("good/vectors/eigen_comp_blocks_in_s", eigen_comp(1), lattice=None)
    made |= eigen_comp_folder("good/vectors/eigen_comp_16", eigen_comp_16(), values="3\n1\n2\n3\n")
    damaged = eigen_comp_folder("bad/vectors/eigen_comp_damaged", eigen_comp(LS))
    name = "bad/vectors/eigen_comp_damaged/01/0000000001.compressed"
    damaged[name] = damaged[name][:-3] + b"?" + damaged[name][-2:]
    made |= damaged
    missing = eigen_comp_folder("bad/vectors/eigen_comp_file_missing", eigen_comp(LS))
    del missing["bad/vectors/eigen_comp_file_missing/01/0000000001.compressed"]
    made |= missing
    for k in range(3):
        made[f"good/vectors/hadrons_folder/v{k}.bin"] = message(PARAMETERS) + grid_vector(k, k, sites(LATTICE), LATTICE, 24, 4)
    return made


def main():
    there = [path for folder in ("good", "bad") for path in (GOLDEN / folder / "vectors").rglob("*") if path.is_file()]
    return keep(outputs(), GOLDEN, there)


if __name__ == "__main__":
    sys.exit(main())
