// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/dispatch.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/processor.hpp"
#include "base/system.hpp"

namespace lq::kernels {
namespace {

struct UsableSets {
  std::array<InstructionSet, every_instruction_set.size()> sets{};
  std::size_t count = 0;
};

#if defined(LQ_X86_64)

// The instructions for which the files of isa/ are compiled.
bool runs_here(InstructionSet set) noexcept {
  __builtin_cpu_init();
  const bool pclmul =
      __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1");
  const bool vpclmul = pclmul && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("vpclmulqdq");
  switch (set) {
    case InstructionSet::portable:
      return true;
    case InstructionSet::pclmul:
      return pclmul;
    case InstructionSet::vpclmul:
      return vpclmul;
    case InstructionSet::avx512:
      return vpclmul && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq");
    default:
      return false;
  }
}

#elif defined(LQ_AARCH64)

// Every AArch64 that runs an operating system has NEON.
bool runs_here(InstructionSet set) noexcept {
  const base::Aarch64Features has = base::aarch64_features();
  switch (set) {
    case InstructionSet::portable:
      return true;
    case InstructionSet::crc32x:
      return has.crc32;
    case InstructionSet::pmull:
      return has.crc32 && has.pmull;
    default:
      return false;
  }
}

#else

bool runs_here(InstructionSet set) noexcept { return set == InstructionSet::portable; }

#endif

UsableSets find_here() noexcept {
  UsableSets here;
  for (const InstructionSet set : every_instruction_set) {
    if (runs_here(set)) here.sets[here.count++] = set;
  }
  return here;
}

}  // namespace

std::string_view name(InstructionSet set) noexcept {
  switch (set) {
    case InstructionSet::portable:
      return "portable";
    case InstructionSet::pclmul:
      return "pclmul";
    case InstructionSet::vpclmul:
      return "vpclmul";
    case InstructionSet::avx512:
      return "avx512";
    case InstructionSet::crc32x:
      return "crc32x";
    case InstructionSet::pmull:
      return "pmull";
  }
  return "";
}

std::span<const InstructionSet> instruction_sets_here() noexcept {
  static const UsableSets here = find_here();
  return {here.sets.data(), here.count};
}

InstructionSet chosen_instruction_set(std::string_view forced) noexcept {
  const auto here = instruction_sets_here();
  const auto found = std::ranges::find(here, forced, [](InstructionSet set) { return name(set); });
  return found != here.end() ? *found : here.back();
}

InstructionSet active_instruction_set() noexcept {
  static const InstructionSet active = [] {
    const char* forced = std::getenv("LQ_FORCE_ISA");
    return chosen_instruction_set(forced != nullptr ? forced : "");
  }();
  return active;
}

std::string_view instruction_set_name() noexcept { return name(active_instruction_set()); }

const isa::Loops& loops_of(InstructionSet set) noexcept {
  switch (set) {
#if defined(LQ_X86_64)
    case InstructionSet::pclmul:
      return isa::pclmul_loops;
    case InstructionSet::vpclmul:
      return isa::vpclmul_loops;
    case InstructionSet::avx512:
      return isa::avx512_loops;
#elif defined(LQ_AARCH64)
    case InstructionSet::crc32x:
      return isa::crc32x_loops;
    case InstructionSet::pmull:
      return isa::pmull_loops;
#endif
    default:
      return isa::portable_loops;
  }
}

}  // namespace lq::kernels
