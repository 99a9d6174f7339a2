/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Results of QIO's configuration, beyond C-LIME's, on every POSIX system with a C99 compiler, for
 * programs that use them; qio_config.h undefines the general names. */
#ifndef QIO_CONFIG_INTERNAL_H
#define QIO_CONFIG_INTERNAL_H

#include <lime_config_internal.h>

#ifndef HAVE_STDLIB_H
#define HAVE_STDLIB_H 1
#endif
#ifndef HAVE_STRINGS_H
#define HAVE_STRINGS_H 1
#endif
#ifndef HAVE_STRING_H
#define HAVE_STRING_H 1
#endif
#ifndef HAVE_SYS_STAT_H
#define HAVE_SYS_STAT_H 1
#endif
#ifndef HAVE_SYS_TYPES_H
#define HAVE_SYS_TYPES_H 1
#endif
#ifndef HAVE_UNISTD_H
#define HAVE_UNISTD_H 1
#endif

#define PACKAGE "QIO"
#define PACKAGE_BUGREPORT ""
#define PACKAGE_NAME "QIO"
#define PACKAGE_STRING "QIO"
#define PACKAGE_TARNAME "QIO"
#define PACKAGE_VERSION "3.0.0"
#define VERSION "3.0.0"

#endif
