/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Data of any type from Fortran: fsion_write and fsion_fwrite are the same, as are the reads; also names with a type
 * in them that Fortran 77 programs use. */
#include "compat/sion_fortran/face.h"

sion_int64 fsion_write_items(const void* data, sion_int64 size, sion_int64 nitems, int sid) {
  if (size < 0 || nitems < 0) return 0;
  return (sion_int64)sion_fwrite(data, (size_t)size, (size_t)nitems, sid);
}

sion_int64 fsion_read_items(void* data, sion_int64 size, sion_int64 nitems, int sid) {
  if (size < 0 || nitems < 0) return 0;
  return (sion_int64)sion_fread(data, (size_t)size, (size_t)nitems, sid);
}

#define OUT (const void* data, const sion_int64* size, const sion_int64* nitems, const int* sid, sion_int64* rc)
#define IN (void* data, const sion_int64* size, const sion_int64* nitems, const int* sid, sion_int64* rc)

void fsion_write_ OUT { *rc = fsion_write_items(data, *size, *nitems, *sid); }
void fsion_read_ IN { *rc = fsion_read_items(data, *size, *nitems, *sid); }

FSION_RENAMED(void, fsion_write_, OUT);
FSION_RENAMED(void, fsion_read_, IN);
FSION_ALSO(void, fsion_fwrite_, fsion_write_, OUT);
FSION_ALSO(void, fsion_fread_, fsion_read_, IN);

#define TYPE(suffix)                                         \
  FSION_ALSO(void, fsion_write##suffix, fsion_write_, OUT);  \
  FSION_ALSO(void, fsion_fwrite##suffix, fsion_write_, OUT); \
  FSION_ALSO(void, fsion_read##suffix, fsion_read_, IN);     \
  FSION_ALSO(void, fsion_fread##suffix, fsion_read_, IN)
FSION_FOR_EACH_TYPE(TYPE);

#define SWAP (void* target, void* source, const int* size, const int* n, const int* do_swap, int* rc)
void fsion_swap_ SWAP {
  *rc = *size > 0 && *n >= 0 ? SION_SUCCESS : SION_NOT_SUCCESS;
  if (*rc == SION_SUCCESS) sion_swap(target, source, *size, *n, *do_swap);
}
FSION_NAMES(void, fsion_swap, SWAP);
