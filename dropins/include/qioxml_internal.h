/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Elements of the XML that goes with files and records: their tags, values and how often they occur; reading and
 * writing them in memory of the caller's. */
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

/* Local. The first character that is one of `tokens`, or is none of them; the NUL where there is none. */
char* QIO_next_token(char* parse_pt, char* tokens);
char* QIO_next_nontoken(char* parse_pt, char* tokens);
/* Local. Appends at most *n characters, and takes from *n what was asked for. */
char* QIO_strncat(char* s1, char* s2, int* n);
/* Local. The name of the next tag, cut to QIO_MAXTAG - 1 characters, its attributes left out; returns what follows its
 * ">", and in *left_angle its "<". An empty name: there is none. */
char* QIO_next_tag(char* parse_pt, char* tag, char** left_angle);
/* Local. The next element's name and what stands in it, without white space around it; returns what follows it.
 * `tag` has room for QIO_MAXTAG, `value_string` for QIO_MAXVALUESTRING characters. */
char* QIO_get_tag_value(char* parse_pt, char* tag, char* value_string);
/* Local. Where `tag` is that of the element: its value from text, and it occurs once more. Lists of numbers are
 * separated by white space. */
void QIO_decode_as_string(char* tag, char* value_string, QIO_TagCharValue* tag_value);
void QIO_decode_as_int(char* tag, char* value_string, QIO_TagIntValue* tag_value);
void QIO_decode_as_intlist(char* tag, char* value_string, QIO_TagIntArrayValue* tag_value);
void QIO_decode_as_hex32(char* tag, char* value_string, QIO_TagHex32Value* tag_value);
/* Local. Write at `buf`, where *remainder bytes are left, and return the end of what is written. Nothing is written of
 * elements that do not occur. */
char* QIO_write_tag(char* buf, char* tag, char* attr, int* remainder);
char* QIO_write_endtag(char* buf, char* tag, int* remainder);
char* QIO_encode_as_string(char* buf, QIO_TagCharValue* tag_value, int* remainder);
char* QIO_encode_as_int(char* buf, QIO_TagIntValue* tag_value, int* remainder);
char* QIO_encode_as_hex32(char* buf, QIO_TagHex32Value* tag_value, int* remainder);
char* QIO_encode_as_intlist(char* buf, QIO_TagIntArrayValue* tag_value, int n, int* remainder);
/* Local. 0 where an element occurs exactly once, 1 else. */
int QIO_check_string_occur(QIO_TagCharValue* tag_value);
int QIO_check_int_occur(QIO_TagIntValue* tag_value);
int QIO_check_intarray_occur(QIO_TagIntArrayValue* tag_value);
int QIO_check_hex32_occur(QIO_TagHex32Value* tag_value);

#ifdef __cplusplus
}
#endif

#endif
