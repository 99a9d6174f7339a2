#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of make_options.py: its output for a table, and that every member has a row."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import make_options  # noqa: E402

ROW = {"name": "sync", "cpp": "sync", "kind": "choice", "meaning": "what is on disk", "advice": "Leave it alone.",
       "default": "full", "choices": ["none", "full"], "aliases": ["flush"], "ranks": "same",
       "arguments": [{"names": ["--sync", "--flush"], "value": "", "meaning": "what is on disk"},
                     {"names": ["--no-sync"], "value": "none", "meaning": "leave it to the system"}],
       "verbs": ["convert"], "not_in_lq": "", "members": [{"name": "sync", "type": "int", "offset": 8}]}
TABLE = {"name": "WriteOptions", "c_name": "lq_write_options", "summary": "Writing", "base": "", "functions": ["write"],
         "verbs": ["convert"], "others": [{"name": "struct_size", "type": "size", "offset": 0}], "options": [ROW]}


class MakeOptions(unittest.TestCase):
    def missing(self, cpp, c):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "include/limequat/c").mkdir(parents=True)
            (root / "include/limequat/options.hpp").write_text("struct WriteOptions {\n" + cpp + "\n};\n")
            (root / "include/limequat/c/transfer.h").write_text("typedef struct lq_write_options {\n" + c + "\n} lq_write_options;\n")
            return list(make_options.without_rows(root, [TABLE]))

    def test_members_that_rows_know_are_fine(self):
        self.assertEqual(self.missing("  Sync sync = Sync::full;  // on disk; or not", "  size_t struct_size;\n  int sync;"), [])

    def test_a_member_without_a_row_is_told(self):
        self.assertEqual(self.missing("  Sync sync = Sync::full;\n  std::optional<int> more = {};", "  size_t struct_size;\n  int sync;"),
                         ["WriteOptions::more has no row in src/options"])
        self.assertEqual(self.missing("  Sync sync;", "  size_t struct_size;\n  int sync;\n  void (*call)(int x, void* y);"),
                         ["lq_write_options.call has no row in src/options"])

    def test_the_page_tells_default_values_and_older_names(self):
        page = make_options.page([TABLE])
        for part in ("### sync", "Default: full; values: none, full; `--sync`, `--no-sync`; older names: `flush`", "Leave it alone."):
            self.assertIn(part, page)

    def test_the_manual_has_an_entry_between_its_marks(self):
        text = make_options.manual([TABLE], "before\n; [options]\n\nold\n; [/options]\nbehind\n")
        self.assertIn("*--sync*, *--flush* none|full\n\tWhat is on disk. Of convert.\n", text)
        self.assertIn("*--no-sync*\n\tLeave it to the system. Of convert.\n", text)
        self.assertNotIn("old", text)
        self.assertTrue(text.startswith("before\n") and text.endswith("behind\n"))

    def test_types_are_those_of_the_values(self):
        self.assertIn('    sync: Union[Literal["none", "full"], bool, None]\n', make_options.types([TABLE]))


if __name__ == "__main__":
    unittest.main()
