// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file squeezed and restored, with the options of that.
#include "check.h"

static long bytes_of(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return -1;
  fseek(file, 0, SEEK_END);
  const long bytes = ftell(file);
  fclose(file);
  return bytes;
}

static int is_same(const char* a, const char* b) {
  FILE* one = fopen(a, "rb");
  FILE* two = fopen(b, "rb");
  int same = one != NULL && two != NULL;
  for (int c = 0; same && c != EOF;) {
    c = fgetc(one);
    same = c == fgetc(two);
  }
  if (one != NULL) fclose(one);
  if (two != NULL) fclose(two);
  return same;
}

static void files_come_back(void) {
  const char *conf = fresh("conf.ildg"), *archive = fresh("conf.sqz"), *back = fresh("back.ildg");
  lq_generate_options how;
  CHECK_OK(lq_generate_options_init(&how, sizeof how));
  CHECK_OK(lq_generate_options_set(&how, "sweeps", "1"));
  CHECK_OK(lq_generate_options_set(&how, "hot_start", "yes"));
  static const int64_t extents[4] = {4, 4, 4, 4};
  static double u[4 * 4 * 4 * 4 * 72];
  lq_grid* grid = NULL;
  CHECK_OK(lq_grid_self(extents, 4, &grid));
  CHECK_OK(lq_generate(grid, lq_gauge_f64(u), &how));
  CHECK_OK(lq_write(conf, grid, lq_gauge_f64(u), NULL));
  lq_grid_free(grid);

  lq_squeeze_options options;
  CHECK_OK(lq_squeeze_options_init(&options, sizeof options));
  CHECK(options.verify == LQ_VERIFY_CHECKSUM && options.sync == LQ_SYNC_FULL && options.overwrite == 0);
  CHECK_STATUS(lq_squeeze_options_set(&options, "level", "9"), LQ_INVALID_ARGUMENT);
  CHECK_OK(lq_squeeze_options_set(&options, "verify", "read-back"));
  char* json = NULL;
  CHECK_OK(lq_squeeze(conf, archive, &options, &json));
  CHECK(json != NULL && strstr(json, "\"format\":\"ildg\"") != NULL);
  lq_text_free(json);
  CHECK(bytes_of(archive) > 0 && bytes_of(archive) < bytes_of(conf) / 2);
  CHECK_OK(lq_unsqueeze(archive, back, NULL, NULL));
  CHECK(is_same(conf, back));
  CHECK_STATUS(lq_unsqueeze(archive, back, NULL, NULL), LQ_EXISTS);
  CHECK_STATUS(lq_squeeze(NULL, archive, NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_unsqueeze(conf, fresh("none"), NULL, NULL), LQ_UNSUPPORTED);
}

int main(void) {
  files_come_back();
  return finish();
}
