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

/* Local. NULL where the file cannot be opened, or there is no memory. Writing: LRL_NOTRUNC leaves a file that is there
 * as it is, LRL_APPEND goes on behind it, both others begin it anew. */
LRL_FileReader* LRL_open_read_file(const char* filename);
LRL_FileWriter* LRL_open_write_file(const char* filename, int mode);
/* Local. NULL is taken. LRL_SUCCESS, LRL_ERR_CLOSE if bytes did not reach the file. */
int LRL_close_read_file(LRL_FileReader* fr);
int LRL_close_write_file(LRL_FileWriter* fw);
/* Local. Where the next header is. LRL_SUCCESS, LRL_ERR_SEEK. */
int LRL_set_reader_pointer(LRL_FileReader* fr, off_t offset);
off_t LRL_get_reader_pointer(LRL_FileReader* fr);

/* Local. The next record, or the next one of these types (none: of any); its type lives until the one after it. NULL:
 * *status is LRL_EOF behind the last record, else LRL_ERR_READ. */
LRL_RecordReader* LRL_open_read_record(LRL_FileReader* fr, uint64_t* rec_size, LIME_type* lime_type, int* status);
LRL_RecordReader* LRL_open_read_target_record(LRL_FileReader* fr, LIME_type* lime_type_list, int ntypes,
                                              uint64_t* rec_size, LIME_type* lime_type_found, int* status);
/* Local. How many bytes were read: fewer where the record or the file ends, or reading fails. */
uint64_t LRL_read_bytes(LRL_RecordReader* rr, char* buf, uint64_t nbytes);
/* Local. To a byte of the payload. LRL_SUCCESS, LRL_ERR_SEEK. */
int LRL_seek_read_record(LRL_RecordReader* rr, off_t offset);
/* Local. To the next record; behind the end of the message. LRL_SUCCESS, LRL_ERR_SKIP. */
int LRL_next_record(LRL_RecordReader* rr);
int LRL_next_message(LRL_FileReader* fr);
/* Local. LRL_SUCCESS, LRL_ERR_CLOSE. */
int LRL_close_read_record(LRL_RecordReader* rr);

/* Local. A record that has no header yet, its header, and both; NULL, LRL_ERR_WRITE where it cannot be written. */
LRL_RecordWriter* LRL_create_record_writer(LRL_FileWriter* fw);
int LRL_write_record_header(LRL_RecordWriter* rw, int msg_begin, int msg_end, uint64_t rec_size, LIME_type lime_type);
LRL_RecordWriter* LRL_open_write_record(LRL_FileWriter* fw, int msg_begin, int msg_end, uint64_t rec_size,
                                        LIME_type lime_type);
/* Local. How many bytes were written: fewer where the record is full, or writing fails. */
uint64_t LRL_write_bytes(LRL_RecordWriter* rw, char* buf, uint64_t nbytes);
int LRL_seek_write_record(LRL_RecordWriter* rw, off_t offset);
/* Local. Pads the record. LRL_SUCCESS, LRL_ERR_CLOSE. */
int LRL_close_write_record(LRL_RecordWriter* rw);

/* Local. Where a record stands, as bytes that another process may take over: from malloc, NULL and 0 without memory.
 * Setting: at the beginning of the payload. LRL_SUCCESS, LRL_ERR_SETSTATE, LRL_ERR_SEEK. */
void LRL_get_reader_state(LRL_RecordReader* rr, void** state_ptr, size_t* state_size);
void LRL_get_writer_state(LRL_RecordWriter* rw, void** state_ptr, size_t* state_size);
int LRL_set_reader_state(LRL_RecordReader* rr, void* state_ptr);
int LRL_set_writer_state(LRL_RecordWriter* rw, void* state_ptr);
void LRL_destroy_reader_state_copy(void* state_ptr);
void LRL_destroy_writer_state_copy(void* state_ptr);

#ifdef __cplusplus
}
#endif

#endif
