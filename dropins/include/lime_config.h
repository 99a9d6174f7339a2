/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C-LIME's names for itself. Strings, as in the original; no names of a program that includes them are undefined. */
#ifndef LIME_CONFIG_H
#define LIME_CONFIG_H

#include <lime_config_internal.h>

#if defined(__GNUC__)
#define LIME_MAYBE_UNUSED __attribute__((unused))
#else
#define LIME_MAYBE_UNUSED
#endif

static const char* const LIME_PACKAGE LIME_MAYBE_UNUSED = "C-Lime";
static const char* const LIME_PACKAGE_BUGREPORT LIME_MAYBE_UNUSED = "";
static const char* const LIME_PACKAGE_NAME LIME_MAYBE_UNUSED = "C-Lime";
static const char* const LIME_PACKAGE_STRING LIME_MAYBE_UNUSED = "C-Lime";
static const char* const LIME_PACKAGE_TARNAME LIME_MAYBE_UNUSED = "C-Lime";
static const char* const LIME_PACKAGE_VERSION LIME_MAYBE_UNUSED = "2.53";

#undef LIME_MAYBE_UNUSED

#endif
