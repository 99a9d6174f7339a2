// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Observables against values known in closed form, and the generator through C.
#include <errno.h>
#include <math.h>

#include "check.h"

static int close_to(double a, double b) { return fabs(a - b) < 1e-14; }

static lq_grid* grid;

static double* unit_links(void) {
  double* u = calloc(gauge_numbers, sizeof *u);
  for (int l = 0; l < links; ++l) u[18 * l] = u[18 * l + 8] = u[18 * l + 16] = 1;
  return u;
}

static void unit_links_have_plaquette_one(void) {
  double *u = unit_links(), values[3] = {0, 0, 0}, trace = 0;
  CHECK_OK(lq_plaquette(grid, lq_gauge_f64(u), values));
  CHECK(values[0] == 1 && values[1] == 1 && values[2] == 1);
  CHECK_OK(lq_link_trace(grid, lq_gauge_f64(u), &trace));
  CHECK(trace == 1);
  free(u);
}

// One temporal link set to diag(i, -i, 1): its six temporal plaquettes have Re Tr = 1 instead of 3.
static void one_link_changes_six_plaquettes(void) {
  double *u = unit_links(), values[3];
  double* link = u + 18 * (4 * 17 + 3);
  link[0] = link[8] = 0;
  link[1] = 1;
  link[9] = -1;
  CHECK_OK(lq_plaquette(grid, lq_gauge_f64(u), values));
  CHECK(close_to(values[1], 1));
  CHECK(close_to(values[2], 1 - 6 * (2.0 / 3) / (3.0 * sites)));
  CHECK(close_to(values[0], (values[1] + values[2]) / 2));
  free(u);
}

static void a_scaled_link_is_not_unitary(void) {
  double *u = unit_links(), values[3];
  for (int i = 0; i < 18; ++i) u[i] *= 2;
  CHECK_OK(lq_unitarity(grid, lq_gauge_f64(u), values));
  CHECK(close_to(values[0], 3) && close_to(values[1], 3.0 / links) && close_to(values[2], 7));
  free(u);
}

static void numbers_that_are_none_are_counted(void) {
  double* u = unit_links();
  uint64_t count = 9;
  CHECK_OK(lq_count_not_finite(grid, lq_gauge_f64(u), &count));
  CHECK(count == 0);
  u[5] = NAN;
  u[6] = INFINITY;
  CHECK_OK(lq_count_not_finite(grid, lq_gauge_f64(u), &count));
  CHECK(count == 2);
  free(u);
}

static void one_pass_measures_all(void) {
  double* u = unit_links();
  char* json = NULL;
  CHECK_OK(lq_measure(grid, lq_gauge_f64(u), &json));
  CHECK(json != NULL && strstr(json, "\"link_trace\":1") != NULL && strstr(json, "\"not_finite\":0") != NULL);
  lq_text_free(json);
  free(u);
}

static void unit_links_have_loops_of_one(void) {
  double* u = unit_links();
  char* json = NULL;
  double* density = calloc(sites, sizeof *density);
  lq_observables_options options;
  CHECK_OK(lq_observables_options_init(&options, sizeof options));
  CHECK(options.flow_steps == 0 && options.flow_step == 0.01);
  CHECK_OK(lq_observables_options_set(&options, "flow_steps", "2"));
  CHECK_OK(lq_observables(grid, lq_gauge_f64(u), &options, &json));
  CHECK(strstr(json, "\"polyakov_loop\":{\"re\":1.0,\"im\":0.0}") != NULL && strstr(json, "\"time\":0.02") != NULL);
  lq_text_free(json);
  options.flow_step = 0;
  CHECK_STATUS(lq_observables(grid, lq_gauge_f64(u), &options, &json), LQ_INVALID_ARGUMENT);
  density[1] = 7;
  CHECK_OK(lq_charge_density(grid, lq_gauge_f64(u), density));
  CHECK(density[0] == 0 && density[1] == 0);
  CHECK_OK(lq_plaquette_density(grid, lq_gauge_f64(u), density));
  CHECK(density[0] == 1 && density[sites - 1] == 1);
  u[0] = 2;
  CHECK_STATUS(lq_observables(grid, lq_gauge_f64(u), NULL, &json), LQ_INVALID_ARGUMENT);
  free(density);
  free(u);
}

static void count_sweep(int sweep, void* context) {
  (void)sweep;
  ++*(int*)context;
}

static void the_generator_is_reproducible(void) {
  double *a = unit_links(), *b = unit_links(), values[3];
  int sweeps = 0;
  lq_generate_options options;
  CHECK_OK(lq_generate_options_init(&options, sizeof options));
  options.sweeps = 2;
  options.seed = 5;
  options.after_sweep = count_sweep;
  options.context = &sweeps;
  CHECK_OK(lq_generate(grid, lq_gauge_f64(a), &options));
  CHECK_OK(lq_generate(grid, lq_gauge_f64(b), &options));
  CHECK(sweeps == 4);
  CHECK(memcmp(a, b, gauge_numbers * sizeof *a) == 0);
  CHECK_OK(lq_unitarity(grid, lq_gauge_f64(a), values));
  CHECK(values[0] < 1e-13);
  CHECK_OK(lq_plaquette(grid, lq_gauge_f64(a), values));
  CHECK(values[0] > 0.3 && values[0] < 0.95);
  free(a);
  free(b);
}

static int always(void* context) {
  ++*(int*)context;
  return 1;
}

// It would go on for days.
static void a_program_that_is_asked_ends_its_call(void) {
  double* u = unit_links();
  int asked = 0;
  lq_generate_options options;
  CHECK_OK(lq_generate_options_init(&options, sizeof options));
  options.sweeps = 1000000000;
  lq_check_interrupts(always, &asked);
  CHECK_STATUS(lq_generate(grid, lq_gauge_f64(u), &options), LQ_IO);
  CHECK(lq_error_errno() == ECANCELED && asked == 1);
  lq_check_interrupts(NULL, NULL);
  options.sweeps = 1;
  CHECK_OK(lq_generate(grid, lq_gauge_f64(u), &options));
  CHECK(asked == 1);
  char* json = NULL;
  lq_observables_options flow;
  CHECK_OK(lq_observables_options_init(&flow, sizeof flow));
  flow.flow_steps = 100000;
  lq_check_interrupts(always, &asked);
  CHECK_STATUS(lq_observables(grid, lq_gauge_f64(u), &flow, &json), LQ_IO);
  CHECK(lq_error_errno() == ECANCELED && json == NULL);
  lq_check_interrupts(NULL, NULL);
  free(u);
}

int main(void) {
  grid = grid_here();
  unit_links_have_plaquette_one();
  one_link_changes_six_plaquettes();
  a_scaled_link_is_not_unitary();
  numbers_that_are_none_are_counted();
  one_pass_measures_all();
  unit_links_have_loops_of_one();
  the_generator_is_reproducible();
  a_program_that_is_asked_ends_its_call();
  lq_grid_free(grid);
  return finish();
}
