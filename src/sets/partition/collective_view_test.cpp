// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Views read and written by all ranks together, against what each would have read and written by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/view.hpp>

#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/plain_partition.hpp"
#include "support/plain_set.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

using testing::RandomGeometry;
using testing::run_ranks;

class ViewsTogether : public ::testing::Test {
 protected:
  testing::ScratchDirectory folder_;
};

TEST_F(ViewsTogether, ReadWhatEachWouldByItself) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    RandomGeometry random(seed);
    const FileArray array = testing::random_array(random);
    const std::string bytes = testing::bytes_of_file(array.end() + 7);
    const std::string path = testing::put_set(folder_ / "some.set", bytes, random_partition(random, array));
    const int ranks = static_cast<int>(random.between(1, 4));
    std::vector<Partition> logical;
    for (int rank = 0; rank < ranks; ++rank) logical.push_back(random_partition(random, array));
    const auto chunk = static_cast<std::uint64_t>(random.between(1, 60));
    run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
      const Partition& mine = logical[static_cast<std::size_t>(comm->rank())];
      const std::uint64_t part = static_cast<std::uint64_t>(comm->rank()) % mine.parts();
      View view(path, mine.text(), part);
      std::string found(static_cast<std::size_t>(view.size()), '?');
      view.read_all(std::as_writable_bytes(std::span(found)), Communicator(comm), {.chunk_bytes = chunk});
      EXPECT_TRUE(found == testing::part_of_bytes(bytes, mine, part)) << "seed " << seed << " rank " << comm->rank();
    });
  }
}

TEST_F(ViewsTogether, WriteWhatEachWouldByItself) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    RandomGeometry random(seed);
    const FileArray array = testing::random_array(random);
    const std::string bytes = testing::bytes_of_file(array.end() + 7);
    const std::string path = testing::put_set(folder_ / "some.set", bytes, random_partition(random, array));
    const Partition logical = random_partition(random, array);
    const int ranks = static_cast<int>(random.between(1, 4));  // parts beyond them stay as they are
    run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
      const std::uint64_t part = static_cast<std::uint64_t>(comm->rank()) % logical.parts();
      View view(path, logical.text(), part, {.writable = true});
      const std::string news(static_cast<std::size_t>(view.size()), static_cast<char>('a' + part));
      view.write_all(std::as_bytes(std::span(news)), Communicator(comm), {.chunk_bytes = 25});
    });
    std::string expected = bytes;
    const auto places = testing::places_by_dealing(array, logical.cuts());
    for (std::size_t e = 0; e < places.size(); ++e) {
      if (places[e].part >= static_cast<std::uint64_t>(ranks)) continue;
      for (std::uint64_t k = 0; k < array.element_bytes; ++k) {
        expected[array.begin + e * array.element_bytes + k] = static_cast<char>('a' + places[e].part);
      }
    }
    View whole(path);
    std::string found(expected.size(), '?');
    whole.read(std::as_writable_bytes(std::span(found)));
    ASSERT_TRUE(found == expected) << "seed " << seed;
  }
}

TEST_F(ViewsTogether, HaveOneErrorForAll) {
  const FileArray array{.extents = {64}};
  const std::string path =
      testing::put_set(folder_ / "some.set", testing::bytes_of_file(64), Partition::parse(array, "x=block:2"));
  run_ranks(3, [&](const std::shared_ptr<comm::Comm>& comm) {
    const Communicator all(comm);
    View view(path, "x=block:4", 1);
    std::string bytes(16, '?');
    const auto code = [&](const auto& work) { return testing::error_of(work).code(); };
    EXPECT_EQ(
        code([&] { view.read_all(std::as_writable_bytes(std::span(bytes)).first(comm->rank() == 1 ? 15 : 16), all); }),
        Code::invalid_argument);
    EXPECT_EQ(code([&] { view.write_all(std::as_bytes(std::span(bytes)), all); }), Code::wrong_state);
    EXPECT_EQ(code([&] { view.read_all(std::as_writable_bytes(std::span(bytes)), all, {.chunk_bytes = 0}); }),
              Code::invalid_argument);
  });
}

}  // namespace
}  // namespace lq
