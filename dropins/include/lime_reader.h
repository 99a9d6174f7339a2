/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C-LIME's reader: the records of a file in their order, through the caller's FILE.
 *
 * The FILE stands where a program expects it: behind the header after limeReaderNextRecord, behind the bytes taken
 * after limeReaderReadData, at the byte sought after limeReaderSeek (behind the padding if that byte is the end of the
 * record). Whoever moves it elsewhere between calls brings it back before the next read; calls that move to another
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
  n_uint64_t bytes_left;  /* of the payload, behind rec_ptr */
  n_uint64_t bytes_total; /* of the payload */
  n_uint64_t rec_ptr;     /* position in the payload: 0 to bytes_total */
  n_uint64_t rec_start;   /* position of the payload in the file */
  size_t bytes_pad;
} LimeReader;

/* Local. A reader that takes the position of fp for that of a header; NULL if fp is NULL or memory is short. */
LimeReader* limeCreateReader(FILE* fp);

/* Local. Moves to a header at this position of the file, and forgets the current record. LIME_ERR_PARAM, LIME_ERR_SEEK.
 */
int limeSetReaderPointer(LimeReader* r, off_t offset);

/* Local. Position in the file of the next header, or of fp before the first record; -1 if r is NULL. */
off_t limeGetReaderPointer(LimeReader* r);

/* Local. Gives the reader back, and leaves its FILE open; NULL is allowed. */
void limeDestroyReader(LimeReader* r);

/* Local. Goes to the next record, past what is left of this one. LIME_EOF where the file ends, also if white space or
 * zeros follow its last record; LIME_ERR_READ for a header that is cut, has another magic number or version, or claims
 * 2^63 bytes and more; LIME_ERR_SEEK where the FILE cannot go; LIME_ERR_PARAM. After an error there is no current
 * record, and the next call tries the same place again. */
int limeReaderNextRecord(LimeReader* r);

/* Local. Of the current record. Without one: -1, NULL, or 0. The type lives until the next record. */
int limeReaderMBFlag(LimeReader* r);
int limeReaderMEFlag(LimeReader* r);
char* limeReaderType(LimeReader* r);
n_uint64_t limeReaderBytes(LimeReader* r);
size_t limeReaderPadBytes(LimeReader* r);

/* Local. Reads *nbytes bytes, or what is left of the record, and sets *nbytes to their number. LIME_EOR, and *nbytes as
 * it was, at the end of the record; LIME_ERR_READ if the file ends before; LIME_ERR_PARAM. */
int limeReaderReadData(void* dest, n_uint64_t* nbytes, LimeReader* r);

/* Local. Goes behind the payload and its padding. Twice is as good as once. LIME_ERR_SEEK, LIME_ERR_PARAM. */
int limeReaderCloseRecord(LimeReader* r);

/* Local. Moves within the record, by SEEK_SET or SEEK_CUR. A target outside it gives LIME_ERR_SEEK and leaves the
 * reader at the end that is nearer; its end itself is allowed. LIME_ERR_SEEK for another whence, LIME_ERR_PARAM. */
int limeReaderSeek(LimeReader* r, off_t offset, int whence);

/* Local. Takes over the state of another reader, which may be a copy that came from another process, but for fp and
 * curr_header, and moves rdest's FILE to the same place. LIME_ERR_SEEK, LIME_ERR_PARAM. */
int limeReaderSetState(LimeReader* rdest, LimeReader* rsrc);

/* Local. Whether the current record ends its message: 1 or 0; -1 without a record. */
int limeEOM(LimeReader* r);

/* Local. What limeReaderSeek by SEEK_CUR does. */
int skipReaderBytes(LimeReader* r, off_t bytes_to_skip);

/* Local. Reads a header where the FILE stands and makes it curr_header. Codes as limeReaderNextRecord. */
int readAndParseHeader(LimeReader* r);

#ifdef __cplusplus
}
#endif

#endif
