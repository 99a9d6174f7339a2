// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several fields in one file. Conventions: limequat.h.
#ifndef LIMEQUAT_C_WRITER_H
#define LIMEQUAT_C_WRITER_H

#include <stddef.h>

#include <limequat/c/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lq_writer lq_writer;

// Collective. `defaults`, or NULL, are the options of the file and of each field; its report_json is not used.
LQ_API lq_status lq_writer_create(const char* path, const lq_grid* grid, const lq_write_options* defaults,
                                  lq_writer** writer);
// Collective. Appends a field. `metadata` may be NULL if `count` is 0; report_json may be NULL.
LQ_API lq_status lq_writer_write(lq_writer* writer, const char* name, lq_field field, const lq_metadata* metadata,
                                 size_t count, char** report_json);
// Collective. Appends a record of text or bytes; the contents of rank 0 are written.
LQ_API lq_status lq_writer_record(lq_writer* writer, const char* type, const void* contents, size_t bytes);
// Collective. Completes and publishes the file; without it lq_writer_free abandons the file.
LQ_API lq_status lq_writer_close(lq_writer* writer);
LQ_API void lq_writer_free(lq_writer* writer);

#ifdef __cplusplus
}
#endif

#endif
