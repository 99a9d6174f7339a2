// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The intersection of several parts, as runs: numbers evenly spaced in all of them. The first part leads: its positions
// ascend, so that it is traversed from front to back. Two parts are the intersection of a memory and a file; a third
// one may give the place of the same numbers in another order. Memory used and time per run depend on the number of
// digits, not on the number of sites.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lattice/distribution.hpp"

namespace lq::lattice {

inline constexpr std::size_t max_parts = 3;

struct SpacedRun {
  std::uint64_t count = 0;
  std::array<std::int64_t, max_parts> position{};  // of the first number, in each part
  std::array<std::int64_t, max_parts> stride{};    // to the next; unused if count is 1
};

class Runs {
 public:
  enum class Lead {
    evenly_spaced,  // runs may have gaps in the leading part
    contiguous,     // no gaps
  };

  // All parts have the same axes.
  explicit Runs(std::span<const Part* const> parts, Lead lead = Lead::evenly_spaced);

  bool next(SpacedRun& run);  // false after the last one
  void restart() noexcept;
  // The next run is the first with a number at or after this position of the leading part; it may begin before it.
  void seek(std::int64_t position) noexcept;
  // The number of runs, before neighbours are joined.
  std::uint64_t count() const noexcept;

 private:
  static constexpr std::size_t max_loops = 2 * static_cast<std::size_t>(max_axes);
  using Positions = std::array<std::int64_t, max_parts>;

  struct Loop {
    std::uint64_t count = 1;
    Positions stride{};
    std::uint64_t value = 0;
  };

  // Numbers described by nested loops with fixed strides in all parts; the first loop, the fastest, is the run.
  class LoopNest {
   public:
    LoopNest() = default;
    explicit LoopNest(const Positions& first) noexcept : first_(first), now_(first) {}
    void add(const Loop& loop) noexcept { loops_[size_++] = loop; }
    // Orders loops from the fastest of the leading part to the slowest; contiguous loops are merged.
    void arrange(std::size_t parts, Lead lead) noexcept;
    void restart() noexcept;
    bool is_done() const noexcept { return done_; }
    std::int64_t leading() const noexcept { return now_[0]; }
    void seek(std::int64_t position) noexcept;
    SpacedRun take() noexcept;
    std::uint64_t runs() const noexcept;

   private:
    void step() noexcept;

    Positions first_{}, now_{};
    std::array<Loop, max_loops> loops_{};
    std::size_t size_ = 0;
    bool done_ = false;
  };

  LoopNest* lowest() noexcept;
  static bool join(SpacedRun& run, const SpacedRun& next, std::size_t parts, Lead lead) noexcept;

  std::size_t parts_;
  Lead lead_;
  LoopNest only_;                // if one is enough, as for boxes: no allocation
  std::vector<LoopNest> nests_;  // otherwise
  bool any_ = false;
  std::optional<SpacedRun> ahead_;
};

}  // namespace lq::lattice
