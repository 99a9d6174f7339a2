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

// Local. What is known of the file system of a path: kind, block, stripes, targets, locks, coherent between clients or
// not, space; null is what it does not tell.
LQ_API lq_status lq_file_system_of(const char* path, char** json);

// A call of the file system that has not returned. Texts last as long as the call of lq_stall_tell.
typedef struct lq_stall {
  size_t struct_size;  // set by the library
  const char* call;    // "write", "read", "sync", "open", "rename", ...
  const char* path;    // of a file that is not complete, its temporary name
  uint64_t offset;
  uint64_t bytes;        // 0: the call moves none
  double seconds;        // that it has taken so far
  const char* sentence;  // "waits for 30 s in write of 1048576 bytes at byte 4096 of PATH"
} lq_stall;
typedef void (*lq_stall_tell)(const lq_stall* stall, void* context);

// Local. From now on `tell` gets every call of this process that takes longer than `seconds`, and gets it again each
// time that twice as many have passed; on a thread of its own. NULL ends it, and then `tell` is not under way any more.
// Calls that are under way already are not seen. Not to be called by `tell`.
LQ_API lq_status lq_watch_stalls(double seconds, lq_stall_tell tell, void* context);

#ifdef __cplusplus
}
#endif

#endif
