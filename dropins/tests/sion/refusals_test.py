# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What cannot be opened is refused on every task, with a sentence that says why, by every interface; nobody waits.
import pathlib
import shutil
import tempfile
import unittest

import under_mpi

VECTORS = pathlib.Path(__file__).parents[3] / "tests" / "golden" / "good" / "sion"
RANKS = {"serial": 1, "rank": 1, "mpi": 4, "mapped": 4, "omp": 1, "ompi": 2, "generic": 4}
TASKS = {**RANKS, "omp": 4, "ompi": 4}

# What is said of arguments; opens of one task do not write, and OpenMP has one file.
ARGUMENTS = {"long name": "1024 bytes", "long name to read": "1024 bytes", "no name": "no file name",
             "block 0": "block size of 0", "block -2": "block size of -2", "negative chunk": "-1",
             "negative files": "", "many files": ""}
# ... and one process has one file, whatever number below it is told.
SKIPPED = {"serial": {"negative files"}, "rank": {"long name", "no name", "block 0", "block -2", "negative chunk", "negative files", "many files"},
           "omp": {"negative files", "many files"}}
# ... and of files that are there; sets have 4 tasks.
FILES = {"absent": "absent", "unclosed": "not closed", "missing": "missing.000001", "swapped": "swapped",
         "mixed": "mixed.000001", "cut": "cut.000001", "of_three": "3 tasks"}
ANY_NUMBER = {"serial", "rank", "mapped"}


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="limequat-refusals-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        first, second = [(VECTORS / f"v15_buddy.sion{end}").read_bytes() for end in ("", ".000001")]
        sets = {"unclosed": [(VECTORS / "v17_unclosed.sion").read_bytes()], "missing": [first],
                "swapped": [second, first], "mixed": [first, (VECTORS / "v02_2files_5tasks.sion.000001").read_bytes()],
                "cut": [first, second[:1500]], "of_three": [(VECTORS / "v03_multiblock.sion").read_bytes()]}
        for name, files in sets.items():
            for number, data in enumerate(files):
                (cls.folder / (name if number == 0 else f"{name}.{number:06}")).write_bytes(data)

    def refused(self, interface, cases):
        """What was said of each case, all tasks having got -1."""
        words = [interface, *(word for case in cases for word in case)]
        done = under_mpi.run(RANKS[interface], words, self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        parts = done.stderr.split("== ")[1:]
        self.assertEqual(len(parts), len(cases), done.stderr)
        for part in parts:
            self.assertIn(f"-- {TASKS[interface]} of {TASKS[interface]}", part)
            self.assertIn("SION_ERROR_RETURN on rank", part)
        return parts

    def test_arguments(self):
        for interface in RANKS:
            cases = [(what, "new") for what in ARGUMENTS if what not in SKIPPED.get(interface, set())]
            with self.subTest(interface=interface):
                for (what, _), said in zip(cases, self.refused(interface, cases)):
                    self.assertIn(ARGUMENTS[what], said)
                self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith("n")], [])

    def test_files(self):
        for interface in RANKS:
            names = [name for name in FILES if not (interface in ANY_NUMBER and name == "of_three")]
            with self.subTest(interface=interface):
                for name, said in zip(names, self.refused(interface, [("read", name) for name in names])):
                    parted = interface == "omp" and name in ("missing", "swapped", "mixed", "cut")
                    self.assertIn("threads of one rank" if parted and "threads of one rank" in said else FILES[name], said)


if __name__ == "__main__":
    under_mpi.main()
