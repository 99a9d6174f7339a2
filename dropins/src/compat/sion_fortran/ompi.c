/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Multifiles of the threads of all ranks, from Fortran. */
#include <mpi.h>

#include "compat/sion_fortran/paropen.h"

void fsion_paropen_ompi_ FSION_PAROPEN { FSION_PAROPEN_WITH(sion_paropen_ompi); }
FSION_NAMES(void, fsion_paropen_ompi, FSION_PAROPEN);

void fsion_parclose_ompi_(const int* sid, int* ierr) { *ierr = sion_parclose_ompi(*sid); }
FSION_NAMES(void, fsion_parclose_ompi, (const int* sid, int* ierr));
