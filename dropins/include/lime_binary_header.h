/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sizes and masks of the 144 bytes before a record. The original's buffer, one for every file that includes this,
 * is omitted: the interface does not need it, and it kept two threads from reading two files. */
#ifndef LIME_BINARY_HEADER_H
#define LIME_BINARY_HEADER_H

#include <lime_fixed_types.h>

#define MAX_HDR64 18
#define MAX_HDR64_PAD (MAX_HDR64 + 1)
#define LIME_HDR_LENGTH (8 * MAX_HDR64)
#define MB_MASK ((unsigned char)0x80)
#define ME_MASK ((unsigned char)0x40)
#define MAX_LIME_HDR_REC_TYPE 128 /* including the terminating NUL */

#endif
