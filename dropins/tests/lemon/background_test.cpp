// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Non-blocking reads that fail: when their error is known, nothing of theirs is on its way any more, because it would
// arrive in memory that has other uses by then. Requests are counted where programs may look on: in MPI's profiling
// interface.
#include <set>

#include <unistd.h>

#include "tests/lemon/fixture.hpp"

namespace lq::testing {
namespace {

struct Requests {
  std::set<MPI_Request> on_their_way;
  int started = 0;
};
Requests requests;

}  // namespace
}  // namespace lq::testing

extern "C" {

[[gnu::visibility("default")]] int MPI_File_iread_at(MPI_File file, MPI_Offset offset, void* memory, int count,
                                                     MPI_Datatype type, MPI_Request* request) {
  const int code = PMPI_File_iread_at(file, offset, memory, count, type, request);
  if (code == MPI_SUCCESS) {
    ++lq::testing::requests.started;
    lq::testing::requests.on_their_way.insert(*request);
  }
  return code;
}

[[gnu::visibility("default")]] int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const MPI_Request handle = *request;
  const int code = PMPI_Test(request, flag, status);
  if (*flag != 0) lq::testing::requests.on_their_way.erase(handle);
  return code;
}

}  // extern "C"

namespace lq::testing {
namespace {

// Whether a cut file is noticed by the call or at its end is open; that it is noticed, on all ranks, is not.
class LemonBackground : public Lemon {
 protected:
  static constexpr std::uint64_t site = 1024;
  static constexpr std::uint64_t mebibyte = 1024 * 1024;

  // A reader of a record of so many zeros in which the file ends `cut` bytes early, since the header was read.
  LemonReader* reader_of_cut_file(const Cartesian& comm, std::uint64_t bytes, std::uint64_t cut) {
    requests = {};
    put(header_bytes("lattice", bytes, true, true) + std::string(bytes, '\0'));
    LemonReader* reader = lemonCreateReader(&open(MPI_MODE_RDONLY), comm);
    EXPECT_EQ(same(lemonReaderNextRecord(reader)), LEMON_SUCCESS);
    barrier();
    if (world_rank() == 0) {
      EXPECT_EQ(::truncate(path_.c_str(), static_cast<off_t>(144 + bytes - cut)), 0);
    }
    barrier();
    return reader;
  }

  static void expect_failure(LemonReader* reader, int code) {
    if (code == LEMON_SUCCESS) code = same(lemonFinishReading(reader));
    EXPECT_EQ(code, LEMON_ERR_READ);
    EXPECT_TRUE(requests.on_their_way.empty());
    EXPECT_EQ(reader->is_busy, 0);
    EXPECT_EQ(reader->pos, 0) << "the object is as it was";
  }

  // Rows of eight sites, cut by the ranks, as many as fill the given number of bytes.
  void read_lattice(std::uint64_t bytes, std::uint64_t cut) {
    const Cartesian comm({1, world_size()});
    const std::vector<int> extents{static_cast<int>(bytes / (8 * site)), 8};
    LemonReader* reader = reader_of_cut_file(comm, bytes, cut);
    std::string block(bytes / static_cast<std::uint64_t>(world_size()), '?');
    expect_failure(reader, same(lemonReadLatticeParallelNonBlocking(reader, block.data(), site, extents.data())));
    lemonDestroyReader(reader);
  }
};

// The end of the lattice is too short for a request, and read at once, beside requests for all that is before it.
TEST_F(LemonBackground, NothingIsOnItsWayWhereAShortEndWasCut) {
  read_lattice(16 * mebibyte + 8 * site, 10);
  int started = requests.started, most = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&started, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  wait(request);
  EXPECT_TRUE(most > 0 || world_size() == 1) << "nothing was read in the background";
}

TEST_F(LemonBackground, ReadsOfCutFilesEndWhereverTheCut) {
  for (const std::uint64_t cut : {std::uint64_t{1}, mebibyte, 4 * mebibyte}) read_lattice(4 * mebibyte, cut);
}

TEST_F(LemonBackground, ReadsOfTextsInCutFilesEnd) {
  const Cartesian comm({world_size()});
  LemonReader* reader = reader_of_cut_file(comm, mebibyte, 10);
  std::string text(mebibyte, '?');
  const auto bytes = static_cast<MPI_Offset>(mebibyte);
  expect_failure(reader, same(lemonReaderReadDataNonBlocking(text.data(), &bytes, reader)));
  lemonDestroyReader(reader);
}

}  // namespace
}  // namespace lq::testing
