/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Multifiles of the threads of a parallel region: all of them call, each with its own arguments. */
#ifndef SION_SION_OMP_H
#define SION_SION_OMP_H

#ifdef SION_OMP

#include <stdio.h>

#include "sion_const.h"
#include "sion_datatypes.h"

#ifdef __cplusplus
extern "C" {
#endif

int sion_paropen_omp(const char* fname, const char* file_mode, sion_int64* chunksize, sion_int32* fsblksize,
                     int* globalrank, FILE** fileptr, char** newfname);
int sion_parclose_omp(int sid);

#ifdef __cplusplus
}
#endif

#endif

#endif
