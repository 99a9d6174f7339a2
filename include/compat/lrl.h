/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The files and records below QIO: LIME files through C-LIME's objects. A record's object says which file it is of.
 * Nothing here ends the program; what went wrong is a code, a short count or NULL. */
#ifndef LRL_H
#define LRL_H

#include <lime.h>
#include <qio_config.h>
#include <qio_stdint.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LRL_SUCCESS (0)
#define LRL_EOF (-1)
#define LRL_ERR_READ (-2)
#define LRL_ERR_SEEK (-3)
#define LRL_ERR_SKIP (-4)
#define LRL_ERR_CLOSE (-5)
#define LRL_ERR_WRITE (-6)
#define LRL_ERR_SETSTATE (-7)

/* How a file is opened for writing: anew, anew, behind what there is, as it is. */
#define LRL_CREAT 0
#define LRL_TRUNC 1
#define LRL_APPEND 2
#define LRL_NOTRUNC 3

#define MAX_LIME_TYPE_LEN 32
typedef char* LIME_type;

typedef struct {
  FILE* file;
  LimeWriter* dg;
} LRL_FileWriter;

typedef struct {
  LRL_FileWriter* fw;
} LRL_RecordWriter;

typedef struct {
  FILE* file;
  LimeReader* dr;
} LRL_FileReader;

typedef struct {
  LRL_FileReader* fr;
} LRL_RecordReader;

#ifdef __cplusplus
}
#endif

#endif
