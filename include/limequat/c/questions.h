// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Questions about files; answers are JSON text (docs/reference/json.md). Conventions: limequat.h.
#ifndef LIMEQUAT_C_QUESTIONS_H
#define LIMEQUAT_C_QUESTIONS_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lq_scan_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  uint64_t limit_records;
  uint64_t limit_text_bytes;
} lq_scan_options;

typedef enum lq_measure_mode {
  LQ_MEASURE_WHEN_IT_FITS = 0,
  LQ_MEASURE_ALWAYS = 1,
  LQ_MEASURE_NEVER = 2
} lq_measure_mode;

typedef enum lq_require { LQ_REQUIRE_CONSISTENT = 0, LQ_REQUIRE_SOUND = 1 } lq_require;

typedef struct lq_verify_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  int physics;            // lq_measure_mode, for gauge fields
  uint64_t memory_bytes;  // of all ranks together, for LQ_MEASURE_WHEN_IT_FITS
  uint64_t block_bytes;
  uint64_t limit_records;
  uint64_t limit_text_bytes;
  lq_progress progress;  // or NULL
  void* progress_context;
  int threads;       // of this rank; 0: as many as it has cores to itself
  int require;       // lq_require: the verdict that is good enough
  int observables;   // of gauge fields: Wilson and Polyakov loops, charge, energy; default 0
  int flow_steps;    // of gradient flow; more than 0 implies `observables`
  double flow_step;  // 0.01
} lq_verify_options;

typedef struct lq_convert_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  const lq_write_options* write;  // of the new file, or NULL; its report_json is not used
  int dry_run;                    // check everything, write nothing
  uint64_t limit_records;
  uint64_t limit_text_bytes;
  lq_progress progress;  // or NULL
  void* progress_context;
  int allow_loss;      // omit what the new file cannot store; default 0: refuse
  int accept_damage;   // convert data that look damaged; default 0: refuse
  const char* field;   // of the source, or NULL: all of them
  uint64_t index;      // which of those with that name
  const char* region;  // "t=0:8,x=:4" or "t=5": a part of the lattice, which becomes a whole one; or NULL: all stored sites
} lq_convert_options;

typedef struct lq_diff_options {
  size_t struct_size;  // set by init
  const lq_communicator* communicator;
  double tolerance;   // absolute
  const char* field;  // or NULL: the first
  uint64_t index;
  uint64_t limit_records;
  uint64_t limit_text_bytes;
  lq_progress progress;  // or NULL
  void* progress_context;
  struct lq_difference* difference;  // or NULL: the answer as a struct
  int threads;                       // of this rank; 0: as many as it has cores to itself
} lq_diff_options;

typedef struct lq_diagnose_options {
  size_t struct_size;  // set by init
  const char* field;   // or NULL: the first
  uint64_t index;
  const char* lattice;   // "8x8x8x16", or NULL: as the header says
  const char* sums;      // "a2c41090/11193c39", or NULL: as the file states
  uint64_t whole_bytes;  // larger fields are only sampled
  double seconds;        // time limit for trying orders of the sites; default 60
  const char* rewrite;   // path of a new file with the numbers in the right order, or NULL
  int overwrite;         // replace an existing one; default 0
  uint64_t limit_records;
  uint64_t limit_text_bytes;
  lq_progress progress;  // or NULL
  void* progress_context;
  int threads;  // 0: as many as the process has cores to itself
  int reading;  // number of the listed reading to use, from 1; default 0: the proven one
} lq_diagnose_options;

LQ_API lq_status lq_scan_options_init(lq_scan_options* options, size_t struct_size);
LQ_API lq_status lq_scan_options_set(lq_scan_options* options, const char* name, const char* value);
LQ_API lq_status lq_verify_options_init(lq_verify_options* options, size_t struct_size);
LQ_API lq_status lq_verify_options_set(lq_verify_options* options, const char* name, const char* value);
LQ_API lq_status lq_diagnose_options_init(lq_diagnose_options* options, size_t struct_size);
LQ_API lq_status lq_diagnose_options_set(lq_diagnose_options* options, const char* name, const char* value);
LQ_API lq_status lq_convert_options_init(lq_convert_options* options, size_t struct_size);
LQ_API lq_status lq_convert_options_set(lq_convert_options* options, const char* name, const char* value);
LQ_API lq_status lq_diff_options_init(lq_diff_options* options, size_t struct_size);
LQ_API lq_status lq_diff_options_set(lq_diff_options* options, const char* name, const char* value);

// Local. All formats: name, what their files hold, suffixes.
LQ_API lq_status lq_formats(char** json);
// Local. What the library was built with: an array of objects with name, is_present and note, which gives the reason if
// it is absent.
LQ_API lq_status lq_build_parts(char** json);
// Collective. The contents of the file: records, fields, metadata, findings.
LQ_API lq_status lq_inspect(const char* path, const lq_scan_options* options, char** json);
// Collective. Checks structure, sizes, checksums and physics. A damaged file is an answer, not a failure: *is_sound is
// 0. `json` may be NULL.
LQ_API lq_status lq_verify(const char* path, const lq_verify_options* options, int* is_sound, char** json);
// Local. Reports in words what is wrong with a file, as `lq diagnose`; the answer as JSON. A wrong file is an answer,
// not a failure: *is_ok is 0.
LQ_API lq_status lq_diagnose(const char* path, const lq_diagnose_options* options, int* is_ok, char** json);
// Collective. Converts any format to any other; checksums are verified in transit. `json` may be NULL.
LQ_API lq_status lq_convert(const char* from, const char* to, const lq_convert_options* options, char** json);
// Collective. Writes a small HDF5 file `to` that shows the fields of `from` without copying their numbers.
LQ_API lq_status lq_export_virtual(const char* from, const char* to, const lq_convert_options* options);
// Collective. Compares two fields number by number. `json` may be NULL.
LQ_API lq_status lq_diff(const char* a, const char* b, const lq_diff_options* options, int* is_same, char** json);
// Local. lq_validate returns the rules of the format that the file breaks, lq_explain every header byte with its name.
LQ_API lq_status lq_validate(const char* path, const lq_scan_options* options, char** json);
LQ_API lq_status lq_explain(const char* path, const lq_scan_options* options, char** json);
// Local. LQ_INVALID_ARGUMENT if the file has data: it is of a known format, intact or damaged, a catalogue, or parity.
// `made` ("a text") is what would replace it. Files without data and free names are accepted.
LQ_API lq_status lq_require_replaceable(const char* path, const char* made);

#ifdef __cplusplus
}
#endif

#endif
