// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The program of c_lime.c with our own interface: the same file, with a checksum, which gets its name only when it is
// complete; reading verifies both.
//
//   cc -std=c99 c_lime_ported.c -llimequat && ./a.out conf.ildg
//
// Prints:
//   wrote and read 36864 numbers
// [program]
#include <limequat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { numbers = 4 * 4 * 4 * 8 * 72 };

static lq_status save(const char* path, const lq_grid* grid, double* u) {
  const lq_metadata info = {"xlf-info", "beta = 6.0"};
  lq_write_options options;
  lq_write_options_init(&options, sizeof options);
  options.overwrite = 1;
  options.metadata = &info;
  options.metadata_count = 1;
  return lq_write(path, grid, lq_gauge_f64(u), &options);
}

static lq_status load(const char* path, const lq_grid* grid, double* u) {
  return lq_read(path, grid, lq_gauge_f64(u), NULL);
}
// [/program]

int main(int argc, char** argv) {
  const int64_t extents[4] = {4, 4, 4, 8};
  lq_grid* grid = NULL;
  double* u = malloc(numbers * sizeof *u);
  double* back = malloc(numbers * sizeof *back);
  (void)argc;
  for (int i = 0; i < numbers; ++i) u[i] = 1.0 / (1 + i);
  lq_status status = lq_grid_self(extents, 4, &grid);
  if (status == LQ_OK) status = save(argv[1], grid, u);
  if (status == LQ_OK) status = load(argv[1], grid, back);
  if (status != LQ_OK) fprintf(stderr, "%s\n", lq_error_text());
  if (status == LQ_OK && memcmp(u, back, numbers * sizeof *u) == 0) printf("wrote and read %d numbers\n", numbers);
  free(u);
  free(back);
  lq_grid_free(grid);
  return status == LQ_OK ? 0 : 1;
}
