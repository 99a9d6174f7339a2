/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Arguments of Fortran: see face.h. */
#include <stdlib.h>
#include <string.h>

#include "compat/sion_fortran/face.h"

char* fsion_text(const char* text, int length) {
  size_t used = length > 0 ? (size_t)length : 0;
  while (used > 0 && (text[used - 1] == ' ' || text[used - 1] == '\0')) --used;
  char* copy = malloc(used + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, text, used);
  copy[used] = '\0';
  return copy;
}

void fsion_put_text(char* target, int length, const char* text) {
  if (length <= 0) return;
  const size_t given = text != NULL ? strlen(text) : 0;
  const size_t used = given < (size_t)length ? given : (size_t)length;
  if (used > 0) memcpy(target, text, used);
  memset(target + used, ' ', (size_t)length - used);
}

void fsion_store_int(int* target, int value) {
  if (*target != value) *target = value;
}

void fsion_store_int64(sion_int64* target, sion_int64 value) {
  if (*target != value) *target = value;
}
