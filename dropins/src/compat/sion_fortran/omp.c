/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Multifiles of the threads of a parallel region, from Fortran. */
#include <stdlib.h>

#ifndef SION_OMP
#define SION_OMP
#endif
#include "compat/sion_fortran/face.h"

#define PAROPEN                                                                                                      \
  (const char* fname, const char* file_mode, sion_int64* chunksize, int* fsblksize, int* globalrank, char* newfname, \
   int* sid, int fname_length, int file_mode_length, int newfname_length)
void fsion_paropen_omp_ PAROPEN {
  char* const name = fsion_text(fname, fname_length);
  char* const mode = fsion_text(file_mode, file_mode_length);
  char* opened = NULL;
  int block = *fsblksize;
  int rank = *globalrank;
  sion_int64 chunk = *chunksize;
  *sid = sion_paropen_omp(name != NULL ? name : "", mode != NULL ? mode : "", &chunk, &block, &rank, NULL,
                          newfname_length > 0 ? &opened : NULL);
  fsion_store_int64(chunksize, chunk);
  fsion_store_int(fsblksize, block);
  fsion_store_int(globalrank, rank);
  if (*sid >= 0) fsion_put_text(newfname, newfname_length, opened);
  free(opened);
  free(mode);
  free(name);
}
FSION_NAMES(void, fsion_paropen_omp, PAROPEN);

void fsion_parclose_omp_(const int* sid, int* ierr) { *ierr = sion_parclose_omp(*sid); }
FSION_NAMES(void, fsion_parclose_omp, (const int* sid, int* ierr));
