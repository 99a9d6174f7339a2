/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Results of C-LIME's configuration on every POSIX system with a C99 compiler, for programs that use them. */
#ifndef LIME_CONFIG_INTERNAL_H
#define LIME_CONFIG_INTERNAL_H

#ifndef HAVE_FSEEKO
#define HAVE_FSEEKO 1
#endif
#ifndef HAVE_INTTYPES_H
#define HAVE_INTTYPES_H 1
#endif
#ifndef HAVE_STDINT_H
#define HAVE_STDINT_H 1
#endif
#ifndef HAVE_UINT16_T
#define HAVE_UINT16_T 1
#endif
#ifndef HAVE_UINT32_T
#define HAVE_UINT32_T 1
#endif
#ifndef HAVE_UINT64_T
#define HAVE_UINT64_T 1
#endif

#endif
