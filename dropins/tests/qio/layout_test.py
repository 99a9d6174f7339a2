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
    return nodes - 1 - node if kind == "reverse" else node


HALVED = ("evenodd", "reverse")  # even sites first


def sites_of(kind, nodes):
    """For each node its sites in the order of their numbers."""
    sites = [[] for _ in range(nodes)]
    for parity in (0, 1):
        for site in range(VOLUME):
            if kind in HALVED and sum(point(site)) % 2 != parity:
                continue
            sites[home(site, kind, nodes)].append(site)
        if kind not in HALVED:
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


def expected_file(order, volfmt, is_master, ildg=True, keeps=False):
    """`order`: the sites of this file, as they follow each other. `keeps`: the program does not end ILDG's style behind the
    gauge field; the writer does, for the master's file."""
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
        name = "ildg-binary-data" if ildg and (i == 0 or keeps and not is_master) else "scidac-binary-data"
        chosen = None if sites is None else set(sites)
        payload = data(0) if sites is None else b"".join(data(s) for s in order if s in chosen)
        out += record(name, not is_master, not is_master, payload)
        if is_master:
            a, b = sums(sites, data)
            out += text("scidac-checksum", 0, 1, f"{XML}<scidacChecksum><version>1.0</version><suma>{a:x}</suma>"
                        f"<sumb>{b:x}</sumb></scidacChecksum>")
    return out


def expected_files(kind, volfmt, nodes, io, ildg=True, keeps=False):
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
        elif io and node % io:  # 0: the program does not say who writes, so that each node does
            continue
        else:
            order = sorted(itertools.chain(*sites[node:node + max(1, io)]))
        name = f"vol{node:04d}/f.lime" if volfmt == PART_DIR else f"f.lime.vol{node:04d}"
        files[name] = expected_file(order, volfmt, node == 0, ildg, keeps)
    return files


# --- Runs --------------------------------------------------------------------------------------------------------------

def launch(folder, runs, ranks=None, **environment):
    """Several runs by the same processes: starting these takes longer than most runs. Status, what each said, errors."""
    words = [word for run in runs for word in (",", *run)][1:]
    command = [OPTIONS.driver, *words]
    if OPTIONS.mpirun:
        command = [*OPTIONS.mpirun.split(), str(ranks or OPTIONS.ranks), *command]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=250,
                          env={**os.environ, **environment})
    said = [""] * len(runs)
    for line in done.stdout.splitlines(keepends=True):
        number, text = line.split(": ", 1)
        if number != "QIO":  # the library's own words
            said[int(number)] += text
    return done.returncode, said, done.stderr


def run(folder, *words, **how):
    status, said, err = launch(folder, [words], **how)
    return status, said[0], err


def masked(data):
    return re.sub(rb"<date>.{28}</date>", f"<date>{DATE}</date>".encode(), data)


def good_end(out, nodes):
    ends = re.findall(r"^\d+ end (-?\d+) mismatches (\d+)$", out, re.M)
    assert ends == [("-1", "0")] * nodes, out


def check_files(cases):
    """`cases`: layout, volume format, serial or parallel, nodes of a file, which functions of a layout."""
    names = ("layout", "volfmt", "serpar", "io", "ext")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        runs, alone = [], []
        for number, case in enumerate(cases):
            (folder / str(number)).mkdir()
            words = [f"in={number}", *(f"{option}={value}" for option, value in zip(names, case))]
            runs += [["f.lime", "write", "ildg=1", "lfn=lfn://a", *words], ["f.lime", "read", *words],
                     ["f.lime", "skip", *words]]
            if case[1] == SINGLE:
                alone.append(number)
        status, said, err = launch(folder, runs)
        assert status == 0, (said, err)
        for number, case in enumerate(cases):
            kind, volfmt, _, io, _ = case
            written, read, skipped = said[3 * number:3 * number + 3]
            assert written == "", (case, written, err)
            found, wanted = files_in(folder / str(number)), expected_files(kind, volfmt, OPTIONS.ranks, io)
            assert found.keys() == wanted.keys(), (case, sorted(found), sorted(wanted))
            for file in wanted:
                assert found[file] == wanted[file], (case, file, len(found[file]), len(wanted[file]))
            for out in (read, skipped):
                assert "bytes" not in out, (case, out)
                good_end(out, OPTIONS.ranks)
                assert out.count("code 0") == len(RECORDS), (case, out)
            assert "lfn lfn://a" in read, (case, read)
        if alone and OPTIONS.mpirun:
            for ranks in {1, OPTIONS.ranks + 1}:
                layout = "evenodd" if ranks == 1 else "scatter"
                runs = [["f.lime", "read", f"in={number}", f"layout={layout}"] for number in alone]
                for out in launch(folder, runs, ranks=ranks)[1]:
                    good_end(out, ranks)


def check_reading_without_coordinates():
    """Of layouts with boxes single files are read by asking whose a site is and where: some programs, as MILC's checks of
    files, cannot tell yet what the coordinates of their own sites are."""
    kinds = ("box", "evenodd", "xsplit", "reverse")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "f.lime").write_bytes(expected_file(ALL, SINGLE, True))
        runs = [["f.lime", "read", f"layout={kind}", f"ext={ext}", "blind=1"] for kind in kinds for ext in (0, 1)]
        status, said, err = launch(folder, runs)
        assert status == 0, (said, err)
        for out in said:
            good_end(out, OPTIONS.ranks)


def check_style_that_ends():
    """A writer in ILDG's style that comes to a record which is no gauge field, as those of QDP++ always do."""
    cases = [(kind, volfmt, keeps) for kind, volfmt in (("evenodd", MULTI), ("evenodd", PART), ("scatter", PART_DIR)) for keeps in (0, 1)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        runs = []
        for number, (kind, volfmt, keeps) in enumerate(cases):
            (folder / str(number)).mkdir()
            words = [f"in={number}", f"layout={kind}", f"volfmt={volfmt}"]
            runs += [["f.lime", "write", "ildg=1", "lfn=lfn://a", f"keep={keeps}", *words], ["f.lime", "read", *words]]
        status, said, err = launch(folder, runs)
        assert status == 0, err
        for number, (kind, volfmt, keeps) in enumerate(cases):
            assert files_in(folder / str(number)) == expected_files(kind, volfmt, OPTIONS.ranks, 1, keeps=bool(keeps)), cases[number]
            good_end(said[2 * number + 1], OPTIONS.ranks)


def check_damage():
    """One flipped bit, a file that ends early, other files: one code on all nodes."""
    whole = expected_file(ALL, SINGLE, True)
    data_at = whole.index(doubles(5))
    flipped = bytearray(whole)
    flipped[data_at + 7] ^= 1
    cases = [(bytes(flipped), "data", -14),  # QIO_CHECKSUM_MISMATCH
             (whole[:data_at], "end", -3),  # QIO_ERR_OPEN_READ: the record ends behind the file
             (whole.replace(b"scidac-checksum", b"scidac-checkSum", 1), "data", -17)]  # QIO_ERR_CHECKSUM_INFO
    cases += [(bad, "open NULL", None) for bad in (b"", b"no LIME file at all", whole[:100])]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, (data, _, _) in enumerate(cases):
            (folder / str(number)).mkdir()
            (folder / str(number) / "f.lime").write_bytes(data)
        said = launch(folder, [["f.lime", "read", f"in={number}"] for number in range(len(cases))])[1]
    for (_, word, code), out in zip(cases, said):
        if code is None:
            assert out.count(word) == OPTIONS.ranks, out
        else:
            assert [int(c) for c in re.findall(rf"^\d+ {word} (-?\d+)", out, re.M)] == [code] * OPTIONS.ranks, out


def check_codes():
    with tempfile.TemporaryDirectory() as name:
        out, discovered = launch(name, [["f.lime", "codes"], ["f.lime", "discover"]])[1]
        wanted = {"bytes": "-2", "subset": "-24", "word": "-13", "good": "0", "missed": "-8", "again": "0 0", "size": "-5",
                  "data": "0", "end": "-1", "skip": "-18", "absent": "1", "lattice": "1",
                  "other": "0", "spinless": "0", "nospins": "1"}
        if OPTIONS.ranks > 1:
            wanted["unlike"] = "-13"
        for word, code in wanted.items():
            assert re.findall(rf"^\d+ {word} (.*)$", out, re.M) == [code] * OPTIONS.ranks, (word, out)
        assert discovered.count("dims 4 4 4 8 xml <file>of a test</file>") == OPTIONS.ranks, discovered


def check_single_sites():
    """Fields written and read site by site, in one file and in parts; these by nodes with other sites as well."""
    cases = [("scatter", SINGLE, 1)]
    if OPTIONS.ranks > 1:
        cases += [("scatter", PART, 2), ("evenodd", MULTI, 1)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number in range(len(cases)):
            (folder / str(number)).mkdir()
        said = launch(folder, [["f.lime", "single", f"in={number}", f"layout={kind}", f"volfmt={volfmt}", f"io={io}"]
                               for number, (kind, volfmt, io) in enumerate(cases)]
                      + [["f.lime", "seek", f"in={number}", "layout=xsplit", "io=1"] for number in range(len(cases))])[1]
        for out in said[:len(cases)]:
            assert out.count("written 0 bytes 1") == OPTIONS.ranks, out
        for out in said:
            assert out.count("single 0 mismatches 0 found scidac-binary-data") == OPTIONS.ranks, out
            assert len(re.findall(r"^\d+ end -1$", out, re.M)) == OPTIONS.ranks, out
        found = masked((folder / "0/f.lime").read_bytes())
        a, b = sums(ALL, lambda s: singles(s, 12))
        private = private_record("T", "F", 0, 24, 2)
        tail = (text("scidac-private-record-xml", 1, 0, private) + text("scidac-record-xml", 0, 0, "<single/>")
                + record("scidac-binary-data", 0, 0, b"".join(singles(s, 12) for s in ALL))
                + text("scidac-checksum", 0, 1, f"{XML}<scidacChecksum><version>1.0</version><suma>{a:x}</suma>"
                       f"<sumb>{b:x}</sumb></scidacChecksum>"))
        assert found.endswith(tail), (len(found), len(tail))
        for number, (kind, volfmt, io) in list(enumerate(cases))[1:]:
            sites = sites_of(kind, OPTIONS.ranks)
            for node in range(0, OPTIONS.ranks, io):
                order = sites[node] if volfmt == MULTI else sorted(itertools.chain(*sites[node:node + io]))
                data = record("scidac-binary-data", node != 0, node != 0, b"".join(singles(s, 12) for s in order))
                assert data in (folder / str(number) / f"f.lime.vol{node:04d}").read_bytes(), (kind, node)


def check_other_nodes():
    """Files in parts, read by fewer and by more nodes than have written them; by as many with other sites."""
    if not OPTIONS.mpirun:
        return
    cases = [("evenodd", PART, 2), ("scatter", PART_DIR, 1), ("uneven", MULTI, 1)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        runs = []
        for number, (kind, volfmt, io) in enumerate(cases):
            files = expected_files(kind, volfmt, 4, io)
            last = max(files)
            for state in ("whole", "cut", "lost"):
                for file, data in files.items():
                    if file == last and state == "lost":
                        continue
                    if file == last and state == "cut":
                        data = data[:-200]  # within the data of the last record
                    path = folder / f"{number}{state}" / file
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
            words = ["layout=xsplit", "io=1"]
            runs += [["f.lime", "read", f"in={number}whole", *words], ["f.lime", "skip", f"in={number}whole", *words],
                     ["f.lime", "read", f"in={number}cut", *words], ["f.lime", "read", f"in={number}lost", *words],
                     ["f.lime", "master", f"in={number}whole", *words]]
        said = launch(folder, runs)[1]
        for number in range(len(cases)):
            *whole, cut, lost, master = said[5 * number:5 * number + 5]
            for out in whole:
                good_end(out, OPTIONS.ranks)
                assert out.count("code 0") == len(RECORDS), out
            assert len(re.findall(r"^\d+ data -5$", cut, re.M)) == OPTIONS.ranks, cut
            assert lost.count("open NULL") == OPTIONS.ranks, lost
            assert len(re.findall(rf"^\d+ master volfmt {cases[number][1]} format 1$", master, re.M)) == OPTIONS.ranks, master


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
    cases = [(kind, volfmt, there) for kind, volfmt in (("box", SINGLE), ("scatter", PART), ("evenodd", PART_DIR))
             for there in ("absent", "old")]
    for rename in ("0", "1"):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            runs, expected = [], []
            for number, (kind, volfmt, there) in enumerate(cases):
                expected.append(expected_files(kind, volfmt, OPTIONS.ranks, half))
                (folder / str(number)).mkdir()
                for file in expected[-1] if there == "old" else ():
                    path = folder / str(number) / file
                    path.parent.mkdir(exist_ok=True)
                    path.write_bytes(b"old contents")
                runs.append(["f.lime", "write", f"in={number}", f"layout={kind}", f"volfmt={volfmt}", f"io={half}", "ildg=1",
                             "lfn=lfn://a", "watch=1"])
            status, said, err = launch(folder, runs, LIMEQUAT_QIO_RENAME=rename, LIMEQUAT_QIO_SYNC=rename)
            assert status == 0, err
            for number, (case, wanted) in enumerate(zip(cases, expected)):
                seen = {"0": "new", "1": case[2]}[rename] if "f.lime" in wanted else "absent"
                assert said[number].count(f"while open {seen}") == OPTIONS.ranks, (case, rename, said[number])
                found = files_in(folder / str(number))
                assert found == wanted, (case, rename, sorted(found))


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
    cases = [("scatter", PART, 2), ("evenodd", PART_DIR, 1)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        runs = []
        for number, (kind, volfmt, io) in enumerate(cases):
            (folder / str(number)).mkdir()
            (folder / str(number) / "f.lime").write_bytes(whole)
            runs.append(["f.lime", "split", f"in={number}", "nodes=4", f"layout={kind}", f"io={io}", f"volfmt={volfmt}"])
        assert launch(folder, runs, ranks=1)[1] == ["0 convert 0\n"] * 2
        for number, (kind, volfmt, io) in enumerate(cases):
            (folder / str(number) / "f.lime").unlink()
            found, wanted = files_in(folder / str(number)), expected_files(kind, volfmt, 4, io)
            assert found.keys() == wanted.keys(), (sorted(found), sorted(wanted))
            for file in wanted:
                assert found[file] == wanted[file], (kind, file, len(found[file]), len(wanted[file]))
        wrong = [["f.lime", "join", f"in={number}", "nodes=4", "layout=xsplit", "ildg=1"] for number in range(len(cases))]
        for number, out in enumerate(launch(folder, wrong, ranks=1)[1]):
            assert re.fullmatch(r"0 convert -\d+\n", out) and not (folder / str(number) / "f.lime").exists(), out
        right = [["f.lime", "join", "ildg=1", *run[2:]] for run in runs]
        assert launch(folder, right, ranks=1)[1] == ["0 convert 0\n"] * 2
        for number in range(len(cases)):
            assert masked((folder / str(number) / "f.lime").read_bytes()) == whole


def check_append():
    """Records behind those that are there; of another lattice nothing is changed."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        first = ["f.lime", "write", "layout=scatter"]
        for number in range(3):
            (folder / str(number)).mkdir()
        again = ["f.lime", "write", "mode=2", "layout=evenodd"]
        said = launch(folder, [[*first, "in=0"], [*first, "in=1"], [*again, "in=1"], ["f.lime", "read", "in=1"],
                               [*first, "in=2"], ["f.lime", "write", "mode=2", "lat=4x4x8x4", "in=2"]])[1]
        assert said[:3] == [""] * 3, said
        once, twice, refused = (masked((folder / str(number) / "f.lime").read_bytes()) for number in range(3))
        header = once.index(b"scidac-private-record-xml") - 16
        assert twice == once + once[header:]
        good_end(said[3], OPTIONS.ranks)
        assert said[3].count("code 0") == 2 * len(RECORDS), said[3]
        assert said[5].count("open NULL") == OPTIONS.ranks, said[5]
        assert refused == once


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--driver", required=True)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--mpirun", default="")
    OPTIONS = parser.parse_args()
    half = max(1, OPTIONS.ranks // 2)
    check_files([
        ("box", SINGLE, 0, 1, 0), ("evenodd", SINGLE, 1, half, 1), ("scatter", SINGLE, 1, 1, 0), ("uneven", SINGLE, 0, 1, 1),
        ("xsplit", SINGLE, 1, 1, 1), ("reverse", SINGLE, 0, 1, 0), ("xsplit", PART, 0, half, 0), ("scatter", PART_DIR, 0, half, 1), ("evenodd", MULTI, 1, 1, 0),
        ("evenodd", PART, 0, 0, 0), ("box", SINGLE, 1, 0, 0)])
    check_reading_without_coordinates()
    check_style_that_ends()
    check_damage()
    check_codes()
    check_append()
    check_single_sites()
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
