/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * fseeko and ftello, which every POSIX system has. */
#ifndef LIME_FSEEKO_H
#define LIME_FSEEKO_H

#include <lime_config.h>
#include <stdio.h>
#include <sys/types.h>

#endif
