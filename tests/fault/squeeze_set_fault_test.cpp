// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set of files restored from its archive while the k-th operation of the storage fails, or the process ends there;
// out of damaged archives; and sets squeezed of which a file is missing or short: files have all of their bytes or are
// not there, what was there stays, and nothing wrong is delivered.
#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/limequat.hpp>

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "io/replacement.hpp"
#include "storage/transport.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;
using testing::Fault;
using testing::FaultyTransport;
using testing::files_in;

constexpr int files_of_set = 2;

class SqueezeSetFault : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const Grid grid(Extents{4, 4, 4, 4});
    std::vector<double> links(grid.local_volume() * 72);
    const MutableField field{.spec = gauge_spec(Precision::double_), .data = links.data(), .available = links.size()};
    generate(grid, field, {.sweeps = 1, .hot_start = true});
    write(set_, grid, field, {.format = "openqcd", .parts = "1x1x1x2"});
    for (int k = 0; k < files_of_set; ++k) original_.push_back(contents(part_of(set_, k)));
    squeeze(part_of(set_, 0), archive_);
    start_anew(false);
  }

  static std::string part_of(const std::string& set, int k) { return set + "_b" + std::to_string(k); }

  void start_anew(bool has_old) const {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    for (int k = 0; has_old && k < files_of_set; ++k) testing::put_contents(part_of(to_, k), "old");
  }

  static SqueezeOptions options() { return {.verify = Verify::read_back, .overwrite = true}; }

  // Each file whole, or as it was before. How many are whole.
  int whole_files(bool has_old, std::int64_t at) const {
    int whole = 0;
    for (int k = 0; k < files_of_set; ++k) {
      const std::string path = part_of(to_, k);
      if (!fs::exists(path)) {
        EXPECT_FALSE(has_old) << at;
        continue;
      }
      const std::string found = contents(path);
      const bool is_whole = found == original_[static_cast<std::size_t>(k)];
      EXPECT_TRUE(is_whole || (has_old && found == "old")) << at << ": " << path;
      whole += is_whole ? 1 : 0;
    }
    return whole;
  }

  // What readers take for done when it was interrupted.
  void settle() const { io::settle_replacement(storage::posix(), part_of(to_, 0), Sync::none); }

  // Whether operation `at` was reached.
  bool restore_with(std::int64_t at, Fault fault) const {
    FaultyTransport faulty(storage::posix(), at, fault);
    const storage::Mount mount(folder_, faulty);
    std::mutex mutex;
    std::vector<std::string> sentences;
    testing::run_ranks(GetParam(), [&](const std::shared_ptr<comm::Comm>& comm) {
      const Error error = error_of([&] { unsqueeze(archive_, to_, Communicator(comm), options()); });
      const std::lock_guard lock(mutex);
      sentences.emplace_back(error.what());
    });
    for (const std::string& sentence : sentences) EXPECT_EQ(sentence, sentences.front());
    return faulty.has_failed();
  }

  testing::ScratchDirectory scratch_;
  const std::string set_ = scratch_ / "run", archive_ = scratch_ / "run.sqz", folder_ = scratch_ / "far",
                    to_ = folder_ + "/new";
  std::vector<std::string> original_;
};

TEST_P(SqueezeSetFault, AtAnyOperationRestoringLeavesWholeFilesOrWhatWasThere) {
  for (const Fault fault : {Fault::error, Fault::short_write, Fault::no_space}) {
    for (const bool has_old : {false, true}) {
      for (std::int64_t at = 0;; ++at) {
        start_anew(has_old);
        const bool failed = restore_with(at, fault);
        settle();
        const int whole = whole_files(has_old, at);
        EXPECT_TRUE(whole == 0 || whole == files_of_set) << at;
        EXPECT_EQ(files_in(folder_).size(), static_cast<std::size_t>(has_old ? files_of_set : whole)) << at;
        if (!failed) {
          EXPECT_EQ(whole, files_of_set);
          break;
        }
        ASSERT_LT(at, 1000);
      }
    }
  }
}

TEST_P(SqueezeSetFault, KilledAtAnyOperationRestoringLeavesWholeFilesOrWhatWasThere) {
  for (const bool has_old : {false, true}) {
    for (std::int64_t at = 0;; ++at) {
      start_anew(has_old);
      const bool died = testing::dies_in([&] { restore_with(at, Fault::kill); });
      settle();
      const int whole = whole_files(has_old, at);
      if (!died) {
        EXPECT_EQ(whole, files_of_set);
        break;
      }
      // A set with a file missing, or of two sets, is no field.
      for (int k = 0; whole > 0 && whole < files_of_set && k < files_of_set; ++k) {
        const std::string path = part_of(to_, k);
        if (!fs::exists(path)) continue;
        EXPECT_NE(error_of([&] { inspect(path).require_sound(); }).code(), Code::ok) << at;
      }
      unsqueeze(archive_, to_, {}, options());
      EXPECT_EQ(whole_files(has_old, at), files_of_set) << at;
      ASSERT_LT(at, 1000);
    }
  }
}

// Most bytes are part of a sum; the others are padding.
TEST_P(SqueezeSetFault, DamagedArchivesGiveTheFilesOrNone) {
  const std::string sound = contents(archive_), damaged = scratch_ / "damaged.sqz";
  int refused = 0, tried = 0;
  for (std::size_t at = 150; at < sound.size(); at += 1 + sound.size() / 40, ++tried) {
    std::string bytes = sound;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    testing::put_contents(damaged, bytes);
    start_anew(false);
    testing::run_ranks(GetParam(), [&](const std::shared_ptr<comm::Comm>& comm) {
      error_of([&] { unsqueeze(damaged, to_, Communicator(comm), options()); });
    });
    const int whole = whole_files(false, static_cast<std::int64_t>(at));
    EXPECT_TRUE(whole == 0 || whole == files_of_set) << at;
    EXPECT_EQ(files_in(folder_).size(), static_cast<std::size_t>(whole)) << at;
    refused += whole == 0 ? 1 : 0;
  }
  EXPECT_GT(refused, tried / 2);
}

TEST_P(SqueezeSetFault, SetsWithAFileMissingShortOrOfAnotherSetAreNotSqueezed) {
  const std::string second = part_of(set_, 1), target = folder_ + "/new.sqz";
  const auto expect_refused = [&](const std::string& what) {
    testing::put_contents(target, "old");
    testing::run_ranks(GetParam(), [&](const std::shared_ptr<comm::Comm>& comm) {
      const Error error = error_of([&] { squeeze(part_of(set_, 0), target, Communicator(comm), options()); });
      EXPECT_NE(std::string(error.what()).find("run_b"), std::string::npos) << what << ": " << error.what();
    });
    EXPECT_EQ(contents(target), "old") << what;
    EXPECT_EQ(files_in(folder_), std::vector<std::string>{"new.sqz"}) << what;
  };
  std::string bytes = original_[1];
  testing::put_contents(second, bytes.substr(0, bytes.size() - 8));
  expect_refused("short");
  bytes[48] = static_cast<char>(bytes[48] ^ 1);  // of the plaquette
  testing::put_contents(second, bytes);
  expect_refused("of another set");
  fs::remove(second);
  expect_refused("missing");
}

INSTANTIATE_TEST_SUITE_P(Ranks, SqueezeSetFault, ::testing::Values(1, 3));

}  // namespace
}  // namespace lq
