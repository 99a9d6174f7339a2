/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The serial functions of sion.h and those on any handle, used as programs use them: serial_test VECTORS. */
#include <sion.h>
#include <sion_debug.h>
#include <unistd.h>

#include "check.h"

static unsigned char buffer[10000];

static int open_vector(const char* name, const char* mode, int* ntasks, FILE** stream) {
  int nfiles = 0, *ranks = NULL;
  sion_int64* chunks = NULL;
  sion_int32 block = -1;
  const int sid = sion_open(vector(name), mode, ntasks, &nfiles, &chunks, &block, &ranks, stream);
  if (sid >= 0) CHECK(chunks != NULL && ranks != NULL && block > 0 && nfiles > 0);
  free(chunks);
  free(ranks);
  return sid;
}

/* The loop of all programs that read. */
static long read_task(int sid, int seed, int rank) {
  long done = 0;
  while (!sion_feof(sid)) {
    const sion_int64 bytes = sion_bytes_avail_in_block(sid);
    CHECK(sion_fread(buffer, 1, (size_t)bytes, sid) == (size_t)bytes);
    CHECK(holds(buffer, seed, rank, done, (long)bytes));
    done += (long)bytes;
  }
  CHECK(sion_get_bytes_read(sid) == done);
  return done;
}

static void handles_are_numbered_as_always(void) {
  int ntasks = 0;
  const int first = open_vector("v01_1file_4tasks.sion", "br", &ntasks, NULL);
  CHECK(first == 0 && ntasks == 4);
  CHECK(sion_close(first) == 1);
  CHECK(sion_close(first) != 1);
  const int set = open_vector("v02_2files_5tasks.sion", "br", &ntasks, NULL);
  CHECK(set == 1 && ntasks == 5);
  CHECK(sion_get_number_of_files(set) == 2);
  CHECK(sion_close(set) == 1);
  CHECK(sion_fread(buffer, 1, 1, set) == 0 && sion_feof(set) == -1 && sion_seek(set, 0, 0, 0) == 0);
  CHECK(sion_fwrite(buffer, 1, 1, -5) == 0 && sion_get_fp(99) == NULL && sion_get_fd(99) == -1);
}

static void every_task_is_read(const char* mode) {
  static const long bytes[3] = {5000, 100, 2600};
  int ntasks = 0;
  const int sid = open_vector("v03_multiblock.sion", mode, &ntasks, NULL);
  for (int task = ntasks - 1; task >= 0; --task) {
    CHECK(sion_seek(sid, task, 0, 0) == 1);
    CHECK(read_task(sid, 3, task) == bytes[task]);
    CHECK(sion_feof(sid) == 1 && sion_bytes_avail_in_block(sid) == 0);
    CHECK(sion_fread(buffer, 1, 10, sid) == 0);
  }
  CHECK(sion_is_serial_opened(sid) == 1 && sion_get_bytes_written(sid) == -1);
  CHECK(sion_get_file_endianness(sid) == 0 && sion_endianness_swap_needed(sid) == sion_get_endianness());
  CHECK(sion_close(sid) == 1);
}

static void positions_are_chosen(void) {
  int ntasks = 0, block = -1, maxchunks = 0;
  sion_int64 position = -1, *sizes = NULL;
  const int sid = open_vector("v03_multiblock.sion", "br", &ntasks, NULL);
  CHECK(sion_seek(sid, 2, 1, 30) == 1);
  CHECK(sion_get_current_location(sid, &block, &position, &maxchunks, &sizes) == 1);
  CHECK(block == 1 && position == 30 && maxchunks == 3 && sizes[0] == 1000 && sizes[2] == 600);
  CHECK(sion_fread(buffer, 10, 2, sid) == 2 && holds(buffer, 3, 2, 1030, 20));
  CHECK(sion_seek(sid, 0, SION_ABSOLUTE_POS, 4999) == 1);
  CHECK(sion_fread(buffer, 1, 1, sid) == 1 && holds(buffer, 3, 0, 4999, 1));
  CHECK(sion_seek(sid, 2, SION_CURRENT_BLK, SION_CURRENT_POS) == 1); /* where it was left */
  CHECK(sion_get_bytes_read(sid) == 1050);
  CHECK(sion_seek(sid, SION_CURRENT_RANK, SION_END_POS, -16) == 1);
  CHECK(sion_fread(buffer, 1, 16, sid) == 16 && holds(buffer, 3, 2, 2584, 16));
  CHECK(sion_seek(sid, 2, SION_END_POS, 1) == 0 && sion_seek(sid, 2, SION_END_POS, -2601) == 0);
  CHECK(sion_seek(sid, 2, SION_ABSOLUTE_POS, 2601) == 0 && sion_seek(sid, 2, SION_ABSOLUTE_POS, -1) == 0);
  CHECK(sion_seek(sid, 2, 3, 0) == 0 && sion_seek(sid, 2, 0, 1001) == 0 && sion_seek(sid, 3, 0, 0) == 0);
  CHECK(sion_seek(sid, 2, 0, 1000) == 1 && sion_feof(sid) == 0);
  CHECK(sion_get_bytes_read(sid) == 1000);
  CHECK(sion_fread(buffer, 1, 1001, sid) == 0); /* larger than what the chunk has */
  CHECK(sion_fread(buffer, (size_t)-1, 3, sid) == 0 && sion_fread(NULL, 1, 5, sid) == 0);
  sion_close(sid);
}

static void what_is_known_is_told(void) {
  int ntasks = 0, maxblocks = 0, size = 0, files = 0, numbytes = 0, numfds = 0, version[4];
  sion_int64 skip = 0, tail = 0, *widths = NULL, *ranks = NULL, *counts = NULL, *used = NULL, *at = NULL,
             *blocks = NULL;
  sion_int32* mapping = NULL;
  const int one = open_vector("v01_1file_4tasks.sion", "br", &ntasks, NULL);
  CHECK(sion_get_locations(one, &ntasks, &maxblocks, &skip, &tail, &widths, &ranks, &counts, &used) == 1);
  CHECK(ntasks == 4 && maxblocks == 1 && skip == 4096 && tail == 0x1600);
  CHECK(widths[1] == 2048 && ranks[3] == 3 && counts[2] == 1 && used[1] == 1500);
  CHECK(sion_get_current_locations(one, &ntasks, &at, &blocks) == 1 && at[0] == 1536 && blocks[3] == 0);
  CHECK(sion_get_mapping(one, &size, &mapping, &files) == 1 && size == -1 && mapping == NULL && files == 1);
  CHECK(sion_get_sizeof(one, &numbytes, &numfds) == 1 && numbytes > 0 && numfds == 1);
  CHECK(sion_get_io_info(one) == NULL && sion_using_hints(one) == 0);
  CHECK(sion_dup(one, SION_DUP_ALL, 0, 0) == -1);
  sion_close(one);
  const int set = open_vector("v02_2files_5tasks.sion", "br", &ntasks, NULL);
  CHECK(sion_get_mapping(set, &size, &mapping, &files) == 1 && size == 5 && files == 2);
  CHECK(mapping[2 * 3] == 1 && mapping[2 * 3 + 1] == 1);
  sion_close(set);
  CHECK(sion_get_version(&version[0], &version[1], &version[2], &version[3]) == 1);
  CHECK(version[0] == 1 && version[1] == 7 && version[3] == 5);
  CHECK(strcmp(sion_keyval_type_to_str(SION_KEYVAL_INLINE), "SION_KEYVAL_INLINE") == 0);
  CHECK(strcmp(sion_keyval_type_to_str(3), "unknown") == 0);
  CHECK(_sion_stat_file(vector("v01_1file_4tasks.sion")) == 1 && _sion_stat_file("/no/such/file") == 0);
  unsigned char word[8] = {1, 2, 3, 4, 5, 6, 7, 8}, turned[8];
  sion_swap(turned, word, 4, 2, 1);
  CHECK(turned[0] == 4 && turned[3] == 1 && turned[4] == 8);
  sion_swap(word, word, 8, 1, 0);
  CHECK(word[0] == 1);
  sion_debug_on(1023, "log");
  CHECK(sion_isdebug() == 0);
}

static void one_task_is_read_alone(void) {
  for (int task = 0; task < 5; ++task) {
    sion_int64 chunk = 0;
    sion_int32 block = 0;
    int rank = task;
    const int sid = sion_open_rank(vector("v02_2files_5tasks.sion"), "br", &chunk, &block, &rank, NULL);
    CHECK(sid >= 0 && block == 512 && chunk >= 700 + 100 * task);
    CHECK(read_task(sid, 2, task) == 700 + 100 * task);
    CHECK(sion_close(sid) == 1);
  }
  int none = 5;
  sion_int64 chunk = 0;
  sion_int32 block = 0;
  CHECK(sion_open_rank(vector("v02_2files_5tasks.sion"), "br", &chunk, &block, &none, NULL) == -1);
  none = 0;
  CHECK(sion_open_rank("new.sion", "bw", &chunk, &block, &none, NULL) == -1);
}

static void streams_and_calls_mix(void) {
  int ntasks = 2, nfiles = 1, granks[2] = {0, 1}, *ranks = granks;
  sion_int64 sizes[2] = {1000, 1000}, *chunks = sizes;
  sion_int32 block = 512;
  FILE* stream = NULL;
  int sid = sion_open("mixed.sion", "bw", &ntasks, &nfiles, &chunks, &block, &ranks, &stream);
  CHECK(sid >= 0 && stream != NULL && sion_get_fp(sid) == stream && sion_get_fd(sid) == -1);
  for (int task = 1; task >= 0; --task) {
    CHECK(sion_seek(sid, task, SION_CURRENT_BLK, SION_CURRENT_POS) == 1);
    fill(buffer, 5, task, 0, 2000);
    CHECK(sion_ensure_free_space(sid, 600) == 1 && fwrite(buffer, 1, 600, stream) == 600);
    CHECK(sion_fwrite(buffer + 600, 4, 100, sid) == 100);
    CHECK(sion_ensure_free_space(sid, 1000) == 1 && fwrite(buffer + 1000, 1, 1000, stream) == 1000);
    CHECK(sion_flush(sid) == 1 && sion_get_bytes_written(sid) == 2000);
    CHECK(sion_ensure_free_space(sid, 1025) == 0 && sion_fwrite(buffer, 1, 1025, sid) == 0);
    CHECK(sion_fwrite(buffer, 0, 10, sid) == 0 && sion_fwrite(buffer, 10, 0, sid) == 0);
    CHECK(sion_feof(sid) == 1 && sion_get_bytes_read(sid) == -1 && sion_seek(sid, task, 0, 0) == 0);
  }
  CHECK(sion_close(sid) == 1);
  ntasks = 0;
  chunks = NULL;
  ranks = NULL;
  sid = sion_open("mixed.sion", "br", &ntasks, &nfiles, &chunks, &block, &ranks, &stream);
  CHECK(ntasks == 2 && chunks[0] == 1024);
  free(chunks);
  free(ranks);
  for (int task = 0; task < 2; ++task) {
    CHECK(sion_seek_fp(sid, task, 0, 0, &stream) == 1);
    CHECK(fread(buffer, 1, 300, stream) == 300 && holds(buffer, 5, task, 0, 300));
    CHECK(sion_bytes_avail_in_chunk(sid) == 700);
    CHECK(sion_fread(buffer, 1, 700, sid) == 700 && holds(buffer, 5, task, 300, 700));
    CHECK(sion_feof(sid) == 0 && fread(buffer, 1, 1000, stream) == 1000 && holds(buffer, 5, task, 1000, 1000));
    CHECK(sion_feof(sid) == 1);
  }
  sion_close(sid);
  sid = open_vector("v01_1file_4tasks.sion", "br,posix", &ntasks, &stream);
  CHECK(stream == NULL && sion_get_fp(sid) == NULL && sion_get_fd(sid) >= 0 && sion_set_second_fp(sid, stdin) == 0);
  sion_close(sid);
}

static void a_second_stream_takes_over(void) {
  int ntasks = 1, nfiles = 1, grank = 0, *ranks = &grank;
  sion_int64 size = 1000, *chunks = &size;
  sion_int32 block = 512;
  FILE* stream = NULL;
  const int sid = sion_open("second.sion", "bw", &ntasks, &nfiles, &chunks, &block, &ranks, &stream);
  FILE* const second = fdopen(dup(fileno(stream)), "w");
  fill(buffer, 6, 0, 0, 1000);
  CHECK(sion_set_second_fp(sid, second) == 1);
  CHECK(sion_ensure_free_space(sid, 700) == 1 && fwrite(buffer, 1, 700, second) == 700 && fflush(second) == 0);
  CHECK(sion_flush(sid) == 1 && sion_get_bytes_written(sid) == 700);
  CHECK(sion_unset_second_fp(sid) == 1);
  fclose(second);
  CHECK(sion_fwrite(buffer + 700, 1, 300, sid) == 300 && sion_optimize_fp_buffer(sid) == 1);
  CHECK(sion_close(sid) == 1);
  const int back = sion_open_rank("second.sion", "br", &size, &block, &grank, NULL);
  CHECK(read_task(back, 6, 0) == 1000);
  sion_close(back);
}

static void keys_are_written_and_read(void) {
  int ntasks = 0;
  uint64_t key = 0;
  size_t length = 0;
  sion_key_stat_t stat;
  int sid = open_vector("v20_keyval_be.sion", "br,keyval=unknown", &ntasks, NULL);
  CHECK(sion_get_keyval_mode(sid) == SION_KEYVAL_INLINE && sion_seek(sid, 1, SION_CURRENT_BLK, SION_CURRENT_POS) == 1);
  for (int k = 0; k < 4; ++k) {
    CHECK(sion_fread_key_iterator_next(sid, &key, &length) == 1);
    CHECK(key == (uint64_t)(100 + k % 3) && length == (size_t)(60 + 50 * k));
    CHECK(sion_fread_key(buffer, key, 1, length, sid) == length && holds(buffer, 20, (int)key, 0, (long)length));
  }
  CHECK(sion_fread_key_iterator_next(sid, &key, &length) == 0);
  CHECK(sion_key_full_scan(sid) == 1 && sion_key_get_stat(sid, 100, &stat) == 1);
  CHECK(stat.key == 100 && stat.num_blocks == 2 && stat.total_size == 60 + 210);
  CHECK(sion_seek_key(sid, 100, 1, 10) == 1 && sion_fread_key(buffer, 100, 1, 500, sid) == 200);
  CHECK(sion_seek_key(sid, 100, 2, 0) == 0 && sion_seek_key(sid, 7, 0, 0) == 0 && sion_seek_key(sid, 100, -1, 0) == 0);
  CHECK(sion_fread_key_iterator_reset(sid) == 1 && sion_fread_key_iterator_next(sid, &key, &length) == 1 && key == 100);
  int keys = 0;
  CHECK(sion_key_list_iterator_reset(sid) == 1);
  while (sion_key_list_iterator_next(sid, &key) == 1) ++keys;
  CHECK(keys == 3 && sion_fwrite_key(buffer, 1, 1, 1, sid) == 0);
  sion_close(sid);
  sid = open_vector("v01_1file_4tasks.sion", "br", &ntasks, NULL);
  CHECK(sion_get_keyval_mode(sid) == SION_KEYVAL_NONE && sion_fread_key(buffer, 1, 1, 1, sid) == 0);
  CHECK(sion_key_full_scan(sid) == 0);
  sion_close(sid);
}

static void keys_are_listed_as_they_appear(void) {
  static const uint64_t written[] = {7, 3, 9, 3, 7, 100000, 1}, listed[] = {7, 3, 9, 100000, 1};
  int ntasks = 1, nfiles = 1, grank = 0, *ranks = &grank, number = 0;
  sion_int64 size = 4096, *chunks = &size;
  sion_int32 block = 512;
  uint64_t key = 0;
  int sid = sion_open("keys.sion", "bw,keyval=inline", &ntasks, &nfiles, &chunks, &block, &ranks, NULL);
  for (int k = 0; k < 7; ++k) CHECK(sion_fwrite_key(buffer, written[k], 8, 2, sid) == 2);
  CHECK(sion_close(sid) == 1);
  sid = sion_open_rank("keys.sion", "br,keyval=unknown", &size, &block, &grank, NULL);
  CHECK(sion_key_full_scan(sid) == 1 && sion_key_list_iterator_reset(sid) == 1);
  while (sion_key_list_iterator_next(sid, &key) == 1) {
    CHECK(number < 5 && key == listed[number]);
    ++number;
  }
  CHECK(number == 5 && sion_close(sid) == 1);
}

static void what_cannot_be_is_refused(void) {
  int ntasks = 1, nfiles = 1, grank = 0, *ranks = &grank;
  sion_int64 size = 100, *chunks = &size;
  sion_int32 block = 0;
  char name[3000];
  CHECK(sion_open("zero.sion", "bw", &ntasks, &nfiles, &chunks, &block, &ranks, NULL) == -1);
  block = 512;
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  CHECK(sion_open(name, "bw", &ntasks, &nfiles, &chunks, &block, &ranks, NULL) == -1);
  CHECK(sion_open("/no/such/folder/f", "bw", &ntasks, &nfiles, &chunks, &block, &ranks, NULL) == -1);
  CHECK(sion_open("no.sion", "bw", &ntasks, &nfiles, NULL, &block, &ranks, NULL) == -1);
  CHECK(sion_open(NULL, "bw", &ntasks, &nfiles, &chunks, &block, &ranks, NULL) == -1);
  CHECK(sion_open("no.sion", NULL, &ntasks, &nfiles, &chunks, &block, &ranks, NULL) == -1);
  nfiles = 2;
  CHECK(sion_open("no.sion", "bw", &ntasks, &nfiles, &chunks, &block, &ranks, NULL) == -1);
  nfiles = 1;
  size = -1;
  CHECK(sion_open("no.sion", "bw", &ntasks, &nfiles, &chunks, &block, &ranks, NULL) == -1);
  CHECK(open_vector("v17_unclosed.sion", "br", &ntasks, NULL) == -1);
  CHECK(open_vector("README.md", "br", &ntasks, NULL) == -1 && open_vector("not there", "br", &ntasks, NULL) == -1);
  CHECK(sion_flush(77) == 0 && sion_ensure_free_space(77, 1) == 0 && sion_get_position(77) == -1);
}

int main(int argc, char** argv) {
  folder = argc > 1 ? argv[1] : ".";
  handles_are_numbered_as_always();
  every_task_is_read("br");
  every_task_is_read("br,posix");
  positions_are_chosen();
  what_is_known_is_told();
  one_task_is_read_alone();
  streams_and_calls_mix();
  a_second_stream_takes_over();
  keys_are_written_and_read();
  keys_are_listed_as_they_appear();
  what_cannot_be_is_refused();
  if (failures == 0) printf("all is well\n");
  return failures != 0;
}
