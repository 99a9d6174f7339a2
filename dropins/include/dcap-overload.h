/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C-LIME's names for calls that a dCache door may replace. This library was built without one: they are the plain
 * ones. */
#ifndef DCAP_OVERLOAD_H
#define DCAP_OVERLOAD_H

#define DCAP(token) token
#define DCAPL(token) token

#endif
