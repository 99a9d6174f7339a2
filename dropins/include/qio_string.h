/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Text with a length, for XML. The length is the capacity of the string in bytes, including the terminating
 * NUL; 0 if there is none. Memory comes from malloc. NULL instead of a string is accepted everywhere: nothing
 * happens, and there is no text. */
#ifndef QIO_STRING_H
#define QIO_STRING_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  char* string;
  size_t length;
} QIO_String;

/* Local. An empty string; NULL without memory. */
QIO_String* QIO_string_create(void);
void QIO_string_destroy(QIO_String* qs);
/* Local. Copies the text; NULL empties the string. Without memory the string is empty afterwards. */
void QIO_string_set(QIO_String* qs, const char* const string);
size_t QIO_string_length(const QIO_String* const qs);
/* Local. Owned by the string; NULL if there is no text. */
char* QIO_string_ptr(QIO_String* qs);
void QIO_string_copy(QIO_String* dest, QIO_String* src);
/* Local. Sets the capacity in bytes; existing text is kept as far as it fits. */
void QIO_string_realloc(QIO_String* qs, size_t length);
void QIO_string_append(QIO_String* qs, const char* const string);

#ifdef __cplusplus
}
#endif

#endif
