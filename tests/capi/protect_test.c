// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sidecars with parity, with the options of that.
#include "check.h"

static void a_sidecar_is_written_and_compared(void) {
  const char* blob = fresh("blob.bin");
  fresh("blob.bin.lq-parity");
  FILE* file = fopen(blob, "wb");
  for (int i = 0; i < 5000; ++i) fputc(i * i % 251, file);
  fclose(file);
  lq_protect_options options;
  CHECK_OK(lq_protect_options_init(&options, sizeof options));
  CHECK(options.parity == NULL && options.lost_files == -1 && options.sync == LQ_SYNC_FULL);
  CHECK_OK(lq_protect_options_set(&options, "parity", "5%"));
  CHECK_STATUS(lq_protect_options_set(&options, "level", "9"), LQ_INVALID_ARGUMENT);
  char* json = NULL;
  CHECK_OK(lq_protect(&blob, 1, &options, &json));
  CHECK(json != NULL && strstr(json, "blob.bin.lq-parity") != NULL && strstr(json, "\"ok\":true") != NULL);
  lq_text_free(json);
  CHECK_STATUS(lq_protect(&blob, 1, &options, NULL), LQ_EXISTS);
  options.check = 1;
  CHECK_OK(lq_protect(&blob, 1, &options, &json));
  CHECK(strstr(json, "\"state\":\"intact\"") != NULL);
  lq_text_free(json);
  file = fopen(blob, "r+b");
  fseek(file, 1234, SEEK_SET);
  fputc(7, file);
  fclose(file);
  CHECK_OK(lq_protect(&blob, 1, &options, &json));
  CHECK(strstr(json, "\"state\":\"damaged\"") != NULL && strstr(json, "\"ok\":false") != NULL);
  lq_text_free(json);
  CHECK_STATUS(lq_protect(NULL, 1, &options, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_protect(NULL, 0, &options, NULL), LQ_INVALID_ARGUMENT);
}

int main(void) {
  a_sidecar_is_written_and_compared();
  return finish();
}
