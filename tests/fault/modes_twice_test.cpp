// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job that is started twice, LQ_ROUNDS times (default 25) in each way: two processes begin with the same set at the
// same time, and neither ends before the other has begun. Claim: one of the two is refused, and the set has all modes
// of the other one and verifies.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>

#include <limequat/modes.hpp>

#include "io/verify.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"

namespace lq::modes {
namespace {

struct Start {
  const char* name;
  bool is_there;   // the set, before
  bool creates;    // else adds
  bool overwrite;  // where it creates
};
void PrintTo(const Start& one, std::ostream* out) { *out << one.name; }

class StartedTwice : public ::testing::TestWithParam<Start> {
 protected:
  struct Shared {
    std::atomic<int> ready{0}, begun{0};
    std::array<std::atomic<int>, 2> refusal{};  // the code of the error
  };
  StartedTwice()
      : shared_(static_cast<Shared*>(
            ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~StartedTwice() override { ::munmap(shared_, sizeof(Shared)); }

  static int rounds() {
    const char* text = std::getenv("LQ_ROUNDS");
    return text != nullptr ? std::atoi(text) : 25;
  }
  Description described() const {
    Description description;
    description.lattice = grid_.extents();
    return description;
  }
  void add(Writer& writer, double first) const {
    const std::vector<double> values = lq::testing::formula_sites<double>(grid_, 24);
    for (int k = 0; k < modes; ++k) writer.append(spinor(values), {{first + k, 0}});
  }
  static void wait_for_both(std::atomic<int>& counter) {
    ++counter;
    while (counter < 2) ::usleep(20);
  }
  Writer begin() const {
    if (GetParam().creates) return {path_, grid_, described(), {.sync = Sync::none, .overwrite = GetParam().overwrite}};
    return {path_, grid_, {.sync = Sync::none}};
  }
  // The child.
  [[noreturn]] void live(int number) const {
    wait_for_both(shared_->ready);
    try {
      Writer writer = begin();
      add(writer, 100 * (number + 1));
      wait_for_both(shared_->begun);
    } catch (const Error& error) {
      shared_->refusal[static_cast<std::size_t>(number)] = static_cast<int>(error.code());
      ++shared_->begun;
    }
    ::_exit(0);
  }

  static constexpr int modes = 3;
  lq::testing::ScratchDirectory directory_;
  const std::string path_ = directory_ / "low.modes";
  const Grid grid_{Extents{2, 2, 2, 2}};
  Shared* shared_;
};

TEST_P(StartedTwice, OneOfTheTwoFails) {
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE(::testing::Message() << "round " << round);
    std::filesystem::remove(path_);
    if (GetParam().is_there) {
      Writer writer(path_, grid_, described());
      add(writer, 0);
    }
    new (shared_) Shared();
    std::array<pid_t, 2> children{};
    for (int number = 0; number < 2; ++number) {
      children[static_cast<std::size_t>(number)] = ::fork();
      if (children[static_cast<std::size_t>(number)] == 0) live(number);
    }
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFEXITED(status));
    }
    const int winner = shared_->refusal[0] == 0 ? 0 : 1;
    EXPECT_EQ(shared_->refusal[static_cast<std::size_t>(winner)], 0);
    const auto refusal = static_cast<Code>(shared_->refusal[static_cast<std::size_t>(1 - winner)].load());
    EXPECT_EQ(refusal, GetParam().creates && !GetParam().overwrite ? Code::exists : Code::io);
    EXPECT_TRUE(io::verify(path_).ok);
    const Set set(path_);
    const std::uint64_t before = GetParam().creates ? 0 : modes;
    ASSERT_EQ(set.size(), before + modes);
    for (std::uint64_t k = before; k < set.size(); ++k) {
      EXPECT_EQ(set.mode(k).eigenvalue.real(), 100 * (winner + 1) + static_cast<double>(k - before));
    }
    EXPECT_EQ(lq::testing::files_in(directory_.path()), std::vector<std::string>{"low.modes"});
  }
}
INSTANTIATE_TEST_SUITE_P(Jobs, StartedTwice,
                         ::testing::Values(Start{"OverOthers", true, true, true},
                                           Start{"WithOverwrite", false, true, true},
                                           Start{"WithoutOverwrite", false, true, false},
                                           Start{"Adding", true, false, false}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace lq::modes
