// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Small files that are verified while they are examined: one opening each, and the verdicts of single calls.
#include <limequat/ensemble.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>
#include <limequat/limequat.hpp>

#include "storage/forwarding.hpp"
#include "support/scratch_directory.hpp"

namespace lq::ensemble {
namespace {

namespace fs = std::filesystem;

// Counts how often each name is opened.
class CountedOpenings final : public storage::ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  std::unique_ptr<storage::File> open_read(const std::string& path) override {
    {
      const std::lock_guard lock(mutex_);
      ++openings[fs::path(path).filename().string()];
    }
    return ForwardingTransport::open_read(path);
  }
  std::map<std::string, int> openings;

 private:
  std::mutex mutex_;
};

class SmallFiles : public ::testing::Test {
 protected:
  SmallFiles() {
    const Grid grid(Extents{4, 4, 4, 4});
    std::vector<double> links(static_cast<std::size_t>(grid.volume()) * 72);
    generate(grid, gauge(links), {.sweeps = 2});
    write(folder_ / "conf.0.ildg", grid, gauge(links));
    for (int number = 1; number < 20; ++number) {
      fs::copy(folder_ / "conf.0.ildg", folder_ / ("conf." + std::to_string(number) + ".ildg"));
    }
    damage("conf.7.ildg");
    std::ofstream(folder_ / "notes.txt") << "nothing of a lattice";
    std::ofstream(folder_ / "conf.20.ildg");  // empty
  }

  void damage(const std::string& name) const {
    std::fstream file(folder_ / name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100'000);
    file.put('\x55');
  }

  testing::ScratchDirectory folder_;
};

TEST_F(SmallFiles, AreOpenedOnce) {
  CountedOpenings counted(storage::resolve(folder_.path()));
  const storage::Mount mount(folder_.path(), counted);
  for (const int threads : {1, 3}) {
    counted.openings.clear();
    const VerifiedFiles found = verify_below({folder_.path()}, {.threads = threads});
    EXPECT_EQ(found.counts[Verdict::sound], 19U);
    EXPECT_EQ(counted.openings["conf.3.ildg"], 1);
    EXPECT_EQ(counted.openings["conf.7.ildg"], 1);
  }
}

TEST_F(SmallFiles, HaveTheVerdictsOfSingleCalls) {
  const VerifiedFiles found = verify_below({folder_.path()}, {.threads = 2});
  EXPECT_FALSE(found.ok);
  ASSERT_EQ(found.files.size(), 21U);
  EXPECT_EQ(found.strangers.size(), 1U);
  for (const VerifiedFile& file : found.files) {
    if (file.path.ends_with("conf.20.ildg")) {
      EXPECT_EQ(file.verdict, Verdict::unreadable);
      continue;
    }
    EXPECT_EQ(to_json(file.verification.value()), to_json(lq::verify(file.path))) << file.path;
    EXPECT_EQ(file.verdict, file.path.ends_with("conf.7.ildg") ? Verdict::damaged : Verdict::sound) << file.path;
  }
}

// A journal that another program left behind is seen, however old the file is.
TEST_F(SmallFiles, SeeTheJournalsThatTheFolderHas) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path())) {
    fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  std::ofstream(folder_ / ".conf.5.ildg.lq-journal") << "no journal of this file";
  const VerifiedFiles found = verify_below({folder_.path()}, {.threads = 1});
  for (const VerifiedFile& file : found.files) {
    if (!file.verification) continue;
    const auto is_about_journal = [](const Finding& finding) { return finding.rule.starts_with("journal-"); };
    EXPECT_EQ(std::ranges::any_of(file.verification->findings, is_about_journal), file.path.ends_with("conf.5.ildg"))
        << file.path;
  }
}

}  // namespace
}  // namespace lq::ensemble
