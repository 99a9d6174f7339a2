/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A check that counts and tells, and the contents of the conformance vectors. */
#ifndef LQ_TESTS_COMPAT_SION_CHECK_H
#define LQ_TESTS_COMPAT_SION_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                     \
  do {                                                       \
    if (!(condition)) {                                      \
      ++failures;                                            \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    }                                                        \
  } while (0)

static inline unsigned char content(int seed, int rank, long i) {
  return (unsigned char)((31 * i + 57L * rank + 7 * (i / 256) + 13L * seed) & 255);
}

static inline void fill(unsigned char* bytes, int seed, int rank, long begin, long count) {
  for (long i = 0; i < count; ++i) bytes[i] = content(seed, rank, begin + i);
}

static inline int holds(const unsigned char* bytes, int seed, int rank, long begin, long count) {
  for (long i = 0; i < count; ++i) {
    if (bytes[i] != content(seed, rank, begin + i)) return 0;
  }
  return 1;
}

/* A vector's path; the folder is the first argument of the program. */
static const char* folder;
static inline char* vector(const char* name) {
  static char paths[8][1024];
  static int next = 0;
  char* path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

#endif
