# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# lemon_contents and lemon_benchmark: the text that scripts parse, letter by letter, and exit codes.
"""usage: programs_test.py FOLDER_OF_PROGRAMS MPIEXEC FLAG"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

BIN = MPIEXEC = FLAG = None


def record(mb, me, kind, data):
    head = struct.pack(">IHBBQ128s", 0x456789AB, 1, mb << 7 | me << 6, 0, len(data), kind)
    return head + data + bytes(-len(data) % 8)


FILE = (record(1, 0, b"xlf-info", b"beta = 6\n") + record(0, 1, b"data", b"\x80\x01") +
        record(1, 1, b"long", bytes(4096)))

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
Type:           data
Data Length:    2
Padding Length: 6
MB flag:        0
ME flag:        1
Data:           [Binary data].


Message:        2
Record:         1
Type:           long
Data Length:    4096
Padding Length: 0
MB flag:        1
ME flag:        1
Data:           [Long record skipped]
"""

BENCHMARK = r"""Benchmark on a block of data +\d+(\.\d+)? .?B in size,
representing a 4 x 4 x 4 x 8 lattice(\.|,
distributed over \d+ MPI processes
for a local \d+ x \d+ x \d+ x \d+ lattice\.)

(Measurement [12] of 2\.
Time spent writing was +\S+ s\.
Time spent reading was +\S+ s\.
All nodes report that MD5 hash matches\.

){2}Average time spent writing was \S+ s, with a standard deviation of \S+ s\.
Average time spent reading was \S+ s, with a standard deviation of \S+ s\.

Average writing speed was +\S+ .?B/s
Average reading speed was +\S+ .?B/s
All data hashed correctly\.
Writing took \S+ times as long as a raw write of the same bytes \( *\S+ .?B/s\)\.
"""


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_program(self, ranks, program, *words):
        return subprocess.run([MPIEXEC, FLAG, str(ranks), str(BIN / program), *words], cwd=self.folder.name,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)

    def contents(self, ranks, data):
        (pathlib.Path(self.folder.name) / "file").write_bytes(data)
        return self.run_program(ranks, "lemon_contents", "file")

    def test_contents_are_printed_once_on_any_number_of_ranks(self):
        for ranks in (1, 2):
            result = self.contents(ranks, FILE)
            self.assertEqual(result.stdout, CONTENTS)
            self.assertEqual(result.returncode, 0)

    def test_a_broken_file_fails_behind_what_is_good(self):
        result = self.contents(1, FILE + b"no header")
        self.assertEqual(result.stdout, CONTENTS)
        self.assertNotEqual(result.returncode, 0)

    def test_usage_and_missing_files_fail(self):
        self.assertNotEqual(self.run_program(1, "lemon_contents").returncode, 0)
        self.assertIn("Usage:", self.run_program(1, "lemon_contents").stderr)
        self.assertNotEqual(self.run_program(1, "lemon_contents", "missing").returncode, 0)
        self.assertIn("Usage:", self.run_program(1, "lemon_benchmark", "4").stderr)
        self.assertNotEqual(self.run_program(1, "lemon_benchmark", "0", "1").returncode, 0)

    def test_the_benchmark_checks_what_it_wrote_and_leaves_nothing(self):
        for ranks in (1, 4):
            result = self.run_program(ranks, "lemon_benchmark", "4", "2")
            self.assertTrue(re.fullmatch(BENCHMARK, result.stdout), result.stdout)
            self.assertEqual(result.returncode, 0)
            self.assertEqual(list(pathlib.Path(self.folder.name).iterdir()), [])


if __name__ == "__main__":
    BIN, MPIEXEC, FLAG = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    unittest.main(argv=sys.argv[:1], verbosity=2)
