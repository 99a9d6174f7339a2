// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In whatever pieces a file is read: its sum is that of the file read from end to end, and no byte is read for its sake
// that was read anyway.
#include "ensemble/cksum.hpp"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <limequat/limequat.hpp>

#include "sets/checkpoint/repair.hpp"
#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"

namespace lq::ensemble {
namespace {

// Counts the bytes that are read of all of its files.
class CountedReads final : public storage::ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  std::uint64_t bytes() const { return bytes_; }

 private:
  class Counted final : public storage::ForwardingFile {
   public:
    Counted(std::shared_ptr<storage::File> file, std::atomic<std::uint64_t>& bytes)
        : ForwardingFile(std::move(file)), bytes_(bytes) {}
    std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
      const std::size_t got = inner().read_at(offset, buffer);
      bytes_ += got;
      return got;
    }

   private:
    std::atomic<std::uint64_t>& bytes_;
  };

  std::unique_ptr<storage::File> wrap(std::unique_ptr<storage::File> file) override {
    return std::make_unique<Counted>(std::move(file), bytes_);
  }
  std::atomic<std::uint64_t> bytes_ = 0;
};

class SumInPassing : public ::testing::Test {
 protected:
  void SetUp() override {
    std::mt19937 random(5);
    for (std::byte& byte : bytes_) byte = static_cast<std::byte>(random() & 0xff);
    memory_->create("file")->write_at(0, bytes_);
    Cksum whole;
    whole.add(bytes_);
    expected_ = whole.value();
  }

  std::shared_ptr<storage::Transport> memory_ = storage::make_memory();
  std::vector<std::byte> bytes_ = std::vector<std::byte>(100'003);
  std::uint32_t expected_ = 0;
};

TEST_F(SumInPassing, OfAFileThatNobodyReadsIsThatOfTheFile) {
  EXPECT_EQ(CksumInPassing(*memory_).cksum("file"), expected_);
  memory_->create("empty");
  EXPECT_EQ(CksumInPassing(*memory_).cksum("empty"), 4294967295U);  // as the program cksum says
}

TEST_F(SumInPassing, CountsBytesOnceThatAreReadTwiceOrOverlap) {
  CksumInPassing files(*memory_);
  const auto file = files.open_read("file");
  std::mt19937 random(6);
  std::vector<std::byte> block(3000);
  for (int k = 0; k < 300; ++k) {
    file->read_at(random() % 110'000, base::MutableBytes(block).first(random() % block.size()));
  }
  EXPECT_EQ(files.cksum("file"), expected_);
}

TEST_F(SumInPassing, IsTheSameForSeveralThreads) {
  CksumInPassing files(*memory_);
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      const auto file = files.open_read("file");
      std::mt19937 random(seed);
      std::vector<std::byte> block(1000);
      for (int k = 0; k < 200; ++k) file->read_at(random() % bytes_.size(), block);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(files.cksum("file"), expected_);
}

TEST_F(SumInPassing, IsOfEachFileForItself) {
  memory_->create("other")->write_at(0, base::Bytes(bytes_).first(10));
  Cksum of_other;
  of_other.add(base::Bytes(bytes_).first(10));
  CksumInPassing files(*memory_);
  std::vector<std::byte> block(1000);
  files.open_read("other")->read_at(3, block);
  files.open_read("file")->read_at(0, block);
  EXPECT_EQ(files.cksum("file"), expected_);
  EXPECT_EQ(files.cksum("other"), of_other.value());
}

TEST_F(SumInPassing, SaysThatAFileGotShorter) {
  CksumInPassing files(*memory_);
  files.open_read("file");
  memory_->open_write("file")->resize(1000);
  const Error error = testing::error_of([&] { files.cksum("file"); });
  EXPECT_EQ(error.code(), Code::truncated);
  EXPECT_EQ(error.facts().offset, 1000U);
}

// Headers are examined more than once.
TEST(VerifyingWithASum, ReadsEachByteOfAFieldOnce) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch / "conf.ildg";
  const Grid grid({8, 8, 8, 16});
  std::vector<double> links(static_cast<std::size_t>(grid.local_volume() * 72));
  generate(grid, gauge(links), {.beta = 6.0, .sweeps = 1});
  write(path, grid, gauge(links));

  CountedReads counted(storage::posix());
  CksumInPassing files(counted);
  const Verification verification = sets::verify_file(files, path, {}, {.physics = Measure::never, .threads = 2});
  EXPECT_TRUE(verification.ok);
  EXPECT_EQ(files.cksum(path), cksum_of(path));
  const std::uint64_t file_bytes = storage::posix().open_read(path)->size();
  EXPECT_GE(counted.bytes(), file_bytes);
  EXPECT_LT(counted.bytes(), file_bytes + 64 * base::kibi);
}

}  // namespace
}  // namespace lq::ensemble
