// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that do not say the same, and communicators that are not what a lattice needs: one code for all, and no harm.
#include "tests/lemon/fixture.hpp"

namespace lq::testing {
namespace {

class LemonDisagreement : public Lemon {
 protected:
  static bool is_odd_one_out() { return world_size() > 1 && world_rank() == world_size() - 1; }
  // What ranks get that do not agree; one rank agrees with itself.
  static int expected() { return world_size() > 1 ? LEMON_ERR_PARAM : LEMON_SUCCESS; }

  Cartesian comm_ = Cartesian::of(4);
  std::vector<int> extents_ = comm_.extents(4);
  std::string block_ = std::string(256 * 8, 'b');
  std::int64_t bytes_ = static_cast<std::int64_t>(sites_of(extents_) * 8);
};

TEST_F(LemonDisagreement, OnHeadersIsNoticed) {
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  const auto try_header = [&](const char* type, std::int64_t length, int begins) {
    LemonRecordHeader* header = lemonCreateHeader(begins, 1, type, length);
    EXPECT_EQ(same(lemonWriteRecordHeader(header, writer)), expected());
    lemonDestroyHeader(header);
    if (world_size() == 1) same(lemonWriterCloseRecord(writer));
  };
  try_header(is_odd_one_out() ? "other" : "type", 8, 1);
  try_header("type", is_odd_one_out() ? 9 : 8, 1);
  try_header("type", 8, is_odd_one_out() ? 0 : 1);
  EXPECT_EQ(writer->is_awaiting_header, 1);
  EXPECT_EQ(write_header(writer, "type", 8), LEMON_SUCCESS) << "the writer is as good as before";
  lemonDestroyWriter(writer);
}

TEST_F(LemonDisagreement, OnLengthsIsNoticed) {
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  write_header(writer, "type", 100);
  MPI_Offset length = is_odd_one_out() ? 9 : 8;
  EXPECT_EQ(same(lemonWriteRecordData(block_.data(), &length, writer)), expected());
  EXPECT_EQ(same(lemonWriteRecordDataNonBlocking(block_.data(), &length, writer)), expected());
  same(lemonWriterCloseRecord(writer));
  lemonDestroyWriter(writer);
  LemonReader* reader = lemonCreateReader(&open(MPI_MODE_RDONLY), comm_);
  lemonReaderNextRecord(reader);
  length = is_odd_one_out() ? 9 : 8;
  EXPECT_EQ(same(lemonReaderReadData(block_.data(), &length, reader)), expected());
  length = is_odd_one_out() ? -1 : 8;
  EXPECT_EQ(same(lemonReaderReadDataNonBlocking(block_.data(), &length, reader)), expected());
  same(lemonFinishReading(reader));
  if (is_odd_one_out()) lemonReaderSeek(reader, 50, MPI_SEEK_SET);
  length = 8;
  EXPECT_EQ(same(lemonReaderReadData(block_.data(), &length, reader)), expected()) << "positions differ";
  lemonDestroyReader(reader);
}

TEST_F(LemonDisagreement, OnLatticesIsNoticed) {
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  write_header(writer, "lattice", 10 * bytes_);
  const int order[] = {0, 1, 2, 3}, other[] = {1, 0, 2, 3};
  std::vector<int> extents = extents_;
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), is_odd_one_out() ? 4 : 8, extents.data())),
            expected());
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, is_odd_one_out() ? nullptr : block_.data(), 8, extents.data())),
            expected());
  if (comm_.ranks()[1] != comm_.ranks()[0]) {
    EXPECT_EQ(same(lemonWriteLatticeParallelMapped(writer, block_.data(), 8, extents.data(),
                                                   is_odd_one_out() ? other : order)),
              expected());
  }
  if (is_odd_one_out()) extents[3] = comm_.ranks()[3];
  EXPECT_EQ(same(lemonWriteLatticeParallelNonBlocking(writer, block_.data(), 8, extents.data())), expected());
  EXPECT_EQ(writer->pos, world_size() > 1 ? 0 : writer->pos);
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), 8, extents_.data())), LEMON_SUCCESS);
  lemonDestroyWriter(writer);
}

TEST_F(LemonDisagreement, OnTheCallIsNoticed) {
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  write_header(writer, "type", 8);
  MPI_Offset length = 8;
  const int code = is_odd_one_out() ? lemonWriterSeek(writer, 0, MPI_SEEK_SET)
                                    : lemonWriteRecordData(block_.data(), &length, writer);
  EXPECT_EQ(same(code), expected());
  EXPECT_EQ(same(lemonWriterSeek(writer, is_odd_one_out() ? 1 : 0, MPI_SEEK_SET)), expected());
  lemonDestroyWriter(writer);
}

TEST_F(LemonDisagreement, ANullFileOnOneRankIsNoneForAll) {
  MPI_File& file = create();
  LemonWriter* writer = lemonCreateWriter(is_odd_one_out() ? nullptr : &file, comm_);
  EXPECT_EQ(same(writer == nullptr ? 1 : 0), world_size() > 1 ? 1 : 0);
  lemonDestroyWriter(writer);
  LemonReader* reader = lemonCreateReader(is_odd_one_out() ? nullptr : &file, comm_);
  EXPECT_EQ(same(reader == nullptr ? 1 : 0), world_size() > 1 ? 1 : 0);
  lemonDestroyReader(reader);
}

TEST_F(LemonDisagreement, LatticesNeedACartesianCommunicator) {
  LemonWriter* writer = lemonCreateWriter(&create(), MPI_COMM_WORLD);
  write_record(writer, "text", "needs none");
  write_header(writer, "lattice", bytes_);
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), 8, extents_.data())), LEMON_ERR_PARAM);
  EXPECT_EQ(same(lemonWriteLatticeParallelNonBlocking(writer, block_.data(), 8, extents_.data())), LEMON_ERR_PARAM);
  same(lemonWriterCloseRecord(writer));
  lemonDestroyWriter(writer);
  LemonReader* reader = lemonCreateReader(&open(MPI_MODE_RDONLY), MPI_COMM_WORLD);
  lemonReaderNextRecord(reader);
  lemonReaderNextRecord(reader);
  EXPECT_EQ(same(lemonReadLatticeParallel(reader, block_.data(), 8, extents_.data())), LEMON_ERR_PARAM);
  lemonDestroyReader(reader);
}

TEST_F(LemonDisagreement, AMappingIsAPermutation) {
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  write_header(writer, "lattice", bytes_);
  for (const std::vector<int>& mapping : {std::vector<int>{0, 1, 2, 2}, {1, 2, 3, 4}, {-1, 0, 1, 2}, {0, 0, 0, 0}}) {
    EXPECT_EQ(same(lemonWriteLatticeParallelMapped(writer, block_.data(), 8, extents_.data(), mapping.data())),
              LEMON_ERR_PARAM);
  }
  std::vector<int> negative = extents_;
  negative[2] = -negative[2];
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), 8, negative.data())), LEMON_ERR_PARAM);
  lemonDestroyWriter(writer);
}

TEST_F(LemonDisagreement, LatticesBelongIntoARecord) {
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), 8, extents_.data())), LEMON_ERR_WRITE);
  EXPECT_EQ(same(lemonWriteLatticeParallelNonBlocking(writer, block_.data(), 8, extents_.data())), LEMON_ERR_WRITE);
  lemonDestroyWriter(writer);
  LemonReader* reader = lemonCreateReader(&file_, comm_);
  EXPECT_EQ(same(lemonReadLatticeParallel(reader, block_.data(), 8, extents_.data())), LEMON_ERR_READ);
  EXPECT_EQ(same(lemonReadLatticeParallelNonBlocking(reader, block_.data(), 8, extents_.data())), LEMON_ERR_READ);
  lemonDestroyReader(reader);
}

TEST_F(LemonDisagreement, AFileClosedTooEarlyIsAnError) {
  LemonWriter* writer = lemonCreateWriter(&create(), comm_);
  write_header(writer, "lattice", bytes_);
  close();
  EXPECT_EQ(same(lemonWriteLatticeParallel(writer, block_.data(), 8, extents_.data())), LEMON_ERR_WRITE);
  EXPECT_EQ(same(lemonWriterCloseRecord(writer)), LEMON_ERR_WRITE);
  EXPECT_EQ(same(lemonDestroyWriter(writer)), LEMON_SUCCESS);
}

}  // namespace
}  // namespace lq::testing
