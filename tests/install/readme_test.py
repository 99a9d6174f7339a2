# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A newcomer with the first page: every block of README.md as it is printed, from the first to the last, and all of it
# once more, in a folder of his own.
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = None


def blocks():
    """Language and text of each fenced block, in order."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


class Newcomer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="limequat-readme-")
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        # The sources are built already; the MPI and the Python of this build are those that plain names mean.
        self.put("dev", f'#!/bin/sh\n[ "$1" = install ] && cmake --install "{OPTIONS.build}" --prefix "$2" >/dev/null\n')
        self.put("bin/python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        for name, command in (("mpicxx", OPTIONS.mpicxx), ("mpirun", OPTIONS.mpiexec)):
            self.put(f"bin/{name}", f'#!/bin/sh\nexec {command} "$@"\n')

    def put(self, name, text):
        path = self.home / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def follow(self, all_blocks):
        """One shell for the whole page, as the newcomer has one; it stops at the first thing that fails."""
        lines = ["set -e"]
        for language, text in all_blocks:
            if language == "python":
                lines.append(f"python3 - <<'END'\n{text}END")
            elif language == "cpp":
                lines.append(f"cat >first.cpp <<'END'\n{text}END")
            elif language == "sh" and (OPTIONS.mpicxx or "mpi" not in text):
                lines.append(text)
        environment = {**os.environ, "HOME": str(self.home), "PATH": f"{self.home}/bin:{os.environ['PATH']}"}
        done = subprocess.run(["bash"], input="\n".join(lines), cwd=self.home, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_the_page_works_twice_in_a_row(self):
        self.assertEqual([language for language, _ in blocks()], ["sh", "sh", "python", "cpp", "sh"])
        for _ in range(2):
            said = self.follow(blocks())
            self.assertIn("(16, 8, 8, 8, 4, 3, 3)", said)
        self.assertTrue((self.home / "single.ildg").exists() and (self.home / "copy.lime").exists())

    def test_an_error_is_told_in_a_sentence(self):
        if not OPTIONS.mpicxx:
            self.skipTest("built without MPI")
        printed = [(language, text.replace('"conf.ildg"', '"no/such/folder/conf.ildg"') if language == "cpp" else text)
                   for language, text in blocks() if language != "python"]
        with self.assertRaisesRegex(AssertionError, r"no/such/folder/conf\.ildg[^\n]*: ") as refusal:
            self.follow(printed)
        self.assertNotIn("terminate called", str(refusal.exception))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--mpicxx", default="", help="empty: a build without MPI")
    parser.add_argument("--mpiexec", default="mpiexec")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
