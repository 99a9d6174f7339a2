// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program that adds modes to a set is killed at any moment, LQ_KILLS times (default 20). Claim: every mode whose
// append() had returned is there with its right numbers, no other mode is wrong, and the next program goes on. The same
// of modes that are stored as coefficients.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

#include <limequat/modes.hpp>

#include "io/journal.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"

namespace lq::modes {
namespace {

constexpr std::uint64_t most_modes = 60;
const Extents lattice{4, 4, 4, 8};

struct Diary {
  std::atomic<std::uint64_t> kept{0};  // modes whose append() has returned
};

// Made up of the first two.
std::vector<double> vector_number(const Grid& grid, std::uint64_t k) {
  std::vector<double> values = lq::testing::formula_sites<double>(grid, 24);
  for (double& value : values) value += static_cast<double>(k) * 65536;
  return values;
}

class KilledModes : public ::testing::TestWithParam<bool> {
 protected:
  KilledModes()
      : diary_(static_cast<Diary*>(
            ::mmap(nullptr, sizeof(Diary), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~KilledModes() override { ::munmap(diary_, sizeof(Diary)); }

  static int kills() {
    const char* text = std::getenv("LQ_KILLS");
    return text != nullptr ? std::atoi(text) : 20;
  }

  void begin() {
    Description description;
    description.lattice = lattice;
    description.room = 3;  // so that blocks of the index are added, too
    if (GetParam()) description.coherence = {.basis = 2, .block = {2, 2, 2, 4}, .tolerance = 1e-6};
    Writer(path_, grid_, description, {.sync = Sync::none, .overwrite = true}).close();
  }

  // The child.
  [[noreturn]] void live(Sync sync) {
    Writer writer(path_, grid_, {.sync = sync});
    for (std::uint64_t k = writer.size(); k < most_modes; ++k) {
      const auto values = vector_number(grid_, k);
      writer.append(spinor(values), {{static_cast<double>(k), 0}, 1.0 / static_cast<double>(k + 1)});
      diary_->kept = k + 1;
    }
    ::_exit(0);
  }

  void kill_after(std::chrono::microseconds time, Sync sync) {
    const pid_t child = ::fork();
    if (child == 0) live(sync);
    ::usleep(static_cast<useconds_t>(time.count()));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
  }

  // How many modes there are, all of them sound.
  std::uint64_t sound() const {
    const Set set(path_);
    EXPECT_EQ(set.file().catalog().first_error(), nullptr);
    std::vector<double> values(grid_.volume() * 24);
    for (std::uint64_t k = 0; k < set.size(); ++k) {
      EXPECT_EQ(set.read(k, grid_, spinor(values)).status, ChecksumStatus::ok);
      EXPECT_EQ(set.mode(k).error.has_value(), GetParam() && k >= 2);
      const auto expected = vector_number(grid_, k);
      const double bound = set.mode(k).error ? 1e-6 * 1e7 * std::sqrt(static_cast<double>(values.size())) : 0;
      for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], bound) << k;
      EXPECT_EQ(set.mode(k).eigenvalue.real(), static_cast<double>(k));
    }
    return set.size();
  }

  lq::testing::ScratchDirectory folder_;
  std::string path_ = folder_ / "low.modes";
  Grid grid_{lattice};
  Diary* diary_;
};

TEST_P(KilledModes, AreAllThereThatWereAdded) {
  std::mt19937 random(static_cast<unsigned>(::getpid()));
  std::uniform_int_distribution<int> microseconds(200, 12000);
  int torn = 0, journals = 0;
  std::uint64_t added = 0;
  begin();
  for (int round = 0; round < kills(); ++round) {
    const std::uint64_t before = sound();
    if (before >= most_modes - 5) {
      begin();
      diary_->kept = 0;
    }
    kill_after(std::chrono::microseconds(microseconds(random)), round % 3 == 0 ? Sync::full : Sync::none);
    journals += std::filesystem::exists(io::journal_path(path_)) ? 1 : 0;
    const std::uint64_t kept = diary_->kept, there = sound();
    ASSERT_GE(there, kept) << "round " << round;
    ASSERT_LE(there, kept + 1) << "round " << round;
    torn += there > kept ? 1 : 0;
    added += there;
    diary_->kept = there;  // it was complete, though nobody had been told
  }
  EXPECT_GT(added, 0U);
  EXPECT_GT(journals + torn, 0) << "no kill came while a mode was being added";
}
INSTANTIATE_TEST_SUITE_P(Stored, KilledModes, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "AsCoefficients" : "Whole"; });

}  // namespace
}  // namespace lq::modes
