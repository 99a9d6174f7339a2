// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Limequat for C and for every language that can call C. limequat_mpi.h adds MPI. Conventions:
//  1. Functions return lq_status. LQ_OK is 0; any other value means that nothing was produced, and
//     lq_error_text() and its companions describe the last failure on this thread.
//  2. Handles (lq_grid, lq_writer, lq_pending, lq_communicator, ...) are opaque; each has one lq_x_free, which accepts
//  NULL.
//     Texts returned through char ** are freed with lq_text_free. Every other pointer is borrowed: memory of
//     fields, names and options need only exist during the call.
//  3. Output parameters come last and are set on success only. NULL where this header does not say "or NULL"
//     is LQ_INVALID_ARGUMENT. Queries of a handle return 0 for NULL (lq_grid_rank: -1).
//  4. Collective: called by all ranks of the grid or communicator; all get the same status and error. Local:
//     other ranks are not involved. A grid or communicator must not be NULL on some ranks only.
//  5. Extents and coordinates are x, y, z, t; all sizes are 64 bit. 0 is false, anything else true.
//  6. Options: call the init function with sizeof(the struct), then set members that should differ; NULL means the
//     defaults. Thus programs keep working when a later version adds members at the end.
//     Answers that are structs begin with struct_size, too: set it to sizeof(the struct), the rest is filled in.
//  7. Callbacks run on the calling thread (those of background transfers on another one) and must return
//     normally: no C++ exception, no longjmp.
//  8. Calls on different handles may run on different threads; one handle is used by one thread at a time.
#ifndef LIMEQUAT_H
#define LIMEQUAT_H

#include <limequat/c/answers.h>
#include <limequat/c/background.h>
#include <limequat/c/callback_file.h>
#include <limequat/c/catalog.h>
#include <limequat/c/checkpoints.h>
#include <limequat/c/communicator.h>
#include <limequat/c/copy.h>
#include <limequat/c/ensemble.h>
#include <limequat/c/field.h>
#include <limequat/c/file.h>
#include <limequat/c/file_system.h>
#include <limequat/c/grid.h>
#include <limequat/c/hdf5.h>
#include <limequat/c/modes.h>
#include <limequat/c/multifile.h>
#include <limequat/c/node_cache.h>
#include <limequat/c/partition.h>
#include <limequat/c/physics.h>
#include <limequat/c/plan.h>
#include <limequat/c/protect.h>
#include <limequat/c/questions.h>
#include <limequat/c/region_writer.h>
#include <limequat/c/repack.h>
#include <limequat/c/squeeze.h>
#include <limequat/c/status.h>
#include <limequat/c/transfer.h>
#include <limequat/c/writer.h>
#include <limequat/version.hpp>

#endif
