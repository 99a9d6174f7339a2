// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A typical program with C-LIME's interface: writes a gauge configuration to an ILDG file, and reads it back.
//
//   cc -std=c99 c_lime.c -llime && ./a.out conf.ildg
//
// Prints:
//   wrote and read 36864 numbers
// [program]
#include <lime.h>
#include <lime_utils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { numbers = 4 * 4 * 4 * 8 * 72 };

static void to_big_endian(double* to, const double* from) {
  memmove(to, from, numbers * sizeof *to);
  if (!lime_big_endian()) lime_byte_swap(to, sizeof *to, numbers);
}

static int put(LimeWriter* writer, int begins, int ends, char* type, void* data, n_uint64_t bytes) {
  LimeRecordHeader* header = limeCreateHeader(begins, ends, type, bytes);
  if (header == NULL) return LIME_ERR_PARAM;
  int status = limeWriteRecordHeader(header, writer);
  limeDestroyHeader(header);
  if (status == LIME_SUCCESS) status = limeWriteRecordData(data, &bytes, writer);
  if (status == LIME_SUCCESS) status = limeWriterCloseRecord(writer);
  return status;
}

static int save(const char* path, const double* u) {
  char info[] = "beta = 6.0";
  char format[] =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><ildgFormat><version>1.0</version><field>su3gauge</field>"
      "<precision>64</precision><lx>4</lx><ly>4</ly><lz>4</lz><lt>8</lt></ildgFormat>";
  double* data = malloc(numbers * sizeof *data);
  FILE* file = fopen(path, "w");
  LimeWriter* writer = file != NULL && data != NULL ? limeCreateWriter(file) : NULL;
  int status = writer != NULL ? LIME_SUCCESS : LIME_ERR_WRITE;
  if (status == LIME_SUCCESS) status = put(writer, 1, 1, "xlf-info", info, strlen(info));
  if (status == LIME_SUCCESS) status = put(writer, 1, 0, "ildg-format", format, strlen(format));
  if (status == LIME_SUCCESS) {
    to_big_endian(data, u);
    status = put(writer, 0, 1, "ildg-binary-data", data, numbers * sizeof *data);
  }
  limeDestroyWriter(writer);
  if (file != NULL && fclose(file) != 0) status = LIME_ERR_WRITE;
  free(data);
  return status;
}

static int load(const char* path, double* u) {
  n_uint64_t bytes = numbers * sizeof *u;
  FILE* file = fopen(path, "r");
  LimeReader* reader = file != NULL ? limeCreateReader(file) : NULL;
  int status = reader != NULL ? limeReaderNextRecord(reader) : LIME_ERR_READ;
  while (status == LIME_SUCCESS && strcmp(limeReaderType(reader), "ildg-binary-data") != 0)
    status = limeReaderNextRecord(reader);
  if (status == LIME_SUCCESS && limeReaderBytes(reader) != bytes) status = LIME_ERR_READ;
  if (status == LIME_SUCCESS) status = limeReaderReadData(u, &bytes, reader);
  limeDestroyReader(reader);
  if (file != NULL) fclose(file);
  if (status == LIME_SUCCESS) to_big_endian(u, u);
  return status;
}
// [/program]

int main(int argc, char** argv) {
  double* u = malloc(numbers * sizeof *u);
  double* back = malloc(numbers * sizeof *back);
  (void)argc;
  for (int i = 0; i < numbers; ++i) u[i] = 1.0 / (1 + i);
  int status = save(argv[1], u);
  if (status == LIME_SUCCESS) status = load(argv[1], back);
  if (status != LIME_SUCCESS) fprintf(stderr, "%s: LIME error %d\n", argv[1], status);
  if (status == LIME_SUCCESS && memcmp(u, back, numbers * sizeof *u) == 0)
    printf("wrote and read %d numbers\n", numbers);
  free(u);
  free(back);
  return status == LIME_SUCCESS ? 0 : 1;
}
