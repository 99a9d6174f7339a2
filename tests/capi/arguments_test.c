// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong arguments: NULL is invalid_argument everywhere, freeing NULL is fine, and nothing is touched.
#include "check.h"

static void sink(const void* data, uint64_t bytes, void* context) { (void)data, (void)bytes, (void)context; }

#define REJECTED(call) CHECK_STATUS(call, LQ_INVALID_ARGUMENT)

static void freeing_null_is_fine(void) {
  lq_grid_free(NULL);
  lq_writer_free(NULL);
  lq_communicator_free(NULL);
  lq_text_free(NULL);
}

static void queries_of_null_answer_nothing(void) {
  CHECK(lq_grid_dimensions(NULL) == 0);
  CHECK(lq_grid_volume(NULL) == 0);
  CHECK(lq_grid_local_volume(NULL) == 0);
  CHECK(lq_grid_rank(NULL) == -1);
  CHECK(lq_grid_size(NULL) == 0);
}

static void grids_reject_null(void) {
  lq_grid* grid = NULL;
  int64_t some[8];
  REJECTED(lq_grid_create(NULL, 4, NULL, NULL, &grid));
  REJECTED(lq_grid_create(lattice, 4, NULL, NULL, NULL));
  lq_grid_options dealt;
  CHECK_OK(lq_grid_options_init(&dealt, sizeof dealt));
  dealt.axes = (const int[]){0, 1, 2, 3};
  REJECTED(lq_grid_create(lattice, 4, NULL, &dealt, &grid));
  dealt.axes = NULL;
  dealt.ranks = (const int[]){0};
  REJECTED(lq_grid_create(lattice, 4, NULL, &dealt, &grid));  // ranks without processes
  dealt.processes = (const int64_t[]){1 << 20, 1 << 20, 1, 1};
  REJECTED(lq_grid_create(lattice, 4, NULL, &dealt, &grid));  // the table is not read
  dealt.ranks = NULL;
  dealt.processes = (const int64_t[]){1, 1, 1, 1};
  dealt.coordinates = (const int64_t[]){0, 0, 1, 0};
  REJECTED(lq_grid_create(lattice, 4, NULL, &dealt, &grid));
  lq_communicator* communicator = NULL;
  lq_operations none = {.struct_size = sizeof none, .size = 1};
  REJECTED(lq_communicator_create(NULL, &communicator));
  REJECTED(lq_communicator_create(&none, &communicator));
  REJECTED(lq_communicator_create(&none, NULL));
  CHECK(communicator == NULL && lq_communicator_rank(NULL) == 0 && lq_communicator_size(NULL) == 1);
  REJECTED(lq_grid_self(NULL, 4, &grid));
  REJECTED(lq_grid_self(lattice, 4, NULL));
  REJECTED(lq_grid_self(lattice, 0, &grid));
  REJECTED(lq_grid_self(lattice, 9, &grid));
  CHECK(grid == NULL);
  grid = grid_here();
  REJECTED(lq_grid_extents(NULL, some));
  REJECTED(lq_grid_extents(grid, NULL));
  REJECTED(lq_grid_processes(NULL, some));
  REJECTED(lq_grid_processes(grid, NULL));
  REJECTED(lq_grid_local_box(NULL, some, some));
  REJECTED(lq_grid_local_box(grid, NULL, some));
  REJECTED(lq_grid_local_box(grid, some, NULL));
  lq_grid_free(grid);
}

static void transfers_reject_null(void) {
  lq_grid* grid = grid_here();
  double* u = new_links();
  const char* path = fresh("null.ildg");
  REJECTED(lq_write(NULL, grid, lq_gauge_f64(u), NULL));
  REJECTED(lq_write(path, NULL, lq_gauge_f64(u), NULL));
  REJECTED(lq_write(path, grid, lq_gauge_f64(NULL), NULL));
  REJECTED(lq_read(NULL, grid, lq_gauge_f64(u), NULL));
  REJECTED(lq_read(path, NULL, lq_gauge_f64(u), NULL));
  FILE* file = fopen(path, "rb");
  CHECK(file == NULL);
  free(u);
  lq_grid_free(grid);
}

static void writers_reject_null(void) {
  lq_grid* grid = grid_here();
  lq_writer* writer = NULL;
  double* u = new_links();
  REJECTED(lq_writer_create(NULL, grid, NULL, &writer));
  REJECTED(lq_writer_create(fresh("w.lime"), NULL, NULL, &writer));
  REJECTED(lq_writer_create(fresh("w.lime"), grid, NULL, NULL));
  CHECK_OK(lq_writer_create(fresh("w.lime"), grid, NULL, &writer));
  REJECTED(lq_writer_write(NULL, "gauge", lq_gauge_f64(u), NULL, 0, NULL));
  REJECTED(lq_writer_write(writer, NULL, lq_gauge_f64(u), NULL, 0, NULL));
  REJECTED(lq_writer_write(writer, "gauge", lq_gauge_f64(u), NULL, 1, NULL));
  REJECTED(lq_writer_record(NULL, "note", "x", 1));
  REJECTED(lq_writer_record(writer, NULL, "x", 1));
  REJECTED(lq_writer_record(writer, "note", NULL, 1));
  REJECTED(lq_writer_close(NULL));
  lq_writer_free(writer);
  free(u);
  lq_grid_free(grid);
}

static void questions_reject_null(void) {
  char* json = NULL;
  int yes = 7;
  uint64_t count = 7;
  const char* path = fresh("q.lime");
  REJECTED(lq_inspect(NULL, NULL, &json));
  REJECTED(lq_inspect(path, NULL, NULL));
  REJECTED(lq_verify(NULL, NULL, &yes, &json));
  REJECTED(lq_verify(path, NULL, NULL, &json));
  REJECTED(lq_convert(NULL, path, NULL, &json));
  REJECTED(lq_convert(path, NULL, NULL, &json));
  REJECTED(lq_export_virtual(NULL, path, NULL));
  REJECTED(lq_export_virtual(path, NULL, NULL));
  REJECTED(lq_diff(NULL, path, NULL, &yes, &json));
  REJECTED(lq_diff(path, NULL, NULL, &yes, &json));
  REJECTED(lq_diff(path, path, NULL, NULL, &json));
  REJECTED(lq_validate(NULL, NULL, &json));
  REJECTED(lq_validate(path, NULL, NULL));
  REJECTED(lq_explain(NULL, NULL, &json));
  REJECTED(lq_explain(path, NULL, NULL));
  REJECTED(lq_require_replaceable(NULL, "a text"));
  REJECTED(lq_require_replaceable(path, NULL));
  REJECTED(lq_read_record(NULL, "x", 0, sink, NULL));
  REJECTED(lq_read_record(path, NULL, 0, sink, NULL));
  REJECTED(lq_read_record(path, "x", 0, NULL, NULL));
  REJECTED(lq_read_site(NULL, lattice, 4, NULL, NULL, 0, &count));
  REJECTED(lq_read_site(path, NULL, 4, NULL, NULL, 0, &count));
  REJECTED(lq_read_site(path, lattice, 4, NULL, NULL, 3, &count));
  REJECTED(lq_read_site(path, lattice, 4, NULL, NULL, 0, NULL));
  CHECK(json == NULL && yes == 7 && count == 7);
}

static void physics_rejects_null(void) {
  lq_grid* grid = grid_here();
  double* u = new_links();
  double values[3];
  uint64_t count;
  char* json;
  REJECTED(lq_plaquette(NULL, lq_gauge_f64(u), values));
  REJECTED(lq_plaquette(grid, lq_gauge_f64(NULL), values));
  REJECTED(lq_plaquette(grid, lq_gauge_f64(u), NULL));
  REJECTED(lq_link_trace(NULL, lq_gauge_f64(u), values));
  REJECTED(lq_link_trace(grid, lq_gauge_f64(u), NULL));
  REJECTED(lq_unitarity(NULL, lq_gauge_f64(u), values));
  REJECTED(lq_unitarity(grid, lq_gauge_f64(u), NULL));
  REJECTED(lq_count_not_finite(NULL, lq_gauge_f64(u), &count));
  REJECTED(lq_count_not_finite(grid, lq_gauge_f64(u), NULL));
  REJECTED(lq_measure(NULL, lq_gauge_f64(u), &json));
  REJECTED(lq_measure(grid, lq_gauge_f64(u), NULL));
  REJECTED(lq_generate(NULL, lq_gauge_f64(u), NULL));
  REJECTED(lq_generate(grid, lq_gauge_f64(NULL), NULL));
  free(u);
  lq_grid_free(grid);
}

static void fields_that_cannot_be_are_rejected(void) {
  lq_grid* grid = grid_here();
  double* u = new_links();
  double values[3];
  lq_field field = lq_gauge_f64(u);
  field.kind = 4;
  REJECTED(lq_plaquette(grid, field, values));
  field = lq_gauge_f64(u);
  field.precision = 16;
  REJECTED(lq_plaquette(grid, field, values));
  field = lq_gauge_f64(u);
  field.colors = 1;
  REJECTED(lq_plaquette(grid, field, values));
  field = lq_gauge_f64(u);
  field.available = gauge_numbers - 1;
  REJECTED(lq_write(fresh("short.ildg"), grid, field, NULL));
  const int order[4] = {0, 1, 2, 2};
  field = lq_gauge_f64(u);
  field.order = order;
  field.order_length = 4;
  REJECTED(lq_write(fresh("order.ildg"), grid, field, NULL));
  field.order_length = 0;
  REJECTED(lq_write(fresh("order.ildg"), grid, field, NULL));
  REJECTED(lq_write(fresh("none.lime"), grid, lq_sites_f64(u, 0, 0), NULL));
  free(u);
  lq_grid_free(grid);
}

static void options_out_of_range_are_rejected(void) {
  lq_grid* grid = grid_here();
  double* u = new_links();
  const char* path = fresh("options.ildg");
  lq_write_options options;
  memset(&options, 0, sizeof options);
  REJECTED(lq_write(path, grid, lq_gauge_f64(u), &options));
  CHECK(strstr(lq_error_text(), "init") != NULL);
  lq_write_options_init(&options, sizeof options);
  options.precision = 16;
  REJECTED(lq_write(path, grid, lq_gauge_f64(u), &options));
  lq_write_options_init(&options, sizeof options);
  options.verify = 3;
  REJECTED(lq_write(path, grid, lq_gauge_f64(u), &options));
  lq_write_options_init(&options, sizeof options);
  options.sync = -1;
  REJECTED(lq_write(path, grid, lq_gauge_f64(u), &options));
  lq_read_options reading;
  lq_read_options_init(&reading, sizeof reading);
  reading.region_lower = lattice;
  REJECTED(lq_read(path, grid, lq_gauge_f64(u), &reading));
  free(u);
  lq_grid_free(grid);
}

// A struct of a later version: what this library does not know must be 0.
static void structs_may_grow(void) {
  struct {
    lq_generate_options known;
    uint64_t new_member;
  } later;
  lq_grid* grid = grid_here();
  double* u = new_links();
  CHECK_OK(lq_generate_options_init(&later.known, sizeof later));
  CHECK(later.known.struct_size == sizeof later && later.new_member == 0);
  CHECK(later.known.beta == 6.0 && later.known.over_relaxation == 3 && later.known.seed == 1);
  later.known.sweeps = 1;
  CHECK_OK(lq_generate(grid, lq_gauge_f64(u), &later.known));
  later.new_member = 1;
  CHECK_STATUS(lq_generate(grid, lq_gauge_f64(u), &later.known), LQ_UNSUPPORTED);
  REJECTED(lq_generate_options_init(NULL, sizeof later));
  REJECTED(lq_generate_options_init(&later.known, 0));
  free(u);
  lq_grid_free(grid);
}

int main(void) {
  freeing_null_is_fine();
  queries_of_null_answer_nothing();
  grids_reject_null();
  transfers_reject_null();
  writers_reject_null();
  questions_reject_null();
  physics_rejects_null();
  fields_that_cannot_be_are_rejected();
  options_out_of_range_are_rejected();
  structs_may_grow();
  return finish();
}
