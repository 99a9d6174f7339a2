/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lemon's constants: parts of a header, and return values of functions. */
#ifndef LEMON_DEFINES_H
#define LEMON_DEFINES_H

#define LEMON_MAGIC_NO 0x456789ab
#define LEMON_VERSION 1
#define LEMON_MAX_BUFSIZE 2147483647
#define HDR_SIZE_BYTES 144
#define MB_MASK ((int)0x80)
#define ME_MASK ((int)0x40)
#define MAX_LEMON_HDR_REC_TYPE 128

enum LEMON_Error_codes {
  LEMON_SUCCESS = 0,
  LEMON_ERR_LAST_NOT_WRITTEN = -1, /* never returned */
  LEMON_ERR_PARAM = -2,            /* an argument is wrong, or differs between ranks, or leaves the record */
  LEMON_ERR_HEADER_NEXT = -3,      /* reading: not a header; writing: a record is open */
  LEMON_LAST_REC_WRITTEN = -4,     /* never returned */
  LEMON_ERR_WRITE = -5,            /* bytes could not be written, or no record is open */
  LEMON_EOR = -6,                  /* all of the record has been read */
  LEMON_EOF = -7,                  /* no more records */
  LEMON_ERR_READ = -8,             /* bytes could not be read, or no record is open */
  LEMON_ERR_SEEK = -9,             /* not a position inside the record */
  LEMON_ERR_MBME = -10,            /* a message must begin, or must not, but the header says otherwise */
  LEMON_ERR_CLOSE = -11            /* no record is open */
};

#endif
