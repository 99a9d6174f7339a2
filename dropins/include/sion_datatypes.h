/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Integers of known size. Macros, as in SIONlib. */
#ifndef SION_SION_DATATYPES_H
#define SION_SION_DATATYPES_H

#include "sion_platform.h"

#define sion_int32 int
#define sion_uint32 unsigned int
#define sion_int64 long long
#define sion_uint64 unsigned long long

#endif
