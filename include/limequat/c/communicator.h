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

// A group of ranks (limequat_mpi.h makes one of an MPI communicator, lq_communicator_create of functions); wherever one
// is asked for, NULL means this process alone.
typedef struct lq_communicator lq_communicator;
// Over MPI collective: all ranks free their handles (grids, too) in the same order.
LQ_API void lq_communicator_free(lq_communicator* communicator);

// A group of ranks out of the program's own functions, where limequat_mpi cannot be used: another MPI, another
// language, no MPI at all. Functions return 0, or anything else for a failure, which becomes LQ_COMMUNICATION on that
// rank. They are called by the threads that make collective calls and lq_pending_test and _wait, one at a time.
typedef struct lq_operations {
  size_t struct_size;  // set by you: sizeof(lq_operations)
  int rank, size;
  uint64_t node;  // the same number on ranks that may share memory and see each other's process numbers
  int tags;  // tags are 0 to one less than this, at least 2048; 0: a million. Each 1024 are good for one group that
             // exists at the same time
  // Starts a message; `*message` is what test and drop get of it, 0 when it is done already. Messages between two ranks
  // with the same tag arrive in the order they were sent, both sides give the same size. The bytes stay where they are
  // until the message is done.
  int (*send)(void* context, const void* data, uint64_t bytes, int to, int tag, uint64_t* message);
  int (*receive)(void* context, void* data, uint64_t bytes, int from, int tag, uint64_t* message);
  // Whether it is done, after which nobody asks again. Never waits; messages move on in it.
  int (*test)(void* context, uint64_t message, int* done);
  void (*drop)(void* context, uint64_t message);  // or NULL: after a failure, nobody asks for it any more
  const char* (*failure)(void* context);          // or NULL: why the last function failed, a text until the next does
  void (*free)(void* context);                    // or NULL: nobody calls any function any more
  void* context;
} lq_operations;
// Local. `operations` are copied.
LQ_API lq_status lq_communicator_create(const lq_operations* operations, lq_communicator** communicator);

// Local.
LQ_API int lq_communicator_rank(const lq_communicator* communicator);
LQ_API int lq_communicator_size(const lq_communicator* communicator);
// A failure of the program's own, with what applies; the rest is NULL, -1 or 0.
typedef struct lq_failure {
  size_t struct_size;  // set by you
  int status;          // lq_status
  const char *sentence, *path, *record, *expected, *found;
  int64_t offset;
  int system_errno;
} lq_failure;
// Collective. When `failure` is not NULL on any rank, all ranks return that of the lowest such rank, as an error of the
// library with that rank: for what a program checks itself between two collective calls.
LQ_API lq_status lq_communicator_agree(const lq_communicator* communicator, const lq_failure* failure);

#ifdef __cplusplus
}
#endif

#endif
