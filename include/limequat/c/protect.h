// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parity next to files. Conventions: limequat.h.
#ifndef LIMEQUAT_C_PROTECT_H
#define LIMEQUAT_C_PROTECT_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/questions.h>

#ifdef __cplusplus
extern "C" {
#endif

// Sidecars with checksums of every block and Reed-Solomon parity, with which files are verified and repaired.
typedef struct lq_protect_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  const char* parity;    // "1%" to "100%" of the size of the files; NULL: "3%"
  int lost_files;        // with one sidecar for several files: how many lost ones can be restored; default -1: 2
  int together;          // one sidecar for all named files; default 0
  int check;             // write nothing, compare with the existing sidecars; default 0
  int overwrite;         // replace existing sidecars, which stay until the new ones are complete; default 0
  int sync;              // LQ_SYNC_*; default full
  lq_progress progress;  // or NULL
  void* progress_context;
  int threads;        // of this rank; 0: as many as it has cores to itself
  int accept_damage;  // also protect files that differ from an older sidecar; default 0: refuse
} lq_protect_options;
LQ_API lq_status lq_protect_options_init(lq_protect_options* options, size_t struct_size);
LQ_API lq_status lq_protect_options_set(lq_protect_options* options, const char* name, const char* value);
// Collective. Protects files, and folders with their contents. `json` lists the sidecars and the state of each file; it
// may be NULL.
LQ_API lq_status lq_protect(const char* const* paths, uint64_t count, const lq_protect_options* options, char** json);

#ifdef __cplusplus
}
#endif

#endif
