/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What mode words and variables of the environment do, seen by a program: mpiexec -n 4 words ACTION NAME MODE [NAME
 * MODE
 * ...] tells facts on standard output. words_test.py says what they must be. */
#include <fcntl.h>
#include <mpi.h>
#include <sion.h>
#include <unistd.h>

#include "check.h"

enum { bytes = 100 };
static int rank;
static const char* now; /* the file at hand */
static unsigned char buffer[2 * bytes];

static int open_it(const char* name, const char* mode, FILE** stream) {
  int files = 1, grank = -1;
  sion_int64 chunk = 300 + 100 * rank;
  sion_int32 block = 512;
  MPI_Comm all = MPI_COMM_WORLD;
  return sion_paropen_mpi(name, mode, &files, all, &all, &chunk, &block, &grank, stream, NULL);
}

static int of_all(int here, MPI_Op how) {
  int there = 0;
  MPI_Allreduce(&here, &there, 1, MPI_INT, how, MPI_COMM_WORLD);
  return there;
}

static void tell(const char* fact, int value) {
  if (rank == 0) printf("%s: %s %d\n", now, fact, value);
}

static void write_it(const char* name, const char* mode) {
  FILE* stream = NULL;
  const int sid = open_it(name, mode, &stream);
  tell("opened", of_all(sid >= 0, MPI_MIN));
  if (sid < 0) return;
  tell("streams", of_all(stream != NULL, MPI_SUM));
  for (int call = 0; call < 2; ++call) {
    fill(buffer, 9, rank, call * bytes, bytes);
    CHECK(sion_coll_fwrite(buffer, 1, bytes, sid) == bytes);
  }
  tell("key-value mode", sion_get_keyval_mode(sid));
  CHECK(sion_parclose_mpi(sid) == 1);
}

static void read_it(const char* name, const char* mode) {
  const int sid = open_it(name, mode, NULL);
  tell("opened", of_all(sid >= 0, MPI_MIN));
  if (sid < 0) return;
  tell("key-value mode", sion_get_keyval_mode(sid));
  tell("order", sion_get_file_endianness(sid));
  tell("swap", sion_endianness_swap_needed(sid));
  for (int call = 0; call < 2; ++call) {
    CHECK(sion_coll_fread(buffer, 1, bytes, sid) == bytes && holds(buffer, 9, rank, call * bytes, bytes));
  }
  CHECK(sion_parclose_mpi(sid) == 1);
}

/* Whether the last bytes before the position are in the file. */
static int have_arrived(const char* name, int sid) {
  const int file = open(name, O_RDONLY);
  const sion_int64 end = sion_get_position(sid);
  memset(buffer, 0, bytes);
  const int there = pread(file, buffer, bytes, end - bytes) == bytes && holds(buffer, 9, rank, 0, bytes);
  close(file);
  return there;
}

static void buffer_it(const char* name, const char* mode) {
  const int sid = open_it(name, mode, NULL);
  fill(buffer, 9, rank, 0, bytes);
  CHECK(sid >= 0 && sion_fwrite(buffer, 1, bytes, sid) == bytes);
  tell("arrived", of_all(have_arrived(name, sid), MPI_SUM));
  CHECK(sion_flush(sid) == 1);
  tell("flushed", of_all(have_arrived(name, sid), MPI_SUM));
  CHECK(sion_parclose_mpi(sid) == 1);
}

/* An error of each task. */
static void complain_about_it(const char* name, const char* mode) {
  const int sid = open_it(name, mode, NULL);
  static unsigned char much[5000];
  CHECK(sid >= 0 && sion_fwrite(much, 1, sizeof much, sid) == 0);
  CHECK(sion_parclose_mpi(sid) == 1);
}

/* Adds to a number of rank 0, or puts a larger one there; what it was before. */
static int fetch(int number, MPI_Aint place, MPI_Op how, MPI_Win window) {
  int before = 0;
  MPI_Fetch_and_op(&number, &before, MPI_INT, 0, place, how, window);
  MPI_Win_flush(0, window);
  return before;
}

/* How many tasks are in a transaction at once, at most. Nobody leaves before there were as many as the mode's word
 * "atonce" says, which the library does not know; then each stays a while, for there must not come more. */
static void take_turns(const char* name, const char* mode) {
  const int sid = open_it(name, mode, NULL), expected = atoi(strstr(mode, "atonce=") + 7);
  int* numbers = NULL; /* inside now, most of them */
  MPI_Win window;
  MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &numbers, &window);
  numbers[0] = numbers[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  CHECK(sion_startof_transaction_mpi(sid) == 1);
  fetch(fetch(1, 0, MPI_SUM, window) + 1, 1, MPI_MAX, window);
  while (fetch(0, 1, MPI_MAX, window) < expected) usleep(1000);
  usleep(50000);
  fetch(-1, 0, MPI_SUM, window);
  CHECK(sion_endof_transaction_mpi(sid) == 1);
  MPI_Barrier(MPI_COMM_WORLD);
  tell("at once", of_all(fetch(0, 1, MPI_MAX, window), MPI_MAX));
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  CHECK(sion_parclose_mpi(sid) == 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 2; i + 1 < argc; i += 2) {
    now = argv[i];
    switch (argv[1][0]) {
      case 'w':
        write_it(now, argv[i + 1]);
        break;
      case 'r':
        read_it(now, argv[i + 1]);
        break;
      case 'b':
        buffer_it(now, argv[i + 1]);
        break;
      case 'c':
        complain_about_it(now, argv[i + 1]);
        break;
      default:
        take_turns(now, argv[i + 1]);
    }
  }
  const int all = of_all(failures, MPI_SUM);
  MPI_Finalize();
  return all != 0;
}
