# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# partest and ompi_partest: the files they make, byte for byte, what they say and how they fail. Nothing is timed.
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
import plain_sion  # noqa: E402

OPTIONS = None
SIZE, PIECE = 300 * 1024, 70 * 1024


def data(task, size=SIZE, piece=PIECE, first=0):
    """What a task writes: each call begins its pattern anew."""
    pattern = bytes((31 * i + 57 * task + 7 * (i // 256)) & 255 for i in range(piece))
    stream = pattern[:first]
    while len(stream) < size:
        stream += pattern[:size - len(stream)]
    return stream


class Benchmark(unittest.TestCase):
    threads = 1

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="limequat-partest-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def program(self):
        return OPTIONS.partest

    def partest(self, *arguments, tasks=3):
        command = [*OPTIONS.mpirun.split(), tasks, self.program(), "-f", "p", "-s", "300k", "-b", "70k", "-r", "100k",
                   "-q", 4096, *arguments]
        return subprocess.run([str(part) for part in command], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120,
                              env={**os.environ, "OMP_NUM_THREADS": str(self.threads)})

    def succeeds(self, *arguments, **options):
        done = self.partest(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def fails(self, sentence, *arguments):
        done = self.partest(*arguments)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(sentence, done.stderr)


class Partest(Benchmark):
    def test_a_multifile_has_the_data_of_all_tasks(self):
        for arguments in [(), ("-M", "-m"), ("-L", "-j", 1), ("-T", 1, "-Z", 2), ("-M", "--collread", "-Z", 1),
                          ("--numfiles=2", "-j", -2), ("-n", 3, "-W", 2, "-Z", -1)]:
            with self.subTest(arguments=arguments):
                said = self.succeeds(*arguments)
                self.assertEqual(plain_sion.streams_of(str(self.folder / "p")), [data(task) for task in range(3)])
                self.assertEqual(len(re.findall("T_STAT .* TOTAL READ  b= *0.88 MiB .*#chunks=15 ", said)), 1)

    def test_the_first_call_may_have_another_size(self):
        self.succeeds("-O", 100)
        self.assertEqual(plain_sion.streams_of(str(self.folder / "p")), [data(task, first=100) for task in range(3)])

    def test_random_sizes_are_at_most_as_large(self):
        self.succeeds("-F", "0.5", "-M", "-m", "-Z", 1)
        sizes = [len(stream) for stream in plain_sion.streams_of(str(self.folder / "p"))]
        self.assertEqual(len(set(sizes)), 3)
        self.assertTrue(all(SIZE // 2 <= size <= SIZE for size in sizes))

    def test_mpi_io_has_them_in_one_file_for_each_group(self):
        self.succeeds("-T", 2, "-n", 2, "-M", "-Z", 1)
        self.assertEqual((self.folder / "p.000000").read_bytes(), data(0))
        self.assertEqual((self.folder / "p.000001").read_bytes(), data(1) + data(2))

    def test_files_of_tasks(self):
        for arguments in [(), ("-L", "-Z", 1)]:
            self.succeeds("-T", 3, *arguments)
            self.assertEqual([(self.folder / f"p.{task:06}").read_bytes() for task in range(3)],
                             [data(task) for task in range(3)])

    def test_files_are_removed_where_asked(self):
        for kind in range(4):
            self.succeeds("-T", kind, "-X", *(["-n", 2] if kind < 3 else []))
            self.assertEqual(list(self.folder.iterdir()), [], f"type {kind}")

    def test_lines_of_tasks_and_files(self):
        said = self.succeeds("-v", "-n", 2)
        for whose, count in [("TASK", 3), ("FILE", 2), ("TOTAL", 1)]:
            for label in ["T_STAT", "T_PHASE", "T_FILE_BARRIER", "T_GLOBAL_BARRIER"]:
                for what in ["WRITE", "READ"]:
                    self.assertEqual(len(re.findall(rf"timings\[00000\d\] {label} +{whose} {what}  ", said)), count)

    def test_other_data_than_written_are_noticed(self):
        self.succeeds("--read=0")
        raw = bytearray((self.folder / "p").read_bytes())
        raw[4096 + 200] ^= 1
        (self.folder / "p").write_bytes(raw)
        self.fails("task 0: read number 0 gave other data", "--write=0")
        self.succeeds("--write=0", "-C")

    def test_failures_end_all_tasks(self):
        self.fails("cannot open /no/such/folder/x for writing", "-f", "/no/such/folder/x")
        self.fails("cannot open absent for reading", "-W", 0, "-f", "absent")
        self.fails("cannot open /no/such/folder/x for writing", "-T", 3, "-f", "/no/such/folder/x")
        self.fails("4 files for 3 tasks", "-n", 4)
        self.fails('"5x" is not possible', "-b", "5x")
        self.fails("Usage: ", "--nonsense")


class OmpiPartest(Benchmark):
    """Two threads of each of three ranks."""

    threads = 2

    def program(self):
        if not OPTIONS.threads:
            self.skipTest("built without OpenMP")
        return OPTIONS.threads

    def test_a_multifile_has_the_data_of_all_threads(self):
        for arguments in [(), ("-M", "-m"), ("-L", "-j", 1), ("-T", 1, "-Z", 2), ("-M", "--collread", "-Z", 1),
                          ("--numfiles=2", "-j", -2), ("-n", 3, "-W", 2, "-Z", -1)]:
            with self.subTest(arguments=arguments):
                said = self.succeeds(*arguments)
                self.assertEqual(plain_sion.streams_of(str(self.folder / "p")), [data(task) for task in range(6)])
                self.assertEqual(len(re.findall("T_STAT .* TOTAL READ  b= *1.76 MiB .*#chunks=30 ", said)), 1)
                self.assertEqual(len(re.findall("'ompi_partest': (?:start|end) at", said)), 2)

    def test_threads_have_a_multifile_of_their_own(self):
        for arguments in [("-T", 2), ("-T", 2, "-M", "-m", "-Z", 1), ("-T", 3, "-Z", 2)]:
            with self.subTest(arguments=arguments):
                self.succeeds(*arguments)
                for rank, name in enumerate(["p", "p_000001", "p_000002"]):
                    self.assertEqual(plain_sion.streams_of(str(self.folder / name)),
                                     [data(task) for task in (2 * rank, 2 * rank + 1)])

    def test_files_are_removed_where_asked(self):
        for kind in range(4):
            self.succeeds("-T", kind, "-X", "-n", 2)
            self.assertEqual(list(self.folder.iterdir()), [], f"type {kind}")

    def test_failures_end_all_threads(self):
        self.fails("cannot open /no/such/folder/x for writing", "-f", "/no/such/folder/x")
        self.fails("cannot open absent for reading", "-W", 0, "-f", "absent", "-T", 2)
        self.fails("4 files for 3 tasks", "-n", 4)
        self.fails("2 and 3 with a multifile for the threads of each rank", "--nonsense")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--partest", required=True)
    parser.add_argument("--threads", default="")
    parser.add_argument("--mpirun", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
