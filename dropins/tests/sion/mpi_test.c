/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The MPI functions of sion.h on four ranks, used as programs use them: mpiexec -n 4 mpi_test VECTORS. Whatever fails
 * must fail on all ranks; a rank that waits for another would show as a timeout. */
#include <mpi.h>
#include <sion.h>

#include "check.h"

static unsigned char buffer[10000];
static int rank, size;

typedef struct {
  int files, block, grank;
  sion_int64 chunk;
  FILE** stream;
  char** name;
} arguments;

static int open_with(const char* name, const char* mode, MPI_Comm comm, MPI_Comm local, arguments* a) {
  return sion_paropen_mpi(name, mode, &a->files, comm, &local, &a->chunk, &a->block, &a->grank, a->stream, a->name);
}

static int open_simply(const char* name, const char* mode) {
  arguments a = {1, 512, -1, 1000, NULL, NULL};
  return open_with(name, mode, MPI_COMM_WORLD, MPI_COMM_WORLD, &a);
}

static long read_all(int sid, int seed, int task) {
  long done = 0;
  while (!sion_feof(sid)) {
    const sion_int64 bytes = sion_bytes_avail_in_block(sid);
    CHECK(sion_fread(buffer, 1, (size_t)bytes, sid) == (size_t)bytes && holds(buffer, seed, task, done, (long)bytes));
    done += (long)bytes;
  }
  return done;
}

static void what_is_written_is_read(void) {
  FILE* stream = NULL;
  char* name = NULL;
  arguments a = {2, 512, -1, 700 + 100 * rank, &stream, &name};
  int sid = open_with("set.sion", "bw", MPI_COMM_WORLD, MPI_COMM_NULL, &a);
  CHECK(sid >= 1 && a.files == 2 && a.grank == rank && stream != NULL);
  CHECK(name != NULL && strcmp(name, rank < 2 ? "set.sion" : "set.sion.000001") == 0);
  free(name);
  fill(buffer, 3, rank, 0, 3000);
  CHECK(sion_fwrite(buffer, 1, 500, sid) == 500);
  CHECK(sion_ensure_free_space(sid, 200) == 1 && fwrite(buffer + 500, 1, 200, stream) == 200);
  CHECK(sion_fwrite(buffer + 700, 1, 1000, sid) == (rank == 0 ? 1000 : 1000));
  CHECK(sion_parclose_mpi(sid) == 1);
  CHECK(sion_parclose_mpi(sid) == -1);
  arguments b = {7, -1, -1, 0, NULL, NULL};
  sid = open_with("set.sion", "br", MPI_COMM_WORLD, MPI_COMM_WORLD, &b);
  CHECK(sid >= 1 && b.files == 2 && b.block == 512 && b.grank == rank && b.chunk >= 1000);
  CHECK(sion_get_filenumber(sid) == rank / 2 && sion_get_number_of_files(sid) == 2);
  CHECK(read_all(sid, 3, rank) == 1700);
  const int copy = sion_dup(sid, SION_DUP_ALL, 0, 0);
  CHECK(copy >= 0 && sion_seek(copy, SION_CURRENT_RANK, 0, 0) == 1 && read_all(copy, 3, rank) == 1700);
  CHECK(sion_dedup(copy) == 1 && sion_dedup(copy) != 1 && sion_dedup(sid) == 0);
  CHECK(sion_parclose_mpi(sid) == 1);
}

static void chunk_sizes_are_chosen_anew(void) {
  const int sid = open_simply("reinit.sion", "bw");
  CHECK(sion_parreinit_mpi(sid, 2000) == 1);
  fill(buffer, 4, rank, 0, 2000);
  CHECK(sion_fwrite(buffer, 1, 2000, sid) == 2000);
  CHECK(sion_parclose_mpi(sid) == 1);
  const int back = open_simply("reinit.sion", "br");
  CHECK(sion_bytes_avail_in_block(back) == 2000 && read_all(back, 4, rank) == 2000);
  sion_parclose_mpi(back);
}

static void collectors_write_and_read(void) {
  int sid = open_simply("together.sion", "bw,collective,collsize=2");
  for (int call = 0; call < 3; ++call) {
    const long bytes = 100 * (call + 1) * rank;
    fill(buffer, 5, rank, call * 1000, bytes);
    CHECK(sion_coll_fwrite_mpi(buffer, 1, (size_t)bytes, sid) == (size_t)bytes);
  }
  CHECK(sion_coll_fwrite(buffer, 1, rank == 1 ? 9000 : 10, sid) == (rank == 1 ? 0 : 10)); /* too much on one rank */
  CHECK(sion_parclose_mpi(sid) == 1);
  sid = open_simply("together.sion", "br,collective");
  for (int call = 0; call < 3; ++call) {
    const long bytes = 100 * (call + 1) * rank;
    CHECK(sion_coll_fread_mpi(buffer, 1, (size_t)bytes, sid) == (size_t)bytes);
    CHECK(holds(buffer, 5, rank, call * 1000, bytes));
  }
  CHECK(sion_coll_fread(buffer, 1, 9000, sid) == 0);
  CHECK(sion_parclose_mpi(sid) == 1);
  sid = open_simply("alone.sion", "bw");
  CHECK(sion_coll_fwrite(buffer, 1, 10, sid) == 10); /* individually */
  CHECK(sion_parclose_mpi(sid) == 1);
}

static void mapped_opens_read_with_any_number(void) {
  for (int readers = 1; readers <= size; ++readers) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank < readers ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm == MPI_COMM_NULL) continue;
    int files = 0, tasks = -1, *ranks = NULL, *numbers = NULL, *locals = NULL, sum = 0, all = 0;
    sion_int64* chunks = NULL;
    sion_int32 block = 0;
    const int sid = sion_paropen_mapped_mpi(vector("v11_3files_splitcomm.sion"), "br", &files, comm, &tasks, &ranks,
                                            &chunks, &numbers, &locals, &block, NULL);
    CHECK(sid >= 0 && files == 3 && block == 256 && tasks >= 0);
    for (int i = 0; i < tasks; ++i) {
      CHECK(sion_seek(sid, ranks[i], 0, 0) == 1 && numbers[i] == ranks[i] % 3);
      CHECK(read_all(sid, 11, ranks[i]) == 400 + 50 * ranks[i]);
      sum += 1 << ranks[i];
    }
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, comm);
    CHECK(all == 127);
    CHECK(sion_parclose_mapped_mpi(sid) == 1);
    free(ranks);
    free(chunks);
    free(numbers);
    free(locals);
    MPI_Comm_free(&comm);
  }
}

static int open_mapped(const char* name) {
  char path[100];
  int files = 0, tasks = -1, *ranks = NULL, *numbers = NULL, *locals = NULL;
  sion_int64* chunks = NULL;
  sion_int32 block = 0;
  snprintf(path, sizeof path, "%s", name);
  const int sid = sion_paropen_mapped_mpi(path, "br", &files, MPI_COMM_WORLD, &tasks, &ranks, &chunks, &numbers,
                                          &locals, &block, NULL);
  free(ranks);
  free(chunks);
  free(numbers);
  free(locals);
  return sid;
}

/* The first handles of the process, as SIONlib 1.7.6 gives them: one is taken for its own look into the file. */
static void handles_are_numbered_as_always(void) {
  static const int first[9] = {1, 2, 1, 2, 3, 2, 3, 1, 3}, others[3] = {1, 2, 3};
  for (int i = 0; i < 9; ++i) {
    const int expected = rank == 0 ? first[i] : others[i % 3];
    const int sid = i % 3 == 1 ? open_mapped("numbered.sion") : open_simply("numbered.sion", i % 3 == 0 ? "bw" : "br");
    CHECK(sid == expected);
    if (i % 3 == 2) {
      const int copy = sion_dup(sid, SION_DUP_ALL, 0, 0);
      CHECK(copy == (rank == 0 ? first[i] % 3 + 1 : 1) && sion_dedup(copy) == 1);
    }
    CHECK((i % 3 == 1 ? sion_parclose_mapped_mpi(sid) : sion_parclose_mpi(sid)) == 1);
  }
}

/* The same result on all ranks: -1. */
static void errors_are_the_same_everywhere(void) {
  MPI_Comm world = MPI_COMM_WORLD;
  arguments a = {1, 512, 0, 100, NULL, NULL};
  CHECK(sion_paropen_mpi("f", "bw", NULL, world, &world, &a.chunk, &a.block, &a.grank, NULL, NULL) == -1);
  CHECK(sion_paropen_mpi("f", "bw", &a.files, world, NULL, &a.chunk, &a.block, &a.grank, NULL, NULL) == -1);
  CHECK(open_with("f", "a", world, world, &a) == -1);
  CHECK(open_with("/no/such/folder/f", "bw", world, world, &a) == -1);
  CHECK(open_with("/no/such/folder/f", "br", world, world, &a) == -1);
  arguments many = {size + 1, 512, 0, 100, NULL, NULL};
  CHECK(open_with("f", "bw", world, world, &many) == -1);
  arguments none = {0, 512, 0, 100, NULL, NULL};
  CHECK(open_with("f", "bw", world, MPI_COMM_NULL, &none) == -1);
  arguments zero = {1, 0, 0, 100, NULL, NULL};
  CHECK(open_with("f", "bw", world, world, &zero) == -1);
  arguments other = {1, rank == 2 ? 1024 : 512, 0, 100, NULL, NULL};
  CHECK(open_with("f", "bw", world, world, &other) == -1);
  arguments negative = {1, 512, 0, rank == 1 ? -1 : 100, NULL, NULL};
  CHECK(open_with("f", "bw", world, world, &negative) == -1);
  CHECK(open_with(vector("v03_multiblock.sion"), "br", world, world, &a) == -1);    /* 3 tasks */
  CHECK(open_with(vector("v02_2files_5tasks.sion"), "br", world, world, &a) == -1); /* 5 tasks */
  CHECK(open_with(vector("README.md"), "br", world, world, &a) == -1);
  char name[2000];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  CHECK(open_with(name, "bw", world, world, &a) == -1);
}

static void old_forms_and_checks_work(void) {
  char name[SION_FILENAME_LENGTH] = "";
  arguments a = {2, 512, 0, 100, NULL, NULL};
  MPI_Comm world = MPI_COMM_WORLD;
  int sid = sion_paropen_multi_mpi("old.sion", "bw", &a.files, world, &world, &a.chunk, &a.block, &a.grank, NULL, name);
  CHECK(sid >= 0 && strcmp(name, rank < 2 ? "old.sion" : "old.sion.000001") == 0);
  CHECK(sion_startof_transaction_mpi(sid) == 1 && sion_fwrite("x", 1, 1, sid) == 1);
  CHECK(sion_endof_transaction_mpi(sid) == 1 && sion_parclose_mpi(sid) == 1);
  sid = sion_paropen_comms_mpi("old.sion", "br", &a.files, world, world, &a.chunk, &a.block, &a.grank, NULL, name);
  CHECK(sid >= 0 && sion_parclose_mpi(sid) == 1);
  sion_file_check_par_args_mpi* check = sion_file_check_par_args_init_mpi("br", world, 1, world);
  CHECK(sion_file_check_par_cb_mpi("old.sion", check) == 1);
  CHECK(sion_file_check_par_cb_mpi("not there", check) == 0);
  CHECK(sion_file_check_par_args_free_mpi(check) == 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  folder = argc > 1 ? argv[1] : ".";
  handles_are_numbered_as_always();
  what_is_written_is_read();
  chunk_sizes_are_chosen_anew();
  collectors_write_and_read();
  mapped_opens_read_with_any_number();
  errors_are_the_same_everywhere();
  old_forms_and_checks_work();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (all == 0 && rank == 0) printf("all is well\n");
  MPI_Finalize();
  return all != 0;
}
