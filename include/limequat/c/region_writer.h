// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field written region by region. Conventions: limequat.h.
#ifndef LIMEQUAT_C_REGION_WRITER_H
#define LIMEQUAT_C_REGION_WRITER_H

#include <stdint.h>

#include <limequat/c/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lq_region_writer lq_region_writer;

// Collective. Creates a file with one field whose sites are given region by region, in any order and by any rank; they
// stay in memory until the file is written. `like` describes a site; its data, places and order are not used.
// `options`, or NULL, as in lq_write; report and report_json in it are not used.
LQ_API lq_status lq_region_writer_create(const char* path, const lq_grid* grid, lq_field like,
                                         const lq_write_options* options, lq_region_writer** writer);
// Local. Stores the sites of the region with these extents, x first, from `lower` on, in coordinates of the lattice;
// `field` has the region as its lattice. Sites in the boxes of other ranks are sent there by the next close. If a site
// is given twice, the last value counts; if several ranks give it, the rank whose box contains it wins, otherwise the
// highest rank.
LQ_API lq_status lq_region_writer_write(lq_region_writer* writer, const int64_t* lower, const int64_t* extents,
                                        lq_field field);
// Local. The number of sites of this rank's box that have not been given yet; those from other ranks count after close.
LQ_API lq_status lq_region_writer_missing(const lq_region_writer* writer, uint64_t* sites);
// Collective. Writes the file with all its checksums; report_json may be NULL. LQ_WRONG_STATE: sites are missing on
// some rank; then there is no file, and you may give more. If memory or messages fail while sites are exchanged, the
// writer is closed. Without this call lq_region_writer_free abandons the file.
LQ_API lq_status lq_region_writer_close(lq_region_writer* writer, char** report_json);
LQ_API void lq_region_writer_free(lq_region_writer* writer);

#ifdef __cplusplus
}
#endif

#endif
