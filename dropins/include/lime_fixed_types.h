/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C-LIME's names for integers of fixed width. */
#ifndef LIME_FIXED_TYPES_H
#define LIME_FIXED_TYPES_H

#include <lime_config.h>
#include <stdint.h>

typedef uint16_t n_uint16_t;
typedef uint32_t n_uint32_t;
typedef uint64_t n_uint64_t;

#endif
