// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The answers of lq_diff, lq_inspect and lq_verify as structs; single records and sites. Conventions: limequat.h.
#ifndef LIMEQUAT_C_CATALOG_H
#define LIMEQUAT_C_CATALOG_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/questions.h>

#ifdef __cplusplus
extern "C" {
#endif

// The difference between the fields of two files; the JSON names the fields.
typedef struct lq_difference {
  size_t struct_size;  // set by you
  int is_same;         // no number differs by more than the tolerance, and both have the same fields
  double largest_absolute;
  double largest_relative;          // |a - b| / max(|a|, |b|)
  int dimensions;                   // of the site; 0: nothing differs
  int64_t site[LQ_MAX_DIMENSIONS];  // of the largest absolute difference
  uint64_t number;                  // which number of that site
  double a, b;                      // the two values there
  uint64_t differing_numbers;
  uint64_t compared_numbers;
  uint64_t compared_fields;
  uint64_t unpaired_fields;  // that only one of the files has
} lq_difference;

// The answer of lq_inspect, item by item. Texts belong to the catalog and are valid while it exists.
typedef struct lq_catalog lq_catalog;

typedef struct lq_file_info {
  size_t struct_size;                            // set by you
  const char* format;                            // "ildg", "scidac", ...
  uint64_t bytes;                                // of all physical files
  int is_complete;                               // 0: the file ends early
  uint64_t records, fields, findings, metadata;  // how many there are
  uint64_t errors;                               // findings that make the file unusable in part or completely
} lq_file_info;

typedef struct lq_record_info {
  size_t struct_size;  // set by you
  const char* type;
  int file;  // which physical file
  uint64_t header_offset;
  uint64_t offset;  // of the payload
  uint64_t bytes;   // of the payload
} lq_record_info;

typedef struct lq_field_info {
  size_t struct_size;  // set by you
  const char* name;
  lq_spec spec;
  int dimensions;
  int64_t extents[LQ_MAX_DIMENSIONS];
  uint64_t offset;    // of the sites
  uint64_t bytes;     // of the sites
  uint64_t record;    // number of the record that holds them
  uint64_t metadata;  // texts that belong to this field
  int has_checksum;
  lq_checksum checksum;  // as stored
  int has_plaquette;
  int has_link_trace;
  double plaquette;  // as the file's texts state it
  double link_trace;
} lq_field_info;

typedef enum lq_severity { LQ_NOTE = 0, LQ_WARNING = 1, LQ_ERROR = 2 } lq_severity;

typedef struct lq_finding {
  size_t struct_size;   // set by you
  int severity;         // lq_severity
  int code;             // of errors: the lq_status that a reader returns
  const char* rule;     // stable: "lime-magic"
  const char* message;  // a sentence
  const char* record;   // type of the record concerned, or ""
  int64_t offset;       // first byte concerned, or -1
  int64_t bytes;        // concerned, or -1
} lq_finding;

// Collective.
LQ_API lq_status lq_catalog_open(const char* path, const lq_scan_options* options, lq_catalog** catalog);
LQ_API void lq_catalog_free(lq_catalog* catalog);
// Local. Numbers count from 0; a number beyond the last is LQ_INVALID_ARGUMENT.
LQ_API lq_status lq_catalog_file(const lq_catalog* catalog, lq_file_info* info);
LQ_API lq_status lq_catalog_record(const lq_catalog* catalog, uint64_t number, lq_record_info* info);
LQ_API lq_status lq_catalog_field(const lq_catalog* catalog, uint64_t number, lq_field_info* info);
LQ_API lq_status lq_catalog_finding(const lq_catalog* catalog, uint64_t number, lq_finding* finding);
// Local. A text of the file, or of a field.
LQ_API lq_status lq_catalog_metadata(const lq_catalog* catalog, uint64_t number, lq_metadata* text);
LQ_API lq_status lq_catalog_field_metadata(const lq_catalog* catalog, uint64_t field, uint64_t number,
                                           lq_metadata* text);

// The answer of lq_verify, item by item. Texts and slices belong to the verification and are valid while it exists.
typedef struct lq_verification lq_verification;

// The result of an examination, best first; only the first two are called OK (lq::Verdict explains each).
typedef enum lq_verdict_kind {
  LQ_VERDICT_SOUND = 0,
  LQ_VERDICT_CONSISTENT = 1,
  LQ_VERDICT_UNPROVEN = 2,
  LQ_VERDICT_DAMAGED = 3,
  LQ_VERDICT_INCOMPLETE = 4,
  LQ_VERDICT_BEING_WRITTEN = 5,
  LQ_VERDICT_UNREADABLE = 6,
  LQ_VERDICT_FOREIGN = 7
} lq_verdict_kind;

typedef enum lq_evidence {
  LQ_EVIDENCE_EXACT_SUM = 0,
  LQ_EVIDENCE_SECOND_COPY = 1,
  LQ_EVIDENCE_WEAK_SUM = 2,
  LQ_EVIDENCE_CHECK_VALUE = 3,
  LQ_EVIDENCE_STRUCTURE = 4,
  LQ_EVIDENCE_NATURE = 5
} lq_evidence;

typedef enum lq_outcome {
  LQ_OUTCOME_AGREES = 0,
  LQ_OUTCOME_DIFFERS = 1,
  LQ_OUTCOME_UNREADABLE = 2,
  LQ_OUTCOME_MISSING = 3,
  LQ_OUTCOME_ABSENT = 4,
  LQ_OUTCOME_UNCHECKED = 5,
  LQ_OUTCOME_UNCOVERED = 6  // texts that no checksum of the format covers
} lq_outcome;

// A claim about some content of the file, and whether it holds.
typedef struct lq_claim {
  size_t struct_size;  // set by you
  const char* of;      // a field ("gauge", "spinor:3"), a small object ("/pion"), "index", "chunks"
  const char* name;    // "scidac", "sha256", "plaquette"
  int evidence;        // lq_evidence
  int outcome;         // lq_outcome
  int has_offset;
  uint64_t offset;  // of the content
  int has_length;
  uint64_t length;
} lq_claim;

typedef struct lq_verdict {
  size_t struct_size;  // set by you
  int is_sound;        // the verdict is as good as required
  const char* format;
  uint64_t fields, findings;  // how many there are
  uint64_t errors;            // number of findings that are errors
  uint64_t chunks_checked;    // of a checkpoint
  uint64_t fields_checked;    // of a checkpoint
  int verdict;                // lq_verdict_kind
  uint64_t claims;            // how many there are
} lq_verdict;

typedef struct lq_field_verdict {
  size_t struct_size;  // set by you
  const char* name;
  uint64_t index;       // which of those with that name
  int checksum_status;  // lq_checksum_status
  int has_stored;
  lq_checksum computed;
  lq_checksum stored;
  uint64_t zero_sites;            // gauge: sites that are all zero
  const int64_t* damaged_slices;  // time slices whose stored checksum differs
  uint64_t damaged_count;
  int has_physics;  // gauge: the rest was measured
  double plaquette, spatial_plaquette, temporal_plaquette;
  double link_trace;
  double unitarity;     // largest |element| of U U^dagger - 1
  uint64_t not_finite;  // numbers that are NaN or infinite
} lq_field_verdict;

// Collective.
LQ_API lq_status lq_verification_run(const char* path, const lq_verify_options* options,
                                     lq_verification** verification);
LQ_API void lq_verification_free(lq_verification* verification);
// Local.
LQ_API lq_status lq_verification_verdict(const lq_verification* verification, lq_verdict* verdict);
LQ_API lq_status lq_verification_field(const lq_verification* verification, uint64_t number, lq_field_verdict* verdict);
LQ_API lq_status lq_verification_finding(const lq_verification* verification, uint64_t number, lq_finding* finding);
LQ_API lq_status lq_verification_claim(const lq_verification* verification, uint64_t number, lq_claim* claim);

// Local. Passes the bytes of record number `index` (from 0) of that type to `sink` in pieces.
typedef void (*lq_sink)(const void* data, uint64_t bytes, void* context);
LQ_API lq_status lq_read_record(const char* path, const char* type, uint64_t index, lq_sink sink, void* context);
// Local. The numbers of one site; `numbers` has space for `capacity` of them, *count is their number.
// With `numbers` NULL and `capacity` 0 only the count is returned. LQ_INVALID_ARGUMENT if there is too little space.
LQ_API lq_status lq_read_site(const char* path, const int64_t* x, int dimensions, const lq_read_options* options,
                              double* numbers, uint64_t capacity, uint64_t* count);

#ifdef __cplusplus
}
#endif

#endif
