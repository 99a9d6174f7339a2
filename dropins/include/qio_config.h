/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The version of QIO with this interface. A program's own PACKAGE, VERSION, ... are undefined after this header, as
 * after the original's. */
#ifndef QIO_CONFIG_H
#define QIO_CONFIG_H

#undef PACKAGE
#undef PACKAGE_BUGREPORT
#undef PACKAGE_NAME
#undef PACKAGE_STRING
#undef PACKAGE_TARNAME
#undef PACKAGE_VERSION
#undef VERSION

#include <qio_config_internal.h>

static const char* const QIO_PACKAGE = PACKAGE;
static const char* const QIO_PACKAGE_BUGREPORT = PACKAGE_BUGREPORT;
static const char* const QIO_PACKAGE_NAME = PACKAGE_NAME;
static const char* const QIO_PACKAGE_STRING = PACKAGE_STRING;
static const char* const QIO_PACKAGE_TARNAME = PACKAGE_TARNAME;
static const char* const QIO_PACKAGE_VERSION = PACKAGE_VERSION;
static const char* const QIO_VERSION = VERSION;

#undef PACKAGE
#undef PACKAGE_BUGREPORT
#undef PACKAGE_NAME
#undef PACKAGE_STRING
#undef PACKAGE_TARNAME
#undef PACKAGE_VERSION
#undef VERSION

#endif
