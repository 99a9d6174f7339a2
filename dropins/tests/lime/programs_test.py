# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# C-LIME's programs: the text that scripts parse, letter by letter, the files they make, and their exit codes.
import argparse
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

OPTIONS = None
GOLDEN = pathlib.Path(__file__).parents[3] / "tests" / "golden"


def record(mb, me, kind, data):
    head = struct.pack(">IHBBQ128s", 0x456789AB, 1, mb << 7 | me << 6, 0, len(data), kind)
    return head + data + bytes(-len(data) % 8)


# Three messages: text, text with a NUL counted; bytes that are no text, a long record; nothing at all.
FILE = (record(1, 0, b"xlf-info", b"beta = 6\n") + record(0, 1, b"note", b"ab\0") + record(1, 0, b"data", b"\x80\x01") +
        record(0, 1, b"long", bytes(64000)) + record(1, 1, b"none", b""))

CONTENTS = """

Message:        1
Record:         1
Type:           xlf-info
Data Length:    9
Padding Length: 7
MB flag:        1
ME flag:        0
Data:           "beta = 6
" 


Message:        1
Record:         2
Type:           note
Data Length:    3
Padding Length: 5
MB flag:        0
ME flag:        1
Data:           "ab" 


Message:        2
Record:         1
Type:           data
Data Length:    2
Padding Length: 6
MB flag:        1
ME flag:        0
Data:           [Binary data]


Message:        2
Record:         2
Type:           long
Data Length:    64000
Padding Length: 0
MB flag:        0
ME flag:        1
Data:           [Long record skipped]


Message:        3
Record:         1
Type:           none
Data Length:    0
Padding Length: 0
MB flag:        1
ME flag:        1
Data:           "" 
"""

UNPACKED = """   bytes file

       9 a.lime.contents/msg01.rec01.xlf-info
       3 a.lime.contents/msg01.rec02.note

       2 a.lime.contents/msg02.rec01.data
   64000 a.lime.contents/msg02.rec02.long

       0 a.lime.contents/msg03.rec01.none
"""

PACKED = """msg rec   bytes type
 1   1        9 xlf-info
\t\ta.lime.contents/msg01.rec01.xlf-info
 1   2        3 note
\t\ta.lime.contents/msg01.rec02.note
 2   1        2 data
\t\ta.lime.contents/msg02.rec01.data
 2   2    64000 long
\t\ta.lime.contents/msg02.rec02.long
 3   1        0 none
\t\ta.lime.contents/msg03.rec01.none
"""


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="limequat-lime-")
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        self.put("a.lime", FILE)

    def put(self, name, data):
        (self.work / name).write_bytes(data)

    def run_program(self, name, *arguments):
        return subprocess.run([f"{OPTIONS.bin}/{name}", *arguments], cwd=self.work, capture_output=True)

    def output(self, name, *arguments):
        done = self.run_program(name, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout

    def complaint(self, name, *arguments):
        done = self.run_program(name, *arguments)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertTrue(done.stderr)
        return done.stderr.decode()

    def test_contents(self):
        self.assertEqual(self.output("lime_contents", "a.lime").decode(), CONTENTS)

    def test_contents_counts_from_the_first_record_even_if_it_begins_no_message(self):
        self.put("b.lime", record(0, 0, b"a", b"1") + record(1, 1, b"b", b"2"))
        self.assertEqual(re.findall(rb"(?:Message|Record): +(\d+)", self.output("lime_contents", "b.lime")),
                         [b"1", b"1", b"2", b"1"])

    def test_unpack_and_pack_again(self):
        self.assertEqual(self.output("lime_unpack", "a.lime").decode(), UNPACKED)
        folder = self.work / "a.lime.contents"
        self.assertEqual((folder / "msg01.rec02.note").read_bytes(), b"ab\0")
        self.assertEqual((folder / "msg02.rec02.long").read_bytes(), bytes(64000))
        self.assertEqual((folder / "msg03.rec01.none").read_bytes(), b"")
        lines = [f"{folder.name}/{name} {name.split('.', 2)[2]}" for name in sorted(f.name for f in folder.iterdir())]
        self.put("list", "\n".join(lines[:2] + ["  "] + lines[2:4] + [""] + lines[4:]).encode())
        self.assertEqual(self.output("lime_pack", "list", "again.lime").decode(), PACKED)
        self.assertEqual((self.work / "again.lime").read_bytes(), FILE)

    def test_unpack_keeps_to_its_folder(self):
        self.put("b.lime", record(1, 1, b"../../out", b"1"))
        self.output("lime_unpack", "b.lime")
        self.assertEqual((self.work / "b.lime.contents/msg01.rec01..._.._out").read_bytes(), b"1")

    def test_extract_record(self):
        self.assertEqual(self.output("lime_extract_record", "a.lime", "2", "1", "out"), b"")
        self.assertEqual((self.work / "out").read_bytes(), b"\x80\x01")

    def test_extract_record_says_that_there_is_none_and_writes_no_file(self):
        self.assertIn("no record 3 in message 1", self.complaint("lime_extract_record", "a.lime", "1", "3", "out"))
        for number in ("0", "-1", "x", "99999999999"):
            self.assertIn(number, self.complaint("lime_extract_record", "a.lime", number, "1", "out"))
        self.assertFalse((self.work / "out").exists())

    def test_extract_type_gives_the_first_of_it(self):
        self.put("b.lime", record(1, 0, b"a", b"1") + record(0, 0, b"b", b"2\0\xff") + record(0, 1, b"b", b"3"))
        self.assertEqual(self.output("lime_extract_type", "b.lime", "b"), b"2\0\xff")
        self.assertEqual(self.output("lime_extract_type", "b.lime", "c"), b"")

    def test_usage(self):
        for name in ("contents", "pack", "unpack", "extract_record", "extract_type"):
            self.assertRegex(self.complaint(f"lime_{name}"), rf"^Usage: .*lime_{name} <")

    def test_files_that_are_not_there(self):
        for name, rest in (("contents", []), ("unpack", []), ("extract_record", ["1", "1", "out"]), ("extract_type", ["a"])):
            self.assertIn("Unable to open file nowhere", self.complaint(f"lime_{name}", "nowhere", *rest))
        self.assertIn("Unable to open", self.complaint("lime_pack", "nowhere", "out"))

    def test_lists_that_make_no_file(self):
        self.put("list", b"a.lime\n")
        self.assertIn("only one entry", self.complaint("lime_pack", "list", "out"))
        self.put("list", b"nowhere type\n")
        self.assertIn("Unable to open nowhere", self.complaint("lime_pack", "list", "out"))
        self.put("list", b"a.lime " + b"t" * 128 + b"\n")
        self.assertIn("-2", self.complaint("lime_pack", "list", "out"))
        self.put("list", b"a.lime type\n")
        self.assertTrue(self.complaint("lime_pack", "list", "/dev/full"))

    def test_an_output_that_is_full(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([f"{OPTIONS.bin}/lime_contents", "a.lime"], cwd=self.work, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)

    def test_every_file_of_others_is_shown(self):
        for path in sorted((GOLDEN / "good/lime").glob("*.lime")):
            if path.stem != "trailing_old_contents":  # where the old contents begin, there is no header
                shown = self.output("lime_contents", str(path))
                self.assertEqual(shown.count(b"\n\n\nMessage: ") + 1, shown.count(b"Type: "), path)

    def test_no_broken_file_crashes_a_program(self):
        for path in sorted((GOLDEN / "bad/lime").glob("*.lime")):
            self.put("bad.lime", path.read_bytes())
            for name, rest in (("contents", []), ("unpack", []), ("extract_type", ["ildg-binary-data"])):
                self.assertIn(self.run_program(f"lime_{name}", "bad.lime", *rest).returncode, (0, 1), path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
