// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks of one node and of several read one file; every byte is compared with it.
#include <limequat/node_cache.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

using testing::error_of;
using testing::put_contents;
using testing::run_ranks;
using testing::ScratchDirectory;

constexpr std::size_t file_bytes = 300'001;

std::string random_bytes(std::size_t count) {
  std::mt19937 random(4711);
  std::string bytes(count, ' ');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

class Together : public ::testing::Test {
 protected:
  Together() { put_contents(path_, expected_); }

  // `count` bytes at `offset`, of which there may be fewer.
  void require_right(NodeCache& cache, std::uint64_t offset, std::size_t count) const {
    std::string found(count, '?');
    found.resize(cache.read_at(offset, std::as_writable_bytes(std::span(found))));
    const std::string right = offset < expected_.size() ? expected_.substr(offset, count) : "";
    ASSERT_TRUE(found == right) << count << " bytes from " << offset;
  }

  ScratchDirectory scratch_;
  std::string path_ = scratch_ / "file";
  std::string expected_ = random_bytes(file_bytes);
};

TEST_F(Together, AllOfANodeReadItAllAndTheFileIsReadOnce) {
  run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
    NodeCache cache(path_, Communicator(comm), {.bytes = 1 << 20, .block_bytes = 4096});
    EXPECT_EQ(cache.size(), file_bytes);
    for (std::size_t at = 0; at < file_bytes; at += 10'007) require_right(cache, at, 10'007);
    comm->barrier();
    const NodeCacheCounts counts = cache.counts();
    EXPECT_EQ(counts.bytes_read, file_bytes);
    EXPECT_EQ(counts.reads, (file_bytes + 4095) / 4096);
    EXPECT_EQ(counts.bytes_given, 4 * file_bytes);
    EXPECT_EQ(counts.reads_beside, 0u);
    EXPECT_LE(counts.memory_bytes, 1u << 20);
  });
}

// Behind the last block of a file of whole blocks there is nothing to be read.
TEST_F(Together, WhatIsAskedForBehindTheEndIsNotRead) {
  constexpr std::size_t block = 4096, blocks = 3;
  expected_.resize(blocks * block);
  put_contents(path_, expected_);
  NodeCache cache(path_, {}, {.bytes = 1 << 20, .block_bytes = block});
  require_right(cache, 0, expected_.size() + 100);
  require_right(cache, expected_.size(), 100);
  EXPECT_EQ(cache.counts().reads, blocks);
  EXPECT_EQ(cache.counts().bytes_read, expected_.size());
  EXPECT_EQ(cache.counts().bytes_given, expected_.size());
}

TEST_F(Together, EachNodeReadsForItself) {
  run_ranks(6,
            [&](std::shared_ptr<comm::Comm> comm) {
              NodeCache cache(path_, Communicator(comm), {.bytes = 1 << 20, .block_bytes = 8192});
              require_right(cache, 0, file_bytes);
              comm->barrier();
              EXPECT_EQ(cache.counts().bytes_read, file_bytes);
            },
            {.ranks_per_node = 2});
}

TEST_F(Together, ASmallCacheDeliversTheSameBytes) {
  run_ranks(4, [&](std::shared_ptr<comm::Comm> comm) {
    NodeCache cache(path_, Communicator(comm), {.bytes = 40'000, .block_bytes = 4096});
    std::mt19937 random(static_cast<unsigned>(comm->rank()));
    for (int i = 0; i < 300; ++i) require_right(cache, random() % (file_bytes + 100), random() % 20'000);
    EXPECT_LE(cache.counts().memory_bytes, 40'000u);
  });
}

TEST_F(Together, SitesAreReadThroughIt) {
  const Extents extents{4, 4, 4, 4};
  const std::vector<double> links(std::size_t{256} * 72, 0.25);
  write(scratch_ / "conf.ildg", Grid(extents), gauge(links));
  const Payload payload = inspect(scratch_ / "conf.ildg").fields.front().payload;
  run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    NodeCache cache(scratch_ / "conf.ildg", Communicator(comm), {.bytes = 1 << 20, .block_bytes = 65536});
    std::vector<double> mine(links.size());
    read_sites(cache, payload, Grid(extents), gauge(mine));  // all of it on every rank
    EXPECT_TRUE(mine == links);
    comm->barrier();
    EXPECT_LE(cache.counts().bytes_read, payload.length + 2 * 65536);
  });
}

TEST_F(Together, AFileThatWasReplacedIsNotMixedIn) {
  run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    NodeCache cache(path_, Communicator(comm), {.bytes = 40'000, .block_bytes = 4096});
    if (comm->rank() == 0) {
      put_contents(scratch_ / "other", expected_);
      std::filesystem::rename(scratch_ / "other", path_);
    }
    comm->barrier();
    std::string bytes(100, ' ');
    const auto read = [&] { cache.read_at(0, std::as_writable_bytes(std::span(bytes))); };
    if (comm->rank() == 1) {
      EXPECT_EQ(error_of(read).code(), Code::io);
    }
    comm->barrier();
    if (comm->rank() == 0) require_right(cache, 0, 100);  // who had opened it before
  });
}

TEST_F(Together, AFileThatShrankIsAnErrorThatSaysWhere) {
  NodeCache cache(path_, {}, {.bytes = 40'000, .block_bytes = 4096});
  std::filesystem::resize_file(path_, 5000);
  require_right(cache, 0, 4096);
  std::string bytes(4096, ' ');
  const Error error = error_of([&] { cache.read_at(4096, std::as_writable_bytes(std::span(bytes))); });
  EXPECT_EQ(error.code(), Code::io);
  EXPECT_NE(std::string(error.what()).find("ends at byte 5000"), std::string::npos) << error.what();
}

TEST_F(Together, WhatCannotBeIsRefusedOnAllRanks) {
  const auto refused = [&](const std::string& path, const NodeCacheOptions& options) {
    std::vector<Code> codes(3);
    run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
      codes[static_cast<std::size_t>(comm->rank())] =
          error_of([&] { NodeCache(path, Communicator(comm), options); }).code();
    });
    EXPECT_TRUE(codes[0] == codes[1] && codes[1] == codes[2]);
    return codes[0];
  };
  EXPECT_EQ(refused(path_, {.bytes = 1 << 20, .block_bytes = 5000}), Code::invalid_argument);
  EXPECT_EQ(refused(path_, {.bytes = 1 << 20, .block_bytes = 1 << 20}), Code::invalid_argument);
  EXPECT_EQ(refused(path_ + ".not", {}), Code::not_found);
  NodeCache cache(path_, {}, {});
  EXPECT_EQ(error_of([&] { cache.write_at(0, {}); }).code(), Code::unsupported);
}

}  // namespace
}  // namespace lq
