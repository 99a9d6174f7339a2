// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What programs lose with the original library, one test for each of its known defects, and the habits of its users.
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tests/lemon/fixture.hpp"

namespace lq::testing {
namespace {

class LemonDefects : public Lemon {
 protected:
  static constexpr MPI_Offset site = 24;
  std::uint64_t volume() const { return sites_of(extents_); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(volume() * site); }
  std::string expected() const { return lattice_bytes(volume(), site); }
  LemonReader* reader() {
    LemonReader* one = lemonCreateReader(&open(MPI_MODE_RDONLY), comm_);
    EXPECT_EQ(same(lemonReaderNextRecord(one)), LEMON_SUCCESS);
    return one;
  }

  Cartesian comm_ = Cartesian::of(4);
  std::vector<int> extents_ = comm_.extents(3);
  std::string block_ = block_of(comm_, extents_, {0, 1, 2, 3}, site);
};

TEST_F(LemonDefects, D01_RecordsBehindANonBlockingWriteDoNotLandOnIt) {
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  write_header(writer, "lattice", bytes());
  EXPECT_EQ(same(lemonWriteLatticeParallelNonBlocking(writer, block_.data(), site, extents_.data())), LEMON_SUCCESS);
  EXPECT_EQ(writer->is_busy, 1);
  EXPECT_EQ(writer->buffer, block_.data());
  EXPECT_EQ(writer->bytes_wanted, bytes());
  EXPECT_EQ(same(lemonFinishWriting(writer)), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonFinishWriting(writer)), LEMON_SUCCESS) << "nothing is on its way";
  EXPECT_EQ(writer->is_busy, 0);
  EXPECT_EQ(writer->data_length, bytes());
  same(lemonWriterCloseRecord(writer));
  std::string text = "some text";
  write_header(writer, "text", 9);
  MPI_Offset length = 9;
  EXPECT_EQ(same(lemonWriteRecordDataNonBlocking(text.data(), &length, writer)), LEMON_SUCCESS);
  same(lemonWriterCloseRecord(writer));
  lemonDestroyWriter(writer);
  EXPECT_TRUE(contents() == record_bytes("lattice", expected()) + record_bytes("text", text));
}

TEST_F(LemonDefects, D02_SeveralLatticesShareARecord) {
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  write_header(writer, "lattices", 3 * bytes() + 5);
  write_text(writer, "12345");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), site, extents_.data())), LEMON_SUCCESS);
  }
  same(lemonWriterCloseRecord(writer));
  lemonDestroyWriter(writer);
  EXPECT_TRUE(contents() == record_bytes("lattices", "12345" + expected() + expected() + expected()));
  LemonReader* one = reader();
  EXPECT_EQ(lemonReaderSeek(one, 5 + 2 * bytes(), MPI_SEEK_SET), LEMON_SUCCESS);
  for (const int code : {LEMON_SUCCESS, LEMON_ERR_PARAM}) {
    std::string back(block_.size(), '?');
    EXPECT_EQ(same(lemonReadLatticeParallel(one, back.data(), site, extents_.data())), code);
    EXPECT_TRUE(code != LEMON_SUCCESS || back == block_);
  }
  lemonDestroyReader(one);
}

TEST_F(LemonDefects, D03_RecordsBehindANonBlockingReadAreFound) {
  put(record_bytes("lattice", expected()) + record_bytes("text", "behind"));
  LemonReader* one = reader();
  std::string back(block_.size(), '?');
  EXPECT_EQ(same(lemonReadLatticeParallelNonBlocking(one, back.data(), site, extents_.data())), LEMON_SUCCESS);
  EXPECT_EQ(one->is_busy, 1);
  EXPECT_EQ(same(lemonFinishReading(one)), LEMON_SUCCESS);
  EXPECT_TRUE(back == block_);
  EXPECT_EQ(same(lemonReaderNextRecord(one)), LEMON_SUCCESS);
  EXPECT_STREQ(lemonReaderType(one), "text");
  std::string text(6, '?');
  MPI_Offset length = 6;
  EXPECT_EQ(same(lemonReaderReadDataNonBlocking(text.data(), &length, one)), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonFinishReading(one)), LEMON_SUCCESS);
  EXPECT_EQ(text, "behind");
  lemonDestroyReader(one);
}

TEST_F(LemonDefects, D04_NothingLeavesItsRecord) {
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  write_header(writer, "short", bytes() - 1);
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), site, extents_.data())), LEMON_ERR_PARAM);
  EXPECT_EQ(same(lemonWriteLatticeParallelNonBlocking(writer, block_.data(), site, extents_.data())), LEMON_ERR_PARAM);
  EXPECT_EQ(write_text(writer, std::string(static_cast<std::size_t>(bytes()), 'x')), LEMON_ERR_PARAM);
  same(lemonWriterCloseRecord(writer));
  write_header(writer, "underfilled", 16);
  write_text(writer, "0123456");
  same(lemonWriterCloseRecord(writer));
  lemonDestroyWriter(writer);
  const std::string zeros(static_cast<std::size_t>(bytes() - 1), '\0');
  EXPECT_TRUE(contents() ==
              record_bytes("short", zeros) + record_bytes("underfilled", "0123456" + std::string(9, '\0')));
  LemonReader* one = reader();
  std::string back(block_.size(), '?');
  EXPECT_EQ(same(lemonReadLatticeParallel(one, back.data(), site, extents_.data())), LEMON_ERR_PARAM);
  MPI_Offset length = bytes();
  std::string text(static_cast<std::size_t>(length), '?');
  EXPECT_EQ(same(lemonReaderReadDataNonBlocking(text.data(), &length, one)), LEMON_ERR_PARAM);
  lemonDestroyReader(one);
}

TEST_F(LemonDefects, D05_ExtentsThatTheGridDoesNotDivideAreRefused) {
  if (comm_.ranks()[0] == 1) GTEST_SKIP() << "one rank divides everything";
  extents_[0] += 1;
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  write_header(writer, "lattice", bytes());
  std::string large(static_cast<std::size_t>(bytes()), 'x');
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, large.data(), site, extents_.data())), LEMON_ERR_PARAM);
  EXPECT_EQ(writer->pos, 0);
  lemonDestroyWriter(writer);
}

TEST_F(LemonDefects, D06_CountsAreOf64Bits) {
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  write_header(writer, "lattice", 100);
  std::vector<int> huge = extents_;
  for (std::size_t d = 0; d < 4; ++d) huge[d] = comm_.ranks()[d] * 100000;
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), 1, huge.data())), LEMON_ERR_PARAM) << "1e20 sites";
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), INT64_MAX, extents_.data())), LEMON_ERR_PARAM);
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), (MPI_Offset{1} << 32) + 1, extents_.data())),
            LEMON_ERR_PARAM)
      << "not one byte";
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), -8, extents_.data())), LEMON_ERR_PARAM);
  MPI_Offset length = (MPI_Offset{1} << 32) + 100;
  EXPECT_EQ(same(lemonWriteRecordData(block_.data(), &length, writer)), LEMON_ERR_PARAM) << "not 100 bytes";
  lemonDestroyWriter(writer);
}

TEST_F(LemonDefects, D07_FailuresOfTheFileReachAllRanks) {
  put(record_bytes("lattice", expected()));
  LemonWriter* writer = lemonCreateWriter(&open(MPI_MODE_RDONLY), comm_);
  EXPECT_EQ(write_header(writer, "refused", bytes()), LEMON_ERR_WRITE);
  EXPECT_EQ(writer->is_awaiting_header, 1) << "no record is open";
  lemonDestroyWriter(writer);
  LemonReader* one = lemonCreateReader(&open(MPI_MODE_WRONLY), comm_);
  EXPECT_EQ(same(lemonReaderNextRecord(one)), LEMON_ERR_READ);
  lemonDestroyReader(one);

  // A file that shrinks after its header was read.
  one = reader();
  barrier();
  if (world_rank() == 0) {
    std::ofstream(path_, std::ios::binary)
        << header_bytes("lattice", static_cast<std::uint64_t>(bytes()), true, true) << "few";
  }
  barrier();
  std::string back(block_.size(), '?');
  EXPECT_EQ(same(lemonReadLatticeParallel(one, back.data(), site, extents_.data())), LEMON_ERR_READ);
  EXPECT_EQ(one->is_busy, 0);
  if (same(lemonReadLatticeParallelNonBlocking(one, back.data(), site, extents_.data())) == LEMON_SUCCESS) {
    EXPECT_EQ(same(lemonFinishReading(one)), LEMON_ERR_READ);
  }
  EXPECT_EQ(one->is_busy, 0);
  MPI_Offset length = 10;
  EXPECT_EQ(same(lemonReaderReadData(back.data(), &length, one)), LEMON_ERR_READ);
  EXPECT_EQ(length, 0);
  lemonDestroyReader(one);
}

TEST_F(LemonDefects, D08_NullIsAnswered) {
  const std::vector<int> order{0, 1, 2, 3};
  MPI_Offset length = 1;
  char byte = 'x';
  EXPECT_EQ(lemonCreateReader(nullptr, comm_), nullptr);
  EXPECT_EQ(lemonCreateWriter(nullptr, comm_), nullptr);
  EXPECT_EQ(lemonCreateWriter(&create(), MPI_COMM_NULL), nullptr);
  MPI_File none = MPI_FILE_NULL;
  EXPECT_EQ(lemonCreateReader(&none, comm_), nullptr);
  EXPECT_EQ(lemonCreateWriter(&none, comm_), nullptr);
  lemonDestroyReader(nullptr);
  EXPECT_EQ(lemonDestroyWriter(nullptr), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonReaderNextRecord(nullptr), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonReaderCloseRecord(nullptr), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonReaderReadData(&byte, &length, nullptr), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonFinishReading(nullptr), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonFinishWriting(nullptr), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonReaderSetState(nullptr, nullptr), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonWriterSetState(nullptr, nullptr), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonReaderSeek(nullptr, 0, MPI_SEEK_SET), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonGetReaderPointer(nullptr), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonWriterCloseRecord(nullptr), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonWriteLatticeParallel(nullptr, &byte, 1, extents_.data()), LEMON_ERR_PARAM);
  EXPECT_EQ(lemonReadLatticeParallel(nullptr, &byte, 1, extents_.data()), LEMON_ERR_PARAM);

  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  write_header(writer, "lattice", bytes());
  EXPECT_EQ(same(lemonWriteRecordData(nullptr, &length, writer)), LEMON_ERR_PARAM);
  EXPECT_EQ(same(lemonWriteRecordData(&byte, nullptr, writer)), LEMON_ERR_PARAM);
  length = 0;
  EXPECT_EQ(same(lemonWriteRecordData(&byte, &length, writer)), LEMON_ERR_PARAM);
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, nullptr, site, extents_.data())), LEMON_ERR_PARAM);
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), site, nullptr)), LEMON_ERR_PARAM);
  EXPECT_EQ(same(lemonWriteLatticeParallelMapped(writer, block_.data(), site, extents_.data(), nullptr)),
            LEMON_ERR_PARAM);
  lemonDestroyWriter(writer);
}

TEST_F(LemonDefects, D09_FlagsAreTruthValues) {
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  write_record(writer, "a", "x", 2, 64);
  write_record(writer, "b", "y", -1, 0);
  lemonDestroyWriter(writer);
  EXPECT_EQ(contents(), record_bytes("a", "x", true, true) + record_bytes("b", "y", true, false));
}

TEST_F(LemonDefects, D10_TextInTheBackgroundEnds) {
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  std::string text(100000, 't');
  write_header(writer, "text", 100000);
  MPI_Offset length = 100000;
  EXPECT_EQ(same(lemonWriteRecordDataNonBlocking(text.data(), &length, writer)), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonFinishWriting(writer)), LEMON_SUCCESS);
  EXPECT_EQ(writer->pos, 100000);
  same(lemonWriterCloseRecord(writer));
  lemonDestroyWriter(writer);
  EXPECT_TRUE(contents() == record_bytes("text", text));
}

TEST_F(LemonDefects, D11_ReadersDoNotShareTheirHeaders) {
  put(record_bytes("first", "1") + record_bytes("second", "2"));
  LemonReader* one = reader();
  LemonReader* two = lemonCreateReader(one->fp, comm_);
  EXPECT_EQ(same(lemonReaderSetState(two, one)), LEMON_SUCCESS);
  EXPECT_NE(one->curr_header->type, two->curr_header->type);
  EXPECT_EQ(same(lemonReaderSetState(two, two)), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonReaderNextRecord(one)), LEMON_SUCCESS);
  EXPECT_STREQ(lemonReaderType(two), "first");
  EXPECT_EQ(same(lemonReaderNextRecord(two)), LEMON_SUCCESS);
  EXPECT_STREQ(lemonReaderType(one), "second");
  lemonDestroyReader(one);
  EXPECT_STREQ(lemonReaderType(two), "second");
  lemonDestroyReader(two);
}

TEST_F(LemonDefects, D12_TheCallersFilePointersStay) {
  MPI_File& file = create();
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  LemonWriter* writer = lemonCreateWriter(&file, comm_);
  MPI_File_seek(file, 77, MPI_SEEK_SET);
  write_header(writer, "lattice", bytes());
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), site, extents_.data())), LEMON_SUCCESS);
  same(lemonWriterCloseRecord(writer));
  MPI_Offset position = 0;
  MPI_File_get_position(file, &position);
  EXPECT_EQ(position, 77);
  lemonDestroyWriter(writer);
}

TEST_F(LemonDefects, AViewOfTheCallersDoesNoHarm) {
  put("before: ");
  MPI_File& file = open(MPI_MODE_RDWR);
  MPI_File_set_view(file, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_seek(file, 1, MPI_SEEK_SET);
  LemonWriter* writer = lemonCreateWriter(&file, comm_);
  EXPECT_EQ(writer->off, 8);
  write_header(writer, "lattice", bytes());
  MPI_File_set_view(file, 1000, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), site, extents_.data())), LEMON_SUCCESS);
  MPI_File_set_view(file, 1000, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  same(lemonWriterCloseRecord(writer));
  lemonDestroyWriter(writer);
  EXPECT_TRUE(contents() == "before: " + record_bytes("lattice", expected()));
}

TEST_F(LemonDefects, ErrorsOfTheFileEndNoProgram) {
  put(record_bytes("lattice", expected()));
  MPI_File& file = open(MPI_MODE_RDONLY);
  MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
  LemonWriter* writer = lemonCreateWriter(&file, comm_);
  EXPECT_EQ(write_header(writer, "refused", 8), LEMON_ERR_WRITE);
  lemonDestroyWriter(writer);
  MPI_Errhandler mine = MPI_ERRHANDLER_NULL;
  MPI_File_get_errhandler(file, &mine);
  EXPECT_EQ(mine, MPI_ERRORS_ARE_FATAL);
  MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
}

// tmLQCD's: the file in memory from malloc, taken back from the writer; lengths in uint64_t.
TEST_F(LemonDefects, TheHabitsOfItsUsersAreGood) {
  auto* mine = static_cast<MPI_File*>(std::malloc(sizeof(MPI_File)));
  ASSERT_EQ(MPI_File_open(comm_, path_.c_str(), MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, mine), MPI_SUCCESS);
  LemonWriter* writer = lemonCreateWriter(mine, comm_);
  write_header(writer, "text", 5);
  std::string text = "hello";
  std::uint64_t length = 5;
  EXPECT_EQ(same(lemonWriteRecordData(text.data(), reinterpret_cast<MPI_Offset*>(&length), writer)), LEMON_SUCCESS);
  EXPECT_EQ(length, 5U);
  same(lemonWriterCloseRecord(writer));
  MPI_File* back = writer->fp;
  lemonDestroyWriter(writer);
  EXPECT_EQ(back, mine);
  MPI_File_close(back);
  std::free(back);
  EXPECT_EQ(contents(), record_bytes("text", "hello"));
}

TEST_F(LemonDefects, ASeekDuringAReadCountsFromBehindIt) {
  put(record_bytes("lattices", expected() + expected() + "tail"));
  LemonReader* one = reader();
  std::string back(block_.size(), '?');
  EXPECT_EQ(same(lemonReadLatticeParallelNonBlocking(one, back.data(), site, extents_.data())), LEMON_SUCCESS);
  EXPECT_EQ(lemonReaderSeek(one, bytes() + 1, MPI_SEEK_CUR), LEMON_SUCCESS);
  EXPECT_EQ(same(lemonFinishReading(one)), LEMON_SUCCESS);
  EXPECT_TRUE(back == block_);
  std::string tail(3, '?');
  MPI_Offset length = 3;
  EXPECT_EQ(same(lemonReaderReadData(tail.data(), &length, one)), LEMON_SUCCESS);
  EXPECT_EQ(tail, "ail");
  lemonDestroyReader(one);
}

}  // namespace
}  // namespace lq::testing
