// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields of every kind to a file and back, through memory and through callbacks.
#include "check.h"

static void grids_answer(void) {
  lq_grid* grid = grid_here();
  int64_t lower[4], extents[4], processes[4];
  CHECK(lq_grid_dimensions(grid) == 4);
  CHECK(lq_grid_volume(grid) == sites && lq_grid_local_volume(grid) == sites);
  CHECK(lq_grid_rank(grid) == 0 && lq_grid_size(grid) == 1);
  CHECK_OK(lq_grid_extents(grid, extents));
  CHECK(memcmp(extents, lattice, sizeof lattice) == 0);
  CHECK_OK(lq_grid_processes(grid, processes));
  CHECK(processes[0] == 1 && processes[3] == 1);
  memset(extents, 0, sizeof extents);
  CHECK_OK(lq_grid_local_box(grid, lower, extents));
  CHECK(lower[0] == 0 && lower[3] == 0 && memcmp(extents, lattice, sizeof lattice) == 0);
  lq_grid_free(grid);
}

// Writes `field`, reads into `back`, compares `bytes` bytes.
static void comes_back(const char* name, lq_field field, lq_field back, size_t bytes) {
  const char* path = fresh(name);
  lq_grid* grid = grid_here();
  memset(back.data, 0xff, bytes);
  CHECK_OK(lq_write(path, grid, field, NULL));
  CHECK_OK(lq_read(path, grid, back, NULL));
  CHECK(memcmp(field.data, back.data, bytes) == 0);
  lq_grid_free(grid);
}

static void double_precision_comes_back(void) {
  double *a = malloc(sites * 288 * sizeof *a), *b = calloc(sites * 288, sizeof *b);
  for (int i = 0; i < sites * 288; ++i) a[i] = 1.0 / (1 + i);
  comes_back("gauge.ildg", lq_gauge_f64(a), lq_gauge_f64(b), gauge_numbers * sizeof *a);
  comes_back("spinor.lime", lq_spinor_f64(a), lq_spinor_f64(b), spinor_numbers * sizeof *a);
  comes_back("propagator.lime", lq_propagator_f64(a), lq_propagator_f64(b), sites * 288 * sizeof *a);
  comes_back("complex.lime", lq_sites_f64(a, 6, 1), lq_sites_f64(b, 6, 1), sites * 6 * sizeof *a);
  comes_back("real.lime", lq_sites_f64(a, 5, 0), lq_sites_f64(b, 5, 0), sites * 5 * sizeof *a);
  free(a);
  free(b);
}

static void single_precision_comes_back(void) {
  float *a = malloc(sites * 288 * sizeof *a), *b = calloc(sites * 288, sizeof *b);
  for (int i = 0; i < sites * 288; ++i) a[i] = 1.0F / (float)(1 + i);
  comes_back("gauge32.ildg", lq_gauge_f32(a), lq_gauge_f32(b), gauge_numbers * sizeof *a);
  comes_back("spinor32.lime", lq_spinor_f32(a), lq_spinor_f32(b), spinor_numbers * sizeof *a);
  comes_back("propagator32.lime", lq_propagator_f32(a), lq_propagator_f32(b), sites * 288 * sizeof *a);
  comes_back("real32.lime", lq_sites_f32(a, 5, 0), lq_sites_f32(b, 5, 0), sites * 5 * sizeof *a);
  free(a);
  free(b);
}

static void options_are_obeyed(void) {
  const char* path = fresh("options.lime");
  lq_grid* grid = grid_here();
  double *u = new_links(), *back = malloc(gauge_numbers * sizeof *back);
  char* report = NULL;
  const lq_metadata metadata[1] = {{"xlf-info", "plaquette = 0.5"}};
  lq_write_options writing;
  CHECK_OK(lq_write_options_init(&writing, sizeof writing));
  writing.format = "ildg";
  writing.precision = LQ_SINGLE;
  writing.metadata = metadata;
  writing.metadata_count = 1;
  writing.verify = LQ_VERIFY_READ_BACK;
  writing.report_json = &report;
  CHECK_OK(lq_write(path, grid, lq_gauge_f64(u), &writing));
  CHECK(report != NULL && strstr(report, "\"precision\":\"single\"") != NULL);
  CHECK(strstr(report, "\"read_back\":true") != NULL);
  lq_text_free(report);

  CHECK_STATUS(lq_write(path, grid, lq_gauge_f64(u), NULL), LQ_EXISTS);
  writing.overwrite = 1;
  writing.precision = LQ_AS_IN_MEMORY;
  writing.report_json = NULL;
  CHECK_OK(lq_write(path, grid, lq_gauge_f64(u), &writing));

  lq_read_options reading;
  CHECK_OK(lq_read_options_init(&reading, sizeof reading));
  report = NULL;
  reading.report_json = &report;
  CHECK_OK(lq_read(path, grid, lq_gauge_f64(back), &reading));
  CHECK(report != NULL && strstr(report, "\"checksum_status\":\"ok\"") != NULL);
  CHECK(memcmp(u, back, gauge_numbers * sizeof *u) == 0);
  lq_text_free(report);
  free(u);
  free(back);
  lq_grid_free(grid);
}

static void a_region_is_read_alone(void) {
  const char* path = fresh("region.ildg");
  const int64_t lower[4] = {0, 0, 0, 2}, extents[4] = {4, 2, 3, 2};
  const size_t offset = 2 * 4 * 2 * 3 * 72, count = 2 * 4 * 2 * 3 * 72;  // time slices 2 and 3
  lq_grid *grid = grid_here(), *part = NULL;
  double *u = new_links(), *back = malloc(count * sizeof *back);
  CHECK_OK(lq_write(path, grid, lq_gauge_f64(u), NULL));
  CHECK_OK(lq_grid_self(extents, 4, &part));
  lq_read_options reading;
  CHECK_OK(lq_read_options_init(&reading, sizeof reading));
  reading.region_lower = lower;
  reading.region_extents = extents;
  reading.region_dimensions = 4;
  CHECK_OK(lq_read(path, part, lq_gauge_f64(back), &reading));
  CHECK(memcmp(u + offset, back, count * sizeof *u) == 0);
  free(u);
  free(back);
  lq_grid_free(part);
  lq_grid_free(grid);
}

// The application's own layout: each direction of links in a field of its own.
static double* link_of(double* fields, const int64_t* x, int mu) {
  const int64_t site = x[0] + 4 * (x[1] + 2 * (x[2] + 3 * x[3]));
  return fields + 18 * (mu * sites + site);
}
static void fetch_site(const int64_t* x, int dimensions, void* site, void* context) {
  for (int mu = 0; mu < dimensions; ++mu) {
    memcpy((double*)site + 18 * mu, link_of(context, x, mu), 18 * sizeof(double));
  }
}
static void store_site(const int64_t* x, int dimensions, const void* site, void* context) {
  for (int mu = 0; mu < dimensions; ++mu) {
    memcpy(link_of(context, x, mu), (const double*)site + 18 * mu, 18 * sizeof(double));
  }
}

static void callbacks_serve_any_layout(void) {
  const char* path = fresh("callbacks.ildg");
  lq_grid* grid = grid_here();
  double *apart = new_links(), *back = malloc(gauge_numbers * sizeof *back);
  double* natural = malloc(gauge_numbers * sizeof *natural);
  lq_field field = lq_gauge_f64(NULL);
  field.fetch = fetch_site;
  field.context = apart;
  CHECK_OK(lq_write(path, grid, field, NULL));
  field = lq_gauge_f64(NULL);
  field.store = store_site;
  field.context = back;
  CHECK_OK(lq_read(path, grid, field, NULL));
  CHECK(memcmp(apart, back, gauge_numbers * sizeof *back) == 0);

  CHECK_OK(lq_read(path, grid, lq_gauge_f64(natural), NULL));
  for (int l = 0; l < links; ++l) {
    const int mu = l % 4, site = l / 4;
    CHECK(memcmp(natural + 18 * l, apart + 18 * (mu * sites + site), 18 * sizeof(double)) == 0);
  }
  free(apart);
  free(back);
  free(natural);
  lq_grid_free(grid);
}

static void fetch_row(const int64_t* x, int dimensions, int axis, uint64_t row_sites, void* row, void* context) {
  int64_t at[4] = {x[0], x[1], x[2], x[3]};
  for (uint64_t k = 0; k < row_sites; ++k, ++at[axis]) fetch_site(at, dimensions, (double*)row + 72 * k, context);
}
static void store_row(const int64_t* x, int dimensions, int axis, uint64_t row_sites, const void* row, void* context) {
  int64_t at[4] = {x[0], x[1], x[2], x[3]};
  for (uint64_t k = 0; k < row_sites; ++k, ++at[axis]) store_site(at, dimensions, (const double*)row + 72 * k, context);
}

// The same memory by functions for rows, as one array described, and as four arrays described.
static void memory_is_described(void) {
  const char *by_rows = fresh("rows.ildg"), *described = fresh("described.ildg");
  lq_grid* grid = grid_here();
  double *apart = new_links(), *back = malloc(gauge_numbers * sizeof *back);
  lq_field field = lq_gauge_f64(NULL);
  field.fetch_rows = fetch_row;
  field.context = apart;
  CHECK_OK(lq_write(by_rows, grid, field, NULL));
  field.fetch_rows = NULL;
  field.store_rows = store_row;
  field.context = back;
  CHECK_OK(lq_read(by_rows, grid, field, NULL));
  CHECK(memcmp(apart, back, gauge_numbers * sizeof *back) == 0);

  field = lq_gauge_f64(apart);
  field.memory = "links=outermost";
  CHECK_OK(lq_write(described, grid, field, NULL));
  void* arrays[4];
  for (int mu = 0; mu < 4; ++mu) arrays[mu] = back + (size_t)18 * (size_t)mu * sites;
  memset(back, 0, gauge_numbers * sizeof *back);
  // [memory]
  field = lq_gauge_f64(arrays);  // of type void*[4]
  field.memory = "links=in-arrays";
  CHECK_OK(lq_read(described, grid, field, NULL));
  // [/memory]
  CHECK(memcmp(apart, back, gauge_numbers * sizeof *back) == 0);
  lq_pending* pending = NULL;
  CHECK_OK(lq_write_async(fresh("background.ildg"), grid, field, NULL, &pending));
  CHECK_OK(lq_pending_wait(pending, NULL));

  // The one array once more, by a table of the places of its links.
  uint64_t* table = malloc(4 * sites * sizeof *table);
  for (size_t l = 0; l < 4 * sites; ++l) table[l] = l % 4 * sites + l / 4;
  lq_places places = {table, 4 * sites};
  memset(back, 0, gauge_numbers * sizeof *back);
  field = lq_gauge_f64(back);
  field.memory = "places=of-links";
  field.context = &places;
  CHECK_OK(lq_read(described, grid, field, NULL));
  CHECK(memcmp(apart, back, gauge_numbers * sizeof *back) == 0);
  places.entries = sites;
  CHECK_STATUS(lq_read(described, grid, field, NULL), LQ_INVALID_ARGUMENT);
  field.context = NULL;
  CHECK_STATUS(lq_read(described, grid, field, NULL), LQ_INVALID_ARGUMENT);
  field.context = &places;
  field.memory = "milc";
  CHECK_STATUS(lq_read(described, grid, field, NULL), LQ_INVALID_ARGUMENT);
  CHECK(strstr(lq_error_text(), "does not state of what (places=)") != NULL);
  field.context = NULL;
  free(table);

  CHECK_OK(lq_memory_check("quda_native padding=4"));
  CHECK_STATUS(lq_memory_check("quda"), LQ_INVALID_ARGUMENT);
  CHECK(strstr(lq_error_text(), "quda_native") != NULL);
  CHECK_STATUS(lq_memory_check(NULL), LQ_INVALID_ARGUMENT);
  field.memory = "lanes=3,1,1,1";
  CHECK_STATUS(lq_write(fresh("never.ildg"), grid, field, NULL), LQ_INVALID_ARGUMENT);
  free(apart);
  free(back);
  lq_grid_free(grid);
}

// Integers beside a norm for each site become the numbers that they stand for.
static void memory_is_of_half_precision(void) {
  const char* half = fresh("half.scidac");
  lq_grid* grid = grid_here();
  const size_t numbers = 24 * sites;
  int16_t *integers = malloc(numbers * sizeof *integers), *back = calloc(numbers, sizeof *back);
  float *norms = malloc(sites * sizeof *norms), *norms_back = calloc(sites, sizeof *norms_back);
  float* plain = malloc(numbers * sizeof *plain);
  for (size_t i = 0; i < numbers; ++i) integers[i] = (int16_t)(i % 24 == 0 ? -32767 : (int)(i * 7919 % 65535) - 32767);
  for (size_t s = 0; s < sites; ++s) norms[s] = (float)(s + 1) / 4096;
  void* arrays[2] = {integers, norms};
  lq_field field = lq_spinor_f32(arrays);
  field.memory = "norms=in-array";
  CHECK_OK(lq_write(half, grid, field, NULL));
  CHECK_OK(lq_read(half, grid, lq_spinor_f32(plain), NULL));
  for (size_t i = 0; i < numbers; ++i) CHECK(plain[i] == (float)integers[i] * norms[i / 24]);
  arrays[0] = back;
  arrays[1] = norms_back;
  CHECK_OK(lq_read(half, grid, field, NULL));
  CHECK(memcmp(back, integers, numbers * sizeof *back) == 0);
  CHECK(memcmp(norms_back, norms, sites * sizeof *norms) == 0);
  field.precision = LQ_DOUBLE;
  CHECK_STATUS(lq_read(half, grid, field, NULL), LQ_INVALID_ARGUMENT);
  CHECK(strstr(lq_error_text(), "half precision") != NULL);
  int pointers = -1, has_norms = -1;
  CHECK_OK(lq_memory_arrays("quda_host norms=in-array", 4, &pointers, &has_norms));
  CHECK(pointers == 5 && has_norms == 1);
  CHECK_OK(lq_memory_arrays("milc", 4, &pointers, &has_norms));
  CHECK(pointers == 0 && has_norms == 0);
  CHECK_STATUS(lq_memory_arrays("milc", 4, NULL, &has_norms), LQ_INVALID_ARGUMENT);
  free(integers);
  free(back);
  free(norms);
  free(norms_back);
  free(plain);
  lq_grid_free(grid);
}

static void a_site_order_is_obeyed(void) {
  const char* path = fresh("order.ildg");
  const int t_first[4] = {3, 2, 1, 0};
  lq_grid* grid = grid_here();
  double *u = new_links(), *back = malloc(gauge_numbers * sizeof *back);
  lq_field field = lq_gauge_f64(u);
  field.order = t_first;
  field.order_length = 4;
  CHECK_OK(lq_write(path, grid, field, NULL));
  CHECK_OK(lq_read(path, grid, lq_gauge_f64(back), NULL));
  // Site x=1, others 0, is number 30 where t runs fastest, number 1 where x does.
  CHECK(memcmp(u + (size_t)30 * 72, back + (size_t)1 * 72, 72 * sizeof *u) == 0);
  free(u);
  free(back);
  lq_grid_free(grid);
}

static void keep_bytes(const void* data, uint64_t bytes, void* context) { strncat(context, data, bytes); }

static void a_writer_collects_fields_and_records(void) {
  const char* path = fresh("several.lime");
  lq_grid* grid = grid_here();
  double *u = new_links(), *back = malloc(spinor_numbers * sizeof *back);
  const lq_metadata source[1] = {{"source", "7"}};
  lq_writer* writer = NULL;
  char *report = NULL, note[64] = "";
  CHECK_OK(lq_writer_create(path, grid, NULL, &writer));
  CHECK_OK(lq_writer_write(writer, "first", lq_spinor_f64(u), source, 1, &report));
  CHECK(report != NULL && strstr(report, "\"first\"") != NULL);
  lq_text_free(report);
  CHECK_OK(lq_writer_write(writer, "second", lq_spinor_f64(u + spinor_numbers), NULL, 0, NULL));
  CHECK_OK(lq_writer_record(writer, "note", "hello", 5));
  CHECK_STATUS(lq_read(path, grid, lq_spinor_f64(back), NULL), LQ_NOT_FOUND);  // not complete yet
  CHECK_OK(lq_writer_close(writer));
  CHECK_STATUS(lq_writer_close(writer), LQ_WRONG_STATE);
  lq_writer_free(writer);

  lq_read_options reading;
  CHECK_OK(lq_read_options_init(&reading, sizeof reading));
  reading.index = 1;
  CHECK_OK(lq_read(path, grid, lq_spinor_f64(back), &reading));
  CHECK(memcmp(u + spinor_numbers, back, spinor_numbers * sizeof *back) == 0);
  CHECK_OK(lq_read_record(path, "note", 0, keep_bytes, note));
  CHECK(strcmp(note, "hello") == 0);
  CHECK_STATUS(lq_read_record(path, "note", 1, keep_bytes, note), LQ_NO_SUCH_RECORD);
  free(u);
  free(back);
  lq_grid_free(grid);
}

static void an_open_file_gives_fields_and_records(void) {
  const char* path = fresh("open.lime");
  lq_grid* grid = grid_here();
  double *u = new_links(), *back = malloc(spinor_numbers * sizeof *back);
  lq_writer* writer = NULL;
  lq_file* file = NULL;
  lq_pending* pending = NULL;
  char *json = NULL, *report = NULL, note[64] = "";
  CHECK_OK(lq_writer_create(path, grid, NULL, &writer));
  CHECK_OK(lq_writer_write(writer, "source", lq_spinor_f64(u), NULL, 0, NULL));
  CHECK_OK(lq_writer_write(writer, "source", lq_spinor_f64(u + spinor_numbers), NULL, 0, NULL));
  CHECK_OK(lq_writer_record(writer, "note", "hello", 5));
  CHECK_OK(lq_writer_close(writer));
  lq_writer_free(writer);

  CHECK_STATUS(lq_file_open("no/such.lime", NULL, &file), LQ_NOT_FOUND);
  CHECK_STATUS(lq_file_open(path, NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK_OK(lq_file_open(path, NULL, &file));
  CHECK_OK(lq_file_catalog(file, &json));
  CHECK(json != NULL && strstr(json, "\"source\"") != NULL);
  lq_text_free(json);
  lq_read_options reading;
  CHECK_OK(lq_read_options_init(&reading, sizeof reading));
  reading.field = "source";
  reading.index = 1;
  reading.report_json = &report;
  CHECK_OK(lq_file_read(file, grid, lq_spinor_f64(back), &reading));
  CHECK(memcmp(u + spinor_numbers, back, spinor_numbers * sizeof *back) == 0);
  CHECK(report != NULL && strstr(report, "open.lime") != NULL);
  lq_text_free(report);
  CHECK_OK(lq_file_read_record(file, "note", 0, keep_bytes, note));
  CHECK(strcmp(note, "hello") == 0);
  reading.index = 0;
  reading.report_json = NULL;
  CHECK_OK(lq_file_read_async(file, grid, lq_spinor_f64(back), &reading, &pending));
  lq_file_free(file);  // the transfer does not need it
  CHECK_OK(lq_pending_wait(pending, NULL));
  lq_pending_free(pending);
  CHECK(memcmp(u, back, spinor_numbers * sizeof *back) == 0);
  free(u);
  free(back);
  lq_grid_free(grid);
}

static void an_abandoned_writer_leaves_no_file(void) {
  const char* path = fresh("abandoned.lime");
  lq_grid* grid = grid_here();
  double* u = new_links();
  lq_writer* writer = NULL;
  CHECK_OK(lq_writer_create(path, grid, NULL, &writer));
  CHECK_OK(lq_writer_write(writer, "spinor", lq_spinor_f64(u), NULL, 0, NULL));
  lq_writer_free(writer);
  CHECK(fopen(path, "rb") == NULL);
  free(u);
  lq_grid_free(grid);
}

static void a_field_comes_region_by_region(void) {
  const char* path = fresh("regions.ildg");
  lq_grid* grid = grid_here();
  double *u = new_links(), *back = malloc(gauge_numbers * sizeof *back);
  lq_region_writer* writer = NULL;
  char* report = NULL;
  uint64_t missing = 0;
  const int64_t slice[4] = {lattice[0], lattice[1], lattice[2], 1};
  const int64_t slice_numbers = gauge_numbers / lattice[3];
  CHECK_OK(lq_region_writer_create(path, grid, lq_gauge_f64(NULL), NULL, &writer));
  for (int64_t t = lattice[3] - 1; t > 0; --t) {
    const int64_t lower[4] = {0, 0, 0, t};
    CHECK_OK(lq_region_writer_write(writer, lower, slice, lq_gauge_f64(u + t * slice_numbers)));
  }
  const int64_t origin[4] = {0, 0, 0, 0}, outside[4] = {0, 0, 0, lattice[3]};
  CHECK_STATUS(lq_region_writer_write(writer, outside, slice, lq_gauge_f64(u)), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_region_writer_write(writer, NULL, slice, lq_gauge_f64(u)), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_region_writer_write(writer, origin, slice, lq_gauge_f64(NULL)), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_region_writer_write(NULL, origin, slice, lq_gauge_f64(u)), LQ_INVALID_ARGUMENT);
  CHECK_OK(lq_region_writer_missing(writer, &missing));
  CHECK(missing == (uint64_t)(sites / lattice[3]));
  CHECK_STATUS(lq_region_writer_close(writer, &report), LQ_WRONG_STATE);
  CHECK(report == NULL && fopen(path, "rb") == NULL);
  CHECK_OK(lq_region_writer_write(writer, origin, slice, lq_gauge_f64(u)));
  CHECK_OK(lq_region_writer_close(writer, &report));
  CHECK(report != NULL && strstr(report, "\"format\":\"ildg\"") != NULL);
  lq_text_free(report);
  CHECK_STATUS(lq_region_writer_close(writer, NULL), LQ_WRONG_STATE);
  lq_region_writer_free(writer);
  lq_region_writer_free(NULL);
  CHECK_OK(lq_read(path, grid, lq_gauge_f64(back), NULL));
  CHECK(memcmp(u, back, gauge_numbers * sizeof *back) == 0);
  free(u);
  free(back);
  lq_grid_free(grid);
}

int main(void) {
  grids_answer();
  double_precision_comes_back();
  single_precision_comes_back();
  options_are_obeyed();
  a_region_is_read_alone();
  callbacks_serve_any_layout();
  memory_is_described();
  memory_is_of_half_precision();
  a_site_order_is_obeyed();
  a_writer_collects_fields_and_records();
  an_open_file_gives_fields_and_records();
  an_abandoned_writer_leaves_no_file();
  a_field_comes_region_by_region();
  return finish();
}
