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

// A transfer in flight. There may be several; all ranks start them and wait for them in the same order.
typedef struct lq_pending lq_pending;

// Collective. Like lq_write and lq_read, but they return while the transfer runs; errors known by then are returned
// here. The memory of the field is borrowed until lq_pending_wait, _cancel or _free returns: do not change a field that
// is being written, and do not touch one that is being read. Everything else, including the grid, need only exist
// during the call. fetch, store and their context are used on another thread until then; they must not call MPI.
// report_json and report of the options are not used.
LQ_API lq_status lq_write_async(const char* path, const lq_grid* grid, lq_field field, const lq_write_options* options,
                                lq_pending** pending);
LQ_API lq_status lq_read_async(const char* path, const lq_grid* grid, lq_field field, const lq_read_options* options,
                               lq_pending** pending);
// Local. *done is 1 if lq_pending_wait has nothing left to do on this rank. If ranks of several nodes exchange sites,
// the transfer advances only in this call and in lq_pending_wait: call it from time to time.
LQ_API lq_status lq_pending_test(lq_pending* pending, int* done);
// Collective. Completes the transfer and returns its errors. `report_json` may be NULL. LQ_WRONG_STATE if it is already
// over, and in debug builds if the field was changed in the meantime.
LQ_API lq_status lq_pending_wait(lq_pending* pending, char** report_json);
// Collective. Abandons the transfer: a write leaves no new file, and an existing file stays.
LQ_API lq_status lq_pending_cancel(lq_pending* pending);
// NULL is accepted. A transfer without lq_pending_wait is cancelled; all ranks must then free it.
LQ_API void lq_pending_free(lq_pending* pending);

#ifdef __cplusplus
}
#endif

#endif
