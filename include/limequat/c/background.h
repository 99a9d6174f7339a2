// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers in the background. Conventions: limequat.h.
#ifndef LIMEQUAT_C_BACKGROUND_H
#define LIMEQUAT_C_BACKGROUND_H

#include <limequat/c/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

// A transfer in flight. Several may be; all ranks start them and wait for them in the same order.
typedef struct lq_pending lq_pending;

// Collective. As lq_write and lq_read, but they return when the transfer is under way; errors known by then are
// returned here. The memory of the field is borrowed until lq_pending_wait, _cancel or _free returns: that of a write
// must not change, that of a read must not be touched. Everything else, the grid too, need only live as long as the
// call. fetch, store and their context are used on another thread until then; they must not call MPI. report_json
// and report of the options are not used.
LQ_API lq_status lq_write_async(const char* path, const lq_grid* grid, lq_field field, const lq_write_options* options,
                                lq_pending** pending);
LQ_API lq_status lq_read_async(const char* path, const lq_grid* grid, lq_field field, const lq_read_options* options,
                               lq_pending** pending);
// Local. *done is 1 when lq_pending_wait would find nothing left to do on this rank. Where ranks of several nodes
// exchange sites, the transfer moves on in this call and in lq_pending_wait only: call it now and then.
LQ_API lq_status lq_pending_test(lq_pending* pending, int* done);
// Collective. Completes the transfer; its errors surface here. `report_json` may be NULL. LQ_WRONG_STATE when it is
// over already, and in debug builds when the field was changed meanwhile.
LQ_API lq_status lq_pending_wait(lq_pending* pending, char** report_json);
// Collective. Gives the transfer up: a write leaves no file, and what existed stays.
LQ_API lq_status lq_pending_cancel(lq_pending* pending);
// NULL is fine. A transfer that nobody waited for is cancelled; then all ranks free it.
LQ_API void lq_pending_free(lq_pending* pending);

#ifdef __cplusplus
}
#endif

#endif
