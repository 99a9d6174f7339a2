// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How new sets are cut.
#include "sets/checkpoint/new_set.hpp"

#include <gtest/gtest.h>
#include <limequat/multifile.hpp>

#include "storage/transport.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::sets {
namespace {

TEST(Files, AreAsManyAsTheFileSystemWantsUnlessTheUserSays) {
  const testing::ScratchDirectory directory;
  const std::string path = directory / "set.sion";
  EXPECT_EQ(choose_files(true, 1), 1);
  EXPECT_EQ(choose_files(true, 3), 3);
  EXPECT_EQ(choose_files(true, 100'000), 8);
  EXPECT_EQ(choose_files(false, 4096), 1);
  EXPECT_EQ(choose_files(false, 4097), 2);
  const auto files_of = [&](bool each_has_a_stream) {
    testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
      MultifileOptions options;
      options.streams = each_has_a_stream || comm->rank() != 1 ? 1 : 0;
      options.overwrite = true;
      MultifileWriter(path, Communicator(std::move(comm)), options).close();
    });
    return MultifileReader(path).info().files.size();
  };
  EXPECT_EQ(files_of(true), storage::posix().unit(path).one_writer ? 3 : 1);
  EXPECT_EQ(files_of(false), 1);
}

}  // namespace
}  // namespace lq::sets
