# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""<limequat/cxx17.hpp> as C++17: no warning of any compiler there is, and not much more work than the standard headers."""

import math
import os
import pathlib
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).parents[2]
USE = ROOT / "tests/cxx17/serial_test.cpp"
# One that is there by two names is asked once.
COMPILERS = list({os.path.realpath(path): path for path in map(shutil.which, ("g++", "clang++-14", "clang++")) if path}.values())
# Those that it includes.
STANDARD = "array complex cstddef cstdint deque initializer_list iterator memory stdexcept string type_traits utility vector".split()
MOST = 1.6  # times their processor time; 1.1 to 1.2 were measured
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

    def test_takes_little_more_than_the_standard_headers(self):
        text = "".join(f"#include <{name}>\n" for name in STANDARD)
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                least = [math.inf, math.inf]  # side by side: processor time grows while others use the same core
                for _ in range(5):
                    for i, one in enumerate((text, "#include <limequat/cxx17.hpp>\n")):
                        said, seconds = compile_text(compiler, one)
                        self.assertEqual(said, "")
                        least[i] = min(least[i], seconds)
                    if least[1] < MOST * least[0]:
                        break
                self.assertLess(least[1], MOST * least[0])


if __name__ == "__main__":
    unittest.main()
