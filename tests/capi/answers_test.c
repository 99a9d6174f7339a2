// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Answers that are structs, and options by name.
#include <math.h>

#include "check.h"

static lq_grid* grid;
static double* u;

static const char* written(const char* name, lq_report* report) {
  const char* path = fresh(name);
  lq_write_options options;
  CHECK_OK(lq_write_options_init(&options, sizeof options));
  CHECK_OK(lq_write_options_set(&options, "measure", "yes"));
  options.report = report;
  CHECK_OK(lq_write(path, grid, lq_gauge_f64(u), &options));
  return path;
}

static void reports_tell_what_a_transfer_did(void) {
  lq_report wrote = {.struct_size = sizeof wrote};
  const char* path = written("report.ildg", &wrote);
  CHECK(wrote.is_written == 1 && wrote.ranks == 1 && strcmp(wrote.format, "ildg") == 0);
  CHECK(wrote.dimensions == 4 && wrote.extents[0] == 4 && wrote.extents[3] == 5);
  CHECK(wrote.bytes == 4 * 2 * 3 * 5 * 72 * sizeof(double));
  CHECK(wrote.spec.kind == LQ_GAUGE && wrote.spec.numbers == 72 && wrote.spec.precision == LQ_DOUBLE);
  CHECK(wrote.has_stored && wrote.checksum_status == LQ_CHECKSUM_OK && wrote.checksum.suma == wrote.stored.suma);
  CHECK(wrote.seconds > wrote.open_seconds && wrote.open_seconds > 0 && wrote.zero_sites == 0);
  CHECK(wrote.file_system[0] != 0 && wrote.block_bytes % 4096 == 0 && wrote.ranks_at_file == 1);
  CHECK(wrote.device_computing_ranks == 0 && wrote.device_copying_ranks == 0 && wrote.device_reason[0] == 0);

  lq_report read = {.struct_size = sizeof read};
  lq_read_options options;
  CHECK_OK(lq_read_options_init(&options, sizeof options));
  options.report = &read;
  CHECK_OK(lq_read(path, grid, lq_gauge_f64(u), &options));
  CHECK(read.is_written == 0 && read.checksum_status == LQ_CHECKSUM_OK);
  CHECK(read.seconds > read.open_seconds && read.open_seconds > 0);
  CHECK(read.checksum.suma == wrote.checksum.suma && read.checksum.sumb == wrote.checksum.sumb);
}

// A folder of the build lies on no file system with stripes; and that is a remark.
static void stripes_that_cannot_be_had_are_a_remark(void) {
  lq_report report = {.struct_size = sizeof report};
  lq_write_options options;
  CHECK_OK(lq_write_options_init(&options, sizeof options));
  CHECK(options.stripe_count == 0 && options.stripe_bytes == 0 && options.stripes_by_size == 1);
  options.report = &report;
  CHECK_OK(lq_write(fresh("plain.ildg"), grid, lq_gauge_f64(u), &options));
  CHECK(report.stripe_reason == LQ_STRIPES_NONE || report.stripe_count > 0);
  const int has_none = report.stripe_reason == LQ_STRIPES_NONE;
  CHECK_OK(lq_write_options_set(&options, "stripe_count", "4"));
  CHECK_OK(lq_write_options_set(&options, "stripe_bytes", "1048576"));
  CHECK_OK(lq_write(fresh("striped.ildg"), grid, lq_gauge_f64(u), &options));
  if (has_none) CHECK(report.stripe_reason == LQ_STRIPES_REFUSED);
}

static void a_struct_whose_size_is_not_set_is_refused(void) {
  lq_report report;
  memset(&report, 0, sizeof report);
  lq_write_options options;
  CHECK_OK(lq_write_options_init(&options, sizeof options));
  options.report = &report;
  CHECK_STATUS(lq_write(fresh("size.ildg"), grid, lq_gauge_f64(u), &options), LQ_INVALID_ARGUMENT);
  CHECK(strstr(lq_error_text(), "struct_size of report is 0") != NULL);
}

// A program that was compiled when the struct was shorter.
static void a_shorter_struct_gets_what_it_knows(void) {
  struct {
    lq_verdict verdict;
    char behind[16];
  } memory;
  memset(&memory, 0x5a, sizeof memory);
  memory.verdict.struct_size = sizeof(size_t) + sizeof(int);
  lq_verification* verification = NULL;
  CHECK_OK(lq_verification_run(written("short.ildg", NULL), NULL, &verification));
  CHECK_OK(lq_verification_verdict(verification, &memory.verdict));
  CHECK(memory.verdict.is_sound == 1);
  CHECK(((unsigned char*)&memory)[sizeof(size_t) + sizeof(int)] == 0x5a);
  lq_verification_free(verification);
}

static void catalogs_list_fields_records_and_texts(void) {
  lq_catalog* catalog = NULL;
  CHECK_OK(lq_catalog_open(written("catalog.ildg", NULL), NULL, &catalog));
  lq_file_info file = {.struct_size = sizeof file};
  CHECK_OK(lq_catalog_file(catalog, &file));
  CHECK(strcmp(file.format, "ildg") == 0 && file.is_complete && file.fields == 1 && file.errors == 0);

  lq_field_info field = {.struct_size = sizeof field};
  CHECK_OK(lq_catalog_field(catalog, 0, &field));
  CHECK(strcmp(field.name, "gauge") == 0 && field.extents[1] == 2 && field.has_checksum && field.has_plaquette);
  double plaquette[3] = {0};
  CHECK_OK(lq_plaquette(grid, lq_gauge_f64(u), plaquette));
  CHECK(fabs(field.plaquette - plaquette[0]) < 1e-9);

  lq_record_info record = {.struct_size = sizeof record};
  CHECK_OK(lq_catalog_record(catalog, field.record, &record));
  CHECK(strcmp(record.type, "ildg-binary-data") == 0 && record.offset == field.offset && record.bytes == field.bytes);
  lq_metadata text;
  CHECK(field.metadata > 0);
  CHECK_OK(lq_catalog_field_metadata(catalog, 0, 0, &text));
  CHECK(strlen(text.name) > 0 && strlen(text.text) > 0);
  CHECK_STATUS(lq_catalog_field(catalog, 1, &field), LQ_INVALID_ARGUMENT);
  lq_catalog_free(catalog);
  lq_catalog_free(NULL);
}

static void verdicts_tell_where_damage_is(void) {
  const char* path = written("damaged.ildg", NULL);
  lq_catalog* catalog = NULL;
  lq_field_info field = {.struct_size = sizeof field};
  CHECK_OK(lq_catalog_open(path, NULL, &catalog));
  CHECK_OK(lq_catalog_field(catalog, 0, &field));
  lq_catalog_free(catalog);
  flip_a_bit(path, field.offset + field.bytes - 1);  // in the last time slice

  lq_verification* verification = NULL;
  CHECK_OK(lq_verification_run(path, NULL, &verification));
  lq_verdict verdict = {.struct_size = sizeof verdict};
  CHECK_OK(lq_verification_verdict(verification, &verdict));
  CHECK(!verdict.is_sound && verdict.fields == 1 && verdict.errors >= 1);
  lq_field_verdict one = {.struct_size = sizeof one};
  CHECK_OK(lq_verification_field(verification, 0, &one));
  CHECK(one.checksum_status == LQ_CHECKSUM_DIFFERS && one.damaged_count == 1 && one.damaged_slices[0] == 4);
  CHECK(one.computed.suma != one.stored.suma && one.stored.suma == field.checksum.suma);
  int errors = 0;
  for (uint64_t i = 0; i < verdict.findings; ++i) {
    lq_finding finding = {.struct_size = sizeof finding};
    CHECK_OK(lq_verification_finding(verification, i, &finding));
    CHECK(strlen(finding.message) > 0);
    errors += finding.severity == LQ_ERROR;
  }
  CHECK((uint64_t)errors == verdict.errors);
  lq_verification_free(verification);
}

static void differences_are_numbers(void) {
  const char* a = written("a.ildg", NULL);
  const double before = u[5];
  u[5] += 0.25;
  const char* b = written("b.ildg", NULL);
  u[5] = before;
  lq_difference difference = {.struct_size = sizeof difference};
  lq_diff_options options;
  CHECK_OK(lq_diff_options_init(&options, sizeof options));
  options.difference = &difference;
  int is_same = -1;
  CHECK_OK(lq_diff(a, b, &options, &is_same, NULL));
  CHECK(!is_same && !difference.is_same && difference.differing_numbers == 1 && difference.number == 5);
  CHECK(fabs(difference.largest_absolute - 0.25) < 1e-12);
  CHECK(difference.dimensions == 4 && difference.site[0] == 0 && difference.site[3] == 0);
}

static void options_are_set_by_name(void) {
  lq_write_options options;
  CHECK_OK(lq_write_options_init(&options, sizeof options));
  CHECK_OK(lq_write_options_set(&options, "chunk_bytes", "65536"));
  CHECK_OK(lq_write_options_set(&options, "sync", "none"));
  CHECK_OK(lq_write_options_set(&options, "force", "yes"));  // an older name
  CHECK_OK(lq_write_options_set(&options, "format", "scidac"));
  CHECK(options.chunk_bytes == 65536 && options.sync == LQ_SYNC_NONE && options.overwrite == 1);
  CHECK(strcmp(options.format, "scidac") == 0 && options.struct_size == sizeof options);

  CHECK_STATUS(lq_write_options_set(&options, "chunk_bytes", "-1"), LQ_INVALID_ARGUMENT);
  CHECK(strstr(lq_error_text(), "chunk_bytes") != NULL && options.chunk_bytes == 65536);
  CHECK_STATUS(lq_write_options_set(&options, "chunk_byte", "1"), LQ_INVALID_ARGUMENT);
  CHECK(strstr(lq_error_text(), "did you mean \"chunk_bytes\"?") != NULL);
  CHECK_STATUS(lq_write_options_set(&options, "metadata", "a=b"), LQ_INVALID_ARGUMENT);
  CHECK_STATUS(lq_write_options_set(NULL, "sync", "none"), LQ_INVALID_ARGUMENT);

  // A program that was compiled before there were threads.
  options.struct_size = offsetof(lq_write_options, threads);
  CHECK_STATUS(lq_write_options_set(&options, "threads", "1"), LQ_UNSUPPORTED);
  CHECK_OK(lq_write_options_set(&options, "alignment", "4096"));
  CHECK(options.alignment == 4096 && options.struct_size == offsetof(lq_write_options, threads));
}

int main(void) {
  const int64_t extents[] = {4, 2, 3, 5};
  CHECK_OK(lq_grid_self(extents, 4, &grid));
  u = calloc(4 * 2 * 3 * 5 * 72, sizeof *u);
  lq_generate_options options;
  CHECK_OK(lq_generate_options_init(&options, sizeof options));
  options.sweeps = 1;
  CHECK_OK(lq_generate(grid, lq_gauge_f64(u), &options));
  reports_tell_what_a_transfer_did();
  stripes_that_cannot_be_had_are_a_remark();
  a_struct_whose_size_is_not_set_is_refused();
  a_shorter_struct_gets_what_it_knows();
  catalogs_list_fields_records_and_texts();
  verdicts_tell_where_damage_is();
  differences_are_numbers();
  options_are_set_by_name();
  free(u);
  lq_grid_free(grid);
  return finish();
}
