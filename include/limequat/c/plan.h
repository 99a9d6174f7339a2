// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The plan of a transfer: which rank would move which bytes of a file. Conventions: limequat.h.
#ifndef LIMEQUAT_C_PLAN_H
#define LIMEQUAT_C_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lq_plan_options {
  size_t struct_size;       // set by init
  int reading;              // 0: writing
  int checksum;             // default 1
  uint64_t payload_offset;  // byte in the file at which the sites begin
  const int* rank_order;    // dimensions in which consecutive ranks advance, fastest first, or NULL: x first
  const char* profile;      // of the machine (`lq doctor --save-profile` makes one), or NULL: the site profile
  const char* folder;       // whose file system is used, or NULL: the one of the profile
  int strategy;             // as in lq_write_options, and the next four, too
  uint64_t aggregators;
  uint64_t chunk_bytes;
  uint64_t alignment;
  uint64_t memory_bytes;
  int threads;
  uint64_t stripe_count;  // of a new file, as in lq_write_options, and the next two
  uint64_t stripe_bytes;
  int stripes_by_size;
} lq_plan_options;
LQ_API lq_status lq_plan_options_init(lq_plan_options* options, size_t struct_size);
LQ_API lq_status lq_plan_options_set(lq_plan_options* options, const char* name, const char* value);

// Local. Predicts which rank would move which bytes of a file, by which strategy, and the time; for any number of
// ranks. `lattice`, `processes` and rank_order have `dimensions` entries. `field` is as in the file; its memory is not
// accessed.
LQ_API lq_status lq_plan(const int64_t* lattice, const int64_t* processes, int dimensions, lq_field field,
                         const lq_plan_options* options, char** json);

#ifdef __cplusplus
}
#endif

#endif
