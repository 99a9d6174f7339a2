#!/usr/bin/env python3
# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of make_bindings.py: codes of types from lines of check_abi.py, and declarations of Fortran from headers."""

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

HEADER = """\
// Not this one: lq_kind lq_comment(int a);
typedef struct lq_places {
  const uint64_t* table;  // comment
  double a, b;
  lq_sink sink;
} lq_places;
LQ_API lq_kind lq_open(const char* path, const lq_table* table, const lq_places* places,
                       lq_file** file);
LQ_API lq_kind lq_ask(const lq_file* file, uint64_t* bytes, int64_t* lower, char** text);
LQ_API int lq_rank(const lq_file* file);
LQ_API void lq_free(char* text);
LQ_API const char* lq_unused(void);
lq_kind lq_fortran_free(CFI_cdesc_t* data, lq_places places, lq_places* filled);
"""
DECLARED = {
    "open": """\
function c_open(path, table, places, file) bind(c, name='lq_open') result(answer)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: table
      type(lq_places), intent(in) :: places
      type(c_ptr), intent(inout) :: file
      integer(c_int) :: answer
    end function""",
    "ask": """\
function c_ask(file, bytes, lower, text) bind(c, name='lq_ask') result(answer)
      import
      type(c_ptr), value :: file
      integer(c_int64_t), intent(inout) :: bytes
      integer(c_int64_t), intent(inout) :: lower(*)
      type(c_ptr), intent(inout), optional :: text
      integer(c_int) :: answer
    end function""",
    "rank": """\
pure function c_rank(file) bind(c, name='lq_rank') result(answer)
      import
      type(c_ptr), value :: file
      integer(c_int) :: answer
    end function""",
    "free": """\
function c_free(data, places, filled) bind(c, name='lq_fortran_free') result(answer)
      import
      type(*), dimension(..) :: data
      type(lq_places), value :: places
      type(lq_places), intent(inout), optional :: filled
      integer(c_int) :: answer
    end function"""}


class Bindings(unittest.TestCase):
    def test_functions_and_types_have_their_codes(self):
        text = make_bindings.module(LINES)
        for line in ("free v p; open i s *table h T; pack i S T table sink; read i p D", "sink v p u p",
                     "table struct_size:z tell:sink send:(i,p,U) extents:l[8] kind:i"):
            self.assertIn(f'\n{line}"""', text)
        self.assertNotIn("read_options", text)

    def test_fortran_declares_what_the_header_does(self):
        fortran = make_bindings.FortranInterface([HEADER], make_bindings.Interface(LINES))
        for name, declared in DECLARED.items():
            self.assertEqual("\n".join(fortran.procedure(name)).strip(), declared)
        self.assertEqual([fortran.member(one) for one in fortran.structs["lq_places"][2].split(";")[:3]],
                         ["type(c_ptr) :: table", "real(c_double) :: a, b", "type(c_funptr) :: sink"])

    def test_fortran_has_what_it_calls(self):
        structs = "".join(f"typedef struct {name} {{\n  int a;\n}} {name};\n" for name in make_bindings.FORTRAN_STRUCTS)
        fortran = make_bindings.FortranInterface([structs, HEADER], make_bindings.Interface(LINES))
        text = "\n".join(fortran.text(["call c_free(c_loc(a))", "x = c_open(y)"]))
        self.assertIn("function c_open(", text)
        self.assertIn("function c_free(", text)
        self.assertNotIn("c_unused", text)
        self.assertNotIn("c_rank", text)


if __name__ == "__main__":
    unittest.main()
