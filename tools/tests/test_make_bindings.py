#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Codes of types, out of lines as check_abi.py writes them."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import make_bindings  # noqa: E402

LINES = """\
lq_kind: LQ_A = 0
lq_sink: void (void *, uint64_t, void *) *
lq_table.send: int (void *, uint64_t *) * at byte 16
lq_table.struct_size: size_t at byte 0
lq_table.tell: lq_sink at byte 8
lq_table.extents: int64_t[8] at byte 24
lq_table.kind: lq_kind at byte 88
lq_open: lq_kind (char const *, lq_table const *, lq_group const *, lq_file * *)
lq_free: void (char *)
lq_pack: int (char const * const *, char * *, lq_table, lq_sink)
lq_read_options.a: int at byte 0
lq_read: int (lq_read_options const *, double *)
""".splitlines()


class Bindings(unittest.TestCase):
    def test_functions_and_types_have_their_codes(self):
        text = make_bindings.module(LINES)
        for line in ("free v p; open i s *table p T; pack i S T table sink; read i p D", "sink v p u p",
                     "table struct_size:z tell:sink send:(i,p,U) extents:l[8] kind:i"):
            self.assertIn(f'\n{line}"""', text)
        self.assertNotIn("read_options", text)


if __name__ == "__main__":
    unittest.main()
