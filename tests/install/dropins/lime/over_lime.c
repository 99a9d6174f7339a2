/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a record and reads it back with C-LIME's calls. */
#include <lime.h>

#include <stdio.h>
#include <string.h>

int main(void) {
  char data[] = "0123456789";
  char back[16] = "";
  n_uint64_t bytes = 10;
  FILE* fp = fopen("over_lime.lime", "w+");
  LimeWriter* w = limeCreateWriter(fp);
  LimeRecordHeader* h = limeCreateHeader(1, 1, "a-record-with-a-rather-long-type", bytes);
  LimeReader* r;
  if (limeWriteRecordHeader(h, w) != LIME_SUCCESS) return 1;
  if (limeWriteRecordData(data, &bytes, w) != LIME_SUCCESS) return 2;
  limeDestroyHeader(h);
  limeDestroyWriter(w);
  rewind(fp);
  r = limeCreateReader(fp);
  if (limeReaderNextRecord(r) != LIME_SUCCESS) return 3;
  if (limeReaderReadData(back, &bytes, r) != LIME_SUCCESS || strcmp(data, back) != 0) return 4;
  if (limeEOM(r) != 1 || limeReaderNextRecord(r) != LIME_EOF) return 5;
  limeDestroyReader(r);
  fclose(fp);
  puts("same");
  return 0;
}
