// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// File systems, and calls of them that do not return. Conventions: limequat.h.
#ifndef LIMEQUAT_C_FILE_SYSTEM_H
#define LIMEQUAT_C_FILE_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/status.h>

#ifdef __cplusplus
extern "C" {
#endif

// Local. The known properties of the file system of a path: kind, block, stripes, targets, locks, coherence between
// clients, space; null: not reported.
LQ_API lq_status lq_file_system_of(const char* path, char** json);

// A call of the file system that has not returned. Texts are valid during the call of lq_stall_tell.
typedef struct lq_stall {
  size_t struct_size;  // set by the library
  const char* call;    // "write", "read", "sync", "open", "rename", ...
  const char* path;    // for an incomplete file, its temporary name
  uint64_t offset;
  uint64_t bytes;        // 0: the call moves none
  double seconds;        // so far
  const char* sentence;  // "waits for 30 s in write of 1048576 bytes at byte 4096 of PATH"
} lq_stall;
typedef void (*lq_stall_tell)(const lq_stall* stall, void* context);

// Local. From now on `tell` is called for every file system call of this process that takes longer than `seconds`, and
// again each time that the waiting time has doubled; on a separate thread. NULL ends this; when that call returns,
// `tell` is no longer running. Calls that are already in progress are not reported. Do not call this from `tell`.
LQ_API lq_status lq_watch_stalls(double seconds, lq_stall_tell tell, void* context);

#ifdef __cplusplus
}
#endif

#endif
