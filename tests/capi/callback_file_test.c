// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file that functions of the program read, over the bytes of one that was written: the field and the verdict are the
// same.
#include <errno.h>

#include "check.h"

// Bytes of a file in memory, and what the functions were asked.
struct content {
  unsigned char* bytes;
  uint64_t count;
  int calls, frees;
  int64_t answer;  // instead of bytes, unless 0
  const char* reason;
};

static int64_t read_content(void* context, uint64_t offset, void* bytes, uint64_t count) {
  struct content* content = context;
  ++content->calls;
  if (content->answer != 0) return content->answer;
  if (offset >= content->count) return 0;
  if (count > content->count - offset) count = content->count - offset;
  memcpy(bytes, content->bytes + offset, count);
  return (int64_t)count;
}

static const char* tell(void* context) { return ((struct content*)context)->reason; }

static void note_free(void* context) { ++((struct content*)context)->frees; }

static lq_read_callbacks callbacks_of(struct content* content) {
  lq_read_callbacks callbacks = {.struct_size = sizeof callbacks, .bytes = content->count, .name = "conf.ildg"};
  callbacks.read_at = read_content;
  callbacks.failure = tell;
  callbacks.free = note_free;
  callbacks.context = content;
  return callbacks;
}

static struct content content_of(const char* path) {
  struct content content = {.count = 0};
  FILE* file = fopen(path, "rb");
  CHECK(file != NULL);
  if (file == NULL) return content;
  fseek(file, 0, SEEK_END);
  content.count = (uint64_t)ftell(file);
  content.bytes = malloc(content.count);
  rewind(file);
  CHECK(content.bytes != NULL && fread(content.bytes, 1, content.count, file) == content.count);
  fclose(file);
  return content;
}

static lq_grid* grid;
static double *u, *found;

static void what_reads_a_path_reads_a_callback_file(struct content* content) {
  const lq_read_callbacks callbacks = callbacks_of(content);
  lq_callback_file* file = NULL;
  CHECK_OK(lq_callback_file_create(&callbacks, &file));
  const char* path = lq_callback_file_path(file);
  CHECK(strstr(path, "/conf.ildg") != NULL);
  memset(found, 0, gauge_numbers * sizeof *found);
  CHECK_OK(lq_read(path, grid, lq_gauge_f64(found), NULL));
  CHECK(memcmp(u, found, gauge_numbers * sizeof *u) == 0);
  int is_sound = 0;
  CHECK_OK(lq_verify(path, NULL, &is_sound, NULL));
  CHECK(is_sound == 1 && content->calls > 0);
  lq_write_options options;
  CHECK_OK(lq_write_options_init(&options, sizeof options));
  options.overwrite = 1;
  CHECK_STATUS(lq_write(path, grid, lq_gauge_f64(u), &options), LQ_UNSUPPORTED);
  CHECK(content->frees == 0);
  lq_callback_file_free(file);
  CHECK(content->frees == 1);
}

static void failures_say_where_and_why(struct content* content) {
  const lq_read_callbacks callbacks = callbacks_of(content);
  lq_callback_file* file = NULL;
  CHECK_OK(lq_callback_file_create(&callbacks, &file));
  content->answer = -EIO;
  CHECK_STATUS(lq_read(lq_callback_file_path(file), grid, lq_gauge_f64(found), NULL), LQ_IO);
  CHECK(lq_error_errno() == EIO && strstr(lq_error_text(), "conf.ildg") && strstr(lq_error_text(), strerror(EIO)));
  content->answer = -1;
  content->reason = "the tape is torn";
  CHECK_STATUS(lq_read(lq_callback_file_path(file), grid, lq_gauge_f64(found), NULL), LQ_IO);
  CHECK(lq_error_errno() == 0 && strstr(lq_error_text(), "the tape is torn") != NULL && lq_error_offset() == 0);
  content->answer = INT64_MAX;  // more than was asked for
  CHECK_STATUS(lq_read(lq_callback_file_path(file), grid, lq_gauge_f64(found), NULL), LQ_IO);
  content->answer = 0;
  content->reason = NULL;
  lq_callback_file_free(file);
}

static void what_cannot_be_is_refused(struct content* content) {
  lq_callback_file* file = NULL;
  lq_read_callbacks callbacks = callbacks_of(content);
  CHECK_STATUS(lq_callback_file_create(NULL, &file), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_callback_file_create(&callbacks, NULL), LQ_INVALID_ARGUMENT);
  callbacks.name = "a/b";
  CHECK_STATUS(lq_callback_file_create(&callbacks, &file), LQ_INVALID_ARGUMENT);
  callbacks = callbacks_of(content);
  callbacks.read_at = NULL;
  CHECK_STATUS(lq_callback_file_create(&callbacks, &file), LQ_INVALID_ARGUMENT);
  callbacks = callbacks_of(content);
  callbacks.struct_size = 1;
  CHECK_STATUS(lq_callback_file_create(&callbacks, &file), LQ_INVALID_ARGUMENT);
  CHECK(content->frees == 2 && file == NULL && strcmp(lq_callback_file_path(NULL), "") == 0);
  lq_callback_file_free(NULL);
}

int main(void) {
  grid = grid_here();
  u = malloc(gauge_numbers * sizeof *u);
  found = malloc(gauge_numbers * sizeof *found);
  fill_links(u);
  const char* path = fresh("written.ildg");
  CHECK_OK(lq_write(path, grid, lq_gauge_f64(u), NULL));
  struct content content = content_of(path);
  what_reads_a_path_reads_a_callback_file(&content);
  failures_say_where_and_why(&content);
  what_cannot_be_is_refused(&content);
  free(content.bytes);
  free(found);
  free(u);
  lq_grid_free(grid);
  return failures != 0;
}
