/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the Fortran faces. A Fortran compiler calls fsion_close(sid, ierr) as fsion_close_(int *, int *), with the
 * lengths of character arguments after all others. Programs also use fsion_close_c. Lengths are read as int: that
 * works whether compilers pass them as int or as size_t. */
#ifndef LQ_COMPAT_SION_FORTRAN_FACE_H
#define LQ_COMPAT_SION_FORTRAN_FACE_H

#include <sion.h>
#include <stdint.h>

/* Declares that a function has one more name, and that name with the "l" in front that the renamed edition of SIONlib
 * has; with that "l" itself; or both, and the name that ends in _c. */
#define FSION_ALSO(type, other, name, parameters)      \
  type other parameters __attribute__((alias(#name))); \
  type l##other parameters __attribute__((alias(#name)))
#define FSION_RENAMED(type, name, parameters) type l##name parameters __attribute__((alias(#name)))
#define FSION_NAMES(type, stem, parameters) \
  FSION_RENAMED(type, stem##_, parameters); \
  FSION_ALSO(type, stem##_c_, stem##_, parameters)

/* The names of types in the names of calls for data. */
#define FSION_FOR_EACH_TYPE(call) \
  call(_c_);                      \
  call(_integer_);                \
  call(_integer8_);               \
  call(_real_);                   \
  call(_double_);                 \
  call(_double_precision_);       \
  call(_complex_);                \
  call(_logical_);                \
  call(_character_)

/* A file name or mode as a C string, without trailing blanks; the caller frees it. NULL: no memory. */
char* fsion_text(const char* text, int length);
/* Sets a Fortran variable to a text, truncated or padded with blanks. NULL is the empty text. */
void fsion_put_text(char* target, int length, const char* text);

/* Arguments that may be constants are stored into only if their value changes. */
void fsion_store_int(int* target, int value);
void fsion_store_int64(sion_int64* target, sion_int64 value);

/* A negative size or number of items moves nothing. */
sion_int64 fsion_write_items(const void* data, sion_int64 size, sion_int64 nitems, int sid);
sion_int64 fsion_read_items(void* data, sion_int64 size, sion_int64 nitems, int sid);

#endif
