# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Files of driver.c, byte by byte, against the layout of the specification (docs/formats/scidac.md), computed here; the
# same files read back on the same nodes and on others, and what wrong calls return.
"""usage: layout_test.py --driver DRIVER --ranks N [--mpirun "MPIRUN -n"]"""
import argparse
import itertools
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

EXTENTS = (4, 4, 4, 8)
VOLUME = 4 * 4 * 4 * 8
XML = '<?xml version="1.0" encoding="UTF-8"?>'
DATE = "-" * 28
SINGLE, MULTI, PART, PART_DIR = range(4)
OPTIONS = None


# --- The nodes of layouts.h --------------------------------------------------------------------------------------------

def point(site):
    x = []
    for extent in EXTENTS:
        x.append(site % extent)
        site //= extent
    return x


def grid_of(nodes):
    grid, prime = [1] * 4, 2
    while nodes > 1:
        while nodes % prime == 0:
            d = next((d for d in range(3, -1, -1) if EXTENTS[d] // grid[d] % prime == 0), 0)
            grid[d] *= prime
            nodes //= prime
        prime += 1
    return grid


def home(site, kind, nodes):
    if kind == "scatter":
        return (site * 2654435761 % 2**64) // 97 % nodes
    if kind == "uneven":
        return 0 if site < VOLUME // 2 else site % nodes
    grid = [nodes, 1, 1, 1] if kind == "xsplit" else grid_of(nodes)
    node = 0
    for d in range(3, -1, -1):
        node = node * grid[d] + point(site)[d] * grid[d] // EXTENTS[d]
    return node


def sites_of(kind, nodes):
    """For each node its sites in the order of their numbers."""
    sites = [[] for _ in range(nodes)]
    for parity in (0, 1):
        for site in range(VOLUME):
            if kind == "evenodd" and sum(point(site)) % 2 != parity:
                continue
            sites[home(site, kind, nodes)].append(site)
        if kind != "evenodd":
            break
    return sites


# --- What the files hold -----------------------------------------------------------------------------------------------

def doubles(site):
    return struct.pack(">72d", *[site * 100 + j for j in range(72)])


def singles(site, count):
    return struct.pack(f">{count}f", *[site + j / 64 for j in range(count)])


def small(site):
    return bytes((site * 3 + j) % 256 for j in range(7))


BOX = [s for s in range(VOLUME) if all(a <= x <= b for a, x, b in zip((1, 0, 0, 2), point(s), (2, 3, 3, 2)))]
ALL = list(range(VOLUME))
# datatype, precision, record type, bytes of a datum, data per site, sites, bytes of a site
RECORDS = [
    ("QDP_D3_ColorMatrix", "D", 0, 144, 4, ALL, doubles),
    ("QDP_F_Real", "F", 1, 4, 3, None, lambda s: singles(s, 3)),
    ("QDP_F_Real", "F", 2, 4, 1, BOX, lambda s: singles(s, 1)),
    ("USQCD_F3_ColorVector", "F", 0, 24, 2, ALL, lambda s: singles(s, 12)),
    ("Bytes", "I", 0, 7, 1, ALL, small),
]


def rotated(word, by):
    return (word << by | word >> (32 - by)) & 0xFFFFFFFF if by else word


def sums(sites, data):
    a = b = 0
    for site in sites or [0]:
        crc = zlib.crc32(data(site))
        a ^= rotated(crc, site % 29)
        b ^= rotated(crc, site % 31)
    return a, b


def record(kind, begins, ends, payload):
    head = struct.pack(">IHBBQ128s", 0x456789AB, 1, begins << 7 | ends << 6, 0, len(payload), kind.encode())
    return head + payload + bytes(-len(payload) % 8)


def text(kind, begins, ends, words):
    return record(kind, begins, ends, words.encode() + b"\0")


def private_record(datatype, precision, kind, typesize, count):
    hyper = ""
    if kind == 2:
        hyper = "<spacetime>4</spacetime><hyperlower>1 0 0 2 </hyperlower><hyperupper>2 3 3 2 </hyperupper>"
    return (f"{XML}<scidacRecord><version>1.1</version><date>{DATE}</date><recordtype>{kind}</recordtype>{hyper}"
            f"<datatype>{datatype}</datatype><precision>{precision}</precision><colors>3</colors>"
            f"<typesize>{typesize}</typesize><datacount>{count}</datacount></scidacRecord>")


ILDG = (f'{XML}<ildgFormat xmlns="http://www.lqcd.org/ildg" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        'xsi:schemaLocation="http://www.lqcd.org/ildg/filefmt.xsd"><version>1.0</version><field>su3gauge</field>'
        '<precision>64</precision><lx>4</lx><ly>4</ly><lz>4</lz><lt>8</lt></ildgFormat>')


def expected_file(order, volfmt, is_master, ildg=True):
    """`order`: the sites of this file, as they follow each other."""
    out = b""
    sitelist = struct.pack(f">{len(order)}I", *order)
    if is_master:
        out += text("scidac-private-file-xml", 1, 0, f"{XML}<scidacFile><version>1.1</version><spacetime>4</spacetime>"
                    f"<dims>4 4 4 8 </dims><volfmt>{volfmt}</volfmt></scidacFile>")
    if volfmt != SINGLE:
        out += record("scidac-sitelist", not is_master, not is_master, sitelist)
    if is_master:
        out += text("scidac-file-xml", 0, 1, "<file>of a test</file>")
    for i, (datatype, precision, kind, typesize, count, sites, data) in enumerate(RECORDS):
        if kind == 1 and not is_master:
            continue
        if is_master:
            out += text("scidac-private-record-xml", 1, 0, private_record(datatype, precision, kind, typesize, count))
            out += text("scidac-record-xml", 0, 0, datatype)
        if is_master and i == 0 and ildg:
            out += text("ildg-format", 0, 0, ILDG) + text("ildg-data-lfn", 0, 0, "lfn://a")
        name = "ildg-binary-data" if i == 0 and ildg else "scidac-binary-data"
        chosen = None if sites is None else set(sites)
        payload = data(0) if sites is None else b"".join(data(s) for s in order if s in chosen)
        out += record(name, not is_master, not is_master, payload)
        if is_master:
            a, b = sums(sites, data)
            out += text("scidac-checksum", 0, 1, f"{XML}<scidacChecksum><version>1.0</version><suma>{a:x}</suma>"
                        f"<sumb>{b:x}</sumb></scidacChecksum>")
    return out


def expected_files(kind, volfmt, nodes, io, ildg=True):
    """By name, relative to the folder."""
    if nodes == 1:
        volfmt = SINGLE
    if volfmt == SINGLE:
        return {"f.lime": expected_file(ALL, SINGLE, True)}
    sites = sites_of(kind, nodes)
    files = {}
    for node in range(nodes):
        if volfmt == MULTI:
            order = sites[node]
        elif node % io:
            continue
        else:
            order = sorted(itertools.chain(*sites[node:node + io]))
        name = f"vol{node:04d}/f.lime" if volfmt == PART_DIR else f"f.lime.vol{node:04d}"
        files[name] = expected_file(order, volfmt, node == 0, ildg)
    return files


# --- Runs --------------------------------------------------------------------------------------------------------------

def run(folder, *words, ranks=None, **environment):
    command = [OPTIONS.driver, *words]
    if OPTIONS.mpirun:
        command = [*OPTIONS.mpirun.split(), str(ranks or OPTIONS.ranks), *command]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=250,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def masked(data):
    return re.sub(rb"<date>.{28}</date>", f"<date>{DATE}</date>".encode(), data)


def good_end(out, nodes):
    ends = re.findall(r"^\d+ end (-?\d+) mismatches (\d+)$", out, re.M)
    assert ends == [("-1", "0")] * nodes, out


def check_files(kind, volfmt, serpar, io, ext, way="whole"):
    words = [f"layout={kind}", f"volfmt={volfmt}", f"serpar={serpar}", f"io={io}", f"ext={ext}", f"way={way}"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        status, out, err = run(folder, "f.lime", "write", "ildg=1", "lfn=lfn://a", *words)
        assert status == 0 and out == "", (words, out, err)
        found = {str(p.relative_to(folder)): masked(p.read_bytes()) for p in folder.rglob("*") if p.is_file()}
        wanted = expected_files(kind, volfmt, OPTIONS.ranks, io)
        assert found.keys() == wanted.keys(), (words, sorted(found), sorted(wanted))
        for file in wanted:
            assert found[file] == wanted[file], (words, file, len(found[file]), len(wanted[file]))
        for action in ("read", "skip"):
            status, out, err = run(folder, "f.lime", action, *words)
            assert "bytes" not in out, out
            good_end(out, OPTIONS.ranks)
            assert out.count("code 0") == len(RECORDS), out
            assert action == "skip" or "lfn lfn://a" in out, out
        if volfmt == SINGLE and OPTIONS.mpirun and way == "whole":
            for ranks in {1, OPTIONS.ranks + 1}:
                good_end(run(folder, "f.lime", "read", "layout=evenodd" if ranks == 1 else "layout=scatter", ranks=ranks)[1],
                         ranks)


def check_damage():
    """One flipped bit, a file that ends early, other files: one code on all nodes."""
    whole = expected_file(ALL, SINGLE, True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data_at = whole.index(doubles(5))

        def codes(data, word="data"):
            (folder / "f.lime").write_bytes(data)
            out = run(folder, "f.lime", "read")[1]
            return [int(c) for c in re.findall(rf"^\d+ {word} (-?\d+)", out, re.M)], out

        flipped = bytearray(whole)
        flipped[data_at + 7] ^= 1
        found, out = codes(bytes(flipped))
        assert found == [-14] * OPTIONS.ranks, out  # QIO_CHECKSUM_MISMATCH
        found, out = codes(whole[:data_at], "end")
        assert found == [-3] * OPTIONS.ranks, out  # QIO_ERR_OPEN_READ: the record ends behind the file
        swapped = whole.replace(b"scidac-checksum", b"scidac-checkSum", 1)
        found, out = codes(swapped)
        assert found == [-17] * OPTIONS.ranks, out  # QIO_ERR_CHECKSUM_INFO
        for bad in (b"", b"no LIME file at all", whole[:100]):
            found, out = codes(bad, "open NULL")
            assert out.count("open NULL") == OPTIONS.ranks, out


def check_codes():
    with tempfile.TemporaryDirectory() as name:
        out = run(name, "f.lime", "codes")[1]
        wanted = {"bytes": "-2", "subset": "-24", "word": "-13", "good": "0", "missed": "-8", "again": "0 0", "size": "-5",
                  "data": "0", "end": "-1", "skip": "-18", "absent": "1", "lattice": "1"}
        if OPTIONS.ranks > 1:
            wanted["unlike"] = "-13"
        for word, code in wanted.items():
            assert re.findall(rf"^\d+ {word} (.*)$", out, re.M) == [code] * OPTIONS.ranks, (word, out)
        out = run(name, "f.lime", "discover")[1]
        assert out.count("dims 4 4 4 8 xml <file>of a test</file>") == OPTIONS.ranks, out


def check_single_sites():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out = run(folder, "f.lime", "single", "layout=scatter")[1]
        assert out.count("written 0 bytes 1") == OPTIONS.ranks, out
        assert out.count("single 0 mismatches 0 found scidac-binary-data") == OPTIONS.ranks, out
        assert len(re.findall(r"^\d+ end -1$", out, re.M)) == OPTIONS.ranks, out
        found = masked((folder / "f.lime").read_bytes())
        a, b = sums(ALL, lambda s: singles(s, 12))
        private = private_record("T", "F", 0, 24, 2)
        tail = (text("scidac-private-record-xml", 1, 0, private) + text("scidac-record-xml", 0, 0, "<single/>")
                + record("scidac-binary-data", 0, 0, b"".join(singles(s, 12) for s in ALL))
                + text("scidac-checksum", 0, 1, f"{XML}<scidacChecksum><version>1.0</version><suma>{a:x}</suma>"
                       f"<sumb>{b:x}</sumb></scidacChecksum>"))
        assert found.endswith(tail), (len(found), len(tail))


def check_single_sites_of_parts():
    if OPTIONS.ranks == 1:
        return
    for kind, volfmt, io in [("scatter", PART, 2), ("evenodd", MULTI, 1)]:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            out = run(folder, "f.lime", "single", f"layout={kind}", f"volfmt={volfmt}", f"io={io}")[1]
            assert out.count("single 0 mismatches 0 found scidac-binary-data") == OPTIONS.ranks, out
            sites = sites_of(kind, OPTIONS.ranks)
            for node in range(0, OPTIONS.ranks, io):
                order = sites[node] if volfmt == MULTI else sorted(itertools.chain(*sites[node:node + io]))
                data = record("scidac-binary-data", node != 0, node != 0, b"".join(singles(s, 12) for s in order))
                assert data in (folder / f"f.lime.vol{node:04d}").read_bytes(), (kind, node)


def check_other_nodes():
    """Files in parts, read by fewer and by more nodes than have written them; by as many with other sites."""
    if not OPTIONS.mpirun:
        return
    for kind, volfmt, io in [("evenodd", PART, 2), ("scatter", PART_DIR, 1), ("uneven", MULTI, 1)]:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, data in expected_files(kind, volfmt, 4, io).items():
                (folder / file).parent.mkdir(exist_ok=True)
                (folder / file).write_bytes(data)
            for action in ("read", "skip"):
                out = run(folder, "f.lime", action, "layout=xsplit", "io=1")[1]
                good_end(out, OPTIONS.ranks)
                assert out.count("code 0") == len(RECORDS), out
            last = max(folder.rglob("f.lime*3") if volfmt != PART_DIR else folder.rglob("vol0003/f.lime"),
                       default=folder / "f.lime.vol0002")
            whole = last.read_bytes()
            last.write_bytes(whole[:-200])  # within the data of the last record
            out = run(folder, "f.lime", "read", "layout=xsplit", "io=1")[1]
            assert len(re.findall(r"^\d+ data -5$", out, re.M)) == OPTIONS.ranks, out
            last.unlink()
            out = run(folder, "f.lime", "read", "layout=xsplit", "io=1")[1]
            assert out.count("open NULL") == OPTIONS.ranks, out


def check_vectors():
    """64 vectors in one file: right, and in the memory that one of them takes."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out = run(folder, "f.lime", "vectors", "layout=evenodd", "lat=8x8x8x16")[1]
        assert len(re.findall(r"^\d+ written 0 close 0 bounded 1$", out, re.M)) == OPTIONS.ranks, out
        assert len(re.findall(r"^\d+ read 0 mismatches 0 bounded 1 end -1$", out, re.M)) == OPTIONS.ranks, out
        data = (folder / "f.lime").read_bytes()
        assert data.count(b"scidac-checksum") == 64
        vector = b"".join(struct.pack(">24f", *[site + j / 64 + 7 * 41 for j in range(24)]) for site in range(8192))
        assert data.count(record("scidac-binary-data", 0, 0, vector)) == 1


def check_renaming():
    """With the environment's wish the files have their names when they are complete; what was there stays until then."""
    half = max(1, OPTIONS.ranks // 2)
    for kind, volfmt in (("box", SINGLE), ("scatter", PART), ("evenodd", PART_DIR)):
        words = ["write", f"layout={kind}", f"volfmt={volfmt}", f"io={half}", "ildg=1", "lfn=lfn://a", "watch=1"]
        wanted = expected_files(kind, volfmt, OPTIONS.ranks, half)
        for there in ("absent", "old"):
            for rename in ("0", "1"):
                with tempfile.TemporaryDirectory() as name:
                    folder = pathlib.Path(name)
                    for file in wanted if there == "old" else ():
                        (folder / file).parent.mkdir(exist_ok=True)
                        (folder / file).write_bytes(b"old contents")
                    status, out, err = run(folder, "f.lime", *words, LIMEQUAT_QIO_RENAME=rename, LIMEQUAT_QIO_SYNC=rename)
                    assert status == 0, err
                    seen = {"0": "new", "1": there}[rename] if "f.lime" in wanted else "absent"
                    assert out.count(f"while open {seen}") == OPTIONS.ranks, (kind, there, rename, out)
                    assert files_in(folder) == wanted, (kind, there, rename, sorted(files_in(folder)))


def check_second_thread():
    """A field that is worth a second thread, where there is a core for it: the same file as of nodes without one."""
    if OPTIONS.ranks != 1 or not OPTIONS.mpirun:
        return
    words = ["layout=evenodd", "lat=16x16x16x16"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, ranks in [("one", 1), ("four", 4)]:
            assert run(folder, file, "write", *words, ranks=ranks)[:2] == (0, "")
            good_end(run(folder, file, "read", *words, ranks=5 - ranks)[1], 5 - ranks)
        assert masked((folder / "one").read_bytes()) == masked((folder / "four").read_bytes())
        whole = (folder / "one").read_bytes()
        (folder / "one").write_bytes(whole[:len(whole) // 3])
        out = run(folder, "one", "read", *words)[1]
        assert re.findall(r"^0 end (-?\d+)", out, re.M) == ["-3"], out  # the record ends behind the file


def check_communicator():
    """Two halves of the nodes write and read a file each, at the same time."""
    if OPTIONS.ranks % 2:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for action in ("write", "read"):
            out = run(folder, "f.lime", action, "layout=evenodd", "volfmt=2", "half=1", "ildg=1", "lfn=lfn://a")[1]
        ends = re.findall(r"^(\d+) end -1 mismatches 0$", out, re.M)
        assert sorted(ends) == sorted(2 * [str(n) for n in range(OPTIONS.ranks // 2)]), out
        wanted = expected_files("evenodd", PART, OPTIONS.ranks // 2, 1)
        assert files_in(folder) == {f"{half}{file[1:]}": data for half in "01" for file, data in wanted.items()}


def files_in(folder):
    return {str(p.relative_to(folder)): masked(p.read_bytes()) for p in folder.rglob("*") if p.is_file()}


def check_conversion():
    """By one process, for four nodes."""
    whole = expected_file(ALL, SINGLE, True)
    for kind, volfmt, io in [("scatter", PART, 2), ("evenodd", PART_DIR, 1)]:
        words = ["nodes=4", f"layout={kind}", f"io={io}", f"volfmt={volfmt}"]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "f.lime").write_bytes(whole)
            out = run(folder, "f.lime", "split", *words, ranks=1)[1]
            assert out == "0 convert 0\n", out
            (folder / "f.lime").unlink()
            found, wanted = files_in(folder), expected_files(kind, volfmt, 4, io, ildg=False)
            assert found.keys() == wanted.keys(), (sorted(found), sorted(wanted))
            for file in wanted:
                assert found[file] == wanted[file], (kind, file, len(found[file]), len(wanted[file]))
            out = run(folder, "f.lime", "join", "nodes=4", "layout=xsplit", "ildg=1", ranks=1)[1]
            assert re.fullmatch(r"0 convert -\d+\n", out) and not (folder / "f.lime").exists(), out
            out = run(folder, "f.lime", "join", "ildg=1", *words, ranks=1)[1]
            assert out == "0 convert 0\n", out
            assert masked((folder / "f.lime").read_bytes()) == whole


def check_append():
    """Records behind those that are there; of another lattice nothing is changed."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(folder, "f.lime", "write", "layout=scatter")
        once = (folder / "f.lime").read_bytes()
        assert run(folder, "f.lime", "write", "mode=2", "layout=evenodd")[1] == ""
        twice = (folder / "f.lime").read_bytes()
        header = masked(once).index(b"scidac-private-record-xml") - 16
        assert masked(twice) == masked(once) + masked(once)[header:]
        out = run(folder, "f.lime", "read")[1]
        good_end(out, OPTIONS.ranks)
        assert out.count("code 0") == 2 * len(RECORDS), out
        out = run(folder, "f.lime", "write", "mode=2", "lat=4x4x8x4")[1]
        assert out.count("open NULL") == OPTIONS.ranks, out
        assert (folder / "f.lime").read_bytes() == twice


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--driver", required=True)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--mpirun", default="")
    parser.add_argument("--steps", action="store_true", help="the calls below QIO_write and QIO_read")
    OPTIONS = parser.parse_args()
    half = max(1, OPTIONS.ranks // 2)
    if OPTIONS.steps:
        for way in ("steps", "fields", "below", "sites"):
            for kind, volfmt, io in [("scatter", SINGLE, 1), ("evenodd", PART, half), ("uneven", MULTI, 1)]:
                check_files(kind, volfmt, 0, io, io - 1, way)
        print("all files as the format says")
        return
    for kind, volfmt, serpar, io, ext in [("box", SINGLE, 0, 1, 0), ("evenodd", SINGLE, 1, half, 1), ("scatter", SINGLE, 1, 1, 0),
                                          ("uneven", SINGLE, 0, 1, 1), ("xsplit", PART, 0, half, 0),
                                          ("scatter", PART_DIR, 0, half, 1), ("evenodd", MULTI, 1, 1, 0)]:
        check_files(kind, volfmt, serpar, io, ext)
    check_damage()
    check_codes()
    check_append()
    check_single_sites()
    check_single_sites_of_parts()
    check_other_nodes()
    check_renaming()
    check_vectors()
    check_second_thread()
    check_communicator()
    if OPTIONS.ranks == 1:
        check_conversion()
    print("all files as the format says")


if __name__ == "__main__":
    sys.exit(main())
