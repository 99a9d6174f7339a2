// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading and writing one field, with their options. Conventions: limequat.h.
#ifndef LIMEQUAT_C_TRANSFER_H
#define LIMEQUAT_C_TRANSFER_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/answers.h>
#include <limequat/c/grid.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lq_verify_mode { LQ_VERIFY_NONE = 0, LQ_VERIFY_CHECKSUM = 1, LQ_VERIFY_READ_BACK = 2 } lq_verify_mode;
typedef enum lq_sync_mode { LQ_SYNC_NONE = 0, LQ_SYNC_DATA = 1, LQ_SYNC_FULL = 2 } lq_sync_mode;

// How sites are transferred between the ranks that hold them and the file; lq::Strategy in C++.
typedef enum lq_strategy {
  LQ_AUTO = 0,     // the fastest one according to the plan
  LQ_DIRECT = 1,   // every rank moves its own rows
  LQ_SHARED = 2,   // rows are combined in memory that the ranks of a node share; messages between nodes
  LQ_PULL = 3,     // writing: a rank copies rows out of its neighbours' memory; reading: as shared
  LQ_MESSAGES = 4  // rows are exchanged by messages, also within a node
} lq_strategy;

// A named text stored with a field, for example "xlf-info".
typedef struct lq_metadata {
  const char* name;
  const char* text;
} lq_metadata;

// Called on rank 0 while long operations run.
typedef void (*lq_progress)(uint64_t done, uint64_t total, void* context);

// Local. Called in an lq_progress function, or in after_sweep of lq_generate(), it ends the running operation on all
// ranks with LQ_IO and the errno ECANCELED. As after any failure no incomplete file appears, and existing files stay.
// Elsewhere it has no effect.
LQ_API void lq_stop(void);

typedef struct lq_write_options {
  size_t struct_size;    // set by init
  const char* format;    // "ildg", "scidac", "lime", or NULL: by the suffix of the path
  const char* name;      // of the field, or NULL: its kind
  int precision;         // lq_precision in the file
  int verify;            // lq_verify_mode; default LQ_VERIFY_CHECKSUM
  int sync;              // lq_sync_mode; default LQ_SYNC_FULL
  int overwrite;         // default 0
  int measure;           // gauge: store plaquette and link trace; default 0
  int slice_checksums;   // default 1
  uint64_t block_bytes;  // packed at a time
  const lq_metadata* metadata;
  size_t metadata_count;
  char** report_json;         // or NULL: receives a report (docs/reference/json.md)
  int strategy;               // lq_strategy; default LQ_AUTO. The same on all ranks, as are the next four; 0: chosen
  uint64_t aggregators;       // number of ranks that access the file; all of them with LQ_DIRECT
  uint64_t chunk_bytes;       // assembled and moved at a time
  uint64_t alignment;         // file domains begin at multiples of it: a page, block or stripe
  uint64_t memory_bytes;      // maximum per rank, in addition to the field; 0 (default): chosen, 16 or 64 MiB
  int threads;                // of this rank; 0: as many as it has cores to itself
  lq_report* report;          // or NULL: receives the report
  const char* profile;        // of the machine (`lq doctor --save-profile` makes one), or NULL: the site profile
  const char* layout;         // for formats with several: "native", "qdp", "qlua" of HDF5; or NULL: the default
  const char* dataset_chunk;  // "slice", or extents "8x8x8x4", or NULL: contiguous
  const char* filters;        // of chunks, in their order: "shuffle,deflate:6,fletcher32"; or NULL: none
  int time_stamps;            // default 1; 0: equal fields give equal bytes
  const char* parts;          // number of files in each dimension: "1x1x1x4"; or NULL: one file
  uint64_t stripe_count;      // servers that a new file is distributed over; 0: see stripes_by_size
  uint64_t stripe_bytes;      // contiguous bytes on a server; 0: see stripes_by_size
  int stripes_by_size;        // default 1: values that are not requested are set by the file size; 0: by the folder
  lq_progress progress;       // or NULL; background transfers do not call it
  void* progress_context;
  const char* protect;  // "3%": write a sidecar with this much parity next to the file (lq_protect); or NULL: none
} lq_write_options;

typedef struct lq_read_options {
  size_t struct_size;             // set by init
  const char* field;              // or NULL: the first
  uint64_t index;                 // which of those with that name, from 0
  const int64_t* region_lower;    // part of the file's lattice, or NULL: all of it
  const int64_t* region_extents;  // equal to the grid's extents
  int region_dimensions;
  int verify;  // lq_verify_mode: compare with the stored checksum; default LQ_VERIFY_CHECKSUM
  uint64_t block_bytes;
  uint64_t limit_records;  // limits on what a file may make its reader allocate
  uint64_t limit_text_bytes;
  char** report_json;     // or NULL
  int strategy;           // lq_strategy; default LQ_AUTO. The same on all ranks, as are the next four; 0: chosen
  uint64_t aggregators;   // number of ranks that access the file; all of them with LQ_DIRECT
  uint64_t chunk_bytes;   // assembled and moved at a time
  uint64_t alignment;     // file domains begin at multiples of it: a page, block or stripe
  uint64_t memory_bytes;  // maximum per rank, in addition to the field; 0 (default): chosen, 16 or 64 MiB
  int threads;            // of this rank; 0: as many as it has cores to itself
  lq_report* report;      // or NULL: receives the report
  const char* profile;    // of the machine (`lq doctor --save-profile` makes one), or NULL: the site profile
  lq_progress progress;   // or NULL; background transfers do not call it
  void* progress_context;
} lq_read_options;

// Local. Set the defaults, or one option by name from a text as in `lq`, for programs whose users set options. Every
// struct of options has both functions. Texts are borrowed like those of members; metadata, regions and functions can
// only be set through members. The message of LQ_INVALID_ARGUMENT says what is expected.
LQ_API lq_status lq_write_options_init(lq_write_options* options, size_t struct_size);
LQ_API lq_status lq_write_options_set(lq_write_options* options, const char* name, const char* value);
LQ_API lq_status lq_read_options_init(lq_read_options* options, size_t struct_size);
LQ_API lq_status lq_read_options_set(lq_read_options* options, const char* name, const char* value);
// Local. All options with their meaning as JSON: docs/reference/options.md in a form for programs.
LQ_API lq_status lq_options_json(char** json);

// Collective. Writes one field to one new file, which appears under its name only when it is complete.
LQ_API lq_status lq_write(const char* path, const lq_grid* grid, lq_field field, const lq_write_options* options);
// Collective. Reads a field, whatever process grid wrote it; precision is converted.
LQ_API lq_status lq_read(const char* path, const lq_grid* grid, lq_field field, const lq_read_options* options);

#ifdef __cplusplus
}
#endif

#endif
