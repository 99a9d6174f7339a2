/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C-LIME's interface, over Limequat: records of a LIME file, read and written through the caller's FILE. Everything is
 * local to the process. No function prints, ends the process or keeps data between calls except in the objects below,
 * and different threads may use different objects. Codes are in lime_defs.h. */
#ifndef LIME_H
#define LIME_H

#include <dcap-overload.h>
#include <lime_config.h>
#include <lime_defs.h>
#include <lime_header.h>
#include <lime_reader.h>
#include <lime_writer.h>

#ifndef _LIME_UNUSED_PARAM
#define _LIME_UNUSED_PARAM(p) (void)(p)
#endif

#endif
