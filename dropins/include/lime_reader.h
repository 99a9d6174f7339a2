/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C-LIME's reader: the records of a file in sequence, through the caller's FILE.
 *
 * The FILE is at the position that programs expect: after the header after limeReaderNextRecord, after the bytes read
 * after limeReaderReadData, at the requested byte after limeReaderSeek (after the padding if that is the end of the
 * record). A program that moves it between calls must move it back before the next read; calls that move to another
 * record seek. */
#ifndef LIME_READER_H
#define LIME_READER_H

#include <lime_defs.h>
#include <lime_header.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int first_read; /* a header has been read */
  int is_last;    /* ME flag of the current record */
  int header_nextP;
  FILE* fp;
  LimeRecordHeader* curr_header;
  n_uint64_t bytes_left;  /* of the payload, after rec_ptr */
  n_uint64_t bytes_total; /* of the payload */
  n_uint64_t rec_ptr;     /* position in the payload: 0 to bytes_total */
  n_uint64_t rec_start;   /* position of the payload in the file */
  size_t bytes_pad;
} LimeReader;

/* Local. A reader that expects a header at the position of fp; NULL if fp is NULL or memory is short. */
LimeReader* limeCreateReader(FILE* fp);

/* Local. Moves to a header at this file position, and drops the current record. LIME_ERR_PARAM, LIME_ERR_SEEK. */
int limeSetReaderPointer(LimeReader* r, off_t offset);

/* Local. Position in the file of the next header, or of fp before the first record; -1 if r is NULL. */
off_t limeGetReaderPointer(LimeReader* r);

/* Local. Frees the reader, and leaves its FILE open; NULL is allowed. */
void limeDestroyReader(LimeReader* r);

/* Local. Goes to the next record, past the rest of this one. LIME_EOF if the file ends, also if white space or
 * zeros follow its last record; LIME_ERR_READ for a header that is truncated, has another magic number or version, or
 * claims 2^63 bytes or more; LIME_ERR_SEEK if the FILE cannot seek; LIME_ERR_PARAM. After an error there is no current
 * record, and the next call tries the same position again. */
int limeReaderNextRecord(LimeReader* r);

/* Local. For the current record. Without one: -1, NULL, or 0. The type is valid until the next record. */
int limeReaderMBFlag(LimeReader* r);
int limeReaderMEFlag(LimeReader* r);
char* limeReaderType(LimeReader* r);
n_uint64_t limeReaderBytes(LimeReader* r);
size_t limeReaderPadBytes(LimeReader* r);

/* Local. Reads *nbytes bytes, or the rest of the record, and sets *nbytes to their number. LIME_EOR, with *nbytes
 * unchanged, at the end of the record; LIME_ERR_READ if the file ends before; LIME_ERR_PARAM. */
int limeReaderReadData(void* dest, n_uint64_t* nbytes, LimeReader* r);

/* Local. Goes to the end of the payload and its padding. May be repeated. LIME_ERR_SEEK, LIME_ERR_PARAM. */
int limeReaderCloseRecord(LimeReader* r);

/* Local. Moves within the record, by SEEK_SET or SEEK_CUR. A target outside it gives LIME_ERR_SEEK and leaves the
 * reader at the nearer end; the end itself is allowed. LIME_ERR_SEEK for another whence, LIME_ERR_PARAM. */
int limeReaderSeek(LimeReader* r, off_t offset, int whence);

/* Local. Copies the state of another reader, possibly received from another process, except for fp and
 * curr_header, and moves rdest's FILE to the same position. LIME_ERR_SEEK, LIME_ERR_PARAM. */
int limeReaderSetState(LimeReader* rdest, LimeReader* rsrc);

/* Local. True if the current record ends its message: 1 or 0; -1 without a record. */
int limeEOM(LimeReader* r);

/* Local. As limeReaderSeek by SEEK_CUR. */
int skipReaderBytes(LimeReader* r, off_t bytes_to_skip);

/* Local. Reads a header at the position of the FILE into curr_header. Codes as limeReaderNextRecord. */
int readAndParseHeader(LimeReader* r);

#ifdef __cplusplus
}
#endif

#endif
