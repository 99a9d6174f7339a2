/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A user's program in C: writes a field through the C interface, reads it back, compares. */
#include <limequat.h>
#include <stdio.h>
#include <string.h>

static double u[256 * 72], v[256 * 72];

int main(void) {
  const int64_t extents[4] = {4, 4, 4, 4};
  lq_grid* grid = NULL;
  lq_status status = lq_grid_self(extents, 4, &grid);
  for (int i = 0; i < 256 * 72; ++i) u[i] = i + 0.25;
  if (status == LQ_OK) status = lq_write("serial_c.ildg", grid, lq_gauge_f64(u), NULL);
  if (status == LQ_OK) status = lq_read("serial_c.ildg", grid, lq_gauge_f64(v), NULL);
  lq_grid_free(grid);
  if (status != LQ_OK) fprintf(stderr, "%s\n", lq_error_text());
  printf("%s %s\n", lq_version(), memcmp(u, v, sizeof u) == 0 ? "same" : "different");
  return status != LQ_OK || memcmp(u, v, sizeof u) != 0;
}
