/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The parallel open of Fortran, shared by MPI and MPI with OpenMP except for the C function. */
#ifndef LQ_COMPAT_SION_FORTRAN_PAROPEN_H
#define LQ_COMPAT_SION_FORTRAN_PAROPEN_H

#include <mpi.h>
#include <stdlib.h>

#include "compat/sion_fortran/face.h"

typedef int fsion_paropen_in_c(const char*, const char*, int*, MPI_Comm, const MPI_Comm*, sion_int64*, sion_int32*,
                               int*, FILE**, char**);

/* The standard ABI of MPI 5.0 has no Fortran names; an INTEGER is an int here in any case. */
#ifdef MPI_ABI
#define fsion_comm MPI_Comm_fromint
#else
#define fsion_comm MPI_Comm_f2c
#endif

/* Communicators are Fortran's handles. Collective, so a task without memory for the texts also calls. */
static inline void fsion_paropen(fsion_paropen_in_c* open, const char* fname, const char* file_mode, int* nfiles,
                                 int fgcomm, int flcomm, sion_int64* chunksize, int* fsblksize, int* globalrank,
                                 char* newfname, int* sid, int fname_length, int file_mode_length,
                                 int newfname_length) {
  char* const name = fsion_text(fname, fname_length);
  char* const mode = fsion_text(file_mode, file_mode_length);
  char* opened = NULL;
  const MPI_Comm local = fsion_comm(flcomm);
  int files = *nfiles;
  int block = *fsblksize;
  int rank = *globalrank;
  sion_int64 chunk = *chunksize;
  *sid = open(name != NULL ? name : "", mode != NULL ? mode : "", &files, fsion_comm(fgcomm), &local, &chunk, &block,
              &rank, NULL, newfname_length > 0 ? &opened : NULL);
  fsion_store_int(nfiles, files);
  fsion_store_int64(chunksize, chunk);
  fsion_store_int(fsblksize, block);
  fsion_store_int(globalrank, rank);
  if (*sid >= 0) fsion_put_text(newfname, newfname_length, opened);
  free(opened);
  free(mode);
  free(name);
}

#define FSION_PAROPEN                                                                                                  \
  (const char* fname, const char* file_mode, int* nfiles, const int* fgcomm, const int* flcomm, sion_int64* chunksize, \
   int* fsblksize, int* globalrank, char* newfname, int* sid, int fname_length, int file_mode_length,                  \
   int newfname_length)
#define FSION_PAROPEN_WITH(open)                                                                                   \
  fsion_paropen(open, fname, file_mode, nfiles, *fgcomm, *flcomm, chunksize, fsblksize, globalrank, newfname, sid, \
                fname_length, file_mode_length, newfname_length)

#endif
