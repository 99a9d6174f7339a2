/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C-LIME's constants: parts of a header, and return values of functions. */
#ifndef LIME_DEFS_H
#define LIME_DEFS_H

#define LIME_MAGIC_NO 1164413355 /* 0x456789ab */
#define LIME_VERSION ((unsigned int)0x01)
#define LIME_MAX_BUFSIZE ((unsigned int)2147483647)

#define LIME_SUCCESS ((int)0)
#define LIME_ERR_LAST_NOT_WRITTEN ((int)-1) /* never returned */
#define LIME_ERR_PARAM ((int)-2)            /* an argument is NULL or invalid here, or no record is open */
#define LIME_ERR_HEADER_NEXT ((int)-3)      /* a record is open: its data must follow, not a header */
#define LIME_LAST_REC_WRITTEN ((int)-4)     /* never returned */
#define LIME_ERR_WRITE ((int)-5)
#define LIME_EOR ((int)-6) /* end of the record */
#define LIME_EOF ((int)-7) /* end of the file */
#define LIME_ERR_READ ((int)-8)
#define LIME_ERR_SEEK ((int)-9)
#define LIME_ERR_MBME ((int)-10)  /* a message must begin, or must not, but the header says otherwise */
#define LIME_ERR_CLOSE ((int)-11) /* never returned */

#endif
