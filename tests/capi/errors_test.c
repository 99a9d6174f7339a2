// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last failure: what the accessors say, that success leaves it, that threads have their own.
#include <pthread.h>

#include "check.h"

static void nothing_is_known_before_a_failure(void) {
  CHECK(lq_error_code() == LQ_OK);
  CHECK(strcmp(lq_error_text(), "") == 0);
  CHECK(strcmp(lq_error_path(), "") == 0);
  CHECK(lq_error_offset() == -1);
  CHECK(lq_error_rank() == -1);
  CHECK(lq_error_errno() == 0);
  CHECK(strcmp(lq_error_json(), "{}") == 0);
}

static void a_missing_file_is_named(void) {
  char* json = NULL;
  const char* path = fresh("missing.ildg");
  CHECK_STATUS(lq_inspect(path, NULL, &json), LQ_NOT_FOUND);
  CHECK(json == NULL);
  CHECK(lq_error_code() == LQ_NOT_FOUND);
  CHECK(strstr(lq_error_text(), "missing.ildg") != NULL);
  CHECK(strcmp(lq_error_path(), path) == 0);
  CHECK(lq_error_errno() == 2);
  CHECK(strstr(lq_error_json(), "\"not_found\"") != NULL);
}

static void success_leaves_the_last_failure(void) {
  lq_grid* grid = NULL;
  CHECK_STATUS(lq_grid_self(NULL, 4, &grid), LQ_INVALID_ARGUMENT);
  lq_grid* other = grid_here();
  CHECK(lq_error_code() == LQ_INVALID_ARGUMENT);
  CHECK(strstr(lq_error_text(), "extents is NULL") != NULL);
  lq_grid_free(other);
}

static void damage_is_described_with_its_place(void) {
  const char* path = fresh("damaged.lime");
  lq_grid* grid = grid_here();
  double* u = new_links();
  CHECK_OK(lq_write(path, grid, lq_gauge_f64(u), NULL));
  FILE* file = fopen(path, "r+b");
  fseek(file, -(long)(sizeof(double) * gauge_numbers), SEEK_END);
  fputc(77, file);
  fclose(file);
  CHECK_STATUS(lq_read(path, grid, lq_gauge_f64(u), NULL), LQ_CHECKSUM_MISMATCH);
  CHECK(strlen(lq_error_record()) > 0);
  CHECK(strlen(lq_error_expected()) > 0);
  CHECK(strlen(lq_error_found()) > 0);
  CHECK(strcmp(lq_error_expected(), lq_error_found()) != 0);
  free(u);
  lq_grid_free(grid);
}

static void* look_from_another_thread(void* seen) {
  *(lq_status*)seen = lq_error_code();
  return NULL;
}

static void each_thread_has_its_own_failure(void) {
  CHECK_STATUS(lq_grid_self(lattice, 9, NULL), LQ_INVALID_ARGUMENT);
  lq_status seen = LQ_INTERNAL;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, look_from_another_thread, &seen) == 0);
  pthread_join(thread, NULL);
  CHECK(seen == LQ_OK);
  CHECK(lq_error_code() == LQ_INVALID_ARGUMENT);
}

static void statuses_have_names(void) {
  CHECK(strcmp(lq_status_name(LQ_OK), "ok") == 0);
  CHECK(strcmp(lq_status_name(LQ_NO_SPACE), "no_space") == 0);
  CHECK(strcmp(lq_status_name(LQ_CHECKSUM_MISMATCH), "checksum_mismatch") == 0);
}

static void the_version_is_that_of_the_header(void) {
  char version[64];
  snprintf(version, sizeof version, "%d.%d.%d", LQ_VERSION_MAJOR, LQ_VERSION_MINOR, LQ_VERSION_PATCH);
  CHECK(strcmp(lq_version(), version) == 0);
}

int main(void) {
  nothing_is_known_before_a_failure();
  a_missing_file_is_named();
  success_leaves_the_last_failure();
  damage_is_described_with_its_place();
  each_thread_has_its_own_failure();
  statuses_have_names();
  the_version_is_that_of_the_header();
  return finish();
}
