/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads of two ranks as tasks: mpiexec -n 2 threads_test VECTORS. Whatever fails must fail on all threads; one that
 * waits for another would show as a timeout. */
#include <fcntl.h>
#include <mpi.h>
#include <omp.h>
#include <sion.h>
#include <unistd.h>

#include "check.h"

static int rank;

static int open_in(MPI_Comm local, const char* name, const char* mode, sion_int64 chunk, int block) {
  int files = local == MPI_COMM_NULL ? 1 : 0, grank = -1;
  return sion_paropen_ompi(name, mode, &files, MPI_COMM_WORLD, &local, &chunk, &block, &grank, NULL, NULL);
}
static int open_with(const char* name, const char* mode, sion_int64 chunk) {
  return open_in(MPI_COMM_NULL, name, mode, chunk, 512);
}

/* Of the calling thread, of `threads` on each rank. */
static int task_of(int threads) { return rank * threads + omp_get_thread_num(); }

static void write_one(const char* name, int seed) {
  unsigned char bytes[700];
  fill(bytes, seed, task_of(2), 0, 700);
  const int sid = open_with(name, "bw", 1000);
  CHECK(sid >= 0 && sion_fwrite(bytes, 1, 700, sid) == 700 && sion_parclose_ompi(sid) == 1);
}

static void read_one(const char* name, int seed, int threads, size_t bytes) {
  unsigned char back[1000];
  const int sid = open_with(name, "br", 0);
  CHECK(sid >= 0 && sion_fread(back, 1, bytes, sid) == bytes && holds(back, seed, task_of(threads), 0, (long)bytes));
  CHECK(sion_feof(sid) == 1 && sion_parclose_ompi(sid) == 1);
}

static long bytes_of(const char* name, unsigned char* bytes, size_t most) {
  FILE* const file = fopen(name, "rb");
  const long count = file == NULL ? -1 : (long)fread(bytes, 1, most, file);
  if (file != NULL) fclose(file);
  if (count >= 16) memset(bytes + 8, 0, 8); /* the version of the library */
  return count;
}

static void is_the_vector(const char* name) {
  static unsigned char written[20000], expected[20000];
  const long count = bytes_of(name, written, sizeof written);
  CHECK(count > 0 && count == bytes_of(vector(name), expected, sizeof expected));
  CHECK(count > 0 && memcmp(written, expected, (size_t)count) == 0);
}

/* The threads of the ranks keep each other's data as so many ranks do. */
static void write_copies(void) {
  unsigned char bytes[600];
  const int task = task_of(2);
  const long half = 250 + 5 * task;
  fill(bytes, 15, task, 0, 2 * half);
  const int sid = open_in(MPI_COMM_SELF, "v15_buddy.sion", "bw,buddy", 500, 256);
  CHECK(sid >= 0);
  for (int call = 0; call < 2; ++call) {
    CHECK(sion_coll_fwrite(bytes + call * half, 1, (size_t)half, sid) == (size_t)half);
  }
  CHECK(sion_parclose_ompi(sid) == 1);
}

static void read_copies(void) {
  unsigned char back[600];
  const int task = task_of(2);
  const long half = 250 + 5 * task;
  const int sid = open_in(MPI_COMM_SELF, "v15_buddy.sion", "br,buddy", 0, 0);
  CHECK(sid >= 0);
  for (int call = 0; call < 2; ++call) {
    CHECK(sion_coll_fread(back, 1, (size_t)half, sid) == (size_t)half && holds(back, 15, task, call * half, half));
  }
  CHECK(sion_parclose_ompi(sid) == 1);
}

static void is_gone(const char* name) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) CHECK(remove(name) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void copies_are_the_vector_and_stand_in(void) {
#pragma omp parallel num_threads(2)
  write_copies();
  MPI_Barrier(MPI_COMM_WORLD);
  is_the_vector("v15_buddy.sion");
  is_the_vector("v15_buddy.sion.000001");
  is_the_vector("v15_buddy.sion_BUDDY_00");
  is_the_vector("v15_buddy.sion_BUDDY_00.000001");
  is_gone("v15_buddy.sion");
#pragma omp parallel num_threads(2)
  read_copies();
  is_gone("v15_buddy.sion.000001");
#pragma omp parallel num_threads(2)
  read_copies();
  is_gone("v15_buddy.sion_BUDDY_00");
#pragma omp parallel num_threads(2)
  CHECK(open_in(MPI_COMM_SELF, "v15_buddy.sion", "br,buddy", 0, 0) == -1);
}

/* A single file has no neighbour: nothing is written, and what was there is still there. */
static void copies_need_a_neighbour(void) {
#pragma omp parallel num_threads(2)
  {
    sion_int64 chunk = 1000;
    int block = 512, grank = 0;
    write_one("threads_kept.sion", 4);
    CHECK(open_with("threads_kept.sion", "bw,buddy", 1000) == -1);
    CHECK(open_with("threads_kept.sion", "br,buddy", 0) == -1); /* no local communicator */
    CHECK(sion_paropen_omp("threads_alone.sion", "bw,buddy", &chunk, &block, &grank, NULL, NULL) == -1);
    read_one("threads_kept.sion", 4, 2, 700);
  }
}

/* Messages of one thread only, where that is wished. */
static void errors_of_one_thread_are_told(void) {
  const int before = dup(2);
  char name[32], line[400];
  int told[2] = {0, 0};
  snprintf(name, sizeof name, "told.%d", rank);
  const int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0666);
  dup2(file, 2);
  setenv("SION_ERROR_MSG_THREAD", "1", 1);
#pragma omp parallel num_threads(2)
  {
    static unsigned char much[5000];
    const int sid = open_with("threads_told.sion", "bw", 1000);
    CHECK(sid >= 0 && sion_fwrite(much, 1, sizeof much, sid) == 0 && sion_parclose_ompi(sid) == 1);
  }
  unsetenv("SION_ERROR_MSG_THREAD");
  dup2(before, 2);
  close(before);
  close(file);
  FILE* const lines = fopen(name, "r");
  while (fgets(line, sizeof line, lines) != NULL) {
    for (int thread = 0; thread < 2; ++thread) {
      char words[32];
      snprintf(words, sizeof words, ", thread %d, rc=", thread);
      if (strstr(line, words) != NULL) ++told[thread];
    }
  }
  fclose(lines);
  CHECK(told[0] == 0 && told[1] > 0);
}

/* Written by three threads of two ranks, a file for each rank. */
static void threads_of_a_rank_share_a_file(void) {
  const char* const name = vector("v21_hybrid.sion");
#pragma omp parallel num_threads(3)
  read_one(name, 21, 3, 150 + 20 * (size_t)task_of(3));
#pragma omp parallel num_threads(6)
  {
    sion_int64 chunk = 0;
    int block = 0, grank = 0;
    CHECK(sion_paropen_omp(name, "br", &chunk, &block, &grank, NULL, NULL) == -1);
  }
}

/* The data of a group go to its collector, which is thread 0 of a rank. */
static void data_are_merged_by_ranks(void) {
#pragma omp parallel num_threads(2)
  {
    unsigned char bytes[300];
    fill(bytes, 6, task_of(2), 0, 300);
    const int sid = open_with("threads_merged.sion", "bw,collective,cmerge,collsize=2", 400);
    CHECK(sid >= 0 && sion_coll_fwrite(bytes, 1, 300, sid) == 300 && sion_parclose_ompi(sid) == 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  char name[] = "threads_merged.sion";
  unsigned char back[600];
  sion_int64 chunk = 0;
  int block = 0;
  for (int task = 2 * rank; task < 2 * rank + 2; ++task) {
    const int sid = sion_open_rank(name, "rb", &chunk, &block, &task, NULL);
    const size_t expected = task % 2 == 0 ? 600 : 0;
    CHECK(sid >= 0 && sion_fread(back, 1, 600, sid) == expected && sion_close(sid) == 1);
    if (expected > 0) CHECK(holds(back, 6, task, 0, 300) && holds(back + 300, 6, task + 1, 0, 300));
  }
}

/* What threads of the collector's rank write is not cut into blocks on its way: a piece goes whole into one chunk. */
static void data_of_threads_are_merged_whole(void) {
  static const size_t together[] = {100, 50, 100};
  char name[] = "threads_whole.sion";
#pragma omp parallel num_threads(4)
  {
    unsigned char bytes[100];
    fill(bytes, 7, task_of(4), 0, 100);
    const int sid = open_in(MPI_COMM_NULL, name, "bw,collective,cmerge,collsize=4", 100, 16);
    CHECK(sid >= 0);
    for (int k = 0; k < 3; ++k) CHECK(sion_coll_fwrite(bytes, 1, together[k], sid) == together[k]);
    CHECK(sion_fwrite(bytes, 1, 80, sid) == 80);
    CHECK(sion_coll_fwrite(bytes, 1, 100, sid) == 100);
    CHECK(sion_parclose_ompi(sid) == 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0) return;
  static const sion_int64 of_collectors[] = {400, 400, 380, 300}; /* as SIONlib 1.7.6 fills them */
  int tasks = 0, files = 0, most = 0, *ranks = NULL;
  sion_int64 *widths = NULL, skip = 0, start = 0, *of_ranks = NULL, *counts = NULL, *used = NULL;
  sion_int32 block = -1;
  const int sid = sion_open(name, "br", &tasks, &files, &widths, &block, &ranks, NULL);
  CHECK(sion_get_locations(sid, &tasks, &most, &skip, &start, &widths, &of_ranks, &counts, &used) == 1);
  CHECK(tasks == 8 && most == 4);
  for (int task = 0; task < tasks; ++task) {
    CHECK(counts[task] == (task % 4 == 0 ? 4 : 1));
    for (int chunk = 0; chunk < counts[task]; ++chunk) {
      CHECK(used[chunk * tasks + task] == (task % 4 == 0 ? of_collectors[chunk] : 80));
    }
  }
  CHECK(sion_close(sid) == 1);
}

int main(int argc, char** argv) {
  int given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  folder = argc > 1 ? argv[1] : ".";
  copies_are_the_vector_and_stand_in();
  copies_need_a_neighbour();
  errors_of_one_thread_are_told();
  threads_of_a_rank_share_a_file();
  data_are_merged_by_ranks();
  data_of_threads_are_merged_whole();
  int all = 0;
  MPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures + all == 0 ? 0 : 1;
}
