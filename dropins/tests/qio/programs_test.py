# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# QIO's programs: their files, byte by byte, against the layout of the specification (layout_test.py, and here for files
# of the NERSC archive), what they print, and their exit codes.
"""usage: programs_test.py --bin FOLDER [--mpirun "MPIRUN -n"]"""
import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import layout_test as files

OPTIONS = None
GOLDEN = pathlib.Path(__file__).parents[3] / "tests" / "golden" / "good" / "nersc"


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="limequat-qio-")
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)

    def run_program(self, name, *words, given="", ranks=0):
        command = [*OPTIONS.mpirun.split(), str(ranks)] if ranks else []
        done = subprocess.run([*command, f"{OPTIONS.bin}/{name}", *words], cwd=self.work, input=given, capture_output=True,
                              text=True, timeout=100)
        return done.returncode, done.stdout, done.stderr

    def found(self):
        return {str(p.relative_to(self.work)): files.masked(p.read_bytes()) for p in self.work.rglob("*") if p.is_file()}


def home(site, grid):
    node = 0
    for d in range(3, -1, -1):
        node = node * grid[d] + files.point(site)[d] * grid[d] // files.EXTENTS[d]
    return node


def part(nodes, grid):
    """The file of these nodes, in ILDG style or not."""
    order = [site for site in range(files.VOLUME) if home(site, grid) in nodes]
    return [files.expected_file(order, files.PART, 0 in nodes, ildg=ildg) for ildg in (False, True)]


class Mesh(Program):
    def setUp(self):
        super().setUp()
        self.single = self.work / "f.lime"
        self.single.write_bytes(files.expected_file(files.ALL, files.SINGLE, True))

    def convert(self, name, layout, parts):
        """There and back, into both kinds of file from both: the style and the LFN are kept."""
        for was_ildg in (False, True):
            self.single.write_bytes(files.expected_file(files.ALL, files.SINGLE, True, ildg=was_ildg))
            status, out, err = self.run_program(name, "0", "f.lime", given=layout)
            self.assertEqual((status, out.splitlines()[0]), (0, "Converting f.lime from SINGLEFILE to PARTFILE"), err)
            self.single.unlink()
            found = self.found()
            self.assertEqual(found.keys(), parts.keys())
            for one, kinds in parts.items():
                self.assertTrue(found[one] == kinds[was_ildg], (one, was_ildg))
            for direction, ildg in (("2", False), ("1", True)):
                self.single.unlink(missing_ok=True)
                lfn = ["lfn://a"] if ildg and not was_ildg else []
                status, out, err = self.run_program(name, direction, "f.lime", *lfn, given=layout)
                kind = "ILDG" if ildg else "SciDAC"
                self.assertEqual((status, out.splitlines()[0]), (0, f"Converting f.lime from PARTFILE to SINGLEFILE {kind}"), err)
                wanted = files.expected_file(files.ALL, files.SINGLE, True, ildg=ildg)
                self.assertTrue(files.masked(self.single.read_bytes()) == wanted, kind)

    def test_one_folder(self):
        grid = (2, 1, 2, 1)
        self.convert("qio-convert-mesh-singlefs", "4\n2 1 2 1\n",
                     {f"f.lime.vol{node:04d}": part([node], grid) for node in range(4)})

    def test_one_folder_grid_of_fewer_dimensions(self):
        self.convert("qio-convert-mesh-singlefs", "1 4", {f"f.lime.vol{node:04d}": part([node], (4, 1, 1, 1)) for node in range(4)})

    def test_a_folder_for_each(self):
        layout = "4\n1 2 1 2\n2 two\n0 zero\n1 one\n3 two\n"
        names = ["zero", "one", "two", "two"]
        self.convert("qio-convert-mesh-pfs", layout,
                     {f"{names[node]}/f.lime.vol{node:04d}": part([node], (1, 2, 1, 2)) for node in range(4)})

    def test_shared_files(self):
        grid = (2, 1, 1, 2)
        parts = {"f.lime.vol0000": part([0, 1], grid), "there/f.lime.vol0002": part([2, 3], grid)}
        self.convert("qio-convert-mesh-ppfs", "4\n2 1 1 2\n1 1 1 2\n0\n2 there\n", parts)

    def test_shared_files_in_one_folder(self):
        grid = (2, 1, 1, 2)
        parts = {"f.lime.vol0000": part([0, 2], grid), "f.lime.vol0001": part([1, 3], grid)}
        self.convert("qio-convert-mesh-ppfs", "4 2 1 1 2 2 1 1 1\n", parts)

    def test_refusals(self):
        before = self.found()
        for name, given, words, complaint in [
                ("qio-convert-mesh-singlefs", "4 2 1 2 1", ["0"], "Usage: "),
                ("qio-convert-mesh-singlefs", "4 3 1 1 1", ["0", "f.lime"], "LATTICE SIZE DOESN'T FIT GRID"),
                ("qio-convert-mesh-singlefs", "5 1 1 1 1 2", ["0", "f.lime"], "more dimensions"),
                ("qio-convert-mesh-singlefs", "many", ["0", "f.lime"], "Can't parse machdim"),
                ("qio-convert-mesh-singlefs", "4 2 1", ["0", "f.lime"], "Can't parse machsize"),
                ("qio-convert-mesh-singlefs", "2 65536 65536", ["0", "f.lime"], "machine size"),
                ("qio-convert-mesh-singlefs", "4 2 1 1 1", ["0", "none.lime"], "Can't read none.lime"),
                ("qio-convert-mesh-singlefs", "4 2 1 1 1", ["2", "none.lime"], "Can't read none.lime"),
                ("qio-convert-mesh-pfs", "1 2 0 .", ["0", "f.lime"], "Error reading path list"),
                ("qio-convert-mesh-pfs", "1 2 0 . 0 .", ["0", "f.lime"], "Missing path for node 1"),
                ("qio-convert-mesh-ppfs", "1 4 3", ["0", "f.lime"], "not commensurate"),
                ("qio-convert-mesh-ppfs", "1 4 2\n0\n1\n", ["0", "f.lime"], "no I/O node"),
                ("qio-convert-mesh-ppfs", "1 4 2\n0\n", ["0", "f.lime"], "expected 2")]:
            status, _, err = self.run_program(name, *words, given=given)
            self.assertEqual(status, 1, (name, given))
            self.assertIn(complaint, err, (name, given))
        self.assertEqual(self.found(), before)

    def test_another_grid_than_that_of_the_parts(self):
        self.assertEqual(self.run_program("qio-convert-mesh-singlefs", "0", "f.lime", given="1 4")[0], 0)
        self.single.unlink()
        self.assertEqual(self.run_program("qio-convert-mesh-singlefs", "2", "f.lime", given="1 2")[0], 1)
        self.assertFalse(self.single.exists())


# --- NERSC -------------------------------------------------------------------------------------------------------------

class Archive:
    """A golden file by the words of docs/formats/nersc.md."""

    def __init__(self, data):
        begin = data.index(b"END_HEADER\n") + 11
        self.header = data[:begin].decode()
        self.lines = [line.partition("=")[::2] for line in self.header.splitlines() if "=" in line]
        self.values = {key.strip(): value for key, value in self.lines}
        form = self.values.get("FLOATING_POINT", "IEEE32BIG")
        self.kind = "d" if "64" in form else "f"
        self.order = "<" if "LITTLE" in form else ">"
        self.dims = [int(self.values[f"DIMENSION_{d}"]) for d in range(1, 5)]
        self.sites = self.dims[0] * self.dims[1] * self.dims[2] * self.dims[3]
        self.whole = "3x3" in self.values["DATATYPE"]
        per_link = 18 if self.whole else 12
        payload = data[begin:begin + self.sites * 4 * per_link * (8 if self.kind == "d" else 4)]
        self.sum = sum(struct.unpack(f"{self.order}{len(payload) // 4}I", payload)) % 2**32
        numbers = struct.unpack(f"{self.order}{self.sites * 4 * per_link}{self.kind}", payload)
        self.links = [self.complete(numbers[i:i + per_link]) for i in range(0, len(numbers), per_link)]

    def complete(self, link):
        u = list(link)
        if not self.whole:
            rows = [[complex(*u[6 * r + 2 * c:6 * r + 2 * c + 2]) for c in range(3)] for r in range(2)]
            for c in range(3):
                a, b = (c + 1) % 3, (c + 2) % 3
                one = (rows[0][a] * rows[1][b] - rows[0][b] * rows[1][a]).conjugate()
                u += [one.real, one.imag]
        return u

    def packed(self, order):
        return b"".join(struct.pack(f"{order}18{self.kind}", *link) for link in self.links)


def scidac_file(archive, ildg_lfn=None, stored=None):
    dims = "".join(f"{d} " for d in archive.dims)
    letter = "D" if archive.kind == "d" else "F"
    word = 8 if archive.kind == "d" else 4
    text = "".join(f"{key.split()[0]} ={value}\n" for key, value in archive.lines)
    plaquette = archive.values.get("PLAQUETTE", "missing")
    trace = archive.values.get("LINK_TRACE", "missing")
    data = stored or archive.packed(">")
    site = 72 * word
    out = files.text("scidac-private-file-xml", 1, 0, f"{files.XML}<scidacFile><version>1.1</version><spacetime>4</spacetime>"
                     f"<dims>{dims}</dims><volfmt>0</volfmt></scidacFile>")
    out += files.text("scidac-file-xml", 0, 1, f"{files.XML}<title>Converted NERSC gauge configuration</title>")
    out += files.text("scidac-private-record-xml", 1, 0,
                      f"{files.XML}<scidacRecord><version>1.1</version><date>{files.DATE}</date><recordtype>0</recordtype>"
                      f"<datatype>USQCD_{letter}3_ColorMatrix</datatype><precision>{letter}</precision><colors>3</colors>"
                      f"<typesize>{18 * word}</typesize><datacount>4</datacount></scidacRecord>")
    out += files.text("scidac-record-xml", 0, 0, f"{files.XML}<usqcdInfo><version>1.0</version><plaq>{plaquette}</plaq>"
                      f"<linktr>{trace}</linktr><info>{text}</info></usqcdInfo>")
    kind = "scidac-binary-data"
    if ildg_lfn:
        kind = "ildg-binary-data"
        x, y, z, t = archive.dims
        form = files.ILDG.replace("<precision>64", f"<precision>{8 * word}")
        form = form.replace("<lx>4</lx><ly>4</ly><lz>4</lz><lt>8</lt>", f"<lx>{x}</lx><ly>{y}</ly><lz>{z}</lz><lt>{t}</lt>")
        out += files.text("ildg-format", 0, 0, form) + files.text("ildg-data-lfn", 0, 0, ildg_lfn)
    out += files.record(kind, 0, 0, data)
    a, b = files.sums(range(archive.sites), lambda s: data[s * site:(s + 1) * site])
    return out + files.text("scidac-checksum", 0, 1, f"{files.XML}<scidacChecksum><version>1.0</version><suma>{a:x}</suma>"
                            f"<sumb>{b:x}</sumb></scidacChecksum>"), (a, b)


class Nersc(Program):
    def convert(self, name, lfn=None):
        archive = Archive((GOLDEN / name).read_bytes())
        words = ["--ildg"] if lfn else []
        status, out, err = self.run_program("qio-convert-nersc", *words, str(GOLDEN / name), "out.lime",
                                            given=f"{lfn}\n" if lfn else "")
        self.assertEqual(status, 0, err)
        wanted, (a, b) = scidac_file(archive, lfn)
        self.assertTrue(files.masked((self.work / "out.lime").read_bytes()) == wanted, name)
        stated = int(archive.values["CHECKSUM"], 16)
        verdict = f"NERSC checksum {stated:x} OK" if stated == archive.sum else (
            f"NERSC checksum mismatch.  Wanted {stated:x}.  Got {archive.sum:x}")
        crc = zlib.crc32(archive.packed("<" if sys.byteorder == "little" else ">"))
        ildg = f"in ILDG compatible format with LFN\n{lfn}\n" if lfn else ""
        self.assertEqual(out, f"Converting NERSC file {GOLDEN / name} to SciDAC file out.lime\n{ildg}"
                         f"Archive header:\n{archive.header[13:]}{verdict}\nSciDAC checksums {a:x} {b:x}\n"
                         f"ILDG crc32 checksum {crc}\n")
        return stated == archive.sum

    def test_forms(self):
        for name in ("32_big.nersc", "64_big.nersc", "32_little.nersc", "64_little.nersc", "lines_missing.nersc"):
            self.assertTrue(self.convert(name), name)

    def test_ildg_style(self):
        self.convert("64_big.nersc", "lfn://some/where")

    def test_wrong_checksum_is_told(self):
        self.assertFalse(self.convert("checksum_wrong.nersc"))

    def test_two_rows(self):
        """To the last bit but for the third rows, which are rounded in another order."""
        archive = Archive((GOLDEN / "two_rows.nersc").read_bytes())
        self.assertEqual(self.run_program("qio-convert-nersc", str(GOLDEN / "two_rows.nersc"), "out.lime")[0], 0)
        found = files.masked((self.work / "out.lime").read_bytes())
        size = archive.sites * 576
        begin = found.index(b"scidac-binary-data") + 128
        stored = found[begin:begin + size]
        for link, numbers in enumerate(struct.iter_unpack(">18d", stored)):
            self.assertEqual(list(numbers[:12]), archive.links[link][:12])
            for one, other in zip(numbers, archive.links[link]):
                self.assertAlmostEqual(one, other, delta=1e-15)
        self.assertTrue(found == scidac_file(archive, stored=stored)[0])

    def test_refusals(self):
        whole = (GOLDEN / "64_big.nersc").read_bytes()
        short = self.work / "short.nersc"
        for data, complaint in [(whole[:-1], "shorter"), (whole[:100], "archive header"), (b"no archive", "NERSC archive"),
                                (whole.replace(b"CHECKSUM =", b"CHECKSUN ="), "CHECKSUM not present"),
                                (whole.replace(b"DIMENSION_2 = 4", b"DIMENSION_2 = 0"), "DIMENSION_2"),
                                (whole.replace(b"DIMENSION_2 = 4", b"DIMENSION_2 = 9999999"), "shorter"),
                                ((GOLDEN / "su2.nersc").read_bytes(), "DATATYPE")]:
            short.write_bytes(data)
            status, _, err = self.run_program("qio-convert-nersc", "short.nersc", "out.lime")
            self.assertEqual(status, 1, complaint)
            self.assertIn(complaint, err)
            self.assertFalse((self.work / "out.lime").exists())
        self.assertEqual(self.run_program("qio-convert-nersc", "none.nersc", "out.lime")[0], 1)
        self.assertEqual(self.run_program("qio-convert-nersc", "--ildg", "short.nersc", "out.lime")[0], 1)  # no LFN
        for words in ([], ["one"], ["--ildg", "one"], ["-x", "one", "two"]):
            status, _, err = self.run_program("qio-convert-nersc", *words)
            self.assertEqual((status, err.startswith("Usage: ")), (1, True), words)


class Copy(Program):
    def setUp(self):
        super().setUp()
        if not OPTIONS.mpirun:
            self.skipTest("without MPI")
        (self.work / "layout").write_text("2\n2 2\n1 2\n")  # of four nodes 0 and 2 have files
        (self.work / "there").mkdir()
        self.parts = {f"f.lime.vol000{node}": bytes([node]) * (3_000_000 + node) for node in range(4)}
        for name, data in self.parts.items():
            (self.work / name).write_bytes(data)

    def copies(self):
        return {p.name: p.read_bytes() for p in (self.work / "there").iterdir()}

    def test_each_io_node_copies_its_file(self):
        (self.work / "there" / "f.lime.vol0002").write_bytes(b"an older one")
        for source in ("f.lime", str(self.work / "f.lime")):
            status, out, err = self.run_program("qio-copy-mesh-ppfs", "layout", "0.01", source, "there", ranks=4)
            self.assertEqual(status, 0, err)
            self.assertEqual(out.count("copying"), 2)
            self.assertEqual(self.copies(), {name: self.parts[name] for name in ("f.lime.vol0000", "f.lime.vol0002")})

    def test_one_failure_is_the_status_of_all(self):
        (self.work / "f.lime.vol0002").unlink()
        (self.work / "there" / "f.lime.vol0002").write_bytes(b"an older one")
        status, _, err = self.run_program("qio-copy-mesh-ppfs", "layout", "0", "f.lime", "there", ranks=4)
        self.assertNotEqual(status, 0)
        self.assertIn("f.lime.vol0002", err)
        self.assertEqual(self.copies(), {"f.lime.vol0000": self.parts["f.lime.vol0000"], "f.lime.vol0002": b"an older one"})

    def test_refusals(self):
        for words, complaint in [((), "Usage: "), (("layout", "0", "f.lime"), "Usage: "),
                                 (("none", "0", "f.lime", "there"), "none"),
                                 (("layout", "soon", "f.lime", "there"), "seconds"),
                                 (("layout", "0", "f.lime", "nowhere"), "nowhere")]:
            status, _, err = self.run_program("qio-copy-mesh-ppfs", *words, ranks=2)
            self.assertNotEqual(status, 0, words)
            self.assertIn(complaint, err)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--mpirun", default="")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
