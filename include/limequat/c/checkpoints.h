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

typedef struct lq_checkpoints lq_checkpoints;  // the folder, locked against other jobs
typedef struct lq_checkpoint lq_checkpoint;    // a loaded checkpoint

typedef struct lq_checkpoints_options {
  size_t struct_size;                   // set by init
  const lq_communicator* communicator;  // or NULL: this process alone
  int keep;                             // number of newest valid checkpoints that are kept; default 2
  uint64_t keep_every;                  // checkpoints whose step is a multiple of it are also kept; 0: none
  int proven;                           // number of newest kept ones to compare before one is removed; default 2
  int read_only;                        // nothing is locked, marked or removed; default 0
  const char* local;                    // a folder on each node, to which a save is written first, or NULL
  int files;                            // physical files of the streams; 0: chosen by the type of file system
  int compression;                      // LQ_COMPRESSION_* of the streams; default none
  int node_group;                       // with local: nodes that store parity of each other's parts; default 8
  int lost_nodes;                       // nodes of a group that can be lost; default 1; 0: no parity
} lq_checkpoints_options;
LQ_API lq_status lq_checkpoints_options_init(lq_checkpoints_options* options, size_t struct_size);
LQ_API lq_status lq_checkpoints_options_set(lq_checkpoints_options* options, const char* name, const char* value);

// Collective over the options' communicator. Creates the folder if it does not exist, but not its parents.
// LQ_WRONG_STATE: another job works in it; the message names it.
LQ_API lq_status lq_checkpoints_open(const char* folder, const lq_checkpoints_options* options,
                                     lq_checkpoints** checkpoints);
// All ranks must free it. A background save without lq_checkpoints_wait is abandoned.
LQ_API void lq_checkpoints_free(lq_checkpoints* checkpoints);

// Local. Add the contents of the next save: streams of this rank, one task each, in the order of these calls; fields of
// all ranks, by name; and small values by name, the same on all ranks. Memory is borrowed until the save is complete.
LQ_API lq_status lq_checkpoints_add_stream(lq_checkpoints* checkpoints, const void* data, uint64_t bytes);
LQ_API lq_status lq_checkpoints_add_field(lq_checkpoints* checkpoints, const char* name, const lq_grid* grid,
                                          lq_field field, const lq_write_options* options);
LQ_API lq_status lq_checkpoints_add_state(lq_checkpoints* checkpoints, const char* name, const void* data,
                                          uint64_t bytes);
// Local. Discards the added contents.
LQ_API lq_status lq_checkpoints_forget_added(lq_checkpoints* checkpoints);
// Collective. Saves the added contents, completely or not at all; afterwards, even after an error, the contents are
// empty. `json` reports what was done and removed (docs/reference/json.md); it may be NULL.
LQ_API lq_status lq_checkpoints_save(lq_checkpoints* checkpoints, uint64_t step, char** json);
// Collective. The same in the background.
LQ_API lq_status lq_checkpoints_save_async(lq_checkpoints* checkpoints, uint64_t step);
// Local. *done is 1 if lq_checkpoints_wait only has to complete the save.
LQ_API lq_status lq_checkpoints_test(lq_checkpoints* checkpoints, int* done);
// Collective. Completes it and returns its errors. `json` may be NULL; it receives "null" if no save was in progress.
LQ_API lq_status lq_checkpoints_wait(lq_checkpoints* checkpoints, char** json);

// Collective. The newest valid checkpoint, or NULL if there are no checkpoints. LQ_MALFORMED: none of them is valid;
// the message gives the reason for each.
LQ_API lq_status lq_checkpoints_load_newest(lq_checkpoints* checkpoints, lq_checkpoint** checkpoint);
// Collective. Marks a checkpoint that is useless to the program: it is not loaded again.
LQ_API lq_status lq_checkpoints_reject(lq_checkpoints* checkpoints, const lq_checkpoint* checkpoint,
                                       const char* reason);
// Collective. Removes the marks of damaged checkpoints, so that they are tried again.
LQ_API lq_status lq_checkpoints_forget_marks(lq_checkpoints* checkpoints);
// Collective. Removes leftovers of killed jobs, and checkpoints that need not be kept; `json`, or NULL: array of names.
LQ_API lq_status lq_checkpoints_prune(lq_checkpoints* checkpoints, char** json);

LQ_API void lq_checkpoint_free(lq_checkpoint* checkpoint);
LQ_API uint64_t lq_checkpoint_step(const lq_checkpoint* checkpoint);
// Local. Step, path, date, ranks, tasks, names of fields, their files, names of states, and warnings, as JSON.
LQ_API lq_status lq_checkpoint_info(const lq_checkpoint* checkpoint, char** json);
// Local. Bytes that are valid while the checkpoint exists. LQ_NO_SUCH_RECORD lists the existing names.
LQ_API lq_status lq_checkpoint_state(const lq_checkpoint* checkpoint, const char* name, const void** data,
                                     uint64_t* bytes);
// Local. Copies them to memory of that size; LQ_INVALID_ARGUMENT for another size.
LQ_API lq_status lq_checkpoint_read_state(const lq_checkpoint* checkpoint, const char* name, void* data,
                                          uint64_t bytes);
// Collective. Its streams, distributed over the ranks that load; `options` may be NULL; its communicator is not used.
LQ_API lq_status lq_checkpoint_streams(const lq_checkpoint* checkpoint, const lq_multifile_read_options* options,
                                       lq_multifile_reader** reader);
// Collective over the grid, which may be any process grid.
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
// Local. Lists a folder of checkpoints: step, date, size and state of each. Changes nothing.
LQ_API lq_status lq_checkpoints_list(const char* folder, const lq_checkpoint_list_options* options, char** json);

#ifdef __cplusplus
}
#endif

#endif
