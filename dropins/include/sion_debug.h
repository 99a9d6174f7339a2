/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The debug log of SIONlib, which is not written here: the functions exist so that programs that call them link. */
#ifndef SION_SION_DEBUG_H
#define SION_SION_DEBUG_H

#include <stdio.h>

#define _SION_DEFAULT_RANK -1

#ifndef DPRINTF
#define DPRINTF(A)
#define DPRINTFP(A)
#define DPRINTFTS2(A, B)
#endif
#define ONLY_DEBUG(A)
#define DPRINTFTS(A, B)

#ifdef __cplusplus
extern "C" {
#endif

int sion_dprintf(int mask, const char* format, ...);
int sion_dprintfp(int mask, const char* callfunction, int rank, const char* format, ...);
int sion_isdebug(void);
void sion_debug_on(int mask, const char* filename);
void sion_debug_off(void);
FILE* sion_get_dfile(void);
void sion_dclose(void);
int _sion_debug_set_query_thread_num_function(int (*get_thread_num)(void));

#ifdef __cplusplus
}
#endif

#endif
