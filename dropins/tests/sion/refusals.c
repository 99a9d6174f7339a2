/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens that cannot succeed, by each interface: mpiexec -n N refusals INTERFACE CASE NAME [CASE NAME ...]. For each a
 * line on standard error, then what the library says, then how many tasks got -1. refusals_test.py knows what is right.
 */
#include <mpi.h>
#include <omp.h>
#include <sion.h>

#include "check.h"
#include "own_groups.h"

enum { threads_of_rank = 2, threads_alone = 4 };
static int rank, size, api;
static own_group world;

/* What an open is asked for; task: the calling one, of tasks. */
typedef struct {
  const char* name;
  const char* mode;
  int task, tasks, files, block;
  sion_int64 chunk;
} wish;

static int by_serial(wish* w) {
  int tasks = 1, zero = 0, *ranks = &zero;
  sion_int64* chunks = &w->chunk;
  const int writes = strchr(w->mode, 'w') != NULL;
  if (!writes) {
    chunks = NULL;
    ranks = NULL;
  }
  return sion_open((char*)w->name, w->mode, &tasks, &w->files, &chunks, &w->block, &ranks, NULL);
}
static int by_rank(wish* w) {
  int task = 3;
  return sion_open_rank((char*)w->name, w->mode, &w->chunk, &w->block, &task, NULL);
}
static int by_mpi(wish* w) {
  MPI_Comm none = MPI_COMM_NULL;
  int grank = 0;
  return sion_paropen_mpi(w->name, w->mode, &w->files, MPI_COMM_WORLD, &none, &w->chunk, &w->block, &grank, NULL, NULL);
}
static int by_mapped(wish* w) {
  int tasks = strchr(w->mode, 'w') != NULL ? 1 : -1, file = 0, task = w->task, *ranks = &task, *files = &file,
      *numbers = &task;
  sion_int64* chunks = &w->chunk;
  return sion_paropen_mapped_mpi((char*)w->name, w->mode, &w->files, MPI_COMM_WORLD, &tasks, &ranks, &chunks, &files,
                                 &numbers, &w->block, NULL);
}
static int by_omp(wish* w) {
  int grank = 0;
  return sion_paropen_omp(w->name, w->mode, &w->chunk, &w->block, &grank, NULL, NULL);
}
static int by_ompi(wish* w) {
  MPI_Comm none = MPI_COMM_NULL;
  int grank = 0;
  return sion_paropen_ompi(w->name, w->mode, &w->files, MPI_COMM_WORLD, &none, &w->chunk, &w->block, &grank, NULL,
                           NULL);
}
static int by_generic(wish* w) {
  int file = 0, task = w->task, tasks = w->tasks;
  return sion_generic_paropen(api, w->name, w->mode, &w->chunk, &w->block, &world, rank, size, &file, &w->files, &task,
                              &tasks, NULL, NULL);
}

static wish wish_for(const char* what, const char* name, int task, int tasks) {
  static char long_name[1100];
  wish w = {name, "bw", task, tasks, 1, 512, 100};
  if (strcmp(what, "read") == 0) w.mode = "br";
  if (strcmp(what, "no name") == 0) w.name = NULL;
  if (strcmp(what, "block 0") == 0) w.block = 0;
  if (strcmp(what, "block -2") == 0) w.block = -2;
  if (strcmp(what, "negative chunk") == 0 && task == tasks - 1) w.chunk = -1;
  if (strcmp(what, "negative files") == 0) w.files = -1;
  if (strcmp(what, "many files") == 0) w.files = 1000000;
  if (strncmp(what, "long name", 9) == 0) {
    memset(long_name, 'n', 1024);
    w.name = long_name;
  }
  if (strcmp(what, "long name to read") == 0) w.mode = "br";
  return w;
}

static void try_it(int (*by)(wish*), int threads, const char* what, const char* name) {
  int refused = 0, all = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) fprintf(stderr, "== %s %s\n", what, name);
  MPI_Barrier(MPI_COMM_WORLD);
  if (threads == 1) {
    wish w = wish_for(what, name, rank, size);
    refused = by(&w) == -1;
  } else {
#pragma omp parallel num_threads(threads) reduction(+ : refused)
    {
      wish w = wish_for(what, name, rank * threads + omp_get_thread_num(), size * threads);
      refused += by(&w) == -1;
    }
  }
  MPI_Reduce(&refused, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) fprintf(stderr, "-- %d of %d\n", all, size * threads);
}

int main(int argc, char** argv) {
  int given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  world.comm = MPI_COMM_WORLD;
  api = own_api(1);
  const struct {
    const char* name;
    int (*by)(wish*);
    int threads;
  } ways[] = {{"serial", by_serial, 1},  {"rank", by_rank, 1},           {"mpi", by_mpi, 1},
              {"mapped", by_mapped, 1},  {"omp", by_omp, threads_alone}, {"ompi", by_ompi, threads_of_rank},
              {"generic", by_generic, 1}};
  for (size_t way = 0; way < sizeof ways / sizeof *ways; ++way) {
    if (argc < 2 || strcmp(argv[1], ways[way].name) != 0) continue;
    for (int i = 2; i + 1 < argc; i += 2) try_it(ways[way].by, ways[way].threads, argv[i], argv[i + 1]);
  }
  MPI_Finalize();
  return failures;
}
