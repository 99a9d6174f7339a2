// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files copied, with the options of that.
#include "check.h"

static void files_are_copied(void) {
  const char* one = fresh("one");
  const char* two = fresh("two");
  char into[512], there[512];
  snprintf(into, sizeof into, "%s/copied/", getenv("LQ_TEST_FOLDER"));
  snprintf(there, sizeof there, "%s/copied/two", getenv("LQ_TEST_FOLDER"));
  put(one, "first");
  put(two, "second");
  const char* sources[] = {one, two};

  lq_copy_options options;
  CHECK_OK(lq_copy_options_init(&options, sizeof options));
  CHECK(options.verify == LQ_VERIFY_CHECKSUM && options.sync == LQ_SYNC_FULL && options.resume == 0);
  CHECK_OK(lq_copy_options_set(&options, "overwrite", "yes"));
  CHECK_STATUS(lq_copy_options_set(&options, "speed", "high"), LQ_INVALID_ARGUMENT);
  char* json = NULL;
  CHECK_OK(lq_copy(sources, 2, into, &options, &json));
  CHECK(json != NULL && strstr(json, "\"bytes\":11") != NULL);
  lq_text_free(json);
  CHECK(holds(there, "second"));
  CHECK_STATUS(lq_copy(sources, 2, into, NULL, NULL), LQ_EXISTS);
  CHECK_STATUS(lq_copy(NULL, 1, into, NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_copy(sources, 0, into, NULL, NULL), LQ_INVALID_ARGUMENT);
}

int main(void) {
  files_are_copied();
  return finish();
}
