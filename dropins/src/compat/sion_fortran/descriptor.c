/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * See descriptor.h. */
#include "compat/sion_fortran/descriptor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a whole array; -1 for a scalar and for arrays of assumed size: their extent is unknown. */
static sion_int64 bytes_held(const CFI_cdesc_t* data) {
  if (data->rank == 0) return -1;
  sion_int64 bytes = (sion_int64)data->elem_len;
  for (int dimension = 0; dimension < data->rank; ++dimension) {
    if (data->dim[dimension].extent < 0) return -1;
    bytes *= data->dim[dimension].extent;
  }
  return bytes;
}

static int is_packed(const CFI_cdesc_t* data) { return bytes_held(data) < 0 || CFI_is_contiguous(data); }

static int says_no(const char* caller, const char* what, sion_int64 size, sion_int64 nitems) {
  fprintf(stderr, "SION_ERROR_RETURN on rank -1, rc=0: %s: %s (%lld items of %lld bytes)\n", caller, what, nitems,
          size);
  return 0;
}

static int is_sound(const char* caller, const CFI_cdesc_t* data, sion_int64 size, sion_int64 nitems) {
  const sion_int64 held = bytes_held(data);
  sion_int64 wanted = 0;
  if (size < 0 || nitems < 0 || __builtin_mul_overflow(size, nitems, &wanted)) {
    return says_no(caller, "the size or number of items is negative or too large", size, nitems);
  }
  if (wanted > 0 && data->base_addr == NULL) return says_no(caller, "the array is not allocated", size, nitems);
  if (held >= 0 && wanted > held) return says_no(caller, "the array is too short", size, nitems);
  return 1;
}

/* Copies between a section and packed bytes, as many of them as there are in `bytes`. */
static void copy(const CFI_cdesc_t* section, char* packed, size_t bytes, int to_section) {
  CFI_index_t index[CFI_MAX_RANK] = {0};
  while (bytes > 0) {
    char* element = section->base_addr;
    for (int dimension = 0; dimension < section->rank; ++dimension) {
      element += index[dimension] * section->dim[dimension].sm;
    }
    const size_t piece = bytes < section->elem_len ? bytes : section->elem_len;
    memcpy(to_section ? element : packed, to_section ? packed : element, piece);
    packed += piece;
    bytes -= piece;
    for (int dimension = 0; dimension < section->rank; ++dimension) {
      if (++index[dimension] < section->dim[dimension].extent) break;
      index[dimension] = 0;
    }
  }
}

sion_int64 fsion_out_of_any(fsion_out* move, const char* caller, const CFI_cdesc_t* data, sion_int64 size,
                            sion_int64 nitems, int sid) {
  if (!is_sound(caller, data, size, nitems)) return (sion_int64)move(data->base_addr, 0, 0, sid);
  if (is_packed(data)) return (sion_int64)move(data->base_addr, (size_t)size, (size_t)nitems, sid);
  const size_t bytes = (size_t)size * (size_t)nitems;
  char* const packed = malloc(bytes > 0 ? bytes : 1);
  if (packed == NULL) return (sion_int64)move(data->base_addr, 0, 0, sid);
  copy(data, packed, bytes, 0);
  const size_t moved = move(packed, (size_t)size, (size_t)nitems, sid);
  free(packed);
  return (sion_int64)moved;
}

sion_int64 fsion_in_to_any(fsion_in* move, const char* caller, const CFI_cdesc_t* data, sion_int64 size,
                           sion_int64 nitems, int sid) {
  if (!is_sound(caller, data, size, nitems)) return (sion_int64)move(data->base_addr, 0, 0, sid);
  if (is_packed(data)) return (sion_int64)move(data->base_addr, (size_t)size, (size_t)nitems, sid);
  const size_t bytes = (size_t)size * (size_t)nitems;
  char* const packed = malloc(bytes > 0 ? bytes : 1);
  if (packed == NULL) return (sion_int64)move(data->base_addr, 0, 0, sid);
  const size_t moved = move(packed, (size_t)size, (size_t)nitems, sid);
  copy(data, packed, moved * (size_t)size, 1);
  free(packed);
  return (sion_int64)moved;
}
