/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of C-LIME's interface share: checks that count what failed, a fresh file, and a record in one call. */
#ifndef CHECK_H
#define CHECK_H

#include <lime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      ++failures;                                                             \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                         \
  } while (0)

#define CHECK_EQUAL(found, expected)                                                                             \
  do {                                                                                                           \
    const long long found_value = (long long)(found);                                                            \
    const long long expected_value = (long long)(expected);                                                      \
    if (found_value != expected_value) {                                                                         \
      ++failures;                                                                                                \
      fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #found, found_value, expected_value); \
    }                                                                                                            \
  } while (0)

static const char* test_file(void) {
  static char path[4096];
  if (path[0] == '\0') {
    const char* folder = getenv("LQ_TEST_FOLDER");
    snprintf(path, sizeof path, "%s/test.lime", folder != NULL ? folder : ".");
  }
  return path;
}

static FILE* fresh(const char* mode) {
  FILE* fp = fopen(test_file(), mode);
  if (fp == NULL) {
    perror(test_file());
    exit(2);
  }
  return fp;
}

static int write_header(LimeWriter* w, int MB, int ME, const char* type, n_uint64_t bytes) {
  LimeRecordHeader* h = limeCreateHeader(MB, ME, (char*)type, bytes);
  const int code = limeWriteRecordHeader(h, w);
  limeDestroyHeader(h);
  return code;
}

static int write_record(LimeWriter* w, int MB, int ME, const char* type, const void* data, n_uint64_t bytes) {
  const n_uint64_t wanted = bytes;
  const int code = write_header(w, MB, ME, type, bytes);
  if (code != LIME_SUCCESS) return code;
  CHECK_EQUAL(limeWriteRecordData((void*)data, &bytes, w), LIME_SUCCESS);
  CHECK_EQUAL(bytes, wanted);
  return LIME_SUCCESS;
}

static int finish(void) {
  remove(test_file());
  if (failures > 0) fprintf(stderr, "%d failed\n", failures);
  return failures > 0;
}

#endif
