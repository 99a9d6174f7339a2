/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C-LIME's writer: records in sequence, through the caller's FILE.
 *
 * The FILE is at the payload after limeWriteRecordHeader, after the written bytes after limeWriteRecordData, and at
 * the next header after limeWriterCloseRecord, so that others may write into the record at their own positions
 * in between. */
#ifndef LIME_WRITER_H
#define LIME_WRITER_H

#include <lime_defs.h>
#include <lime_header.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int first_record; /* no header has been written yet */
  int last_written; /* a record that ends a message is complete */
  FILE* fp;
  int header_nextP;       /* no record is open */
  n_uint64_t bytes_total; /* of the payload */
  n_uint64_t bytes_left;  /* of the payload, after rec_ptr */
  n_uint64_t rec_ptr;     /* position in the payload: 0 to bytes_total */
  n_uint64_t rec_start;   /* position of the payload in the file */
  size_t bytes_pad;
  int isLastP; /* ME flag of the latest record */
} LimeWriter;

/* Local. A writer that begins at the position of fp; NULL if fp is NULL or memory is short. */
LimeWriter* limeCreateWriter(FILE* fp);

/* Local. Frees the writer, writes nothing, and leaves its FILE open; NULL is allowed. Always LIME_SUCCESS. */
int limeDestroyWriter(LimeWriter* s);

/* Local. Writes a header and opens its record. LIME_ERR_HEADER_NEXT while a record of more than 0 bytes is open;
 * LIME_ERR_MBME unless exactly the first record after a message begins one (the first record of a writer may do
 * either); LIME_ERR_PARAM for NULL, a type of more than 127 characters, or a length of 2^63 or more; LIME_ERR_WRITE.
 * After an error no record is open. */
int limeWriteRecordHeader(LimeRecordHeader* props, LimeWriter* d);

/* Local. Writes *nbytes bytes, or as many as still fit into the record, and sets *nbytes to their number. A full
 * record closes itself. LIME_ERR_PARAM, and *nbytes = 0, without an open record; LIME_ERR_WRITE. */
int limeWriteRecordData(void* source, n_uint64_t* nbytes, LimeWriter* d);

/* Local. Goes to the end of the payload, pads it, and closes the record. If it is closed, goes to the position of the
 * next header. LIME_ERR_WRITE, LIME_ERR_SEEK, LIME_ERR_PARAM. */
int limeWriterCloseRecord(LimeWriter* w);

/* Local. Moves within the record, by SEEK_SET or SEEK_CUR. A target outside it gives LIME_ERR_SEEK and leaves the
 * writer at the nearer end; the end itself is allowed. LIME_ERR_WRITE for another whence, LIME_ERR_PARAM. */
int limeWriterSeek(LimeWriter* r, off_t offset, int whence);

/* Local. Copies the state of another writer, possibly received from another process, except for fp, and
 * moves wdest's FILE to the same position. LIME_ERR_SEEK, LIME_ERR_PARAM. */
int limeWriterSetState(LimeWriter* wdest, LimeWriter* wsrc);

/* Local. As limeWriterSeek by SEEK_CUR. */
int skipWriterBytes(LimeWriter* w, off_t bytes_to_skip);

/* Local. Writes the 144 bytes of a header at the position of the FILE, or skips them. LIME_ERR_PARAM, LIME_ERR_WRITE,
 * LIME_ERR_SEEK. */
int write_lime_record_binary_header(FILE* fp, LimeRecordHeader* h);
int skip_lime_record_binary_header(FILE* fp);

#ifdef __cplusplus
}
#endif

#endif
