// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files into a multifile and out of it, and what is damaged made whole, with the options of these.
#include "check.h"

static void defaults_leave_things_as_they_are(void) {
  lq_repack_options options;
  CHECK_OK(lq_repack_options_init(&options, sizeof options));
  CHECK(options.checkpoint == LQ_AS_IT_IS && options.compression == LQ_AS_IT_IS);
  CHECK(options.sync == LQ_SYNC_FULL && options.verify == LQ_VERIFY_CHECKSUM && options.unit == 1);
  CHECK_OK(lq_repack_options_set(&options, "compression", "none"));
  CHECK(options.compression == LQ_COMPRESSION_NONE);
  CHECK_OK(lq_repack_options_set(&options, "checkpoint", "no"));
  CHECK(options.checkpoint == 0);
  CHECK_STATUS(lq_repack_options_set(&options, "compression", "gzip"), LQ_INVALID_ARGUMENT);
}

static void count_calls(uint64_t done, uint64_t total, void* context) {
  CHECK(done <= total);
  ++*(int*)context;
}

static void files_go_into_a_multifile_and_out_of_it(void) {
  const char* inputs[2] = {fresh("first"), fresh("second")};
  put(inputs[0], "one");
  put(inputs[1], "two and more");
  const char* set = fresh("packed.sion");
  lq_repack_options options;
  CHECK_OK(lq_repack_options_init(&options, sizeof options));
  options.dry_run = 1;
  CHECK_OK(lq_pack(set, inputs, 2, &options, NULL));
  CHECK(fopen(set, "rb") == NULL);
  options.dry_run = 0;
  options.block_size = 1;
  int calls = 0;
  options.progress = count_calls;
  options.progress_context = &calls;
  char* json = NULL;
  CHECK_OK(lq_pack(set, inputs, 2, &options, &json));
  CHECK(strstr(json, "\"streams\":2") != NULL && strstr(json, "\"bytes\":15") != NULL);
  lq_text_free(json);
  CHECK(calls > 0);
  CHECK_STATUS(lq_pack(set, inputs, 2, NULL, NULL), LQ_EXISTS);

  const char* again = fresh("again");
  CHECK_OK(lq_extract(set, "task.1", 0, again, NULL, NULL));
  CHECK(holds(again, "two and more"));
  options.overwrite = 1;
  CHECK_OK(lq_extract(set, "task.0", 0, again, &options, NULL));
  CHECK(holds(again, "one"));
  const char* task = fresh("task.0");
  const char* other = fresh("task.1");
  CHECK_OK(lq_unpack(set, getenv("LQ_TEST_FOLDER"), NULL, NULL));
  CHECK(holds(task, "one") && holds(other, "two and more"));

  const char* checkpoint = fresh("checkpoint.sion");
  options.progress = NULL;
  options.checkpoint = 1;
  CHECK_OK(lq_defragment(set, checkpoint, &options, NULL));
  int is_sound = 0;
  CHECK_OK(lq_multifile_verify(checkpoint, &is_sound, &json));
  CHECK(is_sound == 1 && strstr(json, "\"records\":true") != NULL);
  lq_text_free(json);
  CHECK_OK(lq_repair(checkpoint, NULL, NULL, &json));
  CHECK(strstr(json, "\"needed\":false,\"verdict\":\"sound\"") != NULL);
  lq_text_free(json);
}

static void wrong_arguments_are_refused(void) {
  CHECK_STATUS(lq_pack(NULL, NULL, 0, NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_pack("x.sion", NULL, 1, NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_unpack("no/such.sion", NULL, NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_unpack("no/such.sion", "folder", NULL, NULL), LQ_NOT_FOUND);
  CHECK_STATUS(lq_extract(NULL, "task.0", 0, "x", NULL, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_defragment("no/such.sion", "x", NULL, NULL), LQ_NOT_FOUND);
  CHECK_STATUS(lq_repair(NULL, NULL, NULL, NULL), LQ_INVALID_ARGUMENT);
}

int main(void) {
  defaults_leave_things_as_they_are();
  files_go_into_a_multifile_and_out_of_it();
  wrong_arguments_are_refused();
  return failures == 0 ? 0 : 1;
}
