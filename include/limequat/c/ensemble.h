// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Catalogues of ensembles, and QCDml documents. Conventions: limequat.h.
#ifndef LIMEQUAT_C_ENSEMBLE_H
#define LIMEQUAT_C_ENSEMBLE_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/questions.h>

#ifdef __cplusplus
extern "C" {
#endif

// Catalogues of ensembles. All functions are local; docs/reference/json.md describes `json`.
typedef struct lq_catalogue_options {
  size_t struct_size;      // set by init
  const char* db;          // file of the catalogue; NULL: "lq-catalogue.db" of this folder or the nearest one above
  int threads;             // that read files; 0: one for each core
  int forget;              // lq_index: remove files that no longer exist from the catalogue; default 0
  const char* since;       // lq_scrub: files verified within this time are not due, "30d"; NULL: all are
  int physics;             // lq_scrub: LQ_MEASURE_*; default when it fits
  const char* sort;        // lq_find: column to sort by, "-trajectory" descending; NULL: by path
  uint64_t most;           // lq_find: maximum number of files; 0: all
  const char* title;       // lq_report_page; NULL: the folder
  int overwrite;           // lq_report_page: replace an existing file; default 0
  uint64_t limit_records;  // as in lq_scan_options
  uint64_t limit_text_bytes;
  lq_progress progress;  // files done, and all of them; or NULL
  void* progress_context;
  const char* exclude;  // lq_index, lq_report_page: patterns of names or paths to leave out, with commas; or NULL
  const char* which;    // lq_scrub: a folder, or an expression; NULL: all
  const char* rate;     // lq_scrub: maximum bytes per second, "100M"; NULL: no limit
  int observables;      // lq_index: measure gauge fields without stored observables; default 0
  int flow_steps;       // lq_index: of gradient flow; more than 0 implies `observables`
  double flow_step;     // 0.01
} lq_catalogue_options;
LQ_API lq_status lq_catalogue_options_init(lq_catalogue_options* options, size_t struct_size);
LQ_API lq_status lq_catalogue_options_set(lq_catalogue_options* options, const char* name, const char* value);
// How packed files (compressed ones, archives) are opened. Any thread calls these functions, and several at a time.
typedef struct lq_unpacker {
  size_t struct_size;  // set by you: sizeof(lq_unpacker)
  // Opens a packed file: `text` becomes the path by which its contents can be read, and NULL for a file that is not
  // packed. Another status than LQ_OK is a failure: `text` says why, or is NULL.
  lq_status (*open)(void* context, const char* path, const char** text);
  void (*close)(void* context, const char* text);  // called once for each text: it is not needed any longer
  void* context;
} lq_unpacker;
// Local. Makes lq_verify_below, lq_index, lq_scrub and lq_report_page judge packed files that should be lattice files
// by their contents. The table is copied; what it refers to must exist until the next call. NULL: such files are
// unreadable, as by default. LQ_INVALID_ARGUMENT: open or close is missing.
LQ_API lq_status lq_set_unpacker(const lq_unpacker* unpacker);
// Stores the facts in the headers of the lattice files below `count` folders in the catalogue; none: as before.
LQ_API lq_status lq_index(const char* const* folders, uint64_t count, const lq_catalogue_options* options, char** json);
// Returns the files that match an expression, "beta=6.0 trajectory>=1000"; "" matches all.
LQ_API lq_status lq_find(const char* expression, const lq_catalogue_options* options, char** json);
// Verifies the files that are due. `is_ok`: none fails.
LQ_API lq_status lq_scrub(const lq_catalogue_options* options, int* is_ok, char** json);
// Verifies the lattice files below `count` folders, and files that are named directly, as `lq verify -r`: entries,
// verdicts, files of the catalogue that no longer exist, files of other programs. `is_ok`: all files that should be
// lattice files are as good as options->require. One process with options->threads files at a time; progress counts
// files.
LQ_API lq_status lq_verify_below(const char* const* paths, uint64_t count, const lq_verify_options* options, int* is_ok,
                                 char** json);
// Duplicates, gaps in trajectory numbers, outliers of the plaquette and of the charge, files unlike their series.
LQ_API lq_status lq_assess(const lq_catalogue_options* options, char** json);
// A page of HTML about the files of the folders; none: all of the catalogue. `json` may be NULL.
LQ_API lq_status lq_report_page(const char* const* folders, uint64_t count, const char* page,
                                const lq_catalogue_options* options, char** json);

// QCDml documents of configurations, as catalogues of ILDG require them. All functions are local.
typedef struct lq_qcdml_options {
  size_t struct_size;           // set by init
  const char* schema;           // "1.3" or "2.0"; NULL: 1.3
  const char* crc;              // what the checksum covers: "data" or "file"; NULL: data
  const lq_metadata* metadata;  // texts of the document by path, "markovStep/series"
  size_t metadata_count;
  uint64_t limit_records;  // as in lq_scan_options
  uint64_t limit_text_bytes;
} lq_qcdml_options;
LQ_API lq_status lq_qcdml_options_init(lq_qcdml_options* options, size_t struct_size);
LQ_API lq_status lq_qcdml_options_set(lq_qcdml_options* options, const char* name, const char* value);
// The document of a file: its text, sums, and what is missing in it.
LQ_API lq_status lq_ildg_document(const char* path, const lq_qcdml_options* options, char** json);
// Compares a file with a document; NULL for `document`: only with the rules of ILDG.
LQ_API lq_status lq_ildg_check(const char* path, const char* document, const lq_qcdml_options* options, int* is_ok,
                               char** json);
// The logical file name in a file.
LQ_API lq_status lq_ildg_lfn(const char* path, const lq_qcdml_options* options, char** json);

#ifdef __cplusplus
}
#endif

#endif
