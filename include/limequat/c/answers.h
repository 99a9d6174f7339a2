// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contents of a file, and the report of a transfer. Conventions: limequat.h.
#ifndef LIMEQUAT_C_ANSWERS_H
#define LIMEQUAT_C_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/field.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a site of a field in a file holds.
typedef struct lq_spec {
  int kind;          // lq_kind
  int precision;     // LQ_SINGLE or LQ_DOUBLE
  int colors;        // 0 for generic
  int spins;         // spinor and propagator
  int links;         // gauge: per site
  int is_complex;    // the numbers
  uint64_t numbers;  // real numbers per site
} lq_spec;

// The SciDAC checksum.
typedef struct lq_checksum {
  uint32_t suma, sumb;
} lq_checksum;
typedef enum lq_checksum_status {
  LQ_CHECKSUM_OK = 0,        // stored and equal
  LQ_CHECKSUM_ABSENT = 1,    // the file stores none
  LQ_CHECKSUM_DIFFERS = 2,   // stored and different
  LQ_CHECKSUM_UNCHECKED = 3  // not compared
} lq_checksum_status;

enum { LQ_MAX_DIMENSIONS = 8 };

// Why the stripes of a new file are as they are; lq::StripeReason in C++.
typedef enum lq_stripe_reason {
  LQ_STRIPES_NONE = 0,            // the file system has none, or none that a program can set
  LQ_STRIPES_FOLDER_DECIDES = 1,  // they are set on the folder
  LQ_STRIPES_PROGRESSIVE = 2,     // they grow with the file
  LQ_STRIPES_SIZE_UNKNOWN = 3,    // the size is unknown, and nothing was requested
  LQ_STRIPES_LEFT = 4,            // nothing was requested, and a change would gain nothing
  LQ_STRIPES_FITTING = 5,         // they were right already
  LQ_STRIPES_BY_SIZE = 6,         // set by the size of the file
  LQ_STRIPES_ASKED = 7,           // set as requested
  LQ_STRIPES_REFUSED = 8          // by the file system
} lq_stripe_reason;

// The report of a transfer. Seconds are those of the slowest rank.
typedef struct lq_report {
  size_t struct_size;  // set by you
  lq_spec spec;        // in the file
  int dimensions;
  int64_t extents[LQ_MAX_DIMENSIONS];
  int ranks;
  int is_written;        // 0: read
  int strategy;          // lq_strategy, the one used
  int is_read_back;      // the file was read again and compared
  uint64_t bytes;        // of the payload
  int checksum_status;   // lq_checksum_status
  int has_stored;        // the file has a checksum
  lq_checksum checksum;  // of the transferred data
  lq_checksum stored;
  uint64_t zero_sites;  // gauge: sites that are all zero
  double seconds;       // the whole call
  double pack_seconds, exchange_seconds, storage_seconds, sync_seconds;
  char format[16];
  char file_system[32];                 // its kind: "lustre"; "": not known
  uint64_t block_bytes;                 // block or stripe, which two writers did not share; 0: not known
  int single_owner;                     // two writers in one block would have lost bytes: each block had one
  int stripe_reason;                    // lq_stripe_reason, of a new file
  uint64_t stripe_count, stripe_bytes;  // of a new file; 0: not known
  uint64_t ranks_at_file;               // that accessed it
  double open_seconds;                  // until the first site moved
  uint64_t device_computing_ranks;      // with sites in the memory of a GPU, which converted them
  uint64_t device_copying_ranks;        // the same, but the host converted them in copied blocks
  char device_reason[256];              // why, on the first of the latter; "": no such rank
  uint64_t call_bytes;                  // maximum that one file system call of a rank moved; 0: not known
} lq_report;

#ifdef __cplusplus
}
#endif

#endif
