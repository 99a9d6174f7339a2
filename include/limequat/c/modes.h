// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of modes (docs/guide/modes.md). Conventions: limequat.h.
#ifndef LIMEQUAT_C_MODES_H
#define LIMEQUAT_C_MODES_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/background.h>
#include <limequat/c/questions.h>

#ifdef __cplusplus
extern "C" {
#endif

// Many vectors on one lattice in one file, each with its eigenvalue: open for reading, and open for appending.
typedef struct lq_modes lq_modes;
typedef struct lq_modes_writer lq_modes_writer;

// LQ_MODES_FIXED16: 16-bit integers; errors are at most 1/65000 of the largest number of the site.
typedef enum lq_modes_storage { LQ_MODES_FIXED16 = 16, LQ_MODES_SINGLE = 32, LQ_MODES_DOUBLE = 64 } lq_modes_storage;
// The sites of one parity are a lattice of half the extent in x (limequat/modes.hpp says which site is where).
typedef enum lq_modes_parity { LQ_MODES_BOTH = 0, LQ_MODES_EVEN = 1, LQ_MODES_ODD = 2 } lq_modes_parity;
typedef enum lq_modes_type {
  LQ_MODES_INTEGER = 0,  // .integer
  LQ_MODES_REAL = 1,     // .re
  LQ_MODES_COMPLEX = 2,  // .re, .im
  LQ_MODES_TEXT = 3      // .text
} lq_modes_type;

// A number or a text about the operator or the solver.
typedef struct lq_modes_parameter {
  const char* name;
  int type;  // lq_modes_type
  int64_t integer;
  double re, im;
  const char* text;
} lq_modes_parameter;

// What all vectors of a set have in common.
typedef struct lq_modes_description {
  size_t struct_size;  // set by init; set it yourself for an answer
  int dimensions;
  int64_t lattice[LQ_MAX_DIMENSIONS];  // of the gauge field
  int kind;                            // of a vector at a site: LQ_SPINOR, LQ_PROPAGATOR or LQ_GENERIC; default spinor
  int colors, spins;                   // default 3, 4
  int is_complex;                      // generic; default 1
  uint64_t numbers;                    // real numbers per site, for one s; generic
  int storage;                         // lq_modes_storage; default LQ_MODES_DOUBLE
  int parity;                          // lq_modes_parity; default LQ_MODES_BOTH
  int64_t ls;                          // extent of the fifth dimension, slowest within a site; default 1
  const char* operator_name;           // or NULL
  const lq_modes_parameter* parameters;
  size_t parameter_count;
  uint64_t room;  // capacity of the first block of the index in modes; the index grows if needed; default 512
  // Local coherence: the first `basis` modes are stored whole; all others as their coefficients in each block of sites,
  // whose extents have the dimensions of the lattice. A mode whose error would exceed `tolerance`, relative to its
  // norm, is stored whole, too. Default 0: store every mode whole.
  uint64_t basis;
  int64_t block[LQ_MAX_DIMENSIONS];
  double tolerance;  // default 0.01
} lq_modes_description;

// The facts about one vector.
typedef struct lq_mode {
  double eigenvalue_re, eigenvalue_im;
  double residual;  // norm of (operator - eigenvalue) vector; negative: not known
} lq_mode;

LQ_API lq_status lq_modes_description_init(lq_modes_description* description, size_t struct_size);

// Collective. Creates a new set, which exists, without modes, when this returns; or opens an existing one for
// appending. With overwrite an existing file stays until the first mode is in the new set, or until a set without modes
// is closed; no program can append to it until then. The options used are overwrite, sync, verify, block_bytes and
// those of the route; options may be NULL. LQ_IO: another program is appending to the set, or to the file to be
// replaced.
LQ_API lq_status lq_modes_create(const char* path, const lq_grid* grid, const lq_modes_description* description,
                                 const lq_write_options* options, lq_modes_writer** writer);
LQ_API lq_status lq_modes_append(const char* path, const lq_grid* grid, const lq_write_options* options,
                                 lq_modes_writer** writer);
// Collective. When it returns, the vector is in the set permanently; if it fails, the set is unchanged. `report_json`
// may be NULL. LQ_IO: another program has replaced the set; the new one is not changed.
LQ_API lq_status lq_modes_writer_append(lq_modes_writer* writer, lq_field vector, const lq_mode* mode,
                                        char** report_json);
LQ_API uint64_t lq_modes_writer_size(const lq_modes_writer* writer);  // modes in the set
// Collective. Other programs may append to the set from then on. Without it, freeing a writer that has no mode yet
// leaves the file that it was to replace.
LQ_API lq_status lq_modes_writer_close(lq_modes_writer* writer);
LQ_API void lq_modes_writer_free(lq_modes_writer* writer);
// Collective. Writes a whole set; modes[k] describes vectors[k].
LQ_API lq_status lq_modes_write(const char* path, const lq_grid* grid, const lq_modes_description* description,
                                const lq_field* vectors, const lq_mode* modes, size_t count,
                                const lq_write_options* options);
// The same; `report_json`, which may be NULL, receives the warnings about all vectors.
LQ_API lq_status lq_modes_write_reported(const char* path, const lq_grid* grid, const lq_modes_description* description,
                                         const lq_field* vectors, const lq_mode* modes, size_t count,
                                         const lq_write_options* options, char** report_json);

// Collective over the options' communicator.
LQ_API lq_status lq_modes_open(const char* path, const lq_scan_options* options, lq_modes** set);
LQ_API void lq_modes_free(lq_modes* set);
// Local. The number of modes; the description of the set, whose texts are valid while the handle exists; and the facts
// about mode number k, from 0.
LQ_API uint64_t lq_modes_size(const lq_modes* set);
LQ_API lq_status lq_modes_known(lq_modes* set, lq_modes_description* description);
LQ_API lq_status lq_modes_mode(const lq_modes* set, uint64_t k, lq_mode* mode);
// Local. An upper bound on the error of mode k, as read in double precision, relative to its norm, if it is stored as
// coefficients; negative: it is stored whole.
LQ_API lq_status lq_modes_error(const lq_modes* set, uint64_t k, double* error);
// Collective. Vector number k, on any process grid of the sites, in any precision; field and index of the options are
// not used. For background reads, call lq_modes_read_async for the next vectors before you work on this one.
LQ_API lq_status lq_modes_read(const lq_modes* set, uint64_t k, const lq_grid* grid, lq_field vector,
                               const lq_read_options* options);
LQ_API lq_status lq_modes_read_async(const lq_modes* set, uint64_t k, const lq_grid* grid, lq_field vector,
                                     const lq_read_options* options, lq_pending** pending);
// Collective over the communicator, or NULL. Makes a set from the modes first to last - 1 of another one (a `last`
// above their number means all), stored as lq_modes_storage says; 0: unchanged.
LQ_API lq_status lq_modes_convert(const char* from, const char* to, int storage, uint64_t first, uint64_t last,
                                  int overwrite, const lq_communicator* communicator);

// The same for all modes, with local coherence as in lq_modes_description; `block` has the dimensions of the lattice.
LQ_API lq_status lq_modes_convert_coherent(const char* from, const char* to, int storage, uint64_t basis,
                                           const int64_t* block, double tolerance, int overwrite,
                                           const lq_communicator* communicator);

// Sets of vectors of QUDA, MILC, Grid, Hadrons (a file, or a folder of files v0.bin, ...), QDP++ (.mod) and of
// eigen-comp (a folder) are opened and converted like sets of modes. These two functions also take facts that the files
// do not state: the extent `ls` of the fifth dimension (QUDA; 1), the parity of vectors on half of the sites (Grid), an
// lq_modes_parity (LQ_MODES_BOTH: not given), and the four extents of the lattice (eigen-comp; NULL: not given).
// `format` of the new set is "modes" or NULL, "quda", "milc", "grid", "grid-folder" or "mod". Vectors of other programs
// cannot be read in the background (LQ_UNSUPPORTED).
LQ_API lq_status lq_modes_open_vectors(const char* path, int64_t ls, int parity, const int64_t* lattice,
                                       const lq_scan_options* options, lq_modes** set);
LQ_API lq_status lq_modes_convert_vectors(const char* from, const char* to, const char* format, int64_t ls, int parity,
                                          const int64_t* lattice, int storage, uint64_t first, uint64_t last,
                                          int overwrite, const lq_communicator* communicator);
// Collective. All that a conversion can be asked for: as lq_modes_convert_vectors and, with basis > 0,
// lq_modes_convert_coherent. Of the options, or NULL, overwrite and those of the route (strategy, ...) are used: they
// say how the new set is written. For "quda" LQ_AUTO means LQ_DIRECT, which is LQ_UNSUPPORTED where two clients must
// not write into one block: take LQ_MESSAGES there.
LQ_API lq_status lq_modes_convert_with(const char* from, const char* to, const char* format, int64_t ls, int parity,
                                       const int64_t* lattice, int storage, uint64_t first, uint64_t last,
                                       uint64_t basis, const int64_t* block, double tolerance,
                                       const lq_write_options* options, const lq_communicator* communicator);
// The same; `report_json`, which may be NULL, gets warnings: of numbers that are NaN or infinite, and where the new
// format has no place for what a repair has said of the set.
LQ_API lq_status lq_modes_convert_reported(const char* from, const char* to, const char* format, int64_t ls, int parity,
                                           const int64_t* lattice, int storage, uint64_t first, uint64_t last,
                                           uint64_t basis, const int64_t* block, double tolerance,
                                           const lq_write_options* options, const lq_communicator* communicator,
                                           char** report_json);
// Local. Who wrote the set: "modes" (this library), "quda", "milc", "grid", "mod", "eigen-comp"; the text lives for
// ever.
LQ_API const char* lq_modes_family(const lq_modes* set);

#ifdef __cplusplus
}
#endif

#endif
