// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files as sets of subfiles, partitions, and views on them. Conventions: limequat.h.
#ifndef LIMEQUAT_C_PARTITION_H
#define LIMEQUAT_C_PARTITION_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/questions.h>

#ifdef __cplusplus
extern "C" {
#endif

// Converts files to sets of subfiles and back, byte for byte, by all ranks together; can be resumed after a kill.
typedef struct lq_repartition_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  const char* to;          // the new partition, "t=block:4,x=cyclic:2"; "whole" or NULL: one plain file
  const char* folders;     // of the subfiles, "DIR,DIR"; NULL: the folder of the target
  const char* extents;     // of the array that is distributed, "16x16x16x32"; NULL: as the file states
  uint64_t element_bytes;  // with extents; default 1
  uint64_t begin;          // with extents: byte of the first element
  int verify;              // LQ_VERIFY_*; default LQ_VERIFY_CHECKSUM
  int resume;              // resume an interrupted call; default 0
  int overwrite;           // replace an existing file, which stays until the new one is complete; default 0
  int dry_run;             // check everything, write nothing; default 0
  int sync;                // LQ_SYNC_*; default full
  uint64_t block_bytes;    // moved, summed and recorded at a time by a rank; default 8 MiB
  lq_progress progress;    // or NULL
  void* progress_context;
} lq_repartition_options;
LQ_API lq_status lq_repartition_options_init(lq_repartition_options* options, size_t struct_size);
LQ_API lq_status lq_repartition_options_set(lq_repartition_options* options, const char* name, const char* value);
// Collective. Writes the file or set `from` as `to`: a plain file, or the description of a set. `json` reports what was
// done; it may be NULL.
LQ_API lq_status lq_repartition(const char* from, const char* to, const lq_repartition_options* options, char** json);

// An array of a file; a partition of it is a text, "t=block:4", "whole".
typedef struct lq_file_array {
  uint64_t begin;  // byte of the first element
  uint64_t element_bytes;
  int axes;                // 0: the array of a set, the sites of a lattice file's first field, or bytes
  const int64_t* extents;  // of the axes, the fastest first
} lq_file_array;
// Local. How a file is split into subfiles: path, bytes, begin, element_bytes, extents, partition, parts, is_set,
// files. With `access`, a partition over processes, how well both match: matching with bytes, pairs, runs,
// mean_run_bytes, degree; and with `parts` above 0 the partition into that many subfiles that fits the access best:
// proposed, and proposed_matching.
LQ_API lq_status lq_partition_of(const char* path, const lq_file_array* array, const char* access, uint64_t parts,
                                 char** json);
// Local. The place of element number `element` of an array in a partition, and the element at a place.
LQ_API lq_status lq_partition_place(const lq_file_array* array, const char* partition, uint64_t element, uint64_t* part,
                                    uint64_t* position);
LQ_API lq_status lq_partition_element(const lq_file_array* array, const char* partition, uint64_t part,
                                      uint64_t position, uint64_t* element);

// A window on part number `part` of a partition of a file or set, used like a file. NULL for `partition` is the whole
// file, with the bytes before and after its array. All functions are local, except those with a communicator.
typedef struct lq_view lq_view;
LQ_API lq_status lq_view_open(const char* path, const char* partition, uint64_t part, const lq_file_array* array,
                              int writable, lq_view** view);
LQ_API lq_status lq_view_size(const lq_view* view, uint64_t* bytes);
LQ_API lq_status lq_view_seek(lq_view* view, uint64_t offset);
LQ_API lq_status lq_view_tell(const lq_view* view, uint64_t* offset);
// Reads from where the last call ended; `got` is less than `bytes` only at the end.
LQ_API lq_status lq_view_read(lq_view* view, void* buffer, uint64_t bytes, uint64_t* got);
LQ_API lq_status lq_view_write(lq_view* view, const void* buffer, uint64_t bytes);
// Collective, directed by the disks: all bytes of each rank's view, whose size is `bytes`; chunk_bytes 0 is 4 MiB.
LQ_API lq_status lq_view_read_all(lq_view* view, void* buffer, uint64_t bytes, const lq_communicator* communicator,
                                  uint64_t chunk_bytes);
LQ_API lq_status lq_view_write_all(lq_view* view, const void* buffer, uint64_t bytes,
                                   const lq_communicator* communicator, uint64_t chunk_bytes);
LQ_API lq_status lq_view_sync(lq_view* view);
// Closes the files and returns their errors; the view can then only be freed.
LQ_API lq_status lq_view_close(lq_view* view);
LQ_API void lq_view_free(lq_view* view);  // closes silently

#ifdef __cplusplus
}
#endif

#endif
