/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Constants and types that QIO's other headers name. */
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

/* How a file is opened for writing: new, truncated, for appending, unchanged. */
#define LRL_CREAT 0
#define LRL_TRUNC 1
#define LRL_APPEND 2
#define LRL_NOTRUNC 3

#define MAX_LIME_TYPE_LEN 32
typedef char* LIME_type;

/* Objects of the original below QIO, without their functions; pointers to them in QIO's structures are NULL. */
typedef struct LRL_FileWriter LRL_FileWriter;
typedef struct LRL_RecordWriter LRL_RecordWriter;
typedef struct LRL_FileReader LRL_FileReader;
typedef struct LRL_RecordReader LRL_RecordReader;

#ifdef __cplusplus
}
#endif

#endif
