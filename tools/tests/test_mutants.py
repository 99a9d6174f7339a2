# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of mutants.py: the changes in a source; the result compiles and equals the original unless a mutant is selected; the mutants
# that a run reaches; the report.
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import mutants  # noqa: E402

SOURCE = """// Copyright: if (this < that) changed++;
#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace {

constexpr int fixed = 3 + 1;
static_assert(fixed == 4);

constexpr int twice(int x) {
  return x * 2;
}
static_assert(twice(2) == 4);

int calls = 0;
void count() { ++calls; }

int looked_at(const char* text, int most) {
  int found = 0;
  for (int i = 0; i < most; ++i) {
    if (text[i] == '<' &&  // a comment, with < and 1
        i + 1 < most) {
      ++found;
    }
  }
  count();
  if (found > 2) throw std::runtime_error("too many < of them");
  return std::max(found, 1);
}

}  // namespace

int main(int arguments, char**) {
  if (arguments > 1) return 7;
  try {
    const int found = looked_at("a<b<c<", 6);
    std::printf("%d %d", found, calls);
  } catch (const std::runtime_error&) {
    std::printf("thrown");
  }
  return 0;
}
"""


class OfOneFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.found = list(mutants.candidates("src/a/one.cpp", SOURCE))

    def pairs(self):
        return {(mutant.before, mutant.after) for mutant in self.found}

    def test_conditions_values_calls_and_failures_are_changed_each_in_one_line(self):
        pairs = self.pairs()
        for pair in (("for (int i = 0; i < most; ++i) {", "for (int i = 0; i <= most; ++i) {"),
                     ("for (int i = 0; i < most; ++i) {", "for (int i = 0; false; ++i) {"),
                     ("i + 1 < most) {", "i < most) {"), ("i + 1 < most) {", "i + 1 <= most) {"),
                     ("if (text[i] == '<' &&  // a comment, with < and 1", "if (text[i] != '<' &&  // a comment, with < and 1"),
                     ("if (text[i] == '<' &&  // a comment, with < and 1", "if (text[i] == '<' ||  // a comment, with < and 1"),
                     ("count();", "(without) count()"),
                     ('if (found > 2) throw std::runtime_error("too many < of them");', '(without) throw std::runtime_error("too many < of them")'),
                     ("return std::max(found, 1);", "return std::min(found, 1);"),
                     ("return std::max(found, 1);", "return std::max(1, found);"),
                     ("if (arguments > 1) return 7;", "if (!(arguments > 1)) return 7;"),
                     ("if (arguments > 1) return 7;", "if (arguments > 1) return 8;")):
            self.assertIn(pair, pairs)

    def test_comments_texts_and_constants_of_the_compiler_are_left_alone(self):
        for before, after in self.pairs():
            self.assertFalse(before.startswith(("//", "#", "constexpr", "static_assert")), before)
            self.assertEqual(before.count("too many < of them"), after.count("too many < of them"))
            self.assertEqual(before.count("// a comment, with < and 1"), after.count("// a comment, with < and 1"))

    def test_lines_of_mutants_are_those_of_the_source(self):
        lines = SOURCE.splitlines()
        for mutant in self.found:
            self.assertEqual(lines[mutant.line - 1].strip(), mutant.before)

    def outputs(self, chosen):
        """What the program prints: as it is, and with each mutant; and the mutants that it reaches."""
        (self.root / "src/a").mkdir(parents=True)
        (self.root / "src/a/one.cpp").write_text(SOURCE, encoding="utf-8")
        changed = self.root / "changed"
        mutants.write_sources(self.root, changed, chosen, set())
        text = (changed / "src/a/one.cpp").read_text(encoding="utf-8")
        self.assertEqual(text.count("\n"), SOURCE.count("\n"))
        program = self.root / "program"
        subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-o", program,
                        changed / "src/a/one.cpp"], check=True)
        reached = self.root / "reached"
        reached.write_bytes(bytes(4096))

        def run(**variables):
            return subprocess.run([program], env=os.environ | variables, capture_output=True, text=True, timeout=60).stdout

        told = [run(LQ_MUTANTS_REACHED=str(reached)), *(run(LQ_MUTANT=str(number)) for number in range(1, len(chosen) + 1))]
        return told, [at for at, mark in enumerate(reached.read_bytes()) if mark]

    @unittest.skipUnless(shutil.which(os.environ.get("CXX", "c++")), "no compiler")
    def test_one_build_is_the_original_or_any_one_of_them(self):
        expected = {("i + 1 < most) {", "i < most) {"): "thrown", ("count();", "(without) count()"): "2 0",
                    ("return std::max(found, 1);", "return std::min(found, 1);"): "1 1",
                    ("for (int i = 0; i < most; ++i) {", "for (int i = 0; false; ++i) {"): "1 1",
                    ("if (arguments > 1) return 7;", "if (!(arguments > 1)) return 7;"): "",
                    ('if (found > 2) throw std::runtime_error("too many < of them");', '(without) throw std::runtime_error("too many < of them")'): "2 1"}
        chosen = [mutant for mutant in self.found if (mutant.before, mutant.after) in expected]
        self.assertEqual(len(chosen), len(expected))
        told, reached = self.outputs(chosen)
        self.assertEqual(told, ["2 1", *(expected[mutant.before, mutant.after] for mutant in chosen)])
        # The failure is not thrown in a run without mutants.
        thrown, = (number for number, mutant in enumerate(chosen, 1) if "throw" in mutant.after)
        self.assertEqual(reached, [number for number in range(1, len(chosen) + 1) if number != thrown])

    def test_what_a_compiler_does_not_take_is_blamed_on_the_mutant_of_the_line(self):
        line = self.found[3].line
        output = f"/home/a/build/mutants/changed/src/a/one.cpp:{line}:7: error: no match\n/home/a/src/a/two.cpp:1:1: error: other"
        self.assertEqual({self.found[number - 1].line for number in mutants.blamed(output, self.found)} - {line - 1, line + 1}, {line})
        self.assertEqual(mutants.blamed("ninja: fine", self.found), set())


class OfThisTree(unittest.TestCase):
    def test_known_ones_are_in_the_code(self):
        self.assertEqual(len(list(mutants.known(ROOT))), (ROOT / mutants.KNOWN).read_text(encoding="utf-8").count("\n# "))

    def test_each_is_on_a_line_of_its_own_and_does_not_lie_in_another(self):
        chosen = mutants.choose(ROOT, "1", 12)
        self.assertGreater(len(chosen), 100)
        self.assertEqual(len({mutants.key(mutant) for mutant in chosen}), len(chosen))
        for mutant in chosen:
            for other in chosen:
                if mutant is not other and mutant.file == other.file:
                    self.assertTrue(mutant.line != other.line and (mutant.end <= other.begin or other.end <= mutant.begin))

    def test_what_is_argued_is_in_the_code(self):
        """A line that was changed since needs another look."""
        for key in mutants.argued(ROOT):
            file, _, rest = key.partition(": `")
            lines = [line.strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines()]
            self.assertIn(rest.rpartition("` -> `")[0], lines)


class OfResults(unittest.TestCase):
    def test_fast_tests_of_the_room_come_first_and_those_of_one_program_run_at_once(self):
        def test(name, program):
            return mutants.Test(name, [f"/b/{program}", f"--gtest_filter={name}", "--more"], (), "/b")

        tests = [test("A.slow", "lq_io_test"), test("B.far", "lq_fault_test"), test("A.one", "lq_io_test"), test("A.two", "lq_io_test"),
                 mutants.Test("script", ["/usr/bin/python3", "x.py"], (), "/b"), test("A.not", "lq_io_test")]
        recorded = {name: {"seconds": seconds, "reached": reached} for name, seconds, reached in (
            ("A.slow", 5, [3]), ("B.far", 0.01, [3]), ("A.one", 0.1, [2, 3]), ("A.two", 0.05, [3]), ("script", 0.15, [3]), ("A.not", 0.01, [2]))}

        def runs(seconds, mutant=mutants.Mutant("src/io/x.cpp", 1, "", "", 0, 1, "")):
            return [run.command for run, _ in mutants.batches(tests, recorded, 3, mutant, seconds)]

        self.assertEqual([command[1] for command in runs(60)], ["--gtest_filter=A.two:A.one:A.slow", "--gtest_filter=B.far", "x.py"])
        self.assertEqual(runs(60)[0][2:], ["--more", "--gtest_fail_fast"])
        self.assertEqual([command[1] for command in runs(0.1)], ["--gtest_filter=A.two:A.one:A.slow"])
        known = mutants.Mutant("src/io/x.cpp", 1, "known", "that fails [B.*]", 0, 1, "")
        self.assertEqual(runs(60, known)[0][1], "--gtest_filter=B.far")

    def test_a_test_that_does_not_end_is_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            sleeping = mutants.Test("sleeping", ["sh", "-c", "sleep 100 & sleep 100"], (), folder)
            passes, seconds = mutants.run(pathlib.Path(folder), sleeping, 0.2)
            self.assertFalse(passes)
            self.assertLess(seconds, 20)
            self.assertTrue(mutants.run(pathlib.Path(folder), mutants.Test("told", ["sh", "-c", 'test "$LQ_MUTANT" = 4'], (), folder), 60, LQ_MUTANT="4")[0])

    def test_the_table_counts_by_area_what_is_killed_argued_and_left(self):
        def mutant(file, before="a < b"):
            return mutants.Mutant(file, 1, before, "a <= b", 0, 1, "")

        own = [mutant("src/comm/a.cpp"), mutant("src/comm/b.cpp"), mutant("src/io/c.cpp"), mutant("src/io/d.cpp"), mutant("src/io/e.cpp", "known")]
        results = {mutants.key(one): {"result": result} for one, result in zip(own, ("killed", "survived", "survived", "invalid", "killed"))}
        shown = mutants.table(own, results, {mutants.key(own[1]): "why"}).splitlines()
        self.assertIn("| mutants from a review | 1 | 1 | 0 | 0 |", shown)
        self.assertIn("| `src/comm` | 2 | 1 | 1 | 0 |", shown)
        self.assertIn("| `src/io` | 1 | 0 | 0 | 1 |", shown)
        self.assertEqual(shown[-1], "| all | 4 | 2 | 1 | 1 |")


if __name__ == "__main__":
    unittest.main()
