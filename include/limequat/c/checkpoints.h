// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A folder of checkpoints (docs/guide/checkpoints-in-a-folder.md). Conventions: limequat.h.
#ifndef LIMEQUAT_C_CHECKPOINTS_H
#define LIMEQUAT_C_CHECKPOINTS_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/multifile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lq_checkpoints lq_checkpoints;  // the folder, which nobody else changes meanwhile
typedef struct lq_checkpoint lq_checkpoint;    // one that was loaded

typedef struct lq_checkpoints_options {
  size_t struct_size;                   // set by init
  const lq_communicator* communicator;  // or NULL: this process alone
  int keep;                             // newest valid checkpoints that stay; default 2
  uint64_t keep_every;                  // those whose step is a multiple of it stay, too; 0: none
  int proven;                           // of the newest that stay, read and compared before one is removed; default 2
  int read_only;                        // nothing is locked, marked or removed; default 0
  const char* local;                    // a folder on each node that is saved to first, or NULL
  int files;                            // physical files of the streams; 0: as many as the file system wants
  int compression;                      // LQ_COMPRESSION_* of the streams; default none
  int node_group;                       // with local: nodes that keep parity of each other's parts; default 8
  int lost_nodes;                       // nodes of a group that can be lost; default 1; 0: no parity
} lq_checkpoints_options;
LQ_API lq_status lq_checkpoints_options_init(lq_checkpoints_options* options, size_t struct_size);
LQ_API lq_status lq_checkpoints_options_set(lq_checkpoints_options* options, const char* name, const char* value);

// Collective over the options' communicator. Makes the folder where there is none, but not those above it.
// LQ_WRONG_STATE: another job works in it; the sentence says which.
LQ_API lq_status lq_checkpoints_open(const char* folder, const lq_checkpoints_options* options,
                                     lq_checkpoints** checkpoints);
// All ranks free it. A save in the background that nobody waited for is given up.
LQ_API void lq_checkpoints_free(lq_checkpoints* checkpoints);

// Local. What the next save is to hold: streams of this rank, one task each, in the order of these calls; fields of all
// ranks, by name; and small things by name, the same on all ranks. Memory is borrowed until the save is complete.
LQ_API lq_status lq_checkpoints_add_stream(lq_checkpoints* checkpoints, const void* data, uint64_t bytes);
LQ_API lq_status lq_checkpoints_add_field(lq_checkpoints* checkpoints, const char* name, const lq_grid* grid,
                                          lq_field field, const lq_write_options* options);
LQ_API lq_status lq_checkpoints_add_state(lq_checkpoints* checkpoints, const char* name, const void* data,
                                          uint64_t bytes);
// Local. Nothing of what was added is saved.
LQ_API lq_status lq_checkpoints_forget_added(lq_checkpoints* checkpoints);
// Collective. Saves what was added, as a whole or not at all; afterwards, whatever came of it, nothing is added. `json`
// tells what was done and removed (docs/reference/json.md); it may be NULL.
LQ_API lq_status lq_checkpoints_save(lq_checkpoints* checkpoints, uint64_t step, char** json);
// Collective. The same in the background.
LQ_API lq_status lq_checkpoints_save_async(lq_checkpoints* checkpoints, uint64_t step);
// Local. *done is 1 when nothing is left for lq_checkpoints_wait but to complete the save.
LQ_API lq_status lq_checkpoints_test(lq_checkpoints* checkpoints, int* done);
// Collective. Completes it; its errors surface here. `json` may be NULL; it gets "null" where nothing was under way.
LQ_API lq_status lq_checkpoints_wait(lq_checkpoints* checkpoints, char** json);

// Collective. The newest valid checkpoint, or NULL where there are none at all. LQ_MALFORMED: none of those there is
// valid; the sentence says of each why.
LQ_API lq_status lq_checkpoints_load_newest(lq_checkpoints* checkpoints, lq_checkpoint** checkpoint);
// Collective. That one is of no use to the program: it is left alone from now on.
LQ_API lq_status lq_checkpoints_reject(lq_checkpoints* checkpoints, const lq_checkpoint* checkpoint,
                                       const char* reason);
// Collective. Takes the marks of damaged checkpoints away, so that they are tried again.
LQ_API lq_status lq_checkpoints_forget_marks(lq_checkpoints* checkpoints);
// Collective. Removes what killed jobs left, and what is not to be kept; `json`, or NULL: an array of names.
LQ_API lq_status lq_checkpoints_prune(lq_checkpoints* checkpoints, char** json);

LQ_API void lq_checkpoint_free(lq_checkpoint* checkpoint);
LQ_API uint64_t lq_checkpoint_step(const lq_checkpoint* checkpoint);
// Local. Step, path, date, ranks, tasks, names of fields, their files, names of states, and warnings, as JSON.
LQ_API lq_status lq_checkpoint_info(const lq_checkpoint* checkpoint, char** json);
// Local. Bytes that live as long as the checkpoint. LQ_NO_SUCH_RECORD lists the names there are.
LQ_API lq_status lq_checkpoint_state(const lq_checkpoint* checkpoint, const char* name, const void** data,
                                     uint64_t* bytes);
// Local. The same into memory of that size; LQ_INVALID_ARGUMENT for another size.
LQ_API lq_status lq_checkpoint_read_state(const lq_checkpoint* checkpoint, const char* name, void* data,
                                          uint64_t bytes);
// Collective. Its streams, dealt out to the ranks that load; `options` may be NULL, and its communicator is not used.
LQ_API lq_status lq_checkpoint_streams(const lq_checkpoint* checkpoint, const lq_multifile_read_options* options,
                                       lq_multifile_reader** reader);
// Collective over the grid, which may be any.
LQ_API lq_status lq_checkpoint_read_field(const lq_checkpoint* checkpoint, const char* name, const lq_grid* grid,
                                          lq_field field, const lq_read_options* options);

typedef struct lq_checkpoint_list_options {
  size_t struct_size;  // set by init
  int verify;          // lq_verify_mode; LQ_VERIFY_NONE: bytes are not read; default checksum
  int threads;         // of this process; 0: as many as it has cores to itself
} lq_checkpoint_list_options;
LQ_API lq_status lq_checkpoint_list_options_init(lq_checkpoint_list_options* options, size_t struct_size);
LQ_API lq_status lq_checkpoint_list_options_set(lq_checkpoint_list_options* options, const char* name,
                                                const char* value);
// Local. What is in a folder of checkpoints: step, date, size and state of each. Nothing is changed.
LQ_API lq_status lq_checkpoints_list(const char* folder, const lq_checkpoint_list_options* options, char** json);

#ifdef __cplusplus
}
#endif

#endif
