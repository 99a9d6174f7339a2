// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copying files, by all ranks together. Conventions: limequat.h.
#ifndef LIMEQUAT_C_COPY_H
#define LIMEQUAT_C_COPY_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/questions.h>

#ifdef __cplusplus
extern "C" {
#endif

// Copying files, by all ranks together.
typedef struct lq_copy_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  int verify;            // LQ_VERIFY_*; default LQ_VERIFY_CHECKSUM; LQ_VERIFY_READ_BACK compares with the source's sums
  int resume;            // resume an interrupted copy; default 0
  int overwrite;         // replace existing files, which stay until the new ones are complete; default 0
  int recursive;         // copy folders with their contents; default 0
  int dry_run;           // check everything, write nothing; default 0
  int sync;              // LQ_SYNC_*; default full
  uint64_t block_bytes;  // moved, summed and recorded at a time by a rank
  lq_progress progress;  // or NULL
  void* progress_context;
  uint64_t stripe_count;  // of each new file, as in lq_write_options, and the next two
  uint64_t stripe_bytes;
  int stripes_by_size;
} lq_copy_options;
LQ_API lq_status lq_copy_options_init(lq_copy_options* options, size_t struct_size);
LQ_API lq_status lq_copy_options_set(lq_copy_options* options, const char* name, const char* value);
// Collective. Copies each of `count` sources to `target`: into it if it is a folder or ends in a slash, or if there are
// several, otherwise under that name; "NAME:REST" is below the folders that the site profile calls NAME. `json` reports
// what was copied; it may be NULL.
LQ_API lq_status lq_copy(const char* const* sources, uint64_t count, const char* target, const lq_copy_options* options,
                         char** json);

#ifdef __cplusplus
}
#endif

#endif
