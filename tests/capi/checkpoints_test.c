// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Folders of checkpoints from C.
#include "check.h"

enum { numbers = 4 * 2 * 3 * 5 * 24 };

static double value_of(uint64_t step, int k) { return (double)step * 1000 + k; }

static void save(lq_checkpoints* folder, const lq_grid* grid, uint64_t step, int in_background) {
  static double psi[numbers];
  for (int k = 0; k < numbers; ++k) psi[k] = value_of(step, k);
  CHECK_OK(lq_checkpoints_add_stream(folder, "stream", 6));
  CHECK_OK(lq_checkpoints_add_stream(folder, NULL, 0));
  CHECK_OK(lq_checkpoints_add_field(folder, "psi", grid, lq_spinor_f64(psi), NULL));
  CHECK_OK(lq_checkpoints_add_state(folder, "step", &step, sizeof step));
  char* json = NULL;
  if (in_background) {
    CHECK_OK(lq_checkpoints_save_async(folder, step));
    int done = 0;
    while (!done) CHECK_OK(lq_checkpoints_test(folder, &done));
    CHECK_OK(lq_checkpoints_wait(folder, &json));
  } else {
    CHECK_OK(lq_checkpoints_save(folder, step, &json));
  }
  CHECK(strstr(json, "\"path\"") != NULL);
  lq_text_free(json);
}

static void test_round_trip(const char* path, const lq_grid* grid) {
  lq_checkpoints_options options;
  CHECK_OK(lq_checkpoints_options_init(&options, sizeof options));
  CHECK(options.keep == 2);
  CHECK_OK(lq_checkpoints_options_set(&options, "keep", "3"));
  lq_checkpoints *folder = NULL, *second = NULL;
  CHECK_OK(lq_checkpoints_open(path, &options, &folder));
  CHECK_STATUS(lq_checkpoints_open(path, &options, &second), LQ_WRONG_STATE);
  lq_checkpoint* newest = (lq_checkpoint*)path;
  CHECK_OK(lq_checkpoints_load_newest(folder, &newest));
  CHECK(newest == NULL);
  for (uint64_t step = 1; step <= 4; ++step) save(folder, grid, step, step % 2 == 0);
  char* json = NULL;
  CHECK_OK(lq_checkpoints_wait(folder, &json));
  CHECK(strcmp(json, "null") == 0);
  lq_text_free(json);

  CHECK_OK(lq_checkpoints_load_newest(folder, &newest));
  CHECK(lq_checkpoint_step(newest) == 4);
  static double psi[numbers];
  CHECK_OK(lq_checkpoint_read_field(newest, "psi", grid, lq_spinor_f64(psi), NULL));
  for (int k = 0; k < numbers; ++k) CHECK(psi[k] == value_of(4, k));
  CHECK_STATUS(lq_checkpoint_read_field(newest, "chi", grid, lq_spinor_f64(psi), NULL), LQ_NO_SUCH_RECORD);
  uint64_t step = 0, bytes = 0, length = 0;
  const void* state = NULL;
  CHECK_OK(lq_checkpoint_state(newest, "step", &state, &bytes));
  CHECK(bytes == sizeof step && memcmp(state, &(uint64_t){4}, sizeof step) == 0);
  CHECK_OK(lq_checkpoint_read_state(newest, "step", &step, sizeof step));
  CHECK(step == 4);
  CHECK_STATUS(lq_checkpoint_read_state(newest, "step", &step, 4), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_checkpoint_state(newest, "rng", &state, &bytes), LQ_NO_SUCH_RECORD);
  lq_multifile_reader* streams = NULL;
  CHECK_OK(lq_checkpoint_streams(newest, NULL, &streams));
  CHECK(lq_multifile_tasks(streams) == 2);
  char text[8] = {0};
  CHECK_OK(lq_multifile_read(streams, 0, 0, text, sizeof text, &length));
  CHECK(length == 6 && strcmp(text, "stream") == 0);
  lq_multifile_reader_free(streams);
  CHECK_OK(lq_checkpoint_info(newest, &json));
  CHECK(strstr(json, "\"fields\":[\"psi\"]") != NULL && strstr(json, "\"states\":[\"step\"]") != NULL);
  lq_text_free(json);

  CHECK_OK(lq_checkpoints_reject(folder, newest, "of no use"));
  lq_checkpoint_free(newest);
  CHECK_OK(lq_checkpoints_load_newest(folder, &newest));
  CHECK(lq_checkpoint_step(newest) == 3);
  lq_checkpoint_free(newest);
  CHECK_OK(lq_checkpoints_forget_marks(folder));
  CHECK_OK(lq_checkpoints_load_newest(folder, &newest));
  CHECK(lq_checkpoint_step(newest) == 4);
  lq_checkpoint_free(newest);
  CHECK_OK(lq_checkpoints_prune(folder, &json));
  CHECK(strcmp(json, "[]") == 0);
  lq_text_free(json);
  lq_checkpoints_free(folder);

  lq_checkpoint_list_options listing;
  CHECK_OK(lq_checkpoint_list_options_init(&listing, sizeof listing));
  CHECK_OK(lq_checkpoints_list(path, &listing, &json));
  CHECK(strstr(json, "\"valid\"") != NULL && strstr(json, "\"step\":4") != NULL && strstr(json, "\"step\":1") == NULL);
  lq_text_free(json);
}

static void test_arguments(const char* path, const lq_grid* grid) {
  lq_checkpoints* folder = NULL;
  CHECK_STATUS(lq_checkpoints_open(NULL, NULL, &folder), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_checkpoints_open(path, NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_checkpoints_open("/nowhere/at/all", NULL, &folder), LQ_NOT_FOUND);
  CHECK_OK(lq_checkpoints_open(path, NULL, &folder));
  CHECK_STATUS(lq_checkpoints_add_stream(folder, NULL, 1), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_checkpoints_add_field(folder, NULL, grid, lq_spinor_f64(NULL), NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_checkpoints_add_state(folder, "a", NULL, 1), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_checkpoints_save(NULL, 1, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_checkpoints_test(folder, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_checkpoints_list(NULL, NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK_OK(lq_checkpoints_add_state(folder, "a\tb", "x", 1));
  CHECK_STATUS(lq_checkpoints_save(folder, 1, NULL), LQ_INVALID_ARGUMENT);
  CHECK_OK(lq_checkpoints_add_state(folder, "a", "x", 1));
  CHECK_OK(lq_checkpoints_forget_added(folder));
  CHECK_OK(lq_checkpoints_save(folder, 1, NULL));
  lq_checkpoint* newest = NULL;
  CHECK_OK(lq_checkpoints_load_newest(folder, &newest));
  lq_multifile_reader* streams = NULL;
  CHECK_STATUS(lq_checkpoint_streams(newest, NULL, &streams), LQ_NO_SUCH_RECORD);
  lq_checkpoint_free(newest);
  lq_checkpoint_free(NULL);
  lq_checkpoints_free(folder);
  lq_checkpoints_free(NULL);
}

int main(void) {
  lq_grid* grid = NULL;
  CHECK_OK(lq_grid_self(lattice, 4, &grid));
  char first[1100], second[1100], clean[2400];
  snprintf(first, sizeof first, "%s/first", getenv("LQ_TEST_FOLDER"));
  snprintf(second, sizeof second, "%s/second", getenv("LQ_TEST_FOLDER"));
  snprintf(clean, sizeof clean, "rm -rf '%s' '%s'", first, second);
  CHECK(system(clean) == 0);
  test_round_trip(first, grid);
  test_arguments(second, grid);
  lq_grid_free(grid);
  return failures == 0 ? 0 : 1;
}
