/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Queries of an open multifile from Fortran. */
#include <stdio.h>
#include <string.h>

#include "compat/sion_fortran/face.h"

/* The last four are set to addresses of arrays that live until the close, as in SIONlib: a program gives integers of 8
 * bytes, or Cray pointers. */
#define LOCATIONS                                                                                       \
  (const int* sid, int* ntasks, int* maxblocks, sion_int64* globalskip, sion_int64* start_of_varheader, \
   sion_int64* chunksizes, sion_int64* globalranks, sion_int64* blockcount, sion_int64* blocksizes, int* ierr)
void fsion_get_locations_ LOCATIONS {
  sion_int64* arrays[4] = {NULL, NULL, NULL, NULL};
  *ierr = sion_get_locations(*sid, ntasks, maxblocks, globalskip, start_of_varheader, &arrays[0], &arrays[1],
                             &arrays[2], &arrays[3]);
  *chunksizes = (intptr_t)arrays[0];
  *globalranks = (intptr_t)arrays[1];
  *blockcount = (intptr_t)arrays[2];
  *blocksizes = (intptr_t)arrays[3];
}
FSION_NAMES(void, fsion_get_locations, LOCATIONS);

#define CURRENT_LOCATIONS (const int* sid, int* ntasks, sion_int64* currentpos, sion_int64* currentblocknr, int* ierr)
void fsion_get_current_locations_ CURRENT_LOCATIONS {
  sion_int64* positions = NULL;
  sion_int64* blocks = NULL;
  *ierr = sion_get_current_locations(*sid, ntasks, &positions, &blocks);
  *currentpos = (intptr_t)positions;
  *currentblocknr = (intptr_t)blocks;
}
FSION_NAMES(void, fsion_get_current_locations, CURRENT_LOCATIONS);

/* Chunk widths and ranks of all tasks; the number of tasks, or -1. */
static int tasks_of(int sid, sion_int64** widths, sion_int64** ranks) {
  int tasks = 0;
  int blocks = 0;
  sion_int64 skip = 0;
  sion_int64 tail = 0;
  sion_int64* counts = NULL;
  sion_int64* used = NULL;
  const int found = sion_get_locations(sid, &tasks, &blocks, &skip, &tail, widths, ranks, &counts, &used);
  return found > 0 && *widths != NULL && *ranks != NULL ? tasks : -1;
}

#define CHUNKSIZES (const int* sid, sion_int64* chunksizes, int* ierr)
void fsion_get_chunksizes_ CHUNKSIZES {
  sion_int64* widths = NULL;
  sion_int64* ranks = NULL;
  const int tasks = tasks_of(*sid, &widths, &ranks);
  if (tasks > 0) memcpy(chunksizes, widths, (size_t)tasks * sizeof(sion_int64));
  *ierr = tasks >= 0 ? SION_SUCCESS : SION_ID_NOT_VALID;
}
FSION_NAMES(void, fsion_get_chunksizes, CHUNKSIZES);

#define GLOBALRANKS (const int* sid, int* globalranks, int* ierr)
void fsion_get_globalranks_ GLOBALRANKS {
  sion_int64* widths = NULL;
  sion_int64* ranks = NULL;
  const int tasks = tasks_of(*sid, &widths, &ranks);
  for (int task = 0; task < tasks; ++task) globalranks[task] = (int)ranks[task];
  *ierr = tasks >= 0 ? SION_SUCCESS : SION_ID_NOT_VALID;
}
FSION_NAMES(void, fsion_get_globalranks, GLOBALRANKS);

#define MAPPING_SPEC (const int* sid, int* mapping_size, int* numfiles, int* ierr)
void fsion_get_mapping_spec_ MAPPING_SPEC {
  sion_int32* mapping = NULL;
  *ierr = sion_get_mapping(*sid, mapping_size, &mapping, numfiles);
}
FSION_NAMES(void, fsion_get_mapping_spec, MAPPING_SPEC);

#define MAPPING (const int* sid, int* mapping, int* ierr)
void fsion_get_mapping_ MAPPING {
  int size = -1;
  int files = 0;
  sion_int32* pairs = NULL;
  *ierr = sion_get_mapping(*sid, &size, &pairs, &files);
  if (size < 0 || pairs == NULL) {
    *ierr = SION_ID_NOT_VALID;
  } else {
    memcpy(mapping, pairs, 2 * (size_t)size * sizeof(sion_int32));
  }
}
FSION_NAMES(void, fsion_get_mapping, MAPPING);

/* The descriptor, not the number in the set. */
#define OF_HANDLE (const int* sid, int* result)
void fsion_get_fileno_ OF_HANDLE {
  *result = sion_get_fd(*sid);
  if (*result >= 0) return;
  FILE* const stream = sion_get_fp(*sid);
  *result = stream != NULL ? fileno(stream) : -1;
}
FSION_NAMES(void, fsion_get_fileno, OF_HANDLE);

void fsion_get_file_endianness_ OF_HANDLE { *result = sion_get_file_endianness(*sid); }
FSION_ALSO(void, fsion_get_file_endianess_, fsion_get_file_endianness_, OF_HANDLE);
FSION_NAMES(void, fsion_get_file_endianness, OF_HANDLE);

void fsion_endianness_swap_needed_ OF_HANDLE { *result = sion_endianness_swap_needed(*sid); }
FSION_ALSO(void, fsion_endianess_swap_needed_, fsion_endianness_swap_needed_, OF_HANDLE);
FSION_NAMES(void, fsion_endianness_swap_needed, OF_HANDLE);

void fsion_get_endianness_(int* result) { *result = sion_get_endianness(); }
FSION_ALSO(void, fsion_get_endianess_, fsion_get_endianness_, (int* result));
FSION_NAMES(void, fsion_get_endianness, (int* result));
