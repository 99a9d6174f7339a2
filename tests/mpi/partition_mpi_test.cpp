// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A configuration made into a set by all ranks, read through views of each rank's part, written through them, and made
// into one file again: the same bytes on any number of ranks.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <limequat/limequat.hpp>

#include "mpi/harness.hpp"
#include "support/contents.hpp"

namespace lq {
namespace {

using lq::testing::same_error_of;
using lq::testing::SharedDirectory;

class PartitionOverMpi : public ::testing::Test {
 protected:
  void SetUp() override {
    const Grid grid = mpi::grid({4, 4, 6, 8});
    std::vector<double> sites(grid.local_volume() * 24);
    for (std::size_t i = 0; i < sites.size(); ++i) sites[i] = static_cast<double>(i) + lq::testing::world_rank();
    WriteOptions options;
    options.format = "scidac";
    write(file_, grid, spinor(sites), options);
  }

  SharedDirectory shared_;
  const std::string file_ = shared_ / "modes.scidac", set_ = shared_ / "modes.set", back_ = shared_ / "back.scidac";
};

TEST_F(PartitionOverMpi, GivesTheFileBackByteForByte) {
  const Communicator world = mpi::communicator();
  for (const char* to : {"t=block:4", "x=cyclic:2,t=block:2", "z=block:3,z=cyclic:2"}) {
    RepartitionOptions options;
    options.to = to;
    options.overwrite = true;
    options.block_bytes = 10000;
    EXPECT_EQ(repartition(file_, set_, world, options).to, to);
    options.to = "whole";
    options.verify = Verify::read_back;
    repartition(set_, back_, world, options);
    EXPECT_TRUE(lq::testing::contents(back_) == testing::contents(file_)) << to;
  }
}

TEST_F(PartitionOverMpi, IsWrittenByEachRankThroughItsView) {
  const Communicator world = mpi::communicator();
  if (file_system_of(shared_ / "").needs_single_owner)
    GTEST_SKIP() << "parts of one subfile are not written singly here";
  RepartitionOptions options;
  options.to = "z=block:2";
  repartition(file_, set_, world, options);
  const std::string mine = "t=cyclic:" + std::to_string(world.size());
  {
    View view(set_, mine, static_cast<std::uint64_t>(world.rank()), {.writable = true});
    const std::string news(static_cast<std::size_t>(view.size()), static_cast<char>('a' + world.rank()));
    view.write(std::as_bytes(std::span(news)));
    view.sync();
  }
  world.agree(nullptr);
  View whole(set_, "whole", 0);
  std::string found(static_cast<std::size_t>(whole.size()), '?');
  whole.read(std::as_writable_bytes(std::span(found)));
  const std::size_t slice = found.size() / 8;
  for (std::size_t t = 0; t < 8; ++t) {
    const char expected = static_cast<char>('a' + static_cast<int>(t) % world.size());
    EXPECT_TRUE(found.substr(t * slice, slice) == std::string(slice, expected)) << t;
  }
}

TEST_F(PartitionOverMpi, IsReadAndWrittenTogether) {
  const Communicator world = mpi::communicator();
  RepartitionOptions options;
  options.to = "z=block:2,t=cyclic:2";
  repartition(file_, set_, world, options);
  const std::string mine = "t=block:" + std::to_string(world.size());
  View view(set_, mine, static_cast<std::uint64_t>(world.rank()), {.writable = true});
  std::vector<std::byte> alone(static_cast<std::size_t>(view.size())), together(alone.size());
  view.read_at(0, alone);
  view.read_all(together, world, {.chunk_bytes = 5000});
  EXPECT_TRUE(together == alone);
  for (std::byte& byte : together) byte ^= std::byte{0xff};
  view.write_all(together, world, {.chunk_bytes = 7000});
  view.read_at(0, alone);
  EXPECT_TRUE(together == alone);
}

TEST_F(PartitionOverMpi, HasOneErrorForAll) {
  RepartitionOptions options;
  options.to = "q=block:2";
  EXPECT_EQ(same_error_of([&] { repartition(file_, set_, mpi::communicator(), options); }).code(),
            Code::invalid_argument);
  EXPECT_EQ(same_error_of([&] { repartition(shared_ / "none", set_, mpi::communicator(), {}); }).code(),
            Code::not_found);
}

}  // namespace
}  // namespace lq
