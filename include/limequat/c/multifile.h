// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles: a stream for each task (docs/guide/checkpoints.md). Conventions: limequat.h.
#ifndef LIMEQUAT_C_MULTIFILE_H
#define LIMEQUAT_C_MULTIFILE_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lq_multifile_writer lq_multifile_writer;
typedef struct lq_multifile_reader lq_multifile_reader;

enum { LQ_COMPRESSION_NONE = 0, LQ_COMPRESSION_LZ4 = 1, LQ_COMPRESSION_ZSTD = 2 };

// For options with the meaning: unchanged.
enum { LQ_AS_IT_IS = -1 };

typedef struct lq_multifile_options {
  size_t struct_size;                   // set by init
  const lq_communicator* communicator;  // or NULL: this process alone
  int streams;                          // tasks of this rank; default 1
  uint64_t expected_bytes;              // of each of them, approximately; 0: not known
  int files;                            // physical files; 0: chosen by the type of file system
  int compression;                      // LQ_COMPRESSION_*; default none
  int level;                            // of the compression; 0: its default
  int checksums;                        // of every chunk; default 1
  int overwrite;                        // replace an existing set; default 0
  int sync;                             // LQ_SYNC_*, when it is closed; default full
  uint64_t buffer_bytes;                // size of each stream's write buffer
  uint64_t stripe_count;                // as in lq_write_options, of each new physical file
  uint64_t stripe_bytes;
  int stripes_by_size;  // by the expected size; default 1
} lq_multifile_options;

typedef struct lq_multifile_read_options {
  size_t struct_size;                   // set by init
  const lq_communicator* communicator;  // or NULL: this process alone
  uint64_t record_bytes;                // windows are multiples of it; default 1
  int verify;                           // lq_verify_mode: compare with existing checksums; default checksum
  int accept_missing;                   // open a set even if some physical files are permanently lost; default 0
} lq_multifile_read_options;

LQ_API lq_status lq_multifile_options_init(lq_multifile_options* options, size_t struct_size);
LQ_API lq_status lq_multifile_options_set(lq_multifile_options* options, const char* name, const char* value);
LQ_API lq_status lq_multifile_read_options_init(lq_multifile_read_options* options, size_t struct_size);
LQ_API lq_status lq_multifile_read_options_set(lq_multifile_read_options* options, const char* name, const char* value);

// Collective over the options' communicator. Create a new set, or open one for appending, rank by rank.
LQ_API lq_status lq_multifile_create(const char* path, const lq_multifile_options* options,
                                     lq_multifile_writer** writer);
LQ_API lq_status lq_multifile_append(const char* path, const lq_multifile_options* options,
                                     lq_multifile_writer** writer);
// Local. Stream `stream` (from 0) of this rank; streams may be used by different threads. `text` ends with NUL.
LQ_API lq_status lq_multifile_write(lq_multifile_writer* writer, int stream, const void* data, uint64_t bytes);
LQ_API lq_status lq_multifile_write_text(lq_multifile_writer* writer, int stream, const char* text);
// Local. Writes everything so far to the file, so that it survives the end of this process.
LQ_API lq_status lq_multifile_flush(lq_multifile_writer* writer, int stream);
// Local. The stream's number in the set, and its bytes.
LQ_API lq_status lq_multifile_stream(const lq_multifile_writer* writer, int stream, int64_t* task, uint64_t* bytes);
// Collective over all ranks of the set. Writes a field next to the streams; `options` may be NULL, and their format,
// name, sync and overwrite are not used. After an error the set can be continued without that field.
LQ_API lq_status lq_multifile_write_field(lq_multifile_writer* writer, const char* name, const lq_grid* grid,
                                          lq_field field, const lq_write_options* options);
// Collective. Completes and publishes the set; lq_multifile_discard removes a new one completely.
LQ_API lq_status lq_multifile_close(lq_multifile_writer* writer);
LQ_API lq_status lq_multifile_discard(lq_multifile_writer* writer);
// A set that was not closed stays as .NAME.xxxxxxxx; lq_multifile_repair makes a set of these files.
LQ_API void lq_multifile_writer_free(lq_multifile_writer* writer);

// Collective over the options' communicator. Opens a set written by any number of ranks.
LQ_API lq_status lq_multifile_open(const char* path, const lq_multifile_read_options* options,
                                   lq_multifile_reader** reader);
LQ_API void lq_multifile_reader_free(lq_multifile_reader* reader);
LQ_API int64_t lq_multifile_tasks(const lq_multifile_reader* reader);  // of the set
// Local. The tasks assigned to this rank, and its window of the concatenated streams of all tasks; each may be NULL.
LQ_API lq_status lq_multifile_share(const lq_multifile_reader* reader, int64_t* first_task, int64_t* tasks,
                                    uint64_t* window_begin, uint64_t* window_bytes);
// Local. Bytes of the stream of one of these tasks.
LQ_API lq_status lq_multifile_size(const lq_multifile_reader* reader, int64_t task, uint64_t* bytes);
// Local. Reads *got bytes from `position` on, fewer than `bytes` only at the end. Task LQ_MULTIFILE_WINDOW is this
// rank's window.
enum { LQ_MULTIFILE_WINDOW = -1 };
LQ_API lq_status lq_multifile_read(lq_multifile_reader* reader, int64_t task, uint64_t position, void* data,
                                   uint64_t bytes, uint64_t* got);
typedef struct lq_multifile_facts {
  size_t struct_size;  // set by you
  int64_t tasks;
  uint64_t bytes;         // of all streams
  uint64_t stored_bytes;  // of all streams as stored in the files
  uint64_t chunks, files, fields;
  int has_records;  // written by this interface: can be checked, recovered and appended to
  int has_checksums;
  int compression;    // LQ_COMPRESSION_*
  uint64_t findings;  // problems of a set that can nevertheless be read; lq_multifile_info returns their sentences
} lq_multifile_facts;
// Local. The facts about the set: as a struct, and as JSON with names of files.
LQ_API lq_status lq_multifile_known(const lq_multifile_reader* reader, lq_multifile_facts* facts);
LQ_API lq_status lq_multifile_info(const lq_multifile_reader* reader, char** json);
// Local. Its fields: name, lattice, process grid of the writer, precision.
LQ_API lq_status lq_multifile_fields(const lq_multifile_reader* reader, char** json);
// Collective over the grid, which may be any process grid; `options` may be NULL; their field and index are not used.
LQ_API lq_status lq_multifile_read_field(const lq_multifile_reader* reader, const char* name, const lq_grid* grid,
                                         lq_field field, const lq_read_options* options);

// Local. Compares every chunk; damage is an answer, not a failure. `json` may be NULL.
LQ_API lq_status lq_multifile_verify(const char* path, int* is_sound, char** json);

typedef struct lq_multifile_repair_options {
  size_t struct_size;  // set by init
  int overwrite;       // replace a set of that name; default 0
  int dry_run;         // find what can be recovered, write nothing; default 0
} lq_multifile_repair_options;
LQ_API lq_status lq_multifile_repair_options_init(lq_multifile_repair_options* options, size_t struct_size);
LQ_API lq_status lq_multifile_repair_options_set(lq_multifile_repair_options* options, const char* name,
                                                 const char* value);
// Local. Makes a set of the leftovers of a writer, in place if `output` is NULL, otherwise as a copy of that name;
// `options` and `json` may be NULL.
LQ_API lq_status lq_multifile_repair(const char* path, const char* output, const lq_multifile_repair_options* options,
                                     char** json);

#ifdef __cplusplus
}
#endif

#endif
