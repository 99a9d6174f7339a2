# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""The squeezed files of make_files.py, by docs/formats/squeezed.md: archives of one file, and of sets of files."""

import struct
import zlib

import lime_writer as lime
import make_flat as flat
import squeeze_links

LINKS, THIRD_ROWS_MISSING, NO_LINKS = 18, 12, 0


def kept_as_it_is(data, size, big_endian):
    return struct.pack(">4BI", 0, NO_LINKS, size, big_endian, zlib.crc32(data)) + data


def shuffled(data, size, big_endian):
    """In a frame of zstd whose blocks are not compressed: what it says of itself, its length, and blocks of 100 bytes."""
    planes = b"".join(data[byte::size] for byte in range(size))
    blocks = [planes[at:at + 100] for at in range(0, len(planes), 100)]
    frame = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(planes))
    for block in blocks:
        repeated = len(set(block)) == 1
        head = (block is blocks[-1]) | repeated << 1 | len(block) << 3
        frame += head.to_bytes(3, "little") + (block[:1] if repeated else block)
    return struct.pack(">4BI", 2, NO_LINKS, size, big_endian, zlib.crc32(data)) + frame


def verbatim(data):
    return data, None


def squeezed(data, encode, tile_bytes, reals, size, big_endian):
    """A segment of tiles, and what its numbers are."""
    numbers = reals << 16 | size << 8 | big_endian
    return data, ([encode(data[at:at + tile_bytes]) for at in range(0, len(data), tile_bytes)], tile_bytes, numbers)


def of_links(data, tile_bytes, reals=LINKS, size=8, big_endian=True, raw=(), encode=squeeze_links.tile):
    return squeezed(data, lambda tile: encode(tile, reals, size, big_endian, raw), tile_bytes, reals, size, big_endian)


def of_numbers(data, tile_bytes, way, size=8, big_endian=True):
    return squeezed(data, lambda tile: way(tile, size, big_endian), tile_bytes, NO_LINKS, size, big_endian)


def archive(name, format_name, segments, files=None, wrong_sum=0, total=None, version=None):
    """Files: their lengths and what their names end in, where there are several."""
    total = sum(len(data) for data, _ in segments) if total is None else total
    version = version or (2 if files else 1)
    head = (f'<?xml version="1.0" encoding="UTF-8"?><limequatSqueezed><version>{version}</version><name>{name}</name>'
            f"<format>{format_name}</format><bytes>{total}</bytes>")
    if files:
        head += "<files>" + "".join(f"{length} {end}\n" for length, end in files) + "</files>"
    written = lime.message(("limequat-squeezed", head + "</limequatSqueezed>"))
    index = [1, len(segments)]
    for data, tiles in segments:
        index += [len(data), len(written) + 144]
        if tiles is None:
            index += [zlib.crc32(data), 0, 0, 0]
            written += lime.message(("limequat-squeezed-verbatim", data))
        else:
            encoded, tile_bytes, numbers = tiles
            index += [0, tile_bytes, numbers, len(encoded), *map(len, encoded)]
            written += lime.message(("limequat-squeezed-data", b"".join(encoded)))
    packed = struct.pack(f">{len(index)}Q", *index)
    return written + lime.message(("limequat-squeezed-index", packed + struct.pack(">I", zlib.crc32(packed) ^ wrong_sum)))


def around(whole, data):
    """What of a file comes before its data, and behind."""
    at = whole.index(data)
    return verbatim(whole[:at]), verbatim(whole[at + len(data):])


def needing_zstd(made):
    made[2]["compression"] = "zstd"
    return made


def archives_of_files(make):
    for precision, word in make.PRECISIONS.items():
        gauge = flat.Gauge(seed=150 + word, precision=word)
        field = make.Field.of_links(gauge)
        whole, sums = make.qio_gauge(gauge)
        data = field.packed(">")
        before, behind = around(whole, data)
        # The single precision one has two tiles, and links that are stored as they are.
        segment = of_links(data, len(data) // (3 - word // 4), size=word, raw=() if word == 8 else (0, 5, 60))
        yield make.good(f"squeezed/ildg_{precision}.sqz", "squeezed", field, archive("conf.ildg", "ildg", [before, segment, behind]),
                        checksum=make.scidac_text(sums), why="an ILDG file with the records of QIO" if word == 8 else
                        "two tiles; some links of each are stored as they are")
    gauge = flat.Gauge(seed=160)
    whole, total = flat.nersc(gauge, "IEEE64LITTLE", 2, "4D_SU3_GAUGE")
    data = gauge.packed("<", 2)
    segment = of_links(data, len(data), THIRD_ROWS_MISSING, big_endian=False)
    yield make.good("squeezed/nersc_two_rows.sqz", "squeezed", make.Field.of_links(gauge), archive(
        "conf.nersc", "nersc", [around(whole, data)[0], segment]), byte_order="little", checksum=make.named(total),
        stated=float(f"{gauge.plaquette():.12f}"), exact=False, why="links of two rows")
    spinor = make.Field.of_noise("spinor", 24, 161)
    whole, sums = make.scidac_file(spinor, "USQCD_D3_DiracFermion", 3, 4, 1)
    data = spinor.packed(">")
    before, behind = around(whole, data)
    for name, way, why in (("as_it_is", kept_as_it_is, "numbers as they are"),
                           ("shuffled", shuffled, "a frame of zstd whose blocks are not compressed")):
        segment = of_numbers(data, len(data) // 2, way)
        made = make.good(f"squeezed/spinor_{name}.sqz", "squeezed", spinor, archive(
            "spinor.scidac", "scidac", [before, segment, behind]), checksum=make.scidac_text(sums), why=why)
        yield needing_zstd(made) if way is shuffled else made


def archives_by_column(make):
    """Version 3: of one file, in both precisions and of two rows, and of a set."""
    by_column = squeeze_links.tile_by_column
    for precision, word in make.PRECISIONS.items():
        gauge = flat.Gauge(seed=170 + word, precision=word)
        field = make.Field.of_links(gauge)
        whole, sums = make.qio_gauge(gauge)
        data = field.packed(">")
        before, behind = around(whole, data)
        segment = of_links(data, len(data) // (3 - word // 4), size=word, raw=(1, 7, 30) if word == 8 else (), encode=by_column)
        yield make.good(f"squeezed/columns_{precision}.sqz", "squeezed", field,
                        archive("conf.ildg", "ildg", [before, segment, behind], version=3), checksum=make.scidac_text(sums),
                        why="version 3; some links are stored as they are" if word == 8 else "version 3; two tiles")
    gauge = flat.Gauge(seed=180)
    whole, total = flat.nersc(gauge, "IEEE64LITTLE", 2, "4D_SU3_GAUGE")
    data = gauge.packed("<", 2)
    segment = of_links(data, len(data), THIRD_ROWS_MISSING, big_endian=False, encode=by_column)
    yield make.good("squeezed/columns_two_rows.sqz", "squeezed", make.Field.of_links(gauge), archive(
        "conf.nersc", "nersc", [around(whole, data)[0], segment], version=3), byte_order="little", checksum=make.named(total),
        stated=float(f"{gauge.plaquette():.12f}"), exact=False, why="version 3: links of two rows")
    gauge = flat.Gauge(seed=182)
    check = struct.pack("<d", 3 * gauge.plaquette())
    blocks = [flat.openqcd_block(flat.attached(gauge.numbers), "links", lower, check) for lower in flat.BLOCKS]
    segments = []
    for block in blocks:
        segments += [verbatim(block[:56]), of_links(block[56:], len(block) - 56, big_endian=False, encode=by_column)]
    files = [(len(block), f"_b{k}") for k, block in enumerate(blocks)]
    yield make.good("squeezed/columns_blocks.sqz", "squeezed", make.Field.of_links(gauge),
                    archive("run", "openqcd", segments, files, version=3), byte_order="little", stated=gauge.plaquette(),
                    why="version 3: two blocks of openQCD")
    one = flat.Gauge(seed=183)
    whole, _ = make.qio_gauge(one)
    data = make.Field.of_links(one).packed(">")
    before, behind = around(whole, data)
    cut = bytearray(by_column(data, LINKS, 8, True))
    cut[12:16] = struct.pack(">I", struct.unpack(">I", cut[12:16])[0] + 1)  # the first stream, which the others follow
    wrong = (data, ([bytes(cut)], len(data), LINKS << 16 | 8 << 8 | 1))
    yield make.bad("squeezed/bad_columns_stream.sqz", "squeezed", archive("conf.ildg", "ildg", [before, wrong, behind], version=3),
                   "malformed", "streams that are together longer than the tile")


def archives_of_sets(make):
    """Version 2: the two blocks of openQCD's fields, which lie in files of their own."""
    gauge = flat.Gauge(seed=162)
    check = struct.pack("<d", 3 * gauge.plaquette())
    blocks = [flat.openqcd_block(flat.attached(gauge.numbers), "links", lower, check) for lower in flat.BLOCKS]
    segments = []
    for block in blocks:
        segments += [verbatim(block[:56]), of_links(block[56:], len(block) - 56, big_endian=False)]
    files = [(len(block), f"_b{k}") for k, block in enumerate(blocks)]
    whole = archive("run", "openqcd", segments, files)
    yield make.good("squeezed/blocks.sqz", "squeezed", make.Field.of_links(gauge), whole, byte_order="little",
                    stated=gauge.plaquette(), why="version 2: two blocks of openQCD")
    spinor = make.Field.of_noise("spinor", 24, 163)
    norm = sum(v * v for v in spinor.values)
    parts = [flat.openqcd_block(lambda *x: spinor.at(x), "spinor", lower, struct.pack("<id", 0, norm)) for lower in flat.BLOCKS]
    mixed = []
    for part, way in zip(parts, (kept_as_it_is, shuffled)):
        mixed += [verbatim(part[:60]), of_numbers(part[60:], 1536, way, big_endian=False)]
    files_of_spinor = [(len(part), f"_b{k}") for k, part in enumerate(parts)]
    yield needing_zstd(make.good(
        "squeezed/spinor_blocks.sqz", "squeezed", spinor, archive("spinor", "openqcd", mixed, files_of_spinor), byte_order="little",
        checksum={"kind": "norm", "value": repr(norm)}, why="version 2: blocks of a spinor field, one as it is, one shuffled"))
    yield from bad_sets(make, segments, files, whole)


def bad_sets(make, segments, files, whole):
    total = sum(length for length, _ in files)
    for name, wrong, why in (
            ("files_longer", [files[0], (files[1][0] + 8, "_b1")], "the files are together longer than the original"),
            ("end_twice", [files[0], (files[1][0], "_b0")], "two files have the same name"),
            ("segment_of_two_files", [(56, "_b0"), (total // 2 - 64, "_b1"), (total // 2 + 8, "_b2")],
             "a segment goes beyond the end of its file"),
            ("folder", [files[0], (files[1][0], "/../b1")], "a name with folders in it")):
        yield make.bad(f"squeezed/bad_{name}.sqz", "squeezed", archive("run", "openqcd", segments, wrong), "malformed", why)
    yield make.bad("squeezed/bad_segments_short.sqz", "squeezed", archive("run", "openqcd", segments[:3], files, total=total),
                   "malformed", "segments that are together shorter than the original")
    yield make.bad("squeezed/bad_index_crc.sqz", "squeezed", archive("run", "openqcd", segments, files, wrong_sum=1), "malformed",
                   "another CRC-32 of the index")
    yield make.bad("squeezed/bad_no_index.sqz", "squeezed", whole[:whole.index(b"limequat-squeezed-index") - 16], "truncated",
                   "the program that wrote it ended before it wrote the index")
    changed = bytearray(whole)
    changed[whole.index(b"limequat-squeezed-data") + 128 + 4] ^= 1
    yield make.bad("squeezed/bad_tile_crc.sqz", "squeezed", bytes(changed), "checksum", "another CRC-32 of a tile")
    changed = bytearray(whole)
    changed[whole.index(b"limequat-squeezed-verbatim") + 128 + 20] ^= 1
    yield make.bad("squeezed/bad_verbatim_crc.sqz", "squeezed", bytes(changed), "checksum", "another CRC-32 of verbatim bytes")


def squeezed_files(make):
    yield from archives_of_files(make)
    yield from archives_of_sets(make)
    yield from archives_by_column(make)
