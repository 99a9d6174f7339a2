/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Integers of fixed width. */
#ifndef QIO_STDINT_H
#define QIO_STDINT_H

#include <qio_config.h>
#include <stdint.h>

#endif
