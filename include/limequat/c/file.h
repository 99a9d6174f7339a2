// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that stay open. Conventions: limequat.h.
#ifndef LIMEQUAT_C_FILE_H
#define LIMEQUAT_C_FILE_H

#include <stdint.h>

#include <limequat/c/background.h>
#include <limequat/c/catalog.h>

#ifdef __cplusplus
extern "C" {
#endif

// A file that has been scanned once; fields are read without scanning again.
typedef struct lq_file lq_file;

// Collective over the communicator of the options. Errors as lq_inspect.
LQ_API lq_status lq_file_open(const char* path, const lq_scan_options* options, lq_file** file);
// Local. The contents, as from lq_inspect.
LQ_API lq_status lq_file_catalog(const lq_file* file, char** json);
// Collective over the grid, which has all ranks that opened the file. As lq_read: field and index of the options select
// the field; an index without a name counts all fields of the file; the limits are those given at opening. LQ_IO: the
// file was written to and its contents have changed, or a rank that reads for the first time finds another file.
LQ_API lq_status lq_file_read(const lq_file* file, const lq_grid* grid, lq_field field, const lq_read_options* options);
// Collective. As lq_read_async; the file may be freed before the transfer is over.
LQ_API lq_status lq_file_read_async(const lq_file* file, const lq_grid* grid, lq_field field,
                                    const lq_read_options* options, lq_pending** pending);
// Local. As lq_read_record. LQ_UNSUPPORTED: streams of a multifile.
LQ_API lq_status lq_file_read_record(const lq_file* file, const char* type, uint64_t index, lq_sink sink,
                                     void* context);
// Local.
LQ_API void lq_file_free(lq_file* file);

#ifdef __cplusplus
}
#endif

#endif
