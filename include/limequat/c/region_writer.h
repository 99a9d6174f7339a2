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

// Collective. A new file of one field whose sites are given region by region, in any order and by any rank; they are in
// memory until the file is written. `like` says what a site holds; its data, places and
// order are not used. `options`, or NULL, as of lq_write; report and report_json in it are not used.
LQ_API lq_status lq_region_writer_create(const char* path, const lq_grid* grid, lq_field like,
                                         const lq_write_options* options, lq_region_writer** writer);
// Local. The sites of the region with these extents, x first, from `lower` on, in coordinates of the lattice: those of
// `field` as if that were its lattice. They may be in the boxes of other ranks, to which the next call of close sends
// them. What was given twice counts as given last; of sites that several ranks gave count those of the rank whose box
// they are in, else those of the highest rank.
LQ_API lq_status lq_region_writer_write(lq_region_writer* writer, const int64_t* lower, const int64_t* extents,
                                        lq_field field);
// Local. How many sites of this rank's box were not given yet; of what others gave it is known after close.
LQ_API lq_status lq_region_writer_missing(const lq_region_writer* writer, uint64_t* sites);
// Collective. Writes the file with all its checksums; report_json may be NULL. LQ_WRONG_STATE: sites are missing on
// some rank; there is no file then, and more may be given. Where memory or messages failed while sites went from rank
// to rank, the writer is closed. Without it lq_region_writer_free abandons the file.
LQ_API lq_status lq_region_writer_close(lq_region_writer* writer, char** report_json);
LQ_API void lq_region_writer_free(lq_region_writer* writer);

#ifdef __cplusplus
}
#endif

#endif
