/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "nodes.h"

#ifdef LQ_TEST_MPI
#include <mpi.h>
#include <qio.h>

static MPI_Comm mine = MPI_COMM_NULL;

void start_nodes(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  mine = MPI_COMM_WORLD;
}

int take_half(void) {
  const int half = this_node() % 2;
  MPI_Comm_split(MPI_COMM_WORLD, half, 0, &mine);
  return QIO_set_communicator(&mine) == QIO_SUCCESS ? half : -1;
}

int count_nodes(void) {
  int count;
  MPI_Comm_size(mine, &count);
  return count;
}

int this_node(void) {
  int rank;
  MPI_Comm_rank(mine, &rank);
  return rank;
}

void wait_for_nodes(void) { MPI_Barrier(mine); }

void end_nodes(void) { MPI_Finalize(); }
#else
void start_nodes(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
}
int take_half(void) { return 0; }
int count_nodes(void) { return 1; }
int this_node(void) { return 0; }
void wait_for_nodes(void) {}
void end_nodes(void) {}
#endif
