// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of ranks. Conventions: limequat.h.
#ifndef LIMEQUAT_C_COMMUNICATOR_H
#define LIMEQUAT_C_COMMUNICATOR_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/status.h>

#ifdef __cplusplus
extern "C" {
#endif

// A group of ranks (limequat_mpi.h makes one from an MPI communicator, lq_communicator_create from functions). As an
// argument, NULL means this process alone.
typedef struct lq_communicator lq_communicator;
// Collective over MPI: all ranks must free their handles (grids, too) in the same order.
LQ_API void lq_communicator_free(lq_communicator* communicator);

// Functions of the program that make a group of ranks, if limequat_mpi cannot be used: another MPI, another language,
// no MPI at all. They return 0, or anything else for a failure, which becomes LQ_COMMUNICATION on that rank. They are
// called by the threads that make collective calls and lq_pending_test and _wait, one at a time.
typedef struct lq_operations {
  size_t struct_size;  // set by you: sizeof(lq_operations)
  int rank, size;
  uint64_t node;  // the same number on ranks that may share memory and see each other's process numbers
  int tags;  // tags are 0 to one less than this, at least 2048; 0: a million. Each group that exists at the same time
             // needs 1024 of them
  // Starts a message; `*message` identifies it for test and drop, 0 if it is already done. Messages between two ranks
  // with the same tag must arrive in the order they were sent; both sides give the same size. The bytes are not moved
  // or freed until the message is done.
  int (*send)(void* context, const void* data, uint64_t bytes, int to, int tag, uint64_t* message);
  int (*receive)(void* context, void* data, uint64_t bytes, int from, int tag, uint64_t* message);
  // Sets *done if the message is done; it is then not called again for it. Must not wait; messages advance in it.
  int (*test)(void* context, uint64_t message, int* done);
  void (*drop)(void* context, uint64_t message);  // or NULL: after a failure, the message is no longer needed
  const char* (*failure)(void* context);          // or NULL: why the last function failed, a text until the next does
  void (*free)(void* context);                    // or NULL: the last call
  void* context;
} lq_operations;
// Local. `operations` are copied.
LQ_API lq_status lq_communicator_create(const lq_operations* operations, lq_communicator** communicator);

// Local.
LQ_API int lq_communicator_rank(const lq_communicator* communicator);
LQ_API int lq_communicator_size(const lq_communicator* communicator);
// A failure of the program; members that do not apply are NULL, -1 or 0.
typedef struct lq_failure {
  size_t struct_size;  // set by you
  int status;          // lq_status
  const char *sentence, *path, *record, *expected, *found;
  int64_t offset;
  int system_errno;
} lq_failure;
// Collective. If `failure` is not NULL on any rank, all ranks return the one of the lowest such rank, as an error of
// the library with that rank. Use it for the program's own checks between two collective calls.
LQ_API lq_status lq_communicator_agree(const lq_communicator* communicator, const lq_failure* failure);

#ifdef __cplusplus
}
#endif

#endif
