// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Questions to files: answers arrive as JSON, verdicts as numbers.
#include <errno.h>

#include "check.h"

#define HAS(text, part) CHECK((text) != NULL && strstr(text, part) != NULL)

static lq_grid* grid;
static double* u;

static const char* written(const char* name) {
  const char* path = fresh(name);
  CHECK_OK(lq_write(path, grid, lq_gauge_f64(u), NULL));
  return path;
}

// Offset of the data, from the catalog: the "offset" of the field follows its "record".
static uint64_t payload_offset(const char* path) {
  char* json = NULL;
  CHECK_OK(lq_inspect(path, NULL, &json));
  const char* fields = strstr(json, "\"fields\":[{");
  const char* record = fields ? strstr(fields, "\"record\":") : NULL;
  const char* offset = record ? strstr(record, "\"offset\":") : NULL;
  CHECK(offset != NULL);
  const uint64_t result = offset ? strtoull(offset + strlen("\"offset\":"), NULL, 10) : 0;
  lq_text_free(json);
  return result;
}

static void inspection_lists_records_and_fields(void) {
  char* json = NULL;
  lq_scan_options options;
  CHECK_OK(lq_scan_options_init(&options, sizeof options));
  CHECK_OK(lq_inspect(written("inspect.ildg"), &options, &json));
  HAS(json, "\"format\":\"ildg\"");
  HAS(json, "\"ildg-binary-data\"");
  HAS(json, "\"lattice\":[4,2,3,5]");
  lq_text_free(json);
}

static void a_whole_file_is_sound(void) {
  char* json = NULL;
  int is_sound = -1;
  CHECK_OK(lq_verify(written("sound.ildg"), NULL, &is_sound, &json));
  CHECK(is_sound == 1);
  HAS(json, "\"ok\":true");
  lq_text_free(json);
}

static void what_is_wrong_is_told_in_words(void) {
  char* json = NULL;
  int is_ok = -1;
  lq_diagnose_options options;
  CHECK_OK(lq_diagnose_options_init(&options, sizeof options));
  CHECK(options.whole_bytes == (uint64_t)4 << 30 && options.seconds == 60 && options.lattice == NULL);
  CHECK_OK(lq_diagnose(written("diagnosed.ildg"), &options, &is_ok, &json));
  CHECK(is_ok == 1);
  HAS(json, "\"readings\":[{");
  lq_text_free(json);
  CHECK_OK(lq_diagnose_options_set(&options, "sums", "1/2"));
  CHECK_OK(lq_diagnose(written("diagnosed.ildg"), &options, &is_ok, &json));
  CHECK(is_ok == 0);
  HAS(json, "\"found\":false");
  lq_text_free(json);
  CHECK_STATUS(lq_diagnose(written("diagnosed.ildg"), NULL, NULL, NULL), LQ_INVALID_ARGUMENT);
}

static void count_calls(uint64_t done, uint64_t total, void* context) {
  CHECK(done <= total);
  ++*(int*)context;
}

static void ask_for_the_end(uint64_t done, uint64_t total, void* context) {
  CHECK(done <= total);
  ++*(int*)context;
  lq_stop();
}

static void a_function_ends_the_work(void) {
  const char* path = written("ended.ildg");
  int calls = 0, is_sound = -1;
  char* json = NULL;
  lq_verify_options options;
  CHECK_OK(lq_verify_options_init(&options, sizeof options));
  options.progress = ask_for_the_end;
  options.progress_context = &calls;
  lq_stop();  // asked by nobody's function
  CHECK_STATUS(lq_verify(path, &options, &is_sound, &json), LQ_IO);
  CHECK(lq_error_errno() == ECANCELED);
  HAS(lq_error_text(), "the application stopped the operation");
  CHECK(calls == 1);
  options.progress = count_calls;
  CHECK_OK(lq_verify(path, &options, &is_sound, &json));
  CHECK(is_sound == 1);
  lq_text_free(json);
}

static void a_damaged_file_is_an_answer(void) {
  char* json = NULL;
  int is_sound = -1, calls = 0;
  const char* path = written("damaged.ildg");
  flip_a_bit(path, payload_offset(path) + 7);
  lq_verify_options options;
  CHECK_OK(lq_verify_options_init(&options, sizeof options));
  options.physics = LQ_MEASURE_NEVER;
  options.progress = count_calls;
  options.progress_context = &calls;
  CHECK_OK(lq_verify(path, &options, &is_sound, &json));
  CHECK(is_sound == 0);
  CHECK(calls > 0);
  HAS(json, "\"checksum_status\":\"mismatch\"");
  HAS(json, "\"damaged_slices\":[0]");
  lq_text_free(json);
}

// Where there is no HDF5, the suffix is nobody's.
static void another_file_is_shown(void) {
  char* json = NULL;
  const char *from = written("shown.ildg"), *to = fresh("view.h5");
  CHECK_OK(lq_formats(&json));
  const int has_hdf5 = strstr(json, "\"hdf5\"") != NULL;
  lq_text_free(json);
  const lq_status status = lq_export_virtual(from, to, NULL);
  if (!has_hdf5) {
    CHECK(status == LQ_UNSUPPORTED);
    return;
  }
  CHECK_OK(status);
  CHECK_OK(lq_inspect(to, NULL, &json));
  HAS(json, "\"type\":\"/gauge\"");
  lq_text_free(json);
  CHECK(lq_export_virtual(from, to, NULL) == LQ_EXISTS);
}

static void conversion_changes_format_and_precision(void) {
  char* json = NULL;
  const char *from = written("convert.ildg"), *to = fresh("convert.lime");
  lq_write_options writing;
  CHECK_OK(lq_write_options_init(&writing, sizeof writing));
  writing.format = "scidac";
  writing.precision = LQ_SINGLE;
  lq_convert_options options;
  CHECK_OK(lq_convert_options_init(&options, sizeof options));
  options.write = &writing;
  options.dry_run = 1;
  CHECK_OK(lq_convert(from, to, &options, NULL));
  CHECK(fopen(to, "rb") == NULL);
  options.dry_run = 0;
  CHECK_OK(lq_convert(from, to, &options, &json));
  HAS(json, "\"format\":\"scidac\"");
  lq_text_free(json);

  int is_same = -1;
  lq_diff_options tolerant;
  CHECK_OK(lq_diff_options_init(&tolerant, sizeof tolerant));
  tolerant.tolerance = 1e-6;
  CHECK_OK(lq_diff(from, to, &tolerant, &is_same, &json));
  CHECK(is_same == 1);
  lq_text_free(json);
  CHECK_OK(lq_diff(from, to, NULL, &is_same, &json));
  CHECK(is_same == 0);
  HAS(json, "\"same\":false");
  lq_text_free(json);
}

static void rules_and_bytes_are_listed(void) {
  char* json = NULL;
  const char* path = written("rules.ildg");
  CHECK_OK(lq_validate(path, NULL, &json));
  CHECK(strcmp(json, "[]") == 0);
  lq_text_free(json);
  CHECK_OK(lq_explain(path, NULL, &json));
  HAS(json, "\"offset\":0,");
  HAS(json, "\"data_length\"");
  lq_text_free(json);
}

static void a_site_has_its_numbers(void) {
  const char* path = written("site.ildg");
  const int64_t x[4] = {1, 0, 2, 3};
  double numbers[72];
  uint64_t count = 0;
  CHECK_OK(lq_read_site(path, x, 4, NULL, NULL, 0, &count));
  CHECK(count == 72);
  CHECK_STATUS(lq_read_site(path, x, 4, NULL, numbers, 71, &count), LQ_INVALID_ARGUMENT);
  CHECK_OK(lq_read_site(path, x, 4, NULL, numbers, 72, &count));
  const size_t site = 1 + 4 * (0 + 2 * (2 + 3 * 3));
  CHECK(memcmp(numbers, u + 72 * site, sizeof numbers) == 0);
}

static void texts_replace_no_data(void) {
  const char* path = written("data.ildg");
  CHECK_STATUS(lq_require_replaceable(path, "a text"), LQ_INVALID_ARGUMENT);
  HAS(lq_error_text(), "a text must not replace it");
  CHECK(strcmp(lq_error_found(), "ildg") == 0);
  path = fresh("other");
  CHECK_OK(lq_require_replaceable(path, "a text"));
  put(path, "SQLite format 3");
  CHECK_STATUS(lq_require_replaceable(path, "a page"), LQ_INVALID_ARGUMENT);
  put(path, "a text");
  CHECK_OK(lq_require_replaceable(path, "a text"));
}

int main(void) {
  grid = grid_here();
  u = new_links();
  inspection_lists_records_and_fields();
  a_whole_file_is_sound();
  what_is_wrong_is_told_in_words();
  a_function_ends_the_work();
  a_damaged_file_is_an_answer();
  another_file_is_shown();
  conversion_changes_format_and_precision();
  rules_and_bytes_are_listed();
  a_site_has_its_numbers();
  texts_replace_no_data();
  free(u);
  lq_grid_free(grid);
  return finish();
}
