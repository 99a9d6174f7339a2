// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the C tests share: a check that counts and tells, a folder that is removed, a field with known numbers.
#ifndef LQ_TESTS_CAPI_CHECK_H
#define LQ_TESTS_CAPI_CHECK_H

#include <limequat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                          \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      ++failures;                                                                                 \
      printf("%s:%d: %s\n    last error: %s\n", __FILE__, __LINE__, #condition, lq_error_text()); \
    }                                                                                             \
  } while (0)
#define CHECK_STATUS(call, expected)                                                                    \
  do {                                                                                                  \
    const lq_status got = (call);                                                                       \
    if (got != (expected)) {                                                                            \
      ++failures;                                                                                       \
      printf("%s:%d: %s\n    is %s, expected %s: %s\n", __FILE__, __LINE__, #call, lq_status_name(got), \
             lq_status_name(expected), lq_error_text());                                                \
    }                                                                                                   \
  } while (0)
#define CHECK_OK(call) CHECK_STATUS(call, LQ_OK)

// The path of `name` in the folder that ctest made for this test; the file itself is removed.
static inline const char* fresh(const char* name) {
  static char paths[8][1024];
  static int next = 0;
  char* path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", getenv("LQ_TEST_FOLDER"), name);
  remove(path);
  return path;
}

static const int64_t lattice[4] = {4, 2, 3, 5};
enum { sites = 4 * 2 * 3 * 5, links = sites * 4, gauge_numbers = links * 18, spinor_numbers = sites * 24 };

static inline lq_grid* grid_here(void) {
  lq_grid* grid = NULL;
  CHECK_OK(lq_grid_self(lattice, 4, &grid));
  return grid;
}

// Links diag(z, conj z, 1) with |z| = 1, different from site to site and from link to link.
static inline void fill_links(double* u) {
  static const double re[3] = {1.0, 3.0 / 5.0, 5.0 / 13.0};
  static const double im[3] = {0.0, 4.0 / 5.0, 12.0 / 13.0};
  for (int l = 0; l < links; ++l) {
    double* m = u + 18 * l;
    const int which = (l + l / 7) % 3;
    memset(m, 0, 18 * sizeof *m);
    m[0] = m[8] = re[which];
    m[1] = im[which];
    m[9] = -im[which];
    m[16] = 1;
  }
}

static inline double* new_links(void) {
  double* u = malloc(gauge_numbers * sizeof *u);
  fill_links(u);
  return u;
}

// Damage, in the byte at `offset`.
static inline void flip_a_bit(const char* path, uint64_t offset) {
  FILE* file = fopen(path, "r+b");
  fseek(file, (long)offset, SEEK_SET);
  const int byte = fgetc(file);
  fseek(file, (long)offset, SEEK_SET);
  fputc(byte ^ 1, file);
  fclose(file);
}

// A file of text, and whether it has that text.
static inline void put(const char* path, const char* text) {
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL);
  if (file == NULL) return;
  CHECK(fwrite(text, 1, strlen(text), file) == strlen(text));
  fclose(file);
}

static inline int holds(const char* path, const char* text) {
  char found[64] = {0};
  FILE* file = fopen(path, "rb");
  if (file == NULL) return 0;
  const size_t got = fread(found, 1, sizeof found - 1, file);
  fclose(file);
  return got == strlen(text) && strcmp(found, text) == 0;
}

static inline int finish(void) {
  if (failures > 0) printf("%d checks failed\n", failures);
  return failures > 0;
}

#endif
