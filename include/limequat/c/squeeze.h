// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Storing files in half of their bytes. Conventions: limequat.h.
#ifndef LIMEQUAT_C_SQUEEZE_H
#define LIMEQUAT_C_SQUEEZE_H

#include <stddef.h>

#include <limequat/c/questions.h>

#ifdef __cplusplus
extern "C" {
#endif

// Stores files in half of their bytes, and restores them byte for byte, by all ranks together.
typedef struct lq_squeeze_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  int verify;            // LQ_VERIFY_*; default LQ_VERIFY_CHECKSUM: encoded data are decoded again and compared
  int overwrite;         // replace an existing file, which stays until the new one is complete; default 0
  int sync;              // LQ_SYNC_*; default full
  lq_progress progress;  // or NULL
  void* progress_context;
  int threads;  // of this rank; 0: as many as it has cores to itself
} lq_squeeze_options;
LQ_API lq_status lq_squeeze_options_init(lq_squeeze_options* options, size_t struct_size);
LQ_API lq_status lq_squeeze_options_set(lq_squeeze_options* options, const char* name, const char* value);
// Collective. Write the file `from` to an archive `to`, which is read like any other file; and restore the original.
// `json` returns the sizes; it may be NULL.
LQ_API lq_status lq_squeeze(const char* from, const char* to, const lq_squeeze_options* options, char** json);
LQ_API lq_status lq_unsqueeze(const char* from, const char* to, const lq_squeeze_options* options, char** json);

#ifdef __cplusplus
}
#endif

#endif
