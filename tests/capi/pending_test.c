// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Strategies, transfers in the background, and plans, against the same transfers in the foreground.
#include <stddef.h>

#include "check.h"

static char* contents(const char* path, size_t* bytes) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return NULL;
  char* all = malloc(1 << 20);
  *bytes = fread(all, 1, 1 << 20, file);
  fclose(file);
  return all;
}

static int same_bytes(const char* a, const char* b) {
  size_t na = 0, nb = 0;
  char *in_a = contents(a, &na), *in_b = contents(b, &nb);
  const int same = in_a != NULL && in_b != NULL && na == nb && na > 0 && memcmp(in_a, in_b, na) == 0;
  free(in_a);
  free(in_b);
  return same;
}

static int is_there(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file != NULL) fclose(file);
  return file != NULL;
}

static void strategies_are_obeyed(void) {
  static const char* const names[] = {NULL, "\"strategy\":\"direct\"", "\"strategy\":\"shared\"",
                                      "\"strategy\":\"pull\"", "\"strategy\":\"messages\""};
  const char *plain = fresh("plain.ildg"), *path = fresh("strategy.ildg");
  lq_grid* grid = grid_here();
  double *u = new_links(), *back = malloc(gauge_numbers * sizeof *back);
  CHECK_OK(lq_write(plain, grid, lq_gauge_f64(u), NULL));
  for (int strategy = LQ_DIRECT; strategy <= LQ_MESSAGES; ++strategy) {
    char *report = NULL, *read_report = NULL;
    lq_write_options writing;
    CHECK_OK(lq_write_options_init(&writing, sizeof writing));
    CHECK(writing.strategy == LQ_AUTO && writing.memory_bytes == 0);
    writing.overwrite = 1;
    writing.strategy = strategy;
    writing.chunk_bytes = 8192;
    writing.alignment = 4096;
    writing.report_json = &report;
    CHECK_OK(lq_write(path, grid, lq_gauge_f64(u), &writing));
    CHECK(report != NULL && strstr(report, names[strategy]) != NULL);
    CHECK(same_bytes(plain, path));
    lq_read_options reading;
    CHECK_OK(lq_read_options_init(&reading, sizeof reading));
    reading.strategy = strategy;
    reading.report_json = &read_report;
    memset(back, 0, gauge_numbers * sizeof *back);
    CHECK_OK(lq_read(path, grid, lq_gauge_f64(back), &reading));
    CHECK(read_report != NULL && strstr(read_report, names[strategy]) != NULL);
    CHECK(memcmp(u, back, gauge_numbers * sizeof *u) == 0);
    lq_text_free(report);
    lq_text_free(read_report);
  }
  free(u);
  free(back);
  lq_grid_free(grid);
}

static void impossible_routes_are_rejected(void) {
  lq_grid* grid = grid_here();
  double* u = new_links();
  lq_write_options writing;
  lq_read_options reading;
  CHECK_OK(lq_write_options_init(&writing, sizeof writing));
  writing.strategy = LQ_MESSAGES + 1;
  CHECK_STATUS(lq_write(fresh("no.ildg"), grid, lq_gauge_f64(u), &writing), LQ_INVALID_ARGUMENT);
  CHECK_OK(lq_read_options_init(&reading, sizeof reading));
  reading.strategy = -1;
  CHECK_STATUS(lq_read(fresh("no.ildg"), grid, lq_gauge_f64(u), &reading), LQ_INVALID_ARGUMENT);
  free(u);
  lq_grid_free(grid);
}

// Programs that were compiled when the structs ended with report_json.
static void older_structs_have_the_defaults(void) {
  lq_grid* grid = grid_here();
  double* u = new_links();
  struct {
    lq_write_options options;
    uint64_t sentinel;
  } old;
  memset(&old, 0xff, sizeof old);
  const size_t old_size = offsetof(lq_write_options, strategy);
  CHECK_OK(lq_write_options_init(&old.options, old_size));
  CHECK(old.options.strategy == -1 && old.sentinel == UINT64_MAX);
  CHECK_OK(lq_write(fresh("old.ildg"), grid, lq_gauge_f64(u), &old.options));
  lq_read_options reading;
  memset(&reading, 0xff, sizeof reading);
  CHECK_OK(lq_read_options_init(&reading, offsetof(lq_read_options, strategy)));
  CHECK(reading.strategy == -1);
  free(u);
  lq_grid_free(grid);
}

static void several_transfers_are_in_flight(void) {
  const char *plain = fresh("fore.ildg"), *path = fresh("back.ildg");
  lq_grid *grid = grid_here(), *short_lived = grid_here();
  double *u = new_links(), *back = malloc(gauge_numbers * sizeof *back);
  char* report = NULL;
  int done = 0;
  lq_pending *writing = NULL, *reading = NULL;
  CHECK_OK(lq_write(plain, grid, lq_gauge_f64(u), NULL));
  CHECK_OK(lq_write_async(path, short_lived, lq_gauge_f64(u), NULL, &writing));
  CHECK_OK(lq_read_async(plain, short_lived, lq_gauge_f64(back), NULL, &reading));
  lq_grid_free(short_lived);
  while (done == 0) CHECK_OK(lq_pending_test(writing, &done));
  CHECK(!is_there(path));  // it appears when it is waited for
  CHECK_OK(lq_pending_wait(writing, &report));
  CHECK(report != NULL && strstr(report, "\"direction\":\"write\"") != NULL);
  CHECK(same_bytes(plain, path));
  lq_text_free(report);
  CHECK_OK(lq_pending_wait(reading, NULL));
  CHECK(memcmp(u, back, gauge_numbers * sizeof *u) == 0);
  CHECK_STATUS(lq_pending_wait(reading, NULL), LQ_WRONG_STATE);
  CHECK_STATUS(lq_pending_test(reading, &done), LQ_WRONG_STATE);
  CHECK_STATUS(lq_pending_cancel(reading), LQ_WRONG_STATE);
  lq_pending_free(writing);
  lq_pending_free(reading);
  free(u);
  free(back);
  lq_grid_free(grid);
}

static void fetch_from(const int64_t* x, int dimensions, void* site, void* context) {
  (void)dimensions;
  const int64_t number = x[0] + 4 * (x[1] + 2 * (x[2] + 3 * x[3]));
  memcpy(site, (const double*)context + 72 * number, 72 * sizeof(double));
}

static void callbacks_serve_in_the_background(void) {
  const char *plain = fresh("fore2.ildg"), *path = fresh("fetched.ildg");
  lq_grid* grid = grid_here();
  double* u = new_links();
  lq_pending* pending = NULL;
  CHECK_OK(lq_write(plain, grid, lq_gauge_f64(u), NULL));
  lq_field field = lq_gauge_f64(NULL);
  field.fetch = fetch_from;
  field.context = u;
  CHECK_OK(lq_write_async(path, grid, field, NULL, &pending));
  CHECK_OK(lq_pending_wait(pending, NULL));
  CHECK(same_bytes(plain, path));
  lq_pending_free(pending);
  free(u);
  lq_grid_free(grid);
}

static void cancelled_writes_leave_no_file(void) {
  const char *cancelled = fresh("cancelled.ildg"), *freed = fresh("freed.ildg");
  lq_grid* grid = grid_here();
  double* u = new_links();
  lq_pending* pending = NULL;
  CHECK_OK(lq_write_async(cancelled, grid, lq_gauge_f64(u), NULL, &pending));
  CHECK_OK(lq_pending_cancel(pending));
  CHECK_STATUS(lq_pending_wait(pending, NULL), LQ_WRONG_STATE);
  lq_pending_free(pending);
  CHECK_OK(lq_write_async(freed, grid, lq_gauge_f64(u), NULL, &pending));
  lq_pending_free(pending);
  CHECK(!is_there(cancelled) && !is_there(freed));
  CHECK_OK(lq_write(freed, grid, lq_gauge_f64(u), NULL));
  free(u);
  lq_grid_free(grid);
}

static void errors_come_when_they_are_known(void) {
  lq_grid* grid = grid_here();
  double* u = new_links();
  lq_pending* pending = NULL;
  int done = 0;
  CHECK_STATUS(lq_read_async(fresh("absent.ildg"), grid, lq_gauge_f64(u), NULL, &pending), LQ_NOT_FOUND);
  CHECK_STATUS(lq_write_async(NULL, grid, lq_gauge_f64(u), NULL, &pending), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_write_async(fresh("n.ildg"), NULL, lq_gauge_f64(u), NULL, &pending), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_write_async(fresh("n.ildg"), grid, lq_gauge_f64(NULL), NULL, &pending), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_write_async(fresh("n.ildg"), grid, lq_gauge_f64(u), NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_read_async(fresh("n.ildg"), grid, lq_gauge_f64(u), NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK(pending == NULL);
  CHECK_STATUS(lq_pending_test(NULL, &done), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_pending_wait(NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_pending_cancel(NULL), LQ_INVALID_ARGUMENT);
  lq_pending_free(NULL);

  const char* path = fresh("damaged.ildg");
  CHECK_OK(lq_write(path, grid, lq_gauge_f64(u), NULL));
  FILE* file = fopen(path, "r+b");
  fseek(file, 20000, SEEK_SET);
  fputc('x', file);
  fclose(file);
  CHECK_OK(lq_read_async(path, grid, lq_gauge_f64(u), NULL, &pending));
  CHECK_STATUS(lq_pending_wait(pending, NULL), LQ_CHECKSUM_MISMATCH);
  lq_pending_free(pending);
  free(u);
  lq_grid_free(grid);
}

static void plans_are_made_for_any_number_of_ranks(void) {
  const int64_t large[4] = {256, 256, 256, 512}, processes[4] = {16, 16, 16, 32};
  char* json = NULL;
  lq_plan_options options;
  CHECK_OK(lq_plan_options_init(&options, sizeof options));
  CHECK(options.checksum == 1 && options.reading == 0 && options.strategy == LQ_AUTO);
  options.strategy = LQ_DIRECT;
  options.folder = getenv("LQ_TEST_FOLDER");
  CHECK_OK(lq_plan(large, processes, 4, lq_gauge_f64(NULL), &options, &json));
  CHECK(json != NULL && strstr(json, "\"direct\"") != NULL);
  CHECK(json != NULL && strstr(json, "131072") != NULL);         // ranks
  CHECK(json != NULL && strstr(json, "4947802324992") != NULL);  // bytes: 256^3 x 512 sites of 576
  lq_text_free(json);
  json = NULL;
  options.strategy = 5;
  CHECK_STATUS(lq_plan(large, processes, 4, lq_gauge_f64(NULL), &options, &json), LQ_INVALID_ARGUMENT);
  options.strategy = LQ_AUTO;
  options.profile = "/no/such/profile.toml";
  CHECK_STATUS(lq_plan(large, processes, 4, lq_gauge_f64(NULL), &options, &json), LQ_NOT_FOUND);
  CHECK_STATUS(lq_plan(NULL, processes, 4, lq_gauge_f64(NULL), NULL, &json), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_plan(large, NULL, 4, lq_gauge_f64(NULL), NULL, &json), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_plan(large, processes, 4, lq_gauge_f64(NULL), NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK(json == NULL);
}

int main(void) {
  strategies_are_obeyed();
  impossible_routes_are_rejected();
  older_structs_have_the_defaults();
  several_transfers_are_in_flight();
  callbacks_serve_in_the_background();
  cancelled_writes_leave_no_file();
  errors_come_when_they_are_known();
  plans_are_made_for_any_number_of_ranks();
  return finish();
}
