/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C-LIME's interface behind a line protocol, for random_test.py: one call a line, answered by its code, what it gave,
 * and where the FILE stands afterwards. */
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L
#include <lime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE* fp = NULL;
static LimeReader* reader = NULL;
static LimeWriter* writer = NULL;

static long long position(void) { return fp != NULL ? (long long)ftello(fp) : -1; }

static void answer(int code) { printf("%d %lld\n", code, position()); }

static void close_all(void) {
  if (reader != NULL) limeDestroyReader(reader);
  if (writer != NULL) limeDestroyWriter(writer);
  if (fp != NULL) fclose(fp);
  reader = NULL;
  writer = NULL;
  fp = NULL;
}

static void write_line(char command, char* rest) {
  char type[200] = "";
  int MB = 0;
  int ME = 0;
  long long number = 0;
  unsigned char* data;
  n_uint64_t n;
  int code;
  if (command == 'H') {
    LimeRecordHeader* h;
    sscanf(rest, "%d %d %199s %lld", &MB, &ME, type, &number);
    h = limeCreateHeader(MB, ME, type, (n_uint64_t)number);
    answer(limeWriteRecordHeader(h, writer));
    limeDestroyHeader(h);
  } else if (command == 'D') { /* bytes, all alike */
    sscanf(rest, "%lld %d", &number, &MB);
    data = malloc((size_t)number + 1);
    memset(data, MB, (size_t)number);
    n = (n_uint64_t)number;
    code = limeWriteRecordData(data, &n, writer);
    free(data);
    printf("%llu ", (unsigned long long)n);
    answer(code);
  } else if (command == 'S') {
    sscanf(rest, "%lld %d", &number, &MB);
    answer(limeWriterSeek(writer, (off_t)number, MB ? SEEK_CUR : SEEK_SET));
  } else if (command == 'C') {
    answer(limeWriterCloseRecord(writer));
  }
}

static void read_line(char command, char* rest) {
  long long number = 0;
  int whence = 0;
  unsigned char* data;
  n_uint64_t n;
  n_uint64_t i;
  int code;
  if (command == 'n') {
    const int status = limeReaderNextRecord(reader);
    const char* type = limeReaderType(reader);
    printf("%s %d %d %llu %u ", type != NULL ? type : "-", limeReaderMBFlag(reader), limeReaderMEFlag(reader),
           (unsigned long long)limeReaderBytes(reader), (unsigned)limeReaderPadBytes(reader));
    answer(status);
  } else if (command == 'd') {
    sscanf(rest, "%lld", &number);
    data = malloc((size_t)number + 1);
    n = (n_uint64_t)number;
    code = limeReaderReadData(data, &n, reader);
    printf("%llu ", (unsigned long long)n);
    for (i = 0; code == LIME_SUCCESS && i < n; ++i) printf("%02x", data[i]);
    printf(". ");
    free(data);
    answer(code);
  } else if (command == 's') {
    sscanf(rest, "%lld %d", &number, &whence);
    answer(limeReaderSeek(reader, (off_t)number, whence ? SEEK_CUR : SEEK_SET));
  } else if (command == 'c') {
    answer(limeReaderCloseRecord(reader));
  } else if (command == 'p') {
    sscanf(rest, "%lld", &number);
    answer(limeSetReaderPointer(reader, (off_t)number));
  } else if (command == 'g') {
    answer((int)limeGetReaderPointer(reader));
  }
}

int main(void) {
  static char line[8192];
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == 'W' || line[0] == 'R') {
      close_all();
      fp = fopen(line + 2, line[0] == 'W' ? "w" : "r");
      if (fp == NULL) return 2;
      if (line[0] == 'W') {
        writer = limeCreateWriter(fp);
      } else {
        reader = limeCreateReader(fp);
      }
      answer(0);
    } else if (writer != NULL) {
      write_line(line[0], line + 1);
    } else if (reader != NULL) {
      read_line(line[0], line + 1);
    }
  }
  close_all();
  return 0;
}
