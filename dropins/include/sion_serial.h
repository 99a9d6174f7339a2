/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Multifiles of one process: the whole set, or one logical file of it. */
#ifndef SION_SION_SERIAL_H
#define SION_SION_SERIAL_H

#include <stdio.h>

#include "sion_const.h"
#include "sion_datatypes.h"

#ifdef __cplusplus
extern "C" {
#endif

int sion_open(char* fname, const char* file_mode, int* ntasks, int* nfiles, sion_int64** chunksizes,
              sion_int32* fsblksize, int** globalranks, FILE** fileptr);
int sion_open_rank(char* fname, const char* file_mode, sion_int64* chunksize, sion_int32* fsblksize, int* rank,
                   FILE** fileptr);
int sion_close(int sid);

#ifdef __cplusplus
}
#endif

#endif
