/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Elements of the XML of files and records: their tags, values and numbers of occurrences; reading and
 * writing them in the caller's memory. */
#ifndef QIOXML_INTERNAL_H
#define QIOXML_INTERNAL_H

#include <qio_stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QIO_MAXTAG 64
#define QIO_MAXATTR 512
#define QIO_MAXVALUESTRING 32768
#define QIO_MAXINTARRAY 8
#define QIO_STRINGALLOC 1024

typedef struct {
  char tag[QIO_MAXTAG];
  char attr[QIO_MAXATTR];
  char value[QIO_MAXVALUESTRING];
  short occur;
} QIO_TagCharValue;

typedef struct {
  char tag[QIO_MAXTAG];
  char attr[QIO_MAXATTR];
  uint32_t value;
  short occur;
} QIO_TagHex32Value;

typedef struct {
  char tag[QIO_MAXTAG];
  char attr[QIO_MAXATTR];
  int value;
  short occur;
} QIO_TagIntValue;

typedef struct {
  char tag[QIO_MAXTAG];
  char attr[QIO_MAXATTR];
  int value[QIO_MAXINTARRAY];
  int n;
  short occur;
} QIO_TagIntArrayValue;

/* Local. The first character that is one of `tokens`, or none of them; the terminating NUL if not found. */
char* QIO_next_token(char* parse_pt, char* tokens);
char* QIO_next_nontoken(char* parse_pt, char* tokens);
/* Local. Appends at most *n characters, and subtracts the requested number from *n. */
char* QIO_strncat(char* s1, char* s2, int* n);
/* Local. The name of the next tag, truncated to QIO_MAXTAG - 1 characters, without attributes; returns the text after
 * its ">", and sets *left_angle to its "<". An empty name: there is no tag. */
char* QIO_next_tag(char* parse_pt, char* tag, char** left_angle);
/* Local. The next element's name and its contents, without white space around them; returns the text after it.
 * `tag` has space for QIO_MAXTAG, `value_string` for QIO_MAXVALUESTRING characters. */
char* QIO_get_tag_value(char* parse_pt, char* tag, char* value_string);
/* Local. If `tag` is the element's: sets its value from text, and counts the occurrence. Lists of numbers are
 * separated by white space. */
void QIO_decode_as_string(char* tag, char* value_string, QIO_TagCharValue* tag_value);
void QIO_decode_as_int(char* tag, char* value_string, QIO_TagIntValue* tag_value);
void QIO_decode_as_intlist(char* tag, char* value_string, QIO_TagIntArrayValue* tag_value);
void QIO_decode_as_hex32(char* tag, char* value_string, QIO_TagHex32Value* tag_value);
/* Local. Write to `buf`, where *remainder bytes are left, and return the end of the written text. Elements that do not
 * occur are omitted. */
char* QIO_write_tag(char* buf, char* tag, char* attr, int* remainder);
char* QIO_write_endtag(char* buf, char* tag, int* remainder);
char* QIO_encode_as_string(char* buf, QIO_TagCharValue* tag_value, int* remainder);
char* QIO_encode_as_int(char* buf, QIO_TagIntValue* tag_value, int* remainder);
char* QIO_encode_as_hex32(char* buf, QIO_TagHex32Value* tag_value, int* remainder);
char* QIO_encode_as_intlist(char* buf, QIO_TagIntArrayValue* tag_value, int n, int* remainder);
/* Local. 0 if an element occurs exactly once, else 1. */
int QIO_check_string_occur(QIO_TagCharValue* tag_value);
int QIO_check_int_occur(QIO_TagIntValue* tag_value);
int QIO_check_intarray_occur(QIO_TagIntArrayValue* tag_value);
int QIO_check_hex32_occur(QIO_TagHex32Value* tag_value);

#ifdef __cplusplus
}
#endif

#endif
