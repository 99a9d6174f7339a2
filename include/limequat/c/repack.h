// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Packs files into a multifile and unpacks them, rewrites multifiles, and repairs damaged files. Conventions:
// limequat.h.
#ifndef LIMEQUAT_C_REPACK_H
#define LIMEQUAT_C_REPACK_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/questions.h>

#ifdef __cplusplus
extern "C" {
#endif

// Packs files into a multifile and unpacks them, rewrites multifiles, and repairs damaged files, in one process. Each
// function uses the options of the same verb of `lq` (docs/reference/options.md); options may be NULL.
typedef struct lq_repack_options {
  size_t struct_size;   // set by init
  int overwrite;        // replace existing files, which stay until the new ones are complete; default 0
  int dry_run;          // check everything, write nothing; default 0
  int sync;             // LQ_SYNC_*; default full
  uint64_t block_size;  // chunks are multiples of it; 0: as in the file system, or in the multifile read
  uint64_t unit;        // lq_repair: data were written in multiples of this number of bytes; default 1
  int checkpoint;       // lq_defragment: make the new multifile a checkpoint; default LQ_AS_IT_IS
  int compression;      // of a checkpoint: LQ_COMPRESSION_*; default LQ_AS_IT_IS
  int verify;           // of a checkpoint: LQ_VERIFY_NONE accepts chunks that disagree with their checksums
  uint64_t limit_records;
  uint64_t limit_text_bytes;
  lq_progress progress;  // or NULL
  void* progress_context;
  int threads;  // 0: as many as the process has cores to itself
} lq_repack_options;
LQ_API lq_status lq_repack_options_init(lq_repack_options* options, size_t struct_size);
LQ_API lq_status lq_repack_options_set(lq_repack_options* options, const char* name, const char* value);

// Local. `json` reports what was written, and what is guessed, lost or left out; it may be NULL.
// One logical file for each of `count` inputs.
LQ_API lq_status lq_pack(const char* path, const char* const* inputs, uint64_t count, const lq_repack_options* options,
                         char** json);
// A file in `folder` for each record of a file of any format, named after it.
LQ_API lq_status lq_unpack(const char* path, const char* folder, const lq_repack_options* options, char** json);
// Record number `index` of a type, from 0, into a file.
LQ_API lq_status lq_extract(const char* path, const char* type, uint64_t index, const char* to,
                            const lq_repack_options* options, char** json);
// One physical file with one chunk for each task.
LQ_API lq_status lq_defragment(const char* from, const char* to, const lq_repack_options* options, char** json);
// Repairs a damaged file, as `lq repair`; `output` may be NULL for checkpoints and interrupted appends, which are
// repaired in place. For an intact file nothing is written, and `json` says "needed":false.
LQ_API lq_status lq_repair(const char* path, const char* output, const lq_repack_options* options, char** json);

#ifdef __cplusplus
}
#endif

#endif
