// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields in memory: what a site holds, and where it is. Conventions: limequat.h.
#ifndef LIMEQUAT_C_FIELD_H
#define LIMEQUAT_C_FIELD_H

#include <stdint.h>

#include <limequat/c/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lq_kind { LQ_GAUGE = 0, LQ_SPINOR = 1, LQ_PROPAGATOR = 2, LQ_GENERIC = 3 } lq_kind;
typedef enum lq_precision { LQ_AS_IN_MEMORY = 0, LQ_SINGLE = 32, LQ_DOUBLE = 64 } lq_precision;

// Fills `site` with the numbers of the site at global coordinate x, or takes them from there.
typedef void (*lq_site_fetch)(const int64_t* x, int dimensions, void* site, void* context);
typedef void (*lq_site_store)(const int64_t* x, int dimensions, const void* site, void* context);
// The same for the `sites` sites at x, x + 1, ... along dimension `axis`, contiguous in `row`; all of them belong to
// this rank.
typedef void (*lq_row_fetch)(const int64_t* x, int dimensions, int axis, uint64_t sites, void* row, void* context);
typedef void (*lq_row_store)(const int64_t* x, int dimensions, int axis, uint64_t sites, const void* row,
                             void* context);

// The application's own table of the places of its sites or links, for lq_field.memory with places= in it:
// docs/guide/memory.md defines entry i. No two are equal; the table must exist while the field is used.
typedef struct lq_places {
  const uint64_t* table;
  uint64_t entries;
} lq_places;

// What one site holds and where this rank's sites are: in `data`, or accessed by callbacks. Layout of a site:
// gauge [mu][row][column], spinor [spin][color], propagator [sink spin][source spin][sink color][source color],
// complex numbers as re, im. Passed by value; begin with a constructor below, then change members.
typedef struct lq_field {
  int kind;             // lq_kind
  int precision;        // LQ_SINGLE or LQ_DOUBLE: of the numbers in memory
  int colors;           // N of SU(N); 3
  int spins;            // spinor and propagator; 4
  int links;            // gauge: per site; 0 is one per lattice dimension
  int is_complex;       // generic
  uint64_t numbers;     // generic: real numbers per site
  void* data;           // of the host or of a GPU; only read through by functions that write files or measure
  uint64_t available;   // real numbers at `data`; 0: as many as the grid's local sites need (not checked)
  const int* order;     // dimensions of the sites in `data` from fastest to slowest, or NULL: x fastest
  int order_length;     // dimensions in `order`
  lq_site_fetch fetch;  // instead of `data`, for functions that write
  lq_site_store store;  // instead of `data`, for functions that read
  void* context;        // passed to fetch, store and the functions for rows; or an lq_places, if `memory` has places=;
                        // refused with any other `memory`
  const char* problem;  // or NULL: why this is not a field, set by a binding of another language; every call refuses it
  // Describes `data` if it is not plain: a preset such as "milc" or "quda_host", or words such as
  // "parity=even-first links=outermost" (docs/guide/memory.md); or NULL. With links=in-arrays, `data` points to one
  // pointer for each link of a site; with norms=in-array the last pointer is to the norms, one float for each site:
  // numbers are then int16_t, and `precision` is LQ_SINGLE. Text and pointers must exist while the field is used.
  const char* memory;
  lq_row_fetch fetch_rows;  // instead of `fetch`: rows of sites
  lq_row_store store_rows;  // instead of `store`
} lq_field;

// Local. Checks a text for lq_field.memory; LQ_INVALID_ARGUMENT, whose message names the word, if it is not valid.
LQ_API lq_status lq_memory_check(const char* memory);
// Local. The number of pointers that `data` points to with this text, for a field with `links` links per site; 0:
// `data` is the memory. `has_norms`: 1 if the last of them is to norms, that is, if numbers have half precision
// (norms=).
LQ_API lq_status lq_memory_arrays(const char* memory, int links, int* pointers, int* has_norms);

// Local. SU(3), four spins, contiguous, x fastest. Pass a pointer to the first number.
LQ_API lq_field lq_gauge_f64(const void* data);
LQ_API lq_field lq_gauge_f32(const void* data);
LQ_API lq_field lq_spinor_f64(const void* data);
LQ_API lq_field lq_spinor_f32(const void* data);
LQ_API lq_field lq_propagator_f64(const void* data);
LQ_API lq_field lq_propagator_f32(const void* data);
// `numbers` counts real numbers per site: two for each complex one.
LQ_API lq_field lq_sites_f64(const void* data, uint64_t numbers, int is_complex);
LQ_API lq_field lq_sites_f32(const void* data, uint64_t numbers, int is_complex);
// Local. Returns 1 if `memory` belongs to a GPU and a driver in this process recognises it (CUDA), so that it may be
// the `data` of a field; otherwise 0.
LQ_API int lq_is_device_memory(const void* memory);

#ifdef __cplusplus
}
#endif

#endif
