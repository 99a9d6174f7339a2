/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The generic interface on four tasks that bring their own communication: mpiexec -n 4 generic_test VECTORS. What fails
 * must fail on all tasks; one that waits for another would show as a timeout. */
#include <mpi.h>
#include <sion.h>
#include <unistd.h>

#include "check.h"
#include "own_groups.h"

static unsigned char buffer[20000];
static int rank, size, full, standard;
static own_group world;

/* Where a task sits, and what it asks for. */
typedef struct {
  int file, files, task, tasks, block;
  sion_int64 chunk;
} seat;

static int open_at(int aid, const char* name, const char* mode, seat* s) {
  return sion_generic_paropen(aid, name, mode, &s->chunk, &s->block, &world, rank, size, &s->file, &s->files, &s->task,
                              &s->tasks, NULL, NULL);
}

static seat seat_in(int files) {
  const int each = size / files;
  seat s = {rank / each, files, rank % each, each, 256, 500};
  if (s.file >= files) s.file = files - 1;
  s.task = rank - s.file * each;
  if (s.file == files - 1) s.tasks = size - s.file * each;
  return s;
}

static void wait_for_all(void) { MPI_Barrier(MPI_COMM_WORLD); }

/* With the serial functions, which know nothing of the API. */
static void holds_all(const char* name, int seed, long bytes) {
  wait_for_all();
  char writable[200];
  snprintf(writable, sizeof writable, "%s", name);
  int task = rank;
  sion_int64 chunk = 0;
  sion_int32 block = 0;
  const int sid = sion_open_rank(writable, "br,posix", &chunk, &block, &task, NULL);
  long done = 0;
  while (sid >= 0 && !sion_feof(sid)) {
    const size_t now = (size_t)sion_bytes_avail_in_block(sid);
    CHECK(sion_fread(buffer, 1, now, sid) == now && holds(buffer, seed, rank, done, (long)now));
    done += (long)now;
  }
  CHECK(sid >= 0 && done == bytes && sion_close(sid) == 1);
  wait_for_all();
}

static void what_is_written_is_read(void) {
  for (int files = 1; files <= size; ++files) {
    seat s = seat_in(files);
    int sid = open_at(files % 2 == 0 ? full : standard, "own.sion", "bw", &s);
    fill(buffer, 7, rank, 0, 400);
    CHECK(sid >= 0 && sion_fwrite(buffer, 1, 400, sid) == 400 && sion_generic_parclose(sid) == 1);
    holds_all("own.sion", 7, 400);
    seat back = {-1, -1, -1, -1, 0, 0};
    sid = open_at(standard, "own.sion", "br", &back);
    CHECK(sid >= 0 && back.file == s.file && back.files == files && back.chunk == 512 && back.block == 256);
    CHECK(sion_fread(buffer, 1, 400, sid) == 400 && holds(buffer, 7, rank, 0, 400));
    CHECK(sion_generic_parclose(sid) == 1);
  }
}

/* One task has more chunks than tasks are told of in one message. */
static void one_may_have_very_many_chunks(void) {
  const long bytes = rank == 1 ? 4400128 : 256;
  for (int writes = 1; writes >= 0; --writes) {
    seat s = seat_in(1);
    const int sid = open_at(standard, "many.sion", writes ? "bw" : "br", &s);
    long done = 0;
    for (; done < bytes; done += 256) {
      if (writes) fill(buffer, 5, rank, done, 256);
      if (writes && sion_ensure_free_space(sid, 256) != 1) break;
      if (!writes && sion_feof(sid)) break;
      if ((writes ? sion_fwrite(buffer, 1, 256, sid) : sion_fread(buffer, 1, 256, sid)) != 256) break;
      if (!holds(buffer, 5, rank, done, 256)) break;
    }
    CHECK(sid >= 0 && done == bytes && (writes || sion_feof(sid)) && sion_generic_parclose(sid) == 1);
  }
}

static void keys_are_written_and_read(void) {
  seat s = seat_in(2);
  for (int writes = 1; writes >= 0; --writes) {
    const int sid = open_at(standard, "keys.sion", writes ? "bw,keyval=inline" : "br,keyval=inline", &s);
    char text[5] = "abcd";
    CHECK(sid >= 0 && (writes ? sion_fwrite_key(text, 7, 1, 4, sid) : sion_fread_key(text, 7, 1, 4, sid)) == 4);
    CHECK(strcmp(text, "abcd") == 0 && sion_generic_parclose(sid) == 1);
  }
}

/* Each task opens the stream of its neighbour. */
static void mapped_opens_write_and_read(void) {
  for (int writes = 1; writes >= 0; --writes) {
    char name[] = "mapped.sion";
    int files = 2, tasks = 1, place = (rank + 1) % size, file = place % 2, number = place / 2;
    sion_int64 chunk = 600;
    sion_int32 block = 256;
    int *ranks = &place, *numbers = &file, *locals = &number;
    sion_int64* chunks = &chunk;
    const int sid = sion_generic_paropen_mapped(standard, name, writes ? "bw" : "br", &files, &world, rank, size,
                                                &tasks, &ranks, &chunks, &numbers, &locals, &block, NULL);
    CHECK(sid >= 0 && files == 2 && sion_seek(sid, place, SION_CURRENT_BLK, SION_CURRENT_POS) == 1);
    if (writes) fill(buffer, 6, place, 0, 500);
    CHECK((writes ? sion_fwrite(buffer, 1, 500, sid) : sion_fread(buffer, 1, 500, sid)) == 500);
    CHECK(holds(buffer, 6, place, 0, 500) && sion_generic_parclose_mapped(sid) == 1);
    wait_for_all();
    if (chunks == &chunk) continue;
    free(chunks);
    free(numbers);
    free(locals);
  }
}

/* What does not fit on one task is not written, and its collector hears of it instead of waiting. */
static void collectors_go_on_where_one_has_too_much(void) {
  seat s = seat_in(1);
  int sid = open_at(full, "collected.sion", "bw,collective,collsize=4", &s);
  for (int call = 0; call < 2; ++call) {
    fill(buffer, 8, rank, 200 * call, 200);
    CHECK(sion_coll_fwrite(buffer, 1, 200, sid) == 200);
    CHECK(sion_coll_fwrite(buffer, 1, rank == 2 ? 15000 : 0, sid) == 0);
  }
  CHECK(sion_generic_parclose(sid) == 1);
  holds_all("collected.sion", 8, 400);
  sid = open_at(full, "collected.sion", "br,collective,collsize=4", &s);
  CHECK(sion_coll_fread(buffer, 1, 400, sid) == 400 && holds(buffer, 8, rank, 0, 400));
  CHECK(sion_coll_fread(buffer, 1, 10, sid) == 0 && sion_generic_parclose(sid) == 1);
}

/* A task whose own stream has left its chunk cannot take part, and its group hears of it. What is written goes on with
 * the next call. */
static void what_fails_on_one_task_fails_on_its_group(void) {
  for (int writes = 1; writes >= 0; --writes) {
    seat s = seat_in(1);
    FILE* stream = NULL;
    const char* const mode = writes ? "bw,collective,collsize=4" : "br,collective,collsize=4";
    const int sid = sion_generic_paropen(full, "left.sion", mode, &s.chunk, &s.block, &world, rank, size, &s.file,
                                         &s.files, &s.task, &s.tasks, &stream, NULL);
    for (int call = 0; call < 2 + writes; ++call) {
      if (call == 1 && rank == 1) fseek(stream, 100000000, SEEK_SET);
      const size_t expected = call == 1 ? 0 : 100;
      fill(buffer, 9, rank, call == 0 ? 0 : 100, 100);
      CHECK((writes ? sion_coll_fwrite(buffer, 1, 100, sid) : sion_coll_fread(buffer, 1, 100, sid)) == expected);
      if (!writes && call == 0) CHECK(holds(buffer, 9, rank, 0, 100));
    }
    CHECK(sion_generic_parclose(sid) == 1);
  }
}

static long read_file(const char* name, unsigned char* bytes) {
  FILE* const file = fopen(name, "rb");
  const long count = file == NULL ? -1 : (long)fread(bytes, 1, sizeof buffer, file);
  if (file != NULL) fclose(file);
  if (count >= 16) memset(bytes + 8, 0, 8); /* the version of the library */
  return count;
}

static void is_the_vector(const char* name) {
  static unsigned char expected[sizeof buffer];
  const long count = read_file(name, buffer);
  CHECK(count > 0 && count == read_file(vector(name), expected) && memcmp(buffer, expected, (size_t)count) == 0);
}

static void write_copies(const char* name, const char* mode, int files, long bytes) {
  seat s = seat_in(files);
  const int sid = open_at(full, name, mode, &s);
  CHECK(sid >= 0);
  for (long done = 0; done < bytes; done += bytes / 2) {
    fill(buffer, 15, rank, done, bytes / 2);
    CHECK(sion_coll_fwrite(buffer, 1, (size_t)(bytes / 2), sid) == (size_t)(bytes / 2));
  }
  CHECK(sion_generic_parclose(sid) == 1);
}

static void read_copies(const char* name, const char* mode, int files, long bytes) {
  seat s = seat_in(files);
  const int sid = open_at(full, name, mode, &s);
  CHECK(sid >= 0);
  for (long done = 0; sid >= 0 && done < bytes; done += bytes / 2) {
    CHECK(sion_coll_fread(buffer, 1, (size_t)(bytes / 2), sid) == (size_t)(bytes / 2));
    CHECK(holds(buffer, 15, rank, done, bytes / 2));
  }
  CHECK(sid < 0 || sion_generic_parclose(sid) == 1);
}

static void copies_are_the_vector_and_stand_in(void) {
  write_copies("v15_buddy.sion", "bw,buddy", 2, 500 + 10 * rank);
  wait_for_all();
  if (rank == 0) {
    is_the_vector("v15_buddy.sion");
    is_the_vector("v15_buddy.sion.000001");
    is_the_vector("v15_buddy.sion_BUDDY_00");
    is_the_vector("v15_buddy.sion_BUDDY_00.000001");
    unlink("v15_buddy.sion");
    unlink("v15_buddy.sion.000001");
  }
  wait_for_all();
  read_copies("v15_buddy.sion", "br,buddy", 2, 500 + 10 * rank);
  wait_for_all();
  if (rank == 0) unlink("v15_buddy.sion_BUDDY_00.000001");
  wait_for_all();
  seat s = seat_in(2);
  CHECK(open_at(full, "v15_buddy.sion", "br,buddy", &s) == -1);
}

/* Circles of one to four groups. */
static void every_level_of_any_number_of_groups_holds_all(void) {
  for (int files = 2; files <= size; ++files) {
    write_copies("levels.sion", "bw,posix,buddy=4", files, 600);
    holds_all("levels.sion", 15, 600);
    holds_all("levels.sion_BUDDY_00", 15, 600);
    holds_all("levels.sion_BUDDY_01", 15, 600);
    holds_all("levels.sion_BUDDY_02", 15, 600);
    holds_all("levels.sion_BUDDY_03", 15, 600);
  }
}

/* Files of the set and of its copies by the API's own rule. */
static char* own_name(const char* name, int file) {
  char* const made = malloc(strlen(name) + 20);
  sprintf(made, "%s.part%d", name, file);
  return made;
}

static void copies_have_names_by_the_rule(void) {
  const int usual = full;
  full = own_api(1);
  CHECK(sion_generic_register_get_multi_filename_cb(full, own_name) == 0);
  write_copies("ruled", "bw,buddy", 2, 400);
  wait_for_all();
  if (rank == 0) CHECK(unlink("ruled.part0") == 0 && unlink("ruled.part1") == 0);
  CHECK(access("ruled_BUDDY_00.part0", R_OK) == 0 && access("ruled_BUDDY_00.part1", R_OK) == 0);
  wait_for_all();
  read_copies("ruled", "br,buddy", 2, 400);
  CHECK(sion_generic_free_api(full) == 1);
  full = usual;
}

/* The file's own group, and one in each of the steps in which copies are made of three groups. */
static void all_hear_of_a_group_that_one_cannot_make(void) {
  for (int group = 1; group <= 5; ++group) {
    seat s = seat_in(3);
    bad_group = rank == 1 ? group : 0;
    const int sid = open_at(full, "grouped.sion", "bw,buddy", &s);
    CHECK((sid >= 0) == (group == 5) && (sid < 0 || sion_generic_parclose(sid) == 1));
    bad_group = 0;
    wait_for_all();
  }
}

static void copies_need_neighbours_and_a_way_to_them(void) {
  seat s = seat_in(2);
  write_copies("kept.sion", "bw", 2, 400);
  CHECK(open_at(standard, "kept.sion", "bw,buddy", &s) == -1);
  seat one = seat_in(1);
  CHECK(open_at(full, "kept.sion", "bw,buddy", &one) == -1);
  holds_all("kept.sion", 15, 400);
  read_copies("kept.sion", "br,buddy", 2, 400);
  seat wrong = {rank == 1 ? -5 : 0, 2, 0, 2, 256, 500};
  CHECK(open_at(full, "kept.sion", "br,buddy", &wrong) == -1);
}

static void what_cannot_be_is_refused_by_all(void) {
  char name[2000];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  seat s = seat_in(1);
  CHECK(open_at(full, name, "bw", &s) == -1 && open_at(full, name, "br", &s) == -1);
  CHECK(open_at(full, "f", "a", &s) == -1 && open_at(full, NULL, "bw", &s) == -1);
  CHECK(open_at(full, "f", NULL, &s) == -1 && open_at(full, "/no/such/folder/f", "bw", &s) == -1);
  CHECK(open_at(full, "not there", "br", &s) == -1 && open_at(rank + 50, "f", "bw", &s) == -1);
  seat block = s, chunk = s, file = s, tasks = s, other = s;
  block.block = 0;
  CHECK(open_at(full, "f", "bw", &block) == -1);
  chunk.chunk = rank == 1 ? -1 : 100;
  CHECK(open_at(full, "f", "bw", &chunk) == -1);
  file.files = -1;
  CHECK(open_at(full, "f", "bw", &file) == -1);
  tasks.tasks = rank == 3 ? -4 : 4;
  CHECK(open_at(full, "f", "bw", &tasks) == -1);
  other.block = rank == 2 ? 512 : 256;
  CHECK(open_at(full, "f", "bw", &other) == -1);
  seat gap = {rank / 2 * 2, 3, rank % 2, 2, 256, 500}, late = {1 + rank / 2, 3, rank % 2, 2, 256, 500};
  CHECK(open_at(full, "f", "bw", &gap) == -1 && open_at(full, "f", "bw,buddy", &gap) == -1);
  CHECK(open_at(full, "f", "bw", &late) == -1);
  CHECK(open_at(full, vector("v03_multiblock.sion"), "br", &s) == -1);    /* 3 tasks */
  CHECK(open_at(full, vector("v02_2files_5tasks.sion"), "br", &s) == -1); /* 5 tasks */
  CHECK(open_at(full, vector("v17_unclosed.sion"), "br", &s) == -1);
  CHECK(sion_generic_parclose(77) == -1 && sion_generic_free_api(77) != 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  folder = argc > 1 ? argv[1] : ".";
  world.comm = MPI_COMM_WORLD;
  full = own_api(1);
  standard = own_api(0);
  what_is_written_is_read();
  one_may_have_very_many_chunks();
  keys_are_written_and_read();
  mapped_opens_write_and_read();
  collectors_go_on_where_one_has_too_much();
  what_fails_on_one_task_fails_on_its_group();
  copies_are_the_vector_and_stand_in();
  every_level_of_any_number_of_groups_holds_all();
  copies_have_names_by_the_rule();
  all_hear_of_a_group_that_one_cannot_make();
  copies_need_neighbours_and_a_way_to_them();
  what_cannot_be_is_refused_by_all();
  CHECK(sion_generic_free_api(standard) == 1 && sion_generic_free_api(full) == 1);
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
