// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For every k: allocation number k of one rank fails while a file is squeezed, or restored.
#include <gtest/gtest.h>
#include <limequat/limequat.hpp>

#include <filesystem>
#include <string>

#include "support/formula_field.hpp"
#include "support/memory_fault.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

using testing::MemoryFaults;

using Make = SqueezeReport (*)(const std::string&, const std::string&, const Communicator&, const SqueezeOptions&);

class SqueezingWithoutMemory : public ::testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  void SetUp() override {
    const Grid grid(Extents{4, 2, 2, 6});
    auto values = testing::formula_sites<double>(grid, 72);
    write(conf_, grid, gauge(values));
    squeeze(conf_, archive_);
  }

  void make_all_or_nothing(Make make, const std::string& from, const std::string& expected) {
    const auto& [bad_rank, for_good] = GetParam();
    const std::string whole = testing::contents(expected);
    MemoryFaults faults(3, bad_rank, for_good);
    while (faults.next([&](const Communicator& all) { return [&, all] { make(from, to_, all, {}); }; })) {
      const bool is_there = std::filesystem::exists(to_);
      EXPECT_EQ(testing::count_files_in(directory_.path()), is_there ? 3U : 2U);
      EXPECT_TRUE(is_there || !faults.succeeded());
      if (is_there) {
        EXPECT_TRUE(testing::contents(to_) == whole);
      }
      std::filesystem::remove(to_);
      ASSERT_FALSE(HasFailure());
    }
    EXPECT_GE(faults.failures(), 10);
  }

  testing::ScratchDirectory directory_;
  const std::string conf_ = directory_ / "a file whose name is too long for a string that needs no memory.ildg";
  const std::string archive_ = directory_ / "another file whose name is too long for a string without memory.sqz";
  const std::string to_ = directory_ / "a third file whose name is too long for a string without memory.new";
};

TEST_P(SqueezingWithoutMemory, MakesAWholeArchiveOrNone) { make_all_or_nothing(squeeze, conf_, archive_); }

TEST_P(SqueezingWithoutMemory, RestoresAWholeFileOrNone) { make_all_or_nothing(unsqueeze, archive_, conf_); }

INSTANTIATE_TEST_SUITE_P(OnOneRank, SqueezingWithoutMemory,
                         ::testing::Combine(::testing::Values(0, 1), ::testing::Bool()), [](const auto& by) {
                           return "rank" + std::to_string(std::get<0>(by.param)) +
                                  (std::get<1>(by.param) ? "_for_good" : "_once");
                         });

}  // namespace
}  // namespace lq
