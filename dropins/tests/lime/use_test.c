/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C-LIME's interface as programs use it: several writers of one record with states copied by value (QIO), a payload
 * that leaves by another way between header and close (Grid), sites in any order, readers that jump, a pipe, and
 * threads. */
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <lime.h>
#include <pthread.h>
#include <unistd.h>

enum { ranks = 4, piece = 6 }; /* 24 bytes of payload */

static void check_file(const char* expected_payload, n_uint64_t bytes, int records) {
  char payload[64];
  n_uint64_t n = sizeof payload;
  int found = 0;
  FILE* fp = fresh("r");
  LimeReader* r = limeCreateReader(fp);
  while (limeReaderNextRecord(r) == LIME_SUCCESS) {
    if (strcmp(limeReaderType(r), "data") == 0) {
      n = sizeof payload;
      CHECK_EQUAL(limeReaderBytes(r), bytes);
      CHECK_EQUAL(limeReaderReadData(payload, &n, r), LIME_SUCCESS);
      CHECK_EQUAL(n, bytes);
      CHECK(memcmp(payload, expected_payload, (size_t)bytes) == 0);
    }
    ++found;
  }
  CHECK_EQUAL(found, records);
  limeDestroyReader(r);
  fclose(fp);
}

/* Rank 0 writes the header and sends its writer as bytes; everybody writes its part, the last first; rank 0 closes. */
static void several_writers_of_one_record(void) {
  static const char payload[] = "aaaaaabbbbbbccccccdddddd!";
  const n_uint64_t bytes = ranks * piece + 1;
  FILE* fp[ranks];
  LimeWriter* w[ranks];
  LimeWriter state;
  int rank;
  fclose(fresh("w"));
  for (rank = 0; rank < ranks; ++rank) {
    fp[rank] = fresh("r+");
    w[rank] = limeCreateWriter(fp[rank]);
  }
  CHECK_EQUAL(write_record(w[0], 1, 0, "private", "xml", 3), LIME_SUCCESS);
  CHECK_EQUAL(write_header(w[0], 0, 0, "data", bytes), LIME_SUCCESS);
  state = *w[0];
  state.fp = (FILE*)0x1; /* of another process */
  for (rank = 1; rank < ranks; ++rank) CHECK_EQUAL(limeWriterSetState(w[rank], &state), LIME_SUCCESS);
  for (rank = ranks - 1; rank >= 0; --rank) {
    n_uint64_t n = rank == ranks - 1 ? piece + 1 : piece;
    CHECK_EQUAL(limeWriterSeek(w[rank], rank * piece, SEEK_SET), LIME_SUCCESS);
    CHECK_EQUAL(ftello(fp[rank]), 152 + 144 + rank * piece);
    CHECK_EQUAL(limeWriteRecordData((void*)(payload + rank * piece), &n, w[rank]), LIME_SUCCESS);
    CHECK_EQUAL(w[rank]->header_nextP, 0); /* nobody but the closer knows that all is there */
  }
  for (rank = ranks - 1; rank >= 0; --rank) {
    CHECK_EQUAL(limeWriterCloseRecord(w[rank]), LIME_SUCCESS);
    CHECK_EQUAL(fflush(fp[rank]), 0);
    CHECK_EQUAL(ftello(fp[rank]), 152 + 144 + 32);
  }
  CHECK_EQUAL(write_record(w[0], 0, 1, "checksum", "12345678", 8), LIME_SUCCESS);
  for (rank = 0; rank < ranks; ++rank) {
    limeDestroyWriter(w[rank]);
    fclose(fp[rank]);
  }
  check_file(payload, bytes, 3);
}

/* The payload is written by other means while the record is open. */
static void payload_by_another_way(void) {
  static const char payload[] = "0123456789abcdefghi";
  FILE* fp = fresh("w+");
  FILE* other;
  LimeWriter* w = limeCreateWriter(fp);
  off_t start;
  CHECK_EQUAL(write_header(w, 1, 0, "data", 19), LIME_SUCCESS);
  CHECK_EQUAL(fflush(fp), 0);
  start = ftello(fp);
  CHECK_EQUAL(start, 144);
  other = fresh("r+");
  fseeko(other, start, SEEK_SET);
  fwrite(payload, 1, 19, other);
  fclose(other);
  fseeko(fp, 0, SEEK_END);
  CHECK_EQUAL(limeWriterCloseRecord(w), LIME_SUCCESS);
  CHECK_EQUAL(ftello(fp), 168);
  CHECK_EQUAL(write_record(w, 0, 1, "checksum", "x", 1), LIME_SUCCESS);
  limeDestroyWriter(w);
  fclose(fp);
  check_file(payload, 19, 2);
}

/* One writer, sites from the last to the first; then a record some of whose bytes are given twice. */
static void bytes_in_any_order(void) {
  static const char payload[] = "abcdefgh";
  FILE* fp = fresh("w+");
  LimeWriter* w = limeCreateWriter(fp);
  n_uint64_t n;
  int site;
  CHECK_EQUAL(write_header(w, 1, 0, "data", 8), LIME_SUCCESS);
  for (site = 3; site >= 0; --site) {
    n = 2;
    CHECK_EQUAL(limeWriterSeek(w, 2 * site, SEEK_SET), LIME_SUCCESS);
    CHECK_EQUAL(limeWriteRecordData((void*)(payload + 2 * site), &n, w), LIME_SUCCESS);
    CHECK_EQUAL(n, 2);
  }
  CHECK_EQUAL(write_header(w, 0, 1, "data", 8), LIME_SUCCESS); /* it had closed itself */
  CHECK_EQUAL(ftello(fp), 152 + 144);
  n = 4;
  CHECK_EQUAL(limeWriteRecordData("????", &n, w), LIME_SUCCESS);
  CHECK_EQUAL(limeWriterSeek(w, -4, SEEK_CUR), LIME_SUCCESS);
  n = 4;
  CHECK_EQUAL(limeWriteRecordData((void*)payload, &n, w), LIME_SUCCESS);
  n = 4;
  CHECK_EQUAL(limeWriteRecordData((void*)(payload + 4), &n, w), LIME_SUCCESS);
  CHECK_EQUAL(n, 4);
  CHECK_EQUAL(limeWriterCloseRecord(w), LIME_SUCCESS);
  CHECK_EQUAL(ftello(fp), 304);
  limeDestroyWriter(w);
  fclose(fp);
  check_file(payload, 8, 2);
}

static void seeks_stay_in_the_record(void) {
  char byte = 0;
  n_uint64_t n = 1;
  FILE* fp = fresh("w+");
  LimeWriter* w = limeCreateWriter(fp);
  LimeReader* r;
  CHECK_EQUAL(write_header(w, 1, 1, "data", 10), LIME_SUCCESS);
  CHECK_EQUAL(limeWriterSeek(w, 11, SEEK_SET), LIME_ERR_SEEK);
  CHECK_EQUAL(w->rec_ptr, 10);
  CHECK_EQUAL(limeWriterSeek(w, -11, SEEK_CUR), LIME_ERR_SEEK);
  CHECK_EQUAL(w->rec_ptr, 0);
  CHECK_EQUAL(limeWriterSeek(w, 10, SEEK_SET), LIME_SUCCESS);
  CHECK_EQUAL(ftello(fp), 154);
  CHECK_EQUAL(limeWriterSeek(w, 0, SEEK_END), LIME_ERR_WRITE);
  CHECK_EQUAL(limeWriterSeek(w, 0, SEEK_SET), LIME_SUCCESS);
  n = 10;
  CHECK_EQUAL(limeWriteRecordData("0123456789", &n, w), LIME_SUCCESS);
  limeDestroyWriter(w);
  rewind(fp);
  r = limeCreateReader(fp);
  CHECK_EQUAL(limeReaderNextRecord(r), LIME_SUCCESS);
  CHECK_EQUAL(ftello(fp), 144);
  CHECK_EQUAL(limeReaderSeek(r, 7, SEEK_SET), LIME_SUCCESS);
  CHECK_EQUAL(r->bytes_left, 3);
  CHECK_EQUAL(limeReaderSeek(r, -2, SEEK_CUR), LIME_SUCCESS);
  CHECK_EQUAL(ftello(fp), 149);
  n = 1;
  CHECK_EQUAL(limeReaderReadData(&byte, &n, r), LIME_SUCCESS);
  CHECK_EQUAL(byte, '5');
  CHECK_EQUAL(limeReaderSeek(r, 11, SEEK_SET), LIME_ERR_SEEK);
  CHECK_EQUAL(ftello(fp), 160); /* the end means behind the padding */
  CHECK_EQUAL(limeReaderReadData(&byte, &n, r), LIME_EOR);
  CHECK_EQUAL(n, 1);
  CHECK_EQUAL(limeReaderSeek(r, -1, SEEK_SET), LIME_ERR_SEEK);
  CHECK_EQUAL(r->rec_ptr, 0);
  CHECK_EQUAL(limeReaderSeek(r, 10, SEEK_SET), LIME_SUCCESS);
  CHECK_EQUAL(limeReaderSeek(r, 0, SEEK_END), LIME_ERR_SEEK);
  CHECK_EQUAL(limeEOM(r), 1);
  CHECK_EQUAL(limeGetReaderPointer(r), 160);
  CHECK_EQUAL(limeReaderNextRecord(r), LIME_EOF);
  CHECK_EQUAL(limeSetReaderPointer(r, 0), LIME_SUCCESS);
  CHECK_EQUAL(limeReaderNextRecord(r), LIME_SUCCESS);
  limeDestroyReader(r);
  fclose(fp);
}

/* Rank 0 finds the record and sends its reader as bytes; the others read their part and go on. */
static void several_readers_of_one_record(void) {
  FILE* fp[2];
  LimeReader* r[2];
  LimeReader state;
  char part[4] = "";
  n_uint64_t n = 3;
  FILE* out = fresh("w+");
  LimeWriter* w = limeCreateWriter(out);
  write_record(w, 1, 0, "data", "abcdef", 6);
  write_record(w, 0, 1, "more", "x", 1);
  limeDestroyWriter(w);
  fclose(out);
  fp[0] = fresh("r");
  fp[1] = fresh("r");
  r[0] = limeCreateReader(fp[0]);
  r[1] = limeCreateReader(fp[1]);
  CHECK_EQUAL(limeReaderNextRecord(r[0]), LIME_SUCCESS);
  state = *r[0];
  state.fp = (FILE*)0x1; /* both of another process */
  state.curr_header = (LimeRecordHeader*)0x1;
  CHECK_EQUAL(limeReaderSetState(r[1], &state), LIME_SUCCESS);
  CHECK_EQUAL(ftello(fp[1]), 144);
  CHECK(limeReaderType(r[1]) == NULL);
  CHECK_EQUAL(limeReaderSeek(r[1], 3, SEEK_SET), LIME_SUCCESS);
  CHECK_EQUAL(limeReaderReadData(part, &n, r[1]), LIME_SUCCESS);
  CHECK(memcmp(part, "def", 3) == 0);
  CHECK_EQUAL(limeReaderNextRecord(r[1]), LIME_SUCCESS);
  CHECK(strcmp(limeReaderType(r[1]), "more") == 0);
  state.rec_ptr = 7; /* no state of a reader */
  CHECK_EQUAL(limeReaderSetState(r[1], &state), LIME_ERR_PARAM);
  limeDestroyReader(r[0]);
  limeDestroyReader(r[1]);
  fclose(fp[0]);
  fclose(fp[1]);
}

/* What is written in one go needs no seek. */
static void records_through_a_pipe(void) {
  char bytes[1024];
  int ends[2];
  FILE* fp;
  LimeWriter* w;
  CHECK_EQUAL(pipe(ends), 0);
  fp = fdopen(ends[1], "w");
  w = limeCreateWriter(fp);
  CHECK_EQUAL(write_record(w, 1, 0, "a", "12345", 5), LIME_SUCCESS);
  CHECK_EQUAL(limeWriterCloseRecord(w), LIME_SUCCESS);
  CHECK_EQUAL(write_record(w, 0, 1, "b", "12345678", 8), LIME_SUCCESS);
  CHECK_EQUAL(limeWriterSeek(w, 0, SEEK_SET), LIME_ERR_SEEK);
  limeDestroyWriter(w);
  fclose(fp);
  CHECK_EQUAL(read(ends[0], bytes, sizeof bytes), 304);
  CHECK(memcmp(bytes + 144, "12345\0\0\0", 8) == 0);
  close(ends[0]);
}

static void* read_and_write(void* which) {
  char path[4200];
  char data[100];
  int round;
  LimeReader* r;
  LimeWriter* w;
  FILE* fp;
  snprintf(path, sizeof path, "%s.%c", test_file(), *(const char*)which);
  memset(data, *(const char*)which, sizeof data);
  for (round = 0; round < 50; ++round) {
    n_uint64_t n = sizeof data;
    fp = fopen(path, "w+");
    w = limeCreateWriter(fp);
    write_record(w, 1, 1, (const char*)which, data, sizeof data);
    limeDestroyWriter(w);
    rewind(fp);
    r = limeCreateReader(fp);
    CHECK_EQUAL(limeReaderNextRecord(r), LIME_SUCCESS);
    CHECK(strcmp(limeReaderType(r), (const char*)which) == 0);
    CHECK_EQUAL(limeReaderReadData(data, &n, r), LIME_SUCCESS);
    CHECK_EQUAL(data[99], *(const char*)which);
    limeDestroyReader(r);
    fclose(fp);
  }
  remove(path);
  return NULL;
}

static void two_files_in_two_threads(void) {
  pthread_t threads[2];
  char names[2][2] = {"a", "b"};
  int i;
  test_file(); /* its name is made once */
  for (i = 0; i < 2; ++i) CHECK_EQUAL(pthread_create(&threads[i], NULL, read_and_write, names[i]), 0);
  for (i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

int main(void) {
  several_writers_of_one_record();
  payload_by_another_way();
  bytes_in_any_order();
  seeks_stay_in_the_record();
  several_readers_of_one_record();
  records_through_a_pipe();
  two_files_in_two_threads();
  return finish();
}
