// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// On one rank the raw transfer is in lexicographic order, so that it can stand for any path; files are compared with
// what this test writes and reads itself.
#include "bench/grid_protocol.hpp"

#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/thread_comm.hpp"

namespace lq::bench {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using testing::put_contents;

const auto silent = [](const std::string&) {};

// Moves its field like the raw transfer, but for a byte of the file that is another one.
class Wrong : public Mover {
 public:
  explicit Wrong(const Grid& grid) : right_(make_raw_mover(grid, 8, false)) {}
  Result label() const override { return right_->label(); }
  Account write(const std::string& path, const BenchField& field) override {
    const Account account = right_->write(path, field);
    std::string bytes = contents(path);
    bytes[100] = static_cast<char>(bytes[100] ^ 1);
    put_contents(path, bytes);
    return account;
  }
  Account read(const std::string& /*path*/, BenchField& field) override {
    std::memcpy(field.target().data(), field.source().data(), field.source().size_bytes());
    return {};
  }

 private:
  std::unique_ptr<Mover> right_;
};

// A path of others that cannot write here.
class Failing : public Mover {
 public:
  bool is_peer() const override { return true; }
  Result label() const override { return plain_label("failing", "raw"); }
  Account write(const std::string& path, const BenchField&) override { throw Error(Code::io, path + ": no"); }
  Account read(const std::string&, BenchField&) override { return {}; }
};

// The rank with this number sleeps for 20 ms, and says so of its stage "write".
class Late : public Mover {
 public:
  Late(const Grid& grid, int rank) : right_(make_raw_mover(grid, 8, false)), is_late_(grid.rank() == rank) {}
  Result label() const override { return right_->label(); }
  Account write(const std::string& path, const BenchField& field) override {
    Account account = right_->write(path, field);
    if (is_late_) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (is_late_) (*account.stages)[Stage::storage] += 0.02;
    return account;
  }
  Account read(const std::string& path, BenchField& field) override { return right_->read(path, field); }

 private:
  std::unique_ptr<Mover> right_;
  bool is_late_;
};

class GridProtocolTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directory(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::vector<ProtocolPath> two_paths(const Grid& grid) const {
    std::vector<ProtocolPath> paths;
    paths.push_back({"one", make_raw_mover(grid, 8, false), true});
    paths.push_back({"segments", make_raw_mover(grid, 8, false), false});
    return paths;
  }
  std::string file(const std::string& name) const { return protocol_file(folder_, name); }

  const std::string folder_ = fs::temp_directory_path() / fmt::format("lq-grid-protocol-{}", ::getpid());
};

TEST_F(GridProtocolTest, CreatesWritesOverAndReadsInEveryRound) {
  const Grid grid({4, 4, 4, 4});
  BenchField field(grid);
  const auto results = run_grid_protocol(field, two_paths(grid), {.directory = folder_, .runs = 3}, silent);
  ASSERT_EQ(results.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(results[k].direction, (std::array{"create", "overwrite", "read"}[k % 3]));
    EXPECT_EQ(results[k].seconds.counted().size(), 3U) << "four rounds, of which the first one stands apart";
    EXPECT_EQ(results[k].bytes, 256U * 72 * 8);
    ASSERT_TRUE(results[k].skew.has_value());
    EXPECT_EQ(results[k].skew->median(), 0) << "one rank is no slower than itself";
    EXPECT_GT((*results[k].stages)[Stage::storage].median(), 0);
  }
  EXPECT_EQ(results[4].raw.median(), results[4].seconds.median()) << "the last path is the bound";
  EXPECT_TRUE(fs::is_empty(folder_)) << "files that nobody asked to keep";
}

TEST_F(GridProtocolTest, AnotherJobReadsWhatWasKept) {
  const Grid grid({4, 4, 4, 4});
  BenchField field(grid);
  (void)run_grid_protocol(field, two_paths(grid), {.directory = folder_, .runs = 1, .keep_files = true}, silent);
  const std::string written(reinterpret_cast<const char*>(field.source().data()), field.source().size_bytes());
  EXPECT_EQ(contents(file("one")), written);

  BenchField other(grid);
  const auto results =
      run_grid_protocol(other, two_paths(grid), {.directory = folder_, .runs = 1, .read_only = true}, silent);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].direction, "read");
  EXPECT_TRUE(other.target_is_source(written.size()));
  EXPECT_EQ(contents(file("one")), written) << "reading leaves the files";

  const Grid larger({4, 4, 4, 8});
  BenchField of_another(larger);
  const auto read = [&](BenchField& into, const Grid& by) {
    (void)run_grid_protocol(into, two_paths(by), {.directory = folder_, .runs = 1, .read_only = true}, silent);
  };
  EXPECT_EQ(error_of([&] { read(of_another, larger); }).code(), Code::malformed);
  std::string changed = written;
  changed[5000] = static_cast<char>(changed[5000] + 1);
  put_contents(file("one"), changed);
  EXPECT_EQ(error_of([&] { read(other, grid); }).code(), Code::internal);
  fs::remove(file("one"));
  EXPECT_EQ(error_of([&] { read(other, grid); }).code(), Code::not_found);
  EXPECT_EQ(contents(file("segments")), written);
}

TEST_F(GridProtocolTest, FilesThatAreThereStayUnlessTheyAreToBeReplaced) {
  const Grid grid({2, 2, 2, 2});
  BenchField field(grid);
  put_contents(file("segments"), "mine");
  const auto run = [&](bool replace) {
    (void)run_grid_protocol(field, two_paths(grid), {.directory = folder_, .runs = 1, .replace = replace}, silent);
  };
  EXPECT_EQ(error_of([&] { run(false); }).code(), Code::exists);
  EXPECT_EQ(contents(file("segments")), "mine");
  run(true);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(GridProtocolTest, AByteOfAFileThatDiffersIsAnError) {
  const Grid grid({4, 4, 4, 4});
  BenchField field(grid);
  std::vector<ProtocolPath> paths = two_paths(grid);
  paths.insert(paths.begin() + 1, {"wrong", std::make_unique<Wrong>(grid), true});
  const Error error =
      error_of([&] { (void)run_grid_protocol(field, paths, {.directory = folder_, .runs = 1}, silent); });
  EXPECT_EQ(error.code(), Code::internal);
  EXPECT_NE(std::string(error.what()).find("in byte 100 of the numbers"), std::string::npos) << error.what();
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(GridProtocolTest, APathOfOthersThatFailsIsLeftOut) {
  const Grid grid({2, 2, 2, 2});
  BenchField field(grid);
  std::vector<ProtocolPath> paths = two_paths(grid);
  paths.insert(paths.begin(), {"failing", std::make_unique<Failing>(), true});
  std::vector<std::string> told;
  const auto results = run_grid_protocol(field, paths, {.directory = folder_, .runs = 1},
                                         [&](const std::string& sentence) { told.push_back(sentence); });
  EXPECT_EQ(results.size(), 6U);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told.front().find("failing is omitted"), std::string::npos);
}

// Reads nothing.
class Forgetful : public Failing {
 public:
  Account write(const std::string& path, const BenchField&) override {
    put_contents(path, "");
    return {};
  }
};

TEST_F(GridProtocolTest, APathOfOthersThatReadsOtherDataIsAnError) {
  const Grid grid({2, 2, 2, 2});
  BenchField field(grid);
  std::vector<ProtocolPath> paths = two_paths(grid);
  paths.insert(paths.begin(), {"forgetful", std::make_unique<Forgetful>(), true});
  const auto run = [&] { (void)run_grid_protocol(field, paths, {.directory = folder_, .runs = 1}, silent); };
  EXPECT_EQ(error_of(run).code(), Code::internal);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(GridProtocolTest, TheSkewIsThatBetweenTheSlowestAndTheFastestRank) {
  lq::testing::run_ranks(2, [&](const std::shared_ptr<comm::Comm>& comm) {
    const Grid grid(Communicator(comm), {4, 4, 4, 4}, GridOptions{.processes = Extents{1, 1, 1, 2}});
    BenchField field(grid);
    std::vector<ProtocolPath> paths;
    paths.push_back({"late", std::make_unique<Late>(grid, 1), true});
    const auto results = run_grid_protocol(field, paths, {.directory = folder_, .runs = 2}, silent);
    ASSERT_EQ(results.size(), 3U);
    EXPECT_GE(results[0].skew->at(0), 0.015);
    EXPECT_GE((*results[0].stage_skews)[Stage::storage].at(0), 0.015);
    EXPECT_GE((*results[0].stages)[Stage::storage].at(0), 0.02);
    EXPECT_LT((*results[0].stage_skews)[Stage::sync].median(), 0.015);
  });
}

}  // namespace
}  // namespace lq::bench
