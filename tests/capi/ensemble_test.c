// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A catalogue of one file, its page, and its document.
#include "check.h"

static double numbers[2 * 2 * 2 * 2 * 72];

static void write_file(const char* path) {
  static const int64_t extents[4] = {2, 2, 2, 2};
  for (int site_link = 0; site_link < 2 * 2 * 2 * 2 * 4; ++site_link) {
    for (int row = 0; row < 3; ++row) numbers[site_link * 18 + row * 8] = 1;
  }
  lq_grid* grid = NULL;
  CHECK_OK(lq_grid_self(extents, 4, &grid));
  CHECK_OK(lq_write(path, grid, lq_gauge_f64(numbers), NULL));
  lq_grid_free(grid);
}

static void files_are_indexed_and_found(void) {
  const char *conf = fresh("conf.0010.ildg"), *db = fresh("catalogue.db"), *page = fresh("page.html");
  write_file(conf);
  lq_catalogue_options options;
  CHECK_OK(lq_catalogue_options_init(&options, sizeof options));
  CHECK(options.db == NULL && options.threads == 0 && options.physics == LQ_MEASURE_WHEN_IT_FITS);
  CHECK_OK(lq_catalogue_options_set(&options, "threads", "2"));
  CHECK(options.threads == 2);
  options.db = db;
  char* json = NULL;
  const lq_status status = lq_index(&conf, 1, &options, &json);
  if (status == LQ_UNSUPPORTED) return;  // built without SQLite
  CHECK_OK(status);
  CHECK(strstr(json, "\"added\":1") != NULL);
  lq_text_free(json);
  CHECK_OK(lq_find("lattice=2x2x2x2 trajectory=10", &options, &json));
  CHECK(strstr(json, "conf.0010.ildg") != NULL);
  lq_text_free(json);
  CHECK_OK(lq_find("trajectory=11", &options, &json));
  CHECK(strstr(json, "conf.0010.ildg") == NULL);
  lq_text_free(json);
  CHECK_STATUS(lq_find("trajectory=", &options, &json), LQ_INVALID_ARGUMENT);
  int is_ok = 0;
  CHECK_OK(lq_scrub(&options, &is_ok, NULL));
  CHECK(is_ok == 1);
  options.which = conf;
  options.rate = "1G";
  CHECK_OK(lq_scrub(&options, &is_ok, NULL));
  CHECK(is_ok == 1);
  options.which = "no_such_name=1";
  CHECK_STATUS(lq_scrub(&options, &is_ok, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_find("no_such_name=1", &options, &json), LQ_INVALID_ARGUMENT);
  options.which = NULL;
  options.rate = "fast";
  CHECK_STATUS(lq_scrub(&options, &is_ok, NULL), LQ_INVALID_ARGUMENT);
  options.rate = NULL;
  CHECK_OK(lq_assess(&options, &json));
  CHECK(strstr(json, "\"duplicates\":[]") != NULL && strstr(json, "\"remarks\":[]") != NULL);
  lq_text_free(json);
  CHECK_OK(lq_report_page(NULL, 0, page, &options, NULL));
  CHECK_STATUS(lq_report_page(NULL, 0, page, &options, NULL), LQ_EXISTS);
  CHECK_STATUS(lq_index(NULL, 1, &options, NULL), LQ_INVALID_ARGUMENT);
}

static void folders_are_verified(void) {
  const char *good = fresh("conf.0020.ildg"), *empty = fresh("conf.0030.ildg");
  write_file(good);
  int is_ok = 0;
  char* json = NULL;
  CHECK_OK(lq_verify_below(&good, 1, NULL, &is_ok, &json));
  CHECK(is_ok == 1 && strstr(json, "{\"ok\":true,\"summary\":{\"sound\":1,") == json);
  lq_text_free(json);
  FILE* const file = fopen(empty, "w");
  CHECK(file != NULL && fclose(file) == 0);
  const char* const both[2] = {good, empty};
  CHECK_OK(lq_verify_below(both, 2, NULL, &is_ok, NULL));
  CHECK(is_ok == 0);
  CHECK_STATUS(lq_verify_below(NULL, 1, NULL, &is_ok, NULL), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_verify_below(both, 2, NULL, NULL, NULL), LQ_INVALID_ARGUMENT);
}

struct unpacking {
  const char* inside;  // the contents of every packed file
  lq_status status;
  int opened, closed;
};

static lq_status open_packed(void* context, const char* path, const char** text) {
  struct unpacking* const unpacking = context;
  *text = NULL;
  if (strstr(path, ".gz") == NULL) return LQ_OK;
  *text = unpacking->status == LQ_OK ? unpacking->inside : "the archive is at the dentist's";
  ++unpacking->opened;
  return unpacking->status;
}

static void close_packed(void* context, const char* text) {
  struct unpacking* const unpacking = context;
  CHECK(text == unpacking->inside || strstr(text, "dentist") != NULL);
  ++unpacking->closed;
}

static void packed_files_are_judged_by_their_contents(void) {
  const char *inside = fresh("elsewhere.ildg"), *packed = fresh("conf.ildg.gz");
  write_file(inside);
  FILE* const file = fopen(packed, "wb");
  CHECK(file != NULL && fputs("compressed", file) >= 0 && fclose(file) == 0);
  struct unpacking unpacking = {.inside = inside, .status = LQ_OK};
  lq_unpacker unpacker = {.struct_size = sizeof unpacker, .open = open_packed, .context = &unpacking};
  CHECK_STATUS(lq_set_unpacker(&unpacker), LQ_INVALID_ARGUMENT);
  unpacker.close = close_packed;
  int is_ok = 1;
  char* json = NULL;
  lq_verify_options options;
  CHECK_OK(lq_verify_options_init(&options, sizeof options));
  // The folder is that of the catalogue of the test before, so the file is named.
  CHECK_OK(lq_verify_below(&packed, 1, &options, &is_ok, &json));
  CHECK(!is_ok && strstr(json, "\"unreadable\"") != NULL);
  lq_text_free(json);
  CHECK_OK(lq_set_unpacker(&unpacker));
  CHECK_OK(lq_verify_below(&packed, 1, &options, &is_ok, &json));
  CHECK(is_ok && strstr(json, "\"sound\"") != NULL && strstr(json, "conf.ildg.gz") != NULL &&
        strstr(json, "elsewhere") == NULL);
  lq_text_free(json);
  CHECK(unpacking.opened == 1 && unpacking.closed == 1);
  unpacking.status = LQ_TRUNCATED;
  CHECK_OK(lq_verify_below(&packed, 1, &options, &is_ok, &json));
  CHECK(!is_ok && strstr(json, "at the dentist's") != NULL);
  lq_text_free(json);
  CHECK_OK(lq_set_unpacker(NULL));
  unpacking.status = LQ_OK;
  CHECK_OK(lq_verify_below(&packed, 1, &options, &is_ok, NULL));
  CHECK(!is_ok && unpacking.opened == 2 && unpacking.closed == 2);
}

static void documents_are_made_and_checked(void) {
  const char* conf = fresh("conf.ildg");
  write_file(conf);
  char* json = NULL;
  CHECK_OK(lq_ildg_document(conf, NULL, &json));
  CHECK(strstr(json, "config1.3") != NULL && strstr(json, "<avePlaquette>1</avePlaquette>") != NULL);
  lq_text_free(json);
  lq_qcdml_options options;
  CHECK_OK(lq_qcdml_options_init(&options, sizeof options));
  options.schema = "2.0";
  CHECK_OK(lq_ildg_document(conf, &options, &json));
  CHECK(strstr(json, "config2.0") != NULL);
  lq_text_free(json);
  options.schema = "0.9";
  CHECK_STATUS(lq_ildg_document(conf, &options, &json), LQ_INVALID_ARGUMENT);
  int is_ok = 0;
  CHECK_OK(lq_ildg_check(conf, NULL, NULL, &is_ok, &json));
  lq_text_free(json);
  CHECK_OK(lq_ildg_lfn(conf, NULL, &json));
  CHECK(strstr(json, "ildg-lfn-unregistered") != NULL);
  lq_text_free(json);
}

int main(void) {
  files_are_indexed_and_found();
  folders_are_verified();
  packed_files_are_judged_by_their_contents();
  documents_are_made_and_checked();
  return finish();
}
