// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file read through the cache of a node, which one process has for itself.
#include "check.h"

static void bytes_are_those_of_the_file(void) {
  static char expected[10001], found[10001];
  for (size_t i = 0; i < sizeof expected; ++i) expected[i] = (char)(i * i % 251);
  const char* path = fresh("file");
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL && fwrite(expected, 1, sizeof expected, file) == sizeof expected);
  fclose(file);

  lq_node_cache* cache = NULL;
  CHECK_OK(lq_node_cache_open(path, NULL, 1 << 20, 4096, &cache));
  CHECK(lq_node_cache_size(cache) == sizeof expected);
  uint64_t count = 0;
  CHECK_OK(lq_node_cache_read(cache, 0, found, sizeof found, &count));
  CHECK(count == sizeof expected && memcmp(found, expected, sizeof expected) == 0);
  CHECK_OK(lq_node_cache_read(cache, 9000, found, sizeof found, &count));
  CHECK(count == 1001 && memcmp(found, expected + 9000, 1001) == 0);
  CHECK_OK(lq_node_cache_read(cache, 10001, found, 1, &count));
  CHECK(count == 0);
  lq_node_cache_counts counts = {.struct_size = sizeof counts};
  CHECK_OK(lq_node_cache_count(cache, &counts));
  CHECK(counts.memory_bytes <= 1 << 20);
  if (counts.memory_bytes > 0) CHECK(counts.bytes_read == 10001 && counts.reads == 3 && counts.bytes_given == 11002);
  lq_node_cache_free(cache);
}

static void what_cannot_be_is_refused(void) {
  lq_node_cache* cache = NULL;
  uint64_t count = 0;
  CHECK_STATUS(lq_node_cache_open(fresh("absent"), NULL, 0, 0, &cache), LQ_NOT_FOUND);
  CHECK_STATUS(lq_node_cache_open(NULL, NULL, 0, 0, &cache), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_node_cache_open("x", NULL, 0, 0, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_node_cache_open("x", NULL, 4096, 4097, &cache), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_node_cache_read(NULL, 0, NULL, 0, &count), LQ_INVALID_ARGUMENT);
  CHECK(cache == NULL && lq_node_cache_size(NULL) == 0);
  lq_node_cache_free(NULL);
}

int main(void) {
  bytes_are_those_of_the_file();
  what_cannot_be_is_refused();
  return failures != 0;
}
