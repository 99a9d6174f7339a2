// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How do I write a gauge field from C? The same field as in write_gauge.cpp, with x fastest in memory.
//
//   cc -std=c99 write_gauge.c -llimequat && ./a.out gauge_c.ildg
//
// Prints:
//   plaquette 0.7911793228 spatial 0.7918495233 temporal 0.7905091223
//   checksum 121fd158/cc0eccec
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <limequat.h>

static const int64_t extents[4] = {4, 4, 4, 8};

// A link: diag(z, conj z, 1) with one of three exact phases.
static void set_link(double* matrix, const int64_t* x, int mu) {
  static const double re[3] = {1.0, 3.0 / 5.0, 5.0 / 13.0};
  static const double im[3] = {0.0, 4.0 / 5.0, 12.0 / 13.0};
  const int which = (int)((x[0] * x[1] + 2 * x[1] * x[2] + x[2] * x[3] + x[3] * x[0] + mu * x[mu]) % 3);
  memset(matrix, 0, 18 * sizeof *matrix);
  matrix[0] = matrix[8] = re[which];
  matrix[1] = im[which];
  matrix[9] = -im[which];
  matrix[16] = 1;
}

static void set_field(double* u) {
  int64_t x[4];
  for (x[3] = 0; x[3] < extents[3]; ++x[3])
    for (x[2] = 0; x[2] < extents[2]; ++x[2])
      for (x[1] = 0; x[1] < extents[1]; ++x[1])
        for (x[0] = 0; x[0] < extents[0]; ++x[0])
          for (int mu = 0; mu < 4; ++mu, u += 18) set_link(u, x, mu);
}

int main(int argc, char** argv) {
  (void)argc;
  lq_grid* grid = NULL;
  char* report = NULL;
  double *u = NULL, plaquette[3];
  lq_write_options options;
  lq_status status = lq_grid_self(extents, 4, &grid);
  if (status == LQ_OK) status = lq_write_options_init(&options, sizeof options);
  if (status == LQ_OK) {
    options.overwrite = 1;
    options.report_json = &report;
    u = malloc(lq_grid_local_volume(grid) * 72 * sizeof *u);
    set_field(u);
    status = lq_write(argv[1], grid, lq_gauge_f64(u), &options);
  }
  if (status == LQ_OK) status = lq_plaquette(grid, lq_gauge_f64(u), plaquette);
  if (status == LQ_OK) {
    char suma[9] = "", sumb[9] = "";  // the report is JSON: "checksum":{"suma":"...","sumb":"..."}
    sscanf(strstr(report, "\"suma\""), "\"suma\":\"%8[0-9a-f]\",\"sumb\":\"%8[0-9a-f]", suma, sumb);
    printf("plaquette %.10f spatial %.10f temporal %.10f\n", plaquette[0], plaquette[1], plaquette[2]);
    printf("checksum %s/%s\n", suma, sumb);
  } else {
    fprintf(stderr, "%s\n", lq_error_text());
  }
  free(u);
  lq_text_free(report);
  lq_grid_free(grid);
  return status == LQ_OK ? 0 : 1;
}
