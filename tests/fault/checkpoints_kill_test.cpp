// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs on 1 to 5 ranks that are killed at any moment, and damage between them: the newest valid checkpoint is loaded
// always, and no more is lost than what was being saved. LQ_KILLS: so many jobs; LQ_SEED: which.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <limequat/checkpoints.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/checkpoint_contents.hpp"
#include "support/faulty.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::Fault;
using testing::FaultyTransport;

const Extents small_lattice{4, 2, 2, 4};

std::uint64_t from_environment(const char* name, std::uint64_t usual) {
  const char* value = std::getenv(name);
  return value == nullptr ? usual : std::strtoull(value, nullptr, 10);
}

// What a job tells of itself, past the storage that kills it.
struct Told {
  std::int64_t loaded = -2;  // -1: there was nothing; -3: none was valid; -2: it did not get so far
  std::int64_t begun = -1, saved = -1;
  std::int64_t operations = 0;  // of the storage, of a job that was not killed
  bool is_wrong = false;
};

class KilledJobs : public ::testing::Test {
 protected:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  void tell(const char* what, std::int64_t number) const {
    std::ofstream(log_, std::ios::app) << what << ' ' << number << '\n';
  }
  Told told() const {
    Told result;
    std::ifstream log(log_);
    std::string what;
    std::int64_t number = 0;
    while (log >> what >> number) {
      if (what == "loaded") result.loaded = number;
      if (what == "begun") result.begun = number;
      if (what == "saved") result.saved = number;
      if (what == "operations") result.operations = number;
      if (what == "wrong") result.is_wrong = true;
    }
    return result;
  }

  enum class Counted { all, on_node };

  // What is in a process of its own, on so many ranks; its storage kills it at an operation of those counted, or not at
  // all.
  void job(int ranks, int saves, std::int64_t kill_at, bool in_background, const CheckpointsOptions& options = {},
           Counted counted = Counted::all) {
    FaultyTransport faulty(storage::posix(), kill_at, Fault::kill), sound(storage::posix(), -1, Fault::kill);
    const storage::Mount mount(folder_, counted == Counted::all ? faulty : sound), on_node(node_, faulty);
    testing::run_ranks(ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator all(comm);
      const auto say = [&](const char* what, std::int64_t number) {
        if (all.is_root()) tell(what, number);
      };
      Checkpoints checkpoints(folder_, all, options);
      std::int64_t step = -1;
      try {
        if (const std::optional<Checkpoint> found = checkpoints.load_newest()) {
          step = static_cast<std::int64_t>(found->step());
          if (!testing::has_contents_of_its_step(*found, all, small_lattice)) {
            if (all.is_root()) std::fprintf(stderr, "%s has other contents\n", found->path().c_str());
            say("wrong", step);
          }
        }
        say("loaded", step);
      } catch (const Error& error) {
        if (error.code() != Code::malformed && all.is_root()) std::fprintf(stderr, "%s\n", error.what());
        say(error.code() == Code::malformed ? "loaded" : "wrong", -3);
        return;
      }
      for (int k = 0; k < saves; ++k) {
        ++step;
        const testing::StepContents contents(all, small_lattice, static_cast<std::uint64_t>(step));
        say("begun", step);
        if (in_background) {
          checkpoints.save_async(static_cast<std::uint64_t>(step), contents.contents);
          checkpoints.wait();
        } else {
          checkpoints.save(static_cast<std::uint64_t>(step), contents.contents);
        }
        say("saved", step);
      }
    });
    tell("operations", faulty.operations());
  }

  // The steps that are there by their names, which the jobs made; without those that were damaged.
  std::multiset<std::int64_t> valid() const {
    std::multiset<std::int64_t> steps;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("step-") && !damaged_.contains(name)) steps.insert(std::stoll(name.substr(5, 12)));
    }
    return steps;
  }

  // One bit, one byte, a stretch, the end, or all of a file; or a whole checkpoint.
  void damage_something() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      const std::string folder = entry.path().parent_path().filename().string();
      const bool is_of_checkpoint = folder.starts_with("step-") && entry.path().filename() != "tries.lq";
      if (entry.is_regular_file() && is_of_checkpoint && !damaged_.contains(folder)) files.push_back(entry.path());
    }
    if (files.empty()) return;
    std::ranges::sort(files);
    const fs::path file = files[static_cast<std::size_t>(draw(files.size()))];
    const std::uint64_t bytes = fs::file_size(file);
    damaged_.insert(file.parent_path().filename().string());
    const std::uint64_t kind = bytes == 0 ? 3 : draw(6);
    if (kind == 3) {
      fs::remove(file);
    } else if (kind == 4) {
      fs::resize_file(file, draw(bytes));
    } else if (kind == 5) {
      std::ofstream(file, std::ios::app | std::ios::binary) << 'x';
    } else {
      const std::uint64_t at = draw(bytes), length = kind == 2 ? std::min(bytes - at, 1 + draw(5000)) : 1;
      std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
      for (std::uint64_t k = 0; k < length; ++k) {
        stream.seekg(static_cast<std::streamoff>(at + k));
        const int before = stream.get();
        const std::uint64_t flip = kind == 0 ? 1ULL << draw(8) : 1 + draw(255);
        stream.seekp(static_cast<std::streamoff>(at + k));
        stream.put(static_cast<char>(before ^ static_cast<int>(flip)));
      }
    }
  }

  int tries_of(const std::string& name) const {
    std::ifstream file(folder_ + "/" + name + "/tries.lq");
    int lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }

  testing::ScratchDirectory directory_;
  std::string node_ = directory_ / "node", folder_ = directory_ / "run", log_ = directory_ / "log";
  std::set<std::string> damaged_;
  std::mt19937_64 random_{from_environment("LQ_SEED", 1)};
};

TEST_F(KilledJobs, LoadTheNewestValidCheckpointAlways) {
  const std::uint64_t jobs = from_environment("LQ_KILLS", 40);
  std::uint64_t kills = 0, damages = 0;
  std::int64_t operations = 100;  // of a job, roughly
  fs::create_directory(folder_);
  for (std::uint64_t number = 0; number < jobs; ++number) {
    SCOPED_TRACE("job " + std::to_string(number));
    const std::multiset<std::int64_t> before = valid();
    const std::int64_t newest = before.empty() ? -1 : *before.rbegin();
    const bool has_damaged =
        std::ranges::any_of(damaged_, [&](const std::string& name) { return fs::exists(folder_ + "/" + name); });
    const int ranks = 1 + static_cast<int>(draw(5)), saves = static_cast<int>(draw(4));
    const bool in_background = draw(2) == 0, is_killed = draw(4) != 0;
    const std::int64_t at =
        is_killed ? static_cast<std::int64_t>(draw(1 + draw(static_cast<std::uint64_t>(operations)))) : -1;
    fs::remove(log_);
    const bool has_died = testing::dies_in([&] {
      try {
        job(ranks, saves, at, in_background);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        tell("wrong", -9);
      }
    });
    kills += has_died ? 1 : 0;
    const Told said = told();
    ASSERT_FALSE(said.is_wrong);
    operations = std::max(operations, said.operations);
    if (said.loaded != -2) {
      ASSERT_EQ(said.loaded, !before.empty() ? newest : has_damaged ? -3 : -1) << "of " << ranks << " ranks";
    } else {
      ASSERT_TRUE(has_died);
    }
    // What was there stays until there is more; what was saved is there, and what was not may be.
    const std::multiset<std::int64_t> after = valid();
    const std::int64_t found = after.empty() ? -1 : *after.rbegin();
    ASSERT_GE(found, std::max(newest, said.saved));
    ASSERT_LE(found, std::max(newest, said.begun));
    const auto made =
        static_cast<std::size_t>(said.saved < 0 ? 0 : said.saved - std::max<std::int64_t>(said.loaded, -1));
    const std::set<std::int64_t> steps(after.begin(), after.end()), steps_before(before.begin(), before.end());
    ASSERT_GE(steps.size(), std::min<std::size_t>(2, steps_before.size() + made)) << "two are kept";
    for (const std::string& name : damaged_) ASSERT_LE(tries_of(name), 2) << name;
    // Damage, now and then of all there is: then the jobs begin anew.
    for (std::uint64_t count = draw(3) == 0 ? 1 + draw(2) : 0; count > 0; --count, ++damages) damage_something();
    if (valid().empty() && said.loaded == -3) {
      fs::remove_all(folder_);
      fs::create_directory(folder_);
      damaged_.clear();
    }
  }
  RecordProperty("kills", std::to_string(kills));
  RecordProperty("damages", std::to_string(damages));
  std::printf("%llu jobs, %llu killed, %llu damages\n", static_cast<unsigned long long>(jobs),
              static_cast<unsigned long long>(kills), static_cast<unsigned long long>(damages));
  EXPECT_GT(kills, jobs / 8);
}

// Two jobs in a row are killed while they save on the node: the third loads what was saved there last.
TEST_F(KilledJobs, LoadWhatLiesOnTheNodeAfterTwoKillsInARow) {
  const std::uint64_t rounds = from_environment("LQ_KILLS", 40) / 2;
  std::int64_t saved = -1, begun = -1, operations = 50;
  std::uint64_t kills = 0;
  for (std::uint64_t number = 0; number < rounds; ++number) {
    const int ranks = 1 + static_cast<int>(draw(5));
    for (int turn = 0; turn < 3; ++turn) {
      SCOPED_TRACE("round " + std::to_string(number) + ", turn " + std::to_string(turn));
      const bool is_killed = turn < 2;
      const std::int64_t at = is_killed ? static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(operations))) : -1;
      fs::remove(log_);
      const bool has_died = testing::dies_in([&] {
        try {
          job(ranks, 2, at, false, {.local = node_}, Counted::on_node);
        } catch (const std::exception& error) {
          std::fprintf(stderr, "%s\n", error.what());
          tell("wrong", -9);
        }
      });
      kills += has_died ? 1 : 0;
      const Told said = told();
      ASSERT_FALSE(said.is_wrong);
      operations = std::max(operations, said.operations);
      if (said.loaded != -2) {
        ASSERT_GE(said.loaded, saved);
        ASSERT_LE(said.loaded, begun);
        saved = said.loaded;
      } else {
        ASSERT_TRUE(has_died);
      }
      saved = std::max(saved, said.saved);
      begun = std::max(begun, said.begun);
    }
  }
  EXPECT_GE(kills, rounds);
  EXPECT_GT(saved, 0);
}

// What was saved on the node is not lost, though the copy of it was killed.
TEST_F(KilledJobs, LoadWhatLiesOnTheNode) {
  const std::uint64_t jobs = from_environment("LQ_KILLS", 40) / 2;
  std::int64_t saved = -1, begun = -1, operations = 100;
  for (std::uint64_t number = 0; number < jobs; ++number) {
    SCOPED_TRACE("job " + std::to_string(number));
    const int ranks = 1 + static_cast<int>(draw(5)), saves = static_cast<int>(draw(4));
    const bool is_killed = draw(4) != 0;
    const std::int64_t at =
        is_killed ? static_cast<std::int64_t>(draw(1 + draw(static_cast<std::uint64_t>(operations)))) : -1;
    fs::remove(log_);
    const bool has_died = testing::dies_in([&] {
      try {
        job(ranks, saves, at, false, {.local = node_});
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        tell("wrong", -9);
      }
    });
    const Told said = told();
    ASSERT_FALSE(said.is_wrong);
    operations = std::max(operations, said.operations);
    if (said.loaded != -2) {
      ASSERT_GE(said.loaded, saved);
      ASSERT_LE(said.loaded, begun);
      saved = said.loaded;
    } else {
      ASSERT_TRUE(has_died);
    }
    saved = std::max(saved, said.saved);
    begun = std::max(begun, said.begun);
  }
  EXPECT_GT(saved, 0);
}

}  // namespace
}  // namespace lq
