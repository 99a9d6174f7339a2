// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields are compared bit for bit, in any precision, and peaks of memory are seen.
#include "bench/rounds.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lq::bench {
namespace {

TEST(BenchField, IsComparedBitForBit) {
  BenchField field(Grid({2, 2, 2, 2}));
  std::copy(field.source().begin(), field.source().end(), field.target().begin());
  EXPECT_TRUE(field.target_is_source(field.source().size_bytes()));
  field.target().back() = -field.target().back();
  EXPECT_FALSE(field.target_is_source(field.source().size_bytes()));
  field.clear_target();
  EXPECT_EQ(std::count(field.target().begin(), field.target().end(), 0.0), 16 * 72);
}

TEST(BenchField, SurvivesSinglePrecision) {
  const BenchField field(Grid({2, 2, 2, 4}));
  for (const double number : field.source()) {
    const volatile auto single = static_cast<float>(number);
    ASSERT_EQ(static_cast<double>(single), number);
  }
}

TEST(RunRounds, SeveralFilesAreReadFromTheLastAndTheFirst) {
  const std::string folder = std::filesystem::temp_directory_path() / fmt::format("lq-rounds-{}", ::getpid());
  std::filesystem::create_directory(folder);
  const Grid grid({4, 4, 4, 4});
  BenchField field(grid);
  std::vector<std::unique_ptr<Mover>> movers;
  movers.push_back(make_raw_mover(grid, 8, false));
  movers.push_back(make_files_mover(grid, false));
  const Rounds rounds{.directory = folder, .runs = 2, .files = 3, .tells_raw = true};
  const std::vector<Result> results = run_rounds(field, movers, rounds, [](const std::string&) {});
  ASSERT_EQ(results.size(), 6u);
  EXPECT_EQ(results[0].name, "raw");
  EXPECT_EQ(results[0].seconds.counted().size(), 8u) << "nine files, of which the first one stands apart";
  EXPECT_EQ(results[1].cache, "warm");
  EXPECT_EQ(results[2].cache, "cold");
  EXPECT_EQ(results[2].seconds.counted().size(), 2u);
  EXPECT_EQ(results[3].name, "own files");
  EXPECT_GT((*results[3].stages)[Stage::storage].median(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "files of a benchmark must not stay";
  std::filesystem::remove_all(folder);
}

// Moves its field like the raw transfer; the file is sound if it is as long as the field.
class Verifying : public Mover {
 public:
  explicit Verifying(const Grid& grid) : raw_(make_raw_mover(grid, 8, false, 3)) {}
  Result label() const override { return raw_->label(); }
  Account write(const std::string& path, const BenchField& field) override { return raw_->write(path, field); }
  Account read(const std::string& path, BenchField& field) override { return raw_->read(path, field); }
  bool verifies() const override { return true; }
  void verify(const std::string& path, const Communicator&) override {
    seen.push_back(std::filesystem::file_size(path));
  }

  std::vector<std::uintmax_t> seen;

 private:
  std::unique_ptr<Mover> raw_;
};

// 5x3x3x3 sites of 576 bytes: threads that would share a page, and one that has only the rest.
TEST(RunRounds, ThreadsMoveAllAndTheFileIsVerified) {
  const std::string folder = std::filesystem::temp_directory_path() / fmt::format("lq-threads-{}", ::getpid());
  std::filesystem::create_directory(folder);
  const Grid grid({5, 3, 3, 3});
  BenchField field(grid);
  std::vector<std::unique_ptr<Mover>> movers;
  movers.push_back(make_raw_mover(grid, 8, false, 64));
  auto verifying = std::make_unique<Verifying>(grid);
  const Verifying& who = *verifying;
  movers.push_back(std::move(verifying));
  const std::vector<Result> results =
      run_rounds(field, movers, {.directory = folder, .runs = 2}, [](const std::string&) {});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[2].direction, "verify");
  EXPECT_EQ(results[2].seconds.counted().size(), 2u);
  EXPECT_EQ(results[2].raw.counted(), results[1].raw.counted()) << "its limit is that of reading";
  EXPECT_EQ(who.seen, std::vector<std::uintmax_t>(3, std::uintmax_t{135} * 576));
  std::filesystem::remove_all(folder);
}

TEST(MemoryPeak, SeesWhatWasThereForAMomentOnly) {
  constexpr std::size_t size = std::size_t{64} << 20;
  const MemoryPeak quiet;
  const auto nothing = quiet.bytes();
  if (!nothing) GTEST_SKIP() << "this system does not tell";
  const MemoryPeak peak;
  { PageVector<char> moment(size, 'x'); }
  EXPECT_GE(*peak.bytes(), size / 10 * 9);
  EXPECT_LE(*peak.bytes(), size / 2 * 3);  // sanitizers keep books of their own next to it
  EXPECT_LE(*nothing, size / 10);
}

}  // namespace
}  // namespace lq::bench
