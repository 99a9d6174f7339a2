/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C-LIME's small helpers, for programs that use them. */
#ifndef LIME_UTILS_H
#define LIME_UTILS_H

#include <lime_fixed_types.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Local. Bytes of padding after a payload of nbytes: 0 to 7. */
int lime_padding(size_t nbytes);

/* Local. From this machine's byte order to big endian, or back. */
n_uint64_t big_endian_long_long(n_uint64_t value);
n_uint32_t big_endian_long(n_uint32_t value);
n_uint16_t big_endian_short(n_uint16_t value);

/* Local. True if this machine is big endian: 1 or 0. */
int lime_big_endian(void);

/* Local. Reverses the bytes of each of nmemb words of size 1, 2, 4 or 8; words of other sizes are unchanged. */
void lime_byte_swap(void* ptr, size_t size, size_t nmemb);

#ifdef __cplusplus
}
#endif

#endif
