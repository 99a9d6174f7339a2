// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Archives made and undone while the k-th operation of the storage fails: what was there stays, nothing unfinished is
// left under any name, and all ranks say the same.
#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/limequat.hpp>

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

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
using testing::Fault;
using testing::FaultyTransport;
using testing::files_in;
using testing::run_ranks;
using testing::ScratchDirectory;

class SqueezeFault : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const Grid grid(Extents{4, 4, 4, 4});
    std::vector<double> links(grid.local_volume() * 72);
    const MutableField field{.spec = gauge_spec(Precision::double_), .data = links.data(), .available = links.size()};
    generate(grid, field, {.sweeps = 1, .hot_start = true});
    write(conf_, grid, field);
    squeeze(conf_, archive_);
    original_ = contents(conf_);
    archive_bytes_ = contents(archive_);
  }

  // `from` to `to`, on a file system of which operation `fail_at` fails. Whether it got so far.
  template <class Make>
  bool fails(const Make& make, const std::string& from, std::int64_t fail_at, Fault fault) {
    FaultyTransport faulty(storage::posix(), fail_at, fault);
    const storage::Mount mount(folder_, faulty);
    std::mutex mutex;
    std::vector<std::string> sentences;
    run_ranks(GetParam(), [&](const std::shared_ptr<comm::Comm>& comm) {
      const Error error = testing::error_of(
          [&] { make(from, to_, Communicator(comm), SqueezeOptions{.verify = Verify::read_back, .overwrite = true}); });
      const std::lock_guard lock(mutex);
      sentences.emplace_back(error.what());
    });
    for (const std::string& sentence : sentences) EXPECT_EQ(sentence, sentences.front());
    return faulty.has_failed();
  }

  template <class Make>
  void at_every_operation(const Make& make, const std::string& from, const std::string& expected) {
    for (const Fault fault : {Fault::error, Fault::short_write, Fault::no_space}) {
      for (const bool has_old : {false, true}) {
        for (std::int64_t k = 0;; ++k) {
          fs::remove_all(folder_);
          fs::create_directory(folder_);
          if (has_old) testing::put_contents(to_, "old");
          const bool failed = fails(make, from, k, fault);
          if (fs::exists(to_)) {
            EXPECT_TRUE(contents(to_) == expected || (has_old && contents(to_) == "old")) << k;
          } else {
            EXPECT_FALSE(has_old) << k;
          }
          if (!failed) break;
          ASSERT_LT(k, 1000);
        }
        EXPECT_TRUE(contents(to_) == expected);
        EXPECT_EQ(files_in(folder_), std::vector<std::string>{"new"});
      }
    }
  }

  ScratchDirectory scratch_;
  const std::string conf_ = scratch_ / "conf.ildg", archive_ = scratch_ / "conf.sqz", folder_ = scratch_ / "far",
                    to_ = folder_ + "/new";
  std::string original_, archive_bytes_;
};

TEST_P(SqueezeFault, AtAnyOperationSqueezingLeavesWhatWasThere) { at_every_operation(squeeze, conf_, archive_bytes_); }

TEST_P(SqueezeFault, AtAnyOperationRestoringLeavesWhatWasThere) { at_every_operation(unsqueeze, archive_, original_); }

INSTANTIATE_TEST_SUITE_P(Ranks, SqueezeFault, ::testing::Values(1, 3));

}  // namespace
}  // namespace lq
