// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers that programs have compiled in: statuses, enumerations, places of members. A failure here means that
// existing binaries would misunderstand the library.
#include <stddef.h>

#include "check.h"

#define PIN(name, value) CHECK((int)(name) == (value))
#define PLACE(type, member, offset) CHECK(offsetof(type, member) == (offset))

static void statuses_are_pinned(void) {
  PIN(LQ_OK, 0);
  PIN(LQ_INVALID_ARGUMENT, 10);
  PIN(LQ_RANKS_DISAGREE, 11);
  PIN(LQ_WRONG_STATE, 12);
  PIN(LQ_UNSUPPORTED, 13);
  PIN(LQ_NOT_FOUND, 20);
  PIN(LQ_EXISTS, 21);
  PIN(LQ_NO_PERMISSION, 22);
  PIN(LQ_NO_SPACE, 23);
  PIN(LQ_IO, 24);
  PIN(LQ_UNKNOWN_FORMAT, 30);
  PIN(LQ_MALFORMED, 31);
  PIN(LQ_TRUNCATED, 32);
  PIN(LQ_CHECKSUM_MISMATCH, 33);
  PIN(LQ_NO_SUCH_RECORD, 34);
  PIN(LQ_OUT_OF_MEMORY, 40);
  PIN(LQ_TOO_LARGE, 41);
  PIN(LQ_COMMUNICATION, 50);
  PIN(LQ_INTERNAL, 90);
}

static void enumerations_are_pinned(void) {
  PIN(LQ_GAUGE, 0);
  PIN(LQ_SPINOR, 1);
  PIN(LQ_PROPAGATOR, 2);
  PIN(LQ_GENERIC, 3);
  PIN(LQ_AS_IN_MEMORY, 0);
  PIN(LQ_SINGLE, 32);
  PIN(LQ_DOUBLE, 64);
  PIN(LQ_VERIFY_NONE, 0);
  PIN(LQ_VERIFY_CHECKSUM, 1);
  PIN(LQ_VERIFY_READ_BACK, 2);
  PIN(LQ_SYNC_NONE, 0);
  PIN(LQ_SYNC_DATA, 1);
  PIN(LQ_SYNC_FULL, 2);
  PIN(LQ_AUTO, 0);
  PIN(LQ_DIRECT, 1);
  PIN(LQ_SHARED, 2);
  PIN(LQ_PULL, 3);
  PIN(LQ_MESSAGES, 4);
  PIN(LQ_MEASURE_WHEN_IT_FITS, 0);
  PIN(LQ_MEASURE_ALWAYS, 1);
  PIN(LQ_MEASURE_NEVER, 2);
}

// On machines with 64-bit pointers, which are all we know of.
static void members_keep_their_places(void) {
  if (sizeof(void*) != 8) return;
  PLACE(lq_field, numbers, 24);
  PLACE(lq_field, data, 32);
  PLACE(lq_field, available, 40);
  PLACE(lq_field, order, 48);
  PLACE(lq_field, fetch, 64);
  PLACE(lq_field, store, 72);
  PLACE(lq_field, context, 80);
  CHECK(sizeof(lq_field) == 120);
  PLACE(lq_write_options, format, 8);
  PLACE(lq_write_options, precision, 24);
  PLACE(lq_write_options, slice_checksums, 44);
  PLACE(lq_write_options, block_bytes, 48);
  PLACE(lq_write_options, report_json, 72);
  PLACE(lq_write_options, strategy, 80);
  PLACE(lq_write_options, memory_bytes, 112);
  PLACE(lq_write_options, threads, 120);
  PLACE(lq_write_options, report, 128);
  PLACE(lq_write_options, profile, 136);
  PLACE(lq_write_options, layout, 144);
  PLACE(lq_write_options, dataset_chunk, 152);
  PLACE(lq_write_options, filters, 160);
  PLACE(lq_write_options, time_stamps, 168);
  PLACE(lq_write_options, parts, 176);
  PLACE(lq_read_options, region_lower, 24);
  PLACE(lq_read_options, verify, 44);
  PLACE(lq_read_options, report_json, 72);
  PLACE(lq_read_options, strategy, 80);
  PLACE(lq_read_options, memory_bytes, 112);
  PLACE(lq_read_options, threads, 120);
  PLACE(lq_read_options, report, 128);
  PLACE(lq_read_options, profile, 136);
  PLACE(lq_scan_options, communicator, 8);
  PLACE(lq_verify_options, memory_bytes, 24);
  PLACE(lq_verify_options, progress_context, 64);
  PLACE(lq_convert_options, write, 16);
  PLACE(lq_convert_options, progress_context, 56);
  PLACE(lq_diff_options, field, 24);
  PLACE(lq_diff_options, progress_context, 64);
  PLACE(lq_plan_options, payload_offset, 16);
  PLACE(lq_plan_options, strategy, 48);
  PLACE(lq_plan_options, memory_bytes, 80);
  PLACE(lq_generate_options, seed, 24);
  PLACE(lq_generate_options, context, 48);
}

int main(void) {
  statuses_are_pinned();
  enumerations_are_pinned();
  members_keep_their_places();
  return finish();
}
