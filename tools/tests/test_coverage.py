# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of coverage.py: a program with known branches is compiled, run and counted.
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import coverage  # noqa: E402

ONE = """bool is_small(int x) { return x < 3 && x > -3; }
int main(int arguments, char**) {
  if (is_small(arguments)) return 0;
  return 1;
}
"""


class Coverage(unittest.TestCase):
    @unittest.skipUnless(shutil.which("clang++-14") and shutil.which(coverage.tool("llvm-cov")), "no clang 14 with its tools")
    def test_outcomes_of_conditions_that_were_met_are_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            for place in ("bin", "profiles", "src/base"):
                (tree / place).mkdir(parents=True)
            for name in ("one.cpp", "one_test.cpp"):  # tests are not counted
                (tree / "src/base" / name).write_text(ONE if name == "one.cpp" else "int unused(int x) { return x > 0 ? 1 : 2; }\n", encoding="utf-8")
            built = subprocess.run(["clang++-14", "-fprofile-instr-generate", "-fcoverage-mapping", "-o", tree / "bin/lq_base_test",
                                    tree / "src/base/one.cpp", tree / "src/base/one_test.cpp"], capture_output=True, text=True)
            if built.returncode != 0 and "profile" in built.stderr:
                self.skipTest("clang has no runtime for profiles")
            self.assertEqual(built.returncode, 0, built.stderr)
            # Conditions with two outcomes each: first true three times, then also false, which executes the code after it.
            for arguments, expected in (((), (6, 3, 5)), (("a", "b"), (6, 5, 5))):
                subprocess.run([tree / "bin/lq_base_test", *arguments], env=os.environ | {"LLVM_PROFILE_FILE": str(tree / f"profiles/{len(arguments)}.profraw")})
                branches, taken, lines, _ = coverage.by_room(coverage.exported(tree))["base"]
                self.assertEqual((branches, taken, lines), expected)

    def test_a_tree_whose_tests_were_not_run_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(SystemExit, "run the tests first"):
            coverage.exported(pathlib.Path(folder))

    def test_the_table_adds_up(self):
        shown = coverage.table({"io": [10, 5, 100, 75], "base": [10, 10, 100, 100]}).splitlines()
        self.assertEqual(shown[2:], ["| `base` | 10 | 100.0 % | 100 | 100.0 % |", "| `io` | 10 | 50.0 % | 100 | 75.0 % |", "| all | 20 | 75.0 % | 200 | 87.5 % |"])


if __name__ == "__main__":
    unittest.main()
