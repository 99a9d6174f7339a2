// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sessions with HDF5 files (docs/guide/hdf5.md). Conventions: limequat.h.
#ifndef LIMEQUAT_C_HDF5_H
#define LIMEQUAT_C_HDF5_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

// A file that is browsed like folders: small objects, lattice fields, attributes. Paths are absolute, or relative to
// the current group of the session. All functions except lq_hdf5_pwd and lq_hdf5_free are collective over the
// communicator of the options. LQ_UNSUPPORTED if the library was built without HDF5.
typedef struct lq_hdf5 lq_hdf5;

typedef enum lq_hdf5_mode {
  LQ_HDF5_READ = 0,    // an existing file
  LQ_HDF5_CREATE = 1,  // a new file, which gets its name when it is closed
  LQ_HDF5_APPEND = 2   // an existing file, in place; it survives a kill at any moment. If there is none: a new one
} lq_hdf5_mode;
typedef enum lq_digests_mode { LQ_DIGESTS_CHECK = 0, LQ_DIGESTS_IGNORE = 1 } lq_digests_mode;

typedef struct lq_hdf5_options {
  size_t struct_size;                   // set by init
  const lq_communicator* communicator;  // or NULL: this process alone
  int overwrite;                        // LQ_HDF5_CREATE: replace an existing file; default 0
  const char* layout;                   // "native", "qdp", "qlua", or NULL: native; a field may have another
  int time_stamps;                      // default 1
  int digests;                          // lq_digests_mode: of small objects that are read; default check
  int sync;                             // lq_sync_mode, at a flush; default full
  uint64_t limit_records;               // limits on what a file may make its reader allocate
  uint64_t limit_text_bytes;            // of a small object
} lq_hdf5_options;
LQ_API lq_status lq_hdf5_options_init(lq_hdf5_options* options, size_t struct_size);
LQ_API lq_status lq_hdf5_options_set(lq_hdf5_options* options, const char* name, const char* value);

LQ_API lq_status lq_hdf5_open(const char* path, int mode, const lq_hdf5_options* options, lq_hdf5** file);
// lq_hdf5_flush writes all changes so far to the file, all of them or none; lq_hdf5_close also gives a new file its
// name. lq_hdf5_free (over MPI called by all ranks) discards changes that were not flushed.
LQ_API lq_status lq_hdf5_flush(lq_hdf5* file);
LQ_API lq_status lq_hdf5_close(lq_hdf5* file);
LQ_API void lq_hdf5_free(lq_hdf5* file);

// Local. The current group of the session; the text is valid until it changes.
LQ_API const char* lq_hdf5_pwd(const lq_hdf5* file);
LQ_API lq_status lq_hdf5_cd(lq_hdf5* file, const char* path);
// The same, but creates missing groups; pop returns to the group before the last push.
LQ_API lq_status lq_hdf5_push(lq_hdf5* file, const char* path);
LQ_API lq_status lq_hdf5_pop(lq_hdf5* file);

typedef enum lq_hdf5_kind {
  LQ_HDF5_GROUP = 0,
  LQ_HDF5_DATASET = 1,
  LQ_HDF5_TYPE = 2,
  LQ_HDF5_LINK = 3,  // dangling, or into another file
  LQ_HDF5_OTHER = 4
} lq_hdf5_kind;

// Called for each member of a group, in order of name; `target`: of a link, otherwise "".
typedef void (*lq_hdf5_visit)(const char* name, int kind, const char* target, void* context);
LQ_API lq_status lq_hdf5_ls(lq_hdf5* file, const char* path, lq_hdf5_visit visit, void* context);

enum { LQ_HDF5_MAX_DIMENSIONS = 32 };

// The facts about an object. Texts belong to the session and are valid until the next lq_hdf5_stat.
typedef struct lq_hdf5_facts {
  size_t struct_size;  // set by you
  int kind;            // lq_hdf5_kind
  int dimensions;      // of the dataspace
  uint64_t extents[LQ_HDF5_MAX_DIMENSIONS];
  int is_chunked;
  uint64_t chunk[LQ_HDF5_MAX_DIMENSIONS];
  uint64_t bytes;         // of all elements; of a group: of the datasets in it, at any depth
  uint64_t unused_bytes;  // of "/": bytes of the file that hold no data
  int has_time;
  int64_t microseconds;  // since 1970, when it was written
  uint64_t attributes;   // how many there are
  const char* path;      // absolute, links resolved
  const char* type;      // of an element: "float64"
  const char* storage;   // "contiguous", "chunked", "compact", "external", "virtual"
  const char* filters;   // separated by commas
  const char* checksum;  // as stored, in hexadecimal digits
  const char* layout;    // "native", "qdp", "qlua", or ""
  const char* object;    // its name in the writing program: "gauge", "LatticeColorMatrix", or ""
} lq_hdf5_facts;
LQ_API lq_status lq_hdf5_stat(lq_hdf5* file, const char* path, lq_hdf5_facts* facts);
LQ_API lq_status lq_hdf5_exists(lq_hdf5* file, const char* path, int* exists);

LQ_API lq_status lq_hdf5_mkdir(lq_hdf5* file, const char* path);
LQ_API lq_status lq_hdf5_remove(lq_hdf5* file, const char* path);
LQ_API lq_status lq_hdf5_rename(lq_hdf5* file, const char* from, const char* to);
LQ_API lq_status lq_hdf5_copy(lq_hdf5* file, const char* from, const char* to);

typedef enum lq_hdf5_type {
  LQ_HDF5_INT32 = 0,
  LQ_HDF5_INT64 = 1,
  LQ_HDF5_UINT64 = 2,
  LQ_HDF5_FLOAT = 3,
  LQ_HDF5_DOUBLE = 4,
  LQ_HDF5_COMPLEX_FLOAT = 5,   // re, im
  LQ_HDF5_COMPLEX_DOUBLE = 6,  // re, im
  LQ_HDF5_TEXT = 7             // `data` is an array of const char*
} lq_hdf5_type;

// The name of a dimension and, or NULL, as many coordinates as its extent.
typedef struct lq_hdf5_axis {
  const char* name;
  const double* coordinates;
} lq_hdf5_axis;

// One number or text (0 dimensions), or an array of them, the last extent fastest.
typedef struct lq_hdf5_array {
  int type;  // lq_hdf5_type
  int dimensions;
  uint64_t extents[LQ_HDF5_MAX_DIMENSIONS];
  const void* data;
  const lq_hdf5_axis* axes;  // one for each dimension, or NULL
} lq_hdf5_array;

LQ_API lq_status lq_hdf5_write(lq_hdf5* file, const char* path, const lq_hdf5_array* array, int replace);
// An array that was read; its contents are valid while the value exists.
typedef struct lq_hdf5_value lq_hdf5_value;
LQ_API lq_status lq_hdf5_read(lq_hdf5* file, const char* path, lq_hdf5_value** value);
// Local.
LQ_API const lq_hdf5_array* lq_hdf5_value_array(const lq_hdf5_value* value);
LQ_API int lq_hdf5_value_status(const lq_hdf5_value* value);  // lq_checksum_status of its SHA-256
LQ_API void lq_hdf5_value_free(lq_hdf5_value* value);

// Lattice fields, by the ranks of the grid. The option `overwrite` replaces an object of that name; format, name, sync,
// field, index and the limits are not used.
LQ_API lq_status lq_hdf5_write_field(lq_hdf5* file, const char* path, const lq_grid* grid, lq_field field,
                                     const lq_write_options* options);
LQ_API lq_status lq_hdf5_read_field(lq_hdf5* file, const char* path, const lq_grid* grid, lq_field field,
                                    const lq_read_options* options);
// All fields, by path without the first slash, as from lq_inspect; flushes first.
LQ_API lq_status lq_hdf5_catalog(lq_hdf5* file, char** json);

LQ_API lq_status lq_hdf5_set_attribute(lq_hdf5* file, const char* path, const char* name, const lq_hdf5_array* array);
LQ_API lq_status lq_hdf5_attribute(lq_hdf5* file, const char* path, const char* name, lq_hdf5_value** value);
LQ_API lq_status lq_hdf5_remove_attribute(lq_hdf5* file, const char* path, const char* name);
// Called for each attribute, in order of name.
typedef void (*lq_hdf5_visit_attribute)(const char* name, const lq_hdf5_array* array, void* context);
LQ_API lq_status lq_hdf5_attributes(lq_hdf5* file, const char* path, lq_hdf5_visit_attribute visit, void* context);

#ifdef __cplusplus
}
#endif

#endif
