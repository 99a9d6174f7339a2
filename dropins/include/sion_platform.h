/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The platform, under the name that programs use. */
#ifndef SION_SION_PLATFORM_H
#define SION_SION_PLATFORM_H

#if defined(__linux__) && !defined(_SION_LINUX)
#define _SION_LINUX
#elif defined(__APPLE__) && !defined(_SION_DARWIN)
#define _SION_DARWIN
#endif

#endif
