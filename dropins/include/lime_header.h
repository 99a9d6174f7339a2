/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C-LIME's record header as a program sees it. */
#ifndef LIME_HEADER_H
#define LIME_HEADER_H

#include <lime_defs.h>
#include <lime_fixed_types.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  unsigned int lime_version;
  int MB_flag; /* the record begins a message */
  int ME_flag; /* the record ends a message */
  char* type;
  n_uint64_t data_length; /* bytes of payload, without padding */
} LimeRecordHeader;

/* Local. A header with a copy of type; NULL if type is NULL or memory is short. Values that a file cannot store are
 * refused when the header is written: limeWriteRecordHeader. */
LimeRecordHeader* limeCreateHeader(int MB_flag, int ME_flag, char* type, n_uint64_t reclen);

/* Local. Frees the header; NULL is allowed. */
void limeDestroyHeader(LimeRecordHeader* h);

#ifdef __cplusplus
}
#endif

#endif
