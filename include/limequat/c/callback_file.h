// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are read by functions of the program: object stores, URLs, archives. Conventions: limequat.h.
#ifndef LIMEQUAT_C_CALLBACK_FILE_H
#define LIMEQUAT_C_CALLBACK_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lq_read_callbacks {
  size_t struct_size;  // set by you: sizeof(lq_read_callbacks)
  uint64_t bytes;      // size of the file
  const char* name;    // for example "conf.0010.ildg", without "/": suffixes help to recognise formats; NULL: "file";
                       // an address, with "://", becomes the path
  int64_t modified;    // nanoseconds since 1970, or another number for other contents; 0: not known
  uint64_t request_bytes;  // preferred size of one call of read_at, if that many bytes are needed; 0: any size
  int concurrent;          // several threads may call read_at at the same time; 0: one at a time, but any thread
  // Reads up to `count` bytes from `offset` on; returns how many, fewer only at the end of the file. Negative for a
  // failure, which becomes LQ_IO: minus an errno, or -1.
  int64_t (*read_at)(void* context, uint64_t offset, void* bytes, uint64_t count);
  const char* (*failure)(void* context);  // or NULL: why read_at failed, a text until it is called again
  void (*free)(void* context);            // or NULL: called after all other calls for a file that was created
  void* context;
} lq_read_callbacks;

// A file that functions read. While it exists, its path can be given wherever this process opens a file for reading. It
// cannot be written to. With several ranks, each creates one for the same bytes, all in the same order, so that the
// paths agree. It must outlive everything that was opened by its path.
typedef struct lq_callback_file lq_callback_file;
// Local. `callbacks` are copied. LQ_INVALID_ARGUMENT: no read_at, or a name with "/"; LQ_WRONG_STATE: another file has
// that address.
LQ_API lq_status lq_callback_file_create(const lq_read_callbacks* callbacks, lq_callback_file** file);
// Local. "callback:NUMBER/NAME", or the address, valid while the file exists.
LQ_API const char* lq_callback_file_path(const lq_callback_file* file);
LQ_API void lq_callback_file_free(lq_callback_file* file);

#ifdef __cplusplus
}
#endif

#endif
