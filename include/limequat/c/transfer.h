// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading and writing one field, and the options of it. Conventions: limequat.h.
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

// How sites travel between the ranks that hold them and the file; lq::Strategy in C++.
typedef enum lq_strategy {
  LQ_AUTO = 0,     // what the plan finds fastest
  LQ_DIRECT = 1,   // every rank moves its own rows
  LQ_SHARED = 2,   // rows meet in memory that the ranks of a node share; messages between nodes
  LQ_PULL = 3,     // writing: a rank takes rows out of its neighbours' memory; reading: as shared
  LQ_MESSAGES = 4  // rows meet by messages, within a node, too
} lq_strategy;

// A named text that travels with a field, for example "xlf-info".
typedef struct lq_metadata {
  const char* name;
  const char* text;
} lq_metadata;

// Called on rank 0 while long operations run.
typedef void (*lq_progress)(uint64_t done, uint64_t total, void* context);

// Local. Within an lq_progress, or the after_sweep of lq_generate(): the call that it is told of ends, on all ranks,
// with LQ_IO and the errno ECANCELED. As after any failure no file appears that is not complete, and what was there
// stays. Elsewhere nothing happens.
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
  char** report_json;         // or NULL: where to put a report (docs/reference/json.md)
  int strategy;               // lq_strategy; default LQ_AUTO. The same on all ranks, as are the next four; 0: chosen
  uint64_t aggregators;       // how many ranks touch the file; all of them with LQ_DIRECT
  uint64_t chunk_bytes;       // assembled and moved at a time
  uint64_t alignment;         // file domains begin at multiples of it: a page, block or stripe
  uint64_t memory_bytes;      // at most, per rank, beyond the field; 0 (default): chosen, 16 or 64 MiB
  int threads;                // of this rank; 0: as many as it has cores to itself
  lq_report* report;          // or NULL: what the transfer did
  const char* profile;        // of the machine (`lq doctor --save-profile` makes one), or NULL: that of this site
  const char* layout;         // of formats that know several: "native", "qdp", "qlua" of HDF5; or NULL: the default
  const char* dataset_chunk;  // "slice", or extents "8x8x8x4", or NULL: in one piece
  const char* filters;        // of chunks, in their order: "shuffle,deflate:6,fletcher32"; or NULL: none
  int time_stamps;            // default 1; 0: equal fields give equal bytes
  const char* parts;          // into how many files each dimension is cut: "1x1x1x4"; or NULL: one file
  uint64_t stripe_count;      // servers that a new file is spread over; 0: as stripes_by_size says
  uint64_t stripe_bytes;      // in one piece on a server; 0: as stripes_by_size says
  int stripes_by_size;        // default 1; 0: what is not asked for is left as the folder has it
  lq_progress progress;       // or NULL; transfers in the background do not call it
  void* progress_context;
  const char* protect;  // "3%": a sidecar with so much parity is written next to the file (lq_protect); or NULL: none
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
  uint64_t limit_records;  // bounds on what a file may ask of its reader
  uint64_t limit_text_bytes;
  char** report_json;     // or NULL
  int strategy;           // lq_strategy; default LQ_AUTO. The same on all ranks, as are the next four; 0: chosen
  uint64_t aggregators;   // how many ranks touch the file; all of them with LQ_DIRECT
  uint64_t chunk_bytes;   // assembled and moved at a time
  uint64_t alignment;     // file domains begin at multiples of it: a page, block or stripe
  uint64_t memory_bytes;  // at most, per rank, beyond the field; 0 (default): chosen, 16 or 64 MiB
  int threads;            // of this rank; 0: as many as it has cores to itself
  lq_report* report;      // or NULL: what the transfer did
  const char* profile;    // of the machine (`lq doctor --save-profile` makes one), or NULL: that of this site
  lq_progress progress;   // or NULL; transfers in the background do not call it
  void* progress_context;
} lq_read_options;

// Local. The defaults; and one option by name, from a text as `lq` takes it: for programs that let their users set
// options. Every struct of options has both. Texts are borrowed as those of members are; metadata, regions and
// functions are set by their members alone. LQ_INVALID_ARGUMENT tells what is expected.
LQ_API lq_status lq_write_options_init(lq_write_options* options, size_t struct_size);
LQ_API lq_status lq_write_options_set(lq_write_options* options, const char* name, const char* value);
LQ_API lq_status lq_read_options_init(lq_read_options* options, size_t struct_size);
LQ_API lq_status lq_read_options_set(lq_read_options* options, const char* name, const char* value);
// Local. All options there are, with what they mean, as JSON: docs/reference/options.md in a form for programs.
LQ_API lq_status lq_options_json(char** json);

// Collective. One field to one new file, which appears under its name only when it is complete.
LQ_API lq_status lq_write(const char* path, const lq_grid* grid, lq_field field, const lq_write_options* options);
// Collective. Whatever process grid wrote it; precision is converted.
LQ_API lq_status lq_read(const char* path, const lq_grid* grid, lq_field field, const lq_read_options* options);

#ifdef __cplusplus
}
#endif

#endif
