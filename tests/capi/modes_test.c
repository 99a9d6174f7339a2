// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of modes: described, written, added to, read at once and in the background, converted.
#include <math.h>

#include "check.h"

static lq_modes_description described(void) {
  static const lq_modes_parameter parameters[4] = {{"kappa", LQ_MODES_REAL, 0, 0.125, 0, NULL},
                                                   {"steps", LQ_MODES_INTEGER, -30, 0, 0, NULL},
                                                   {"shift", LQ_MODES_COMPLEX, 0, 1, -2, NULL},
                                                   {"solver", LQ_MODES_TEXT, 0, 0, 0, "Lanczos"}};
  lq_modes_description description;
  CHECK_OK(lq_modes_description_init(&description, sizeof description));
  description.dimensions = 4;
  memcpy(description.lattice, lattice, sizeof lattice);
  description.operator_name = "hermitian Wilson";
  description.parameters = parameters;
  description.parameter_count = 4;
  description.room = 2;
  return description;
}

static void fill(double* vector, int k) {
  for (int i = 0; i < spinor_numbers; ++i) vector[i] = k + i / 4096.0;
}

// A set stays until the one that replaces it has a mode, or is closed.
static void a_set_is_replaced(void) {
  static double vector[spinor_numbers];
  const char* path = fresh("replaced.modes");
  const lq_mode mode = {1, 0, 0};
  lq_grid* grid = grid_here();
  lq_modes_description description = described();
  lq_modes_writer *writer = NULL, *other = NULL;
  lq_modes* set = NULL;
  lq_write_options options;
  CHECK_OK(lq_write_options_init(&options, sizeof options));
  options.overwrite = 1;
  for (int round = 0; round < 3; ++round) {
    CHECK_OK(lq_modes_create(path, grid, &description, &options, &writer));
    CHECK_STATUS(lq_modes_create(path, grid, &description, &options, &other), LQ_IO);
    if (round == 0) {
      fill(vector, 0);
      CHECK_OK(lq_modes_writer_append(writer, lq_spinor_f64(vector), &mode, NULL));
    }
    if (round == 2) CHECK_OK(lq_modes_writer_close(writer));
    lq_modes_writer_free(writer);
    CHECK_OK(lq_modes_open(path, NULL, &set));
    CHECK(lq_modes_size(set) == (round == 2 ? 0 : 1));
    lq_modes_free(set);
  }
  lq_grid_free(grid);
}

static void vectors_come_back(void) {
  static double vector[spinor_numbers], back[spinor_numbers], later[spinor_numbers];
  const char* path = fresh("low.modes");
  lq_grid* grid = grid_here();
  lq_modes_description description = described(), known;
  lq_modes_writer* writer = NULL;
  lq_modes* set = NULL;
  lq_pending* pending = NULL;
  CHECK_OK(lq_modes_create(path, grid, &description, NULL, &writer));
  for (int k = 0; k < 5; ++k) {
    const lq_mode mode = {0.5 + k, k == 3 ? -1 : 0, k == 2 ? -1 : 1e-9 * k};
    fill(vector, k);
    CHECK_OK(lq_modes_writer_append(writer, lq_spinor_f64(vector), &mode, NULL));
  }
  CHECK(lq_modes_writer_size(writer) == 5);
  lq_modes_writer_free(writer);
  CHECK_STATUS(lq_modes_create(path, grid, &description, NULL, &writer), LQ_EXISTS);
  CHECK_OK(lq_modes_append(path, grid, NULL, &writer));
  {
    const lq_mode mode = {5.5, 0, 0};
    fill(vector, 5);
    CHECK_OK(lq_modes_writer_append(writer, lq_spinor_f64(vector), &mode, NULL));
  }
  lq_modes_writer_free(writer);

  CHECK_OK(lq_modes_open(path, NULL, &set));
  CHECK(lq_modes_size(set) == 6);
  known.struct_size = sizeof known;
  CHECK_OK(lq_modes_known(set, &known));
  CHECK(known.dimensions == 4 && known.lattice[3] == 5 && known.kind == LQ_SPINOR && known.numbers == 24);
  CHECK(known.storage == LQ_MODES_DOUBLE && known.ls == 1 && known.room == 2 && known.parameter_count == 4);
  CHECK(strcmp(known.operator_name, "hermitian Wilson") == 0);
  CHECK(known.parameters[0].re == 0.125 && known.parameters[1].integer == -30 && known.parameters[2].im == -2);
  CHECK(strcmp(known.parameters[3].text, "Lanczos") == 0);
  for (int k = 5; k >= 0; --k) {
    lq_mode mode;
    CHECK_OK(lq_modes_mode(set, (uint64_t)k, &mode));
    CHECK(mode.eigenvalue_re == 0.5 + k && mode.eigenvalue_im == (k == 3 ? -1 : 0));
    CHECK(k == 2 ? mode.residual < 0 : k == 5 || mode.residual == 1e-9 * k);
    fill(vector, k);
    CHECK_OK(lq_modes_read(set, (uint64_t)k, grid, lq_spinor_f64(back), NULL));
    CHECK(memcmp(vector, back, sizeof vector) == 0);
  }
  CHECK_OK(lq_modes_read_async(set, 4, grid, lq_spinor_f64(later), NULL, &pending));
  CHECK_STATUS(lq_modes_read(set, 6, grid, lq_spinor_f64(back), NULL), LQ_NO_SUCH_RECORD);
  CHECK_OK(lq_pending_wait(pending, NULL));
  lq_pending_free(pending);
  fill(vector, 4);
  CHECK(memcmp(vector, later, sizeof vector) == 0);
  lq_modes_free(set);
  lq_grid_free(grid);
}

static void at_once_and_in_fixed_point(void) {
  static double first[spinor_numbers], second[spinor_numbers], back[spinor_numbers];
  char small[512];
  const char* path = fresh("once.modes");
  lq_grid* grid = grid_here();
  lq_modes_description description = described();
  const lq_mode modes[2] = {{1, 0, 0.5}, {2, 0, 0.25}};
  lq_field vectors[2];
  lq_modes* set = NULL;
  fill(first, 0);
  fill(second, 1);
  vectors[0] = lq_spinor_f64(first);
  vectors[1] = lq_spinor_f64(second);
  CHECK_OK(lq_modes_write(path, grid, &description, vectors, modes, 2, NULL));
  snprintf(small, sizeof small, "%s", fresh("small.modes"));
  CHECK_OK(lq_modes_convert(path, small, LQ_MODES_FIXED16, 1, UINT64_MAX, 0, NULL));
  CHECK_OK(lq_modes_open(small, NULL, &set));
  CHECK(lq_modes_size(set) == 1);
  CHECK_OK(lq_modes_read(set, 0, grid, lq_spinor_f64(back), NULL));
  for (int i = 0; i < spinor_numbers; ++i) CHECK(fabs(back[i] - second[i]) <= 2.0 / 65000);
  lq_modes_free(set);
  lq_grid_free(grid);
}

// Vectors for QUDA and back, which tells no Ls and no eigenvalue.
static void vectors_go_to_other_programs(void) {
  char set_path[4096], path[4096];
  double first[spinor_numbers], back[spinor_numbers];
  lq_modes* set = NULL;
  lq_grid* grid = grid_here();
  const lq_modes_description description = described();
  const lq_mode mode = {0.5, 0, -1};
  fill(first, 2);
  snprintf(set_path, sizeof set_path, "%s", fresh("one.modes"));
  snprintf(path, sizeof path, "%s", fresh("one.quda"));
  const lq_field vector = lq_spinor_f64(first);
  CHECK_OK(lq_modes_write(set_path, grid, &description, &vector, &mode, 1, NULL));
  CHECK_OK(lq_modes_convert_vectors(set_path, path, "quda", 1, LQ_MODES_BOTH, NULL, LQ_MODES_DOUBLE, 0, UINT64_MAX, 0,
                                    NULL));
  {
    lq_write_options how;
    CHECK_OK(lq_write_options_init(&how, sizeof how));
    how.strategy = LQ_MESSAGES;
    CHECK_STATUS(lq_modes_convert_with(set_path, path, "quda", 1, LQ_MODES_BOTH, NULL, 0, 0, UINT64_MAX, 0, NULL, 0,
                                       &how, NULL),
                 LQ_EXISTS);
    how.overwrite = 1;
    CHECK_OK(lq_modes_convert_with(set_path, path, "quda", 1, LQ_MODES_BOTH, NULL, 0, 0, UINT64_MAX, 0, NULL, 0, &how,
                                   NULL));
  }
  CHECK_OK(lq_modes_open_vectors(path, 1, LQ_MODES_BOTH, NULL, NULL, &set));
  CHECK(strcmp(lq_modes_family(set), "quda") == 0 && lq_modes_size(set) == 1);
  CHECK_OK(lq_modes_read(set, 0, grid, lq_spinor_f64(back), NULL));
  CHECK(memcmp(first, back, sizeof first) == 0);
  lq_modes_free(set);
  CHECK_STATUS(lq_modes_open_vectors(path, 5, LQ_MODES_BOTH, NULL, NULL, &set), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_modes_open_vectors(path, 1, 9, NULL, NULL, &set), LQ_INVALID_ARGUMENT);
  lq_grid_free(grid);
}

static void what_is_wrong_is_said(void) {
  lq_grid* grid = grid_here();
  lq_modes_description description = described();
  lq_modes_writer* writer = NULL;
  lq_modes* set = NULL;
  CHECK_STATUS(lq_modes_create(fresh("bad.modes"), grid, NULL, NULL, &writer), LQ_INVALID_ARGUMENT);
  description.storage = 8;
  CHECK_STATUS(lq_modes_create(fresh("bad.modes"), grid, &description, NULL, &writer), LQ_INVALID_ARGUMENT);
  description = described();
  description.kind = LQ_GAUGE;
  CHECK_STATUS(lq_modes_create(fresh("bad.modes"), grid, &description, NULL, &writer), LQ_INVALID_ARGUMENT);
  description = described();
  description.lattice[0] = 8;
  CHECK_STATUS(lq_modes_create(fresh("bad.modes"), grid, &description, NULL, &writer), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_modes_open(fresh("missing.modes"), NULL, &set), LQ_NOT_FOUND);
  CHECK_STATUS(lq_modes_open(NULL, NULL, &set), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_modes_mode(NULL, 0, NULL), LQ_INVALID_ARGUMENT);
  CHECK(lq_modes_size(NULL) == 0 && lq_modes_writer_size(NULL) == 0);
  lq_modes_free(NULL);
  lq_modes_writer_free(NULL);
  lq_grid_free(grid);
}

int main(void) {
  vectors_come_back();
  a_set_is_replaced();
  at_once_and_in_fixed_point();
  vectors_go_to_other_programs();
  what_is_wrong_is_said();
  return finish();
}
