// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of the instruction set. CMakeLists.txt runs this once for every value of LQ_FORCE_ISA.
#include "kernels/dispatch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/processor.hpp"

namespace lq::kernels {
namespace {

bool runs_here(InstructionSet set) {
  const auto here = instruction_sets_here();
  return std::find(here.begin(), here.end(), set) != here.end();
}

#if defined(LQ_X86_64)

// What the kernel says of the processor; empty where it says nothing.
std::set<std::string> processor_flags() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::set<std::string> flags;
    for (std::string word; words >> word;) flags.insert(word);
    return flags;
  }
  return {};
}

TEST(InstructionSets, AreThoseOfTheProcessor) {
  const std::set<std::string> flags = processor_flags();
  if (!flags.contains("sse2")) GTEST_SKIP() << "the system does not tell";
  const auto has = [&](std::initializer_list<const char*> wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const char* flag) { return flags.contains(flag); });
  };
  const bool pclmul = has({"pclmulqdq", "ssse3", "sse4_1"});
  EXPECT_EQ(runs_here(InstructionSet::pclmul), pclmul);
  EXPECT_EQ(runs_here(InstructionSet::vpclmul), pclmul && has({"avx2", "vpclmulqdq"}));
  EXPECT_EQ(runs_here(InstructionSet::avx512), pclmul && has({"avx2", "vpclmulqdq", "avx512f", "avx512bw"}));
}

#elif defined(LQ_AARCH64)

// The register itself, which the kernel lets programs read: four bits for each group of instructions.
TEST(InstructionSets, AreThoseOfTheProcessor) {
  std::uint64_t groups = 0;
  __asm__("mrs %0, ID_AA64ISAR0_EL1" : "=r"(groups));
  const std::uint64_t aes = groups >> 4 & 15, crc32 = groups >> 16 & 15;
  EXPECT_EQ(runs_here(InstructionSet::crc32x), crc32 >= 1);
  EXPECT_EQ(runs_here(InstructionSet::pmull), crc32 >= 1 && aes >= 2);
  EXPECT_FALSE(runs_here(InstructionSet::avx512));
}

#else

TEST(InstructionSets, AreThePortableOneAlone) { EXPECT_EQ(instruction_sets_here().size(), 1U); }

#endif

TEST(InstructionSets, BeginWithThePortableOneAndAscend) {
  const auto here = instruction_sets_here();
  ASSERT_FALSE(here.empty());
  EXPECT_EQ(here.front(), InstructionSet::portable);
  EXPECT_TRUE(std::is_sorted(here.begin(), here.end()));
}

TEST(InstructionSets, AreFoundByName) {
  for (const InstructionSet set : every_instruction_set) {
    EXPECT_EQ(chosen_instruction_set(name(set)), runs_here(set) ? set : instruction_sets_here().back()) << name(set);
  }
  EXPECT_EQ(chosen_instruction_set("portable"), InstructionSet::portable);
  EXPECT_EQ(chosen_instruction_set("sse9"), instruction_sets_here().back());
  EXPECT_EQ(chosen_instruction_set(""), instruction_sets_here().back());
}

TEST(InstructionSets, HaveLoopsOfTheirOwn) {
  std::set<const isa::Loops*> loops;
  for (const InstructionSet set : instruction_sets_here()) loops.insert(&loops_of(set));
  EXPECT_EQ(loops.size(), instruction_sets_here().size());
  EXPECT_EQ(&loops_of(InstructionSet::portable), &isa::portable_loops);
}

TEST(ForcedInstructionSet, IsTheActiveOne) {
  const char* forced = std::getenv("LQ_FORCE_ISA");
  const std::string wanted = forced != nullptr ? forced : "";
  std::string expected(name(instruction_sets_here().back()));
  for (const InstructionSet set : instruction_sets_here()) {
    if (name(set) == wanted) expected = wanted;
  }
  EXPECT_EQ(instruction_set_name(), expected);
  EXPECT_EQ(name(active_instruction_set()), expected);
}

}  // namespace
}  // namespace lq::kernels
