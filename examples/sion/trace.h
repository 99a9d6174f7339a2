/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Common parts of the recorder and the analysis of a trace: an event, and the end of the program after an error. */
#ifndef TRACE_H
#define TRACE_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
  uint64_t time;
  uint32_t region;
  uint32_t enters; /* or leaves */
} event;

static inline void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "%s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

#endif
