# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""<limequat/cxx17.hpp> as C++17: no warning of any compiler there is, and a second of processor time at most."""

import os
import pathlib
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).parents[2]
USE = ROOT / "tests/cxx17/serial_test.cpp"
# One that is there by two names is asked once.
COMPILERS = list({os.path.realpath(path): path for path in map(shutil.which, ("g++", "clang++-14", "clang++")) if path}.values())
WARNINGS = "-std=c++17 -pedantic -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Werror".split()


def compile_text(compiler, text):
    """What the compiler said, and the seconds of processor time that it took."""
    before = os.times()
    done = subprocess.run([compiler, *WARNINGS, f"-I{ROOT / 'include'}", "-fsyntax-only", "-xc++", "-"],
                          input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    after = os.times()
    return done.stdout, after.children_user - before.children_user + after.children_system - before.children_system


@unittest.skipUnless(COMPILERS, "no compiler by the names g++, clang++")
class Header(unittest.TestCase):
    def test_has_no_warnings_where_it_is_used(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.assertEqual(compile_text(compiler, USE.read_text(encoding="utf-8"))[0], "")

    def test_compiles_in_a_second(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                # Up to five times: processor time, too, grows while others use the same core.
                for _ in range(5):
                    said, seconds = compile_text(compiler, "#include <limequat/cxx17.hpp>\n")
                    self.assertEqual(said, "")
                    if seconds < 1:
                        break
                self.assertLess(seconds, 1)


if __name__ == "__main__":
    unittest.main()
