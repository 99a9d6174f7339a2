/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "nodes.h"

#ifdef LQ_TEST_MPI
#include <mpi.h>

void start_nodes(int* argc, char*** argv) { MPI_Init(argc, argv); }

int count_nodes(void) {
  int count;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

int this_node(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void wait_for_nodes(void) { MPI_Barrier(MPI_COMM_WORLD); }

void end_nodes(void) { MPI_Finalize(); }
#else
void start_nodes(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
}
int count_nodes(void) { return 1; }
int this_node(void) { return 0; }
void wait_for_nodes(void) {}
void end_nodes(void) {}
#endif
