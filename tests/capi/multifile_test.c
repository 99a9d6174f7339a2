// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles from C.
#include "check.h"

static void test_round_trip(const char* path) {
  lq_multifile_options options;
  CHECK_STATUS(lq_multifile_options_init(&options, sizeof options), LQ_OK);
  options.streams = 3;
  lq_multifile_writer* writer = NULL;
  CHECK_STATUS(lq_multifile_create(path, &options, &writer), LQ_OK);
  CHECK_STATUS(lq_multifile_write(writer, 0, "abc", 3), LQ_OK);
  CHECK_STATUS(lq_multifile_write(writer, 1, NULL, 0), LQ_OK);
  CHECK_STATUS(lq_multifile_write_text(writer, 2, "a line\n"), LQ_OK);
  CHECK_STATUS(lq_multifile_flush(writer, 2), LQ_OK);
  CHECK_STATUS(lq_multifile_write(writer, 3, "x", 1), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_multifile_write(writer, -1, "x", 1), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_multifile_write(writer, 0, NULL, 1), LQ_INVALID_ARGUMENT);
  int64_t task = -1;
  uint64_t bytes = 0;
  CHECK_STATUS(lq_multifile_stream(writer, 2, &task, &bytes), LQ_OK);
  CHECK(task == 2 && bytes == 7);
  CHECK_STATUS(lq_multifile_close(writer), LQ_OK);
  CHECK_STATUS(lq_multifile_close(writer), LQ_WRONG_STATE);
  lq_multifile_writer_free(writer);

  lq_multifile_reader* reader = NULL;
  CHECK_STATUS(lq_multifile_open(path, NULL, &reader), LQ_OK);
  CHECK(lq_multifile_tasks(reader) == 3);
  int64_t first = -1, count = -1;
  uint64_t begin = 1, window = 0;
  CHECK_STATUS(lq_multifile_share(reader, &first, &count, &begin, &window), LQ_OK);
  CHECK(first == 0 && count == 3 && begin == 0 && window == 10);
  char text[16] = {0};
  uint64_t done = 0;
  CHECK_STATUS(lq_multifile_read(reader, 2, 2, text, sizeof text, &done), LQ_OK);
  CHECK(done == 5 && memcmp(text, "line\n", 5) == 0);
  CHECK_STATUS(lq_multifile_read(reader, LQ_MULTIFILE_WINDOW, 1, text, 4, &done), LQ_OK);
  CHECK(done == 4 && memcmp(text, "bca ", 4) == 0);
  CHECK_STATUS(lq_multifile_size(reader, 1, &bytes), LQ_OK);
  CHECK(bytes == 0);
  CHECK_STATUS(lq_multifile_size(reader, 3, &bytes), LQ_INVALID_ARGUMENT);
  char* json = NULL;
  CHECK_STATUS(lq_multifile_info(reader, &json), LQ_OK);
  CHECK(strstr(json, "\"tasks\":3") != NULL);
  lq_text_free(json);
  lq_multifile_facts facts = {.struct_size = 0};
  CHECK_STATUS(lq_multifile_known(reader, &facts), LQ_INVALID_ARGUMENT);
  facts.struct_size = sizeof facts;
  CHECK_STATUS(lq_multifile_known(reader, &facts), LQ_OK);
  CHECK(facts.tasks == 3 && facts.bytes == 10 && facts.files == 1 && facts.fields == 0);
  CHECK(facts.has_records == 1 && facts.has_checksums == 1 && facts.compression == LQ_COMPRESSION_NONE);
  CHECK(facts.findings == 0);
  lq_multifile_reader_free(reader);
}

static void test_fields(const char* path) {
  const int64_t extents[2] = {4, 2};
  double numbers[8], back[8] = {0};
  for (int i = 0; i < 8; ++i) numbers[i] = 1.5 * i;
  lq_grid* grid = NULL;
  CHECK_STATUS(lq_grid_self(extents, 2, &grid), LQ_OK);
  lq_multifile_writer* writer = NULL;
  CHECK_STATUS(lq_multifile_create(path, NULL, &writer), LQ_OK);
  const lq_field field = lq_sites_f64(numbers, 1, 0);
  lq_write_options options;
  CHECK_STATUS(lq_write_options_init(&options, sizeof options), LQ_OK);
  char* report = NULL;
  options.report_json = &report;
  CHECK_STATUS(lq_multifile_write_field(writer, "heights", grid, field, &options), LQ_OK);
  CHECK(report != NULL && strstr(report, "\"bytes\":64") != NULL);
  lq_text_free(report);
  CHECK_STATUS(lq_multifile_write_field(writer, "heights", grid, field, NULL), LQ_EXISTS);
  CHECK_STATUS(lq_multifile_write_field(writer, "", grid, field, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_multifile_write_field(writer, NULL, grid, field, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_multifile_write_field(NULL, "x", grid, field, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_multifile_write_field(writer, "x", NULL, field, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_multifile_close(writer), LQ_OK);
  lq_multifile_writer_free(writer);

  lq_multifile_reader* reader = NULL;
  CHECK_STATUS(lq_multifile_open(path, NULL, &reader), LQ_OK);
  char* json = NULL;
  CHECK_STATUS(lq_multifile_fields(reader, &json), LQ_OK);
  CHECK(strstr(json, "\"name\":\"heights\"") != NULL && strstr(json, "\"processes\":[1,1]") != NULL);
  lq_text_free(json);
  CHECK_STATUS(lq_multifile_read_field(reader, "heights", grid, lq_sites_f64(back, 1, 0), NULL), LQ_OK);
  CHECK(memcmp(numbers, back, sizeof back) == 0);
  CHECK_STATUS(lq_multifile_read_field(reader, "depths", grid, lq_sites_f64(back, 1, 0), NULL), LQ_NO_SUCH_RECORD);
  CHECK_STATUS(lq_multifile_read_field(NULL, "heights", grid, lq_sites_f64(back, 1, 0), NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_multifile_fields(NULL, &json), LQ_INVALID_ARGUMENT);
  lq_multifile_reader_free(reader);
  lq_grid_free(grid);
  char fields[4200];
  snprintf(fields, sizeof fields, "%s.fields", path);
  CHECK(remove(fields) == 0);
}

static void test_append_and_verify(const char* path) {
  lq_multifile_writer* writer = NULL;
  CHECK_STATUS(lq_multifile_create(path, NULL, &writer), LQ_EXISTS);
  CHECK(writer == NULL);
  CHECK_STATUS(lq_multifile_append(path, NULL, &writer), LQ_OK);
  CHECK_STATUS(lq_multifile_write(writer, 0, "def", 3), LQ_OK);
  CHECK_STATUS(lq_multifile_flush(writer, 0), LQ_OK);
  lq_multifile_writer_free(writer);  // without close: as if the program had been killed
  lq_multifile_reader* reader = NULL;
  CHECK_STATUS(lq_multifile_open(path, NULL, &reader), LQ_TRUNCATED);
  char* json = NULL;
  lq_multifile_repair_options how;
  CHECK_STATUS(lq_multifile_repair_options_init(&how, sizeof how), LQ_OK);
  CHECK(how.overwrite == 0 && how.dry_run == 0);
  CHECK_STATUS(lq_multifile_repair_options_set(&how, "dry_run", "yes"), LQ_OK);
  CHECK_STATUS(lq_multifile_repair(path, NULL, &how, &json), LQ_OK);
  CHECK(strstr(json, "\"outcome\":\"recovered\"") != NULL);
  lq_text_free(json);
  CHECK_STATUS(lq_multifile_open(path, NULL, &reader), LQ_TRUNCATED);
  CHECK_STATUS(lq_multifile_repair(path, NULL, NULL, &json), LQ_OK);
  CHECK(strstr(json, "\"outcome\":\"recovered\"") != NULL);
  lq_text_free(json);
  int is_sound = 0;
  CHECK_STATUS(lq_multifile_verify(path, &is_sound, NULL), LQ_OK);
  CHECK(is_sound == 1);
  CHECK_STATUS(lq_multifile_open(path, NULL, &reader), LQ_OK);
  uint64_t bytes = 0;
  CHECK_STATUS(lq_multifile_size(reader, 0, &bytes), LQ_OK);
  CHECK(bytes == 6);
  lq_multifile_reader_free(reader);
}

static void test_wrong_arguments(void) {
  CHECK_STATUS(lq_multifile_create(NULL, NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_multifile_open("no/such.sion", NULL, NULL), LQ_INVALID_ARGUMENT);
  lq_multifile_reader* reader = NULL;
  CHECK_STATUS(lq_multifile_open("no/such.sion", NULL, &reader), LQ_NOT_FOUND);
  CHECK_STATUS(lq_multifile_write(NULL, 0, "x", 1), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_multifile_close(NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_multifile_repair(NULL, NULL, NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK(lq_multifile_tasks(NULL) == 0);
  lq_multifile_writer_free(NULL);
  lq_multifile_reader_free(NULL);
  lq_multifile_options options;
  lq_multifile_options_init(&options, sizeof options);
  options.compression = 7;
  lq_multifile_writer* writer = NULL;
  CHECK_STATUS(lq_multifile_create("x.sion", &options, &writer), LQ_INVALID_ARGUMENT);
}

int main(void) {
  char path[4096];
  const char* folder = getenv("LQ_TEST_FOLDER");
  snprintf(path, sizeof path, "%s/c.sion", folder != NULL ? folder : ".");
  remove(path);
  test_fields(path);
  remove(path);
  test_round_trip(path);
  test_append_and_verify(path);
  test_wrong_arguments();
  remove(path);
  return failures == 0 ? 0 : 1;
}
