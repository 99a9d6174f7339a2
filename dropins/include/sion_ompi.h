/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Multifiles of the threads of all ranks: all of them call, each with its own arguments; equally many on every rank.
 * MPI is called by the master thread only (MPI_THREAD_FUNNELED). */
#ifndef SION_SION_OMPI_H
#define SION_SION_OMPI_H

#if defined(MPI_VERSION) || defined(SION_OMPI)

#include <mpi.h>
#include <stdio.h>

#include "sion_const.h"
#include "sion_datatypes.h"
#include "sion_datatypes_mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

int sion_paropen_ompi(const char* fname, const char* file_mode, int* numFiles, MPI_Comm gComm, const MPI_Comm* lComm,
                      sion_int64* chunksize, sion_int32* fsblksize, int* globalrank, FILE** fileptr, char** newfname);
int sion_parclose_ompi(int sid);

#ifdef __cplusplus
}
#endif

#endif

#endif
