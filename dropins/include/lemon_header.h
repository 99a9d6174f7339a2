/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lemon's record header as a program sees it. */
#ifndef LEMON_HEADER_H
#define LEMON_HEADER_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  unsigned int lemon_version;
  int MB_flag; /* not 0: the record begins a message */
  int ME_flag; /* not 0: the record ends a message */
  char* type;
  uint64_t data_length; /* bytes of payload, without padding */
} LemonRecordHeader;

/* Local. A header with a copy of type; NULL if type is NULL or memory is short. Values that a file cannot store are
 * refused when the header is written: lemonWriteRecordHeader. */
LemonRecordHeader* lemonCreateHeader(int MB_flag, int ME_flag, char const* type, MPI_Offset reclen);

/* Local. Frees the header; NULL is allowed. */
void lemonDestroyHeader(LemonRecordHeader* h);

#ifdef __cplusplus
}
#endif

#endif
