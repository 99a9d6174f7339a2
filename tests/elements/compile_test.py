# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""usage: compile_test.py COMPILER INCLUDE_FOLDER

What a compiler says to programs that cannot be compiled: one sentence that tells what to do, before all else."""

import pathlib
import subprocess
import sys
import unittest

COMPILER, INCLUDE = sys.argv[1], pathlib.Path(sys.argv[2])

USE = """#include <limequat/field.hpp>
#include <vector>
{type}
int main() {{
  std::vector<Element> memory(4);
  lq::{call}(memory);
}}
"""


def messages(source, standard="c++20"):
    # The first error is all that is looked at.
    words = [COMPILER, f"-std={standard}", "-fsyntax-only", "-Wfatal-errors", f"-I{INCLUDE}", "-x", "c++", "-"]
    done = subprocess.run(words, input=source, capture_output=True, text=True, timeout=120)
    return done.returncode, [line for line in done.stderr.splitlines() if "error:" in line]


class Compiling(unittest.TestCase):
    def test_every_header_says_first_that_it_needs_cxx20(self):
        for header in sorted((INCLUDE / "limequat").glob("*.hpp")):
            # For C, too; for older C++; and with MPI's headers.
            if header.name in ("version.hpp", "cxx17.hpp", "cxx17_mpi.hpp", "mpi.hpp"):
                continue
            code, errors = messages(f"#include <limequat/{header.name}>\n", "c++17")
            with self.subTest(header=header.name):
                self.assertNotEqual(code, 0)
                self.assertIn("Limequat needs C++20: compile with -std=c++20", errors[0])

    def test_the_header_of_c_serves_older_cxx(self):
        self.assertEqual(messages("#include <limequat.h>\n", "c++11")[0], 0)

    def expect(self, type_of_element, sentence, call="gauge"):
        code, errors = messages(USE.format(type=type_of_element, call=call))
        self.assertNotEqual(code, 0)
        self.assertIn(sentence, errors[0])

    def test_a_type_that_is_not_known_is_told_the_line_to_write(self):
        for call in ("gauge", "spinor", "propagator", "sites"):
            self.expect("struct Element { double c[18]; };", "template <> struct lq::Reals<YourType>", call)

    def test_a_wrong_number_of_reals_is_told(self):
        self.expect("struct Element { double c[18]; };\ntemplate <> struct lq::Reals<Element> : lq::PlainReals<double, 17> {};",
                    "lq::Reals states another number of them")

    def test_a_type_with_virtual_functions_is_told(self):
        self.expect("struct Element { virtual void f() {} double c[17]; };\n"
                    "template <> struct lq::Reals<Element> : lq::PlainReals<double, 18> {};", "standard layout")

    def test_a_known_type_compiles(self):
        known = ("struct Element { double c[18]; };\n"
                 "template <> struct lq::Reals<Element> : lq::PlainReals<double, 18> {};")
        self.assertEqual(messages(USE.format(type=known, call="gauge"))[1], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
