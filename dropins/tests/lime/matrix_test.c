/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * C-LIME's interface from C: what every function answers, in order, out of order, to NULL and to broken files. The byte
 * layouts are those of docs/formats/lime.md, written out by hand. */
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <lime.h>
#include <lime_binary_header.h>
#include <lime_fseeko.h>
#include <lime_utils.h>

static const unsigned char xlf_info_header[16] = {0x45, 0x67, 0x89, 0xab, 0, 1, 0xc0, 0, 0, 0, 0, 0, 0, 0, 1, 9};

static int is_zero(const unsigned char* bytes, size_t count) {
  while (count > 0 && bytes[count - 1] == 0) --count;
  return count == 0;
}

static void header_objects(void) {
  char type[] = "some-type";
  LimeRecordHeader* h = limeCreateHeader(1, 0, type, 77);
  type[0] = 'X'; /* it was copied */
  CHECK(h != NULL && strcmp(h->type, "some-type") == 0);
  CHECK_EQUAL(h->lime_version, 1);
  CHECK_EQUAL(h->MB_flag, 1);
  CHECK_EQUAL(h->ME_flag, 0);
  CHECK_EQUAL(h->data_length, 77);
  limeDestroyHeader(h);
  limeDestroyHeader(NULL);
  CHECK(limeCreateHeader(1, 1, NULL, 0) == NULL);
}

static void constants(void) {
  CHECK_EQUAL(LIME_MAGIC_NO, 0x456789ab);
  CHECK_EQUAL(LIME_VERSION, 1);
  CHECK_EQUAL(LIME_MAX_BUFSIZE, 2147483647);
  CHECK_EQUAL(LIME_HDR_LENGTH, 144);
  CHECK_EQUAL(MAX_LIME_HDR_REC_TYPE, 128);
  CHECK_EQUAL(LIME_SUCCESS, 0);
  CHECK_EQUAL(LIME_ERR_LAST_NOT_WRITTEN, -1);
  CHECK_EQUAL(LIME_ERR_PARAM, -2);
  CHECK_EQUAL(LIME_ERR_HEADER_NEXT, -3);
  CHECK_EQUAL(LIME_LAST_REC_WRITTEN, -4);
  CHECK_EQUAL(LIME_ERR_WRITE, -5);
  CHECK_EQUAL(LIME_EOR, -6);
  CHECK_EQUAL(LIME_EOF, -7);
  CHECK_EQUAL(LIME_ERR_READ, -8);
  CHECK_EQUAL(LIME_ERR_SEEK, -9);
  CHECK_EQUAL(LIME_ERR_MBME, -10);
  CHECK_EQUAL(LIME_ERR_CLOSE, -11);
}

static void utilities(void) {
  unsigned char two[4] = {1, 2, 3, 4};
  unsigned char eight[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  n_uint16_t s;
  n_uint32_t l;
  n_uint64_t ll;
  int i;
  for (i = 0; i < 40; ++i) CHECK_EQUAL((i + lime_padding((size_t)i)) % 8, 0);
  CHECK_EQUAL(lime_padding(0), 0);
  CHECK_EQUAL(lime_padding(9), 7);
  lime_byte_swap(two, 2, 2);
  CHECK(memcmp(two, "\2\1\4\3", 4) == 0);
  lime_byte_swap(eight, 8, 1);
  CHECK(memcmp(eight, "\10\7\6\5\4\3\2\1", 8) == 0);
  lime_byte_swap(eight, 4, 2);
  CHECK(memcmp(eight, "\5\6\7\10\1\2\3\4", 8) == 0);
  lime_byte_swap(eight, 1, 8);
  lime_byte_swap(eight, 3, 2); /* no such word: stays */
  lime_byte_swap(NULL, 8, 1);
  CHECK(memcmp(eight, "\5\6\7\10\1\2\3\4", 8) == 0);
  s = big_endian_short(0x0102);
  l = big_endian_long(0x01020304);
  ll = big_endian_long_long((n_uint64_t)0x01020304 << 32 | 0x05060708);
  CHECK(memcmp(&s, "\1\2", 2) == 0);
  CHECK(memcmp(&l, "\1\2\3\4", 4) == 0);
  CHECK(memcmp(&ll, "\1\2\3\4\5\6\7\10", 8) == 0);
}

/* The specification's example: 265 bytes of xlf-info, alone in its message. */
static void the_bytes_of_a_record(void) {
  unsigned char file[1024];
  unsigned char data[265];
  FILE* fp = fresh("w+");
  LimeWriter* w = limeCreateWriter(fp);
  n_uint64_t bytes = sizeof data;
  memset(data, 'x', sizeof data);
  CHECK_EQUAL(write_header(w, 1, 1, "xlf-info", 265), LIME_SUCCESS);
  CHECK_EQUAL(ftello(fp), 144);
  CHECK_EQUAL(limeWriteRecordData(data, &bytes, w), LIME_SUCCESS);
  CHECK_EQUAL(bytes, 265);
  CHECK_EQUAL(ftello(fp), 416); /* closed itself */
  CHECK_EQUAL(w->header_nextP, 1);
  CHECK_EQUAL(w->last_written, 1);
  CHECK_EQUAL(limeWriterCloseRecord(w), LIME_SUCCESS);
  CHECK_EQUAL(limeWriterCloseRecord(w), LIME_SUCCESS);
  CHECK_EQUAL(ftello(fp), 416);
  CHECK_EQUAL(limeDestroyWriter(w), LIME_SUCCESS);
  rewind(fp);
  CHECK_EQUAL(fread(file, 1, sizeof file, fp), 416);
  CHECK(memcmp(file, xlf_info_header, 16) == 0);
  CHECK(memcmp(file + 16, "xlf-info", 8) == 0);
  CHECK(is_zero(file + 24, 120));
  CHECK(memcmp(file + 144, data, 265) == 0);
  CHECK(is_zero(file + 409, 7));
  fclose(fp);
}

static void flags_of_messages(void) {
  FILE* fp = fresh("w+");
  LimeWriter* w = limeCreateWriter(fp);
  CHECK_EQUAL(write_record(w, 1, 0, "a", "1", 1), LIME_SUCCESS);
  CHECK_EQUAL(write_header(w, 1, 0, "b", 1), LIME_ERR_MBME); /* also behind a record that began one */
  CHECK_EQUAL(write_record(w, 0, 0, "b", "2", 1), LIME_SUCCESS);
  CHECK_EQUAL(write_header(w, 1, 1, "c", 1), LIME_ERR_MBME);
  CHECK_EQUAL(write_record(w, 0, 1, "c", "3", 1), LIME_SUCCESS);
  CHECK_EQUAL(write_header(w, 0, 1, "d", 1), LIME_ERR_MBME);
  CHECK_EQUAL(write_record(w, 7, 7, "d", "4", 1), LIME_SUCCESS); /* any true value */
  CHECK_EQUAL(ftello(fp), 4 * 152);
  limeDestroyWriter(w);
  w = limeCreateWriter(fp); /* appends, and does not know how the file before it ended */
  CHECK_EQUAL(write_record(w, 0, 1, "e", "5", 1), LIME_SUCCESS);
  limeDestroyWriter(w);
  fclose(fp);
}

static void records_of_no_bytes(void) {
  FILE* fp = fresh("w+");
  LimeWriter* w = limeCreateWriter(fp);
  n_uint64_t none = 0;
  CHECK_EQUAL(write_header(w, 1, 0, "empty", 0), LIME_SUCCESS);
  CHECK_EQUAL(write_header(w, 0, 0, "empty", 0), LIME_SUCCESS); /* nothing is due in between */
  CHECK_EQUAL(limeWriteRecordData(NULL, &none, w), LIME_SUCCESS);
  CHECK_EQUAL(write_header(w, 0, 0, "empty", 0), LIME_SUCCESS);
  CHECK_EQUAL(limeWriterCloseRecord(w), LIME_SUCCESS);
  CHECK_EQUAL(write_record(w, 0, 1, "last", "12345678", 8), LIME_SUCCESS);
  CHECK_EQUAL(ftello(fp), 4 * 144 + 8);
  limeDestroyWriter(w);
  fclose(fp);
}

static void writers_out_of_order(void) {
  char type[200];
  FILE* fp = fresh("w+");
  LimeWriter* w = limeCreateWriter(fp);
  LimeRecordHeader h = {1, 1, 1, NULL, 4};
  n_uint64_t n = 4;
  CHECK_EQUAL(limeWriteRecordData("abcd", &n, w), LIME_ERR_PARAM);
  CHECK_EQUAL(n, 0);
  CHECK_EQUAL(limeWriterCloseRecord(w), LIME_SUCCESS); /* nothing to close, nothing moves */
  CHECK_EQUAL(limeWriterSeek(w, 1, SEEK_SET), LIME_ERR_SEEK);
  CHECK_EQUAL(limeWriteRecordHeader(&h, w), LIME_ERR_PARAM); /* no type */
  memset(type, 't', sizeof type);
  type[128] = '\0';
  CHECK_EQUAL(write_header(w, 1, 1, type, 4), LIME_ERR_PARAM);
  CHECK_EQUAL(write_header(w, 1, 1, "huge", (n_uint64_t)1 << 63), LIME_ERR_PARAM);
  CHECK_EQUAL(write_header(w, 1, 1, "huge", ((n_uint64_t)1 << 63) - 1), LIME_ERR_PARAM);
  CHECK_EQUAL(ftello(fp), 0);
  type[127] = '\0';
  CHECK_EQUAL(write_header(w, 1, 1, type, 4), LIME_SUCCESS);
  CHECK_EQUAL(write_header(w, 1, 1, "next", 4), LIME_ERR_HEADER_NEXT);
  n = 1;
  CHECK_EQUAL(limeWriteRecordData(NULL, &n, w), LIME_ERR_PARAM);
  n = 100; /* more than the record holds */
  CHECK_EQUAL(limeWriteRecordData("abcdefgh", &n, w), LIME_SUCCESS);
  CHECK_EQUAL(n, 4);
  n = 1;
  CHECK_EQUAL(limeWriteRecordData("x", &n, w), LIME_ERR_PARAM);
  CHECK_EQUAL(n, 0);
  CHECK_EQUAL(ftello(fp), 152);
  limeDestroyWriter(w);
  fclose(fp);
}

static void nothing_but_null(void) {
  n_uint64_t n = 1;
  char byte = 0;
  FILE* fp = fresh("w+");
  LimeWriter* w = limeCreateWriter(fp);
  LimeReader* r = limeCreateReader(fp);
  CHECK(limeCreateReader(NULL) == NULL && limeCreateWriter(NULL) == NULL);
  limeDestroyReader(NULL);
  CHECK_EQUAL(limeDestroyWriter(NULL), LIME_SUCCESS);
  CHECK_EQUAL(limeSetReaderPointer(NULL, 0), LIME_ERR_PARAM);
  CHECK_EQUAL(limeGetReaderPointer(NULL), -1);
  CHECK_EQUAL(limeReaderNextRecord(NULL), LIME_ERR_PARAM);
  CHECK_EQUAL(limeReaderMBFlag(NULL), -1);
  CHECK_EQUAL(limeReaderMEFlag(NULL), -1);
  CHECK_EQUAL(limeEOM(NULL), -1);
  CHECK(limeReaderType(NULL) == NULL);
  CHECK_EQUAL(limeReaderBytes(NULL), 0);
  CHECK_EQUAL(limeReaderPadBytes(NULL), 0);
  CHECK_EQUAL(limeReaderReadData(&byte, &n, NULL), LIME_ERR_PARAM);
  CHECK_EQUAL(limeReaderReadData(&byte, NULL, r), LIME_ERR_PARAM);
  CHECK_EQUAL(limeReaderCloseRecord(NULL), LIME_ERR_PARAM);
  CHECK_EQUAL(limeReaderSeek(NULL, 0, SEEK_SET), LIME_ERR_PARAM);
  CHECK_EQUAL(limeReaderSetState(NULL, r), LIME_ERR_PARAM);
  CHECK_EQUAL(limeReaderSetState(r, NULL), LIME_ERR_PARAM);
  CHECK_EQUAL(skipReaderBytes(NULL, 1), LIME_ERR_PARAM);
  CHECK_EQUAL(readAndParseHeader(NULL), LIME_ERR_PARAM);
  CHECK_EQUAL(limeWriteRecordHeader(NULL, w), LIME_ERR_PARAM);
  CHECK_EQUAL(write_header(NULL, 1, 1, "a", 1), LIME_ERR_PARAM);
  CHECK_EQUAL(limeWriteRecordData(&byte, &n, NULL), LIME_ERR_PARAM);
  CHECK_EQUAL(limeWriteRecordData(&byte, NULL, w), LIME_ERR_PARAM);
  CHECK_EQUAL(limeWriterCloseRecord(NULL), LIME_ERR_PARAM);
  CHECK_EQUAL(limeWriterSeek(NULL, 0, SEEK_SET), LIME_ERR_PARAM);
  CHECK_EQUAL(limeWriterSetState(NULL, w), LIME_ERR_PARAM);
  CHECK_EQUAL(limeWriterSetState(w, NULL), LIME_ERR_PARAM);
  CHECK_EQUAL(skipWriterBytes(NULL, 1), LIME_ERR_PARAM);
  CHECK_EQUAL(write_lime_record_binary_header(fp, NULL), LIME_ERR_PARAM);
  CHECK_EQUAL(write_lime_record_binary_header(NULL, NULL), LIME_ERR_PARAM);
  CHECK_EQUAL(skip_lime_record_binary_header(NULL), LIME_ERR_PARAM);
  limeDestroyReader(r);
  limeDestroyWriter(w);
  fclose(fp);
}

/* What is not a record, behind one of 5 bytes; what the next call says of it. */
static int behind_a_record(const void* bytes, size_t count) {
  char five[5];
  n_uint64_t n = 5;
  int code;
  FILE* fp = fresh("w+");
  LimeWriter* w = limeCreateWriter(fp);
  LimeReader* r;
  write_record(w, 1, 1, "first", "abcde", 5);
  fwrite(bytes, 1, count, fp);
  limeDestroyWriter(w);
  rewind(fp);
  r = limeCreateReader(fp);
  CHECK_EQUAL(limeReaderNextRecord(r), LIME_SUCCESS);
  CHECK_EQUAL(limeReaderReadData(five, &n, r), LIME_SUCCESS);
  code = limeReaderNextRecord(r);
  if (code != LIME_SUCCESS) {
    CHECK_EQUAL(limeReaderNextRecord(r), code); /* it stays like that */
    CHECK_EQUAL(limeReaderMBFlag(r), -1);
    CHECK(limeReaderType(r) == NULL);
    CHECK_EQUAL(limeReaderBytes(r), 0);
    CHECK_EQUAL(limeReaderReadData(five, &n, r), LIME_EOR);
  }
  limeDestroyReader(r);
  fclose(fp);
  return code;
}

static void broken_headers(void) {
  unsigned char h[160] = {0x45, 0x67, 0x89, 0xab, 0, 1, 0xc0};
  CHECK_EQUAL(behind_a_record("", 0), LIME_EOF);
  CHECK_EQUAL(behind_a_record("\n", 1), LIME_EOF);
  CHECK_EQUAL(behind_a_record("\0\0\0\0", 4), LIME_EOF);
  CHECK_EQUAL(behind_a_record("x", 1), LIME_ERR_READ);
  CHECK_EQUAL(behind_a_record(h, 143), LIME_ERR_READ);
  CHECK_EQUAL(behind_a_record(h, 144), LIME_SUCCESS);
  h[5] = 2;
  CHECK_EQUAL(behind_a_record(h, 144), LIME_ERR_READ); /* another version: no exit() */
  h[5] = 1;
  h[0] = 0x44;
  CHECK_EQUAL(behind_a_record(h, 144), LIME_ERR_READ);
  h[0] = 0x45;
  h[15] = 17;
  CHECK_EQUAL(behind_a_record(h, 160), LIME_ERR_READ); /* a payload longer than the file */
  h[15] = 15;
  CHECK_EQUAL(behind_a_record(h, 159), LIME_SUCCESS); /* its padding alone may be missing */
  h[8] = 0x80;
  CHECK_EQUAL(behind_a_record(h, 160), LIME_ERR_READ);
  memset(h + 8, 0xff, 8);
  CHECK_EQUAL(behind_a_record(h, 160), LIME_ERR_READ);
  h[8] = 0x7f;
  CHECK_EQUAL(behind_a_record(h, 160), LIME_ERR_READ);
}

static void a_type_of_128_characters(void) {
  unsigned char h[144] = {0x45, 0x67, 0x89, 0xab, 0, 1, 0xc0};
  FILE* fp = fresh("w+");
  LimeReader* r;
  memset(h + 16, 't', 128);
  fwrite(h, 1, 144, fp);
  rewind(fp);
  r = limeCreateReader(fp);
  CHECK_EQUAL(limeReaderNextRecord(r), LIME_SUCCESS);
  CHECK_EQUAL(strlen(limeReaderType(r)), 128);
  limeDestroyReader(r);
  fclose(fp);
}

static void readers_out_of_order(void) {
  char byte = 0;
  n_uint64_t n = 1;
  FILE* fp = fresh("w+");
  LimeReader* r;
  fwrite("0123456789", 1, 10, fp);
  fseeko(fp, 3, SEEK_SET);
  r = limeCreateReader(fp);
  CHECK_EQUAL(limeGetReaderPointer(r), 3);
  CHECK_EQUAL(limeReaderMBFlag(r), -1);
  CHECK_EQUAL(limeReaderBytes(r), 0);
  CHECK_EQUAL(limeReaderPadBytes(r), 0);
  CHECK_EQUAL(limeReaderReadData(&byte, &n, r), LIME_EOR);
  CHECK_EQUAL(n, 1);
  CHECK_EQUAL(limeReaderCloseRecord(r), LIME_SUCCESS);
  CHECK_EQUAL(limeReaderSeek(r, 0, SEEK_SET), LIME_SUCCESS);
  CHECK_EQUAL(limeReaderSeek(r, 1, SEEK_SET), LIME_ERR_SEEK);
  CHECK_EQUAL(limeReaderSeek(r, 0, SEEK_END), LIME_ERR_SEEK);
  CHECK_EQUAL(limeSetReaderPointer(r, -1), LIME_ERR_SEEK);
  CHECK_EQUAL(ftello(fp), 3); /* none of it moved the file */
  limeDestroyReader(r);
  fclose(fp);
}

/* A device that is full, and a file that is read only: the code, and no record is open. */
static void writes_that_fail(void) {
  char byte = 'x';
  n_uint64_t n = 1;
  FILE* fp = fopen("/dev/full", "w");
  LimeWriter* w;
  if (fp != NULL) {
    setvbuf(fp, NULL, _IONBF, 0);
    w = limeCreateWriter(fp);
    CHECK_EQUAL(write_header(w, 1, 1, "a", 1), LIME_ERR_WRITE);
    CHECK_EQUAL(limeWriteRecordData(&byte, &n, w), LIME_ERR_PARAM);
    limeDestroyWriter(w);
    fclose(fp);
  }
  fclose(fresh("w"));
  fp = fopen(test_file(), "r");
  w = limeCreateWriter(fp);
  CHECK_EQUAL(write_header(w, 1, 1, "a", 1), LIME_ERR_WRITE);
  limeDestroyWriter(w);
  fclose(fp);
}

int main(void) {
  constants();
  header_objects();
  utilities();
  the_bytes_of_a_record();
  flags_of_messages();
  records_of_no_bytes();
  writers_out_of_order();
  nothing_but_null();
  broken_headers();
  a_type_of_128_characters();
  readers_out_of_order();
  writes_that_fail();
  return finish();
}
