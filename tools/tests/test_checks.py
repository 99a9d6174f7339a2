# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests of the check_*.py tools: each finds its errors and nothing else. Each test writes a tiny source tree.
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import check_calls  # noqa: E402
import check_doc_samples  # noqa: E402
import check_includes  # noqa: E402
import check_links  # noqa: E402
import check_names  # noqa: E402
import check_spec_refs  # noqa: E402

ROOMS = """
| Room | Lives here | May include | Libraries |
|---|---|---|---|
| `base` | opinions of none | - | `fmt` |
| `comm` | ranks | `base` | |
| `format` | formats | `base` | |
| `mpi` | MPI | `base`, `comm` | `mpi` |

Folders use those to their left: in `format`, `lime` < `scidac` <
`ildg`; in `mpi`, `one` < `two`.

| Product | Made of |
|---|---|
| `other` | `table` |
"""


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def put(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


class Names(Tree):
    """What a source uses is declared by what it includes."""

    HEADERS = {
        "src/base/text.hpp": "#include <string>\nnamespace lq::base {\nstd::string joined(int n);\nstruct Line {\n  int first;\n};\n}\n",
        "src/base/error.hpp": "#define LQ_INNER\nnamespace lq::base {\nclass Line;\nint fail(int code);\nenum class Code { io };\n}\n",
        "src/comm/team.hpp": '#include "base/text.hpp"\nnamespace lq::comm {\nclass Team {\n  struct Inside {};\n  int size();\n};\nint agree();\n'
                             "inline constexpr int limit = 3;\nusing Rank = int;\n}\n",
        "include/limequat/grid.hpp": "#include <vector>\nnamespace lq {\nclass LQ_PUBLIC Grid {\n};\nint ranks(const Grid& grid);\n}\n",
    }

    def complaints(self, code, *headers, path="src/comm/a.cpp"):
        for name, text in self.HEADERS.items():
            self.put(name, text)
        self.put("tools/standard_names.txt", "# names\nstring: string getline\nvector: vector\nmemory: unique_ptr\nalgorithm: ranges::sort remove\ncstdio: remove\n")
        self.put(path, "".join(f"#include {header}\n" for header in headers) + f"namespace lq::comm {{\n{code}\n}}\n")
        return check_names.check(self.root)

    def test_what_is_included_may_be_used_directly_or_not(self):
        self.assertEqual(self.complaints("base::Line line; int n = agree() + limit; Team::Inside* i; std::string s; Rank r; Grid* g;\n"
                                         "int f() { return base::fail(1) + ranks(*g); }",
                                         '"comm/team.hpp"', '"base/error.hpp"', "<limequat/grid.hpp>"), [])

    def test_what_is_not_included_is_named_with_its_header(self):
        for code, header in (("base::Line* line;", "src/base/text.hpp"), ("auto x = base::joined(1);", "src/base/text.hpp"),
                             ("int f() { return agree(); }", "src/comm/team.hpp"), ("Team team;", "src/comm/team.hpp"),
                             ("auto c = base::Code::io;", "src/base/error.hpp"), ("lq::Grid* g;", "include/limequat/grid.hpp"),
                             ("int n = comm::limit;", "src/comm/team.hpp"), ("Rank r;", "src/comm/team.hpp"),
                             ("int f() { return ranks({}); }", "include/limequat/grid.hpp")):
            complaint, = self.complaints(code)
            self.assertIn(f" is used, but {header} is not included", complaint)

    def test_a_declaration_without_its_body_is_not_enough(self):
        complaint, = self.complaints("int f(base::Line& line) { return line.first; }", '"base/error.hpp"')
        self.assertIn("Line is used, but src/base/text.hpp", complaint)

    def test_names_of_its_own_of_others_and_in_texts_are_left_alone(self):
        self.assertEqual(self.complaints(
            "struct Team { int agree(); }; template <class Grid> void f(Grid g) { g.agree(); }\n// base::Line\n"
            "const char* s = \"base::Line\"; int limit2; void g() { auto ranks = [](int) { return 1; }; ranks(2); }\n"
            "int Team::agree() { return 3; } std::vector<int> ranks_of(int n); std::unknown_thing x;", "<vector>"), [])

    def test_names_of_the_standard_library(self):
        self.assertEqual(self.complaints("std::vector<std::string> v; void f() { std::remove(0); }", "<vector>", '"base/text.hpp"', "<cstdio>"), [])
        found = self.complaints("std::unique_ptr<int> p; void f() { std::ranges::sort(p); std::remove(0); }", "<vector>")
        self.assertEqual([one.split(": ", 1)[1] for one in found], [
            "std::ranges::sort is used, but <algorithm> is not included", "std::remove is used, but <algorithm> or <cstdio> is not included",
            "std::unique_ptr is used, but <memory> is not included"])


class IncludeRule(Tree):
    def breaches(self, path, *headers):
        self.put("ARCHITECTURE.md", ROOMS)
        self.put(path, "".join(f"#include {header}\n" for header in headers))
        return check_includes.check(self.root)

    def test_reads_only_the_table_of_rooms(self):
        self.put("ARCHITECTURE.md", ROOMS)
        rooms = check_includes.read_rooms(self.root / "ARCHITECTURE.md")
        self.assertEqual(list(rooms), ["base", "comm", "format", "mpi"])
        self.assertEqual(rooms["mpi"], (["base", "comm"], ["mpi"]))

    def test_a_missing_table_is_an_error(self):
        self.put("ARCHITECTURE.md", "no table\n")
        self.assertEqual(len(check_includes.check(self.root)), 1)

    def test_rooms_above_and_public_headers_are_allowed(self):
        self.assertEqual(
            self.breaches("src/comm/comm.cpp", '"base/bytes.hpp"', '"comm/comm.hpp"', "<limequat/error.hpp>", "<span>"), [])

    def test_a_room_below_is_refused_with_file_and_line(self):
        found = self.breaches("src/base/text.cpp", "<string>", '"comm/comm.hpp"')
        self.assertEqual(found, ["src/base/text.cpp:2: comm/comm.hpp: room base may not include room comm"])

    def test_a_room_below_in_angle_brackets_is_refused_too(self):
        self.assertEqual(len(self.breaches("src/base/text.cpp", "<comm/comm.hpp>")), 1)

    def test_mpi_is_refused_outside_its_room(self):
        self.assertEqual(self.breaches("src/mpi/mpi_comm.cpp", "<mpi.h>", "<limequat/mpi.hpp>"), [])
        self.assertEqual(len(self.breaches("src/comm/comm.cpp", "<mpi.h>", "<limequat/mpi.hpp>")), 2)

    def test_headers_that_only_linux_has_are_refused_outside_its_sources_and_tests(self):
        self.assertEqual(self.breaches("src/base/system_linux.cpp", "<sys/xattr.h>", "<link.h>", "<asm/hwcap.h>"), [])
        self.assertEqual(self.breaches("src/comm/node_test.cpp", "<sys/sysmacros.h>"), [])
        self.assertEqual(len(self.breaches("src/comm/comm.cpp", "<sys/xattr.h>", "<sys/stat.h>", "<linux/fs.h>")), 2)

    def test_libraries_are_refused_unless_named(self):
        self.assertEqual(self.breaches("src/base/text.cpp", "<fmt/format.h>"), [])
        self.assertEqual(len(self.breaches("src/comm/comm.cpp", "<fmt/format.h>")), 1)

    def test_folders_of_a_room_look_to_the_left_only(self):
        self.assertEqual(self.breaches("src/format/ildg/scan.cpp", '"format/lime/header.hpp"', '"format/format.hpp"'), [])
        self.assertEqual(len(self.breaches("src/format/lime/scan.cpp", '"format/ildg/ildg.hpp"')), 1)

    def test_order_of_folders_is_read_for_each_room(self):
        self.assertEqual(self.breaches("src/mpi/two/call.cpp", '"mpi/one/call.hpp"'), [])
        self.assertEqual(len(self.breaches("src/mpi/one/call.cpp", '"mpi/two/call.hpp"', '"mpi/unlisted/call.hpp"')), 2)

    def test_a_room_without_a_row_is_refused(self):
        self.assertEqual(len(self.breaches("src/util/misc.cpp", "<string>")), 1)

    def test_public_headers_include_only_std_and_each_other(self):
        self.assertEqual(self.breaches("include/limequat/grid.hpp", "<memory>", "<limequat/lattice.hpp>"), [])
        found = self.breaches("include/limequat/grid.hpp", "<mpi.h>", "<fmt/format.h>", '"base/bytes.hpp"')
        self.assertEqual(len(found), 3)

    def test_one_cpp_and_one_c_header_mention_mpi(self):
        self.assertEqual(self.breaches("include/limequat/mpi.hpp", "<mpi.h>"), [])
        self.assertEqual(self.breaches("include/limequat_mpi.h", "<mpi.h>", "<limequat.h>"), [])

    def test_headers_of_drop_ins_include_what_their_originals_do_and_nothing_of_ours(self):
        self.assertEqual(self.breaches("dropins/include/other.h", "<mpi.h>", "<sys/types.h>", '"other_types.h"'), [])
        self.assertEqual(len(self.breaches("dropins/include/other.h", "<limequat.h>", "<fmt/format.h>")), 2)


@unittest.skipUnless(shutil.which("cc") and shutil.which("nm"), "no C compiler")
class CallRule(Tree):
    def breaches(self, **sources):
        self.put("ARCHITECTURE.md", ROOMS)
        outputs = [{"command": f"cc -o src/{room}/{room}.o -c"} for room in sources]
        self.put("build/compile_commands.json", json.dumps(outputs))
        for room, text in sources.items():
            self.put(f"build/src/{room}/{room}.c", text)
            file = self.root / f"build/src/{room}/{room}"
            subprocess.run(["cc", "-c", f"{file}.c", "-o", f"{file}.o"], check=True)
        return list(check_calls.check(self.root / "build", self.root))

    def test_a_room_calls_those_of_its_row(self):
        self.assertEqual(self.breaches(base="void b(void) {}", comm="void b(void); void c(void) { b(); }"), [])

    def test_another_room_is_refused_with_the_name(self):
        self.assertEqual(self.breaches(comm="void c(void) {}", format="void c(void); void f(void) { c(); }"),
                         ["room format may not call room comm: c"])

    def test_a_circle_is_found(self):
        found = self.breaches(base="void c(void); void b(void) { c(); }", comm="void b(void); void c(void) { b(); }")
        self.assertEqual(found, ["room base may not call room comm: c", "rooms call each other in a circle: base -> comm -> base"])

    def test_a_build_without_objects_is_no_proof(self):
        with self.assertRaises(SystemExit):
            self.breaches()


class SpecReferences(Tree):
    def dead(self, citation):
        self.put("docs/formats/lime.md", "# LIME\n## 2 Header\n### 2.1 Flags\ntext\n")
        self.put("src/format/lime/scan.cpp", f"// {citation}\n")
        return check_spec_refs.check(self.root)

    def test_existing_sections_are_fine(self):
        self.assertEqual(self.dead("formats/lime.md 2.1 and formats/lime.md 2, formats/lime.md"), [])

    def test_a_missing_section_is_found(self):
        self.assertEqual(self.dead("formats/lime.md 2.7"),
                         ["src/format/lime/scan.cpp:1: docs/formats/lime.md has no section 2.7"])

    def test_a_missing_page_is_found(self):
        self.assertEqual(len(self.dead("formats/lemon.md 1")), 1)


class DocumentSamples(Tree):
    def wrong(self, block, fix=False):
        self.put("examples/one.cpp", "// licence\n// what it is\nint a;\n  // [part]\n  int b;\n  // [/part]\n")
        self.put("README.md", block)
        return check_doc_samples.check(self.root, fix)

    def test_equal_text_is_fine(self):
        self.assertEqual(self.wrong("<!-- sample: examples/one.cpp part -->\n```cpp\nint b;\n```\n"), [])

    def test_other_text_is_found(self):
        found = self.wrong("one\n<!-- sample: examples/one.cpp part -->\n```cpp\nint c;\n```\n")
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("README.md:2:"))

    def test_missing_files_and_parts_are_found(self):
        self.assertEqual(len(self.wrong("<!-- sample: examples/two.cpp -->\n```cpp\n```\n")), 1)
        self.assertEqual(len(self.wrong("<!-- sample: examples/one.cpp other -->\n```cpp\n```\n")), 1)

    def test_code_that_nothing_runs_is_found(self):
        found, = self.wrong("text\n\n```python\nimport limequat\n```\nand\n\n```text\nno code\n```\n")
        self.assertTrue(found.startswith("README.md:3: this code is in no file"), found)
        self.assertEqual(self.wrong("<!-- not run: it needs a cluster -->\n```sh\nlq ls\n```\n"), [])
        self.assertEqual(len(self.wrong("<!-- not run: -->\n```sh\nlq ls\n```\n")), 1)

    def test_fix_takes_the_text_of_the_file(self):
        self.wrong("<!-- sample: examples/one.cpp part -->\n```cpp\nint c;\n```\n", fix=True)
        self.assertEqual(check_doc_samples.check(self.root), [])
        self.assertIn("int b;", (self.root / "README.md").read_text())



class Links(Tree):
    def test_files_and_headings_that_are_there_are_no_news(self):
        self.put("docs/a.md", "# A `code` [link](b.md)\n\n## Two\n## Two\n[b](b.md#one-and-two) [own](#two-1) [up](../README.md) [far](https://x.org/#y)\n")
        self.put("docs/b.md", "# One, and *two*\n")
        self.put("README.md", "# R\n\n![p](docs/a.md)\n")
        self.assertEqual(check_links.check(self.root), [])

    def test_what_is_not_there_is_told_with_its_line(self):
        self.put("README.md", "# R\n\n[a](none.md) [b](docs/b.md#three)\n`[c](none2.md)`\n```\n[d](none3.md)\n```\n![p](none.svg)\n")
        self.put("docs/b.md", "# One\n```\n# three\n```\n")
        self.assertEqual(check_links.check(self.root), ["README.md:3: none.md: there is no none.md",
                                                        "README.md:3: docs/b.md#three: there is no heading #three",
                                                        "README.md:8: none.svg: there is no none.svg"])

    def test_source_files_that_are_not_there(self):
        self.put("src/io/sites.cpp", "")
        self.put("dropins/src/compat/lime/reader.hpp", "")
        self.put("ARCHITECTURE.md", "# A\n`io/sites` `src/io/sites.cpp` `compat/lime` `other/file`\n`io/none` `io/sites.hpp`\n")
        self.assertEqual(check_links.check(self.root), ["ARCHITECTURE.md:3: io/none: there is no such source file",
                                                        "ARCHITECTURE.md:3: io/sites.hpp: there is no such source file"])


if __name__ == "__main__":
    unittest.main()
