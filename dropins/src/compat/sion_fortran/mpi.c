/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Multifiles of the ranks of a communicator, from Fortran, whose handles of communicators are integers. */
#include <mpi.h>
#include <stdlib.h>

#include "compat/sion_fortran/paropen.h"

void fsion_paropen_mpi_ FSION_PAROPEN { FSION_PAROPEN_WITH(sion_paropen_mpi); }
FSION_NAMES(void, fsion_paropen_mpi, FSION_PAROPEN);

void fsion_parclose_mpi_(const int* sid, int* ierr) { *ierr = sion_parclose_mpi(*sid); }
FSION_NAMES(void, fsion_parclose_mpi, (const int* sid, int* ierr));

/* A negative size moves nothing, but the other tasks wait for the call. */
static size_t items(sion_int64 size, sion_int64 nitems) { return size < 0 || nitems < 0 ? 0 : (size_t)nitems; }

#define OUT (const void* data, const sion_int64* size, const sion_int64* nitems, const int* sid, sion_int64* rc)
#define IN (void* data, const sion_int64* size, const sion_int64* nitems, const int* sid, sion_int64* rc)

void fsion_coll_fwrite_mpi_ OUT {
  *rc = (sion_int64)sion_coll_fwrite_mpi(data, (size_t)*size, items(*size, *nitems), *sid);
}
void fsion_coll_fread_mpi_ IN {
  *rc = (sion_int64)sion_coll_fread_mpi(data, (size_t)*size, items(*size, *nitems), *sid);
}

FSION_RENAMED(void, fsion_coll_fwrite_mpi_, OUT);
FSION_RENAMED(void, fsion_coll_fread_mpi_, IN);

#define TYPE(suffix)                                                            \
  FSION_ALSO(void, fsion_coll_fwrite_mpi##suffix, fsion_coll_fwrite_mpi_, OUT); \
  FSION_ALSO(void, fsion_coll_fread_mpi##suffix, fsion_coll_fread_mpi_, IN)
FSION_FOR_EACH_TYPE(TYPE);
