/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the Fortran faces share. A Fortran compiler calls fsion_close(sid, ierr) as fsion_close_(int *, int *), with the
 * lengths of character arguments behind all others. Programs know fsion_close_c, too. Lengths are taken as int: that
 * reads what compilers pass as int and what they pass as size_t. */
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

/* A file name or mode as C has it, without the blanks at its end; the caller frees it. NULL: no memory. */
char* fsion_text(const char* text, int length);
/* A Fortran variable is set to a text, cut or padded with blanks. NULL is the empty text. */
void fsion_put_text(char* target, int length, const char* text);

/* Arguments that a program may give as constants are stored into only where their value is another. */
void fsion_store_int(int* target, int value);
void fsion_store_int64(sion_int64* target, sion_int64 value);

/* A negative size or number of items moves nothing. */
sion_int64 fsion_write_items(const void* data, sion_int64 size, sion_int64 nitems, int sid);
sion_int64 fsion_read_items(void* data, sion_int64 size, sion_int64 nitems, int sid);

#endif
