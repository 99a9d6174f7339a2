// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records and their codes: headers, text, positions, and what happens when calls come in the wrong order.
#include <cstring>

#include "tests/lemon/fixture.hpp"

namespace lq::testing {
namespace {

class LemonRecords : public Lemon {
 protected:
  // Closes the writer and looks at the file.
  std::string finished(LemonWriter* writer) {
    EXPECT_EQ(same(lemonDestroyWriter(writer)), LEMON_SUCCESS);
    return contents();
  }
  LemonReader* reader_of(const std::string& bytes) {
    put(bytes);
    return lemonCreateReader(&open(MPI_MODE_RDONLY), MPI_COMM_WORLD);
  }
  static std::string read(LemonReader* reader, MPI_Offset bytes, int expected = LEMON_SUCCESS) {
    std::string text(static_cast<std::size_t>(bytes), '?');
    EXPECT_EQ(same(lemonReaderReadData(text.data(), &bytes, reader)), expected);
    text.resize(static_cast<std::size_t>(bytes));
    return text;
  }
};

TEST_F(LemonRecords, HeadersHoldWhatTheyWereMadeOf) {
  char type[] = "a-type";
  LemonRecordHeader* header = lemonCreateHeader(1, 0, type, 12345678901LL);
  type[0] = 'X';
  EXPECT_EQ(header->lemon_version, 1U);
  EXPECT_EQ(header->MB_flag, 1);
  EXPECT_EQ(header->ME_flag, 0);
  EXPECT_STREQ(header->type, "a-type");
  EXPECT_EQ(header->data_length, 12345678901U);
  lemonDestroyHeader(header);
  lemonDestroyHeader(nullptr);
  EXPECT_EQ(lemonCreateHeader(1, 1, nullptr, 1), nullptr);
}

TEST_F(LemonRecords, TextLiesAsTheFormatSays) {
  LemonWriter* writer = lemonCreateWriter(&create(), MPI_COMM_WORLD);
  std::string expected;
  for (int length = 0; length < 10; ++length) {
    const std::string text = lattice_bytes(static_cast<std::uint64_t>(length), 1);
    write_record(writer, "text", text, length % 2 == 0, length % 2 == 1);
    expected += record_bytes("text", text, length % 2 == 0, length % 2 == 1);
  }
  EXPECT_EQ(finished(writer), expected);
}

TEST_F(LemonRecords, PublicFieldsTellWhereThingsStand) {
  MPI_File& file = create();
  LemonWriter* writer = lemonCreateWriter(&file, MPI_COMM_WORLD);
  EXPECT_EQ(writer->fp, &file);
  EXPECT_EQ(writer->my_rank, world_rank());
  EXPECT_EQ(writer->off, 0);
  EXPECT_NE(writer->is_awaiting_header, 0);
  EXPECT_NE(writer->is_first_record, 0);
  write_header(writer, "t", 10, 1, 1);
  EXPECT_EQ(writer->off, 144);
  EXPECT_EQ(writer->data_length, 10);
  EXPECT_EQ(writer->is_awaiting_header, 0);
  EXPECT_EQ(writer->is_last, 1);
  write_text(writer, "0123");
  EXPECT_EQ(writer->pos, 4);
  same(lemonWriterCloseRecord(writer));
  EXPECT_EQ(writer->off, 160);
  EXPECT_EQ(writer->pos, 0);
  EXPECT_EQ(writer->is_last_written, 1);
  lemonDestroyWriter(writer);
  LemonReader* reader = lemonCreateReader(&file, MPI_COMM_WORLD);
  EXPECT_EQ(reader->fp, &file);
  EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_SUCCESS);
  EXPECT_EQ(reader->off, 144);
  EXPECT_EQ(reader->is_last, 1);
  EXPECT_EQ(reader->curr_header->data_length, 10U);
  lemonDestroyReader(reader);
}

TEST_F(LemonRecords, ReadersTellWhatTheHeaderSays) {
  LemonReader* reader = reader_of(record_bytes("first", "abc", true, false) + record_bytes("second", "", false, true));
  EXPECT_EQ(lemonReaderMBFlag(reader), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonReaderMEFlag(reader), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonReaderBytes(reader), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonReaderPadBytes(reader), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonEOM(reader), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonReaderType(reader), nullptr);
  EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_SUCCESS);
  EXPECT_STREQ(lemonReaderType(reader), "first");
  EXPECT_EQ(lemonReaderBytes(reader), 3);
  EXPECT_EQ(lemonReaderPadBytes(reader), 5);
  EXPECT_EQ(lemonReaderMBFlag(reader), 1);
  EXPECT_EQ(lemonReaderMEFlag(reader), 0);
  EXPECT_EQ(lemonEOM(reader), 0);
  EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_SUCCESS) << "an open record is closed";
  EXPECT_STREQ(lemonReaderType(reader), "second");
  EXPECT_EQ(lemonReaderBytes(reader), 0);
  EXPECT_EQ(lemonReaderMBFlag(reader), 0);
  EXPECT_EQ(lemonEOM(reader), 1);
  EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_EOF);
  EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_EOF) << "and stays there";
  EXPECT_EQ(lemonReaderType(reader), nullptr);
  lemonDestroyReader(reader);
}

TEST_F(LemonRecords, EveryRankReadsTheSameBytes) {
  LemonReader* reader = reader_of(record_bytes("t", "0123456789"));
  lemonReaderNextRecord(reader);
  EXPECT_EQ(read(reader, 4), "0123");
  EXPECT_EQ(lemonGetReaderPointer(reader), 4);
  EXPECT_EQ(read(reader, 0), "");
  EXPECT_EQ(read(reader, 100), "456789") << "what is left";
  EXPECT_EQ(read(reader, 100, LEMON_EOR), "");
  EXPECT_EQ(lemonSetReaderPointer(reader, 8), LEMON_SUCCESS);
  EXPECT_EQ(read(reader, 2), "89");
  lemonDestroyReader(reader);
}

TEST_F(LemonRecords, SeekingStaysInTheRecord) {
  LemonReader* reader = reader_of(record_bytes("t", "0123456789"));
  EXPECT_EQ(lemonReaderSeek(reader, 0, MPI_SEEK_SET), LEMON_ERR_PARAM) << "without a record";
  lemonReaderNextRecord(reader);
  EXPECT_EQ(lemonReaderSeek(reader, 3, MPI_SEEK_SET), LEMON_SUCCESS);
  EXPECT_EQ(lemonReaderSeek(reader, 4, MPI_SEEK_CUR), LEMON_SUCCESS);
  EXPECT_EQ(lemonGetReaderPointer(reader), 7);
  EXPECT_EQ(lemonReaderSeek(reader, 4, MPI_SEEK_END), LEMON_SUCCESS) << "counted backwards";
  EXPECT_EQ(lemonGetReaderPointer(reader), 6);
  for (const MPI_Offset outside : std::vector<MPI_Offset>{-1, 10, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(lemonReaderSeek(reader, outside, MPI_SEEK_SET), LEMON_ERR_SEEK);
  }
  EXPECT_EQ(lemonReaderSeek(reader, INT64_MAX, MPI_SEEK_CUR), LEMON_ERR_SEEK);
  EXPECT_EQ(lemonReaderSeek(reader, INT64_MIN, MPI_SEEK_END), LEMON_ERR_SEEK);
  EXPECT_EQ(lemonReaderSeek(reader, 0, MPI_SEEK_END), LEMON_ERR_SEEK);
  EXPECT_EQ(lemonReaderSeek(reader, 0, 12345), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonGetReaderPointer(reader), 6) << "a seek that fails moves nothing";
  lemonDestroyReader(reader);
}

TEST_F(LemonRecords, AWriterSeeks) {
  LemonWriter* writer = lemonCreateWriter(&create(), MPI_COMM_WORLD);
  EXPECT_EQ(same(lemonWriterSeek(writer, 0, MPI_SEEK_SET)), LEMON_ERR_PARAM);
  write_header(writer, "t", 10);
  EXPECT_EQ(same(lemonWriterSeek(writer, 6, MPI_SEEK_SET)), LEMON_SUCCESS);
  EXPECT_EQ(write_text(writer, "6789"), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonWriterSeek(writer, 10, MPI_SEEK_END)), LEMON_SUCCESS);
  EXPECT_EQ(write_text(writer, "012345"), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonWriterSeek(writer, 10, MPI_SEEK_SET)), LEMON_ERR_SEEK);
  EXPECT_EQ(same(lemonWriterCloseRecord(writer)), LEMON_SUCCESS);
  EXPECT_EQ(finished(writer), record_bytes("t", "0123456789"));
}

TEST_F(LemonRecords, CallsOutOfOrderHaveTheirCodes) {
  LemonWriter* writer = lemonCreateWriter(&create(), MPI_COMM_WORLD);
  EXPECT_EQ(write_text(writer, "x"), LEMON_ERR_WRITE);
  EXPECT_EQ(same(lemonWriterCloseRecord(writer)), LEMON_ERR_CLOSE);
  EXPECT_EQ(write_header(writer, "a", 1, 1, 0), LEMON_SUCCESS);
  EXPECT_EQ(write_header(writer, "b", 1, 0, 1), LEMON_ERR_HEADER_NEXT);
  EXPECT_EQ(write_text(writer, "x"), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonWriterCloseRecord(writer)), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonWriterCloseRecord(writer)), LEMON_ERR_CLOSE) << "twice";
  EXPECT_EQ(write_header(writer, "b", 1, 1, 1), LEMON_ERR_MBME) << "the message is open";
  EXPECT_EQ(write_header(writer, "b", 0, 0, 1), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonWriterCloseRecord(writer)), LEMON_SUCCESS);
  EXPECT_EQ(write_header(writer, "c", 1, 0, 1), LEMON_ERR_MBME) << "a message must begin";
  EXPECT_EQ(finished(writer), record_bytes("a", "x", true, false) + record_bytes("b", "", false, true));
  LemonReader* reader = lemonCreateReader(&open(MPI_MODE_RDONLY), MPI_COMM_WORLD);
  EXPECT_EQ(same(lemonReaderCloseRecord(reader)), LEMON_ERR_CLOSE);
  EXPECT_EQ(read(reader, 1, LEMON_ERR_READ), "?");
  lemonReaderNextRecord(reader);
  EXPECT_EQ(same(lemonReaderCloseRecord(reader)), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonReaderCloseRecord(reader)), LEMON_ERR_CLOSE);
  lemonDestroyReader(reader);
}

TEST_F(LemonRecords, BrokenFilesAreNoHeadersOnAnyRank) {
  const std::string good = record_bytes("good", "12345678");
  std::string magic = good, version = good, huge = good, flags = good;
  magic[0] = 'F';
  version[5] = 2;
  huge[8] = static_cast<char>(0x80);
  const std::vector<std::string> broken{magic,
                                        version,
                                        huge,
                                        good.substr(0, 100),
                                        header_bytes("long", 9, true, true) + "12345678",
                                        std::string(200, 'x')};
  for (const std::string& bytes : broken) {
    LemonReader* reader = reader_of(good + bytes);
    EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_SUCCESS);
    EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_ERR_HEADER_NEXT);
    EXPECT_EQ(lemonReaderType(reader), nullptr);
    lemonDestroyReader(reader);
  }
}

TEST_F(LemonRecords, WhatOthersLeaveAtTheEndIsTheEnd) {
  const std::string good = record_bytes("good", "12345");
  for (const std::string& bytes : {good + "\n", good + std::string(16, '\0'), good.substr(0, 144 + 5), std::string()}) {
    LemonReader* reader = reader_of(bytes);
    if (!bytes.empty()) {
      EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_SUCCESS);
      EXPECT_EQ(read(reader, 5), "12345");
    }
    EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_EOF);
    lemonDestroyReader(reader);
  }
}

TEST_F(LemonRecords, ATypeOf128CharactersEndsThere) {
  LemonReader* reader = reader_of(header_bytes(std::string(128, 'T'), 0, true, true));
  EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_SUCCESS);
  EXPECT_EQ(lemonReaderType(reader), std::string(128, 'T'));
  lemonDestroyReader(reader);
}

TEST_F(LemonRecords, HeadersThatNoFileHoldsAreRefused) {
  LemonWriter* writer = lemonCreateWriter(&create(), MPI_COMM_WORLD);
  EXPECT_EQ(write_header(writer, std::string(128, 'T'), 1), LEMON_ERR_PARAM);
  EXPECT_EQ(write_header(writer, "", 1), LEMON_ERR_PARAM);
  EXPECT_EQ(write_header(writer, "negative", -1), LEMON_ERR_PARAM);
  EXPECT_EQ(write_header(writer, "behind the end", INT64_MAX), LEMON_ERR_PARAM);
  EXPECT_EQ(same(lemonWriteRecordHeader(nullptr, writer)), LEMON_ERR_PARAM);
  EXPECT_EQ(finished(writer), "");
}

TEST_F(LemonRecords, AppendingGoesOnAtTheEnd) {
  const std::string before = record_bytes("old", "old text");
  put(before);
  LemonWriter* writer = lemonCreateWriter(&open(MPI_MODE_WRONLY | MPI_MODE_APPEND), MPI_COMM_WORLD);
  EXPECT_EQ(writer->off, static_cast<MPI_Offset>(before.size()));
  write_record(writer, "new", "new text!");
  EXPECT_EQ(finished(writer), before + record_bytes("new", "new text!"));
}

TEST_F(LemonRecords, AWriterBeginsWhereTheFilePointerStands) {
  const std::string before = record_bytes("old", "old text");
  put(before);
  MPI_File& file = open(MPI_MODE_RDWR);
  MPI_File_seek(file, static_cast<MPI_Offset>(before.size()), MPI_SEEK_SET);
  LemonWriter* writer = lemonCreateWriter(&file, MPI_COMM_WORLD);
  write_record(writer, "new", "n");
  EXPECT_EQ(finished(writer), before + record_bytes("new", "n"));
}

TEST_F(LemonRecords, AStateGoesOnInAnotherFile) {
  LemonReader* one =
      reader_of(record_bytes("first", "0123456789", true, false) + record_bytes("second", "", false, true));
  LemonReader* two = lemonCreateReader(one->fp, MPI_COMM_WORLD);
  lemonReaderNextRecord(one);
  read(one, 3);
  EXPECT_EQ(same(lemonReaderSetState(two, one)), LEMON_SUCCESS);
  lemonDestroyReader(one);
  EXPECT_STREQ(lemonReaderType(two), "first");
  EXPECT_EQ(read(two, 3), "345");
  EXPECT_EQ(same(lemonReaderNextRecord(two)), LEMON_SUCCESS);
  EXPECT_STREQ(lemonReaderType(two), "second");
  lemonDestroyReader(two);

  LemonWriter* from = lemonCreateWriter(&create(), MPI_COMM_WORLD);
  LemonWriter* to = lemonCreateWriter(from->fp, MPI_COMM_WORLD);
  write_header(from, "t", 10);
  write_text(from, "01234");
  EXPECT_EQ(same(lemonWriterSetState(to, from)), LEMON_SUCCESS);
  lemonDestroyWriter(from);
  write_text(to, "56789");
  EXPECT_EQ(same(lemonWriterCloseRecord(to)), LEMON_SUCCESS);
  EXPECT_EQ(finished(to).substr(0, 160), record_bytes("t", "0123456789"));
}

}  // namespace
}  // namespace lq::testing
